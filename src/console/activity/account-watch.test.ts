/** Proves which sentences the private streams become, and which of them are news. */
import assert from "node:assert/strict";
import test from "node:test";
import type { StreamFill, StreamOrder } from "../../client/index.ts";
import { AccountWatch } from "./account-watch.ts";
import type { Activity } from "./activity.ts";

const ORDER: StreamOrder = {
  product: "contract",
  symbol: "BTCUSDT",
  orderId: 7,
  clientOrderId: "mine",
  side: "SELL",
  positionSide: "LONG",
  type: "MARKET",
  timeInForce: "IOC",
  price: "0",
  origQty: "0.5",
  executedQty: "0.5",
  executedValue: "28600",
  fee: "0",
  lastFillPrice: "57200",
  status: "FILLED",
  source: "API",
  cancelReason: null,
  triggerPrice: "0",
  time: 1_000,
  updateTime: 1_000,
};

const FILL: StreamFill = {
  product: "contract",
  symbol: "BTCUSDT",
  id: 1,
  orderId: 7,
  side: "SELL",
  positionSide: "LONG",
  qty: "0.25",
  quoteQty: "14300",
  fee: "1",
  feeAsset: "USDT",
  realizedPnl: "-10.5",
  maker: false,
  time: 1_000,
};

const CONDITIONAL: StreamOrder = {
  ...ORDER,
  orderId: 6,
  type: "STOP_MARKET",
  status: "UNTRIGGERED",
  executedQty: "0",
  triggerPrice: "57300",
};

function watched(): { readonly watch: AccountWatch; readonly said: Activity[] } {
  const said: Activity[] = [];
  return { watch: new AccountWatch((activity) => said.push(activity)), said };
}

const texts = (said: readonly Activity[]) => said.map(({ text, isNews }) => [text, isNews]);

test("the fills of one command are one sentence, with the average and the profit", () => {
  const { watch, said } = watched();
  watch.fill(FILL);
  watch.fill({ ...FILL, id: 2, quoteQty: "14310", realizedPnl: "-8" });
  watch.order(ORDER);
  assert.deepEqual(said, [
    {
      atMs: 1_000,
      text: "Sold 0.5 BTCUSDT at 57,220, P&L -18.50",
      tone: "good",
      isNews: false,
    },
  ]);
  // Nothing is counted twice.
  watch.order({ ...ORDER, orderId: 8 });
  assert.equal(said.length, 1);
});

test("a resting order that fills is news, also when its clock stands still", () => {
  const { watch, said } = watched();
  const spot = { product: "spot", side: "BUY", positionSide: null, type: "LIMIT" } as const;
  const resting = { ...ORDER, ...spot, status: "NEW", executedQty: "0", origQty: "2" } as const;
  watch.order(resting);
  watch.fill({ ...FILL, ...spot, realizedPnl: null });
  watch.order({ ...resting, executedQty: "0.25" });
  watch.fill({ ...FILL, ...spot, realizedPnl: null, qty: "1.75", quoteQty: "99750" });
  watch.order({ ...resting, executedQty: "2", status: "FILLED" });
  assert.deepEqual(texts(said), [
    ["Bought 0.25 BTCUSDT at 57,200, filled 0.25 of 2", true],
    ["Bought 1.75 BTCUSDT at 57,000", true],
  ]);
});

test("a stop says that it was triggered, and what it did", () => {
  const { watch, said } = watched();
  watch.order(CONDITIONAL);
  watch.order({ ...CONDITIONAL, status: "NEW", updateTime: 2_000 });
  watch.fill(FILL);
  watch.order({ ...CONDITIONAL, status: "FILLED" });
  watch.order({ ...ORDER, source: "ALGO", executedQty: "0.25" });
  assert.deepEqual(texts(said), [
    ["Stop triggered: BTCUSDT at 57,300", true],
    ["Stop: sold 0.25 BTCUSDT at 57,200, P&L -10.50", true],
  ]);
});

test("liquidation and deleveraging are bad news, with the exchange as the source", () => {
  for (const [source, name] of [
    ["LIQUIDATION", "Liquidation"],
    ["ADL", "ADL"],
  ] as const) {
    const { watch, said } = watched();
    watch.fill(FILL);
    watch.order({ ...ORDER, source });
    const text = `${name}: sold 0.25 BTCUSDT at 57,200, P&L -10.50`;
    assert.deepEqual(said, [{ atMs: 1_000, text, tone: "bad", isNews: true }]);
  }
});

test("a cancellation is news unless the user asked for it", () => {
  const { watch, said } = watched();
  const open = { ...ORDER, type: "LIMIT", executedQty: "0", status: "NEW" } as const;
  const ended = { ...open, status: "CANCELED", updateTime: 5_000 } as const;
  watch.order(open);
  watch.order({ ...ended, cancelReason: "CANCELLED_BY_USER" });
  watch.order(open);
  watch.order({ ...ended, cancelReason: "DEAD_MAN_SWITCH" });
  watch.order({ ...ended, time: 5_000, cancelReason: "WOULD_TAKE" });
  watch.order({ ...CONDITIONAL, status: "CANCELED" });
  assert.deepEqual(texts(said), [
    ["Limit sell of BTCUSDT cancelled", false],
    ["Limit sell of BTCUSDT cancelled: the countdown ended", true],
    ["Limit sell of BTCUSDT cancelled: post-only, but it would have matched", false],
    ["Stop sell of BTCUSDT cancelled", false],
  ]);
});

test("funding is what a position's sum has grown by", () => {
  const { watch, said } = watched();
  const position = { id: 3, asset: "USDT", symbol: "BTCUSDT", cumFundingFee: "1.5" };
  watch.position(position, 1);
  watch.position(position, 2);
  watch.position({ ...position, cumFundingFee: "4" }, 3);
  watch.position({ ...position, cumFundingFee: "-1" }, 4);
  assert.deepEqual(texts(said), [
    ["Funding paid: 2.5 USDT on BTCUSDT", true],
    ["Funding received: 5 USDT on BTCUSDT", true],
  ]);
});
