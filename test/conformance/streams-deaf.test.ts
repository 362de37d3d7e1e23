/**
 * Proves over real sockets that a client which never reads costs the exchange a bounded number of
 * bytes and nobody else anything: where nothing may be left out it is cut off, where the state can
 * be sent again it is left alone. The bytes that wait are counted in this process, on the server's
 * side of each socket; that the memory of the process stays what it is, on the process itself.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { Command } from "../../src/protocol/index.ts";
import { DeafClient } from "../support/deaf-client.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { StreamClient } from "../support/stream-client.ts";
import { SYMBOL } from "../support/stream-fixture.ts";
import { StreamServer } from "../support/stream-server.ts";

const MEBIBYTE = 1024 * 1024;
/** What may wait, and one more message. */
const CUT_BYTES = MEBIBYTE + 128 * 1024;
const CONFLATE_BYTES = 256 * 1024 + 128 * 1024;
const BOOK = `${SYMBOL}@depth200`;
/** The kernel takes some megabytes before anything waits in the process. */
const COMMANDS_MAX = 200_000;

/** The most that ever waited for each of some clients. */
class Waiting {
  readonly most = new Map<DeafClient, number>();
  readonly #server: StreamServer;

  constructor(server: StreamServer, clients: readonly DeafClient[]) {
    this.#server = server;
    for (const client of clients) this.most.set(client, 0);
  }

  /** Those whose connection the server has not ended. */
  look(): DeafClient[] {
    const open: DeafClient[] = [];
    for (const [client, most] of this.most) {
      const bytes = this.#server.bytesFor(client.port);
      if (bytes === null) continue;
      open.push(client);
      this.most.set(client, Math.max(most, bytes.waiting));
    }
    return open;
  }
}

function spotOrder(uid: number, side: "BUY" | "SELL", price: string, id: number): Command {
  return {
    type: "place-spot-order",
    uid,
    symbol: SYMBOL,
    clientOrderId: `deaf-${id}`,
    side,
    orderType: "LIMIT",
    timeInForce: "GTC",
    price,
    quantity: "0.001",
    quantityUnit: "base",
  };
}

/** A book of many levels, so that its snapshot is long. */
async function fillBook({ fixture }: StreamServer, uid: number): Promise<void> {
  for (let level = 1; level <= 200; level++) {
    await fixture.must(spotOrder(uid, "SELL", (1010 + level / 10).toFixed(1), 900_000 + level));
    await fixture.must(spotOrder(uid, "BUY", (990 - level / 10).toFixed(1), 950_000 + level));
  }
}

/** What says that a subscription was taken. */
const ANSWER_BYTES = '{"result":true,"id":1}'.length;

/** Each subscription is answered by the whole book: so often, or until much waits. */
async function askForBooks(
  server: StreamServer,
  deaf: DeafClient,
  waiting: Waiting,
  times: number,
  enoughBytes = Number.POSITIVE_INFINITY,
): Promise<number> {
  let asked = 0;
  for (; asked < times && (waiting.most.get(deaf) ?? 0) < enoughBytes; asked++) {
    const before = server.bytesFor(deaf.port)?.sent ?? 0;
    deaf.subscribe([BOOK]);
    const isAnswered = (): boolean =>
      (server.bytesFor(deaf.port)?.sent ?? Number.POSITIVE_INFINITY) >= before + ANSWER_BYTES;
    while (!isAnswered()) await turn();
    waiting.look();
  }
  return asked;
}

/** Each pair of orders is a trade: two orders that ended, two fills. */
async function tradeUntil(
  { fixture }: StreamServer,
  [maker, taker]: readonly [number, number],
  isEnough: () => boolean,
): Promise<number> {
  let commands = 0;
  while (!isEnough() && commands < COMMANDS_MAX) {
    commands += 2;
    await fixture.must(spotOrder(maker, "SELL", "1000", commands));
    await fixture.must(spotOrder(taker, "BUY", "1000", commands));
    if (commands % 100 === 0) await turn();
  }
  return commands / 2;
}

test("where nothing is left out, who never reads is cut off", async (t) => {
  const server = await StreamServer.open();
  t.after(() => server.close());
  const uids = [await server.fixture.user(), await server.fixture.user()] as const;
  const [maker] = uids;
  const credentials = { apiKey: String(maker), secret: "secret", passphrase: "" };
  const channels = ["orders", "fill", "account"];
  const reader = await server.private("spot", maker);
  const tape = await StreamClient.open(server.port, "/v3/ws/public");
  await reader.subscribe(...channels);
  await tape.subscribe(`${SYMBOL}@trade`);
  const onTape = await DeafClient.open(server.port, "/v3/ws/public", [`${SYMBOL}@trade`]);
  const deaf = [
    await DeafClient.open(server.port, "/v3/ws/private", channels, credentials),
    await DeafClient.open(server.port, "/v3/ws/private", ["orders"], credentials),
    onTape,
  ];
  const waiting = new Waiting(server, deaf);
  // Trades are short, so the kernel gets books first.
  await fillBook(server, await server.fixture.user());
  await askForBooks(server, onTape, waiting, 5_000, MEBIBYTE / 8);
  const trades = await tradeUntil(server, uids, () => waiting.look().length === 0);
  t.diagnostic(`${trades} trades; waiting at most ${[...waiting.most.values()].join(", ")}`);
  for (const client of deaf) {
    await client.listen();
    assert.ok((waiting.most.get(client) ?? 0) < CUT_BYTES);
  }
  // Who reads has every one, in order, although others held theirs up.
  const ids = (client: StreamClient, event: string, name: string): unknown[] =>
    client.of(event).flatMap(({ d }) => (d as Record<string, unknown>[]).map((row) => row[name]));
  const expected = Array.from({ length: trades }, (_, i) => String(i + 1));
  await tape.until(() => ids(tape, "trade", "t").length === trades, "every trade");
  await reader.until(() => ids(reader, "fill", "id").length === trades, "every fill");
  assert.deepEqual(ids(tape, "trade", "t"), expected);
  assert.deepEqual(ids(reader, "fill", "id"), expected);
  await reader.close();
  await tape.close();
});

test("where the state can be sent again, who never reads is left alone", async (t) => {
  const server = await StreamServer.open();
  t.after(() => server.close());
  const uid = await server.fixture.user();
  await fillBook(server, uid);
  const reader = await StreamClient.open(server.port, "/v3/ws/public");
  await reader.subscribe(BOOK);
  const deaf = await DeafClient.open(server.port, "/v3/ws/public", [BOOK]);
  const waiting = new Waiting(server, [deaf]);
  const asked = await askForBooks(server, deaf, waiting, 5_000, 200 * 1024);
  await askForBooks(server, deaf, waiting, 500);
  assert.deepEqual(waiting.look(), [deaf], "it is not cut off");
  t.diagnostic(`${asked} books; waiting at most ${waiting.most.get(deaf)}`);
  assert.ok((waiting.most.get(deaf) ?? 0) < CONFLATE_BYTES);
  const before = reader.of("depth").length;
  await server.fixture.must(spotOrder(uid, "BUY", "999.9", 5_000));
  await reader.until(() => reader.of("depth").length > before, "an update for who reads");
  deaf.close();
  await reader.close();
});

async function metric({ operator }: ExchangeProcess, name: string): Promise<number> {
  const text = await operator.metrics();
  const line = text.split("\n").find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

/** Orders of one account that rest and are cancelled, until enough clients were cut off. */
async function placeUntilCut(
  t: TestContext,
  exchange: ExchangeProcess,
  { client }: Awaited<ReturnType<typeof openAccount>>,
  deaf: number,
): Promise<number> {
  const order = { symbol: "BTCUSDT", side: "sell", orderType: "limit", force: "normal" } as const;
  const ended = (): Promise<number> =>
    metric(exchange, 'rialto_stream_ended_total{cause="too-slow"}');
  let orders = 0;
  while ((await ended()) < deaf && orders < 20_000) {
    const ids = Array.from({ length: 100 }, (_, i) => `s-${orders + i}`);
    await Promise.all(
      ids.map((clientOrderId) =>
        client.place({ ...order, price: "50000", quantity: "0.001", clientOrderId }),
      ),
    );
    await client.delete("/api/v3/openOrders", { symbol: "BTCUSDT" });
    orders += ids.length;
  }
  assert.equal(await ended(), deaf);
  t.diagnostic(`${orders} orders`);
  return orders;
}

test("the process stays as large as it is, and whoever reads gets everything", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const account = await openAccount(exchange, { BTC: "100000" });
  const { credentials } = account;
  const reader = await StreamClient.open(exchange.port, "/v3/ws/private", credentials);
  await reader.subscribe("orders");
  const entries = (): number =>
    reader.of("orders").reduce((sum, { d }) => sum + (d as unknown[]).length, 0);
  const clients: DeafClient[] = [];
  for (let number = 0; number < 10; number++) {
    clients.push(await DeafClient.open(exchange.port, "/v3/ws/private", ["orders"], credentials));
  }
  const before = await metric(exchange, "rialto_resident_bytes");
  const orders = await placeUntilCut(t, exchange, account, clients.length);
  const after = await metric(exchange, "rialto_resident_bytes");
  t.diagnostic(`${Math.round((after - before) / MEBIBYTE)} MiB more than before`);
  // A mebibyte for each of them, and what any process takes and gives back while it works.
  assert.ok(after - before < 200 * MEBIBYTE, `${before} → ${after}`);
  await reader.until(() => entries() === 2 * orders, "every order, placed and cancelled");
  for (const client of clients) await client.listen();
  await reader.close();
});
