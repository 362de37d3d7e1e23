/**
 * Remembers the client order ids of every account: those of open orders, and those of ended ones
 * for a while, so that a repeated request gets its first answer again. Entries are places in one
 * typed array, all of an entry side by side, so that reaching one at random reads few cache lines;
 * ended ones also stand in two lists, of all and of their account, in the order in which they
 * ended.
 */
import { invariant } from "../../domain/index.ts";
import { ClientOrderKey, type HashKey, textOfWords, WORDS_PER_ID } from "./client-order-key.ts";
import { NONE } from "./slot.ts";

export interface ClientOrderIndexOptions {
  /** How long after its end an order's id is remembered. */
  readonly retentionMs?: number;
  /** Ended orders remembered per account; the oldest go first. */
  readonly endedPerAccountMax?: number;
  /** Ended orders remembered in all; the oldest go first. */
  readonly endedMax?: number;
  /** Entries that fit before the entries grow for the first time. */
  readonly capacity?: number;
}

const RETENTION_MS = 86_400_000;
const ENDED_PER_ACCOUNT_MAX = 100_000;
const ENDED_MAX = 5_000_000;
const CAPACITY_DEFAULT = 1024;
/**
 * An order ends once and makes at least one call of `evict`, so any number above one catches up.
 */
const EVICTIONS_PER_CALL = 64;
const OPEN = -1;

/**
 * An entry is `NUMBERS` doubles in a row. The first ones are read as doubles; the rest of the row
 * as `INTEGERS` 32-bit integers per row, through a second view of the same bytes.
 */
const ORDER_ID = 0;
const CREATED_MS = 1;
const ENDED_MS = 2;
const HASH = 6;
/** Index of the account; a free entry has none, and its `NEWER` is the next free entry. */
const ACCOUNT = 7;
const FINGERPRINT_HIGH = 8;
const FINGERPRINT_LOW = 9;
/** Neighbours among all ended entries, and among those of the same account. */
const OLDER = 10;
const NEWER = 11;
const OWN_OLDER = 12;
const OWN_NEWER = 13;
const WORDS = 14;
const INTEGERS = WORDS + WORDS_PER_ID;
const NUMBERS = INTEGERS / 2;

class Account {
  readonly uid: number;
  readonly index: number;
  entryCount = 0;
  endedCount = 0;
  oldestEnded = NONE;
  newestEnded = NONE;

  constructor(uid: number, index: number) {
    this.uid = uid;
    this.index = index;
  }
}

export class ClientOrderIndex {
  readonly #retentionMs: number;
  readonly #endedPerAccountMax: number;
  readonly #endedMax: number;
  readonly #key: ClientOrderKey;

  #numbers: Float64Array;
  #integers: Int32Array;
  #capacity: number;
  #used = 0;
  #firstFree = NONE;
  #size = 0;
  #endedCount = 0;
  #oldestEnded = NONE;
  #newestEnded = NONE;

  /** Open addressing with linear probing, at most half full. */
  #table: Int32Array;

  readonly #accounts = new Map<number, Account>();
  readonly #accountsByIndex: Account[] = [];
  readonly #freeAccountIndexes: number[] = [];

  /** `hashKey` is not known to clients; it has no influence on any result. */
  constructor(hashKey: HashKey, options: ClientOrderIndexOptions = {}) {
    this.#retentionMs = options.retentionMs ?? RETENTION_MS;
    this.#endedPerAccountMax = options.endedPerAccountMax ?? ENDED_PER_ACCOUNT_MAX;
    this.#endedMax = options.endedMax ?? ENDED_MAX;
    this.#key = new ClientOrderKey(hashKey);
    const capacity = options.capacity ?? CAPACITY_DEFAULT;
    invariant(Number.isSafeInteger(capacity) && capacity > 0, "an index has at least one entry");
    this.#capacity = capacity;
    this.#numbers = new Float64Array(capacity * NUMBERS);
    this.#integers = new Int32Array(this.#numbers.buffer);
    this.#table = emptyTable(capacity);
  }

  /** Entries of open and ended orders, also of ended ones that are too old but not dropped yet. */
  get size(): number {
    return this.#size;
  }

  get endedCount(): number {
    return this.#endedCount;
  }

  get openCount(): number {
    return this.#size - this.#endedCount;
  }

  /** Bytes of the entries and of the hash table. */
  get byteLength(): number {
    return this.#numbers.byteLength + this.#table.byteLength;
  }

  /**
   * The entry of an account's client order id, or `NONE`. An order that ended more than the
   * retention before `nowMs` is not found, whether or not it was dropped yet.
   */
  find(uid: number, clientOrderId: string, nowMs: number): number {
    const entry = this.#lookUp(uid, clientOrderId);
    return entry === NONE || this.#isExpired(entry, nowMs) ? NONE : entry;
  }

  /**
   * Remembers the id of a new open order. `find` at `createdMs` must not know it: that is the
   * caller's check. The fingerprint is two unsigned 32-bit numbers.
   */
  add(
    uid: number,
    clientOrderId: string,
    orderId: number,
    fingerprintHigh: number,
    fingerprintLow: number,
    createdMs: number,
  ): number {
    const former = this.#lookUp(uid, clientOrderId);
    if (former !== NONE) {
      invariant(this.#isExpired(former, createdMs), "a client order id is remembered once");
      this.forget(former);
    }
    invariant(this.#key.read(uid, clientOrderId), "a client order id is 1 to 40 ASCII characters");
    const account = this.#obtainAccount(uid);
    account.entryCount++;
    const entry = this.#takeEntry();
    const numbers = this.#numbers;
    const integers = this.#integers;
    numbers[entry * NUMBERS + ORDER_ID] = orderId;
    numbers[entry * NUMBERS + CREATED_MS] = createdMs;
    numbers[entry * NUMBERS + ENDED_MS] = OPEN;
    const first = entry * INTEGERS;
    integers[first + HASH] = this.#key.hash;
    integers[first + ACCOUNT] = account.index;
    integers[first + FINGERPRINT_HIGH] = fingerprintHigh;
    integers[first + FINGERPRINT_LOW] = fingerprintLow;
    const { words } = this.#key;
    for (let i = 0; i < WORDS_PER_ID; i++) integers[first + WORDS + i] = words[i] as number;
    this.#size++;
    if (this.#size * 2 > this.#table.length) this.#growTable();
    else this.#place(entry);
    return entry;
  }

  /**
   * The order has ended: its entry is remembered for the retention from now on, unless newer ones
   * displace it. `endedMs` never goes back.
   */
  markEnded(entry: number, endedMs: number): void {
    invariant(this.#isOpen(entry), "an order ends once");
    const account = this.#accountOf(entry);
    const newest = this.#newestEnded;
    invariant(newest === NONE || this.endedMs(newest) <= endedMs, "time goes forward");
    this.#numbers[entry * NUMBERS + ENDED_MS] = endedMs;
    this.#set(entry, OLDER, newest);
    this.#set(entry, NEWER, NONE);
    if (newest === NONE) this.#oldestEnded = entry;
    else this.#set(newest, NEWER, entry);
    this.#newestEnded = entry;
    const ownNewest = account.newestEnded;
    this.#set(entry, OWN_OLDER, ownNewest);
    this.#set(entry, OWN_NEWER, NONE);
    if (ownNewest === NONE) account.oldestEnded = entry;
    else this.#set(ownNewest, OWN_NEWER, entry);
    account.newestEnded = entry;
    this.#endedCount++;
    account.endedCount++;
    if (account.endedCount > this.#endedPerAccountMax) this.forget(account.oldestEnded);
    if (this.#endedCount > this.#endedMax) this.forget(this.#oldestEnded);
  }

  /** Drops an entry, open or ended: its client order id is free again. */
  forget(entry: number): void {
    const account = this.#accountOf(entry);
    this.#removeFromTable(entry);
    if (this.endedMs(entry) !== OPEN) this.#unlinkEnded(entry, account);
    account.entryCount--;
    if (account.entryCount === 0) this.#releaseAccount(account);
    this.#set(entry, ACCOUNT, NONE);
    this.#set(entry, NEWER, this.#firstFree);
    this.#firstFree = entry;
    this.#size--;
  }

  /**
   * Drops ended entries that are older than the retention, oldest first and a bounded number a
   * call. Called once per new order it always catches up. Returns how many it dropped.
   */
  evict(nowMs: number): number {
    let dropped = 0;
    while (dropped < EVICTIONS_PER_CALL) {
      const oldest = this.#oldestEnded;
      if (oldest === NONE || !this.#isExpired(oldest, nowMs)) break;
      this.forget(oldest);
      dropped++;
    }
    return dropped;
  }

  uid(entry: number): number {
    return this.#accountOf(entry).uid;
  }

  clientOrderId(entry: number): string {
    return textOfWords(this.#integers, entry * INTEGERS + WORDS);
  }

  orderId(entry: number): number {
    return this.#numbers[entry * NUMBERS + ORDER_ID] as number;
  }

  fingerprintHigh(entry: number): number {
    return this.#get(entry, FINGERPRINT_HIGH) >>> 0;
  }

  fingerprintLow(entry: number): number {
    return this.#get(entry, FINGERPRINT_LOW) >>> 0;
  }

  createdMs(entry: number): number {
    return this.#numbers[entry * NUMBERS + CREATED_MS] as number;
  }

  /** -1 while the order is open. */
  endedMs(entry: number): number {
    return this.#numbers[entry * NUMBERS + ENDED_MS] as number;
  }

  /**
   * The entries of open orders by ascending order id, whatever their history. With `endedEntries`
   * this is a snapshot; `add`, and for the ended ones `markEnded`, in the same order rebuild the
   * index.
   */
  openEntries(): Int32Array {
    const entries = new Int32Array(this.openCount);
    let count = 0;
    for (let entry = 0; entry < this.#used; entry++) {
      if (this.#isOpen(entry)) entries[count++] = entry;
    }
    return entries.sort((a, b) => this.orderId(a) - this.orderId(b));
  }

  /**
   * The entries of ended orders in the order in which they ended. The index must not change
   * meanwhile.
   */
  *endedEntries(): Generator<number, void> {
    let entry = this.#oldestEnded;
    while (entry !== NONE) {
      yield entry;
      entry = this.#get(entry, NEWER);
    }
  }

  #isOpen(entry: number): boolean {
    return this.#get(entry, ACCOUNT) !== NONE && this.endedMs(entry) === OPEN;
  }

  #isExpired(entry: number, nowMs: number): boolean {
    const endedMs = this.endedMs(entry);
    return endedMs !== OPEN && nowMs - endedMs > this.#retentionMs;
  }

  #accountOf(entry: number): Account {
    const account = this.#accountsByIndex[this.#get(entry, ACCOUNT)];
    invariant(account !== undefined, "only an entry in use has an account");
    return account;
  }

  #obtainAccount(uid: number): Account {
    const known = this.#accounts.get(uid);
    if (known !== undefined) return known;
    const index = this.#freeAccountIndexes.pop() ?? this.#accountsByIndex.length;
    const account = new Account(uid, index);
    this.#accountsByIndex[index] = account;
    this.#accounts.set(uid, account);
    return account;
  }

  #releaseAccount(account: Account): void {
    this.#accounts.delete(account.uid);
    this.#freeAccountIndexes.push(account.index);
  }

  #unlinkEnded(entry: number, account: Account): void {
    const older = this.#get(entry, OLDER);
    const newer = this.#get(entry, NEWER);
    if (older === NONE) this.#oldestEnded = newer;
    else this.#set(older, NEWER, newer);
    if (newer === NONE) this.#newestEnded = older;
    else this.#set(newer, OLDER, older);
    const ownOlder = this.#get(entry, OWN_OLDER);
    const ownNewer = this.#get(entry, OWN_NEWER);
    if (ownOlder === NONE) account.oldestEnded = ownNewer;
    else this.#set(ownOlder, OWN_NEWER, ownNewer);
    if (ownNewer === NONE) account.newestEnded = ownOlder;
    else this.#set(ownNewer, OWN_OLDER, ownOlder);
    this.#endedCount--;
    account.endedCount--;
  }

  /** The entry of a key, also when it is expired. */
  #lookUp(uid: number, clientOrderId: string): number {
    const account = this.#accounts.get(uid);
    if (account === undefined || !this.#key.read(uid, clientOrderId)) return NONE;
    const table = this.#table;
    const mask = table.length - 1;
    const hash = this.#key.hash;
    let at = hash & mask;
    for (;;) {
      const entry = table[at] as number;
      if (entry === NONE) return NONE;
      if (
        this.#get(entry, HASH) === hash &&
        this.#get(entry, ACCOUNT) === account.index &&
        this.#hasWords(entry, this.#key.words)
      ) {
        return entry;
      }
      at = (at + 1) & mask;
    }
  }

  #hasWords(entry: number, words: Int32Array): boolean {
    const integers = this.#integers;
    const start = entry * INTEGERS + WORDS;
    for (let i = 0; i < WORDS_PER_ID; i++) {
      if (integers[start + i] !== words[i]) return false;
    }
    return true;
  }

  #place(entry: number): void {
    const table = this.#table;
    const mask = table.length - 1;
    let at = this.#get(entry, HASH) & mask;
    while (table[at] !== NONE) at = (at + 1) & mask;
    table[at] = entry;
  }

  /** Later members of the run move back into the gap, so that nothing is left behind. */
  #removeFromTable(entry: number): void {
    const table = this.#table;
    const mask = table.length - 1;
    let gap = this.#get(entry, HASH) & mask;
    while (table[gap] !== entry) {
      invariant(table[gap] !== NONE, "an entry in use stands in the table");
      gap = (gap + 1) & mask;
    }
    for (let at = (gap + 1) & mask; table[at] !== NONE; at = (at + 1) & mask) {
      const candidate = table[at] as number;
      const home = this.#get(candidate, HASH) & mask;
      // A member may move back to the gap only when that is not before its home.
      if (((at - home) & mask) < ((at - gap) & mask)) continue;
      table[gap] = candidate;
      gap = at;
    }
    table[gap] = NONE;
  }

  /** Also places the newest entry, whose hash is known but which stands in no table yet. */
  #growTable(): void {
    this.#table = emptyTable(this.#table.length);
    for (let entry = 0; entry < this.#used; entry++) {
      if (this.#get(entry, ACCOUNT) !== NONE) this.#place(entry);
    }
  }

  #takeEntry(): number {
    const free = this.#firstFree;
    if (free !== NONE) {
      this.#firstFree = this.#get(free, NEWER);
      return free;
    }
    if (this.#used === this.#capacity) this.#grow();
    return this.#used++;
  }

  #get(entry: number, field: number): number {
    return this.#integers[entry * INTEGERS + field] as number;
  }

  #set(entry: number, field: number, value: number): void {
    this.#integers[entry * INTEGERS + field] = value;
  }

  #grow(): void {
    this.#capacity *= 2;
    const grown = new Float64Array(this.#capacity * NUMBERS);
    // The integers in between are not numbers: only their bytes may be copied.
    new Int32Array(grown.buffer).set(this.#integers);
    this.#numbers = grown;
    this.#integers = new Int32Array(grown.buffer);
  }
}

/** The least power of two that is not below `count`. */
function powerOfTwoAbove(count: number): number {
  return 2 ** (32 - Math.clz32(count - 1));
}

/** A table for `entries` entries, less than half full with them. */
function emptyTable(entries: number): Int32Array {
  return new Int32Array(powerOfTwoAbove(2 * entries)).fill(NONE);
}
