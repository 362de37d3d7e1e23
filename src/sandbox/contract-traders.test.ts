/**
 * Proves how the demo's contract makers and takers start: without a price they do nothing; with one
 * they quote whole ladders around the index, or around a pinned mark, and close what they hold
 * before they open more.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type EngineScript, ExchangeDouble } from "../../test/support/exchange-double.ts";
import { accept, reject } from "../domain/index.ts";
import { NODE_PLATFORM } from "../platform/index.ts";
import type { CommandOf, ContractPricesView, PositionView } from "../protocol/index.ts";
import { ContractTraders } from "./contract-traders.ts";
import { MAKER_UID, TAKER_UID } from "./demo-profile.ts";
import { FINE_LADDER } from "./quotes.ts";

const POLLS_MAX = 400;

type Order = CommandOf<"place-contract-order">;

function openExchange(
  prices: Partial<ContractPricesView>,
  held: readonly object[] = [],
): ExchangeDouble {
  const script: EngineScript = {
    "contract-prices": ({ symbol }) =>
      accept([
        {
          symbol: symbol ?? "",
          markPrice: "0",
          indexPrice: "0",
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
          ...prices,
        },
      ]),
    // None of the demo's invitees exists here.
    user: () => reject("unknown-user"),
    "contract-open-orders": () => accept([]),
    "contract-balances": () => accept([]),
    "contract-positions": ({ uid }) =>
      accept(uid === MAKER_UID ? (held as readonly PositionView[]) : []),
    "place-contract-order": () => reject("insufficient-margin"),
  };
  return new ExchangeDouble(script);
}

/** Trades until a taker traded in both markets, which happens after the ladders. */
async function quoted(exchange: ExchangeDouble): Promise<readonly Order[]> {
  const isWatched = () => false;
  const traders = ContractTraders.start({
    engine: exchange.engine,
    platform: NODE_PLATFORM,
    isWatched,
    seed: 7,
  });
  const orders = () =>
    exchange.commands.filter((command) => command.type === "place-contract-order");
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    if (orders().filter(({ uid }) => uid === TAKER_UID).length >= 2) break;
    await sleep(20);
  }
  await traders.stop();
  return orders();
}

const ordersOf = (orders: readonly Order[], uid: number, symbol: string) =>
  orders.filter((order) => order.uid === uid && order.symbol === symbol);

test("without a price nothing is commanded", async () => {
  const exchange = openExchange({});
  const isWatched = () => true;
  const traders = ContractTraders.start({
    engine: exchange.engine,
    platform: NODE_PLATFORM,
    isWatched,
    seed: 7,
  });
  for (let poll = 0; poll < POLLS_MAX; poll++) {
    if (exchange.queries.length >= 3) break;
    await sleep(20);
  }
  await traders.stop();
  assert.ok(exchange.queries.length >= 3);
  assert.deepEqual(exchange.commands, []);
});

test("whole ladders stand around the index, and somebody takes", async () => {
  const orders = await quoted(openExchange({ indexPrice: "50000", markPrice: "51000" }));
  for (const symbol of ["BTCUSDT", "ETHUSDT"]) {
    const quotes = ordersOf(orders, MAKER_UID, symbol);
    const bids = quotes.filter(({ side }) => side === "BUY");
    const asks = quotes.filter(({ side }) => side === "SELL");
    assert.deepEqual([bids.length, asks.length], [FINE_LADDER.levels, FINE_LADDER.levels]);
    for (const { price, positionSide, timeInForce } of bids) {
      assert.deepEqual([positionSide, timeInForce], ["LONG", "POST_ONLY"]);
      assert.ok(Number(price) < 50_000 && Number(price) > 49_500, price);
    }
    for (const { price, positionSide } of asks) {
      assert.equal(positionSide, "SHORT");
      assert.ok(Number(price) > 50_000 && Number(price) < 50_500, price);
    }
    const [taken] = ordersOf(orders, TAKER_UID, symbol);
    assert.equal(taken?.timeInForce, "IOC");
  }
  assert.equal(new Set(orders.map(({ clientOrderId }) => clientOrderId)).size, orders.length);
});

test("a pinned mark is what they quote around", async () => {
  const orders = await quoted(
    openExchange({ indexPrice: "50000", markPrice: "40000", isPinned: true }),
  );
  const bids = ordersOf(orders, MAKER_UID, "BTCUSDT").filter(({ side }) => side === "BUY");
  for (const { price } of bids) assert.ok(Number(price) < 40_000, price);
});

test("what is held is closed first, and never more than that", async () => {
  const held = [{ side: "LONG", size: "0.5" }];
  const orders = await quoted(openExchange({ indexPrice: "50000" }, held));
  const quotes = ordersOf(orders, MAKER_UID, "BTCUSDT");
  const closing = quotes.filter(
    ({ side, positionSide }) => side === "SELL" && positionSide === "LONG",
  );
  const total = closing.reduce((sum, { quantity }) => sum + Number(quantity), 0);
  assert.ok(closing.length > 0 && total <= 0.5, String(total));
  assert.ok(quotes.some(({ side, positionSide }) => side === "SELL" && positionSide === "SHORT"));
  for (const { side, positionSide } of quotes) {
    if (side === "BUY") assert.equal(positionSide, "LONG", "there is no short position to close");
  }
});
