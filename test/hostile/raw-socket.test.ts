/**
 * Proves that what is not even HTTP does no harm: bytes that no client library would send go over
 * raw sockets. Each gets a 4xx or a closed connection, none a 5xx and none a hang; afterwards the
 * server answers as before, and the state is the same.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import test from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { type Random, scaled, seededRandom } from "../support/random.ts";
import { signedHeaders } from "../support/signed-client.ts";

const RANDOM_SOCKETS = 300;
/** Longer than the server's own patience with a request that does not end. */
const PATIENCE_MS = 20_000;
const random = seededRandom("hostile/raw-socket");

type Outcome = { readonly status: number[]; readonly closed: "by server" | "after answer" };

/**
 * Sends the bytes; resolves when the server closed the connection, or has answered and said nothing
 * more.
 */
function exchangeBytes(
  port: number,
  bytes: string | Buffer,
  { halfClose = true } = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    const timer = setTimeout(() => {
      socket.destroy();
      reject(
        new Error(`no answer and no end after ${JSON.stringify(bytes.toString().slice(0, 200))}`),
      );
    }, PATIENCE_MS);
    const done = (closed: Outcome["closed"]): void => {
      clearTimeout(timer);
      socket.destroy();
      const lines = received.matchAll(/HTTP\/1\.[01] (\d{3})/g);
      resolve({ status: [...lines].map(([, status]) => Number(status)), closed });
    };
    socket.on("connect", () => {
      if (halfClose) socket.end(bytes);
      else socket.write(bytes);
    });
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    socket.on("error", () => done("by server"));
    socket.on("close", () => done(received === "" ? "by server" : "after answer"));
  });
}

const GET = "GET /api/v3/time HTTP/1.1\r\nHost: x\r\n";

/** An order with these headers and body, as they are. */
function post(headers: readonly string[], body: string): string {
  return `POST /api/v3/order HTTP/1.1\r\n${["Host: x", ...headers].join("\r\n")}\r\n\r\n${body}`;
}

const CHUNKED = "Transfer-Encoding: chunked";
const MANY_HEADERS = Array.from({ length: 10_000 }, (_, i) => `H${i}: v\r\n`).join("");
const WEBSOCKET = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
];

const FIXED: Readonly<Record<string, string | Buffer>> = {
  garbage: "\x00\x01\x02garbage\r\n\r\n",
  "TLS hello": Buffer.from("16030100c8010000c40303", "hex"),
  "no version": "GET /api/v3/time\r\n\r\n",
  "unknown version": "GET /api/v3/time HTTP/9.9\r\nHost: x\r\n\r\n",
  "HTTP/2 preface": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  "no host": "GET /api/v3/time HTTP/1.1\r\n\r\n",
  "unknown method": "FETCH /api/v3/time HTTP/1.1\r\nHost: x\r\n\r\n",
  "space in target": "GET /api/v3/ti me HTTP/1.1\r\nHost: x\r\n\r\n",
  "raw bytes in target": Buffer.from("GET /api/v3/t\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n", "latin1"),
  "NUL in target": "GET /api/v3/\x00time HTTP/1.1\r\nHost: x\r\n\r\n",
  "absolute target": "GET http://elsewhere/api/v3/time HTTP/1.1\r\nHost: x\r\n\r\n",
  "authority target": "CONNECT elsewhere:443 HTTP/1.1\r\nHost: x\r\n\r\n",
  "header without colon": `${GET}Broken\r\n\r\n`,
  "header with NUL": `${GET}A: b\x00c\r\n\r\n`,
  "space before colon": `${GET}A : b\r\n\r\n`,
  "folded header": `${GET}A: b\r\n c\r\n\r\n`,
  "10,000 headers": `${GET}${MANY_HEADERS}\r\n`,
  "huge header": `${GET}A: ${"x".repeat(100_000)}\r\n\r\n`,
  "huge target": `GET /${"x".repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  "negative length": post(["Content-Length: -5"], "hello"),
  "length that is no number": post(["Content-Length: 5a"], "hello"),
  "two lengths": post(["Content-Length: 5", "Content-Length: 6"], "hello!"),
  "length and chunks": post(["Content-Length: 5", CHUNKED], "0\r\n\r\n"),
  "unknown transfer coding": post(["Transfer-Encoding: gzip"], "x"),
  "bad chunk size": post([CHUNKED], "zz\r\nx\r\n0\r\n\r\n"),
  "huge chunk size": post([CHUNKED], "ffffffffffffffff\r\nx"),
  "body that ends early": post(["Content-Length: 500"], '{"symbol":'),
  "request that ends in its headers": `${GET}ACCESS-KEY: abc`,
  "expect something odd": `${GET}Expect: miracles\r\n\r\n`,
  "upgrade to nothing": `${GET}Connection: Upgrade\r\nUpgrade: nothing\r\n\r\n`,
  "websocket where there is none": `${GET}${WEBSOCKET.join("\r\n")}\r\n\r\n`,
};

/** A signed order with bytes flipped, dropped, repeated or inserted anywhere. */
function corrupted(valid: Buffer, dice: Random): Buffer {
  const bytes = [...valid];
  for (let count = dice.integer(1, 6); count > 0; count--) {
    const at = dice.integer(0, bytes.length - 1);
    const what = dice.integer(0, 3);
    if (what === 0) bytes[at] = (bytes[at] as number) ^ (1 << dice.integer(0, 7));
    else if (what === 1) bytes.splice(at, dice.integer(1, 8));
    else if (what === 2) bytes.splice(at, 0, ...bytes.slice(at, at + dice.integer(1, 20)));
    else bytes.splice(at, 0, dice.pick([0, 10, 13, 32, 58, 127, 128, 255]));
  }
  return Buffer.from(bytes);
}

function signedOrder({ credentials }: Account): Buffer {
  const body = JSON.stringify({
    symbol: "BTCUSDT",
    side: "buy",
    orderType: "limit",
    force: "normal",
    price: "30000",
    quantity: "0.01",
    clientOrderId: "raw-1",
  });
  const path = "/api/v2/trade/orders";
  const headers = Object.entries(signedHeaders(credentials, { method: "POST", path, body }));
  const lines = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body}`);
}

function assertHarmless(outcome: Outcome, what: string): void {
  for (const status of outcome.status) {
    assert.ok(status < 500, `${what} was answered ${status}`);
  }
}

test("raw bytes on the socket", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const user = await openAccount(exchange);
  const before = await exchange.operator.stateHash();

  for (const [what, bytes] of Object.entries(FIXED)) {
    await t.test(what, async () => {
      assertHarmless(await exchangeBytes(exchange.port, bytes), what);
    });
  }
  await t.test("a request that never ends is cut off", async () => {
    const unfinished = ["POST /api/v3/order HTTP/1.1\r\nHost: x\r\nContent-Le", `${GET}A: b\r\n`];
    for (const bytes of unfinished) {
      const outcome = await exchangeBytes(exchange.port, bytes, { halfClose: false });
      assertHarmless(outcome, bytes);
    }
  });
  await t.test("two requests in one packet get two answers in their order", async () => {
    const last = "GET /api/v3/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    const pipelined = `${GET}\r\n${last}`;
    const { status } = await exchangeBytes(exchange.port, pipelined, { halfClose: false });
    assert.deepEqual(status, [200, 404]);
  });
  await t.test(`${scaled(RANDOM_SOCKETS)} signed orders with damaged bytes`, async (t) => {
    const statuses = new Map<number, number>();
    for (let i = 0; i < scaled(RANDOM_SOCKETS); i++) {
      const bytes = corrupted(signedOrder(user), random);
      const outcome = await exchangeBytes(exchange.port, bytes);
      assertHarmless(outcome, bytes.toString("latin1"));
      const status = outcome.status[0] ?? 0;
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    t.diagnostic([...statuses].map(([status, count]) => `${status}: ${count}`).join(", "));
    assert.ok(
      [...statuses.keys()].some((status) => status >= 400),
      "none was refused",
    );
  });
  await t.test("afterwards nothing has changed", async () => {
    assert.equal(exchange.exit, null, exchange.output);
    assert.equal(await exchange.operator.stateHash(), before);
    assert.equal((await user.client.get("/api/v2/account/assets")).status, 200);
  });
});
