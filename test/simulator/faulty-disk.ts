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

/** Bytes of a file that are not what was written. */
export interface Damage {
  readonly file: string;
  readonly at: number;
  readonly was: Uint8Array;
  readonly is: Uint8Array;
}

/** A write that landed at the wrong place of its file. */
export interface Misdirected {
  readonly path: string;
  readonly position: number;
  readonly bytes: Uint8Array;
  readonly landedAt: number;
  /** What was there. */
  readonly before: Uint8Array;
}

const SECTOR_BYTES = 512;
const SEGMENT = /\/journal\/.*\.segment$/;
const RING = /\/journal\/header\.ring$/;

export class ArmedFileSystem extends FaultyFileSystem {
  readonly #time: SimulatedTime;
  readonly #faults: FaultSwitch;
  readonly #random: Random;
  /** The longest that a call takes now. */
  slowestMs = 0;
  /** Syncs that say they were done, and were not. */
  lies = false;
  /** Syncs that never come back. */
  isStuck = false;
  /** Whether somebody waits for such a sync, and always will. */
  hasStuck = false;
  /** The read from now that gives a wrong bit, once. */
  rotsInReads: number | null = null;
  /** The write to a segment from now that lands elsewhere, once. */
  misdirectsInWrites: number | null = null;
  misdirected: Misdirected | null = null;
  /** A part of an entry: nobody can tell it from a damaged one, which may have been whole. */
  brokenEntry: Damage | null = null;
  #hasMisread = false;

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
    return this.#faults.hasFailed || this.#hasMisread || this.misdirected !== null;
  }

  override get isLying(): boolean {
    return this.lies;
  }

  override onRead(_path: string, bytes: Uint8Array): void {
    if (this.rotsInReads === null || bytes.length === 0 || this.rotsInReads-- > 0) return;
    this.rotsInReads = null;
    this.#hasMisread = true;
    flipBit(bytes, this.#random);
  }

  override onPart(path: string, position: number, part: Uint8Array): void {
    if (!RING.test(path)) return;
    const was = this.disk.file(path)?.slice(position, position + part.length) ?? new Uint8Array(0);
    this.brokenEntry = { file: path, at: position, was, is: new Uint8Array(part) };
  }

  override landingOf(path: string, position: number, bytes: Uint8Array): number {
    const sectors = Math.floor((position - bytes.length) / SECTOR_BYTES);
    const left = this.misdirectsInWrites;
    if (left === null || !SEGMENT.test(path) || sectors <= 0) return position;
    this.misdirectsInWrites = left === 0 ? null : left - 1;
    if (left > 0) return position;
    const landedAt = this.#random.integer(0, sectors) * SECTOR_BYTES;
    const file = this.disk.file(path) ?? new Uint8Array(0);
    const before = file.slice(landedAt, landedAt + bytes.length);
    this.misdirected = { path, position, bytes: new Uint8Array(bytes), landedAt, before };
    return landedAt;
  }

  override async perform<Value>(
    operation: Operation,
    path: string,
    effect: () => Value,
    part: (fault: Fault) => void = () => undefined,
  ): Promise<Value> {
    if (this.isStuck && operation === "sync") {
      this.hasStuck = true;
      return new Promise(() => undefined);
    }
    if (this.slowestMs > 0 && SLOW.has(operation)) {
      const delayMs = this.#random.integer(0, this.slowestMs);
      await new Promise<void>((resolve) => {
        this.#time.after(delayMs, resolve);
      });
    }
    return await super.perform(operation, path, effect, part);
  }
}

export function flipBit(bytes: Uint8Array, random: Random): void {
  const at = random.integer(0, bytes.length - 1);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.integer(0, 7));
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
