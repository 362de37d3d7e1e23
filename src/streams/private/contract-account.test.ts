/**
 * Proves on the real engine what the private channels of contracts send in cases that random
 * trading does not cover: conditional orders, movements of funds, settings, and a position that
 * opens and closes between two queries.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { Listener, StreamFixture, SYMBOL, settle } from "../../../test/support/stream-fixture.ts";
import type { PrivateKind } from "../../api/channel-names.ts";
import type { Command } from "../../protocol/index.ts";
import { V3_DIALECT } from "../v3/v3-dialect.ts";

type Listeners = Readonly<Record<PrivateKind, Listener>>;

async function listenTo(fixture: StreamFixture, uid: number): Promise<Listeners> {
  const feed = await fixture.router.accounts.contract.feed(uid);
  assert.ok(feed !== null);
  const listeners = {
    account: new Listener(),
    orders: new Listener(),
    fill: new Listener(),
    positions: new Listener(),
  };
  for (const [kind, listener] of Object.entries(listeners)) {
    const named = V3_DIALECT.privateChannel("contract", kind);
    assert.ok(named !== null);
    feed.subscribe(named, listener);
  }
  return listeners;
}

function order(
  uid: number,
  side: "BUY" | "SELL",
  positionSide: "LONG" | "SHORT",
  clientOrderId: string,
): Command {
  return {
    type: "place-contract-order",
    uid,
    symbol: SYMBOL,
    side,
    positionSide,
    orderType: "LIMIT",
    timeInForce: "GTC",
    price: "1000",
    quantity: "2",
    clientOrderId,
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  };
}

/** A position of 2, and an order that waits to take it. */
async function openPosition() {
  const fixture = await StreamFixture.open();
  const [uid, other] = [await fixture.user(), await fixture.user()];
  const seen = await listenTo(fixture, uid);
  await fixture.must(order(other, "SELL", "SHORT", "1"));
  await fixture.must(order(uid, "BUY", "LONG", "2"));
  await fixture.must(order(other, "BUY", "SHORT", "3"));
  return { fixture, seen, uid };
}

test("a position that comes and goes at once is shown gone, with its totals", async () => {
  const { fixture, seen, uid } = await openPosition();
  await fixture.must(order(uid, "SELL", "LONG", "4"));
  await settle();
  const last = seen.positions.entries.at(-1);
  assert.deepEqual(
    [last?.size, last?.side, last?.cumOpenSize, last?.cumCloseSize, last?.leverage],
    ["0", "LONG", "2", "2", "20"],
  );
  assert.equal(last?.cumOpenFee, seen.fill.entries[0]?.fillFee);
  assert.deepEqual(
    seen.orders.entries.map(({ status, reduceOnly }) => [status, reduceOnly]),
    [
      ["FILLED", false],
      ["FILLED", true],
    ],
  );
  for (const { messages } of Object.values(seen)) {
    assert.ok(messages.length > 0 && messages.every(({ d }) => (d as unknown[]).length > 0));
  }
  fixture.router.sleep();
});

test("conditional orders wait, and end", async () => {
  const fixture = await StreamFixture.open();
  const [uid, other] = [await fixture.user(), await fixture.user()];
  await fixture.must(order(other, "SELL", "SHORT", "1"));
  await fixture.must(order(uid, "BUY", "LONG", "2"));
  const seen = await listenTo(fixture, uid);
  await fixture.must({
    type: "place-algo-order",
    uid,
    symbol: SYMBOL,
    side: "SELL",
    positionSide: "LONG",
    orderType: "STOP_MARKET",
    quantity: "2",
    closePosition: false,
    isTpSl: false,
    triggerPrice: "900",
    price: "0",
    workingType: "MARK_PRICE",
    clientAlgoId: "stop-1",
    presetTakeProfitPrice: null,
    presetStopLossPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
    callbackRate: "0",
    activationPrice: null,
  });
  await fixture.must({ type: "cancel-all-algo-orders", uid, symbol: null });
  await settle();
  assert.deepEqual(
    seen.orders.entries.map(({ status, type, triggerPrice, clientOrderId, triggerPriceType }) => [
      status,
      type,
      triggerPrice,
      clientOrderId,
      triggerPriceType,
    ]),
    ["UNTRIGGERED", "CANCELED"].map((status) => [
      status,
      "STOP_MARKET",
      "900",
      "stop-1",
      "MARK_PRICE",
    ]),
  );
  fixture.router.sleep();
});

test("funds that come and go are named so", async () => {
  const fixture = await StreamFixture.open();
  const uid = await fixture.user();
  const seen = await listenTo(fixture, uid);
  const funds = { actor: "operator", uid, wallet: "contract", asset: "USDT", amount: "5" } as const;
  await fixture.must({ type: "deposit-funds", requestId: "d", ...funds });
  await settle();
  await fixture.must({ type: "withdraw-funds", requestId: "w", ...funds });
  await settle();
  assert.deepEqual(
    seen.account.messages.map(({ msgEvent }) => msgEvent),
    ["DepositUpdate", "WithdrawUpdate"],
  );
  const [deposited, withdrawn] = seen.account.entries;
  assert.deepEqual([deposited?.amount, withdrawn?.amount], ["100000005", "100000000"]);
  fixture.router.sleep();
});

test("a position that was closed stays closed behind an answer of before it", async () => {
  const { fixture, seen, uid } = await openPosition();
  await settle();
  const letGo = holdAnswers(fixture, "contract-positions");
  await fixture.must({ ...order(uid, "BUY", "LONG", "4"), price: "900" } as Command);
  await settle();
  await fixture.must(order(uid, "SELL", "LONG", "5"));
  await settle();
  letGo();
  await settle();
  assert.equal(seen.positions.entries.at(-1)?.size, "0");
  fixture.router.sleep();
});

/** As with a thread of gateways: events may come ahead of the answer to an earlier question. */
function holdAnswers({ exchange: { client } }: StreamFixture, type: string): () => void {
  const query = client.query.bind(client);
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  client.query = async (asked) => {
    const answer = await query(asked);
    if (asked.type === type) await held;
    return answer;
  };
  return letGo;
}
