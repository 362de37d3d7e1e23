/**
 * Proves that amounts stay exact at the limits of the API: prices and quantities near 2^53 ticks
 * and lots, products far beyond, the smallest unit of an asset, assets of 18 decimals and of none;
 * every balance equals the plain model to the last unit.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { exact, text } from "../support/exact.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import {
  type Account,
  BTCUSDT,
  listMarket,
  type MarketRules,
  openAccount,
} from "../support/exchange-setup.ts";
import { SpotOracle } from "../support/spot-oracle.ts";
import { assertRefused } from "../support/v2-answers.ts";

const MANY = "9007199254740991";
const RULES: MarketRules = {
  ...BTCUSDT,
  baseAsset: "GRAIN",
  tickSize: "0.00000001",
  stepSize: "1",
  minTradeAmount: "1",
  maxTradeAmount: MANY,
  minNotional: "0.00000001",
  makerFeeRate: "0.00000001",
  takerFeeRate: "0.0999",
  buyLimitPriceRatio: "1000",
  sellLimitPriceRatio: "0.99999999",
};

interface Fixture {
  readonly exchange: ExchangeProcess;
  readonly seller: Account;
  readonly buyer: Account;
  readonly oracle: SpotOracle;
}

let orders = 0;

async function trade(fixture: Fixture, price: string, quantity: string): Promise<void> {
  for (const [user, side, account] of [
    ["seller", "SELL", fixture.seller],
    ["buyer", "BUY", fixture.buyer],
  ] as const) {
    orders++;
    const key = `extreme-${orders}`;
    await account.client.placed({
      symbol: "GRAINUSDT",
      side: side.toLowerCase(),
      orderType: "limit",
      force: "normal",
      price,
      quantity,
      clientOrderId: key,
    });
    const request = { key, user, side, timeInForce: "GTC" } as const;
    fixture.oracle.place({ ...request, price: exact(price), quantity: exact(quantity) });
    await compare(fixture);
  }
}

async function compare({ seller, buyer, oracle }: Fixture): Promise<void> {
  for (const [user, account] of [
    ["seller", seller],
    ["buyer", buyer],
  ] as const) {
    const assets = await account.client.assets();
    for (const asset of ["USDT", "GRAIN"]) {
      const row = assets.get(asset);
      assert.equal(row?.available, text(oracle.available(user, asset)), `${user} ${asset}`);
      assert.equal(row?.frozen, text(oracle.frozen(user, asset)), `${user} ${asset}`);
    }
  }
}

async function fineAndCoarse(t: TestContext, exchange: ExchangeProcess): Promise<void> {
  const { operator } = exchange;
  await t.test("an asset without decimals and one with eighteen", async () => {
    await operator.call("PUT", "/operator/v1/assets/STONE", {
      coinId: 10,
      name: "Stone",
      scale: 0,
    });
    await operator.call("PUT", "/operator/v1/assets/DUST", { coinId: 11, name: "Dust", scale: 18 });
    const rules = { ...RULES, baseAsset: "STONE", quoteAsset: "DUST", makerFeeRate: "0.001" };
    const fine = { tickSize: "0.000000000000000001", minNotional: "0.000000000000000001" };
    await listMarket(exchange, "STONEDUST", { ...rules, ...fine, takerFeeRate: "0.001" });
    const stones = await openAccount(exchange, { STONE: "5000" });
    const dust = await openAccount(exchange, { DUST: "1.000000000000000001" });
    const order = {
      symbol: "STONEDUST",
      orderType: "limit",
      force: "normal",
      price: "0.000000000000000001",
      quantity: "1500",
    };
    await stones.client.placed({ ...order, side: "sell", clientOrderId: "s" });
    await dust.client.placed({ ...order, side: "buy", clientOrderId: "b" });
    // Fees: 0.1 % of 1500 stones rounded up to 2; of 1500 units of dust rounded up to 2.
    assert.equal((await dust.client.assets()).get("STONE")?.available, "1498");
    assert.equal((await dust.client.assets()).get("DUST")?.available, "0.999999999999998501");
    assert.equal((await stones.client.assets()).get("STONE")?.available, "3500");
    assert.equal((await stones.client.assets()).get("DUST")?.available, "0.000000000000001498");
  });
}

test("amounts at both ends of the range", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  const { operator } = exchange;
  await operator.call("PUT", "/operator/v1/assets/GRAIN", { coinId: 9, name: "Grain", scale: 8 });
  await listMarket(exchange, "GRAINUSDT", RULES);
  const wealth = "999999999999999999.99999999";
  const grains = "100000000000000000";
  const seller = await openAccount(exchange, { GRAIN: grains });
  const buyer = await openAccount(exchange, { USDT: wealth });
  const oracle = new SpotOracle({
    base: "GRAIN",
    quote: "USDT",
    step: exact("1"),
    makerRate: exact(RULES.makerFeeRate),
    takerRate: exact(RULES.takerFeeRate),
  });
  oracle.deposit("seller", "GRAIN", exact(grains));
  oracle.deposit("buyer", "USDT", exact(wealth));
  const fixture: Fixture = { exchange, seller, buyer, oracle };

  await t.test("the smallest price, quantity and fee", async () => {
    await trade(fixture, "0.00000001", "1");
    await trade(fixture, "0.00000001", MANY);
    await trade(fixture, "0.00000003", "3");
    // Up by no more than the band allows.
    for (const price of ["0.00003", "0.03", "30"]) await trade(fixture, price, "1");
  });
  await t.test("products far above 2^53", async () => {
    await trade(fixture, "90.07199253", MANY);
    await trade(fixture, "90071.99254741", "1");
    await trade(fixture, "12345678.87654321", "7777777777");
  });
  await t.test("one unit more than there is", async () => {
    const funds = oracle.available("buyer", "USDT");
    const body = {
      symbol: "GRAINUSDT",
      side: "buy",
      orderType: "market",
      force: "normal",
      clientOrderId: "one-too-many",
    };
    const tooMuch = text(funds + exact("0.00000001"));
    assertRefused(await buyer.client.place({ ...body, quantity: tooMuch }), "43012");
    await buyer.client.placed({ ...body, quantity: text(funds) });
    await compare(fixture);
  });
  await fineAndCoarse(t, exchange);
  const { ok, violations } = await operator.invariants();
  assert.equal(ok, true, violations.join("; "));
});
