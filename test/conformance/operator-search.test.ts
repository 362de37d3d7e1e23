/**
 * Proves what an operator finds out about users, over a running exchange: open, ended and
 * conditional orders and positions; a search by each of their ids, whoever they belong to; reasons
 * of grave actions in the audit, filters over all of its pages, a sentence for every entry; and how
 * the process did since its start.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { OperatorClient, RialtoClient, RialtoError } from "../../src/client/index.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { BTCUSDT, issueKey, PASSPHRASE, registerUser } from "../support/exchange-setup.ts";
import { BTC_CONTRACT } from "../support/listings.ts";

interface Trader {
  readonly uid: number;
  readonly apiKey: string;
  readonly client: RialtoClient;
}

let exchange: ExchangeProcess;
let operator: OperatorClient;
let ann: Trader;
let bob: Trader;

async function openTrader(): Promise<Trader> {
  const uid = await registerUser(exchange);
  const credentials = await issueKey(exchange, uid, ["read", "spot", "contract"]);
  for (const account of ["spot", "contract"] as const) {
    const movement = { id: `${uid} ${account}`.replace(" ", "-"), account, asset: "USDT" };
    await operator.makeDeposit({ uid, ...movement, amount: "100000" });
  }
  const { baseUrl } = exchange;
  return { uid, apiKey: credentials.apiKey, client: new RialtoClient({ baseUrl, credentials }) };
}

const LIMIT = { symbol: "BTCUSDT", type: "LIMIT", timeInForce: "GTC" } as const;

function buySpot({ client }: Trader, newClientOrderId: string) {
  const terms = { side: "BUY", price: "50000", quantity: "0.1" } as const;
  return client.spot.placeOrder({ ...LIMIT, ...terms, newClientOrderId });
}

before(async () => {
  exchange = await ExchangeProcess.start({});
  const { operatorToken: token } = JSON.parse(exchange.readyLine) as { operatorToken: string };
  operator = new OperatorClient({ baseUrl: `http://127.0.0.1:${exchange.operatorPort}`, token });
  await exchange.operator.call("PUT", "/operator/v1/markets/spot/BTCUSDT", BTCUSDT);
  const { symbol, ...rules } = BTC_CONTRACT;
  await operator.setContractMarket({ symbol, ...rules, tiers: [...rules.tiers] });
  await operator.setIndexPrice({ symbol: "BTCUSDT", price: "60000" });
  ann = await openTrader();
  bob = await openTrader();
});
after(() => exchange.stop());

async function refused(work: Promise<unknown>): Promise<readonly unknown[]> {
  const error = await work.then(
    () => assert.fail("accepted"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof RialtoError, String(error));
  return [error.status, error.code, error.field];
}

const kindsOf = async (text: string): Promise<readonly string[]> => {
  const { items } = await operator.search({ text });
  return items.map(({ kind, uid }) => `${kind} ${uid}`).sort();
};

test("orders and positions are those of the user alone, and found by their ids", async () => {
  const { uid } = ann;
  const placed = await buySpot(ann, "mine");
  await buySpot(ann, "shared");
  await buySpot(bob, "shared");
  await buySpot(ann, "ended");
  await ann.client.spot.cancelOrder({ origClientOrderId: "ended" });
  const { items: open } = await operator.listOpenOrders({ uid });
  assert.deepEqual(
    open.map(({ clientOrderId, product, type }) => [clientOrderId, product, type]),
    [
      ["mine", "spot", "LIMIT"],
      ["shared", "spot", "LIMIT"],
    ],
  );
  const ended = await operator.listEndedOrders({ uid, product: "spot", limit: 1 });
  assert.deepEqual([ended.items[0]?.clientOrderId, ended.next], ["ended", 2]);
  assert.equal(ended.items[0]?.reason, "cancelled-by-user");
  const rest = await operator.listEndedOrders({ uid, product: "spot", limit: 1, page: 2 });
  assert.deepEqual(rest, { items: [], next: null });
  assert.ok((await kindsOf(String(placed.orderId))).includes(`open-order ${uid}`));
  assert.deepEqual(await kindsOf("shared"), [`open-order ${uid}`, `open-order ${bob.uid}`]);
  assert.deepEqual(await kindsOf("ended"), [`ended-order ${uid}`]);
  const unknown = await refused(operator.listOpenOrders({ uid: 99 }));
  assert.deepEqual(unknown, [404, "unknown-user", "uid"]);
});

test("positions and conditional orders of a contract", async () => {
  const order = { ...LIMIT, price: "60000", quantity: "0.1" };
  const long = { ...order, side: "BUY", positionSide: "LONG", newClientOrderId: "long" } as const;
  await ann.client.contract.placeOrder(long);
  assert.deepEqual(await kindsOf("long"), [`open-order ${ann.uid}`]);
  const short = { ...order, side: "SELL", positionSide: "SHORT" } as const;
  await bob.client.contract.placeOrder({ ...short, newClientOrderId: "short" });
  const { items } = await operator.listPositionsOfUser({ uid: ann.uid });
  assert.deepEqual(
    items.map(({ symbol, side, size, isSeparated }) => [symbol, side, size, isSeparated]),
    [["BTCUSDT", "LONG", "0.1", false]],
  );
  assert.deepEqual(await kindsOf("long"), [`ended-order ${ann.uid}`]);
  const stop = { symbol: "BTCUSDT", side: "SELL", positionSide: "LONG", type: "STOP_MARKET" };
  await ann.client.contract.placeAlgoOrder({
    ...stop,
    ...{ quantity: "0.1", triggerPrice: "50000", clientAlgoId: "stop" },
  } as never);
  const orders = (await operator.listOpenOrders({ uid: ann.uid })).items;
  const waiting = orders.find(({ clientOrderId }) => clientOrderId === "stop");
  assert.deepEqual([waiting?.type, waiting?.triggerPrice], ["STOP_MARKET", "50000"]);
  const found = await operator.search({ text: String(waiting?.orderId) });
  assert.ok(found.items.some(({ clientOrderId }) => clientOrderId === "stop"));
});

test("a search finds users and keys, and nothing by any other text", async () => {
  assert.ok((await kindsOf(String(ann.uid))).includes(`user ${ann.uid}`));
  for (const text of [bob.apiKey, ` ${bob.apiKey} `]) {
    assert.deepEqual(await kindsOf(text), [`api-key ${bob.uid}`], text);
  }
  assert.ok((await kindsOf(bob.apiKey.slice(0, 14))).includes(`api-key ${bob.uid}`));
  for (const text of ["nothing", "rialto_zz", "9007199254740993", "-1", "%", "'; --"]) {
    assert.deepEqual(await kindsOf(text), [], text);
  }
  const odd = await refused(operator.search({ text: "a\u0001b" }));
  assert.deepEqual(odd, [400, "malformed", "text"]);
});

type Filter = Parameters<OperatorClient["listAudit"]>[0];

async function sentences(filter: Filter): Promise<readonly string[]> {
  const found: string[] = [];
  for (let before: number | null = Number.MAX_SAFE_INTEGER; before !== null; ) {
    const page: Awaited<ReturnType<OperatorClient["listAudit"]>> = await operator.listAudit({
      ...{ ...filter, before, limit: 2 },
    });
    found.push(...page.items.map(({ sentence }) => sentence));
    before = page.next;
  }
  return found;
}

test("grave actions keep their reason, and filters find over all pages", async () => {
  const symbol = "BTCUSDT";
  await operator.setSpotMarketState({ symbol, state: "halted", reason: "exchange upgrade" });
  await operator.setSpotMarketState({ symbol, state: "trading" });
  await operator.setContractMarketState({ symbol, state: "cancel-only", reason: "index is late" });
  await operator.setContractMarketState({ symbol, state: "trading", reason: "index is back" });
  const { uid } = await operator.registerUser({});
  await operator.updateUser({ uid, state: "frozen", reason: "stolen “key”, é" });
  const { apiKey } = await operator.createApiKey({
    ...{ uid, permissions: ["read"], passphrase: PASSPHRASE },
  });
  await operator.revokeApiKey({ apiKey, reason: "leaked, ticket 5" });
  await operator.addOperator({ name: "eve", role: "viewer" });
  await operator.removeOperator({ name: "eve", reason: "left" });
  assert.deepEqual(await sentences({ action: "spot-market-state-set" }), [
    "operator resumed trading in spot BTCUSDT",
    "operator halted spot BTCUSDT: exchange upgrade",
  ]);
  assert.deepEqual(await sentences({ action: "contract-market-state-set", symbol }), [
    "operator resumed trading in contract BTCUSDT: index is back",
    "operator set contract BTCUSDT to cancel-only: index is late",
  ]);
  assert.deepEqual(await sentences({ text: "LEAKED" }), [
    `operator revoked API key ${apiKey} of user ${uid}: leaked, ticket 5`,
  ]);
  const ofUser = await sentences({ uid });
  assert.equal(ofUser.length, 4);
  assert.ok(ofUser.some((text) => text.endsWith(": stolen “key”, é")));
  assert.deepEqual(await sentences({ action: "operator-removed" }), [
    "operator removed operator eve: left",
  ]);
  assert.deepEqual(await sentences({ actor: "nobody" }), []);
  assert.deepEqual(await sentences({ startTime: 0, endTime: 1 }), []);
  const all = await operator.listAudit({ limit: 1000 });
  assert.equal((await sentences({ startTime: 1 })).length, all.items.length);
  for (const { actor, sentence } of all.items) {
    assert.ok(sentence.startsWith(`${actor} `), sentence);
    assert.doesNotMatch(sentence, /undefined|NaN|\[object/, sentence);
  }
});

test("reasons and filters are checked", async () => {
  const both = await refused(operator.listAudit({ after: 1, uid: 7 }));
  assert.deepEqual(both, [400, "malformed", "after"]);
  const long = { symbol: "BTCUSDT", state: "halted", reason: "x".repeat(501) } as const;
  assert.deepEqual(await refused(operator.setSpotMarketState(long)), [400, "malformed", "reason"]);
  const only = await refused(operator.updateUser({ uid: ann.uid, reason: "nothing else" }));
  assert.deepEqual(only.slice(0, 2), [400, "malformed"]);
  assert.deepEqual(await refused(operator.listAudit({ action: "A b" })), [
    ...[400, "malformed", "action"],
  ]);
});

test("the process says how it did since its start", async () => {
  const { now, bounds, items } = await operator.listHealthSamples();
  assert.ok(items.length > 0 && items.every(({ time }) => time <= now));
  for (const { commits } of items) {
    assert.equal(commits.length, bounds.length + 1);
    assert.deepEqual(
      commits,
      commits.toSorted((one, other) => one - other),
      "up to each bound",
    );
  }
});

test("reasons are there after a kill, from the journal alone", async () => {
  await exchange.kill("SIGKILL");
  await exchange.restart();
  const path = "/operator/v1/audit?text=ticket+5";
  const { items } = await exchange.operator.call<{ items: readonly unknown[] }>("GET", path);
  assert.equal(items.length, 1);
});
