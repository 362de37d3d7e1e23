/**
 * The machine on which a client runs: its clock and timers go on over the lives of the exchange,
 * and stand still while that one is off.
 */
import type { ClientRuntime } from "../../../src/client/index.ts";
import type { Timer } from "../../../src/platform/index.ts";
import type { Random } from "../../support/random.ts";
import type { MachineLife } from "../machine-life.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";

interface Waiting {
  readonly atMs: number;
  readonly run: () => void;
  readonly isOfClient: boolean;
  armed: Timer | null;
}

export class ClientMachine implements ClientRuntime {
  readonly #exchange: SimulatedExchange;
  readonly #random: Random;
  readonly #waiting = new Set<Waiting>();
  #life: MachineLife;
  /** In earlier lives. */
  #passedMs = 0;
  /** How far its wall clock is ahead of the world's. */
  skewMs = 0;
  /** The last random bytes, of which an id was made. */
  lastBytes: Uint8Array = new Uint8Array(0);

  constructor(exchange: SimulatedExchange, random: Random) {
    this.#exchange = exchange;
    this.#random = random;
    this.#life = exchange.life;
  }

  /** Timers of the client that were neither due nor cancelled. */
  get timers(): number {
    return [...this.#waiting].filter(({ isOfClient }) => isOfClient).length;
  }

  /** The exchange has started again. */
  goOn(): void {
    const { life } = this.#exchange;
    if (life === this.#life) return;
    this.#passedMs += this.#life.time.nowMs;
    this.#life = life;
    for (const waiting of this.#waiting) this.#arm(waiting);
  }

  nowMs(): number {
    return Math.floor(this.#exchange.worldMs) + this.skewMs;
  }

  monotonicMs(): number {
    return this.#passedMs + this.#life.time.nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    return this.#wait(delayMs, run, true);
  }

  /** For what its system does by itself, which the client knows nothing of. */
  bySystemAfter(delayMs: number, run: () => void): void {
    this.#wait(delayMs, run, false);
  }

  #wait(delayMs: number, run: () => void, isOfClient: boolean): () => void {
    const atMs = this.monotonicMs() + delayMs;
    const waiting: Waiting = { atMs, run, isOfClient, armed: null };
    this.#waiting.add(waiting);
    this.#arm(waiting);
    return () => {
      waiting.armed?.cancel();
      this.#waiting.delete(waiting);
    };
  }

  #arm(waiting: Waiting): void {
    waiting.armed = this.#life.time.after(waiting.atMs - this.monotonicMs(), () => {
      this.#waiting.delete(waiting);
      waiting.run();
    });
  }

  randomBytes(count: number): Uint8Array {
    this.lastBytes = Uint8Array.from({ length: count }, () => this.#random.integer(0, 255));
    return this.lastBytes;
  }
}

export async function inTurns(turns: number): Promise<void> {
  for (let left = turns; left > 0; left--) await new Promise<void>((done) => setImmediate(done));
}
