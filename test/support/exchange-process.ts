/**
 * The exchange as users start it: one process, driven only over its two ports. Each test gets a
 * data folder of its own; processes and folders are gone when the test process ends, however it
 * ends.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { OperatorClient } from "./operator-client.ts";
import { PROGRAM } from "./program.ts";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
/** Far more than a loaded machine needs; less than what ends a silent file, so that it is told. */
const READY_TIMEOUT_MS = 600_000;
const EXIT_TIMEOUT_MS = 600_000;
const KEPT_OUTPUT_CHARACTERS = 20_000;

export interface ExchangeOptions {
  /** Flags after `start`; those of the harness come first. */
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly sandbox?: boolean;
  readonly rateLimits?: "standard" | "off";
  readonly profile?: "empty" | "demo";
  /** Of another release; that of the tests if absent. */
  readonly program?: string;
  /** What the operator API is called with where the ready line does not carry it. */
  readonly operatorToken?: string;
}

export interface DemoAccount {
  readonly uid: number;
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

interface ReadyLine {
  readonly event: "ready";
  readonly port: number;
  readonly operatorPort: number;
  /** Only with `--sandbox` or the demo profile. */
  readonly operatorToken?: string;
  readonly demo: readonly DemoAccount[];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: string;
}

/** The process ended instead of becoming ready. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
  readonly exit: Exit;

  constructor(exit: Exit) {
    super(
      `the exchange ended with ${exit.code ?? exit.signal} instead of starting:\n${exit.output}`,
    );
    this.exit = exit;
  }
}

const liveChildren = new Set<ChildProcess>();
const folders = new Set<string>();

process.on("exit", () => {
  for (const child of liveChildren) child.kill("SIGKILL");
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

/** One run of the process, from start to exit. */
class Run {
  readonly exited: Promise<Exit>;
  readonly #child: ChildProcess;
  #output = "";
  #exit: Exit | null = null;

  constructor(args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#child = spawn(process.execPath, args, {
      cwd: REPOSITORY,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    liveChildren.add(this.#child);
    this.#child.stderr?.on("data", (chunk: Buffer) => this.#keep(chunk.toString("utf8")));
    this.exited = new Promise((resolve) => {
      this.#child.once("close", (code, signal) => {
        liveChildren.delete(this.#child);
        this.#exit = { code, signal, output: this.#output };
        resolve(this.#exit);
      });
    });
  }

  get output(): string {
    return this.#output;
  }

  get exit(): Exit | null {
    return this.#exit;
  }

  /** Resolves with the ready line; rejects with `StartRefused` when the process ends before it. */
  ready(): Promise<ReadyLine> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#child.kill("SIGKILL");
        reject(new Error(`no ready line in ${READY_TIMEOUT_MS} ms:\n${this.#output}`));
      }, READY_TIMEOUT_MS);
      let rest = "";
      this.#child.stdout?.on("data", (chunk: Buffer) => {
        const lines = (rest + chunk.toString("utf8")).split("\n");
        rest = lines.pop() ?? "";
        for (const line of lines) {
          const ready = readReadyLine(line);
          if (ready === null) {
            this.#keep(`${line}\n`);
          } else {
            clearTimeout(timer);
            resolve(ready);
          }
        }
      });
      void this.exited.then((exit) => {
        clearTimeout(timer);
        reject(new StartRefused(exit));
      });
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async kill(signal: NodeJS.Signals): Promise<Exit> {
    if (this.#exit !== null) return this.#exit;
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), EXIT_TIMEOUT_MS);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  #keep(text: string): void {
    this.#output = (this.#output + text).slice(-KEPT_OUTPUT_CHARACTERS);
  }
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

  /** Ends the process at once and removes its folder. */
  async stop(): Promise<void> {
    await this.kill("SIGKILL");
    rmSync(this.dataFolder, { recursive: true, force: true });
    folders.delete(this.dataFolder);
  }
}

function operatorOf(ready: ReadyLine, options: ExchangeOptions): OperatorClient {
  const token = ready.operatorToken ?? options.operatorToken ?? "";
  return new OperatorClient(ready.operatorPort, token);
}

function launch(options: ExchangeOptions, dataFolder: string): Run {
  const flags = ["--port", "0", "--operator-port", "0", "--data-dir", dataFolder];
  flags.push("--profile", options.profile ?? "empty");
  flags.push("--gateways", process.env.RIALTO_TEST_GATEWAYS ?? "0");
  flags.push("--rate-limits", options.rateLimits ?? "off");
  if (options.sandbox ?? true) flags.push("--sandbox");
  return new Run(
    [options.program ?? PROGRAM, "start", ...flags, ...(options.flags ?? [])],
    options.env ?? {},
  );
}

function readReadyLine(text: string): ReadyLine | null {
  if (!text.startsWith("{")) return null;
  try {
    const line = JSON.parse(text) as { event?: unknown };
    return line.event === "ready" ? (line as ReadyLine) : null;
  } catch {
    return null;
  }
}
