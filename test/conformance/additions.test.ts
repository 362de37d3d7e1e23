/**
 * Proves Rialto's additions to the API over HTTP, on spot and on contracts: the shapes of the
 * answers, that an order test gives the same result as the order and changes nothing, that an
 * amended order is shown everywhere in its current form, that a countdown cancels on time, also
 * after the process was killed, and that the faucet gives funds in a sandbox alone.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { listStandardContracts, openContractAccount } from "../support/contract-setup.ts";
import {
  BUY_LONG,
  openAlgosOf,
  orderBody,
  orderOf,
  place,
  SELL_SHORT,
  SYMBOL,
} from "../support/contract-trading.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import type { HttpAnswer } from "../support/http-exchange.ts";
import { dataOf, SignedClient } from "../support/signed-client.ts";
import { assertShape } from "../support/wire-shape.ts";

type Row = Readonly<Record<string, unknown>>;

const FUNDS = { USDT: "1000000", BTC: "100" };
const SPOT = "/api/v3/order";
const CONTRACT = "/capi/v3/order";
const AMENDED = {
  symbol: "string",
  clientOrderId: "string",
  price: "decimal",
  origQty: "decimal",
  executedQty: "decimal",
  status: "string",
  keptPriority: "boolean",
  updateTime: "integer",
  lastUpdateId: "integer",
} as const;
const COUNTDOWN = {
  symbol: "?string",
  countdownMs: "integer",
  firesAt: "integer",
  isHeld: "boolean",
} as const;

let orders = 0;

function spotOrder(side: "BUY" | "SELL", quantity: string, price: string, change: object = {}) {
  orders++;
  const newClientOrderId = `addition-${orders}`;
  const terms = { symbol: SYMBOL, side, type: "LIMIT", quantity, price, newClientOrderId };
  return { ...terms, ...change };
}

function succeeded<Answer = Row>(answer: HttpAnswer): Answer {
  assert.equal(answer.status, 200, answer.text);
  return answer.body as Answer;
}

const codeOf = ({ body }: HttpAnswer): unknown => (body as Row).code;

async function placeSpot({ client }: Account, body: object): Promise<number> {
  return succeeded<{ orderId: number }>(await client.post(SPOT, body)).orderId;
}

async function exchangeWithMarkets(
  t: TestContext,
  process: "own" | "shared" = "shared",
): Promise<ExchangeProcess> {
  const exchange = await ExchangeProcess.start({ process });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await listStandardContracts(exchange);
  // Behind the next second and minute of what was listed, nothing changes by time alone.
  await exchange.operator.advanceClock(121_000);
  return exchange;
}

/** What an order is told is what its test was told; where it is accepted, they differ in effect. */
async function checkTest(
  exchange: ExchangeProcess,
  { client }: Account,
  path: string,
  body: object,
): Promise<unknown> {
  const before = await exchange.operator.stateHash();
  const tested = await client.post(`${path}/test`, body);
  assert.equal(await exchange.operator.stateHash(), before, "a test changes nothing");
  const placed = await client.post(path, body);
  assert.equal(tested.status, placed.status, tested.text);
  if (tested.status === 200) return codeOf(placed);
  const { requestTime: _, ...refusal } = placed.body as Row;
  const { requestTime: __, ...testRefusal } = tested.body as Row;
  assert.deepEqual(testRefusal, refusal);
  return codeOf(tested);
}

test("an order tells what came of it: filled by two makers, resting, repeated", async (t) => {
  const exchange = await exchangeWithMarkets(t);
  const maker = await openAccount(exchange, FUNDS);
  const taker = await openAccount(exchange, FUNDS);
  await placeSpot(maker, spotOrder("SELL", "0.4", "60000"));
  await placeSpot(maker, spotOrder("SELL", "0.4", "60100"));
  const depth = async () =>
    succeeded<Row>(await taker.client.get(`/api/v3/market/depth?symbol=${SYMBOL}&limit=15`));
  const order = spotOrder("BUY", "1", "60100", { newOrderRespType: "FULL" });
  const full = succeeded<Row>(await taker.client.post(SPOT, order));
  const { orderId, clientOrderId, transactTime, fills, ...result } = full as {
    readonly orderId: number;
    readonly fills: readonly Row[];
  } & Row;
  assert.deepEqual(result, {
    symbol: SYMBOL,
    price: "60100",
    origQty: "1",
    executedQty: "0.8",
    cummulativeQuoteQty: "48040",
    status: "NEW",
    timeInForce: "GTC",
    type: "LIMIT",
    side: "BUY",
    lastUpdateId: (await depth()).lastUpdateId,
  });
  assert.equal(clientOrderId, order.newClientOrderId);
  const trades = succeeded<Row[]>(
    await taker.client.get(`/api/v3/myTrades?symbol=${SYMBOL}&orderId=${orderId}`),
  );
  const asFills = trades.toReversed().map(({ price, qty, commission, commissionAsset, id }) => {
    return { price, qty, commission, commissionAsset, tradeId: id };
  });
  assert.equal(fills.length, 2);
  assert.deepEqual(fills, asFills);
  const repeated = succeeded<Row>(await taker.client.post(SPOT, order));
  assert.deepEqual(repeated, full);
  // Without its fills, and of an order that has ended by now.
  await taker.client.delete(`${SPOT}?orderId=${orderId}`);
  const { fills: _, ...without } = full;
  const again = await taker.client.post(SPOT, { ...order, newOrderRespType: "RESULT" });
  const changed = { status: "CANCELED", lastUpdateId: (await depth()).lastUpdateId };
  assert.deepEqual(succeeded(again), { ...without, ...changed });
  const market = { type: "MARKET", newOrderRespType: "RESULT" };
  const { price: _price, ...sell } = spotOrder("SELL", "0.1", "", market);
  const none = succeeded<Row>(await taker.client.post(SPOT, sell));
  assert.equal(none.executedQty, "0");
  assert.equal(none.fills, undefined);
  const plain = succeeded<Row>(await taker.client.post(SPOT, spotOrder("BUY", "0.1", "50000")));
  const named = ["symbol", "orderId", "clientOrderId", "transactTime", "lastUpdateId"];
  assert.deepEqual(Object.keys(plain), named);
  const version = (await depth()).lastUpdateId;
  assert.equal(plain.lastUpdateId, version);
  const path = `${SPOT}?orderId=${plain.orderId}`;
  const cancelled = succeeded<Row>(await taker.client.delete(path));
  assert.equal(cancelled.lastUpdateId, Number(version) + 1);
  assert.equal(cancelled.lastUpdateId, (await depth()).lastUpdateId);
  const odd = spotOrder("BUY", "0.1", "50000", { newOrderRespType: "SOME" });
  assert.equal(codeOf(await taker.client.post(SPOT, odd)), -1142);
});

test("the test of an order is told what the order is told", async (t) => {
  const exchange = await exchangeWithMarkets(t);
  const account = await openAccount(exchange, FUNDS);
  const trader = await openContractAccount(exchange, "1000");
  // Each accepted order changes a book, and with the next second and minute what is sampled of it.
  await exchange.operator.freezeClock();
  const first = spotOrder("BUY", "0.01", "50000");
  const spot: [object, unknown][] = [
    [first, undefined],
    [first, undefined],
    [{ ...first, price: "50001" }, -2202],
    [spotOrder("BUY", "0.01", "50000.001"), -1160],
    [spotOrder("BUY", "0.000001", "50000"), -1160],
    [spotOrder("BUY", "100", "50000"), -2201],
    [spotOrder("BUY", "0.01", "0"), -1140],
    [spotOrder("SELL", "0.01", "40000", { timeInForce: "POST_ONLY" }), undefined],
    [spotOrder("BUY", "0.01", "50000", { symbol: "NOSUCH" }), -1121],
    [spotOrder("BUY", "0.01", "50000", { side: "HOLD" }), -1117],
    [spotOrder("BUY", "0.01", "50000", { price: undefined }), -1141],
  ];
  for (const [body, code] of spot) {
    assert.equal(await checkTest(exchange, account, SPOT, body), code, JSON.stringify(body));
  }
  const contracts: [object, unknown][] = [
    [orderBody(BUY_LONG, "0.01", "60000"), undefined],
    [orderBody(BUY_LONG, "100", "60000"), -3201],
    [orderBody(BUY_LONG, "0.01", "90000"), -3204],
    [orderBody(BUY_LONG, "0.01", "60000", { tpTriggerPrice: "50000" }), -3207],
    [orderBody({ side: "SELL", positionSide: "LONG" }, "0.01", "60000"), -3202],
  ];
  for (const [body, code] of contracts) {
    assert.equal(await checkTest(exchange, trader, CONTRACT, body), code, JSON.stringify(body));
  }
  const v2 = { symbol: "BTCUSDT_SPBL", side: "buy", orderType: "limit", force: "normal" };
  const terms = { ...v2, price: "50000", quantity: "0.01", clientOrderId: "v2-test" };
  const path = "/api/v2/trade/orders";
  assert.equal(await checkTest(exchange, account, path, terms), "00000");
  const beyond = { ...terms, quantity: "100", clientOrderId: "v2-test-2" };
  assert.equal(await checkTest(exchange, account, path, beyond), "43012");
  const answer = await account.client.post(`${path}/test`, terms);
  assert.deepEqual(dataOf(answer, "Test an order"), {});
  assert.deepEqual(succeeded(await account.client.post(`${SPOT}/test`, first)), {});
});

test("an amended order is found everywhere in its present form", async (t) => {
  const exchange = await exchangeWithMarkets(t);
  const account = await openAccount(exchange, FUNDS);
  const other = await openAccount(exchange, FUNDS);
  const body = spotOrder("BUY", "0.5", "50000");
  const orderId = await placeSpot(account, body);
  const second = await placeSpot(other, spotOrder("BUY", "0.5", "50000"));

  const shrunk = succeeded(
    await account.client.put(SPOT, { orderId: String(orderId), quantity: "0.3" }),
  );
  assertShape(shrunk, { orderId: "integer", ...AMENDED });
  assert.deepEqual([shrunk.keptPriority, shrunk.origQty, shrunk.status], [true, "0.3", "NEW"]);
  await placeSpot(other, spotOrder("SELL", "0.1", "50000"));
  const partly = await account.client.v3<Row>(SPOT, { orderId });
  assert.deepEqual([partly.executedQty, partly.origQty, partly.price], ["0.1", "0.3", "50000"]);

  const depth = () =>
    account.client.v3<{ bids: [string, string][]; lastUpdateId: number }>("/api/v3/market/depth", {
      symbol: SYMBOL,
      limit: 15,
    });
  assert.deepEqual((await depth()).bids, [["50000", "0.7"]]);
  const key = { origClientOrderId: body.newClientOrderId };
  const moved = succeeded(
    await account.client.put(SPOT, { ...key, price: "49000", quantity: "0.4" }),
  );
  assert.deepEqual([moved.keptPriority, moved.orderId, moved.executedQty], [false, orderId, "0.1"]);
  const { bids, lastUpdateId } = await depth();
  assert.equal(moved.lastUpdateId, lastUpdateId);
  assert.deepEqual(bids, [
    ["50000", "0.5"],
    ["49000", "0.3"],
  ]);
  const repeated = succeeded(await account.client.post(SPOT, body));
  assert.equal(repeated.orderId, orderId, "the first order, whatever it has become");

  await other.client.delete(SPOT, { orderId: second });
  await placeSpot(other, spotOrder("SELL", "0.3", "49000"));
  const [ended] = await account.client.v3<Row[]>("/api/v3/allOrders", { symbol: SYMBOL });
  assert.deepEqual(
    [ended?.orderId, ended?.status, ended?.origQty, ended?.price],
    [orderId, "FILLED", "0.4", "49000"],
  );
  const info = dataOf<Row[]>(
    await account.client.post("/api/v2/trade/orderInfo", { orderId: String(orderId) }),
    "orderInfo",
  );
  const { latestFillPrice, maxFillPrice, minFillPrice } = info[0] ?? {};
  assert.deepEqual([latestFillPrice, maxFillPrice, minFillPrice], ["49000", "50000", "49000"]);
});

test("a form that is refused leaves the order alone, and says why", async (t) => {
  const exchange = await exchangeWithMarkets(t);
  const account = await openAccount(exchange, FUNDS);
  const orderId = await placeSpot(
    account,
    spotOrder("BUY", "0.5", "50000", { timeInForce: "POST_ONLY" }),
  );
  await placeSpot(account, spotOrder("SELL", "0.5", "51000"));
  const before = await exchange.operator.stateHash();
  const refusals: [object, unknown][] = [
    [{ orderId, price: "51000" }, -2207],
    [{ orderId, quantity: "100" }, -2201],
    [{ orderId, price: "50000.001" }, -1160],
    [{ orderId, quantity: "0" }, -2204],
    [{ orderId }, -1141],
    [{ price: "49000" }, -1140],
    [{ orderId: orderId + 100, price: "49000" }, -2200],
    [{ origClientOrderId: "none", price: "49000" }, -2200],
  ];
  for (const [body, code] of refusals) {
    const answer = await account.client.put(SPOT, body);
    assert.deepEqual([answer.status, codeOf(answer)], [400, code], answer.text);
  }
  const amend = "/api/v2/trade/amend-order";
  const v2 = await account.client.post(amend, { symbol: "ETHUSDT", orderId, quantity: "0.1" });
  assert.equal(codeOf(v2), "43001", "it is in another market");
  assert.equal(await exchange.operator.stateHash(), before);
  const amended = await account.client.post(amend, { symbol: "btcusdt", orderId, quantity: "0.1" });
  assertShape(dataOf(amended, "amend-order"), {
    ...{ orderId: "digits", clientOrderId: "string", symbol: "string", price: "decimal" },
    ...{ quantity: "decimal", fillQuantity: "decimal", status: "string" },
    ...{ keptPriority: "boolean", uTime: "digits" },
  });
});

test("a contract order is amended with its margin", async (t) => {
  const exchange = await exchangeWithMarkets(t);
  const maker = await openContractAccount(exchange, "1000000");
  const trader = await openContractAccount(exchange, "1000");
  const free = async () => {
    const [row] = await trader.client.v3<Row[]>("/capi/v3/account/balance");
    return Number(row?.availableBalance);
  };
  const orderId = await place(trader, BUY_LONG, "0.1", "59000", { slTriggerPrice: "58000" });
  const before = await free();
  const half = succeeded(await trader.client.put(CONTRACT, { orderId, quantity: "0.05" }));
  assertShape(half, {
    ...{ orderId: "digits", ...AMENDED },
    ...{ success: "boolean", errorCode: "string", errorMessage: "string" },
  });
  assert.equal(half.keptPriority, true);
  assert.ok(Math.abs(1000 - (await free()) - (1000 - before) / 2) < 0.01);
  const [stopLoss] = (await openAlgosOf(trader)) as unknown as Row[];
  assert.equal(stopLoss?.quantity, "0.05");
  const wrong = await trader.client.put(CONTRACT, { orderId, price: "57000" });
  assert.equal(codeOf(wrong), -3207, wrong.text);
  const beyond = await trader.client.put(CONTRACT, { orderId, quantity: "1" });
  assert.equal(codeOf(beyond), -3201, beyond.text);
  await place(maker, SELL_SHORT, "0.02", "60000");
  const crossed = succeeded(await trader.client.put(CONTRACT, { orderId, price: "60000" }));
  assert.deepEqual([crossed.status, crossed.executedQty], ["NEW", "0.02"]);
  const book = await trader.client.v3<Row>("/capi/v3/market/depth", { symbol: SYMBOL, limit: 15 });
  assert.equal(crossed.lastUpdateId, book.lastUpdateId);
  const open = (await orderOf(trader, orderId)) as unknown as Row;
  assert.deepEqual([open.price, open.origQty, open.executedQty], ["60000", "0.05", "0.02"]);
});

async function openIds({ client }: Account, path: string): Promise<number[]> {
  const rows = await client.v3<{ orderId: number }[]>(`${path}/openOrders`);
  return rows.map(({ orderId }) => orderId);
}

test("a countdown cancels at its time, unless it is counted down anew", async (t) => {
  const exchange = await exchangeWithMarkets(t);
  const account = await openAccount(exchange, FUNDS);
  await placeSpot(account, spotOrder("BUY", "0.5", "50000"));
  const eth = await placeSpot(account, spotOrder("BUY", "0.5", "2000", { symbol: "ETHUSDT" }));
  const path = `${SPOT}/cancelAllAfter`;
  const set = succeeded(await account.client.post(path, { countdownMs: 60_000, symbol: SYMBOL }));
  assertShape(set, COUNTDOWN);
  const { serverTime } = await account.client.v3<{ serverTime: number }>("/api/v3/time");
  assert.ok(Math.abs(Number(set.firesAt) - serverTime - 60_000) < 30_000);
  assert.deepEqual(await account.client.v3(path), [set]);
  await exchange.operator.advanceClock(50_000);
  await account.client.post(path, { countdownMs: 60_000, symbol: SYMBOL });
  await exchange.operator.advanceClock(50_000);
  assert.equal((await openIds(account, "/api/v3")).length, 2);
  await exchange.operator.advanceClock(10_000);
  assert.deepEqual(await openIds(account, "/api/v3"), [eth]);
  assert.deepEqual(await account.client.v3(path), []);
  await account.client.post(path, { countdownMs: 1_000 });
  const off = succeeded(await account.client.post(path, { countdownMs: 0, symbol: null }));
  assert.deepEqual(off, { symbol: null, countdownMs: 0, firesAt: 0, isHeld: false });
  for (const countdownMs of [1, 999, 86_400_001, -1, 1.5, "1000"]) {
    const answer = await account.client.post(path, { countdownMs });
    assert.deepEqual([answer.status, codeOf(answer)], [400, -1140], answer.text);
  }
  const unknown = await account.client.post(path, { countdownMs: 0, symbol: "NOSUCH" });
  assert.equal(codeOf(unknown), -1121);
});

test("a countdown outlives a kill; one that ended meanwhile cancels at the start", async (t) => {
  const exchange = await exchangeWithMarkets(t, "own");
  const account = await openAccount(exchange, FUNDS);
  const trader = await openContractAccount(exchange, "10000");
  const maker = await openContractAccount(exchange, "10000");
  await placeSpot(account, spotOrder("BUY", "0.5", "50000"));
  await place(maker, SELL_SHORT, "0.01", "60000");
  await place(trader, BUY_LONG, "0.02", "60000", { slTriggerPrice: "55000" });
  assert.equal((await openAlgosOf(trader)).length, 1);
  await account.client.post(`${SPOT}/cancelAllAfter`, { countdownMs: 86_400_000 });
  await trader.client.post(`${CONTRACT}/cancelAllAfter`, { countdownMs: 1_500 });
  await exchange.kill("SIGKILL");
  const killedMs = Date.now();
  while (Date.now() < killedMs + 1_600) await new Promise((done) => setTimeout(done, 100));
  await exchange.restart();
  const again = (of: Account): Account => ({
    ...of,
    client: new SignedClient(exchange.port, of.credentials),
  });
  const [spot, contract] = [again(account), again(trader)];
  assert.equal((await openIds(spot, "/api/v3")).length, 1);
  const armed = await spot.client.v3<Row[]>(`${SPOT}/cancelAllAfter`);
  assert.deepEqual(
    armed.map(({ countdownMs, symbol }) => [countdownMs, symbol]),
    [[86_400_000, null]],
  );
  assert.deepEqual(await openIds(contract, "/capi/v3"), []);
  assert.deepEqual(await openAlgosOf(contract), [], "stop-losses go with the orders");
  assert.deepEqual(await contract.client.v3(`${CONTRACT}/cancelAllAfter`), []);
  await exchange.operator.advanceClock(86_400_000);
  assert.deepEqual(await openIds(spot, "/api/v3"), []);
  const { ok } = await exchange.operator.invariants();
  assert.equal(ok, true);
});

const FAUCET = "/api/v3/faucet";

test("the faucet credits one wallet once, as a deposit that bills show", async (t) => {
  const exchange = await exchangeWithMarkets(t);
  const { client, uid } = await openAccount(exchange, {});
  const credit = { clientFaucetId: "first", coinName: "USDT", amount: "12.50" };
  const credited = succeeded<Row>(await client.post(FAUCET, credit));
  const { amount: _, ...kept } = credit;
  assert.deepEqual(credited, { ...kept, amount: "12.5", toType: "SPOT", balance: "12.5" });
  assert.deepEqual(succeeded(await client.post(FAUCET, credit)), credited);
  const contract = { ...credit, clientFaucetId: "second", toType: "CONTRACT", amount: "7" };
  assert.equal(succeeded<Row>(await client.post(FAUCET, contract)).balance, "7");
  const refused: [object, unknown][] = [
    [{ ...credit, amount: "13" }, -1140],
    [{ ...credit, toType: "CONTRACT" }, -1140],
    [{ ...credit, clientFaucetId: "third", coinName: "NONE" }, -1142],
    [{ ...credit, clientFaucetId: "third", amount: "0" }, -1140],
    [{ ...credit, clientFaucetId: "third", amount: "0.000000001" }, -1160],
    [{ ...credit, clientFaucetId: "third", amount: `1${"0".repeat(30)}` }, -1142],
    [{ ...credit, clientFaucetId: "" }, -1141],
    [{ ...credit, clientFaucetId: "third", toType: "FUND" }, -1142],
  ];
  for (const [body, code] of refused) {
    const answer = await client.post(FAUCET, body);
    assert.equal(codeOf(answer), code, `${JSON.stringify(body)}: ${answer.text}`);
  }
  const bills = await client.post("/api/v3/account/fundingBills", { pageIndex: 1, pageSize: 10 });
  assert.deepEqual(
    succeeded<{ items: Row[] }>(bills).items.map(({ coinName, deltaAmount }) => [
      coinName,
      deltaAmount,
    ]),
    [
      ["USDT", "7"],
      ["USDT", "12.5"],
    ],
  );
  const listed = await exchange.operator.call<{ items: Row[] }>(
    "GET",
    `/operator/v1/users/${uid}/deposits`,
  );
  assert.deepEqual(listed.items.map(({ id }) => id).sort(), ["faucet:first", "faucet:second"]);
});

test("outside a sandbox the faucet is refused, after the caller and the form", async (t) => {
  const operatorToken = "x".repeat(32);
  const env = { RIALTO_OPERATOR_TOKEN: operatorToken };
  const exchange = await ExchangeProcess.start({ sandbox: false, env, operatorToken });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const { client } = await openAccount(exchange, {});
  const before = await exchange.operator.stateHash();
  const credit = { clientFaucetId: "first", coinName: "USDT", amount: "1" };
  const refused = await client.post(FAUCET, credit);
  assert.deepEqual([refused.status, codeOf(refused)], [400, -1053], refused.text);
  assert.equal(codeOf(await client.post(FAUCET, { ...credit, amount: "x" })), -1142);
  assert.equal(await exchange.operator.stateHash(), before);
});
