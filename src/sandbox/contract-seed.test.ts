/**
 * Proves that the demo's contracts are set up once: listed markets are not listed again, deposits
 * carry the ids of the first start, and accounts that traded or moved funds are left alone.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { type EngineScript, ExchangeDouble } from "../../test/support/exchange-double.ts";
import { accept, reject } from "../domain/index.ts";
import type { Command } from "../protocol/index.ts";
import { seedContracts, seedContractTrades } from "./contract-seed.ts";
import { CONTRACT_TRADER_FUNDS, DEMO_CONTRACTS } from "./demo-profile.ts";

const SEEDING: EngineScript = {
  "contract-markets": () => accept([]),
  "set-contract-market": () => accept(null),
  "deposit-funds": ({ requestId }) => accept({ requestId, balance: "1" }),
  "deposit-insurance": ({ requestId }) => accept({ requestId, balance: "1" }),
};

/** The contents of a trader's wallet that was never used. */
function balance(amount: string) {
  return {
    asset: "USDT",
    balance: amount,
    availableBalance: amount,
    frozen: "0",
    unrealizePnl: "0",
    available: amount,
    orderMargin: "0",
    positionMargin: "0",
  };
}

function prices(symbol: string, markPrice: string) {
  return {
    symbol,
    markPrice,
    indexPrice: markPrice,
    indexMs: 0,
    isStale: false,
    isPinned: false,
    lastPrice: "0",
    openInterest: "0",
    forecastFundingRate: "0",
    lastFundingRate: "0",
    interestRate: "0",
    nextFundingMs: 1,
    fundingIntervalMinutes: 480,
  };
}

function openExchange(change: EngineScript = {}): ExchangeDouble {
  const placed = { orderId: 1, clientOrderId: "", symbol: "", createdMs: 0, bookVersion: 1 };
  return new ExchangeDouble({
    "contract-prices": ({ symbol }) => accept([prices(symbol ?? "", "50000")]),
    "contract-balances": () => accept([balance(CONTRACT_TRADER_FUNDS)]),
    "contract-positions": () => accept([]),
    "contract-open-orders": () => accept([]),
    "set-margin-type": () => accept(null),
    "set-leverage": () => reject("conflict"),
    "place-contract-order": () => accept(placed),
    "place-algo-order": () => accept({ algoId: 2, clientAlgoId: "", symbol: "", createdMs: 0 }),
    ...change,
  });
}

const typesOf = (commands: readonly Command[]) => commands.map(({ type }) => type);

test("a new venue gets markets, funds of every account and an insurance fund", async () => {
  const exchange = new ExchangeDouble(SEEDING);
  await seedContracts(exchange.engine);
  const funded = exchange.commands.flatMap((command) =>
    command.type === "deposit-funds" ? [command.uid] : [],
  );
  assert.deepEqual(funded, [1001, 1002, 2001, 2002]);
  const listed = exchange.commands.flatMap((command) =>
    command.type === "set-contract-market" ? [command.symbol] : [],
  );
  assert.deepEqual(listed, ["BTCUSDT", "ETHUSDT"]);
  assert.equal(typesOf(exchange.commands).filter((type) => type === "deposit-insurance").length, 1);
});

test("a second start lists nothing and repeats the same requests", async () => {
  const first = new ExchangeDouble(SEEDING);
  await seedContracts(first.engine);
  const second = new ExchangeDouble({
    ...SEEDING,
    "contract-markets": () => accept(DEMO_CONTRACTS as never),
  });
  await seedContracts(second.engine);
  const requests = first.commands.filter(({ type }) => type !== "set-contract-market");
  assert.deepEqual(second.commands, requests);
});

test("both people get a position and an order beside it; what is refused is left out", async () => {
  const exchange = openExchange();
  await seedContractTrades(exchange.engine);
  assert.deepEqual(typesOf(exchange.commands), [
    "set-margin-type",
    "set-leverage",
    "place-contract-order",
    "place-algo-order",
    "place-algo-order",
    "place-contract-order",
    "place-contract-order",
    "place-contract-order",
  ]);
  assert.partialDeepStrictEqual(exchange.commands.slice(2, 6), [
    { uid: 1001, side: "BUY", positionSide: "LONG", orderType: "MARKET", quantity: "0.500" },
    { orderType: "TAKE_PROFIT_MARKET", triggerPrice: "52000.0", closePosition: true },
    { orderType: "STOP_MARKET", triggerPrice: "48500.0", closePosition: true },
    { uid: 1001, orderType: "LIMIT", price: "49250.0" },
  ]);
  assert.partialDeepStrictEqual(exchange.commands.slice(6), [
    { uid: 1002, symbol: "ETHUSDT", side: "SELL", positionSide: "SHORT", orderType: "MARKET" },
    { uid: 1002, symbol: "ETHUSDT", orderType: "LIMIT", price: "50750.00" },
  ]);
});

test("an account that was used is left alone, and so is everyone without a price", async () => {
  const used: readonly EngineScript[] = [
    { "contract-balances": () => accept([balance("49999.5")]) },
    { "contract-balances": () => accept([]) },
    { "contract-positions": () => accept([{}] as never) },
    { "contract-open-orders": () => accept([{}] as never) },
    { "contract-prices": ({ symbol }) => accept([prices(symbol ?? "", "0")]) },
    { "contract-prices": () => reject("unknown-symbol") },
  ];
  for (const change of used) {
    const exchange = openExchange(change);
    await seedContractTrades(exchange.engine);
    assert.deepEqual(exchange.commands, []);
  }
});
