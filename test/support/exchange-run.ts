/** Runs of an exchange, from start to end: what all have, and those in a process of their own. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
/** Far more than a loaded machine needs; less than what ends a silent file, so that it is told. */
const READY_TIMEOUT_MS = 600_000;
const EXIT_TIMEOUT_MS = 600_000;
const KEPT_OUTPUT_CHARACTERS = 20_000;

export interface DemoAccount {
  readonly uid: number;
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

export interface ReadyLine {
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

export interface Run {
  /** What it wrote last. */
  readonly output: string;
  /** Null while it runs. */
  readonly exit: Exit | null;
  readonly exited: Promise<Exit>;
  /** Resolves with the ready line; rejects with `StartRefused` when it ends before that. */
  ready(): Promise<ReadyLine>;
  signal(signal: NodeJS.Signals): void;
  kill(signal: NodeJS.Signals): Promise<Exit>;
}

const liveChildren = new Set<ChildProcess>();

process.on("exit", () => {
  for (const child of liveChildren) child.kill("SIGKILL");
});

/** One run of the process, from start to exit. */
export class ProcessRun implements Run {
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

function readReadyLine(text: string): ReadyLine | null {
  if (!text.startsWith("{")) return null;
  try {
    const line = JSON.parse(text) as { event?: unknown };
    return line.event === "ready" ? (line as ReadyLine) : null;
  } catch {
    return null;
  }
}
