/**
 * How much one address and one connection may ask for. An allowance refills evenly: "300 in 5
 * minutes" is at most 300 at once, then one a second.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const CONNECTIONS_PER_ADDRESS = 100;
export const CHANNELS_PER_CONNECTION = 100;
const ATTEMPTS = { count: 300, perMs: 5 * MINUTE_MS };
const OPERATIONS = { count: 240, perMs: HOUR_MS };
/** Messages of any kind: far more than a client needs. */
const MESSAGES = { count: 200, perMs: 10_000 };
/** Addresses that are remembered; beyond, those without a connection are forgotten. */
const ADDRESSES_MAX = 20_000;

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

interface Address {
  readonly attempts: Allowance;
  connections: number;
}

/** Limits of all addresses. */
export class AddressLimits {
  readonly #isOn: boolean;
  readonly #addresses = new Map<string, Address>();

  constructor(isOn: boolean) {
    this.#isOn = isOn;
  }

  /** A handshake, whatever its result. */
  takeAttempt(address: string, nowMs: number): boolean {
    if (!this.#isOn) return true;
    const known = this.#find(address, nowMs);
    return known.attempts.take(nowMs) && known.connections < CONNECTIONS_PER_ADDRESS;
  }

  opened(address: string, nowMs: number): void {
    if (this.#isOn) this.#find(address, nowMs).connections++;
  }

  closed(address: string): void {
    const known = this.#addresses.get(address);
    if (known !== undefined) known.connections--;
  }

  #find(address: string, nowMs: number): Address {
    let known = this.#addresses.get(address);
    if (known === undefined) {
      if (this.#addresses.size >= ADDRESSES_MAX) this.#forget();
      known = { attempts: new Allowance(ATTEMPTS, nowMs), connections: 0 };
      this.#addresses.set(address, known);
    }
    return known;
  }

  #forget(): void {
    for (const [address, { connections }] of this.#addresses) {
      if (connections === 0) this.#addresses.delete(address);
    }
  }
}
