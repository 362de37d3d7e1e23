/**
 * Proves the calls with which a replay brings its messages, against the real engine: its accounts,
 * what each message does, how fills and slippage of users are counted, and every refusal.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { isReplayCall, OperatorFixture, refusalOf } from "../../test/support/operator-fixture.ts";

const operator = new OperatorFixture();
const SYMBOL = "BTCUSDT";
const REPLAYS = "/operator/v1/sandbox/replays";

before(async () => {
  const put = (path: string, body: object) => operator.call("PUT", `/operator/v1/${path}`, body);
  await put("assets/BTC", { coinId: 1, name: "Bitcoin", scale: 8 });
  await put("assets/USDT", { coinId: 2, name: "Tether", scale: 6 });
  const rules = { baseAsset: "BTC", quoteAsset: "USDT", tickSize: "0.1", stepSize: "0.01" };
  await put(`markets/spot/${SYMBOL}`, { ...rules, makerFeeRate: "0", takerFeeRate: "0" });
  await operator.call("POST", "/operator/v1/users", { uid: 7 });
  for (const asset of ["BTC", "USDT"]) {
    const body = { id: asset, account: "spot", asset, amount: "1000000" };
    await operator.call("POST", "/operator/v1/users/7/deposits", body);
  }
});
after(() => operator.close());

interface Applied {
  readonly applied: number;
  readonly impossible: readonly { index: number; reason: string; missing: string | null }[];
  readonly books: readonly { bids: string[][]; asks: string[][] }[];
  readonly testerFills: number;
  readonly testerQuantity: string;
  readonly slippage: string;
}

const begin = () =>
  operator.call<{ uid: number; takerUid: number; symbol: string }>("POST", REPLAYS, {
    symbol: SYMBOL,
    base: "1000",
    quote: "100000",
  });
const apply = (uid: number, messages: readonly object[], levels?: number) =>
  operator.call<Applied>("POST", `${REPLAYS}/${uid}/messages`, {
    messages,
    ...(levels === undefined ? {} : { levels }),
  });

let orders = 0;
async function trade(side: "BUY" | "SELL", price: string, quantity: string): Promise<void> {
  orders++;
  const placed = await operator.exchange.client.execute({
    type: "place-spot-order",
    uid: 7,
    symbol: SYMBOL,
    side,
    orderType: "LIMIT",
    timeInForce: "GTC",
    price,
    quantity,
    quantityUnit: "base",
    clientOrderId: `user-${orders}`,
  });
  assert.ok(placed.ok);
}

const terms = (side: string, price: string, quantity: string) => ({ side, price, quantity });

test("a replay has two funded accounts of the exchange, which pay no fees", async () => {
  const { uid, takerUid } = await begin();
  assert.deepEqual([uid, takerUid], [9_000_000_000_000, 9_000_000_000_001]);
  for (const account of [uid, takerUid]) {
    const user = await operator.call<{ house: boolean }>("GET", `/operator/v1/users/${account}`);
    assert.ok(user.house);
    const { items } = await operator.call<{ items: { makerFeeRate: string }[] }>(
      "GET",
      `/operator/v1/users/${account}/fee-rates`,
    );
    assert.deepEqual(
      items.map(({ makerFeeRate }) => makerFeeRate),
      ["0"],
    );
  }
  assert.equal((await begin()).uid, uid + 2);
});

test("messages do what was recorded, and say what users' fills made impossible", async () => {
  const { uid } = await begin();
  const added = await apply(
    uid,
    [
      { kind: "add", id: "a", ...terms("SELL", "100", "5") },
      { kind: "add", id: "b", ...terms("SELL", "100", "3") },
      { kind: "add", id: "c", ...terms("BUY", "99", "4") },
      { kind: "reduce", id: "a", quantity: "1" },
      { kind: "execute", id: "a", ...terms("SELL", "100", "2") },
      { kind: "remove", id: "c" },
      { kind: "hidden", ...terms("BUY", "99.5", "1") },
    ],
    5,
  );
  const books = added.books.map(({ bids, asks }) => [bids.join(" "), asks.join(" ")]);
  assert.deepEqual(books, [
    ["", "100,5"],
    ["", "100,8"],
    ["99,4", "100,8"],
    ["99,4", "100,7"],
    ["99,4", "100,5"],
    ["", "100,5"],
    ["", "100,5"],
  ]);
  assert.deepEqual([added.applied, added.impossible, added.testerFills], [7, [], 0]);

  // A user's order behind both, at a better price than the next executions, then one that takes.
  await trade("SELL", "99.8", "0.5");
  const reached = await apply(uid, [{ kind: "execute", id: "b", ...terms("SELL", "100", "2") }], 5);
  assert.deepEqual(reached.books[0]?.asks, [["100", "3"]]);
  assert.partialDeepStrictEqual(reached, { testerFills: 1, testerQuantity: "0.5" });
  await trade("BUY", "100", "2.5");
  const late = await apply(uid, [
    { kind: "reduce", id: "a", quantity: "1" },
    { kind: "execute", id: "b", ...terms("SELL", "100", "1") },
    { kind: "remove", id: "b" },
  ]);
  assert.deepEqual(late.impossible, [
    { index: 0, reason: "order-not-found", missing: "1" },
    { index: 1, reason: "order-not-found", missing: "0.5" },
    { index: 2, reason: "order-not-found", missing: null },
  ]);
  // 0.5 sold 0.3 above the last recorded price of 99.5, 2.5 bought at the next one, 100.
  assert.partialDeepStrictEqual(late, { testerFills: 3, testerQuantity: "3", slippage: "-0.15" });
  const ended = await operator.call<object>("DELETE", `${REPLAYS}/${uid}`);
  assert.deepEqual(ended, {
    uid,
    symbol: SYMBOL,
    name: "",
    messages: 11,
    progress: 0,
    testerFills: 3,
    testerQuantity: "3",
    slippage: "-0.15",
  });
});

test("a recorded price is not held to the market's band and limits", async () => {
  const { uid } = await begin();
  const far = await apply(uid, [
    { kind: "trade", ...terms("BUY", "500", "0.01") },
    { kind: "trade", ...terms("SELL", "1.5", "0.01") },
    { kind: "add", id: "stub", ...terms("SELL", "9999.9", "0.01") },
  ]);
  assert.deepEqual(far.impossible, []);
  const ticker = await operator.exchange.client.query({ type: "spot-tickers", symbol: SYMBOL });
  assert.ok(ticker.ok && ticker.value[0]?.lastPrice === "1.5");
});

test("time follows the market while it is told to, and stays where it is past", async () => {
  const { uid } = await begin();
  const clock = "/operator/v1/sandbox/clock";
  const { time } = await operator.call<{ time: number }>("GET", clock);
  const timeAfter = async (ms: number) => {
    const at = { kind: "time", timeMs: time + ms };
    const moved = await apply(uid, [at, { kind: "time", timeMs: time }]);
    assert.deepEqual([moved.applied, moved.impossible], [2, []]);
    return (await operator.call<{ time: number }>("GET", clock)).time - time;
  };
  assert.equal(await timeAfter(5_000), 0, "it runs at its own speed");
  await operator.call("POST", clock, { freeze: true });
  assert.equal(await timeAfter(6_000), 0, "it is frozen");
  await operator.call("POST", clock, { run: "follow-market" });
  assert.equal(await timeAfter(7_000), 7_000);
  await operator.call("POST", `${clock}/advance`, { ms: 10_000 });
  assert.equal(await timeAfter(8_000), 17_000, "it is past");
  assert.equal(await timeAfter(18_000), 18_000);
  await operator.call("POST", clock, { freeze: false });
  assert.equal(await timeAfter(19_000), 18_000);
});

test("what is refused, and a history that is behind", async () => {
  const { uid } = await begin();
  const path = `${REPLAYS}/${uid}/messages`;
  const refusal = (body: object, at = path) => operator.refusal("POST", at, body);
  const one = { kind: "remove", id: "x" };
  assert.deepEqual(await refusal({ messages: [] }), [400, "malformed", "messages"]);
  const unnamed = { messages: [{ ...one, id: "" }] };
  assert.deepEqual(await refusal(unnamed), [400, "malformed", "messages[0].id"]);
  const odd = { messages: [one, { ...one, kind: "explode" }] };
  assert.deepEqual(await refusal(odd), [400, "malformed", "messages[1].kind"]);
  assert.deepEqual(await refusal({ messages: [one], levels: 201 }), [400, "malformed", "levels"]);
  const many = { messages: Array.from({ length: 1_001 }, () => one) };
  assert.deepEqual(await refusal(many), [400, "malformed", "messages"]);
  const unknown = { symbol: "XYZ", base: "1", quote: "1" };
  assert.deepEqual(await refusal(unknown, REPLAYS), [400, "unknown-symbol", "symbol"]);
  for (const [method, at] of [
    ["POST", `${REPLAYS}/5/messages`],
    ["GET", `${REPLAYS}/5`],
    ["DELETE", `${REPLAYS}/5`],
  ] as const) {
    const body = method === "POST" ? { messages: [one] } : undefined;
    assert.deepEqual(await operator.refusal(method, at, body), [404, "unknown-id", "uid"]);
  }
  operator.isBehind = true;
  assert.deepEqual(await refusal({ messages: [one] }), [503, "overloaded", undefined]);
  operator.isBehind = false;
  assert.equal((await apply(uid, [one])).applied, 1);
  assert.partialDeepStrictEqual(await operator.call("GET", `${REPLAYS}/${uid}`), {
    testerFills: 0,
  });
});

test("the list has what runs, and how far it is", async () => {
  const named = { symbol: SYMBOL, base: "1", quote: "1", name: "book.csv.gz" };
  const { uid } = await operator.call<{ uid: number }>("POST", REPLAYS, named);
  const messages = [{ kind: "add", id: "x", ...terms("BUY", "1", "0.01") }];
  await operator.call("POST", `${REPLAYS}/${uid}/messages`, { messages, progress: 12.5 });
  await apply(uid, [{ kind: "remove", id: "x" }]);
  const list = () => operator.call<{ items: { uid: number }[] }>("GET", REPLAYS);
  const last = (await list()).items.at(-1);
  assert.partialDeepStrictEqual(last, { uid, symbol: SYMBOL, name: "book.csv.gz", messages: 2 });
  assert.partialDeepStrictEqual(last, { progress: 12.5, testerFills: 0 });
  await operator.call("DELETE", `${REPLAYS}/${uid}`);
  assert.ok((await list()).items.every((one) => one.uid !== uid));
});

test("the oldest of eleven replays has ended", async () => {
  const { uid } = await begin();
  for (let others = 0; others < 10; others++) await begin();
  assert.deepEqual(await operator.refusal("GET", `${REPLAYS}/${uid}`), [404, "unknown-id", "uid"]);
});

test("without a sandbox there are no replays", async () => {
  const real = new OperatorFixture(false);
  for (const call of (await operator.documented()).filter(isReplayCall)) {
    const path = call.path.replace("{uid}", "1");
    const body = call.bodySchema === null ? undefined : "{}";
    const answer = await real.send(call.method, path, body);
    assert.deepEqual(refusalOf(answer), [409, "sandbox-only", undefined]);
    assert.ok(operator.answeredCalls.has(call.operation.operationId), call.operation.operationId);
  }
  assert.deepEqual(real.exchange.commands, []);
  await real.close();
});
