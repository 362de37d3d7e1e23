/**
 * Goal: the insurance fund cannot be paid out to whoever holds both sides of a position, and never
 * pays more than its limits. Method: the ways to try it, told as a thief would do them, under the
 * rules before and now; each limit met to the unit; then random markets, whose fund is followed
 * payment by payment against the limits, worked out anew from the trades.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RiskFixture, usdt } from "../../../../test/support/engine/risk-fixture.ts";
import { scaled, seededRandom } from "../../../../test/support/random.ts";
import type { User } from "../../state.ts";
import { LONG, SHORT } from "../state/contract-market.ts";
import { countDraw } from "./insurance-limits.ts";

const HOUR_MS = 3_600_000;
const FUND = usdt("100000");

/** Two accounts of one hand: 10 BTC against each other at 60000, the LONG isolated at 100. */
function pairOfOneHand(rulesVersion: number, limit: string | null = null) {
  const fixture = new RiskFixture({ insuranceDrawLimit: limit });
  fixture.state.rulesVersion = rulesVersion;
  fixture.insure(FUND);
  const [thief, friend] = [fixture.user(1, "10000"), fixture.user(2, "100000")];
  fixture.price("60000");
  const owner = fixture.owner(thief);
  owner.marginType = "ISOLATED";
  owner.isolatedLeverage[LONG] = 100;
  fixture.order(friend, "SELL", "SHORT", "10", "60000");
  fixture.order(thief, "BUY", "LONG", "10", "60000");
  const beforeMinor = fixture.wallet(thief) + fixture.wallet(friend);
  return { fixture, thief, friend, beforeMinor };
}

function paidMinor(fixture: RiskFixture): bigint {
  return FUND - fixture.house("insurance");
}

test("a small fall and a friend who bids far below: once 24,456 of the fund, now none", () => {
  const outcomes = [2, 3].map((rulesVersion) => {
    const { fixture, thief, friend, beforeMinor } = pairOfOneHand(rulesVersion);
    fixture.order(friend, "BUY", "SHORT", "10", "57000");
    fixture.events = [];
    fixture.price("59700");
    const gainMinor = fixture.wallet(thief) + fixture.wallet(friend) - beforeMinor;
    return [paidMinor(fixture), gainMinor, ...fixture.trades()];
  });
  assert.deepEqual(outcomes, [
    [usdt("24456"), usdt("23886"), "liquidation 10 @ 57000"],
    [0n, 0n, "adl 10 @ 59400"],
  ]);
});

test("slippage is paid up to the fees of the position alone: nothing is won by it", () => {
  // 0.2 % below bankruptcy is as far as the fund goes; a tick further it does not.
  for (const [bid, ...trades] of [
    ["59281.2", "liquidation 4.04 @ 59281.2", "adl 5.96 @ 59400"],
    ["59281.1", "adl 10 @ 59400"],
    // 5 lots of 96 are the 480 to the last unit.
    ["59304", "liquidation 5 @ 59304", "adl 5 @ 59400"],
    ["59376", "liquidation 10 @ 59376"],
  ] as const) {
    const { fixture, thief, friend } = pairOfOneHand(3);
    fixture.order(friend, "BUY", "SHORT", "10", bid);
    fixture.events = [];
    fixture.price("59700");
    assert.deepEqual(fixture.trades(), trades);
    const wonMinor = fixture.wallet(thief) + fixture.wallet(friend) - usdt("110000");
    assert.ok(wonMinor < 0n, `${bid}: ${wonMinor}`);
    // 480 of fees, and that of the liquidation itself, which the exchange gets.
    assert.ok(paidMinor(fixture) <= usdt("480") + usdt("475.2"));
  }
});

test("the fees of a position back its slippage once, not again for what is left of it", () => {
  const { fixture, friend } = pairOfOneHand(3);
  fixture.order(friend, "BUY", "SHORT", "3", "59281.2");
  fixture.order(friend, "BUY", "SHORT", "3", "59290");
  fixture.events = [];
  fixture.price("59700");
  const [first = "", second = "", ...rest] = fixture.trades();
  // 3 lots of 110 are 330 of 480; the other 150 are 1.262 lots of 118.8.
  assert.deepEqual([first, second], ["liquidation 3 @ 59290", "liquidation 1.262 @ 59281.2"]);
  assert.deepEqual(rest, ["adl 5.738 @ 59400"]);
});

test("a fall beyond bankruptcy is paid to the mark, and below it from the fees alone", () => {
  const { fixture, friend } = pairOfOneHand(3);
  const maker = fixture.user(3, "1000000");
  // 58000 is the mark to be; 57884 is 0.2 % below it.
  for (const bid of ["57883.9", "57884", "58000"]) fixture.order(maker, "BUY", "LONG", "5", bid);
  fixture.events = [];
  fixture.price("58000");
  // 5 at the mark cost 7000 and fees. Below it are 480 for 116 each, 4.137 lots.
  const trades = fixture.trades();
  assert.deepEqual(trades, [
    "liquidation 5 @ 58000",
    "liquidation 4.137 @ 57884",
    "adl 0.863 @ 59400",
  ]);
  assert.equal(fixture.wallet(friend) > 0n, true);
});

/** One coin falls from 60000 to 58400, where there is a bid; bankruptcy is at 59400. */
function fall(fixture: RiskFixture, uids: readonly [number, number, number]): void {
  const [holder, other, maker] = uids.map((uid) => fixture.user(uid, "100000")) as [
    User,
    User,
    User,
  ];
  fixture.price("60000");
  fixture.pair([holder, other], "ISOLATED", 60000, 1, 100);
  fixture.order(maker, "BUY", "LONG", "1", "58400");
  fixture.price("58400");
}

/** What one such fall takes out of the fund: 1000, and 0.08 % of 58400. */
const FALL = usdt("1046.72");

test("what the fund may pay in an hour is a share of what it held at the first payment", () => {
  // 2 % of 100000: one fall and most of a second one; the third gets nothing.
  const fixture = new RiskFixture({ insuranceDrawLimit: "0.02" });
  fixture.insure(FUND);
  fall(fixture, [1, 2, 3]);
  assert.equal(paidMinor(fixture), FALL);
  // The limit is of the fund as it was, also when more comes in.
  fixture.insure(usdt("500000"));
  fixture.events = [];
  fall(fixture, [4, 5, 6]);
  assert.deepEqual(fixture.trades(), ["liquidation 0.91 @ 58400", "adl 0.09 @ 59400"]);
  const secondMinor = (FALL * 910n) / 1000n;
  assert.equal(paidMinor(fixture), FALL + secondMinor - usdt("500000"));
  const left = fixture.house("insurance");
  fixture.events = [];
  fall(fixture, [7, 8, 9]);
  assert.deepEqual(fixture.trades(), ["adl 0.91 @ 59400", "adl 0.09 @ 59400"]);
  assert.equal(fixture.house("insurance"), left, "beyond the limit the fund is not touched");
});

test("the next hour of UTC has a limit of its own", () => {
  const fixture = new RiskFixture({ insuranceDrawLimit: "0.0105" });
  fixture.insure(FUND);
  fixture.nowMs += HOUR_MS - 1;
  fall(fixture, [1, 2, 3]);
  assert.equal(paidMinor(fixture), FALL, "in the last millisecond of the hour");
  fall(fixture, [4, 5, 6]);
  // 1050 less 1046.72 are 3 lots of the thousand.
  assert.equal(paidMinor(fixture), FALL + (FALL * 3n) / 1000n);
  fixture.nowMs += 1;
  const baseMinor = fixture.house("insurance");
  // 1.05 % of the 98,950 that are left.
  fall(fixture, [7, 8, 9]);
  const { insuranceDraws } = fixture.market;
  assert.deepEqual(insuranceDraws, {
    hourEndMs: fixture.nowMs + HOUR_MS,
    baseMinor,
    drawnMinor: (FALL * 992n) / 1000n,
  });
});

test("a limit of nothing keeps the fund, and one that comes late counts what was paid", () => {
  const none = new RiskFixture({ insuranceDrawLimit: "0" });
  none.insure(FUND);
  fall(none, [1, 2, 3]);
  assert.equal(paidMinor(none), 0n);
  const late = new RiskFixture();
  late.insure(FUND);
  fall(late, [1, 2, 3]);
  late.list({ insuranceDrawLimit: "0.0104" });
  fall(late, [4, 5, 6]);
  assert.equal(paidMinor(late), FALL);
});

test("contracts draw on one fund each by its own limit", () => {
  const fixture = new RiskFixture({ insuranceDrawLimit: "0.01" });
  fixture.insure(FUND);
  fixture.list({ symbol: "ETHUSDT", baseAsset: "ETH", insuranceDrawLimit: "0.5" });
  fall(fixture, [1, 2, 3]);
  assert.equal(paidMinor(fixture), (FALL * 955n) / 1000n);
  const eth = fixture.state.contract.marketsBySymbol.get("ETHUSDT");
  assert.deepEqual(eth?.insuranceDraws, { hourEndMs: 0, baseMinor: 0n, drawnMinor: 0n });
});

test("the fund never pays more than its limits, whatever the market does", () => {
  const random = seededRandom("insurance-limits");
  const seen = { paid: 0, limited: 0, slipped: 0, deleveraged: 0 };
  for (let run = 0; run < scaled(60); run++) {
    const limitE4 = random.integer(0, 300);
    const slippageE4 = random.integer(0, 60);
    const fixture = new RiskFixture({
      insuranceDrawLimit: `0.${String(limitE4).padStart(4, "0")}`,
      insuranceSlippage: `0.${String(slippageE4).padStart(4, "0")}`,
    });
    fixture.insure(usdt(String(random.integer(1, 20_000))));
    const watch = new FundWatch(fixture, BigInt(limitE4), BigInt(slippageE4));
    const maker = fixture.user(1000, "100000000");
    let price = 60_000;
    for (let step = 0; step < 25; step++) {
      fixture.nowMs += random.pick([1_000, 60_000, HOUR_MS / 4]);
      fixture.price(String(price));
      watch.look();
      const users = [2 * step + 1, 2 * step + 2].map((uid) => fixture.user(uid, "200000"));
      const [long, short] = fixture.pair(
        users as [User, User],
        random.pick(["ISOLATED", "CROSSED"] as const),
        price,
        random.integer(1, 30) / 10,
        random.integer(20, 100),
      );
      // As if they had been opened for fees, some for none.
      for (const position of [long, short]) {
        const rate = BigInt(random.pick([0, 2, 8]));
        position.cumOpenFeeMinor = (position.openValueMinor * rate) / 10_000n;
      }
      for (let i = 0; i < 3; i++) {
        const isBid = random.chance(0.5);
        const bid = Math.floor(price * (1 + (isBid ? -1 : 1) * random.integer(0, 400) * 1e-4));
        const size = String(random.integer(1, 20) / 10);
        if (isBid) fixture.order(maker, "BUY", "LONG", size, String(bid));
        else fixture.order(maker, "SELL", "SHORT", size, String(bid));
      }
      watch.look();
      price = Math.floor(price * (1 + random.integer(-250, 250) * 1e-4));
      fixture.price(String(price));
      watch.look();
    }
    for (const [name, count] of Object.entries(watch.seen)) seen[name as "paid"] += count;
  }
  for (const [name, count] of Object.entries(seen)) assert.ok(count > 0, `no ${name}`);
});

/** Follows the fund by its events alone, and works the limits out of the trades. */
class FundWatch {
  readonly seen = { paid: 0, limited: 0, slipped: 0, deleveraged: 0 };
  readonly #fixture: RiskFixture;
  readonly #limitE4: bigint;
  readonly #slippageE4: bigint;
  #fundMinor: bigint;
  #hour = -1;
  #allowedMinor = 0n;
  #paidMinor = 0n;
  /** What is left of each position's fees. */
  readonly #backing = new Map<number, bigint>();

  constructor(fixture: RiskFixture, limitE4: bigint, slippageE4: bigint) {
    this.#fixture = fixture;
    this.#limitE4 = limitE4;
    this.#slippageE4 = slippageE4;
    this.#fundMinor = fixture.house("insurance");
  }

  look(): void {
    const { events } = this.#fixture;
    for (const [i, event] of events.entries()) {
      if (event.type === "contract-trade" && event.kind === "adl") this.seen.deleveraged++;
      if (event.type !== "liquidation-settled") continue;
      const paid = event.insurancePaidMinor;
      if (paid > 0n) this.#pay(paid);
      this.#fundMinor += event.liquidationFeeMinor - paid;
      assert.equal(event.insuranceMinor, this.#fundMinor);
      const trade = events.slice(0, i).findLast(({ type }) => type === "contract-trade");
      assert.ok(trade?.type === "contract-trade" && trade.tradeId === event.tradeId);
      if (trade.kind === "liquidation" && event.residueMinor < 0n) this.#slip(trade, event);
    }
    this.#fixture.events = [];
    assert.equal(this.#fundMinor, this.#fixture.house("insurance"));
    for (const { positionId, cumOpenFeeMinor } of this.#fixture.market.positions) {
      if (!this.#backing.has(positionId)) this.#backing.set(positionId, cumOpenFeeMinor);
    }
  }

  #pay(paid: bigint): void {
    const hour = Math.floor(this.#fixture.nowMs / HOUR_MS);
    if (hour !== this.#hour) {
      this.#hour = hour;
      this.#allowedMinor = (this.#fundMinor * this.#limitE4) / 10_000n;
      this.#paidMinor = 0n;
    }
    this.#paidMinor += paid;
    this.seen.paid++;
    assert.ok(this.#paidMinor <= this.#allowedMinor, "within the limit of the hour");
    if (this.#allowedMinor - this.#paidMinor < usdt("60")) this.seen.limited++;
  }

  /** `residueMinor` is how far beyond bankruptcy; a unit or two of it are rounding. */
  #slip(
    trade: { readonly priceTicks: number; readonly quantityLots: number },
    event: {
      readonly positionSide: string;
      readonly positionId: number;
      readonly residueMinor: bigint;
    },
  ): void {
    const { market } = this.#fixture;
    const perTick = market.rules.minorPerTickLot * BigInt(trade.quantityLots);
    const sign = event.positionSide === "LONG" ? 1n : -1n;
    const beyondMark = sign * BigInt(market.mark.ticks - trade.priceTicks) * perTick;
    const slip = beyondMark < -event.residueMinor ? beyondMark : -event.residueMinor;
    if (slip <= 2n) return;
    this.seen.slipped++;
    const valueMinor = BigInt(trade.priceTicks) * perTick;
    const worse = valueMinor + sign * (slip - 2n);
    assert.ok((slip - 2n) * 10_000n <= worse * this.#slippageE4, "within the slippage");
    const left = (this.#backing.get(event.positionId) ?? 0n) - (slip - 2n);
    assert.ok(left >= 0n, "within the position's own fees");
    this.#backing.set(event.positionId, left);
  }
}

test("for a SHORT it is the same, upside down", () => {
  for (const [ask, ...trades] of [
    ["60721.2", "liquidation 3.96 @ 60721.2", "adl 6.04 @ 60600"],
    ["60721.3", "adl 10 @ 60600"],
  ] as const) {
    const fixture = new RiskFixture();
    fixture.insure(FUND);
    const [thief, friend] = [fixture.user(1, "10000"), fixture.user(2, "100000")];
    fixture.price("60000");
    const owner = fixture.owner(thief);
    owner.marginType = "ISOLATED";
    owner.isolatedLeverage[SHORT] = 100;
    fixture.order(friend, "BUY", "LONG", "10", "60000");
    fixture.order(thief, "SELL", "SHORT", "10", "60000");
    fixture.order(friend, "SELL", "LONG", "10", ask);
    fixture.events = [];
    fixture.price("60300");
    assert.deepEqual(fixture.trades(), trades);
  }
});

test("an hour of the limit begins with a payment, and under rules that have the limit", () => {
  const fixture = new RiskFixture({ insuranceDrawLimit: null });
  fixture.insure(FUND);
  const { market } = fixture;
  const before = { ...market.insuranceDraws };
  countDraw(fixture, market, 0n);
  fixture.state.rulesVersion = 2;
  countDraw(fixture, market, 5n);
  assert.deepEqual(market.insuranceDraws, before);
  fixture.state.rulesVersion = 3;
  countDraw(fixture, market, 7n);
  countDraw(fixture, market, 2n);
  const { baseMinor, drawnMinor, hourEndMs } = market.insuranceDraws;
  assert.deepEqual([baseMinor, drawnMinor], [FUND, 9n]);
  assert.ok(hourEndMs > fixture.nowMs && hourEndMs <= fixture.nowMs + HOUR_MS);
  assert.equal(market.tallies.insurancePaidMinor, 14n);
});
