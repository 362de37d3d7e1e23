/** Runs an exchange in this process until it is asked to stop. */
import { resolve } from "node:path";
import type { Config } from "../app/config.ts";
import { type RunningExchange, startExchange } from "../app/exchange.ts";
import { InvariantViolation } from "../domain/index.ts";
import { operatorTokenFile } from "../keys/operator-token.ts";
import { ccxtUrls, recordRunning, urlOf } from "./running-exchange.ts";
import { printWelcome } from "./welcome.ts";

/** EX_SOFTWARE: a bug, or an unusable journal; start it again to recover. */
const EXIT_FATAL = 70;

/** Never resolves: the process exits with the exchange. Throws `StartRefused`. */
export async function runExchange(config: Config, withWelcome: boolean): Promise<never> {
  // A broken invariant is never caught: the process exits, and recovers at its next start.
  process.on("uncaughtException", endAtOnce);
  process.on("unhandledRejection", endAtOnce);
  const stopRequested = whenAskedToStop();
  const exchange = await startExchange(config, endAtOnce);
  const forget = recordRunning(config.dataFolder, {
    pid: process.pid,
    url: urlOf(config.host, exchange.port),
    operatorUrl: urlOf(config.operatorHost, exchange.operatorPort),
    operatorTokenFile:
      config.operatorToken === null ? operatorTokenFile(resolve(config.dataFolder)) : null,
  });
  announce(config, exchange);
  if (withWelcome) printWelcome(config, exchange);
  await stopRequested;
  await exchange.stop();
  forget();
  process.exit(0);
}

function endAtOnce(error: unknown): never {
  const kind = error instanceof InvariantViolation ? "a broken invariant" : "an unexpected error";
  console.error(`rialto: stopped by ${kind}; start it again to recover from the journal.`);
  console.error(error);
  process.exit(EXIT_FATAL);
}

/** Resolves on a signal, or when the parent process that would forward signals is gone. */
function whenAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => resolve());
    }
    process.once("disconnect", () => resolve());
  });
}

/** One line of JSON on standard output, for programs. */
function announce(config: Config, exchange: RunningExchange): void {
  const { demoAccounts, gateways, operatorPort, operatorToken, port } = exchange;
  const mayShowSecrets = config.profile === "demo" || config.sandbox;
  const secrets = mayShowSecrets ? { operatorToken, demo: demoAccounts } : {};
  const urls = ccxtUrls(urlOf(config.host, port));
  const ready = { event: "ready", port, operatorPort, gateways, urls, ...secrets };
  process.stdout.write(`${JSON.stringify(ready)}\n`);
}
