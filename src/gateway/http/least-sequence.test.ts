/**
 * Proves that answers say up to which command they are, and that a read which names a command is
 * answered from there on, or refused after a while; other requests do not wait.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { fakeGateway, placeOrderRequest, send } from "../../../test/support/gateway.ts";

const READ = { method: "GET", url: "/api/v3/openOrders" } as const;

function open() {
  const gateway = fakeGateway();
  gateway.engine.answer = { ok: true, value: [] };
  const read = async (least?: string) => {
    const answer = await send(gateway.app, READ, { "x-rialto-min-sequence": least });
    return { ...answer, text: answer.body, shown: answer.headers["x-rialto-sequence"] };
  };
  return { ...gateway, read };
}

test("an answer says up to which command it is", async () => {
  const { app, engine, read } = open();
  engine.sequence = 41;
  assert.equal((await read()).shown, "41");
  engine.answer = { ok: false, reason: "unknown-symbol", field: "symbol", detail: null };
  const refused = await send(app, placeOrderRequest());
  assert.deepEqual([refused.statusCode, refused.headers["x-rialto-sequence"]], [400, "41"]);
  const unsigned = await app.inject(READ);
  assert.equal(unsigned.headers["x-rialto-sequence"], undefined, "nothing was asked");
  await app.close();
});

test("a read waits for the command that it names", async () => {
  const { app, engine, read } = open();
  assert.equal((await read("1")).shown, "1");
  let looks = 0;
  engine.answer = (asked) => {
    if ("type" in asked && asked.type === "webhooks" && ++looks === 3) engine.sequence = 7;
    return { ok: true, value: [] };
  };
  const { shown, statusCode } = await read("7");
  assert.deepEqual([statusCode, shown, looks], [200, "7", 3]);
  assert.equal(engine.queries.at(-1)?.type, "spot-open-orders");
  await app.close();
});

test("what is not there in time is refused, with when to try again", async () => {
  const { app, clock, engine, read } = open();
  engine.answer = () => {
    clock.monotonic += 1000;
    return { ok: true, value: [] };
  };
  const { headers, statusCode, text } = await read("9");
  assert.deepEqual([statusCode, headers["retry-after"]], [503, "1"]);
  assert.match(text, /sequence 9 is not here yet/);
  assert.ok(engine.queries.every(({ type }) => type === "webhooks"));
  await app.close();
});

test("what is no sequence is refused by its name; only reads are looked at", async () => {
  const { app, engine, read } = open();
  for (const least of ["", "x", "-1", "1.5", "1e3", "9".repeat(16)]) {
    const { statusCode, text } = await read(least);
    assert.equal(statusCode, 400, text);
    assert.match(text, /-1142.*X-Rialto-Min-Sequence/);
  }
  assert.equal(engine.calls, 0);
  await app.close();
  const other = fakeGateway();
  const placed = await send(other.app, placeOrderRequest(), { "x-rialto-min-sequence": "99" });
  assert.equal(placed.statusCode, 200, placed.body);
  await other.app.close();
});
