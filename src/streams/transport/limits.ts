/**
 * How much one address and one connection may ask for. An allowance refills evenly: "300 in 5
 * minutes" is at most 300 at once, then one a second. Addresses are counted over the gateways of
 * all threads.
 */
import { createTableMemory, RowCounts, SharedTable, TokenBuckets } from "../../limits/index.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const CONNECTIONS_PER_ADDRESS = 100;
export const CHANNELS_PER_CONNECTION = 100;
const ATTEMPTS = { count: 300, perMs: 5 * MINUTE_MS };
const OPERATIONS = { count: 240, perMs: HOUR_MS };
/** Messages of any kind: far more than a client needs. */
const MESSAGES = { count: 200, perMs: 10_000 };
/** For attempts that are not forgotten yet, and addresses with a connection. 1.25 MiB. */
const ADDRESS_ROWS = 2 ** 16;

interface Rate {
  readonly count: number;
  readonly perMs: number;
}

class Allowance {
  readonly #rate: Rate;
  #left: number;
  #atMs: number;

  constructor(rate: Rate, nowMs: number) {
    this.#rate = rate;
    this.#left = rate.count;
    this.#atMs = nowMs;
  }

  take(nowMs: number): boolean {
    const { count, perMs } = this.#rate;
    this.#left = Math.min(count, this.#left + ((nowMs - this.#atMs) * count) / perMs);
    this.#atMs = nowMs;
    if (this.#left < 1) return false;
    this.#left--;
    return true;
  }
}

/** Limits of one connection. */
export class ConnectionLimits {
  readonly #isOn: boolean;
  readonly #operations: Allowance;
  readonly #messages: Allowance;

  constructor(isOn: boolean, nowMs: number) {
    this.#isOn = isOn;
    this.#operations = new Allowance(OPERATIONS, nowMs);
    this.#messages = new Allowance(MESSAGES, nowMs);
  }

  takeMessage(nowMs: number): boolean {
    return !this.#isOn || this.#messages.take(nowMs);
  }

  takeOperation(nowMs: number): boolean {
    return !this.#isOn || this.#operations.take(nowMs);
  }

  hasRoomFor(channels: number): boolean {
    return !this.#isOn || channels <= CHANNELS_PER_CONNECTION;
  }
}

/** Memory for the `AddressLimits` of all gateways. */
export function createAddressMemory(hashKey: Uint8Array): SharedArrayBuffer {
  return createTableMemory(ADDRESS_ROWS, hashKey);
}

/** Limits of all addresses, over all gateways that have the same memory. */
export class AddressLimits {
  readonly #isOn: boolean;
  readonly #table: SharedTable;
  readonly #attempts: TokenBuckets;
  readonly #connections: RowCounts;

  constructor(isOn: boolean, memory: SharedArrayBuffer) {
    const { count, perMs } = ATTEMPTS;
    this.#isOn = isOn;
    this.#table = new SharedTable(memory);
    this.#attempts = new TokenBuckets(this.#table, "attempts", count, perMs / count);
    this.#connections = new RowCounts(this.#table, "connections");
  }

  /** A handshake, whatever its result. False refuses it. */
  takeAttempt(address: string, callerMs: number): boolean {
    if (!this.#isOn) return true;
    const { lock } = this.#table;
    this.#attempts.aim(address);
    lock.take();
    const nowMs = this.#table.latest(callerMs);
    const isTaken = this.#attempts.waitMs(1, nowMs) === 0;
    if (isTaken) this.#attempts.take(1, nowMs);
    const isWithin = isTaken && this.#connections.of(address) < CONNECTIONS_PER_ADDRESS;
    lock.give();
    return isWithin;
  }

  /** Takes a connection; false when the address has as many as it may. */
  open(address: string, callerMs: number): boolean {
    if (!this.#isOn) return true;
    const { lock } = this.#table;
    lock.take();
    const nowMs = this.#table.latest(callerMs);
    const isTaken = this.#connections.add(address, CONNECTIONS_PER_ADDRESS, nowMs);
    lock.give();
    return isTaken;
  }

  /** Gives back what `open` took. */
  closed(address: string): void {
    if (!this.#isOn) return;
    this.#table.lock.take();
    this.#connections.remove(address);
    this.#table.lock.give();
  }
}
