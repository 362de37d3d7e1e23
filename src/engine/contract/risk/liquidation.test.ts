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
function afterStepFour(fixture: RiskFixture) {
  const long = fixture.user(1, "10526.22");
  const short = fixture.user(2, "1000000");
  const maker = fixture.user(3, "1000000");
  fixture.price("61500");
  const [position] = fixture.pair([long, short], "ISOLATED", 60000, 0.6, 20);
  const { account } = position.owner;
  // Funding took 3.66 of the margin.
  position.marginMinor -= usdt("3.66");
  account.isolatedMarginMinor -= usdt("3.66");
  const { ledger } = fixture;
  ledger.move(
    account.base + CONTRACT_AVAILABLE + 2,
    account.base + CONTRACT_AVAILABLE,
    usdt("3.66"),
  );
  fixture.state.contract.risk.positionChanged(position);
  // Fees of opening 1 and of closing 0.4.
  position.cumOpenFeeMinor = usdt("48");
  position.cumCloseFeeMinor = usdt("19.68");
  assert.equal(position.marginMinor, usdt("1796.34"));
  assert.equal(fixture.wallet(long), usdt("10526.22"));
  assert.equal(fixture.cash(long), usdt("8729.88"));
  assert.equal(liquidationTicks(ledger, position), 573_387n);
  fixture.price("57338.7");
  assert.equal(position.sizeLots, 600);
  return { long, short, maker, position };
}

test("worked example, filled at 57200: the residue pays the fee, the fund gets the rest", () => {
  const fixture = new RiskFixture();
  const { long, maker } = afterStepFour(fixture);
  fixture.order(maker, "BUY", "LONG", "0.6", "57200");
  fixture.events = [];
  fixture.price("57338.6");
  const events = fixture.events;
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
  assert.equal(fixture.house("insurance"), usdt("88.884"));
  assert.equal(fixture.cash(long), usdt("8729.88"));
});

test("worked example, filled at 56900: the fund pays the gap and the fee", () => {
  const fixture = new RiskFixture();
  fixture.insure(usdt("1000"));
  const { long, maker } = afterStepFour(fixture);
  fixture.order(maker, "BUY", "LONG", "0.6", "56900");
  fixture.events = [];
  fixture.price("57338.6");
  const settled = fixture.emitted("liquidation-settled")[0];
  assert.equal(settled?.residueMinor, usdt("-63.66"));
  assert.equal(settled?.feeMinor, usdt("27.312"));
  assert.equal(settled?.insurancePaidMinor, usdt("90.972"));
  assert.equal(settled?.liquidationFeeMinor, 0n);
  assert.equal(fixture.house("insurance"), usdt("909.028"));
  assert.equal(fixture.wallet(long), usdt("8729.88"));
});

test("the fee is what residue and fund can pay, and what is left beyond both fees is kept", () => {
  // At 57010 the residue is 2.34 of a fee of 27.3648; at 58000 it is 596.34, and 1 % is 348.
  for (const [price, fee, liquidationFee, cash] of [
    ["57010", "2.34", "0", "8729.88"],
    ["58000", "27.84", "348", "8950.38"],
  ] as const) {
    const fixture = new RiskFixture();
    const { long, maker } = afterStepFour(fixture);
    fixture.order(maker, "BUY", "LONG", "0.6", price);
    fixture.events = [];
    fixture.price("57338.6");
    const settled = fixture.emitted("liquidation-settled")[0];
    assert.equal(settled?.feeMinor, usdt(fee));
    assert.equal(settled?.liquidationFeeMinor, usdt(liquidationFee));
    assert.equal(settled?.insurancePaidMinor, 0n);
    assert.equal(fixture.cash(long), usdt(cash));
  }
});

test("a bankruptcy price between two ticks is rounded in the holder's favour", () => {
  for (const [side, price, taken] of [
    ["LONG", "57000", "adl 1 @ 57000.1"],
    ["SHORT", "63100", "adl 1 @ 62999.9"],
  ] as const) {
    const fixture = new RiskFixture();
    const [victim, other] = [fixture.user(1, "3000"), fixture.user(2, "900000")];
    fixture.price("60000");
    const holders = side === "LONG" ? ([victim, other] as const) : ([other, victim] as const);
    const position = fixture.pair(holders, "ISOLATED", 60_000, 1, 20)[side === "LONG" ? 0 : 1];
    // 0.05 less of open value for SHORT, more for LONG: bankruptcy at 57000.05 or 62999.95.
    fixture.reopen(position, usdt(side === "LONG" ? "60000.05" : "59999.95"));
    fixture.price(price);
    assert.deepEqual(fixture.trades(), [taken]);
  }
});

test("with nothing in book and fund the other side takes over at the bankruptcy price", () => {
  const fixture = new RiskFixture();
  const { long, short, position } = afterStepFour(fixture);
  fixture.events = [];
  fixture.price("57338.6");
  assert.equal(position.sizeLots, 0);
  const events = fixture.events;
  assert.deepEqual(fixture.trades(), ["adl 0.6 @ 57006.1"]);
  const [trade] = events.filter((event) => event.type === "contract-trade");
  assert.equal(trade?.maker.uid, short.uid);
  assert.equal(trade?.maker.feeMinor, 0n);
  assert.equal(trade?.taker.feeMinor, 0n);
  assert.equal(trade?.maker.realizedPnlMinor, usdt("1796.34"));
  assert.equal(fixture.wallet(long), usdt("8729.88"));
  assert.equal(fixture.market.lastTicks, 0);
});

test("the fund pays lot by lot, and the other side takes what it cannot pay", () => {
  const fixture = new RiskFixture();
  // A lot at 56900 costs (57006.1 - 56900 + 56900 * 0.0008) * 0.001 = 0.15162.
  fixture.insure(usdt("15.162"));
  const { maker } = afterStepFour(fixture);
  fixture.order(maker, "BUY", "LONG", "0.05", "56950");
  fixture.order(maker, "BUY", "LONG", "0.6", "56900");
  fixture.events = [];
  fixture.price("57338.6");
  const trades = fixture.trades();
  // 0.05 at 56950 cost 0.05 * (56.1 + 45.56) = 5.083, which leaves 10.079 for 66 lots at 56900.
  assert.deepEqual(trades, [
    "liquidation 0.05 @ 56950",
    "liquidation 0.066 @ 56900",
    "adl 0.484 @ 57006.1",
  ]);
  assert.equal(fixture.house("insurance"), usdt("15.162") - usdt("5.083") - usdt("10.00692"));
});

test("outside of the price band the fund buys nothing", () => {
  const fixture = new RiskFixture({ sellLimitPriceRatio: "0.007" });
  fixture.insure(usdt("100000"));
  const { maker } = afterStepFour(fixture);
  // 57338.6 * 0.993 = 56937.2: of two orders below bankruptcy only the first is within.
  fixture.order(maker, "BUY", "LONG", "0.1", "56938");
  fixture.order(maker, "BUY", "LONG", "0.5", "56937.1");
  fixture.events = [];
  fixture.price("57338.6");
  assert.deepEqual(fixture.trades(), ["liquidation 0.1 @ 56938", "adl 0.5 @ 57006.1"]);
});

test("when nobody can bear the bankruptcy price the rest is held until somebody can pay", () => {
  const fixture = new RiskFixture();
  const long = fixture.user(1, "3400");
  const short = fixture.user(2, "1000");
  fixture.price("60000");
  const [position, other] = fixture.pair([long, short], "ISOLATED", 60000, 1, 60);
  // The other side sold at the low, with a margin of 1000 and nothing else.
  fixture.reopen(other, usdt("57900"));
  fixture.market.state = "halted";
  fixture.price("58500");
  fixture.market.state = "trading";
  fixture.events = [];
  fixture.run();
  // Bankruptcy at 59000 would cost the other side 1100, and it has 1000.
  assert.equal(position.sizeLots, 1000);
  const [ended] = fixture.emitted("contract-order-ended");
  assert.equal(`${ended?.uid} ${ended?.origin} ${ended?.reason}`, "1 liquidation nothing-to-match");
  fixture.run();
  assert.equal(fixture.events.length, 0);
  const buyer = fixture.user(3, "1000000");
  fixture.order(buyer, "BUY", "LONG", "1", "58500");
  assert.equal(position.sizeLots, 1000);
  fixture.insure(usdt("100000"));
  fixture.run();
  assert.equal(position.sizeLots, 0);
  assert.equal(fixture.cash(long), usdt("2400"));
});

test("orders of the liquidated side go, those of the other side stay", () => {
  const fixture = new RiskFixture();
  const { long } = afterStepFour(fixture);
  fixture.order(long, "BUY", "LONG", "0.01", "55000");
  fixture.order(long, "SELL", "LONG", "0.01", "59000");
  fixture.order(long, "SELL", "SHORT", "0.01", "59500");
  fixture.events = [];
  fixture.price("57338.6");
  const ended = fixture.events.filter((event) => event.type === "contract-order-ended");
  assert.deepEqual(
    ended
      .filter(({ origin }) => origin === "user")
      .map(({ reason, priceTicks }) => [reason, priceTicks]),
    [
      ["liquidation", 550_000],
      ["liquidation", 590_000],
    ],
  );
  assert.equal(fixture.owner(long).openOrders, 1);
});

test("auto append saves a position as far as the account can, and not otherwise", () => {
  for (const cash of ["5000", "100", "1"]) {
    const fixture = new RiskFixture();
    const long = fixture.user(1, `${3000 + Number(cash)}`);
    const short = fixture.user(2, "1000000");
    fixture.price("60000");
    const [position] = fixture.pair([long, short], "ISOLATED", 60000, 1, 20);
    const positionId = position.positionId;
    const enable = { type: "set-auto-append-margin", uid: 1, positionId, enabled: true } as const;
    assert.equal(setAutoAppendMargin(fixture, enable).ok, true);
    // Equity 320 of 332.54 that are needed.
    fixture.price("57320");
    const saved = cash !== "1";
    assert.equal(position.sizeLots > 0, saved, cash);
    // Back to value / leverage: 57320 / 20 - 320 = 2546; or all there is.
    if (cash === "5000") assert.equal(fixture.cash(long), usdt("2454"));
    if (cash === "100") assert.equal(fixture.cash(long), 0n);
    if (cash === "1") assert.equal(fixture.cash(long), usdt("1"));
  }
});

test("a cross account is netted, then reduced by tiers, the largest position first", () => {
  const tiers = [
    { maxNotional: "100000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
    { maxNotional: "200000", maintenanceMarginRate: "0.01", maxLeverage: 50 },
    { maxNotional: "400000", maintenanceMarginRate: "0.02", maxLeverage: 25 },
    { maxNotional: "9000000", maintenanceMarginRate: "0.05", maxLeverage: 10 },
  ];
  const fixture = new RiskFixture({ tiers, defaultLeverage: 5 });
  const victim = fixture.user(1, "40000");
  const other = fixture.user(2, "10000000");
  const maker = fixture.user(3, "10000000");
  fixture.price("60000");
  fixture.pair([victim, other], "CROSSED", 60000, 10, 10);
  fixture.pair([other, victim], "CROSSED", 60000, 2, 10);
  fixture.order(maker, "BUY", "LONG", "20", "57000");
  fixture.events = [];
  const { account } = fixture.owner(victim);
  // 12 on both sides are in the last tier: E = 40000 - 8 * 1600 = 27200 of 700800 * 0.0508.
  fixture.price("58400");
  const trades = fixture.trades();
  assert.equal(trades[0], "netting 2 @ 58400");
  // 8 * 58400 = 467200 is in the last tier: two tiers down are 200000 / 58400 = 3.424 to keep.
  // Netted, 27200 are enough for 467200 * 0.0508 = 23733.76.
  assert.equal(trades.length, 1);
  fixture.price("57900");
  const steps = fixture.trades();
  // E = 40000 - 8 * 2100 = 23200 of 463200 * 0.0508 = 23530.56: down to 200000 / 57900 = 3.454.
  assert.deepEqual(steps, ["liquidation 4.546 @ 57000"]);
  assert.ok(crossEquityMinor(fixture.ledger, account) > 0n);
});

for (const [side, marginType] of [
  ["LONG", "ISOLATED"],
  ["SHORT", "ISOLATED"],
  ["LONG", "CROSSED"],
  ["SHORT", "CROSSED"],
] as const) {
  test(`a fall of equity below zero is made good by the others: ${marginType} ${side}`, () => {
    const fixture = new RiskFixture();
    const [victim, other] = [fixture.user(1, "3000"), fixture.user(2, "900000")];
    fixture.price("60000");
    const holders = side === "LONG" ? ([victim, other] as const) : ([other, victim] as const);
    const [long, short] = fixture.pair(holders, marginType, 60000, 1, 20);
    const position = side === "LONG" ? long : short;
    // Far beyond bankruptcy, which is at 57000 or 63000.
    fixture.price(side === "LONG" ? "50000" : "70000");
    assert.equal(position.sizeLots, 0);
    assert.deepEqual(fixture.trades(), [`adl 1 @ ${side === "LONG" ? 57000 : 63000}`]);
    assert.equal(fixture.wallet(victim), 0n);
    assert.equal(fixture.wallet(other), usdt("903000"));
  });
}

test("a stale index holds liquidations up, a pinned mark or a new index lets them go on", () => {
  const fixture = new RiskFixture();
  const [long, short] = [fixture.user(1, "3000"), fixture.user(2, "900000")];
  fixture.price("60000");
  const [position] = fixture.pair([long, short], "ISOLATED", 60000, 1, 20);
  fixture.market.mark.ticks = 573_000;
  fixture.state.contract.risk.markChanged(fixture.market);
  fixture.nowMs += 60_001;
  fixture.run();
  assert.equal(position.sizeLots, 1000);
  fixture.price("57300");
  assert.equal(position.sizeLots, 0);
});

test("a cascade that is cut ends as one that is not", () => {
  const outcomes = [1, 2, 1000].map((steps) => {
    const fixture = new RiskFixture();
    fixture.insure(usdt("50"));
    const maker = fixture.user(1000, "1000000");
    fixture.price("60000");
    for (let i = 0; i < 12; i++) {
      const long = fixture.user(1 + 2 * i, "20000");
      const short = fixture.user(2 + 2 * i, "20000");
      const marginType = i % 3 === 0 ? "CROSSED" : "ISOLATED";
      fixture.pair([long, short], marginType, 60000, 0.5 + i / 10, 20 + i);
    }
    fixture.order(maker, "BUY", "LONG", "3", "57500");
    fixture.events = [];
    const { market } = fixture;
    market.state = "halted";
    fixture.price("45000");
    market.state = "trading";
    const slices = fixture.run(steps);
    assert.equal(slices > 1, steps < 1000, `${slices} slices of ${steps}`);
    return JSON.stringify(fixture.events, (_, value) =>
      typeof value === "bigint" ? value.toString() : value,
    );
  });
  assert.equal(outcomes[0], outcomes[2]);
  assert.equal(outcomes[1], outcomes[2]);
});

test("a cross account loses its orders everywhere, then its heaviest position first", () => {
  const fixture = new RiskFixture();
  const eth = fixture.list({ symbol: "ETHUSDT", baseAsset: "ETH" });
  const [victim, other] = [fixture.user(1, "8000"), fixture.user(2, "900000")];
  const maker = fixture.user(3, "900000");
  fixture.price("60000");
  fixture.price("2000", eth);
  fixture.pair([victim, other], "CROSSED", 2000, 1, 20, eth);
  const [heavy] = fixture.pair([victim, other], "CROSSED", 60_000, 1, 20);
  fixture.order(victim, "BUY", "LONG", "0.01", "57000");
  fixture.order(maker, "BUY", "LONG", "1", "56000");
  fixture.events = [];
  // E = 8000 - 7700 = 300 of 52300 * 0.0058 + 2000 * 0.0058 = 314.94.
  fixture.price("52300");
  const symbols = fixture.events.flatMap((event) =>
    event.type === "contract-trade" ? [`${event.symbol} ${event.priceTicks / 10}`] : [],
  );
  assert.deepEqual(symbols, ["BTCUSDT 56000"]);
  assert.equal(heavy.sizeLots, 0);
  assert.equal(fixture.owner(victim).openOrders, 0);
  assert.equal(fixture.owner(victim, eth).sideLots[0], 1000);
});
