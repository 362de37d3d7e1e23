/**
 * Proves how the client's streams handle a faulty server: a gap is repaired by a new snapshot,
 * temporary rejections are retried, garbage and closed connections lead to new connections with
 * every channel, and heartbeats are answered.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { RialtoClient, type SpotStreams, type StreamState } from "../../src/client/index.ts";

const symbol = "BTCUSDT";

interface Request {
  readonly method: string;
  readonly params?: readonly string[];
  readonly id: unknown;
}

/** A server whose answers are the test's. */
class Liar {
  readonly server: WebSocketServer;
  readonly requests: Request[] = [];
  /** What is answered to a request; undefined for no answer. */
  answer: (request: Request) => object | undefined = () => ({ result: true });
  sockets: WebSocket[] = [];
  readonly #waiting = new Set<() => void>();

  private constructor(server: WebSocketServer) {
    this.server = server;
    server.on("connection", (socket) => {
      this.sockets.push(socket);
      socket.on("message", (data) => {
        const request = JSON.parse(String(data)) as Request;
        this.requests.push(request);
        const answer = this.answer(request);
        if (answer !== undefined) socket.send(JSON.stringify({ ...answer, id: request.id }));
        for (const look of [...this.#waiting]) look();
      });
    });
  }

  static async open(t: TestContext): Promise<{ liar: Liar; market: SpotStreams }> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    await once(server, "listening");
    const liar = new Liar(server);
    const { port } = server.address() as AddressInfo;
    const market = new RialtoClient({ baseUrl: `http://127.0.0.1:${port}` }).streams.spot();
    t.after(() => {
      market.close();
      for (const socket of server.clients) socket.terminate();
      server.close();
    });
    return { liar, market };
  }

  tell(message: object): void {
    this.sockets.at(-1)?.send(JSON.stringify(message));
  }

  subscriptions(): readonly string[] {
    return this.requests
      .filter(({ method }) => method === "SUBSCRIBE")
      .flatMap(({ params = [] }) => params);
  }

  /** Until so many channels were asked for since the beginning. */
  async subscribed(count: number): Promise<void> {
    while (this.subscriptions().length < count) {
      await new Promise<void>((resolve) => {
        const look = (): void => {
          this.#waiting.delete(look);
          resolve();
        };
        this.#waiting.add(look);
      });
    }
  }
}

const depth = (kind: "depth" | "depthSnapshot", U: number, u: number, bid: string) => ({
  e: kind,
  E: 0,
  s: symbol,
  U,
  u,
  l: 15,
  b: [["100", bid]],
  a: kind === "depth" ? [] : [["101", "1"]],
});

function states(market: SpotStreams): StreamState[] {
  const seen: StreamState[] = [];
  market.onState((state) => seen.push(state));
  return seen;
}

const changed = (market: SpotStreams, name: string): Promise<StreamState> =>
  new Promise((resolve) => {
    const stop = market.onState((state) => {
      if (state.name !== name) return;
      stop();
      resolve(state);
    });
  });

test("a gap heals by a new snapshot, and updates in between are not believed", async (t) => {
  const { liar, market } = await Liar.open(t);
  const book = market.orderBook(symbol, 15);
  await liar.subscribed(1);
  liar.tell(depth("depthSnapshot", 5, 5, "1"));
  await book.ready;
  liar.tell(depth("depth", 5, 6, "2"));
  liar.tell(depth("depth", 7, 8, "3"));
  liar.tell(depth("depth", 8, 9, "4"));
  await liar.subscribed(2);
  assert.equal(book.isLive, false);
  assert.deepEqual([book.version, book.bids, book.resyncs], [6, [["100", "2"]], 1]);
  liar.tell(depth("depthSnapshot", 9, 9, "4"));
  for await (const { isLive } of book) if (isLive) break;
  assert.deepEqual([book.version, book.bids], [9, [["100", "4"]]]);
});

test("a server that does nothing but lie is asked ever more rarely", async (t) => {
  const { liar, market } = await Liar.open(t);
  const book = market.orderBook(symbol, 15);
  liar.answer = ({ method }) => {
    if (method === "SUBSCRIBE") {
      setImmediate(() => {
        liar.tell(depth("depthSnapshot", 5, 5, "1"));
        liar.tell(depth("depth", 99, 100, "2"));
      });
    }
    return { result: true };
  };
  await liar.subscribed(3);
  const asked = liar.subscriptions().length;
  // The third waits for half a second and more: without the wait there were thousands by now.
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.ok(liar.subscriptions().length <= asked + 1);
  assert.ok(book.resyncs <= 5);
});

test("a refusal for now is asked again; one for good is not", async (t) => {
  const { liar, market } = await Liar.open(t);
  let refusals = 2;
  liar.answer = ({ params: [channel] = [] }) => {
    if (channel === "NOPE@ticker") return { result: false, msg: "INVALID_ARGUMENT: no" };
    if (channel === undefined || refusals-- <= 0) return { result: true };
    return { result: false, msg: "RATE_LIMITED: later" };
  };
  const ticker = market.ticker(symbol);
  await ticker.ready;
  assert.deepEqual(liar.subscriptions(), Array(3).fill(`${symbol}@ticker`));
  await assert.rejects(market.ticker("NOPE").ready, /INVALID_ARGUMENT/);
  market.ticker("ETHUSDT");
  await liar.subscribed(5);
  liar.sockets.at(-1)?.close();
  await liar.subscribed(7);
  assert.deepEqual(liar.subscriptions().slice(5).toSorted(), [
    `${symbol}@ticker`,
    "ETHUSDT@ticker",
  ]);
});

test("garbage and ends are followed by another connection", async (t) => {
  const { liar, market } = await Liar.open(t);
  const opened = changed(market, "live");
  market.ticker(symbol);
  await opened;
  const seen = states(market);
  for (const [failure, reason] of [
    [() => liar.sockets.at(-1)?.send("no JSON"), "a message that is no JSON object"],
    [() => liar.sockets.at(-1)?.send(Buffer.from([1])), "a message that is no JSON object"],
    [
      () => liar.sockets.at(-1)?.close(1001, "the exchange is stopping"),
      "the exchange is stopping",
    ],
    [() => liar.sockets.at(-1)?.close(1008, "too slow for x"), "too slow for x"],
    [() => liar.sockets.at(-1)?.terminate(), "the connection failed"],
  ] as const) {
    const live = changed(market, "live");
    failure();
    assert.equal((await live).resumed, true);
    const reconnecting = seen.findLast(({ name }) => name === "reconnecting");
    assert.equal(reconnecting?.reason, reason);
  }
  assert.equal(liar.subscriptions().length, 6);
});

test("heartbeats are answered, latency is measured, and closing is for good", async (t) => {
  const { liar, market } = await Liar.open(t);
  await market.ticker(symbol).ready;
  assert.ok((market.latencyMs ?? -1) >= 0);
  for (const ping of [
    { event: "ping", time: "1" },
    { type: "ping", time: "2" },
  ]) {
    const pongs = liar.requests.length;
    liar.tell(ping);
    while (liar.requests.length === pongs) await new Promise((resolve) => setTimeout(resolve, 1));
    assert.deepEqual(liar.requests.at(-1), { method: "PONG", id: "pong" });
  }
  const [socket] = liar.sockets;
  assert.ok(socket !== undefined);
  market.close();
  await once(socket, "close");
  assert.equal(market.state.name, "closed");
  assert.equal(liar.sockets.length, 1);
});

test("a hundred channels at once are asked for in turn", async (t) => {
  const { liar, market } = await Liar.open(t);
  let waiting = 0;
  let most = 0;
  liar.answer = ({ id }) => {
    waiting++;
    most = Math.max(most, waiting);
    setImmediate(() => {
      waiting--;
      liar.tell({ result: true, id });
    });
    return undefined;
  };
  const tickers = Array.from({ length: 100 }, (_, i) => market.ticker(`COIN${i}USDT`));
  await Promise.all(tickers.map(({ ready }) => ready));
  assert.equal(new Set(liar.subscriptions()).size, 100);
  // The exchange takes 64 that wait.
  assert.ok(most <= 20, `${most} at once`);
});

test("what came before anybody read is not lost for the first who does", async (t) => {
  const { liar, market } = await Liar.open(t);
  const opened = changed(market, "live");
  const [iterated, listened] = [market.trades(symbol), market.trades(symbol)];
  await opened;
  const trade = (id: string) => ({ e: "trade", E: 0, s: symbol, d: [{ t: id, p: "1", q: "1" }] });
  liar.tell(trade("1"));
  liar.tell(trade("2"));
  const heard: string[] = [];
  for await (const { id } of iterated) {
    heard.push(id);
    if (id === "2") break;
  }
  listened.listen(({ id }) => heard.push(id));
  assert.deepEqual(heard, ["1", "2", "1", "2"]);
  const next = iterated[Symbol.asyncIterator]().next();
  liar.tell(trade("3"));
  assert.equal((await next).value?.id, "3");
  assert.deepEqual(heard.slice(4), ["3"]);
});
