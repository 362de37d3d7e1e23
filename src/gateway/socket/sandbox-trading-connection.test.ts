/**
 * Proves that messages of a socket keep their order under faults: those behind a delayed one wait,
 * those behind a dropped or stalled one are not carried out, and an answer of a rule leaves in its
 * place. The engine says what it was asked.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { openTraffic, type TestRule } from "../../../test/support/fault-traffic.ts";
import { ORDER } from "../../../test/support/gateway.ts";
import { KEY, serveTrading } from "../../../test/support/trading-server.ts";
import { logonParams, TradingSocket } from "../../../test/support/trading-socket.ts";

const PLACE = {
  ...{ symbol: "BTCUSDT", side: "BUY", type: "LIMIT", newClientOrderId: "c-1" },
  ...{ price: ORDER.price, quantity: ORDER.quantity },
};
const CANCEL = { symbol: "BTCUSDT", orderId: 7 };
/** As one-step calls they need not wait for each other's answers. */
const SENT = [
  ["order.place", PLACE],
  ["order.cancel", CANCEL],
  ["openOrders.status", {}],
] as const;
const ASKED = ["place-spot-order", "cancel-spot-order", "spot-open-orders"];

async function play(t: TestContext, ...rules: readonly TestRule[]) {
  const traffic = openTraffic(...rules);
  const server = await serveTrading(t, { traffic });
  const refusal = { ok: false, reason: "order-not-found", field: null, detail: null } as const;
  server.engine.scripted.answer = refusal;
  const client = await TradingSocket.open(server.port);
  await client.result("session.logon", logonParams(KEY, String(server.clock.wall++)));
  const closed = new Promise<null>((resolve) => client.socket.once("close", () => resolve(null)));
  const answers = SENT.map(([method, params]) => client.ask(method, params));
  const statuses = await Promise.all(
    answers.map((answer) => Promise.race([answer.then(({ status }) => status), closed])),
  );
  client.socket.terminate();
  const log = traffic.log.find({ after: 0, upTo: 1_000, uid: null, limit: 1_000 });
  return {
    statuses,
    asked: server.engine.scripted.asked.map(({ type }) => type),
    log: log.map(({ method, status, fault }) => [method, status, fault]),
  };
}

const ON_CANCEL = { match: { route: "order.cancel" } };

test("nothing overtakes a delayed message", async (t) => {
  const { asked, log } = await play(t, { ...ON_CANCEL, fault: { kind: "delay", ms: 40 } });
  assert.deepEqual(asked, ASKED);
  assert.deepEqual(
    log.map(([method, , fault]) => [method, fault]),
    [
      ["session.logon", null],
      ["order.place", null],
      ["order.cancel", "rule-0"],
      ["openOrders.status", null],
    ],
  );
});

test("an answer of a rule is in the place of the message, which is not done", async (t) => {
  const fault = { kind: "answer", status: 503 } as const;
  const { asked, statuses } = await play(t, { ...ON_CANCEL, fault });
  assert.deepEqual(asked, ["place-spot-order", "spot-open-orders"]);
  assert.equal(statuses[1], 503);
});

test("behind a message that is dropped or stalled nothing is carried out", async (t) => {
  for (const fault of [{ kind: "drop-request" }, { kind: "stall", ms: 30 }] as const) {
    const { asked, log, statuses } = await play(t, { ...ON_CANCEL, fault });
    assert.deepEqual(asked, ["place-spot-order"], fault.kind);
    assert.deepEqual(statuses.slice(1), [null, null]);
    const cancelled = log.find(([method]) => method === "order.cancel");
    assert.deepEqual(cancelled, ["order.cancel", null, "rule-0"]);
  }
});

test("a lost answer is of a message that was done", async (t) => {
  for (const kind of ["drop-answer", "truncate-answer"] as const) {
    const { asked, statuses } = await play(t, { ...ON_CANCEL, fault: { kind } });
    assert.deepEqual(asked.slice(0, 2), ASKED.slice(0, 2), kind);
    assert.equal(statuses[1], null);
  }
});
