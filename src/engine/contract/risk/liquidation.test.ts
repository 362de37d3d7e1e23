/**
 * Goal: liquidation comes at the boundary and not a tick before, and every unit of what it leaves
 * or lacks goes where the rules say: fee, insurance fund, holder, the other side. Method: the
 * numbers of the worked example in both variants, computed by hand; then each way a liquidation can
 * end, in a market of its own. After each, the full check of the state must find nothing.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RiskFixture, usdt } from "../../../../test/support/engine/risk-fixture.ts";
import { CONTRACT_AVAILABLE } from "../../ledger/ledger.ts";
import { crossEquityMinor, liquidationTicks } from "../formulas/account-equity.ts";
import { setAutoAppendMargin } from "../margin/position-margin.ts";

/** The worked example after step 4: 0.6 long, opened at 60000, with a margin of 1796.34. */
function afterStepFour(venue: RiskFixture) {
  const long = venue.user(1, "10526.22");
  const short = venue.user(2, "1000000");
  const maker = venue.user(3, "1000000");
  venue.price("61500");
  const [position] = venue.pair([long, short], "ISOLATED", 60000, 0.6, 20);
  const { account } = position.owner;
  // Funding took 3.66 of the margin.
  position.marginMinor -= usdt("3.66");
  account.isolatedMarginMinor -= usdt("3.66");
  const { ledger } = venue;
  ledger.move(
    account.base + CONTRACT_AVAILABLE + 2,
    account.base + CONTRACT_AVAILABLE,
    usdt("3.66"),
  );
  venue.state.contract.risk.positionChanged(position);
  // Fees of opening 1 and of closing 0.4.
  position.cumOpenFeeMinor = usdt("48");
  position.cumCloseFeeMinor = usdt("19.68");
  assert.equal(position.marginMinor, usdt("1796.34"));
  assert.equal(venue.wallet(long), usdt("10526.22"));
  assert.equal(venue.cash(long), usdt("8729.88"));
  assert.equal(liquidationTicks(ledger, position), 573_387);
  venue.price("57338.7");
  assert.equal(position.sizeLots, 600);
  return { long, short, maker, position };
}

test("worked example, filled at 57200: the residue pays the fee, the fund gets the rest", () => {
  const venue = new RiskFixture();
  const { long, maker } = afterStepFour(venue);
  venue.order(maker, "BUY", "LONG", "0.6", "57200");
  venue.events = [];
  venue.price("57338.6");
  const events = venue.events;
  const types = events.map(({ type }) => type);
  assert.deepEqual(types.slice(types.indexOf("liquidation-started")), [
    "liquidation-started",
    "position-opened",
    "contract-trade",
    "liquidation-settled",
    "position-closed",
    "contract-order-ended",
    "contract-order-ended",
    "liquidation-finished",
  ]);
  const settled = events.find((event) => event.type === "liquidation-settled");
  assert.equal(settled?.residueMinor, usdt("116.34"));
  assert.equal(settled?.feeMinor, usdt("27.456"));
  assert.equal(settled?.liquidationFeeMinor, usdt("88.884"));
  assert.equal(settled?.insurancePaidMinor, 0n);
  assert.equal(settled?.walletMinor, usdt("8729.88"));
  assert.equal(settled?.walletAfterFixMinor, usdt("8818.764"));
  const trade = events.find((event) => event.type === "contract-trade");
  assert.equal(trade?.kind, "liquidation");
  assert.equal(trade?.taker.walletMinor, usdt("8818.764"));
  assert.equal(trade?.taker.realizedPnlMinor, usdt("-1680"));
  const closed = events.find((event) => event.type === "position-closed");
  assert.equal(closed?.cumLiquidateFeeMinor, usdt("88.884"));
  assert.equal(closed?.cumCloseFeeMinor, usdt("47.136"));
  assert.equal(venue.house("insurance"), usdt("88.884"));
  assert.equal(venue.cash(long), usdt("8729.88"));
});

test("worked example, filled at 56900: the fund pays the gap and the fee", () => {
  const venue = new RiskFixture();
  venue.insure(usdt("1000"));
  const { long, maker } = afterStepFour(venue);
  venue.order(maker, "BUY", "LONG", "0.6", "56900");
  venue.events = [];
  venue.price("57338.6");
  const settled = venue.told("liquidation-settled")[0];
  assert.equal(settled?.residueMinor, usdt("-63.66"));
  assert.equal(settled?.feeMinor, usdt("27.312"));
  assert.equal(settled?.insurancePaidMinor, usdt("90.972"));
  assert.equal(settled?.liquidationFeeMinor, 0n);
  assert.equal(venue.house("insurance"), usdt("909.028"));
  assert.equal(venue.wallet(long), usdt("8729.88"));
});

test("the fee is what residue and fund can pay, and what is left beyond both fees is kept", () => {
  // At 57010 the residue is 2.34 of a fee of 27.3648; at 58000 it is 596.34, and 1 % is 348.
  for (const [price, fee, liquidationFee, cash] of [
    ["57010", "2.34", "0", "8729.88"],
    ["58000", "27.84", "348", "8950.38"],
  ] as const) {
    const venue = new RiskFixture();
    const { long, maker } = afterStepFour(venue);
    venue.order(maker, "BUY", "LONG", "0.6", price);
    venue.events = [];
    venue.price("57338.6");
    const settled = venue.told("liquidation-settled")[0];
    assert.equal(settled?.feeMinor, usdt(fee));
    assert.equal(settled?.liquidationFeeMinor, usdt(liquidationFee));
    assert.equal(settled?.insurancePaidMinor, 0n);
    assert.equal(venue.cash(long), usdt(cash));
  }
});

test("a bankruptcy price between two ticks is rounded in the holder's favour", () => {
  for (const [side, price, taken] of [
    ["LONG", "57000", "adl 1 @ 57000.1"],
    ["SHORT", "63100", "adl 1 @ 62999.9"],
  ] as const) {
    const venue = new RiskFixture();
    const [victim, other] = [venue.user(1, "3000"), venue.user(2, "900000")];
    venue.price("60000");
    const holders = side === "LONG" ? ([victim, other] as const) : ([other, victim] as const);
    const position = venue.pair(holders, "ISOLATED", 60_000, 1, 20)[side === "LONG" ? 0 : 1];
    // 0.05 less of open value for SHORT, more for LONG: bankruptcy at 57000.05 or 62999.95.
    venue.reopen(position, usdt(side === "LONG" ? "60000.05" : "59999.95"));
    venue.price(price);
    assert.deepEqual(venue.trades(), [taken]);
  }
});

test("with nothing in book and fund the other side takes over at the bankruptcy price", () => {
  const venue = new RiskFixture();
  const { long, short, position } = afterStepFour(venue);
  venue.events = [];
  venue.price("57338.6");
  assert.equal(position.sizeLots, 0);
  const events = venue.events;
  assert.deepEqual(venue.trades(), ["adl 0.6 @ 57006.1"]);
  const [trade] = events.filter((event) => event.type === "contract-trade");
  assert.equal(trade?.maker.uid, short.uid);
  assert.equal(trade?.maker.feeMinor, 0n);
  assert.equal(trade?.taker.feeMinor, 0n);
  assert.equal(trade?.maker.realizedPnlMinor, usdt("1796.34"));
  assert.equal(venue.wallet(long), usdt("8729.88"));
  assert.equal(venue.market.lastTicks, 0);
});

test("the fund pays lot by lot, and the other side takes what it cannot pay", () => {
  const venue = new RiskFixture();
  // A lot at 56900 costs (57006.1 - 56900 + 56900 * 0.0008) * 0.001 = 0.15162.
  venue.insure(usdt("15.162"));
  const { maker } = afterStepFour(venue);
  venue.order(maker, "BUY", "LONG", "0.05", "56950");
  venue.order(maker, "BUY", "LONG", "0.6", "56900");
  venue.events = [];
  venue.price("57338.6");
  const trades = venue.trades();
  // 0.05 at 56950 cost 0.05 * (56.1 + 45.56) = 5.083, which leaves 10.079 for 66 lots at 56900.
  assert.deepEqual(trades, [
    "liquidation 0.05 @ 56950",
    "liquidation 0.066 @ 56900",
    "adl 0.484 @ 57006.1",
  ]);
  assert.equal(venue.house("insurance"), usdt("15.162") - usdt("5.083") - usdt("10.00692"));
});

test("outside of the price band the fund buys nothing", () => {
  const venue = new RiskFixture({ sellLimitPriceRatio: "0.007" });
  venue.insure(usdt("100000"));
  const { maker } = afterStepFour(venue);
  // 57338.6 * 0.993 = 56937.2: of two orders below bankruptcy only the first is within.
  venue.order(maker, "BUY", "LONG", "0.1", "56938");
  venue.order(maker, "BUY", "LONG", "0.5", "56937.1");
  venue.events = [];
  venue.price("57338.6");
  assert.deepEqual(venue.trades(), ["liquidation 0.1 @ 56938", "adl 0.5 @ 57006.1"]);
});

test("when nobody can bear the bankruptcy price the rest is held until somebody can pay", () => {
  const venue = new RiskFixture();
  const long = venue.user(1, "3400");
  const short = venue.user(2, "1000");
  venue.price("60000");
  const [position, other] = venue.pair([long, short], "ISOLATED", 60000, 1, 60);
  // The other side sold at the low, with a margin of 1000 and nothing else.
  venue.reopen(other, usdt("57900"));
  venue.market.state = "halted";
  venue.price("58500");
  venue.market.state = "trading";
  venue.events = [];
  venue.run();
  // Bankruptcy at 59000 would cost the other side 1100, and it has 1000.
  assert.equal(position.sizeLots, 1000);
  const [ended] = venue.told("contract-order-ended");
  assert.equal(`${ended?.uid} ${ended?.origin} ${ended?.reason}`, "1 liquidation nothing-to-match");
  venue.run();
  assert.equal(venue.events.length, 0);
  const buyer = venue.user(3, "1000000");
  venue.order(buyer, "BUY", "LONG", "1", "58500");
  assert.equal(position.sizeLots, 1000);
  venue.insure(usdt("100000"));
  venue.run();
  assert.equal(position.sizeLots, 0);
  assert.equal(venue.cash(long), usdt("2400"));
});

test("orders of the liquidated side go, those of the other side stay", () => {
  const venue = new RiskFixture();
  const { long } = afterStepFour(venue);
  venue.order(long, "BUY", "LONG", "0.01", "55000");
  venue.order(long, "SELL", "LONG", "0.01", "59000");
  venue.order(long, "SELL", "SHORT", "0.01", "59500");
  venue.events = [];
  venue.price("57338.6");
  const ended = venue.events.filter((event) => event.type === "contract-order-ended");
  assert.deepEqual(
    ended
      .filter(({ origin }) => origin === "user")
      .map(({ reason, priceTicks }) => [reason, priceTicks]),
    [
      ["liquidation", 550_000],
      ["liquidation", 590_000],
    ],
  );
  assert.equal(venue.owner(long).openOrders, 1);
});

test("auto append saves a position as far as the account can, and not otherwise", () => {
  for (const cash of ["5000", "100", "1"]) {
    const venue = new RiskFixture();
    const long = venue.user(1, `${3000 + Number(cash)}`);
    const short = venue.user(2, "1000000");
    venue.price("60000");
    const [position] = venue.pair([long, short], "ISOLATED", 60000, 1, 20);
    const positionId = position.positionId;
    const enable = { type: "set-auto-append-margin", uid: 1, positionId, enabled: true } as const;
    assert.equal(setAutoAppendMargin(venue, enable).ok, true);
    // Equity 320 of 332.54 that are needed.
    venue.price("57320");
    const saved = cash !== "1";
    assert.equal(position.sizeLots > 0, saved, cash);
    // Back to value / leverage: 57320 / 20 - 320 = 2546; or all there is.
    if (cash === "5000") assert.equal(venue.cash(long), usdt("2454"));
    if (cash === "100") assert.equal(venue.cash(long), 0n);
    if (cash === "1") assert.equal(venue.cash(long), usdt("1"));
  }
});

test("a cross account is netted, then reduced by tiers, the largest position first", () => {
  const tiers = [
    { maxNotional: "100000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
    { maxNotional: "200000", maintenanceMarginRate: "0.01", maxLeverage: 50 },
    { maxNotional: "400000", maintenanceMarginRate: "0.02", maxLeverage: 25 },
    { maxNotional: "9000000", maintenanceMarginRate: "0.05", maxLeverage: 10 },
  ];
  const venue = new RiskFixture({ tiers, defaultLeverage: 5 });
  const victim = venue.user(1, "40000");
  const other = venue.user(2, "10000000");
  const maker = venue.user(3, "10000000");
  venue.price("60000");
  venue.pair([victim, other], "CROSSED", 60000, 10, 10);
  venue.pair([other, victim], "CROSSED", 60000, 2, 10);
  venue.order(maker, "BUY", "LONG", "20", "57000");
  venue.events = [];
  const { account } = venue.owner(victim);
  // 12 on both sides are in the last tier: E = 40000 - 8 * 1600 = 27200 of 700800 * 0.0508.
  venue.price("58400");
  const trades = venue.trades();
  assert.equal(trades[0], "netting 2 @ 58400");
  // 8 * 58400 = 467200 is in the last tier: two tiers down are 200000 / 58400 = 3.424 to keep.
  // Netted, 27200 are enough for 467200 * 0.0508 = 23733.76.
  assert.equal(trades.length, 1);
  venue.price("57900");
  const steps = venue.trades();
  // E = 40000 - 8 * 2100 = 23200 of 463200 * 0.0508 = 23530.56: down to 200000 / 57900 = 3.454.
  assert.deepEqual(steps, ["liquidation 4.546 @ 57000"]);
  assert.ok(crossEquityMinor(venue.ledger, account) > 0n);
});

for (const [side, marginType] of [
  ["LONG", "ISOLATED"],
  ["SHORT", "ISOLATED"],
  ["LONG", "CROSSED"],
  ["SHORT", "CROSSED"],
] as const) {
  test(`a fall of equity below zero is made good by the others: ${marginType} ${side}`, () => {
    const venue = new RiskFixture();
    const [victim, other] = [venue.user(1, "3000"), venue.user(2, "900000")];
    venue.price("60000");
    const holders = side === "LONG" ? ([victim, other] as const) : ([other, victim] as const);
    const [long, short] = venue.pair(holders, marginType, 60000, 1, 20);
    const position = side === "LONG" ? long : short;
    // Far beyond bankruptcy, which is at 57000 or 63000.
    venue.price(side === "LONG" ? "50000" : "70000");
    assert.equal(position.sizeLots, 0);
    assert.deepEqual(venue.trades(), [`adl 1 @ ${side === "LONG" ? 57000 : 63000}`]);
    assert.equal(venue.wallet(victim), 0n);
    assert.equal(venue.wallet(other), usdt("903000"));
  });
}

test("a stale index holds liquidations up, a pinned mark or a new index lets them go on", () => {
  const venue = new RiskFixture();
  const [long, short] = [venue.user(1, "3000"), venue.user(2, "900000")];
  venue.price("60000");
  const [position] = venue.pair([long, short], "ISOLATED", 60000, 1, 20);
  venue.market.mark.ticks = 573_000;
  venue.state.contract.risk.markChanged(venue.market);
  venue.nowMs += 60_001;
  venue.run();
  assert.equal(position.sizeLots, 1000);
  venue.price("57300");
  assert.equal(position.sizeLots, 0);
});

test("a cascade that is cut ends as one that is not", () => {
  const outcomes = [1, 2, 1000].map((steps) => {
    const venue = new RiskFixture();
    venue.insure(usdt("50"));
    const maker = venue.user(1000, "1000000");
    venue.price("60000");
    for (let i = 0; i < 12; i++) {
      const long = venue.user(1 + 2 * i, "20000");
      const short = venue.user(2 + 2 * i, "20000");
      const marginType = i % 3 === 0 ? "CROSSED" : "ISOLATED";
      venue.pair([long, short], marginType, 60000, 0.5 + i / 10, 20 + i);
    }
    venue.order(maker, "BUY", "LONG", "3", "57500");
    venue.events = [];
    const { market } = venue;
    market.state = "halted";
    venue.price("45000");
    market.state = "trading";
    const slices = venue.run(steps);
    assert.equal(slices > 1, steps < 1000, `${slices} slices of ${steps}`);
    return JSON.stringify(venue.events, (_, value) =>
      typeof value === "bigint" ? value.toString() : value,
    );
  });
  assert.equal(outcomes[0], outcomes[2]);
  assert.equal(outcomes[1], outcomes[2]);
});

test("a cross account loses its orders everywhere, then its heaviest position first", () => {
  const venue = new RiskFixture();
  const eth = venue.list({ symbol: "ETHUSDT", baseAsset: "ETH" });
  const [victim, other] = [venue.user(1, "8000"), venue.user(2, "900000")];
  const maker = venue.user(3, "900000");
  venue.price("60000");
  venue.price("2000", eth);
  venue.pair([victim, other], "CROSSED", 2000, 1, 20, eth);
  const [heavy] = venue.pair([victim, other], "CROSSED", 60_000, 1, 20);
  venue.order(victim, "BUY", "LONG", "0.01", "57000");
  venue.order(maker, "BUY", "LONG", "1", "56000");
  venue.events = [];
  // E = 8000 - 7700 = 300 of 52300 * 0.0058 + 2000 * 0.0058 = 314.94.
  venue.price("52300");
  const symbols = venue.events.flatMap((event) =>
    event.type === "contract-trade" ? [`${event.symbol} ${event.priceTicks / 10}`] : [],
  );
  assert.deepEqual(symbols, ["BTCUSDT 56000"]);
  assert.equal(heavy.sizeLots, 0);
  assert.equal(venue.owner(victim).openOrders, 0);
  assert.equal(venue.owner(victim, eth).sideLots[0], 1000);
});
