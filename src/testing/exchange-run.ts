/** A process that runs an exchange, or several, from start to end. */
import { type ChildProcess, spawn } from "node:child_process";
import { findProgram } from "./program.ts";

export interface DemoAccount {
  readonly uid: number;
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

export interface CcxtUrls {
  readonly api: {
    readonly public: string;
    readonly private: string;
    readonly contract: string;
    readonly contractPrivate: string;
    readonly ws: { readonly spot: string; readonly contract: string };
  };
}

/** What the process prints when it accepts requests. */
export interface ReadyLine {
  readonly event: "ready";
  readonly port: number;
  readonly operatorPort: number;
  /** For ccxt: `new ccxt.weex({ …, urls })`, REST and WebSocket. */
  readonly urls: CcxtUrls;
  readonly operatorToken: string;
  readonly demo: readonly DemoAccount[];
}

interface ExchangeExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The exchange ended, or was not ready in time; the message contains its last output. */
export class ExchangeNotStarted extends Error {
  override readonly name = "ExchangeNotStarted";
}

const KEPT_OUTPUT_CHARACTERS = 20_000;
/** An orderly shutdown writes a snapshot; after this time the process is killed. */
const STOP_TIMEOUT_MS = 20_000;

/** Variables that the test runner and its settings would otherwise pass on. */
const NOT_HANDED_DOWN = /^(RIALTO_.*|NODE_OPTIONS|NODE_TEST_CONTEXT|NODE_V8_COVERAGE)$/;

const running = new Set<ChildProcess>();

// Also after an uncaught exception. A killed test process cannot clean up: then the exchange sees
// that its channel is closed, and shuts down in good order by itself.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** What a test exchange needs of what runs it. */
export interface Run {
  readonly pid: number;
  /** Its last output on standard error: the log, and why it ended. */
  readonly output: string;
  /** SIGTERM shuts it down in good order; resolves when it is gone. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

export class ExchangeRun implements Run {
  readonly exited: Promise<ExchangeExit>;
  readonly #child: ChildProcess;
  #output = "";
  #hasExited = false;
  /** Those who wait for something of the process. */
  #holders = 0;

  /**
   * `start` runs one exchange with these flags, `several` what its messages ask for. `isSmall`: in
   * one thread.
   */
  constructor(
    script: "start" | "several",
    flags: readonly string[],
    env: Readonly<Record<string, string>>,
    isSmall = true,
  ) {
    const { node, args, compileCache } = findProgram(script, isSmall);
    const inherited = Object.entries(process.env).filter(([name]) => !NOT_HANDED_DOWN.test(name));
    this.#child = spawn(node, [...args, ...flags], {
      env: {
        NODE_COMPILE_CACHE: compileCache,
        ...Object.fromEntries(inherited),
        WS_NO_BUFFER_UTIL: "1",
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    running.add(this.#child);
    this.#child.stderr?.on("data", (chunk: Buffer) => this.#keep(chunk.toString("utf8")));
    this.exited = new Promise((resolve) => {
      const end = (exit: ExchangeExit) => {
        running.delete(this.#child);
        this.#hasExited = true;
        resolve(exit);
      };
      this.#child.once("error", (error) => {
        this.#keep(`${error.message}\n`);
        end({ code: null, signal: null });
      });
      this.#child.once("close", (code, signal) => end({ code, signal }));
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get output(): string {
    return this.#output;
  }

  get hasExited(): boolean {
    return this.#hasExited;
  }

  /** Rejects with `ExchangeNotStarted`. */
  async ready(timeoutMs: number): Promise<ReadyLine> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), timeoutMs);
    const ended = this.exited.then(({ code, signal }) => {
      const how = signal === "SIGKILL" ? `was not ready in ${timeoutMs} ms` : `ended with ${code}`;
      throw new ExchangeNotStarted(`The exchange ${how}. It wrote:\n${this.#output}`);
    });
    try {
      return await this.whileHeld(Promise.race([this.#readReadyLine(), ended]));
    } finally {
      clearTimeout(timer);
    }
  }

  #readReadyLine(): Promise<ReadyLine> {
    return new Promise((resolve) => {
      let text = "";
      this.#child.stdout?.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
        if (text.includes("\n")) resolve(JSON.parse(text) as ReadyLine);
      });
    });
  }

  /**
   * While something is awaited of it the process keeps this one alive; else an exchange that was
   * not stopped would keep the tests from ending.
   */
  async whileHeld<Value>(work: Promise<Value>): Promise<Value> {
    this.#holders++;
    for (const handle of this.#handles()) handle.ref();
    try {
      return await work;
    } finally {
      this.#holders--;
      if (this.#holders === 0) for (const handle of this.#handles()) handle.unref();
    }
  }

  /** For `several`. */
  post(message: object): void {
    if (this.#child.connected) this.#child.send(message);
  }

  /** From `several`. */
  onMessage(listener: (message: object) => void): void {
    this.#child.on("message", listener);
  }

  async end(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (this.#hasExited) return;
    this.#child.kill(signal);
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_TIMEOUT_MS);
    await this.whileHeld(this.exited);
    clearTimeout(timer);
  }

  /** Every handle through which a running child keeps this process alive. */
  #handles(): readonly { ref(): unknown; unref(): unknown }[] {
    const { stdout, stderr, channel } = this.#child;
    // Pipes are sockets, although their type does not say so.
    const pipes = [stdout, stderr] as unknown as { ref(): unknown; unref(): unknown }[];
    return [this.#child, ...pipes, ...(channel ? [channel] : [])];
  }

  #keep(text: string): void {
    this.#output = (this.#output + text).slice(-KEPT_OUTPUT_CHARACTERS);
  }
}
