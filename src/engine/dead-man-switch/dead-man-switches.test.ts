/**
 * Countdowns against a plain list that is sorted anew for every look: random settings, removals,
 * firings, holds and releases, by few users so that they meet at one time.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { type DeadManSwitch, DeadManSwitches } from "./dead-man-switches.ts";

const random = seededRandom("dead-man switches");
const SYMBOLS = [null, "ABC", "BCD"];

type Plain = Omit<DeadManSwitch, "place">;

const plain = ({ place: _, ...terms }: DeadManSwitch): Plain => terms;

function before(one: Plain, other: Plain): number {
  const product = (terms: Plain) => (terms.product === "spot" ? 0 : 1);
  const symbols = (one.symbol ?? "") < (other.symbol ?? "") ? -1 : 1;
  const byProduct = product(one) - product(other);
  return one.firesAtMs - other.firesAtMs || byProduct || one.uid - other.uid || symbols;
}

function isSame(one: Plain, other: Plain): boolean {
  return one.uid === other.uid && one.product === other.product && one.symbol === other.symbol;
}

test("the next one is always the first of all that count down", () => {
  const switches = new DeadManSwitches();
  let list: Plain[] = [];
  let nowMs = 0;
  for (let i = 0; i < scaled(20_000); i++) {
    const kind = random.next();
    const uid = random.integer(1, 12);
    const product = random.pick(["spot", "contract"] as const);
    const symbol = random.pick(SYMBOLS);
    const terms = { uid, product, symbol, countdownMs: 5, firesAtMs: nowMs + 5, isHeld: false };
    if (kind < 0.5) {
      terms.firesAtMs = nowMs + random.integer(1, 9);
      list = [...list.filter((one) => !isSame(one, terms)), { ...terms }];
      switches.set(terms);
    } else if (kind < 0.6) {
      list = list.filter((one) => !isSame(one, terms));
      switches.remove(uid, product, symbol);
    } else if (kind < 0.9) {
      const { next } = switches;
      if (next === null) continue;
      nowMs = Math.max(nowMs, next.firesAtMs);
      const found = list.find((one) => isSame(one, next)) as Plain;
      if (random.chance(0.3)) {
        found.isHeld = true;
        switches.hold(next);
      } else {
        list = list.filter((one) => one !== found);
        switches.remove(next.uid, next.product, next.symbol);
      }
    } else if (kind < 0.95) {
      for (const held of list.filter(({ isHeld }) => isHeld)) {
        Object.assign(held, { isHeld: false, firesAtMs: nowMs });
      }
      switches.releaseHeld(nowMs);
    } else {
      nowMs += 3;
      for (const late of list) {
        if (!late.isHeld && late.firesAtMs < nowMs) late.firesAtMs = nowMs;
      }
      switches.postponeTo(nowMs);
    }
    const [first] = list.filter(({ isHeld }) => !isHeld).sort(before);
    assert.deepEqual(switches.next === null ? undefined : plain(switches.next), first);
    assert.equal(switches.dueMs, first?.firesAtMs ?? Number.POSITIVE_INFINITY);
    if (i % 50 !== 0) continue;
    const all = [...switches.all()].map(plain);
    const inOrder = list.toSorted((one, other) => {
      return one.uid - other.uid || before({ ...one, firesAtMs: 0 }, { ...other, firesAtMs: 0 });
    });
    assert.deepEqual(all, inOrder);
  }
});
