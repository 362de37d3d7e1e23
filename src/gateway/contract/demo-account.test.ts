/**
 * Proves that the demo account is the contract account under other names: the same questions and
 * commands, and answers that differ in the names of assets and markets alone.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { CONTRACT_ENGINE, CONTRACT_HISTORY } from "../../../test/support/contract-fixture.ts";
import {
  answerOf,
  type EndpointInput,
  refusalOf,
  CALLER_UID as UID,
} from "../../../test/support/endpoint-call.ts";
import { ExchangeDouble } from "../../../test/support/exchange-double.ts";
import { accept } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import { balance } from "./account.ts";
import { demoBalance, demoOrderHistory, demoPlaceOrder, demoPositions } from "./demo-account.ts";
import { orderHistory } from "./order-reads.ts";
import { placeOrder } from "./orders.ts";
import { allPositions } from "./positions.ts";

const contracts = () =>
  new ExchangeDouble(
    {
      ...CONTRACT_ENGINE,
      "place-contract-order": ({ clientOrderId, symbol }) =>
        accept({ orderId: 90, clientOrderId, symbol, createdMs: 1, bookVersion: 5 }),
    },
    CONTRACT_HISTORY,
  );

/** Both answers, and that the exchange heard the same. */
async function bothAnswers(
  [demo, demoInput]: readonly [Endpoint, EndpointInput],
  [live, liveInput]: readonly [Endpoint, EndpointInput],
): Promise<readonly [demo: unknown, live: unknown]> {
  const [behindDemo, behindLive] = [contracts(), contracts()];
  const answers = [
    await answerOf(demo, demoInput, behindDemo),
    await answerOf(live, liveInput, behindLive),
  ] as const;
  for (const heard of ["queries", "commands", "asked"] as const) {
    assert.deepEqual(behindDemo[heard], behindLive[heard]);
  }
  return answers;
}

type Row = Readonly<Record<string, unknown>>;

test("balance and positions", async () => {
  const [demo, live] = await bothAnswers([demoBalance, {}], [balance, {}]);
  assert.deepEqual(
    demo,
    (live as Row[]).map((row) => ({ ...row, asset: "SUSDT" })),
  );
  const [held, own] = await bothAnswers([demoPositions, {}], [allPositions, {}]);
  assert.ok((own as Row[]).length > 0);
  assert.deepEqual(
    held,
    (own as Row[]).map((row) => ({ ...row, asset: "SUSDT", symbol: "BTCSUSDT" })),
  );
});

test("order history, of the market in its demo name or of all", async () => {
  for (const symbol of ["BTCUSDT", undefined]) {
    const rest = { limit: "3", page: "1" };
    const demoQuery = symbol === undefined ? rest : { ...rest, symbol: "BTCSUSDT" };
    const liveQuery = symbol === undefined ? rest : { ...rest, symbol };
    const [demo, live] = await bothAnswers(
      [demoOrderHistory, { query: demoQuery }],
      [orderHistory, { query: liveQuery }],
    );
    assert.equal((live as Row[]).length, 3);
    assert.deepEqual(
      demo,
      (live as Row[]).map((row) => ({ ...row, symbol: "BTCSUSDT" })),
    );
  }
});

const ORDER = {
  symbol: "BTCSUSDT",
  side: "BUY",
  positionSide: "LONG",
  type: "LIMIT",
  timeInForce: "GTC",
  quantity: "0.01",
  price: "59000",
  newClientOrderId: "demo-1",
};

test("an order", async () => {
  const [demo, live] = await bothAnswers(
    [demoPlaceOrder, { body: ORDER }],
    [placeOrder, { body: { ...ORDER, symbol: "BTCUSDT" } }],
  );
  assert.deepEqual(demo, live);
  const exchange = contracts();
  await answerOf(demoPlaceOrder, { body: ORDER }, exchange);
  const [command] = exchange.commands;
  assert.ok(command?.type === "place-contract-order");
  assert.deepEqual([command.uid, command.symbol], [UID, "BTCUSDT"]);
});

test("refusals are those of the contract account", async () => {
  const cases: readonly (readonly [Endpoint, EndpointInput, reason: string, field: string])[] = [
    [demoOrderHistory, { query: { symbol: "NOPE" } }, "unknown-symbol", "symbol"],
    [demoOrderHistory, { query: { limit: "1001" } }, "parameter-out-of-range", "limit"],
    [demoOrderHistory, { query: { startTime: "2", endTime: "1" } }, "start-after-end", "startTime"],
    [demoPlaceOrder, { body: { ...ORDER, timeInForce: "" } }, "missing-parameter", "timeInForce"],
    [demoPlaceOrder, { body: { ...ORDER, type: "STOP" } }, "invalid-order-type", "type"],
  ];
  for (const [endpoint, input, reason, field] of cases) {
    assert.deepEqual(await refusalOf(endpoint, input, contracts()), [reason, field]);
  }
});
