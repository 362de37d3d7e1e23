/**
 * A sum over the last 30 days against one that adds up everything that was ever added, for random
 * amounts on days that go on in steps of all sizes.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { dayOf, RollingDays } from "./rolling-days.ts";

const random = seededRandom("rolling days");

test("the sum is that of the day and the 29 before", () => {
  const days = new RollingDays();
  const added: { readonly day: number; readonly amount: bigint }[] = [];
  let day = 20_454;
  for (let i = 0; i < scaled(3_000); i++) {
    if (random.chance(0.3)) day += random.pick([1, 1, 2, 7, 29, 30, 31, 100]);
    const amount = BigInt(random.integer(0, 3)) * 10n ** BigInt(random.integer(0, 30));
    if (random.chance(0.7)) {
      days.add(day, amount);
      added.push({ day, amount });
    }
    const recent = added.filter((one) => one.day > day - 30);
    const sum = recent.reduce((total, one) => total + one.amount, 0n);
    assert.equal(days.sumE8At(day), sum);
    assert.ok(days.days().length <= 30);
  }
});

test("days are those of UTC", () => {
  assert.equal(dayOf(Date.UTC(2026, 0, 1) - 1), 20_453);
  assert.equal(dayOf(Date.UTC(2026, 0, 1)), 20_454);
});
