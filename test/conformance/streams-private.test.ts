/**
 * Proves that the private streams are the histories: over random orders, amendments, cancels and
 * trades of
 * three accounts on spot and on contracts, what a client learnt from its streams alone equals what
 * REST answers at the end: every fill, the last state of every order, balances and positions.
 * Versions have no gap.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { listStandardContracts, openContractAccount } from "../support/contract-venue.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { StreamClient, type StreamMessage } from "../support/stream-client.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/venue.ts";

const random = seededRandom("conformance/streams-private");
const PRIVATE = "/v3/ws/private";

type Row = Readonly<Record<string, unknown>>;

/** What one account learns from its streams. */
class Watcher {
  readonly account: Account;
  readonly orders = new Map<string, Row>();
  readonly fills: Row[] = [];
  readonly balances = new Map<string, Row>();
  readonly positions = new Map<string, Row>();
  readonly #versions = new Map<unknown, number>();
  readonly client: StreamClient;

  constructor(account: Account, client: StreamClient) {
    this.account = account;
    this.client = client;
    client.onMessage = (message) => this.#take(message);
  }

  static async open(
    { port }: ExchangeProcess,
    account: Account,
    prefix: string,
    channels: readonly string[],
  ): Promise<Watcher> {
    const client = await StreamClient.open(port, prefix + PRIVATE, account.credentials);
    const watcher = new Watcher(account, client);
    assert.equal((await client.subscribe(...channels)).result, true);
    return watcher;
  }

  #take({ e, v, d }: StreamMessage): void {
    const before = this.#versions.get(e);
    const version = Number(v);
    assert.ok(before === undefined || version === before + 1, `${e} ${before} → ${version}`);
    this.#versions.set(e, version);
    const rows = d as Row[];
    assert.ok(rows.length > 0);
    for (const row of rows) {
      if (e === "fill") this.fills.push(row);
      else if (e === "orders") this.orders.set(String(row.id), row);
      else if (e === "positions") this.positions.set(String(row.id), row);
      else this.balances.set(String(row.coin), row);
    }
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Waits until the stream says what REST said before. */
async function agree(watcher: Watcher, read: () => unknown, expected: unknown): Promise<void> {
  await watcher.client
    .until(() => isSame(read(), expected), "agreement")
    .catch(() => assert.deepEqual(read(), expected));
}

const byId = (rows: readonly Row[]): Row[] =>
  rows.toSorted((one, other) => Number(one.id) - Number(other.id));

async function randomSpotOrder(accounts: readonly Account[], number: number): Promise<void> {
  const { client } = random.pick(accounts);
  if (random.chance(0.2)) {
    await client.cancel({ symbol: "BTCUSDT", clientOid: `o-${random.integer(0, number)}` });
    return;
  }
  if (random.chance(0.2)) {
    await client.post("/api/v2/trade/amend-order", {
      symbol: "BTCUSDT",
      clientOrderId: `o-${random.integer(Math.max(0, number - 30), number)}`,
      ...(random.chance(0.5) ? { price: (50_000 + random.integer(-8, 8)).toFixed(0) } : {}),
      quantity: String(random.integer(1, 90) / 1000),
    });
    return;
  }
  const side = random.pick(["buy", "sell"]);
  const isMarket = random.chance(0.15);
  await client.place({
    symbol: "BTCUSDT",
    side,
    orderType: isMarket ? "market" : "limit",
    force: random.pick(["normal", "normal", "ioc", "postOnly"]),
    ...(isMarket ? {} : { price: (50_000 + random.integer(-8, 8)).toFixed(0) }),
    quantity: isMarket && side === "buy" ? "500" : String(random.integer(1, 90) / 1000),
    clientOrderId: `o-${number}`,
  });
}

async function checkSpot(watcher: Watcher): Promise<void> {
  const { client } = watcher.account;
  const trades = await client.v3<Row[]>("/api/v3/myTrades", { symbol: "BTCUSDT", limit: 1000 });
  const expectedFills = trades.map((trade) => [
    String(trade.id),
    String(trade.orderId),
    trade.qty,
    trade.quoteQty,
    trade.commission,
    trade.maker ? "MAKER" : "TAKER",
    trade.isBuyer ? "BUY" : "SELL",
    String(trade.time),
  ]);
  const streamed = (): unknown[] =>
    watcher.fills.map((fill) => [
      fill.id,
      fill.orderId,
      fill.fillSize,
      fill.fillValue,
      fill.fillFee,
      fill.direction,
      fill.orderSide,
      fill.createdTime,
    ]);
  const sorted = (rows: unknown[]): string[] => rows.map((row) => JSON.stringify(row)).sort();
  await agree(watcher, () => sorted(streamed()), sorted(expectedFills));
  const orders = await client.v3<Row[]>("/api/v3/allOrders", { symbol: "BTCUSDT", limit: 1000 });
  const expectedOrders = orders.map((order) => ({
    id: String(order.orderId),
    clientOrderId: order.clientOrderId,
    orderSide: order.side,
    type: order.type,
    status: order.status,
    price: order.price,
    size: order.origQty,
    cumFillSize: order.executedQty,
    cumFillValue: order.cummulativeQuoteQty,
    createdTime: String(order.time),
    updatedTime: String(order.updateTime),
  }));
  const names = Object.keys(expectedOrders[0] ?? {});
  const picked = (): Row[] =>
    [...watcher.orders.values()].map((row) =>
      Object.fromEntries(names.map((name) => [name, row[name]])),
    );
  await agree(watcher, () => byId(picked()), byId(expectedOrders));
  const assets = await client.assets();
  for (const [coin, row] of watcher.balances) {
    const { equity, available, frozen } = assets.get(coin) as unknown as Row;
    await agree(watcher, () => watcher.balances.get(coin), { coin, equity, available, frozen });
    assert.ok(row !== undefined);
  }
}

test("spot: fills, orders and balances", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const funds = { USDT: "10000000", BTC: "1000" };
  const accounts = [
    await openAccount(exchange, funds),
    await openAccount(exchange, funds),
    await openAccount(exchange, funds),
  ];
  const watchers = await Promise.all(
    accounts.map((account) => Watcher.open(exchange, account, "", ["account", "orders", "fill"])),
  );
  // More than that and the histories would answer only the newest part.
  const count = Math.min(scaled(400), 900);
  for (let number = 0; number < count; number++) await randomSpotOrder(accounts, number);
  for (const watcher of watchers) {
    await checkSpot(watcher);
    assert.ok(watcher.fills.length > 0);
    await watcher.client.close();
  }
});

async function randomContractOrder(accounts: readonly Account[], number: number): Promise<void> {
  const { client } = random.pick(accounts);
  if (random.chance(0.1)) {
    await client.delete("/capi/v3/allOpenOrders", { symbol: "BTCUSDT" });
    return;
  }
  if (random.chance(0.2)) {
    await client.put("/capi/v3/order", {
      origClientOrderId: `o-${random.integer(Math.max(0, number - 30), number)}`,
      ...(random.chance(0.5) ? { price: (60_000 + random.integer(-8, 8)).toFixed(0) } : {}),
      quantity: String(random.integer(1, 90) / 1000),
    });
    return;
  }
  await client.post("/capi/v3/order", {
    symbol: "BTCUSDT",
    side: random.pick(["BUY", "SELL"]),
    positionSide: random.pick(["LONG", "SHORT"]),
    type: "LIMIT",
    timeInForce: random.pick(["GTC", "GTC", "IOC"]),
    price: (60_000 + random.integer(-8, 8)).toFixed(0),
    quantity: String(random.integer(1, 90) / 1000),
    newClientOrderId: `o-${number}`,
  });
}

/** A position over REST in the words of the stream. */
function positionWords(position: Row): Row {
  const text = ["id", "separatedOpenOrderId", "createdMatchSequenceId", "updatedMatchSequenceId"];
  const words: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(position)) {
    if (name === "asset") words.coin = value;
    else if (name === "marginType") words.marginMode = value;
    else if (name === "isAutoAppendIsolatedMargin") words.autoAppendIsolatedMargin = value;
    else if ([...text, "createdTime", "updatedTime"].includes(name)) words[name] = String(value);
    else if (!["marginSize", "unrealizePnl", "liquidatePrice"].includes(name)) words[name] = value;
  }
  return words;
}

async function checkContract(watcher: Watcher): Promise<void> {
  const { client } = watcher.account;
  const query = { symbol: "BTCUSDT", limit: 100 };
  const trades = await client.v3<Row[]>("/capi/v3/userTrades", query);
  const expected = trades.map((trade) => [
    String(trade.id),
    String(trade.orderId),
    trade.qty,
    trade.quoteQty,
    trade.commission,
    trade.realizedPnl,
    trade.side,
    trade.positionSide,
  ]);
  const streamed = (): unknown[] =>
    watcher.fills.map((fill) => [
      fill.id,
      fill.orderId,
      fill.fillSize,
      fill.fillValue,
      fill.fillFee,
      fill.realizePnl,
      fill.orderSide,
      fill.positionSide,
    ]);
  // The history answers the newest hundred.
  await watcher.client.until(() => watcher.fills.length >= expected.length, "the fills");
  const known = new Set(streamed().map((row) => JSON.stringify(row)));
  for (const row of expected) assert.ok(known.has(JSON.stringify(row)), JSON.stringify(row));
  const open = await client.v3<Row[]>("/capi/v3/account/position/allPosition");
  const held = (): Row[] =>
    byId([...watcher.positions.values()].filter(({ size }) => size !== "0"));
  const sortKeys = (row: Row): Row => Object.fromEntries(Object.entries(row).sort());
  await agree(watcher, () => held().map(sortKeys), byId(open.map(positionWords)).map(sortKeys));
  const orders = await client.v3<Row[]>("/capi/v3/openOrders", { symbol: "BTCUSDT" });
  const openIds = orders.map((order) => [
    String(order.orderId),
    order.executedQty,
    order.price,
    order.origQty,
    String(order.time),
  ]);
  const streamedOpen = (): unknown[] =>
    byId([...watcher.orders.values()].filter(({ status }) => status === "NEW")).map((order) => [
      order.id,
      order.cumFillSize,
      order.price,
      order.size,
      order.createdTime,
    ]);
  await agree(watcher, streamedOpen, openIds);
  const [balance] = await client.v3<Row[]>("/capi/v3/account/balance");
  const streamedBalance = (): unknown => {
    const row = watcher.balances.get("USDT");
    return row?.legacyAmount;
  };
  await agree(watcher, streamedBalance, balance?.balance);
}

test("contract: fills, open orders, positions and the wallet", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardContracts(exchange);
  const accounts = [
    await openContractAccount(exchange, "1000000"),
    await openContractAccount(exchange, "1000000"),
    await openContractAccount(exchange, "1000000"),
  ];
  const channels = ["account", "orders", "fill", "positions"];
  const watchers = await Promise.all(
    accounts.map((account) => Watcher.open(exchange, account, "/contract", channels)),
  );
  // More than that and the histories would answer only the newest part.
  const count = Math.min(scaled(400), 900);
  for (let number = 0; number < count; number++) await randomContractOrder(accounts, number);
  for (const watcher of watchers) {
    await checkContract(watcher);
    assert.ok(watcher.fills.length > 0 && watcher.positions.size > 0);
    await watcher.client.close();
  }
});
