/**
 * Proves the formulas of contracts: the figures of a worked example, and, over random positions,
 * that the price up to which a position is due agrees with the exact rule at every tick around it,
 * and that the parts of a position that is closed piece by piece add up to the whole.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../../test/support/random.ts";
import { type ContractMarketRules, LONG, type Position, SHORT } from "../state/contract-market.ts";
import {
  initialMarginMinor,
  isIsolatedDue,
  isolatedDueTicks,
  maintenanceE8,
  nearestTick,
  ONE_E8,
  pnlMinor,
  removedOpenValue,
  removedPart,
  tierIndex,
  valueMinor,
} from "./valuation.ts";

const random = seededRandom("engine/contract/valuation");
const UNIT = 100_000_000n;

function rulesWith(minorPerTickLot: bigint): ContractMarketRules {
  const tiers = [
    { maxNotionalMinor: 100_000n * UNIT, maintenanceMarginRateE8: 500_000, maxLeverage: 100 },
    { maxNotionalMinor: 500_000n * UNIT, maintenanceMarginRateE8: 1_000_000, maxLeverage: 50 },
    { maxNotionalMinor: 900_000n * UNIT, maintenanceMarginRateE8: 2_500_000, maxLeverage: 20 },
  ];
  return { minorPerTickLot, tiers } as Partial<ContractMarketRules> as ContractMarketRules;
}

/** Tick 0.1, lot 0.001, amounts in 10^-8. */
const EXAMPLE = rulesWith(10_000n);

test("one bitcoin long at 60,000 with leverage 20", () => {
  const openValueMinor = valueMinor(EXAMPLE, 600_000, 1_000);
  assert.equal(openValueMinor, 60_000n * UNIT);
  const marginMinor = initialMarginMinor(openValueMinor, 20);
  assert.equal(marginMinor, 3_000n * UNIT);
  const mE8 = maintenanceE8(EXAMPLE, tierIndex(EXAMPLE, openValueMinor), 80_000);
  assert.equal(mE8, 580_000n);
  assert.equal(isolatedDueTicks(LONG, openValueMinor, marginMinor, 1_000, EXAMPLE, mE8), 573_325);
  // After 6.1 of funding was paid out of the margin.
  const poorer = 299_390_000_000n;
  assert.equal(isolatedDueTicks(LONG, openValueMinor, poorer, 1_000, EXAMPLE, mE8), 573_386);
  const perTick = 1_000n * EXAMPLE.minorPerTickLot * (ONE_E8 - mE8);
  assert.equal(nearestTick((openValueMinor - marginMinor) * ONE_E8, perTick), 573_325n);
  assert.equal(nearestTick((openValueMinor - poorer) * ONE_E8, perTick), 573_387n);
  // A position so small beside its margin has a price that no number holds exactly.
  assert.equal(nearestTick(2n ** 55n + 5n, 4n), 2n ** 53n + 1n);
  assert.equal(pnlMinor(LONG, openValueMinor, 61_000n * UNIT), 1_000n * UNIT);
  assert.equal(pnlMinor(SHORT, openValueMinor, 61_000n * UNIT), -1_000n * UNIT);
});

test("a notional equal to a tier's maximum belongs to it, one above all to the last", () => {
  assert.equal(tierIndex(EXAMPLE, 100_000n * UNIT), 0);
  assert.equal(tierIndex(EXAMPLE, 100_000n * UNIT + 1n), 1);
  assert.equal(tierIndex(EXAMPLE, 10_000_000n * UNIT), 2);
});

test("the price up to which a position is due agrees with the exact rule", () => {
  for (let i = 0; i < scaled(20_000); i++) {
    const rules = rulesWith(BigInt(random.pick([1, 7, 10_000, 123_457])));
    const side = random.pick([LONG, SHORT] as const);
    const sizeLots = random.integer(1, 1_000_000);
    const openValueMinor = valueMinor(rules, random.integer(1, 1_000_000), sizeLots);
    const share = BigInt(random.integer(1, 1_000_000));
    const marginMinor = (openValueMinor * share) / 1_000_000n;
    const owner = { market: { rules } };
    const position = { side, sizeLots, openValueMinor, marginMinor, owner } as unknown as Position;
    const mE8 = BigInt(random.integer(100_000, 50_000_000));
    const bound = isolatedDueTicks(side, openValueMinor, marginMinor, sizeLots, rules, mE8);
    for (const ticks of [bound - 1, bound, bound + 1]) {
      if (ticks < 1) continue;
      const expected = side === LONG ? ticks <= bound : ticks >= bound;
      assert.equal(isIsolatedDue(position, ticks, mE8), expected, `tick ${ticks}`);
    }
  }
});

test("parts add up to the whole, and never to the holder's advantage", () => {
  for (let i = 0; i < scaled(5_000); i++) {
    const side = random.pick([LONG, SHORT] as const);
    let sizeLots = random.integer(1, 50);
    const whole = BigInt(random.integer(0, 1_000_000_007));
    let openLeft = whole;
    let marginLeft = whole;
    let removed = 0n;
    while (sizeLots > 0) {
      const part = random.integer(1, sizeLots);
      const openPart = removedOpenValue(side, openLeft, part, sizeLots);
      const exact = openLeft * BigInt(part);
      if (side === LONG) assert.ok(openPart * BigInt(sizeLots) >= exact);
      else assert.ok(openPart * BigInt(sizeLots) <= exact);
      const marginPart = removedPart(marginLeft, part, sizeLots);
      assert.ok(marginPart * BigInt(sizeLots) <= marginLeft * BigInt(part));
      openLeft -= openPart;
      marginLeft -= marginPart;
      removed += openPart;
      sizeLots -= part;
    }
    assert.deepEqual([openLeft, marginLeft, removed], [0n, 0n, whole]);
  }
});

test("what is taken out of a negative amount is rounded towards zero", () => {
  assert.equal(removedPart(-10n, 1, 3), -3n);
  assert.equal(removedPart(10n, 1, 3), 3n);
  assert.equal(removedPart(-10n, 3, 3), -10n);
});
