/**
 * The exchange as users start it: one process, driven only over its two ports. Each test gets a
 * data folder of its own; processes and folders are gone when the test process ends, however it
 * ends.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startHosted } from "./exchange-host.ts";
import {
  type DemoAccount,
  type Exit,
  ProcessRun,
  type ReadyLine,
  type Run,
} from "./exchange-run.ts";
import { OperatorClient } from "./operator-client.ts";
import { PROGRAM } from "./program.ts";

export { type DemoAccount, StartRefused } from "./exchange-run.ts";

export interface ExchangeOptions {
  /** Flags after `start`; those of the harness come first. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly sandbox?: boolean;
  readonly rateLimits?: "standard" | "off";
  readonly profile?: "empty" | "demo";
  /** Of another release; that of the tests if absent. */
  readonly program?: string;
  /**
   * Shared: it runs in one process with the other such exchanges of the test's process, and in one
   * thread where it has no gateway threads, as an exchange of the test kit does. A start costs a
   * sixth. For tests that neither kill it with SIGKILL nor look at its process.
   */
  readonly process?: "own" | "shared";
  /** Many in a shared process too: for a file that does not run again on gateway threads. */
  readonly threads?: "many";
  /** What the operator API is called with where the ready line does not carry it. */
  readonly operatorToken?: string;
}

const folders = new Set<string>();

process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Between two looks at a start that is to be killed. */
const WATCH_PAUSE_MS = 5;

/** A new empty folder that is removed with the test process. */
export function temporaryFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, "rialto-test-"));
  folders.add(folder);
  return folder;
}

export class ExchangeProcess {
  readonly dataFolder: string;
  readonly #options: ExchangeOptions;
  #run: Run;
  #ready: ReadyLine;
  #operator: OperatorClient;

  private constructor(dataFolder: string, options: ExchangeOptions, run: Run, ready: ReadyLine) {
    this.dataFolder = dataFolder;
    this.#options = options;
    this.#run = run;
    this.#ready = ready;
    this.#operator = operatorOf(ready, options);
  }

  /** Sandbox, empty profile and no rate limits unless the options say otherwise. */
  static async start(
    options: ExchangeOptions = {},
    dataFolder: string = temporaryFolder(),
  ): Promise<ExchangeProcess> {
    const run = launch(options, dataFolder);
    return new ExchangeProcess(dataFolder, options, run, await run.ready());
  }

  /** Kills a start as soon as `isTime` says so, or when it is ready before that. */
  static async startAndKillWhen(
    isTime: () => boolean,
    options: ExchangeOptions,
    dataFolder: string,
  ): Promise<void> {
    const run = launch(options, dataFolder);
    let isReady = false;
    const ready = run.ready().then(() => {
      isReady = true;
    });
    ready.catch(() => undefined);
    while (!isReady && run.exit === null && !isTime()) await sleep(WATCH_PAUSE_MS);
    await run.kill("SIGKILL");
  }

  get port(): number {
    return this.#ready.port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get operatorPort(): number {
    return this.#ready.operatorPort;
  }

  get operator(): OperatorClient {
    return this.#operator;
  }

  get demo(): readonly DemoAccount[] {
    return this.#ready.demo;
  }

  /** The ready line as JSON text. */
  get readyLine(): string {
    return JSON.stringify(this.#ready);
  }

  /** What the process wrote last, for failure messages. */
  get output(): string {
    return this.#run.output;
  }

  /** How the process ended; null while it runs. */
  get exit(): Exit | null {
    return this.#run.exit;
  }

  /** Resolves when the process has ended. */
  get ended(): Promise<Exit> {
    return this.#run.exited;
  }

  signal(signal: NodeJS.Signals): void {
    this.#run.signal(signal);
  }

  /** Sends the signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<Exit> {
    this.#operator.close();
    return this.#run.kill(signal);
  }

  /** Starts again on the same folder; the process must have ended. Ports change. */
  async restart(options: ExchangeOptions = this.#options): Promise<void> {
    if (this.#run.exit === null) await this.kill("SIGTERM");
    this.#run = launch(options, this.dataFolder);
    this.#ready = await this.#run.ready();
    this.#operator = operatorOf(this.#ready, options);
  }

  /** Starts again on the same folder and kills that start after the delay, ready or not. */
  async startAndKill(delayMs: number): Promise<void> {
    const run = launch(this.#options, this.dataFolder);
    await sleep(delayMs);
    await run.kill("SIGKILL");
  }

  /** Ends it, a process of its own at once, and removes its folder. */
  async stop(): Promise<void> {
    await this.kill(this.#options.process === "shared" ? "SIGTERM" : "SIGKILL");
    rmSync(this.dataFolder, { recursive: true, force: true });
    folders.delete(this.dataFolder);
  }
}

function operatorOf(ready: ReadyLine, options: ExchangeOptions): OperatorClient {
  const token = ready.operatorToken ?? options.operatorToken ?? "";
  return new OperatorClient(ready.operatorPort, token);
}

function launch(options: ExchangeOptions, dataFolder: string): Run {
  const flags = flagsOf(options, dataFolder);
  if (options.process === "shared") return startHosted(flags);
  return new ProcessRun([options.program ?? PROGRAM, "start", ...flags], options.env ?? {});
}

function flagsOf(options: ExchangeOptions, dataFolder: string): readonly string[] {
  const flags = ["--port", "0", "--operator-port", "0", "--data-dir", dataFolder];
  flags.push("--profile", options.profile ?? "empty");
  const gateways = process.env.RIALTO_TEST_GATEWAYS ?? "0";
  flags.push("--gateways", gateways);
  const hasGateways = gateways !== "0" || options.flags?.includes("--gateways");
  if (options.process === "shared" && options.threads !== "many" && !hasGateways) {
    flags.push("--threads", "one");
  }
  flags.push("--rate-limits", options.rateLimits ?? "off");
  if (options.sandbox ?? true) flags.push("--sandbox");
  return [...flags, ...(options.flags ?? [])];
}
