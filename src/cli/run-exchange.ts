/** Runs an exchange in this process, until it is asked to stop. */
import { resolve } from "node:path";
import { NodeEnded } from "../app/cluster/node-ended.ts";
import type { Config } from "../app/config.ts";
import { startExchange } from "../app/exchange.ts";
import type { RunningExchange } from "../app/running-exchange.ts";
import { InvariantViolation } from "../domain/index.ts";
import { operatorTokenFile } from "../keys/operator-token.ts";
import { NODE_PLATFORM, type Platform } from "../platform/index.ts";
import { ccxtUrls, recordRunning, urlOf } from "./running-exchange.ts";
import { printWelcome } from "./welcome.ts";

/** EX_SOFTWARE: a bug, or an unusable journal; start it again to recover. */
const EXIT_FATAL = 70;

/** Never resolves: the process exits with the exchange. Throws `StartRefused`. */
export async function runExchange(config: Config, withWelcome: boolean): Promise<never> {
  endAtOnceOnErrors();
  const stopRequested = whenAskedToStop();
  const { exchange, ready, stop } = await openExchange(config);
  // One line of JSON on standard output, for programs.
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  if (withWelcome) printWelcome(config, exchange);
  await stopRequested;
  await stop();
  process.exit(0);
}

export interface OpenedExchange {
  readonly exchange: RunningExchange;
  /** What programs are told when it accepts requests. */
  readonly ready: object;
  stop(): Promise<void>;
}

/** Throws `StartRefused`. */
export async function openExchange(config: Config): Promise<OpenedExchange> {
  const exchange = await startExchange(config, endAtOnce, await platformOf(config));
  const forget = recordRunning(config.dataFolder, {
    pid: process.pid,
    url: urlOf(config.host, exchange.port),
    operatorUrl: urlOf(config.operatorHost, exchange.operatorPort),
    operatorTokenFile:
      config.operatorToken === null ? operatorTokenFile(resolve(config.dataFolder)) : null,
  });
  const stop = async (): Promise<void> => {
    await exchange.stop();
    forget();
  };
  return { exchange, ready: readyLine(config, exchange), stop };
}

/** A broken invariant is never caught: the process exits, and recovers at its next start. */
export function endAtOnceOnErrors(): void {
  process.on("uncaughtException", endAtOnce);
  process.on("unhandledRejection", endAtOnce);
}

async function platformOf({ threads }: Config): Promise<Platform> {
  if (threads === "many") return NODE_PLATFORM;
  return (await import("../app/one-thread.ts")).ONE_THREAD;
}

function endAtOnce(error: unknown): never {
  if (error instanceof NodeEnded) {
    console.error(`rialto: ${error.message}`);
    process.exit(error.exitCode);
  }
  const kind = error instanceof InvariantViolation ? "a broken invariant" : "an unexpected error";
  console.error(`rialto: stopped by ${kind}; restart to recover from the journal.`);
  console.error(error);
  process.exit(EXIT_FATAL);
}

/** Resolves on a signal, or when the parent process that would forward signals is gone. */
export function whenAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => resolve());
    }
    process.once("disconnect", () => resolve());
  });
}

function readyLine(config: Config, exchange: RunningExchange): object {
  const { demoAccounts, gateways, operatorPort, operatorToken, port } = exchange;
  const mayShowSecrets = config.profile === "demo" || config.sandbox;
  const secrets = mayShowSecrets ? { operatorToken, demo: demoAccounts } : {};
  const urls = ccxtUrls(urlOf(config.host, port));
  return { event: "ready", port, operatorPort, gateways, urls, ...secrets };
}
