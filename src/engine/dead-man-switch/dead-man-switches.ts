/**
 * Countdowns of accounts at whose end open orders are cancelled: of one product, in one market or
 * in all. They are in a heap in the order in which they fire: time, then product, user and market.
 */
import { PRODUCTS, type Product } from "../../domain/index.ts";
import { NONE } from "../matching/slot.ts";

/** No time at all: nothing counts down. */
const NEVER_MS = Number.POSITIVE_INFINITY;

export interface DeadManSwitch {
  readonly uid: number;
  readonly product: Product;
  /** Null for every market. */
  readonly symbol: string | null;
  countdownMs: number;
  firesAtMs: number;
  /** It has fired, but a halted market kept orders: it fires again when a market resumes. */
  isHeld: boolean;
  /** Its place in the heap; `NONE` while it is held. */
  place: number;
}

export class DeadManSwitches {
  readonly #byUser = new Map<number, Map<string, DeadManSwitch>>();
  readonly #heap: DeadManSwitch[] = [];
  readonly #held = new Set<DeadManSwitch>();
  /** When the last one fired in the middle of timers that were cut; 0 outside of that. */
  firedAtMs = 0;

  /** When the next one fires; infinite when none counts down. */
  get dueMs(): number {
    return this.#heap[0]?.firesAtMs ?? NEVER_MS;
  }

  /** The next one to fire, or null. */
  get next(): DeadManSwitch | null {
    return this.#heap[0] ?? null;
  }

  find(uid: number, product: Product, symbol: string | null): DeadManSwitch | null {
    return this.#byUser.get(uid)?.get(keyOf(product, symbol)) ?? null;
  }

  /** Those of a user and product: the one of every market first, then by symbol. */
  of(uid: number, product: Product): DeadManSwitch[] {
    const own = [...(this.#byUser.get(uid)?.values() ?? [])];
    return own.filter((one) => one.product === product).sort(compareScopes);
  }

  /** All of them, by user, product and market. */
  *all(): Generator<DeadManSwitch> {
    const uids = [...this.#byUser.keys()].sort((one, other) => one - other);
    for (const uid of uids) for (const product of PRODUCTS) yield* this.of(uid, product);
  }

  /** Starts a countdown, or starts it again. */
  set(terms: Omit<DeadManSwitch, "place">): void {
    this.remove(terms.uid, terms.product, terms.symbol);
    const added = { ...terms, place: NONE };
    let own = this.#byUser.get(terms.uid);
    if (own === undefined) {
      own = new Map();
      this.#byUser.set(terms.uid, own);
    }
    own.set(keyOf(terms.product, terms.symbol), added);
    if (terms.isHeld) this.#held.add(added);
    else this.#push(added);
  }

  remove(uid: number, product: Product, symbol: string | null): void {
    const own = this.#byUser.get(uid);
    const key = keyOf(product, symbol);
    const known = own?.get(key);
    if (own === undefined || known === undefined) return;
    own.delete(key);
    if (own.size === 0) this.#byUser.delete(uid);
    this.#held.delete(known);
    this.#takeOut(known);
  }

  /** It fired, and has to fire again. */
  hold(fired: DeadManSwitch): void {
    this.#takeOut(fired);
    fired.isHeld = true;
    this.#held.add(fired);
  }

  /** A halted market resumes: what was held is due now. */
  releaseHeld(nowMs: number): void {
    for (const held of this.#held) {
      held.isHeld = false;
      held.firesAtMs = nowMs;
      this.#push(held);
    }
    this.#held.clear();
  }

  /** What was due while the exchange was down is due now. */
  postponeTo(nowMs: number): void {
    for (let due = this.next; due !== null && due.firesAtMs < nowMs; due = this.next) {
      this.#takeOut(due);
      due.firesAtMs = nowMs;
      this.#push(due);
    }
  }

  #push(added: DeadManSwitch): void {
    this.#heap.push(added);
    this.#rise(this.#heap.length - 1, added);
  }

  #takeOut(gone: DeadManSwitch): void {
    const { place } = gone;
    if (place === NONE) return;
    gone.place = NONE;
    const last = this.#heap.pop() as DeadManSwitch;
    if (last === gone) return;
    this.#rise(place, last);
    this.#sink(last.place, last);
  }

  #rise(from: number, rising: DeadManSwitch): void {
    let place = from;
    while (place > 0) {
      const above = this.#heap[(place - 1) >> 1] as DeadManSwitch;
      if (compare(above, rising) <= 0) break;
      this.#put(place, above);
      place = (place - 1) >> 1;
    }
    this.#put(place, rising);
  }

  #sink(from: number, sinking: DeadManSwitch): void {
    let place = from;
    for (;;) {
      let child = 2 * place + 1;
      const left = this.#heap[child];
      if (left === undefined) break;
      const right = this.#heap[child + 1];
      if (right !== undefined && compare(right, left) < 0) child++;
      const below = this.#heap[child] as DeadManSwitch;
      if (compare(sinking, below) <= 0) break;
      this.#put(place, below);
      place = child;
    }
    this.#put(place, sinking);
  }

  #put(place: number, one: DeadManSwitch): void {
    this.#heap[place] = one;
    one.place = place;
  }
}

function keyOf(product: Product, symbol: string | null): string {
  return `${product} ${symbol ?? ""}`;
}

/** The order in which switches fire. */
function compare(one: DeadManSwitch, other: DeadManSwitch): number {
  return (
    one.firesAtMs - other.firesAtMs ||
    PRODUCTS.indexOf(one.product) - PRODUCTS.indexOf(other.product) ||
    one.uid - other.uid ||
    compareScopes(one, other)
  );
}

/** Every market is "", which comes before any symbol. */
function compareScopes(one: DeadManSwitch, other: DeadManSwitch): number {
  const [a, b] = [one.symbol ?? "", other.symbol ?? ""];
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
