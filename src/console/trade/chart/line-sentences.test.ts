/** Proves what is asked before a line of the chart changes an order. */
import assert from "node:assert/strict";
import test from "node:test";
import type { AlgoOrder } from "../../../client/index.ts";
import type { EntryLine, OrderLine, TriggerLine } from "../chart-line.ts";
import { exitAt, exitSentences, moveSentences } from "./line-sentences.ts";

const PRICES = { last: "80300", mark: "80350", baseAsset: "BTC" };

const order: OrderLine = {
  kind: "order",
  id: "order-1",
  price: "80000",
  label: "Buy 0.01",
  tone: "buy",
  orderId: 1,
  side: "BUY",
  quantity: "0.01",
  filled: "0",
};

const stop: TriggerLine = {
  kind: "trigger",
  id: "trigger-1",
  price: "78000",
  label: "Stop-loss long all",
  tone: "sell",
  order: { orderType: "STOP_MARKET", side: "SELL", slTriggerPrice: "" } as AlgoOrder,
  name: "stop-loss of your long",
  limitPrice: null,
  watches: "last",
  isExit: true,
  isMovable: true,
};

const entry: EntryLine = {
  kind: "entry",
  id: "entry-1",
  price: "80000",
  label: "Long 0.02",
  tone: "info",
  positionSide: "LONG",
  size: "0.02",
};

test("an order that moves loses its place, or fills where it crosses the market", () => {
  assert.deepEqual(moveSentences(order, "80100", PRICES), [
    "Move your order to buy 0.01 BTC from 80,000 to 80,100?",
    "It joins the back of the queue at the new price.",
  ]);
  const crossing = "The last price is 80,300: the order may fill at once.";
  assert.equal(moveSentences(order, "80400", PRICES)[1], crossing);
  assert.equal(moveSentences({ ...order, side: "SELL" }, "80200", PRICES)[1], crossing);
  const part = moveSentences({ ...order, filled: "0.004" }, "79000", { ...PRICES, last: null });
  assert.equal(
    part[0],
    "Move your order to buy the unfilled 0.006 of 0.01 BTC from 80,000 to 79,000?",
  );
});

test("a stop says what it watches, and when it would trigger at once", () => {
  assert.deepEqual(moveSentences(stop, "79000", PRICES), [
    "Move the stop-loss of your long from 78,000 to 79,000 (last price)?",
  ]);
  const atOnce = "The last price is 80,300: it would trigger at once.";
  assert.equal(moveSentences(stop, "80300", PRICES)[1], atOnce);
  assert.match(
    moveSentences({ ...stop, watches: "mark" }, "80350", PRICES)[1] ?? "",
    /^The mark price is 80,350/,
  );
  const order = { ...stop.order, orderType: "TAKE_PROFIT" } as AlgoOrder;
  const profit = { ...stop, order, limitPrice: "80200" };
  assert.deepEqual(moveSentences(profit, "81000", PRICES).slice(1), [
    "Its limit price stays 80,200.",
  ]);
  assert.equal(moveSentences(profit, "80000", PRICES)[1], atOnce);
});

test("a stop that opens a position is placed again, which is a risk that is said", () => {
  const order = { ...stop.order, side: "BUY", slTriggerPrice: "79000" } as AlgoOrder;
  const said = moveSentences({ ...stop, order, isExit: false }, "82000", PRICES);
  assert.match(said[1] ?? "", /cancelled and placed again: if the exchange rejects/);
  assert.match(said[2] ?? "", /stop-loss will watch the last price/);
});

test("the winning side of the price takes profit, the other stops the loss", () => {
  assert.equal(exitAt(entry, "81000", "80300"), "TAKE_PROFIT");
  assert.equal(exitAt(entry, "79000", "80300"), "STOP_LOSS");
  const short: EntryLine = { ...entry, positionSide: "SHORT" };
  assert.equal(exitAt(short, "79000", "80300"), "TAKE_PROFIT");
  assert.equal(exitAt(short, "81000", "80300"), "STOP_LOSS");
  assert.equal(
    exitSentences(entry, "STOP_LOSS", "79000", PRICES)[0],
    "Set a stop-loss for your long at 79,000?",
  );
});
