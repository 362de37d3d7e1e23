/** A process in which several test exchanges run. */
import { ExchangeNotStarted, ExchangeRun, type ReadyLine, type Run } from "./exchange-run.ts";

/** What the process answers to a message, by its id. */
type Reply = { readonly id: number } & (
  | { readonly ready: ReadyLine }
  | { readonly stopped: true }
  | { readonly failure: string }
);

interface Started {
  readonly run: Run;
  readonly ready: ReadyLine;
}

export class SharedProcess {
  readonly #env: Readonly<Record<string, string>>;
  #process: ExchangeRun;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  readonly #running = new Set<number>();
  #ids = 0;

  constructor(env: Readonly<Record<string, string>>) {
    this.#env = env;
    this.#process = this.#open();
  }

  #open(): ExchangeRun {
    const opened = new ExchangeRun("several", [], this.#env);
    opened.onMessage((message) => {
      const reply = message as Reply;
      this.#waiting.get(reply.id)?.(reply);
    });
    void opened.exited.then(({ code }) => {
      this.#running.clear();
      const failure = `the process ended with ${code}. It wrote:\n${opened.output}`;
      for (const [id, take] of this.#waiting) take({ id, failure });
    });
    return opened;
  }

  /** `flags` are those of `rialto start`. Rejects with `ExchangeNotStarted`. */
  async start(flags: readonly string[], timeoutMs: number): Promise<Started> {
    const id = ++this.#ids;
    // The last exchange of a process ends it.
    if (this.#process.hasExited) this.#process = this.#open();
    const timer = setTimeout(() => void this.#process.end("SIGKILL"), timeoutMs);
    const reply = await this.#call(id, { id, start: flags });
    clearTimeout(timer);
    if ("failure" in reply) {
      const { failure } = reply;
      throw new ExchangeNotStarted(`The exchange did not start: ${failure}`);
    }
    if (!("ready" in reply)) throw new Error("a start is answered by a ready line");
    this.#running.add(id);
    return { ready: reply.ready, run: this.#runOf(id) };
  }

  /** Ends what is left of it. */
  end(): Promise<void> {
    return this.#process.end("SIGTERM");
  }

  #runOf(id: number): Run {
    const shared = this.#process;
    return {
      pid: shared.pid,
      get output() {
        return shared.output;
      },
      end: (signal) => this.#end(id, signal),
    };
  }

  async #end(id: number, signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    if (!this.#running.has(id)) return;
    if (signal === "SIGKILL" && this.#running.size > 1) {
      throw new Error(
        `${this.#running.size} exchanges share this process: kill() would end all of them. ` +
          "Start an exchange that you want to kill with startExchange().",
      );
    }
    this.#running.delete(id);
    if (this.#running.size === 0) return await this.#process.end(signal);
    await this.#call(id, { id, stop: true });
  }

  #call(id: number, message: object): Promise<Reply> {
    const reply = new Promise<Reply>((resolve) => this.#waiting.set(id, resolve));
    this.#process.post(message);
    return this.#process.whileHeld(reply).finally(() => this.#waiting.delete(id));
  }
}
