/**
 * Goal: the load generator for the trading socket sends every order once, with so many in flight,
 * and counts what is refused, however the answers arrive. Method: a server made with `ws` that
 * answers in changing order, with pings in between, through a relay that cuts its bytes anywhere.
 */
import assert from "node:assert/strict";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import test, { type TestContext } from "node:test";
import { type WebSocket, WebSocketServer } from "ws";
import { Random } from "../test/support/random.ts";
import { hasTradingSocket, runSocketLoad } from "./socket-load.ts";

const SOCKETS = 5;
const IN_FLIGHT = 4;
const MESSAGES = 500;

interface Request {
  readonly id: number | string;
  readonly method: string;
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** Answers what it has been sent, the newest first, once nothing more can come. */
class TradingServer {
  readonly seen: (number | string)[] = [];
  inFlightMax = 0;

  serve(socket: WebSocket, refuses: (id: number) => boolean): void {
    const waiting: number[] = [];
    socket.on("message", (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString("utf8")) as Request;
      if (method === "session.logon") {
        socket.send(JSON.stringify({ id, status: 200, result: {} }));
        return;
      }
      this.seen.push(id);
      waiting.push(id as number);
      this.inFlightMax = Math.max(this.inFlightMax, waiting.length);
      setImmediate(() => {
        socket.ping("still there");
        for (const done of waiting.splice(0).reverse()) {
          const status = refuses(done) ? 400 : 200;
          const result = "x".repeat(done % 3 === 0 ? 200 : 20);
          socket.send(JSON.stringify({ id: done, status, result }));
        }
      });
    });
  }
}

/** Sends what the server says in pieces of random length. */
async function cuttingRelay(t: TestContext, port: number): Promise<number> {
  const random = new Random(41);
  const relay = createServer((client) => {
    const upstream = connect(port, "127.0.0.1");
    client.setNoDelay(true);
    client.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; ) {
        const end = at + random.integer(1, 60);
        client.write(bytes.subarray(at, end));
        at = end;
      }
    });
    upstream.on("error", () => client.destroy());
    client.on("error", () => upstream.destroy());
    client.on("close", () => upstream.destroy());
  });
  t.after(() => relay.close());
  return portOf(relay);
}

test("every order is sent once and answered, and refusals are counted", async (t) => {
  const http = createHttpServer();
  const sockets = new WebSocketServer({ server: http, path: "/v3/ws/api" });
  t.after(() => {
    for (const socket of sockets.clients) socket.terminate();
    http.close();
  });
  const server = new TradingServer();
  sockets.on("connection", (socket) => server.serve(socket, (id) => id % 10 === 0));
  const port = await cuttingRelay(t, await portOf(http));
  const logons = Array.from({ length: SOCKETS }, () =>
    JSON.stringify({ id: "logon", method: "session.logon", params: {} }),
  );
  const messages = Array.from({ length: MESSAGES }, (_, id) =>
    JSON.stringify({ id, method: "order.place", params: { note: "n".repeat(id) } }),
  );
  assert.equal(await hasTradingSocket(port), true);
  const result = await runSocketLoad(port, logons, messages, IN_FLIGHT);
  assert.equal(result.refused, MESSAGES / 10);
  assert.ok(result.latenciesMs.every((latency) => latency > 0));
  const sent = [...server.seen].sort((a, b) => Number(a) - Number(b));
  assert.deepEqual(
    sent,
    messages.map((_, id) => id),
  );
  assert.ok(server.inFlightMax <= IN_FLIGHT);
});

test("a server without a trading socket is recognised", async (t) => {
  const http = createHttpServer((_request, response) => response.writeHead(404).end("{}"));
  t.after(() => http.close());
  assert.equal(await hasTradingSocket(await portOf(http)), false);
});
