/** Proves that each call about the states of a sandbox reaches its port and answers as it says. */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { isStateCall, OperatorFixture } from "../../test/support/operator-fixture.ts";

let operator: OperatorFixture;

const get = <Answer>(path: string) => operator.call<Answer>("GET", `/operator/v1/${path}`);
const post = <Answer extends object>(path: string, body?: unknown) =>
  operator.call<Answer>("POST", `/operator/v1/${path}`, body);
const put = <Answer>(path: string, body: unknown) =>
  operator.call<Answer>("PUT", `/operator/v1/${path}`, body);
const refused = (method: string, path: string, body?: unknown) =>
  operator.refusal(method, `/operator/v1/${path}`, body);

before(() => {
  operator = new OperatorFixture();
});
after(() => operator.close());

test("checkpoints: made, listed, restored, removed; reset to what was marked", async () => {
  const made = await post<{ name: string }>("sandbox/checkpoints", { name: "kept" });
  assert.equal(made.name, "kept");
  assert.deepEqual(await get("sandbox/checkpoints"), { items: [made] });
  assert.deepEqual(await refused("POST", "sandbox/checkpoints", { name: "kept" }), [
    409,
    "conflict",
    "name",
  ]);
  assert.deepEqual(await post("sandbox/restore", { name: "kept" }), made);
  const unknown = [404, "unknown-checkpoint", "name"];
  assert.deepEqual(await refused("POST", "sandbox/restore", { name: "other" }), unknown);
  assert.deepEqual(await refused("DELETE", "sandbox/checkpoints/other"), unknown);
  const removed = await operator.call("DELETE", "/operator/v1/sandbox/checkpoints/kept");
  assert.deepEqual(removed, made);
  assert.deepEqual(await put("sandbox/reset", {}), { sequence: 7 });
  assert.deepEqual(Object.keys(await post("sandbox/reset")), ["sequence", "stateHash"]);
});

test("every call about states was made", async () => {
  const states = (await operator.documented()).filter(isStateCall);
  const ids = states.map(({ operation }) => operation.operationId);
  assert.ok(ids.length > 0);
  assert.deepEqual(
    ids.filter((id) => !operator.answeredCalls.has(id)),
    [],
  );
});
