/** The simulated disk with faults that a schedule arms while the exchange runs on it. */
import type { Random } from "../support/random.ts";
import {
  type Fault,
  FaultyFileSystem,
  type Operation,
  type SimulatedDisk,
} from "../support/simulated-disk.ts";
import type { SimulatedTime } from "../support/simulated-machine.ts";

/** Strikes at the call with this number from now, of any operation or of one. */
export interface ArmedFault {
  readonly inCalls: number;
  readonly fault: Fault;
  readonly of: Operation | null;
}

/** Reads of small files happen all the time; they are not slowed down. */
const SLOW: ReadonlySet<Operation> = new Set(["sync", "write", "sync-folder", "rename"]);

export class ArmedFileSystem extends FaultyFileSystem {
  readonly #time: SimulatedTime;
  readonly #faults: FaultSwitch;
  readonly #random: Random;
  /** The longest that a call takes now. */
  slowestMs = 0;

  constructor(disk: SimulatedDisk, time: SimulatedTime, random: Random, onStop: () => void) {
    const faults = new FaultSwitch(onStop);
    super(disk, (operation) => faults.next(operation), random);
    this.#time = time;
    this.#faults = faults;
    this.#random = random;
  }

  arm(fault: ArmedFault | null): void {
    this.#faults.arm(fault);
  }

  /** Whether an armed error has struck in this life. */
  get hasFailed(): boolean {
    return this.#faults.hasFailed;
  }

  override async perform<Value>(
    operation: Operation,
    path: string,
    effect: () => Value,
    part: (fault: Fault) => void = () => undefined,
  ): Promise<Value> {
    if (this.slowestMs > 0 && SLOW.has(operation)) {
      const delayMs = this.#random.integer(0, this.slowestMs);
      await new Promise<void>((resolve) => {
        this.#time.after(delayMs, resolve);
      });
    }
    return await super.perform(operation, path, effect, part);
  }
}

class FaultSwitch {
  readonly #onStop: () => void;
  #armed: ArmedFault | null = null;
  #calls = 0;
  hasFailed = false;

  constructor(onStop: () => void) {
    this.#onStop = onStop;
  }

  arm(fault: ArmedFault | null): void {
    this.#armed = fault;
    this.#calls = 0;
  }

  next(operation: Operation): Fault | null {
    const armed = this.#armed;
    if (armed === null || (armed.of !== null && armed.of !== operation)) return null;
    if (this.#calls++ < armed.inCalls) return null;
    this.#armed = null;
    if (armed.fault.kind === "stop") this.#onStop();
    else this.hasFailed = true;
    return armed.fault;
  }
}
