/**
 * Proves that client order ids are remembered and forgotten as specified: a long random run with
 * small limits and jumps in time against a plain list, rebuilds from snapshots included; and that
 * the packed form of ids is exact and its hash is the published one.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Random, scaled, seededRandom } from "../../../test/support/random.ts";
import { ClientOrderIndex, type ClientOrderIndexOptions } from "./client-order-index.ts";
import { ClientOrderKey, type HashKey } from "./client-order-key.ts";

const seed = seededRandom("client order index").seed;
const HASH_KEY: HashKey = { high: 2, low: 1 };
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:/#-";

interface ClientOrderEntry {
  readonly uid: number;
  readonly clientOrderId: string;
  readonly orderId: number;
  readonly fingerprintHigh: number;
  readonly fingerprintLow: number;
  readonly createdMs: number;
  /** Null while the order is open. */
  readonly endedMs: number | null;
}

interface Limits {
  /** How many accounts and ids a run draws from: few ids make accounts come and go. */
  readonly accounts: number;
  readonly clientOrderIds: number;
  readonly retentionMs: number;
  readonly endedPerAccountMax: number;
  readonly endedMax: number;
}

/** Plainly right: every order ever, with the rules applied when asked. */
class NaiveIndex {
  readonly #limits: Limits;
  readonly open = new Map<string, ClientOrderEntry>();
  /** In the order of their ends. */
  ended: ClientOrderEntry[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  find(uid: number, clientOrderId: string, nowMs: number): ClientOrderEntry | undefined {
    const isSame = (row: ClientOrderEntry): boolean =>
      row.uid === uid && row.clientOrderId === clientOrderId;
    return this.open.get(keyOf(uid, clientOrderId)) ?? this.remembered(nowMs).find(isSame);
  }

  /** Ended orders that must still be found. */
  remembered(nowMs: number): ClientOrderEntry[] {
    return this.ended.filter((row) => nowMs - (row.endedMs ?? 0) <= this.#limits.retentionMs);
  }

  add(row: ClientOrderEntry): void {
    this.open.set(keyOf(row.uid, row.clientOrderId), row);
  }

  end(row: ClientOrderEntry, endedMs: number): void {
    this.open.delete(keyOf(row.uid, row.clientOrderId));
    this.ended.push({ ...row, endedMs });
    const own = this.ended.filter((other) => other.uid === row.uid);
    if (own.length > this.#limits.endedPerAccountMax) this.#drop(own[0]);
    if (this.ended.length > this.#limits.endedMax) this.#drop(this.ended[0]);
  }

  forget(row: ClientOrderEntry): void {
    if (!this.open.delete(keyOf(row.uid, row.clientOrderId))) this.#drop(row);
  }

  dropExpired(nowMs: number): void {
    this.ended = this.remembered(nowMs);
  }

  #drop(row: ClientOrderEntry | undefined): void {
    this.ended = this.ended.filter((other) => other.orderId !== row?.orderId);
  }
}

function keyOf(uid: number, clientOrderId: string): string {
  return `${uid} ${clientOrderId}`;
}

function rowAt(index: ClientOrderIndex, entry: number): ClientOrderEntry {
  const endedMs = index.endedMs(entry);
  return {
    uid: index.uid(entry),
    clientOrderId: index.clientOrderId(entry),
    orderId: index.orderId(entry),
    fingerprintHigh: index.fingerprintHigh(entry),
    fingerprintLow: index.fingerprintLow(entry),
    createdMs: index.createdMs(entry),
    endedMs: endedMs === -1 ? null : endedMs,
  };
}

/** What a snapshot holds. */
function rowsOf(index: ClientOrderIndex): ClientOrderEntry[] {
  return [...index.openEntries(), ...index.endedEntries()].map((entry) => rowAt(index, entry));
}

function rebuilt(
  rows: ClientOrderEntry[],
  hashKey: HashKey,
  options: ClientOrderIndexOptions,
): ClientOrderIndex {
  const index = new ClientOrderIndex(hashKey, options);
  for (const { uid, clientOrderId, orderId, createdMs, endedMs, ...row } of rows) {
    const { fingerprintHigh, fingerprintLow } = row;
    const entry = index.add(
      uid,
      clientOrderId,
      orderId,
      fingerprintHigh,
      fingerprintLow,
      createdMs,
    );
    if (endedMs !== null) index.markEnded(entry, endedMs);
  }
  return index;
}

/** The same operations on the index and on the model. */
class Run {
  readonly #random: Random;
  readonly #limits: Limits;
  readonly #uids: readonly number[];
  readonly #names: readonly string[];
  readonly model: NaiveIndex;
  index: ClientOrderIndex;
  nowMs = 1_700_000_000_000;
  #lastOrderId = 2 ** 33;

  constructor(random: Random, limits: Limits) {
    this.#random = random;
    this.#limits = limits;
    this.model = new NaiveIndex(limits);
    this.index = new ClientOrderIndex(HASH_KEY, limits);
    this.#uids = Array.from({ length: limits.accounts }, (_, i) => (i % 2) * 2 ** 40 + i);
    const lengths = Array.from({ length: limits.clientOrderIds }, (_, i) => i + 1);
    this.#names = lengths.map((length) => clientIdOf(random, length));
  }

  step(): void {
    const random = this.#random;
    if (random.chance(0.3)) this.nowMs += random.integer(0, 20);
    if (random.chance(0.001)) this.nowMs += this.#limits.retentionMs + 1;
    const uid = random.pick(this.#uids);
    const name = random.pick(this.#names);
    const row = this.model.find(uid, name, this.nowMs);
    const entry = this.index.find(uid, name, this.nowMs);
    assert.equal(entry !== -1, row !== undefined);
    if (row === undefined) {
      if (random.chance(0.8)) this.#add(uid, name);
      return;
    }
    assert.deepEqual(rowAt(this.index, entry), row);
    if (row.endedMs === null && random.chance(0.8)) {
      this.index.markEnded(entry, this.nowMs);
      this.model.end(row, this.nowMs);
    } else if (random.chance(0.02)) {
      this.index.forget(entry);
      this.model.forget(row);
    } else if (random.chance(0.1)) {
      this.index.evict(this.nowMs);
    }
  }

  #add(uid: number, clientOrderId: string): void {
    const random = this.#random;
    this.#lastOrderId += random.integer(1, 3);
    const row: ClientOrderEntry = {
      uid,
      clientOrderId,
      orderId: this.#lastOrderId,
      fingerprintHigh: random.integer(0, 2 ** 32 - 1),
      fingerprintLow: random.integer(0, 2 ** 32 - 1),
      createdMs: this.nowMs,
      endedMs: null,
    };
    const { fingerprintHigh, fingerprintLow } = row;
    this.index.add(uid, clientOrderId, row.orderId, fingerprintHigh, fingerprintLow, this.nowMs);
    this.model.add(row);
  }

  /** Everything that is still remembered, and nothing else but what awaits its dropping. */
  compareAll(): void {
    const { index, model, nowMs } = this;
    model.dropExpired(nowMs);
    const open = [...model.open.values()].sort((a, b) => a.orderId - b.orderId);
    const entries = rowsOf(index);
    assert.equal(index.openCount, open.length);
    assert.equal(index.size, entries.length);
    assert.equal(index.endedCount, entries.length - open.length);
    assert.deepEqual(entries.slice(0, open.length), open);
    const ended = entries.slice(open.length);
    const isDue = (row: ClientOrderEntry): boolean =>
      nowMs - (row.endedMs ?? 0) <= this.#limits.retentionMs;
    assert.deepEqual(ended.filter(isDue), model.remembered(nowMs));
    assert.ok(index.endedCount <= this.#limits.endedMax);
  }

  /** Goes on with a copy made from a snapshot, with another hash key. */
  rebuild(): void {
    const hashKey = { high: 1, low: this.#random.integer(0, 2 ** 32 - 1) };
    const rows = rowsOf(this.index);
    const copy = rebuilt(rows, hashKey, this.#limits);
    assert.deepEqual(rowsOf(copy), rows);
    this.index = copy;
  }
}

/** Ids that share prefixes and differ in length. */
function clientIdOf(random: Random, length: number): string {
  const shared = "t-ABC.def:ghi/jkl#mno-pqrstuvwxyz0123456789".slice(0, length - 1);
  return shared + random.pick([...ALPHABET]);
}

const LIMITS: Readonly<Record<string, Limits>> = {
  "tight limits": {
    retentionMs: 2_000,
    endedPerAccountMax: 7,
    endedMax: 20,
    accounts: 5,
    clientOrderIds: 40,
  },
  "only the account's limit": {
    retentionMs: 1e9,
    endedPerAccountMax: 5,
    endedMax: 1e9,
    accounts: 5,
    clientOrderIds: 40,
  },
  "only the age": {
    retentionMs: 500,
    endedPerAccountMax: 1e9,
    endedMax: 1e9,
    accounts: 5,
    clientOrderIds: 40,
  },
  "nothing ended is kept": {
    retentionMs: 1e9,
    endedPerAccountMax: 0,
    endedMax: 10,
    accounts: 60,
    clientOrderIds: 2,
  },
};

for (const [name, limits] of Object.entries(LIMITS)) {
  test(`equals the plain list: ${name}`, () => {
    const run = new Run(new Random(seed), limits);
    const operations = scaled(40_000);
    for (let operation = 1; operation <= operations; operation++) {
      run.step();
      if (operation % 500 === 0) run.compareAll();
      if (operation % 5_000 === 0) run.rebuild();
    }
    run.nowMs += limits.retentionMs + 1;
    while (run.index.evict(run.nowMs) > 0);
    run.model.dropExpired(run.nowMs);
    run.compareAll();
    assert.equal(run.index.endedCount, 0);
  });
}

test("every storable id comes back as it was, and only the same id finds it", () => {
  const random = new Random(seed);
  const index = new ClientOrderIndex(HASH_KEY);
  const entries = new Map<string, number>();
  for (let i = 0; i < scaled(5_000); i++) {
    const length = random.integer(1, 40);
    const id = Array.from({ length }, () => random.pick([...ALPHABET])).join("");
    if (!entries.has(id)) entries.set(id, index.add(9, id, i + 1, 0, 0, 0));
  }
  for (const [id, entry] of entries) {
    assert.equal(index.find(9, id, 0), entry);
    assert.equal(index.clientOrderId(entry), id);
    assert.equal(index.find(10, id, 0), -1);
  }
});

test("equal ids of many accounts do not meet, even where their hashes are equal", () => {
  const accounts = 200_000;
  const key = new ClientOrderKey(HASH_KEY);
  const index = new ClientOrderIndex(HASH_KEY);
  const hashes = new Set<number>();
  for (let uid = 0; uid < accounts; uid++) {
    index.add(uid, "same", uid + 1, 0, 0, 0);
    key.read(uid, "same");
    hashes.add(key.hash);
  }
  assert.ok(hashes.size < accounts, "the test needs a collision");
  for (let uid = 0; uid < accounts; uid++) {
    if (index.orderId(index.find(uid, "same", 0)) !== uid + 1) assert.fail(`uid ${uid}`);
  }
});

test("an id that cannot be stored is never found and never added", () => {
  const index = new ClientOrderIndex(HASH_KEY);
  index.add(1, "a", 1, 0, 0, 0);
  for (const id of ["", "x".repeat(41), "a\0", "é"]) {
    assert.equal(index.find(1, id, 0), -1);
    assert.throws(() => index.add(1, id, 2, 0, 0, 0), /1 to 40 ASCII/);
  }
  assert.notEqual(index.find(1, "a", 0), -1);
  assert.equal(index.size, 1);
});

// Known answers for messages of the bytes 0, 1, 2 … under the key 0 … 7.
test("the hash of keys is HalfSipHash-1-3", () => {
  const key = new ClientOrderKey({ high: 0x07060504, low: 0x03020100 });
  // Eight bytes of the message are the uid, the others the id.
  const uid = 0x07060504 * 2 ** 32 + 0x03020100;
  const hashes = [4, 8, 24, 40].map((length) => {
    const id = String.fromCharCode(...Array.from({ length }, (_, i) => 8 + i));
    key.read(uid, id);
    assert.ok(key.isWellFormed);
    return key.hash >>> 0;
  });
  assert.deepEqual(hashes, [0x6b28096c, 0x8b31d501, 0xbc6dda8d, 0x007783eb]);
});

test("an order that ended exactly the retention ago is remembered, a millisecond later not", () => {
  const index = new ClientOrderIndex(HASH_KEY);
  index.markEnded(index.add(1, "a", 1, 0, 0, 500), 1_000);
  assert.notEqual(index.find(1, "a", 1_000 + 86_400_000), -1);
  assert.equal(index.find(1, "a", 1_001 + 86_400_000), -1);
  const entry = index.add(1, "a", 2, 0, 0, 1_001 + 86_400_000);
  assert.equal(index.orderId(entry), 2);
  assert.equal(index.size, 1);
});

test("misuse is an error of the program", () => {
  const index = new ClientOrderIndex(HASH_KEY);
  const entry = index.add(1, "a", 1, 0, 0, 10);
  assert.throws(() => index.add(1, "a", 2, 0, 0, 20), /remembered once/);
  index.markEnded(entry, 30);
  assert.throws(() => index.markEnded(entry, 40), /ends once/);
  assert.throws(() => index.add(1, "a", 2, 0, 0, 50), /remembered once/);
  const other = index.add(1, "b", 3, 0, 0, 25);
  assert.throws(() => index.markEnded(other, 29), /goes forward/);
  index.forget(entry);
  assert.throws(() => index.forget(entry), /in use/);
});

test("calls of evict once per order catch up after any pause", () => {
  const limits = { retentionMs: 1_000, endedPerAccountMax: 1e9, endedMax: 1e9 };
  const index = new ClientOrderIndex(HASH_KEY, limits);
  const burst = scaled(20_000);
  for (let id = 1; id <= burst; id++) {
    index.markEnded(index.add(id % 10, `c${id}`, id, 0, 0, 0), 0);
  }
  let nowMs = 5_000;
  let calls = 0;
  for (let id = burst + 1; index.endedCount > 1_001; id++, nowMs++, calls++) {
    assert.ok(index.evict(nowMs) <= 64);
    index.markEnded(index.add(1, `c${id}`, id, 0, 0, nowMs), nowMs);
  }
  assert.ok(calls <= burst / 60 + 1, `${calls} calls`);
});
