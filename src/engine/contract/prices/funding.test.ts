/**
 * Funding by example and by property: the rate with its two clamps, the payment of the worked
 * example, the waiver of isolated and cross payers, shares that round down, the rounding account;
 * and for random positions that nothing is made or lost and nobody pays into a liquidation.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ContractFixture } from "../../../../test/support/engine/contract-fixture.ts";
import { fund, openPair, setMark } from "../../../../test/support/engine/paired-positions.ts";
import { scaled, seededRandom } from "../../../../test/support/random.ts";
import type { MarginType } from "../../../domain/index.ts";
import type { User } from "../../state.ts";
import { isCrossDue, isPositionDue, walletMinor } from "../formulas/account-equity.ts";
import type { ContractMarket, Position } from "../state/contract-market.ts";
import { fundingRateE8, settlePendingFunding, settleSlot, slotOf } from "./funding.ts";

const random = seededRandom("funding");
const UNIT = 100_000_000n;
const usdt = (text: string): bigint => {
  const [whole = "0", decimals = ""] = text.split(".");
  return BigInt(whole) * UNIT + BigInt(decimals.padEnd(8, "0"));
};

interface Bench {
  readonly context: ContractFixture;
  readonly market: ContractMarket;
  readonly long: User;
  readonly short: User;
}

function bench(funds = "100000"): Bench {
  const context = new ContractFixture();
  const market = context.list();
  const long = context.user(1, market, usdt(funds));
  const short = context.user(2, market, usdt(funds));
  return { context, market, long, short };
}

let nextPositionId = 1;

function open(
  { context, market, long, short }: Bench,
  marginType: MarginType,
  price: number,
  lots: number,
  leverage = 20,
): readonly [Position, Position] {
  const positionId = nextPositionId;
  nextPositionId += 2;
  return openPair(context.state, {
    market,
    holders: [long, short],
    marginType,
    priceTicks: price * 10,
    lots,
    leverage,
    positionId,
  });
}

/** Settles the slot at a rate that the premium alone decides. */
function settleAt({ context, market }: Bench, rateE8: number): void {
  market.rules = { ...market.rules, fundingInnerClampE8: 0, fundingRateCapE8: 100_000_000 };
  market.funding.premiumSumE12 = BigInt(rateE8) * 10_000n;
  market.funding.premiumSamples = 1;
  context.events = [];
  context.nowMs = market.funding.nextSlotMs;
  context.sequence++;
  settleSlot(context, market);
}

function deltas({ context }: Bench): readonly (readonly [number, bigint])[] {
  return context.events.flatMap((event) =>
    event.type === "funding-moved" ? [[event.uid, event.deltaMinor] as const] : [],
  );
}

test("the rate is the mean premium, pulled to the interest rate, capped, rounded half up", () => {
  const { market } = bench();
  const { rules } = market;
  const rate = (premium: bigint, samples = 1) => fundingRateE8(rules, premium, samples);
  const e12 = (rateE8: number) => BigInt(rateE8) * 10_000n;
  assert.equal(rate(0n, 0), 10_000, "no sample: the interest rate");
  assert.equal(rate(0n), 10_000);
  assert.equal(rate(e12(40_000)), 10_000, "within the inner clamp of the interest rate");
  assert.equal(rate(e12(60_000)), 10_000, "just within");
  assert.equal(rate(e12(60_001)), 10_001, "beyond it, the premium less the clamp");
  assert.equal(rate(e12(-40_000)), 10_000);
  assert.equal(rate(e12(-40_001)), 9_999);
  assert.equal(rate(e12(800_000)), 750_000);
  assert.equal(rate(e12(800_001)), 750_000, "the cap");
  assert.equal(rate(e12(-9_000_000)), -750_000);
  const loose = { ...rules, fundingInnerClampE8: 0 };
  assert.equal(fundingRateE8(loose, 4_999n, 1), 0);
  assert.equal(fundingRateE8(loose, 5_000n, 1), 1);
  assert.equal(fundingRateE8(loose, -5_000n, 1), 0, "half upwards, below zero too");
  assert.equal(fundingRateE8(loose, -5_001n, 1), -1);
  assert.equal(fundingRateE8(loose, 15_000n, 3), 1, "the mean of three");
  const negative = { ...rules, interestRateE8: -20_000 };
  assert.equal(fundingRateE8(negative, 0n, 0), -20_000);
});

test("the payment of the worked example: 6.1 from the margin, and from nothing else", () => {
  const both = bench("10000");
  const { context, market } = both;
  const [long, short] = open(both, "ISOLATED", 60_000, 1000);
  setMark(context.state, market, 610_000);
  settleAt(both, 10_000);
  assert.deepEqual(deltas(both), [
    [1, -usdt("6.1")],
    [2, usdt("6.1")],
  ]);
  assert.equal(long.marginMinor, usdt("2993.9"));
  assert.equal(short.marginMinor, usdt("3006.1"), "received funding raises the margin as well");
  assert.equal(walletMinor(context.state.ledger, long.owner.account), usdt("9993.9"));
  assert.deepEqual(
    [long.fundingFeeMinor, long.cumFundingFeeMinor, short.fundingFeeMinor],
    [usdt("6.1"), usdt("6.1"), -usdt("6.1")],
  );
  assert.deepEqual([long.updatedSequence, long.updatedMs], [context.sequence, context.nowMs]);
  const [settled] = context.emitted("funding-settled");
  assert.deepEqual(settled, {
    type: "funding-settled",
    symbol: "BTCUSDT",
    slotMs: context.nowMs,
    rateE8: 10_000n,
    indexTicks: 610_000,
    markTicks: 610_000,
    premiumSamples: 1,
    collectedMinor: usdt("6.1"),
    receivedMinor: usdt("6.1"),
    roundingMinor: 0n,
    waivedMinor: 0n,
  });
  assert.equal(market.funding.nextSlotMs, context.nowMs + market.rules.fundingIntervalMs);
  assert.deepEqual([market.funding.premiumSamples, market.funding.lastRateE8], [0, 10_000]);
});

test("at a rate below zero the shorts pay, from the wallet when cross", () => {
  const both = bench("10000");
  const [long, short] = open(both, "CROSSED", 60_000, 1000);
  setMark(both.context.state, both.market, 600_000);
  settleAt(both, -20_000);
  assert.deepEqual(deltas(both), [
    [2, -usdt("12")],
    [1, usdt("12")],
  ]);
  assert.deepEqual([long.marginMinor, short.fundingFeeMinor], [0n, usdt("12")]);
});

test("a payer keeps maintenance, fee and buffer: the rest is waived and not received", () => {
  const both = bench("10000");
  const { context, market } = both;
  const [long] = open(both, "ISOLATED", 60_000, 1000);
  // Margin 3,000 - loss 2,500 = 500; at 57,500 maintenance, fee and buffer are 0.68 %: 391.
  setMark(context.state, market, 575_000);
  settleAt(both, 1_000_000);
  const [settled] = context.events.filter((event) => event.type === "funding-settled");
  assert.equal(settled?.collectedMinor, usdt("109"));
  assert.equal(settled?.waivedMinor, usdt("466"), "1 % of 57,500 is 575");
  assert.equal(long.marginMinor, usdt("2891"));
  assert.ok(!isPositionDue(long));
  settleAt(both, 1_000_000);
  assert.deepEqual(deltas(both), [], "nothing moved, nothing told");
  assert.deepEqual([long.fundingFeeMinor], [usdt("109")]);
});

test("the waiver of a cross account looks at all its positions, the cash at itself", () => {
  const both = bench("4000");
  const { context, market } = both;
  open(both, "CROSSED", 60_000, 1000, 20);
  // Equity 4,000 - 3,000 = 1,000; kept at 57,000: 0.68 % = 387.6.
  setMark(context.state, market, 570_000);
  settleAt(both, 2_000_000);
  assert.deepEqual(deltas(both)[0], [1, -usdt("612.4")]);
  // The short has 3,000 of profit, which is not cash: it pays at most what the wallet holds.
  market.funding.premiumSumE12 = 0n;
  settleAt(both, -10_000_000);
  assert.deepEqual(deltas(both)[0], [2, -usdt("4612.4")]);
});

test("several positions of one account are limited one after the other", () => {
  const both = bench("4000");
  const { context, market, long } = both;
  open(both, "CROSSED", 60_000, 500, 20);
  const third = context.user(3, market, usdt("100000"));
  const owner = long;
  // A second market of the same margin asset shares the account.
  const other = context.list({ symbol: "ETHUSDT", baseAsset: "ETH" });
  openPair(context.state, {
    market: other,
    holders: [owner, third],
    marginType: "CROSSED",
    priceTicks: 600_000,
    lots: 500,
    leverage: 20,
    positionId: 1_000,
  });
  setMark(context.state, market, 600_000);
  setMark(context.state, other, 570_000);
  // Equity 4,000 - 1,500; kept 0.68 % of 30,000 and of 28,500.
  settleAt(both, 10_000_000);
  assert.deepEqual(deltas(both)[0], [1, -usdt("2102.2")]);
});

test("receivers share what was collected, rounded down; the rest is rounding's", () => {
  const both = bench();
  const { context, market } = both;
  for (const [i, lots] of [1, 1, 2].entries()) {
    const holders = [20, 30].map((uid) => context.user(uid + i, market, usdt("1"))) as [User, User];
    const terms = { market, holders, marginType: "ISOLATED" as const, leverage: 1, lots };
    openPair(context.state, { ...terms, priceTicks: 3, positionId: 2_000 + 2 * i });
  }
  setMark(context.state, market, 3);
  // A lot is worth 30,000 units: 0.3333 of one are due for it, 0.6666 for two.
  settleAt(both, 1_111);
  assert.deepEqual(deltas(both), [
    [20, -1n],
    [21, -1n],
    [22, -1n],
    [32, 1n],
  ]);
  const [settled] = context.emitted("funding-settled");
  assert.deepEqual(
    [settled?.collectedMinor, settled?.receivedMinor, settled?.roundingMinor],
    [3n, 1n, 2n],
  );
  const { ledger } = context.state;
  const house = (name: "rounding" | "funding-clearing") =>
    ledger.balance(ledger.houseAccount(market.rules.marginAsset.index, name));
  assert.deepEqual([house("rounding"), house("funding-clearing")], [2n, 0n]);
});

test("what random positions pay is received or rounding's, and liquidates nobody", () => {
  let waived = 0;
  let rounded = 0;
  for (let round = 0; round < scaled(150); round++) {
    const context = new ContractFixture();
    const market = context.list({
      stepSize: "0.003",
      minOrderSize: "0.003",
      maxOrderSize: "3000",
      maxPositionSize: "3000",
      marketOpenLimitSize: "3000",
      tickSize: "0.07",
    });
    const price = random.integer(500_000, 900_000);
    for (let pair = 0; pair < 6; pair++) {
      const holders = [0, 1].map((side) => {
        const user = context.user(100 + 2 * pair + side, market, 0n);
        fund(context.state, user, market, BigInt(random.integer(1, 10_000)) * UNIT);
        return user;
      }) as [User, User];
      const lots = random.integer(1, 50);
      const leverage = random.integer(1, 50);
      const marginType = random.pick(["CROSSED", "ISOLATED"] as const);
      const needed = (BigInt(price * lots) * market.rules.minorPerTickLot) / BigInt(leverage) + 1n;
      for (const user of holders) fund(context.state, user, market, needed);
      const positionId = 10 * pair + 1;
      const terms = { market, holders, marginType, leverage, lots, positionId };
      openPair(context.state, { ...terms, priceTicks: price });
    }
    setMark(context.state, market, Math.round(price * (0.97 + random.next() * 0.06)));
    const due = (position: Position) =>
      position.marginType === "ISOLATED"
        ? isPositionDue(position)
        : isCrossDue(context.state.ledger, position.owner.account);
    const healthy = [...market.positions].filter((position) => !due(position));
    const holders = [...market.positions].map(({ owner }) => owner.account.user);
    const both = { context, market, long: holders[0] as User, short: holders[1] as User };
    settleAt(both, random.integer(-3_000_000, 3_000_000));
    const [settled] = context.events.filter((event) => event.type === "funding-settled");
    assert.ok(settled !== undefined);
    const sum = deltas(both).reduce((total, [, delta]) => total + delta, 0n);
    assert.equal(-sum, settled.roundingMinor);
    assert.equal(settled.collectedMinor, settled.receivedMinor + settled.roundingMinor);
    assert.ok(settled.roundingMinor < 12n, "less than a unit for each position");
    for (const position of healthy) assert.ok(!due(position), "nobody is paid into liquidation");
    for (const position of market.positions) assert.ok(position.marginMinor >= 0n);
    if (settled.waivedMinor > 0n) waived++;
    if (settled.roundingMinor > 0n) rounded++;
  }
  assert.ok(waived > 0 && rounded > 0);
});

test("slots are multiples of the interval since 1970; without a price nothing is settled", () => {
  const both = bench();
  const { context, market } = both;
  assert.equal(slotOf(market, context.nowMs + 1), context.nowMs, "midnight is a slot");
  assert.equal(market.funding.nextSlotMs, context.nowMs + 8 * 60 * 60 * 1000);
  settleAt(both, 10_000);
  assert.deepEqual(context.events, []);
  assert.equal(market.funding.lastRateE8, 0);
});

test("a missed slot waits for a fresh mark, and is settled once", () => {
  const both = bench();
  const { context, market } = both;
  open(both, "ISOLATED", 60_000, 1000);
  setMark(context.state, market, 600_000);
  const slotMs = context.nowMs;
  market.funding.pendingSlotMs = slotMs;
  context.nowMs += 100_000;
  context.events = [];
  assert.ok(!settlePendingFunding(context), "the index has no time yet");
  market.indexPrice.atMs = context.nowMs;
  assert.ok(settlePendingFunding(context));
  assert.ok(!settlePendingFunding(context));
  const [settled] = context.emitted("funding-settled");
  assert.deepEqual([settled?.slotMs, settled?.rateE8], [slotMs, 10_000n]);
  assert.equal(market.funding.lastSlotMs, slotMs);
});
