/**
 * Proves the calls about the sandbox's clock against the real engine, and that they do nothing
 * without a sandbox.
 */
import assert from "node:assert/strict";
import test, { after } from "node:test";
import { isClockCall, OperatorFixture, refusalOf } from "../../test/support/operator-fixture.ts";

const operator = new OperatorFixture();
after(() => operator.close());

const get = <Answer>(path: string) => operator.call<Answer>("GET", `/operator/v1/${path}`);
const post = (path: string, body: object) => operator.call("POST", `/operator/v1/${path}`, body);
const refused = (method: string, path: string, body?: unknown) =>
  operator.refusal(method, `/operator/v1/${path}`, body);

test("the sandbox's clock stops, runs at any speed and is set forward, never back", async () => {
  const { time, offsetMs } = await get<{ time: number; offsetMs: number }>("sandbox/clock");
  const set = (body: object) => post("sandbox/clock", body);
  const run = null;
  assert.deepEqual(await set({ freeze: true }), { time, offsetMs, speed: 0, run });
  const following = { time, offsetMs, speed: 0, run: "follow-market" };
  assert.deepEqual(await set({ run: "follow-market" }), following);
  assert.deepEqual(await get("sandbox/clock"), following);
  assert.deepEqual(await set({ speed: 0.1 }), { time, offsetMs, speed: 0.1, run });
  const forward = { time: time + 60_000, offsetMs: offsetMs + 60_000, run };
  assert.deepEqual(await set({ setMs: time + 60_000 }), { ...forward, speed: 0.1 });
  assert.deepEqual(await set({ freeze: false }), { ...forward, speed: 1 });
  const refusal = (body: object) => refused("POST", "sandbox/clock", body);
  assert.deepEqual(await refusal({ setMs: time }), [400, "out-of-range", "setMs"]);
  assert.deepEqual(await refusal({}), [400, "malformed", "speed"]);
  const follow = { run: "follow-market" };
  for (const body of [{ run: "wild" }, { ...follow, speed: 2 }, { ...follow, freeze: false }]) {
    assert.deepEqual(await refusal(body), [400, "malformed", "run"]);
  }
  for (const speed of [0, 0.01, 10_001, "2"]) {
    assert.deepEqual(await refusal({ speed }), [400, "malformed", "speed"]);
  }
  assert.deepEqual(await get("sandbox/clock"), { ...forward, speed: 1 });
});

test("the sandbox's clock jumps, and stands closed without a sandbox", async () => {
  const before = await get<{ time: number; offsetMs: number }>("sandbox/clock");
  const jumped = await post("sandbox/clock/advance", { ms: 86_400_000 });
  const [time, offsetMs] = [before.time + 86_400_000, before.offsetMs + 86_400_000];
  const expected = { time, offsetMs, speed: 1, run: null };
  assert.deepEqual(jumped, expected);
  assert.deepEqual(await get("sandbox/clock"), expected);
  const none = await refused("POST", "sandbox/clock/advance", { ms: 0 });
  assert.deepEqual(none, [400, "out-of-range", "ms"]);

  const real = new OperatorFixture(false);
  for (const [method, path, body] of [
    ["POST", "sandbox/clock/advance", { ms: 1 }],
    ["POST", "sandbox/clock", { freeze: true }],
    ["GET", "sandbox/clock", undefined],
  ] as const) {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const answer = await real.send(method, `/operator/v1/${path}`, payload);
    assert.deepEqual(refusalOf(answer), [409, "sandbox-only", undefined]);
    assert.ok(answer.text.includes("--sandbox"));
  }
  assert.deepEqual(real.exchange.commands, []);
  await real.close();
});

test("every documented call about the clock was made", async () => {
  const all = (await operator.documented()).filter(isClockCall);
  assert.equal(all.length, 3);
  for (const { operation } of all) assert.ok(operator.answeredCalls.has(operation.operationId));
});
