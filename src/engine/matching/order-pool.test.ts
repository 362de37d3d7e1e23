/**
 * Proves that the pool finds orders by id, reuses slots, grows without loss and keeps each
 * account's orders by age: a long random run of allocations and releases against plain Maps.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Random, scaled, seededRandom } from "../../../test/support/random.ts";
import { OrderPool, type OrderTerms } from "./order-pool.ts";
import { BUY, NONE, SELL } from "./slot.ts";

const seed = seededRandom("order pool").seed;

/** An order of which nothing is known. */
const TERMS: OrderTerms = {
  market: 0,
  side: BUY,
  timeInForce: 0,
  priceTicks: 0,
  quantityLots: 0,
  filledLots: 0,
  makerFeeRateE8: 0,
  clientEntry: NONE,
};

function ownOrders(pool: OrderPool, uid: number): number[] {
  const ids: number[] = [];
  let previous = -1;
  for (let slot = pool.firstOwn(uid); slot !== -1; slot = pool.ownNext(slot)) {
    assert.equal(pool.uid(slot), uid);
    assert.equal(pool.ownPrevious(slot), previous);
    ids.push(pool.orderId(slot));
    previous = slot;
  }
  return ids;
}

test("a new slot starts empty, also when it is reused", () => {
  const pool = new OrderPool();
  const slot = pool.allocate(7, 100, { ...TERMS, priceTicks: 5, clientEntry: 3 });
  pool.setProgress(slot, { filledQuoteMinor: 9n, feeNumerator: 1n, updatedMs: 2 });
  assert.equal(pool.progress(slot)?.filledQuoteMinor, 9n);
  pool.release(slot);
  assert.equal(pool.findById(7), -1);
  assert.equal(pool.allocate(8, 101, TERMS), slot);
  assert.equal(pool.orderId(slot), 8);
  assert.equal(pool.uid(slot), 101);
  assert.equal(pool.priceTicks(slot), 0);
  assert.equal(pool.clientEntry(slot), -1);
  assert.equal(pool.level(slot), -1);
  assert.equal(pool.progress(slot), null);
  assert.deepEqual(ownOrders(pool, 100), []);
  assert.deepEqual(ownOrders(pool, 101), [8]);
});

/** Different numbers, as long as their fields allow, for every order. */
function termsOf(id: number): OrderTerms {
  return {
    market: id + 1,
    side: id % 2 === 0 ? BUY : SELL,
    timeInForce: id % 4,
    priceTicks: Number.MAX_SAFE_INTEGER - id,
    quantityLots: Number.MAX_SAFE_INTEGER - 2 * id,
    filledLots: 2 ** 40 + id,
    makerFeeRateE8: 10_000_000 - id,
    clientEntry: 2 ** 31 - 1 - id,
  };
}

test("growth keeps every field", () => {
  const pool = new OrderPool();
  const count = 10_000;
  for (let id = 1; id <= count; id++) {
    const slot = pool.allocate(id, id % 7, termsOf(id));
    pool.setLevel(slot, id + 2);
    pool.setNext(slot, id + 3);
    pool.setPrevious(slot, id + 4);
    // Two negative links side by side are, read as a double, not a number: growth must keep the
    // bits.
    if (id % 3 === 0) pool.setNext(slot, -id);
    const feeNumerator = BigInt(id) << 70n;
    pool.setProgress(slot, { filledQuoteMinor: BigInt(id), feeNumerator, updatedMs: id });
  }
  assert.equal(pool.size, count);
  for (let id = 1; id <= count; id++) {
    const slot = pool.findById(id);
    const terms = termsOf(id);
    assert.equal(pool.orderId(slot), id);
    assert.equal(pool.uid(slot), id % 7);
    for (const name of Object.keys(terms) as (keyof OrderTerms)[]) {
      assert.equal(pool[name](slot), terms[name], name);
    }
    assert.equal(pool.level(slot), id + 2);
    assert.equal(pool.next(slot), id % 3 === 0 ? -id : id + 3);
    assert.equal(pool.previous(slot), id + 4);
    assert.equal(pool.progress(slot)?.feeNumerator, BigInt(id) << 70n);
  }
});

test("misuse is an error of the program", () => {
  const pool = new OrderPool();
  const slot = pool.allocate(1, 1, TERMS);
  assert.throws(() => pool.allocate(0, 2, TERMS), /is positive/);
  pool.setLevel(slot, 0);
  assert.throws(() => pool.release(slot), /leave its book/);
  pool.setLevel(slot, -1);
  pool.release(slot);
  assert.throws(() => pool.release(slot), /in use/);
});

test("an account's orders are by id, in whatever order a snapshot brings them", () => {
  const random = new Random(seed);
  const pool = new OrderPool();
  const ids = random.shuffle(Array.from({ length: 500 }, (_, i) => i + 1));
  for (const id of ids) pool.allocate(id, id % 3, TERMS);
  for (const uid of [0, 1, 2]) {
    const own = ids.filter((id) => id % 3 === uid).sort((a, b) => a - b);
    assert.deepEqual(ownOrders(pool, uid), own);
    assert.equal(pool.ownCount(uid), own.length);
  }
});

/** Ids as they come: ascending with gaps, ascending beyond 2^32, and all in one residue class. */
const ID_SOURCES: Readonly<Record<string, (random: Random, last: number) => number>> = {
  "near zero": (random, last) => last + random.integer(1, 3),
  "beyond 32 bits": (random, last) => last + random.integer(1, 2 ** 33),
  "steps of 2^20": (_, last) => last + 2 ** 20,
};

for (const [name, nextId] of Object.entries(ID_SOURCES)) {
  test(`churn against Maps, ids ${name}`, () => {
    const random = new Random(seed);
    const pool = new OrderPool();
    const slots = new Map<number, number>();
    const owners = new Map<number, number[]>();
    const live: number[] = [];
    const gone: number[] = [];
    let lastId = 0;
    let target = 10;
    const operations = scaled(150_000);
    for (let operation = 0; operation < operations; operation++) {
      if (operation % 5_000 === 0) target = random.integer(0, 3_000);
      if (live.length < target ? random.chance(0.7) : random.chance(0.3)) {
        lastId = nextId(random, lastId);
        const uid = random.integer(1, 50);
        slots.set(lastId, pool.allocate(lastId, uid, TERMS));
        owners.set(uid, [...(owners.get(uid) ?? []), lastId]);
        live.push(lastId);
      } else if (live.length > 0) {
        const at = random.integer(0, live.length - 1);
        const id = live[at] as number;
        live[at] = live[live.length - 1] as number;
        live.pop();
        const slot = slots.get(id) as number;
        const uid = pool.uid(slot);
        pool.release(slot);
        slots.delete(id);
        owners.set(
          uid,
          (owners.get(uid) as number[]).filter((own) => own !== id),
        );
        gone.push(id);
      }
      assert.equal(pool.size, slots.size);
      if (live.length > 0) {
        const id = random.pick(live);
        assert.equal(pool.findById(id), slots.get(id));
      }
      if (gone.length > 0) assert.equal(pool.findById(random.pick(gone)), -1);
    }
    for (const [id, slot] of slots) assert.equal(pool.findById(id), slot);
    for (const id of gone) assert.equal(pool.findById(id), -1);
    for (const [uid, ids] of owners) {
      assert.deepEqual(ownOrders(pool, uid), ids);
      assert.equal(pool.ownCount(uid), ids.length);
    }
    assert.equal(new Set(slots.values()).size, slots.size);
  });
}
