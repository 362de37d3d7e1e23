/**
 * Proves what a connection of the trading WebSocket promises, in front of an engine that answers
 * when the test lets it: messages take effect in order, answers leave in one write a turn, what is
 * unanswered is bounded, ids that callers do not choose are of one message alone, and a client that
 * reads or lives no more is cut off.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { ORDER } from "../../../test/support/gateway.ts";
import { KEY, serveTrading, type TradingServer } from "../../../test/support/trading-server.ts";
import { logonParams, TradingSocket } from "../../../test/support/trading-socket.ts";
import { examplesOf } from "../../api/reference/examples.ts";
import { SOCKET_METHODS } from "../../api/socket-routes.ts";
import { IN_FLIGHT_MAX } from "./message-order.ts";

const PLACE = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  price: ORDER.price,
  quantity: ORDER.quantity,
  newClientOrderId: "c-1",
};

const NOT_FOUND = { ok: false, reason: "order-not-found", field: null, detail: null } as const;

/** Logged on with a timestamp of the fixed clock. */
async function open({ port, clock }: TradingServer): Promise<TradingSocket> {
  const client = await TradingSocket.open(port);
  await client.result("session.logon", logonParams(KEY, String(clock.wall++)));
  return client;
}

/** Everything that was sent before has been read by the server. */
async function settled(client: TradingSocket): Promise<void> {
  await new Promise<void>((resolve) => {
    client.socket.once("pong", () => resolve());
    client.socket.ping();
  });
  await turn();
}

const typesOf = ({ engine }: TradingServer) => engine.scripted.asked.map(({ type }) => type);

test("every method reaches the endpoint of its call with what it was sent", async (t) => {
  const server = await serveTrading(t);
  server.engine.scripted.answer = { ok: false, reason: "user-frozen", field: null, detail: null };
  server.keys.set(KEY.apiKey, {
    ...server.keys.get(KEY.apiKey),
    permissions: ["spot", "contract"],
  } as never);
  const client = await open(server);
  for (const { name, route } of SOCKET_METHODS) {
    const example = examplesOf(route).find(({ status }) => status === 200);
    const { limit: _, ...query } = example?.query ?? {};
    const sent = { newClientOrderId: "c-1", orders: [PLACE], ...query, ...example?.body };
    const before = server.engine.scripted.calls;
    const answer = await client.ask(name, sent);
    const isRefused = answer.error?.code === -1057;
    const rows = JSON.stringify(answer.result ?? []).includes("-1057");
    assert.ok(isRefused || rows || name === "ping", `${name}: ${JSON.stringify(answer)}`);
    assert.ok(name === "ping" || server.engine.scripted.calls > before, name);
  }
});

test("what enters in one step follows at once, a read of the history waits for it", async (t) => {
  const server = await serveTrading(t);
  const client = await open(server);
  const placed = { orderId: 7, clientOrderId: "c-1", symbol: "BTCUSDT" };
  server.engine.scripted.answer = (asked) => {
    if (asked.type === "spot-open-orders") return { ok: true, value: [] };
    return asked.type === "do-once" || asked.type === "spot-order"
      ? NOT_FOUND
      : { ok: true, value: { ...placed, createdMs: 0, bookVersion: 3 } };
  };
  server.engine.isHeld = true;
  const asked = [
    client.ask("order.place", PLACE),
    client.ask("order.cancel", { orderId: 7 }),
    client.ask("order.amend", { orderId: 7, price: "1" }),
    client.ask("openOrders.status"),
    client.ask("order.status", { orderId: 7 }),
    client.ask("order.place", PLACE),
  ];
  await settled(client);
  const steps = ["place-spot-order", "cancel-spot-order", "do-once", "spot-open-orders"];
  assert.deepEqual(typesOf(server), steps);
  server.engine.release(3);
  await settled(client);
  assert.deepEqual(typesOf(server), steps, "one step is not answered yet");
  server.engine.release();
  await settled(client);
  assert.deepEqual(typesOf(server), [...steps, "spot-order"]);
  server.engine.release();
  await settled(client);
  assert.deepEqual(typesOf(server), [...steps, "spot-order", "place-spot-order"]);
  server.engine.release();
  await Promise.all(asked);
});

test("a logon takes its turn among the messages", async (t) => {
  const server = await serveTrading(t);
  const client = await TradingSocket.open(server.port);
  server.engine.isHeld = true;
  const before = client.ask("order.place", PLACE);
  const logon = client.ask("session.logon", logonParams(KEY, String(server.clock.wall)));
  const after = client.ask("order.place", PLACE);
  assert.equal((await before).error?.code, -1040);
  assert.equal((await logon).status, 200);
  server.engine.release();
  assert.equal((await after).status, 200);
});

test("answers of one turn leave in one write", async (t) => {
  const server = await serveTrading(t);
  const client = await open(server);
  server.engine.isHeld = true;
  const asked = Array.from({ length: 50 }, () => client.ask("order.place", PLACE));
  await settled(client);
  const before = server.written.length;
  server.engine.release();
  await Promise.all(asked);
  assert.equal(server.written.length - before, 1);
});

test("more than so many unanswered messages are refused, and not carried out", async (t) => {
  const server = await serveTrading(t);
  const client = await open(server);
  server.engine.isHeld = true;
  const taken = Array.from({ length: IN_FLIGHT_MAX }, () => client.ask("order.place", PLACE));
  const refused = await client.ask("order.place", PLACE);
  assert.equal(refused.status, 429);
  assert.equal(refused.error?.code, -1003);
  assert.equal(refused.error?.retryAfterMs, 100);
  assert.equal(server.engine.scripted.calls, IN_FLIGHT_MAX);
  server.engine.release();
  for (const { status } of await Promise.all(taken)) assert.equal(status, 200);
  server.engine.isHeld = false;
  assert.equal((await client.ask("order.place", PLACE)).status, 200);
});

test("the id of a request is of one message of one connection", async (t) => {
  const server = await serveTrading(t);
  const clients = [await open(server), await open(server)];
  server.engine.scripted.answer = NOT_FOUND;
  for (let i = 0; i < 3; i++) {
    for (const client of clients) await client.ask("order.amend", { orderId: 7, price: "1" }, 1);
  }
  const ids = server.engine.scripted.commands.map((command) =>
    command.type === "do-once" ? command.requestId : null,
  );
  assert.equal(ids.length, 6);
  assert.equal(new Set(ids).size, 6);
  for (const id of ids) assert.match(id ?? "", /^[0-9a-f]{36}$/);
});

test("an exchange that cannot take it says when to try again", async (t) => {
  const server = await serveTrading(t);
  const client = await open(server);
  for (const unavailable of ["overloaded", "disk-nearly-full", "stopping"] as const) {
    server.engine.scripted.answer = { unavailable };
    const { status, error } = await client.ask("order.place", PLACE);
    assert.deepEqual([status, error?.code, error?.retryAfterMs], [503, -1000, 1_000]);
  }
});

test("a broken invariant is reported, and nothing is answered", async (t) => {
  const server = await serveTrading(t);
  const client = await open(server);
  server.engine.scripted.answer = () => {
    throw new Error("broken");
  };
  client.socket.send(JSON.stringify({ id: 1, method: "order.place", params: PLACE }));
  await settled(client);
  assert.match(String(server.fatal), /broken/);
  await client.close();
});

test("a client that does not read its answers is cut off", async (t) => {
  const server = await serveTrading(t);
  const order = { orderId: 1, clientOrderId: "x".repeat(40), symbol: "BTCUSDT" };
  const value = Array.from({ length: 2_000 }, () => order);
  server.engine.scripted.answer = { ok: true, value } as never;
  const client = await open(server);
  client.socket.pause();
  for (let i = 0; server.ended.length === 0; i++) {
    client.socket.send(JSON.stringify({ id: i, method: "openOrders.status" }));
    await turn();
  }
  assert.deepEqual(server.ended, ["too-slow"]);
  client.socket.resume();
  assert.equal((await client.closed).code, 1006);
});

test("a client without a sign of life is cut off, any other stays", async (t) => {
  const server = await serveTrading(t, { pingMs: 20 });
  const silent = await open(server);
  const alive = await open(server);
  const chatty = await open(server);
  Object.assign(silent.socket, { _autoPong: false });
  Object.assign(chatty.socket, { _autoPong: false });
  chatty.socket.on("ping", () => void chatty.ask("ping").catch(() => undefined));
  let pings = 0;
  const pinged = new Promise<void>((resolve) => {
    alive.socket.on("ping", () => {
      if (++pings === 8) resolve();
    });
  });
  assert.equal((await silent.closed).code, 1006);
  await pinged;
  assert.deepEqual(server.ended, ["no-pong"]);
  assert.equal(server.sockets.connections, 2);
});

test("stopping: what has begun is answered, the rest is refused, and then 1001", async (t) => {
  const server = await serveTrading(t);
  const client = await open(server);
  const idle = await open(server);
  server.engine.isHeld = true;
  const begun = client.ask("order.place", PLACE);
  const waiting = client.ask("order.status", { orderId: 7 });
  await settled(client);
  const closed = server.sockets.close();
  const late = client.ask("order.place", PLACE);
  assert.deepEqual(await idle.closed, { code: 1001, reason: "the exchange is stopping" });
  await settled(client);
  server.engine.release();
  assert.equal((await begun).status, 200);
  for (const answer of [await waiting, await late]) {
    assert.deepEqual([answer.status, answer.error?.code], [503, -1000]);
  }
  assert.equal((await client.closed).code, 1001);
  await closed;
  assert.deepEqual(typesOf(server), ["place-spot-order"]);
});

test("what waits when a connection breaks is not carried out", async (t) => {
  const server = await serveTrading(t);
  const client = await open(server);
  server.engine.isHeld = true;
  for (const [method, params] of [
    ["order.place", PLACE],
    ["order.status", { orderId: 7 }],
    ["order.place", PLACE],
  ] as const) {
    void client.ask(method, params).catch(() => undefined);
  }
  await settled(client);
  await client.close();
  while (server.sockets.connections > 0) await turn();
  server.engine.release();
  await turn();
  assert.deepEqual(typesOf(server), ["place-spot-order"]);
});
