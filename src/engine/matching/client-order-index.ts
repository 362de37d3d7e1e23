/**
 * Remembers client order ids by account: those of open orders, and those of ended ones for a while,
 * so that a retry gets its first answer. An entry is one place in a typed array with all its fields
 * side by side, so that a random access reads few cache lines. Ended entries are also in two lists
 * by the order of their end: one of all, one of their account.
 */
import { invariant } from "../../domain/index.ts";
import { ClientOrderKey, type HashKey, textOfWords, WORDS_PER_ID } from "./client-order-key.ts";
import { GrowingRows } from "./growing-rows.ts";
import { NONE } from "./slot.ts";
import { type SlotKeys, SlotTable } from "./slot-table.ts";

export interface ClientOrderIndexOptions {
  /** How long after its end an order's id is remembered. */
  readonly retentionMs?: number;
  /** Ended orders remembered per account; the oldest go first. */
  readonly endedPerAccountMax?: number;
  /** Ended orders remembered in all; the oldest go first. */
  readonly endedMax?: number;
}

const RETENTION_MS = 86_400_000;
const ENDED_PER_ACCOUNT_MAX = 100_000;
const ENDED_MAX = 5_000_000;
/**
 * An order ends once and makes at least one call of `evict`, so any number above one catches up.
 */
const EVICTIONS_PER_CALL = 64;
const OPEN = -1;

/**
 * An entry is a row of doubles. The first three are used as doubles, the others as integers.
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

export class ClientOrderIndex implements SlotKeys {
  readonly #retentionMs: number;
  readonly #endedPerAccountMax: number;
  readonly #endedMax: number;
  readonly #key: ClientOrderKey;

  readonly #rows = new GrowingRows(NUMBERS);
  readonly #table = new SlotTable(this);
  #firstFree = NONE;
  #size = 0;
  #endedCount = 0;
  #oldestEnded = NONE;
  #newestEnded = NONE;

  /** The key of the search: the words of `#key`, of this account. */
  #soughtAccount = NONE;
  /** The last search of `find` and its entry or `NONE`; the uid is `NONE` when there is none. */
  #lastUid = NONE;
  #lastId = "";
  #lastEntry = NONE;

  readonly #accounts = new Map<number, Account>();
  readonly #accountsByIndex: Account[] = [];
  readonly #freeAccountIndexes: number[] = [];

  /** `hashKey` is not known to clients; it has no influence on any result. */
  constructor(hashKey: HashKey, options: ClientOrderIndexOptions = {}) {
    this.#retentionMs = options.retentionMs ?? RETENTION_MS;
    this.#endedPerAccountMax = options.endedPerAccountMax ?? ENDED_PER_ACCOUNT_MAX;
    this.#endedMax = options.endedMax ?? ENDED_MAX;
    this.#key = new ClientOrderKey(hashKey);
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
    return this.#rows.byteLength + this.#table.byteLength;
  }

  /**
   * The entry of an account's client order id, or `NONE`. An order that ended more than the
   * retention before `nowMs` is not found, whether or not it was dropped yet.
   */
  find(uid: number, clientOrderId: string, nowMs: number): number {
    const entry = this.#lookUp(uid, clientOrderId);
    this.#lastUid = uid;
    this.#lastId = clientOrderId;
    this.#lastEntry = entry;
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
    // The caller has just searched: a miss is not searched again.
    const isAbsent =
      this.#lastEntry === NONE && uid === this.#lastUid && clientOrderId === this.#lastId;
    if (!isAbsent) {
      const former = this.#lookUp(uid, clientOrderId);
      if (former !== NONE) {
        invariant(this.#isExpired(former, createdMs), "a client order id is remembered once");
        this.forget(former);
      }
    }
    invariant(this.#key.isWellFormed, "a client order id is 1 to 40 ASCII characters");
    const account = this.#obtainAccount(uid);
    account.entryCount++;
    const entry = this.#takeEntry();
    const rows = this.#rows;
    const { numbers, integers } = rows;
    const firstNumber = entry * NUMBERS;
    numbers[firstNumber + ORDER_ID] = orderId;
    numbers[firstNumber + CREATED_MS] = createdMs;
    numbers[firstNumber + ENDED_MS] = OPEN;
    const first = entry * INTEGERS;
    integers[first + HASH] = this.#key.hash;
    integers[first + ACCOUNT] = account.index;
    integers[first + FINGERPRINT_HIGH] = fingerprintHigh;
    integers[first + FINGERPRINT_LOW] = fingerprintLow;
    const { words } = this.#key;
    for (let i = 0; i < WORDS_PER_ID; i++) integers[first + WORDS + i] = words[i] as number;
    rows.written(entry);
    this.#size++;
    this.#table.insert(entry, this.#key.hash);
    // What comes to rest is told with its id, which need not be made of words again.
    this.#lastUid = uid;
    this.#lastId = clientOrderId;
    this.#lastEntry = entry;
    return entry;
  }

  /**
   * The order has ended: its entry is remembered for the retention time, unless newer ones displace
   * it. `endedMs` never decreases.
   */
  markEnded(entry: number, endedMs: number): void {
    invariant(this.#isOpen(entry), "an order ends once");
    const account = this.#accountOf(entry);
    const newest = this.#newestEnded;
    invariant(newest === NONE || this.endedMs(newest) <= endedMs, "time goes forward");
    this.#rows.setNumber(entry, ENDED_MS, endedMs);
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
    if (entry === this.#lastEntry) this.#lastUid = NONE;
    this.#table.remove(entry, this.#get(entry, HASH));
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
    // A cancel by client id has just searched for it.
    if (entry === this.#lastEntry && this.#lastUid !== NONE) return this.#lastId;
    return textOfWords(this.#rows.integers, entry * INTEGERS + WORDS);
  }

  orderId(entry: number): number {
    return this.#rows.numbers[entry * NUMBERS + ORDER_ID] as number;
  }

  fingerprintHigh(entry: number): number {
    return this.#get(entry, FINGERPRINT_HIGH) >>> 0;
  }

  fingerprintLow(entry: number): number {
    return this.#get(entry, FINGERPRINT_LOW) >>> 0;
  }

  createdMs(entry: number): number {
    return this.#rows.numbers[entry * NUMBERS + CREATED_MS] as number;
  }

  /** -1 while the order is open. */
  endedMs(entry: number): number {
    return this.#rows.numbers[entry * NUMBERS + ENDED_MS] as number;
  }

  /**
   * The entries of open orders by ascending order id, whatever their history. With `endedEntries`
   * this is a snapshot; `add`, and for the ended ones `markEnded`, in the same order rebuild the
   * index.
   */
  openEntries(): Int32Array {
    const entries = new Int32Array(this.openCount);
    let count = 0;
    for (let entry = 0; entry < this.#rows.used; entry++) {
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

  /** The entry of an id, also when it is expired. Leaves the id in `#key`. */
  #lookUp(uid: number, clientOrderId: string): number {
    this.#key.read(uid, clientOrderId);
    const account = this.#accounts.get(uid);
    if (account === undefined || !this.#key.isWellFormed) return NONE;
    this.#soughtAccount = account.index;
    return this.#table.find(this.#key.hash);
  }

  isSought(entry: number): boolean {
    const { integers } = this.#rows;
    const first = entry * INTEGERS;
    if (integers[first + ACCOUNT] !== this.#soughtAccount) return false;
    const { words } = this.#key;
    for (let i = 0; i < WORDS_PER_ID; i++) {
      if (integers[first + WORDS + i] !== words[i]) return false;
    }
    return true;
  }

  #takeEntry(): number {
    const free = this.#firstFree;
    if (free !== NONE) {
      this.#firstFree = this.#get(free, NEWER);
      return free;
    }
    return this.#rows.add();
  }

  #get(entry: number, field: number): number {
    return this.#rows.integers[entry * INTEGERS + field] as number;
  }

  #set(entry: number, field: number, value: number): void {
    this.#rows.setInteger(entry, field, value);
  }
}
