/**
 * Proves the protocol of the streams over real sockets: handshakes and their refusals, requests and
 * their answers, a book that is kept from updates equal to the REST book at every `u` over random
 * orders, new connections and restarts, key changes, limits, the end.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { listStandardContracts, openContractAccount } from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import {
  type Account,
  issueKey,
  listStandardMarkets,
  openAccount,
} from "../support/exchange-setup.ts";
import { bookText, type DepthMessage, LocalBook } from "../support/local-book.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { handshakeHeaders, refusedHandshake, StreamClient } from "../support/stream-client.ts";

const random = seededRandom("conformance/streams");
const PUBLIC = "/v3/ws/public";
const PRIVATE = "/v3/ws/private";
const FUNDS = { USDT: "100000000", BTC: "100000" };

async function startExchange(
  t: TestContext,
  options: Parameters<typeof ExchangeProcess.start>[0] = {},
): Promise<ExchangeProcess> {
  const exchange = await ExchangeProcess.start({ process: "shared", ...options });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  return exchange;
}

test("handshakes", async (t) => {
  const exchange = await startExchange(t);
  const { port } = exchange;
  await listStandardContracts(exchange);
  const { uid, credentials } = await openAccount(exchange);
  const status = async (path: string, headers?: Record<string, string>): Promise<unknown[]> => {
    const { status: code, body } = await refusedHandshake(port, path, headers);
    return [code, (body as { code: unknown }).code];
  };
  const signed = handshakeHeaders(credentials);
  assert.deepEqual(await status(PRIVATE), [401, -1040]);
  assert.deepEqual(await status(`/contract${PRIVATE}`), [401, -1040]);
  assert.deepEqual(await status(PRIVATE, { ...signed, "ACCESS-SIGN": "x" }), [401, -1047]);
  assert.deepEqual(await status(PRIVATE, { ...signed, "ACCESS-KEY": "x" }), [401, -1044]);
  assert.deepEqual(await status(PRIVATE, { ...signed, "ACCESS-PASSPHRASE": "x" }), [401, -1049]);
  const late = handshakeHeaders(credentials, String(Date.now() - 31_000));
  assert.deepEqual(await status(PRIVATE, late), [401, -1046]);
  const contractOnly = await issueKey(exchange, uid, ["contract"]);
  assert.deepEqual(await status(PRIVATE, handshakeHeaders(contractOnly)), [403, -1052]);
  const other = await StreamClient.open(port, `/contract${PRIVATE}`, contractOnly);
  await other.close();
  assert.deepEqual(await status("/v3/ws/other"), [404, "40404"]);
  // The signed text is the same wherever the client was pointed at.
  for (const path of [PRIVATE, `/contract${PRIVATE}`]) {
    const client = await StreamClient.open(port, path, credentials);
    assert.equal((await client.subscribe("account")).result, true);
    await client.close();
  }
});

test("requests and their answers", async (t) => {
  const exchange = await startExchange(t);
  const client = await StreamClient.open(exchange.port, PUBLIC);
  t.after(() => client.close());
  const names = ["BTCUSDT@ticker", "BTCUSDT@depth15"];
  assert.deepEqual(await client.ask("SUBSCRIBE", names, "7"), { result: true, id: "7" });
  await client.until(() => client.of("depthSnapshot").length === 1, "a snapshot");
  assert.deepEqual(await client.ask("SUBSCRIBE", names, 7), { result: true, id: 7 });
  // Each subscription begins with the whole state, a repeated one as well.
  await client.until(() => client.of("depthSnapshot").length === 2, "two snapshots");
  const refused = async (method: string, params: string[]): Promise<unknown> =>
    (await client.ask(method, params)).msg;
  assert.equal(
    await refused("SUBSCRIBE", ["BTCUSDT@trade", "FOOUSDT@ticker"]),
    "INVALID_ARGUMENT: invalid symbol : FOOUSDT",
  );
  for (const name of [
    "BTCUSDT@depth20",
    "btcusdt@ticker",
    "BTCUSDT@kline_1m",
    "BTCUSDT@kline_7m_LAST_PRICE",
    "BTCUSDT@kline_1m_MARK_PRICE",
    "account",
    "",
  ]) {
    assert.equal(await refused("SUBSCRIBE", [name]), `INVALID_ARGUMENT: invalid channel : ${name}`);
  }
  assert.match(String(await refused("LIST", names)), /^INVALID_ARGUMENT: method must be/);
  assert.match(String(await refused("SUBSCRIBE", [])), /^INVALID_ARGUMENT: params must be/);
  assert.deepEqual(await client.ask("PONG", [], 9), { result: true, id: 9 });
  assert.deepEqual(await client.ask("UNSUBSCRIBE", ["BTCUSDT@trade"], 10), {
    result: true,
    id: 10,
  });
  for (const text of ["{", "[]", '{"id":1e300,"method":"PONG"}', '{"id":1,"id":1}']) {
    const answered = new Promise((resolve) => client.socket.once("message", resolve));
    client.socket.send(text);
    const { result, id, msg } = JSON.parse(String(await answered));
    assert.deepEqual([result, id, String(msg).split(":")[0]], [false, null, "INVALID_ARGUMENT"]);
  }
  client.socket.send(Buffer.from([1, 2]));
  assert.deepEqual(await client.closed, { code: 1008, reason: "messages are text" });
  const long = await StreamClient.open(exchange.port, PUBLIC);
  long.socket.send("x".repeat(17_000));
  assert.equal((await long.closed).code, 1009);
});

/** Keeps a book from a stream and remembers it at every `u`. */
class Keeper {
  readonly levels: 15 | 200;
  readonly seen: { readonly version: number; readonly text: string }[] = [];
  readonly book = new LocalBook();
  readonly #path: string;
  #client: StreamClient | null = null;

  constructor(path: string, levels: 15 | 200) {
    this.#path = path;
    this.levels = levels;
  }

  async connect({ port }: ExchangeProcess): Promise<void> {
    await this.#client?.close();
    const client = await StreamClient.open(port, this.#path);
    this.#client = client;
    client.onMessage = (message) => {
      this.book.apply(message as unknown as DepthMessage);
      this.seen.push({ version: this.book.version, text: this.book.text });
    };
    await client.subscribe(`BTCUSDT@depth${this.levels}`);
  }

  async resubscribe(): Promise<void> {
    const name = `BTCUSDT@depth${this.levels}`;
    await this.#client?.ask("UNSUBSCRIBE", [name]);
    await this.#client?.subscribe(name);
  }

  /** The stream reaches every version of REST, however slow the machine is. */
  async reach(version: number): Promise<void> {
    await this.#client?.until(() => this.book.version >= version, `version ${version}`);
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }
}

type Sides = readonly [string, string][];

/** One product's books over REST and over the stream, and how it is traded. */
interface BookMarket {
  readonly stream: string;
  readonly depth: string;
  open(exchange: ExchangeProcess): Promise<Account>;
  trade(account: Account, number: number): Promise<unknown>;
}

const BOOK_MARKETS: Readonly<Record<"spot" | "contract", BookMarket>> = {
  spot: {
    stream: PUBLIC,
    depth: "/api/v3/market/depth",
    open: (exchange) => openAccount(exchange, FUNDS),
    trade: ({ client }, number) => {
      if (random.chance(0.2)) {
        return client.cancel({ symbol: "BTCUSDT", clientOid: `o-${random.integer(0, number)}` });
      }
      const side = random.pick(["buy", "sell"]);
      const away = random.integer(-3, 250) * (side === "buy" ? -1 : 1);
      return client.place({
        symbol: "BTCUSDT",
        side,
        orderType: "limit",
        force: "normal",
        price: (50_000 + away / 100).toFixed(2),
        quantity: String(random.integer(1, 500) / 1000),
        clientOrderId: `o-${number}`,
      });
    },
  },
  contract: {
    stream: `/contract${PUBLIC}`,
    depth: "/capi/v3/market/depth",
    open: (exchange) => openContractAccount(exchange, "100000000"),
    trade: ({ client }, number) => {
      if (random.chance(0.2)) {
        const origClientOrderId = `o-${random.integer(0, number)}`;
        return client.delete("/capi/v3/order", { symbol: "BTCUSDT", origClientOrderId });
      }
      const side = random.pick(["BUY", "SELL"]);
      const away = random.integer(-3, 250) * (side === "BUY" ? -1 : 1);
      return client.post("/capi/v3/order", {
        symbol: "BTCUSDT",
        side,
        positionSide: side === "BUY" ? "LONG" : "SHORT",
        type: "LIMIT",
        timeInForce: "GTC",
        price: (60_000 + away / 10).toFixed(1),
        quantity: String(random.integer(1, 500) / 1000),
        newClientOrderId: `o-${number}`,
      });
    },
  },
};

for (const product of ["spot", "contract"] as const) {
  test(`${product}: a kept book is the REST book at every u`, async (t) => {
    const exchange = await startExchange(t, { process: "own" });
    await listStandardContracts(exchange);
    const market = BOOK_MARKETS[product];
    let accounts = [await market.open(exchange), await market.open(exchange)];
    const keepers = [new Keeper(market.stream, 15), new Keeper(market.stream, 200)];
    for (const keeper of keepers) await keeper.connect(exchange);
    const books = new Map<number, { readonly [levels: number]: string }>();
    const orders = scaled(500);
    for (let number = 0; number < orders; number++) {
      await market.trade(random.pick(accounts), number);
      const path = `${market.depth}?symbol=BTCUSDT&limit=200`;
      const { body } = await (accounts[0] as Account).client.raw({ method: "GET", path });
      const { lastUpdateId, bids, asks } = body as {
        readonly lastUpdateId: number;
        readonly bids: Sides;
        readonly asks: Sides;
      };
      books.set(lastUpdateId, { 15: bookText(bids, asks, 15), 200: bookText(bids, asks, 200) });
      if (random.chance(0.005)) await random.pick(keepers).connect(exchange);
      if (random.chance(0.005)) await random.pick(keepers).resubscribe();
      const signal = new Map([
        [Math.floor(orders / 3), "SIGTERM"],
        [Math.floor((2 * orders) / 3), "SIGKILL"],
      ] as const).get(number);
      if (signal !== undefined) {
        await exchange.kill(signal);
        await exchange.restart();
        accounts = await Promise.all(accounts.map((account) => reopened(exchange, account)));
        for (const keeper of keepers) await keeper.connect(exchange);
      }
    }
    for (const keeper of keepers) await keeper.reach(Math.max(...books.keys()));
    let compared = 0;
    for (const { seen, levels, book } of keepers) {
      for (const { version, text } of seen) {
        // What was seen before the first order is the empty book.
        const expected = version === 0 ? bookText([], [], levels) : books.get(version)?.[levels];
        assert.equal(text, expected, `depth${levels} at ${version}`);
        compared++;
      }
      assert.ok(book.updates > 0 && book.snapshots >= 3);
    }
    t.diagnostic(`${compared} books compared`);
    for (const keeper of keepers) await keeper.close();
  });
}

/** The same account behind the port of a restarted process. */
async function reopened(exchange: ExchangeProcess, { uid, client }: Account): Promise<Account> {
  client.close();
  const { SignedClient } = await import("../support/signed-client.ts");
  const { credentials } = client;
  return { uid, credentials, client: new SignedClient(exchange.port, credentials) };
}

test("a revoked key ends its connections, and only those", async (t) => {
  const exchange = await startExchange(t);
  const { uid, credentials } = await openAccount(exchange);
  const second = await issueKey(exchange, uid);
  const one = await StreamClient.open(exchange.port, PRIVATE, credentials);
  const other = await StreamClient.open(exchange.port, PRIVATE, second);
  t.after(() => other.close());
  await exchange.operator.call("DELETE", `/operator/v1/api-keys/${credentials.apiKey}`);
  assert.equal((await one.closed).code, 1008);
  assert.equal((await other.subscribe("orders")).result, true);
});

test("limits: channels and operations of a connection, connections and attempts", async (t) => {
  const exchange = await startExchange(t, { rateLimits: "standard" });
  const { port } = exchange;
  const client = await StreamClient.open(port, PUBLIC);
  const intervals = ["1m", "5m", "15m", "30m", "1h", "2h", "4h", "6h", "8h", "12h", "1d"];
  const klines = intervals.map((interval) => `BTCUSDT@kline_${interval}_LAST_PRICE`);
  assert.equal((await client.ask("SUBSCRIBE", klines)).result, true);
  const tooMany = Array.from({ length: 90 }, (_, i) => `BTCUSDT@none${i}`);
  const { msg } = await client.ask("SUBSCRIBE", tooMany);
  assert.equal(msg, "INVALID_ARGUMENT: more than 100 channels");
  for (let extra = 0; extra < 250; extra++) void client.ask("UNSUBSCRIBE", ["BTCUSDT@ticker"]);
  assert.equal((await client.closed).reason, "too many messages");
  const clients = await Promise.all(
    Array.from({ length: 100 }, () => StreamClient.open(port, PUBLIC)),
  );
  assert.equal((await refusedHandshake(port, PUBLIC)).status, 429);
  for (const open of clients) await open.close();
  // One attempt a second comes back, so on a slow machine there are a few more than 300.
  let attempts = 0;
  while ((await refusedHandshake(port, PRIVATE)).status !== 429) {
    attempts++;
    assert.ok(attempts < 2_000, "300 attempts in five minutes");
  }
});

test("the end: every client is told that the exchange goes away", async (t) => {
  const exchange = await startExchange(t, { process: "own" });
  const { credentials } = await openAccount(exchange);
  const clients = [
    await StreamClient.open(exchange.port, PUBLIC),
    await StreamClient.open(exchange.port, PRIVATE, credentials),
  ];
  const [exit] = await Promise.all([exchange.kill("SIGTERM"), ...clients.map((c) => c.closed)]);
  assert.equal(exit.code, 0);
  for (const client of clients) assert.equal((await client.closed).code, 1001);
});
