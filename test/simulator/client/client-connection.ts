/** A connection of a client to the exchange, on which bytes are late, or lost without a word. */
import { Duplex } from "node:stream";
import type { SimulatedTime } from "../../support/simulated-machine.ts";

export class ClientConnection extends Duplex {
  readonly #inner: Duplex;
  readonly #time: SimulatedTime;
  /** What was sent last arrives then, and so many chunks have not arrived. */
  #lastMs = 0;
  #underway = 0;
  delayMs = 0;
  /** The client hears nothing any more, and is not told so. */
  isDeaf = false;
  /** Nothing that it sends arrives either. */
  isMute = false;

  constructor(inner: Duplex, time: SimulatedTime) {
    super();
    this.#inner = inner;
    this.#time = time;
    this.on("error", () => undefined);
    inner.on("data", (chunk: Buffer) => this.#hear(() => this.push(chunk)));
    inner.on("end", () => this.#hear(() => this.push(null)));
    // At once: the time of a machine that is off delays nothing.
    inner.once("close", () => {
      if (!this.isDeaf) this.destroy();
    });
  }

  #hear(run: () => void): void {
    this.#later(() => {
      if (!this.isDeaf && !this.destroyed) run();
    });
  }

  /** In the order in which it was sent. */
  #later(run: () => void): void {
    const { nowMs } = this.#time;
    this.#lastMs = Math.max(this.#lastMs, nowMs + this.delayMs);
    if (this.#lastMs <= nowMs && this.#underway === 0) {
      run();
      return;
    }
    this.#underway++;
    this.#time.after(this.#lastMs - nowMs, () => {
      this.#underway--;
      run();
    });
  }

  override _read(): void {
    // What comes is pushed.
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    this.#later(() => {
      if (!this.isMute && !this.#inner.destroyed) this.#inner.write(chunk);
    });
    done();
  }

  override _final(done: () => void): void {
    this.#later(() => {
      if (!this.isMute) this.#inner.end();
    });
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#inner.destroy();
    done(error);
  }
}

/** One that nobody takes, of which nobody is told. */
export function silentConnection(): Duplex {
  return new Duplex({ read: () => undefined, write: (_chunk, _, done) => done() });
}

/** One that nobody takes. */
export function refusedConnection(): Duplex {
  const connection = new Duplex({ read: () => undefined, write: (_chunk, _, done) => done() });
  connection.on("error", () => undefined);
  process.nextTick(() => connection.destroy(new Error("connection refused")));
  return connection;
}
