/**
 * Proves the kit's markets on demand on a real exchange: what a test asks for is what clients of
 * the API see, an order that the price reaches is filled, and a reset takes all of it back.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { SignedClient } from "../../test/support/signed-client.ts";
import { OperatorRefusal, startExchange, type TestExchange, type TestUser } from "./index.ts";

let exchange: TestExchange;
let alice: TestUser;
let client: SignedClient;

before(async () => {
  exchange = await startExchange({ spot: ["BTCUSDT"], contracts: ["BTCUSDT", "ETHUSDT"] });
  alice = await exchange.createUser({ spot: { USDT: "100000" }, contract: { USDT: "100000" } });
  client = new SignedClient(Number(new URL(exchange.url).port), alice);
});
after(async () => {
  client.close();
  await exchange.stop();
});

async function publicData<Answer>(path: string): Promise<Answer> {
  const answer = await fetch(`${exchange.url}${path}`);
  return (await answer.json()) as Answer;
}

test("the book is the depth of the API, and the price its ticker", async () => {
  const market = exchange.market("BTCUSDT");
  const bids = [["59990", "1"] as const, ["59980", "2.5"] as const];
  await market.book({ bids, asks: [["60010", "0.5"]] });
  const depth = await publicData<object>("/api/v3/market/depth?symbol=BTCUSDT");
  assert.partialDeepStrictEqual(depth, { bids, asks: [["60010", "0.5"]] });
  const placed = await client.post("/api/v3/order", {
    ...{ symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" },
    ...{ price: "55000", quantity: "0.1", newClientOrderId: "rests" },
  });
  assert.equal(placed.status, 200, placed.text);
  const moved = await market.price("54000");
  assert.deepEqual([moved.price, moved.markPrice], ["54000", "54000"]);
  assert.deepEqual((await client.get("/api/v3/openOrders")).body, []);
  const path = "/api/v3/market/ticker/price?symbol=BTCUSDT";
  assert.match(JSON.stringify(await publicData(path)), /"price":"54000(\.0+)?"/);
  const cleared = await market.clearBook();
  assert.deepEqual([cleared.bids, cleared.asks], [[], []]);
});

test("a contract has a book, a mark and a funding rate of its own", async () => {
  const eth = exchange.market("ETHUSDT");
  assert.equal((await eth.book({ bids: [["2990", "1"]] })).product, "contract");
  assert.equal((await eth.mark("2500")).markPrice, "2500");
  assert.equal((await eth.mark(null)).markPrice, "3000");
  assert.partialDeepStrictEqual(await eth.funding("-0.02"), { rate: "-0.02" });
  const contract = exchange.market("BTCUSDT", "contract");
  assert.equal((await contract.book({ asks: [["54100", "1"]] })).product, "contract");
  assert.equal((await contract.clearBook()).product, "contract");
  await assert.rejects(
    exchange.market("ETHUSDT", "spot").price("1"),
    (error) => error instanceof OperatorRefusal && error.code === "unknown-symbol",
  );
});

test("a user pays a funding at the cap, and is liquidated", async () => {
  const bob = await exchange.createUser({ contract: { USDT: "3500" } });
  const holder = new SignedClient(Number(new URL(exchange.url).port), bob);
  const eth = exchange.market("ETHUSDT");
  await eth.clearBook();
  await eth.price("3000");
  const order = (side: string, positionSide: string, quantity: string, id: string) =>
    holder.post("/capi/v3/order", {
      ...{ symbol: "ETHUSDT", side, positionSide, type: "MARKET", quantity },
      newClientOrderId: id,
    });
  const opened = await order("BUY", "LONG", "10", "opens");
  assert.equal(opened.status, 200, opened.text);
  const { did } = await exchange.trigger.fundingSpike({ user: bob });
  assert.match(did.join("; "), /longs paid shorts/);
  const { lastRate } = await exchange.operator.call<{ lastRate: string }>(
    "GET",
    "sandbox/markets/ETHUSDT/funding",
  );
  assert.equal(lastRate, "0.0075");
  const liquidated = await exchange.trigger.liquidate(bob);
  assert.match(liquidated.did.join("; "), /the LONG of 10 ETH of uid \d+ was liquidated/);
  const path = "/capi/v3/account/position/allPosition";
  assert.deepEqual((await holder.get(path)).body, []);
  await assert.rejects(exchange.trigger.liquidate(bob), /has no position/);
  holder.close();
});

test("a market is quoted by a model until its book is cleared", async () => {
  const market = exchange.market("BTCUSDT");
  await market.price("60000");
  const set = await market.liquidity("one-sided", { side: "asks", spread: "0.01" });
  assert.deepEqual(
    [set.model, set.side, set.spread, set.depth],
    ["one-sided", "asks", 0.01, 20_000],
  );
  const depth = await publicData<{ bids: string[]; asks: string[][] }>(
    "/api/v3/market/depth?symbol=BTCUSDT",
  );
  assert.deepEqual([depth.bids, depth.asks[0]?.[0]], [[], "60300"]);
  assert.deepEqual((await market.clearBook()).asks, []);
});

test("a restore ends a move and takes it back", async () => {
  const trades = () => publicData<{ price: string }[]>("/api/v3/market/trades?symbol=BTCUSDT");
  await exchange.market("BTCUSDT").price("60000");
  const before = await trades();
  await exchange.checkpoint("before");
  const moving = exchange.market("BTCUSDT").price("70000", { inMs: 120_000 });
  const ended = assert.rejects(moving, /another request|ended/);
  while ((await trades()).length === before.length) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await exchange.restore("before");
  await ended;
  // The clock runs, and a mark price follows it each second: trades alone stay what they were.
  assert.deepEqual(await trades(), before);
  const { ok } = await exchange.operator.call<{ ok: boolean }>("GET", "invariants");
  assert.equal(ok, true);
});
