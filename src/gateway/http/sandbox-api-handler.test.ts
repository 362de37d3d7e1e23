/**
 * Goal: faults keep the order of a connection: behind a delayed request nothing overtakes it, and
 * behind one whose connection was closed nothing is carried out; a request that a rule ends never
 * reaches the engine, one whose answer is lost does; and all of them are in the log.
 * Method: pipelined requests over a real socket, and what the engine was asked.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import test, { type TestContext } from "node:test";
import { openTraffic, type TestRule } from "../../../test/support/fault-traffic.ts";
import {
  ORDER,
  placeOrderRequest,
  type RequestToSign,
  serve,
  signedHeaders,
} from "../../../test/support/gateway.ts";

const PLACE = placeOrderRequest({ ...ORDER, symbol: "BTCUSDT" });
const CANCEL = { method: "DELETE", url: "/api/v3/order?symbol=BTCUSDT&orderId=7" } as const;
const LOOK = { method: "GET", url: "/api/v3/order?symbol=BTCUSDT&orderId=7" } as const;
const ALL = [PLACE, CANCEL, LOOK] as const;
const ASKED = ["place-spot-order", "cancel-spot-order", "spot-order"];
const ON_CANCEL = { match: { route: "DELETE /api/v3/order" } };

function bytesOf(request: RequestToSign): string {
  const { method, url, body = "" } = request;
  const length = body.length === 0 ? {} : { "Content-Length": String(body.length) };
  const headers = Object.entries({ Host: "x", ...length, ...signedHeaders(request) });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${url} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}

/** Statuses in the order of arrival, until there are three or the connection has closed. */
async function play(t: TestContext, ...rules: readonly TestRule[]) {
  const traffic = openTraffic(...rules);
  const gateway = await serve(t, {}, undefined, traffic);
  const socket = connect(gateway.port, "127.0.0.1");
  let received = "";
  const statuses = () => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map((match) => match[1]);
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
    if (statuses().length === ALL.length) socket.end();
  });
  socket.write(ALL.map(bytesOf).join(""));
  await once(socket, "close");
  const log = traffic.log.find({ after: 0, upTo: 1_000, uid: null, limit: 1_000 });
  return {
    received,
    statuses: statuses().map(Number),
    asked: gateway.engine.asked.map(({ type }) => type),
    log: log.map(({ status, fault }) => [status, fault]),
    fatal: gateway.fatal,
  };
}

test("without a rule everything is as outside a sandbox, and in the log", async (t) => {
  const { asked, log, statuses } = await play(t);
  assert.deepEqual(asked, ASKED);
  assert.deepEqual(
    log,
    statuses.map((status) => [status, null]),
  );
});

test("nothing overtakes a delayed request", async (t) => {
  const { asked, log, received } = await play(t, {
    ...ON_CANCEL,
    fault: { kind: "delay", ms: 40 },
  });
  assert.deepEqual(asked, ASKED);
  assert.deepEqual(
    log.map(([, fault]) => fault),
    [null, "rule-0", null],
  );
  assert.equal(received.match(/X-Rialto-Fault: rule-0/g)?.length, 1);
});

test("an answer of a rule keeps its place, and the request is not done", async (t) => {
  const fault = { kind: "answer", status: 429, code: -7, retryAfterS: 9 } as const;
  const { asked, received, statuses } = await play(t, { ...ON_CANCEL, fault });
  assert.deepEqual(asked, ["place-spot-order", "spot-order"]);
  assert.equal(statuses[1], 429);
  assert.match(received, /Retry-After: 9\r\n/);
  assert.match(received, /\{"code":-7,"msg":"Too Many Requests"\}/);
});

test("a connection that is closed carries out nothing behind it", async (t) => {
  for (const fault of [{ kind: "drop-request" }, { kind: "stall", ms: 30 }] as const) {
    const { asked, log, statuses } = await play(t, { ...ON_CANCEL, fault });
    assert.deepEqual(asked, ["place-spot-order"], fault.kind);
    // An answer that was on its way may be lost with the connection.
    assert.ok(statuses.length <= 1);
    const met = log.filter(([, rule]) => rule !== null);
    assert.deepEqual(met, [[null, "rule-0"]]);
  }
});

test("a lost answer is of a request that was done", async (t) => {
  for (const kind of ["drop-answer", "truncate-answer"] as const) {
    const { asked, received } = await play(t, { ...ON_CANCEL, fault: { kind } });
    assert.deepEqual(asked.slice(0, 2), ASKED.slice(0, 2), kind);
    const [head = "", body = ""] = received.split("\r\n\r\n").slice(-2);
    if (kind === "drop-answer") continue;
    const length = Number(/Content-Length: (\d+)/.exec(head)?.[1]);
    assert.ok(body.length > 0 && body.length < length, `${body.length} of ${length}`);
  }
});

test("delays of all rules add up, of other faults the first happens", async (t) => {
  const route = ON_CANCEL.match;
  const { log, statuses } = await play(
    t,
    { match: route, fault: { kind: "delay", ms: 10 } },
    { match: route, fault: { kind: "answer", status: 503 } },
    { match: route, fault: { kind: "drop-request" } },
    { match: route, fault: { kind: "delay", ms: 10 } },
  );
  assert.equal(statuses[1], 503);
  assert.deepEqual(log[1], [503, "rule-1"]);
});
