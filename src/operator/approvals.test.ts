/**
 * Proves the four-eyes rule against the real engine: what it is about waits with 202 and changes
 * nothing until another operator with the role approves; the proposer, a wrong role and whoever is
 * late cannot; the audit log has both names; and without rules nothing waits.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import {
  isApprovalCall,
  OperatorFixture,
  type OperatorResponse,
  refusalOf,
  TOKEN,
} from "../../test/support/operator-fixture.ts";
import { PROPOSAL_LIFE_MS } from "../domain/index.ts";
import { RULES_VERSION } from "../engine/index.ts";

const V1 = "/operator/v1";
const UID = 7;

let operator: OperatorFixture;
const tokens = new Map<string, string>([["root", TOKEN]]);

before(async () => {
  operator = new OperatorFixture();
  await operator.exchange.client.execute({ type: "adopt-rules", version: RULES_VERSION });
  await operator.call("PUT", `${V1}/assets/USDT`, { coinId: 2, name: "Tether", scale: 6 });
  await operator.call("POST", `${V1}/users`, { uid: UID });
  for (const [name, role] of [
    ["ann", "treasury"],
    ["bob", "treasury"],
    ["pay", "treasury"],
    ["sue", "support"],
    ["max", "administrator"],
  ]) {
    const { token } = await operator.call<{ token: string }>("POST", `${V1}/operators`, {
      ...{ name, role },
    });
    tokens.set(String(name), token);
  }
});
after(() => operator.close());

function as(name: string, method: string, path: string, body?: object): Promise<OperatorResponse> {
  const payload = body === undefined ? undefined : JSON.stringify(body);
  const authorization = `Bearer ${tokens.get(name)}`;
  return operator.send(method, `${V1}/${path}`, payload, { authorization });
}

async function succeeds<Answer = unknown>(answer: Promise<OperatorResponse>): Promise<Answer> {
  const { status, body, text } = await answer;
  assert.equal(status, 200, text);
  return body as Answer;
}

/** The id of the proposal that waits. */
async function waits(answer: Promise<OperatorResponse>): Promise<number> {
  const { status, body, headers, text } = await answer;
  assert.equal(status, 202, text);
  const { error } = body as { error: { code: string } };
  assert.equal(error.code, "waits-for-second-operator");
  return Number(/proposals\/(\d+)$/.exec(String(headers.location))?.[1]);
}

const deposit = (id: string, amount: string) => ({ id, account: "spot", asset: "USDT", amount });
const decide = (name: string, proposalId: number, decision = "approved", note = "seen") =>
  as(name, "PATCH", `proposals/${proposalId}`, { decision, note });

async function available(): Promise<string> {
  const path = `${V1}/users/${UID}/balances`;
  const { spot } = await operator.call<{ spot: Record<string, string>[] }>("GET", path);
  return spot.find(({ asset }) => asset === "USDT")?.available ?? "0";
}

const CONFLICT = [409, "conflict", "proposalId"];

test("a deposit above the amount waits for another treasurer, and happens once", async () => {
  const path = `users/${UID}/deposits`;
  await succeeds(as("ann", "POST", path, deposit("d-0", "5000")));
  const rule = { action: "deposits", asset: "USDT", above: "100" };
  assert.deepEqual(await operator.call("POST", `${V1}/approval-rules`, rule), { items: [rule] });
  // Its answer was lost.
  for (const above of ["100", "100.0"]) {
    const again = await operator.call("POST", `${V1}/approval-rules`, { ...rule, above });
    assert.deepEqual(again, { items: [rule] });
  }
  await succeeds(as("ann", "POST", path, deposit("d-1", "100")));
  assert.equal(await available(), "5100");
  const large = deposit("d-2", "100.01");
  const proposalId = await waits(as("ann", "POST", path, large));
  assert.equal(await waits(as("ann", "POST", path, large)), proposalId, "the same one again");
  assert.equal(await available(), "5100");
  assert.deepEqual(refusalOf(await decide("ann", proposalId)), CONFLICT);
  assert.deepEqual(refusalOf(await decide("ann", proposalId, "rejected")), CONFLICT);
  assert.equal(refusalOf(await decide("sue", proposalId))[1], "role-not-allowed");
  const approved = { proposalId, state: "approved" };
  assert.deepEqual(await succeeds(decide("bob", proposalId)), approved);
  assert.equal(await available(), "5200.01");
  assert.deepEqual(await succeeds(decide("bob", proposalId)), approved, "the first answer again");
  assert.deepEqual(refusalOf(await decide("max", proposalId)), CONFLICT);
  // The call itself is a repeat now.
  await succeeds(as("ann", "POST", path, large));
  assert.equal(await available(), "5200.01");
  const shown = await succeeds<object>(as("sue", "GET", `proposals/${proposalId}`));
  const what = "deposit 100.01 USDT into the spot wallet of user 7 (id d-2)";
  const proposal = { what, action: "deposits", proposer: "ann", decider: "bob", note: "seen" };
  assert.partialDeepStrictEqual(shown, { ...approved, ...proposal });
  const { items } = await operator.call<{ items: { actor: string; action: string }[] }>(
    "GET",
    `${V1}/audit?before=1000000&limit=3`,
  );
  assert.deepEqual(
    items.map(({ actor, action }) => [actor, action]),
    [
      ["bob", "proposal-changed"],
      ["ann and bob", "funds-moved"],
      ["ann", "proposal-changed"],
    ],
  );
});

test("money out: approving a request, and a withdrawal at once", async () => {
  const rules = { minAmount: "1", addressHoldMs: 0, keyHoldMs: 0 };
  await operator.call("PUT", `${V1}/withdrawal-rules/USDT`, rules);
  const address = { asset: "USDT", network: "main", address: "a1" };
  await operator.call("POST", `${V1}/users/${UID}/withdrawal-addresses`, address);
  for (const [id, amount] of [
    ["w-1", "50"],
    ["w-2", "500"],
    ["w-3", "600"],
  ]) {
    const request = { id, uid: UID, addressId: 1, amount };
    await operator.call("POST", `${V1}/withdrawal-requests`, request);
  }
  const rule = { action: "withdrawals", asset: "USDT", above: "50" };
  const ruleProposal = await waits(as("max", "POST", "approval-rules", rule));
  assert.equal(refusalOf(await decide("ann", ruleProposal))[1], "role-not-allowed");
  await succeeds(decide("root", ruleProposal));
  const step = (state: string) => ({ id: state, state, note: "" });
  await succeeds(as("ann", "PATCH", "withdrawal-requests/1", step("approved")));
  const two = await waits(as("ann", "PATCH", "withdrawal-requests/2", step("approved")));
  const three = await waits(as("bob", "PATCH", "withdrawal-requests/3", step("approved")));
  await succeeds(decide("bob", two));
  assert.deepEqual(await succeeds(decide("ann", three, "rejected", "unknown")), {
    ...{ proposalId: three, state: "rejected" },
  });
  const { steps } = operator.exchange.events
    .filter((event) => event.type === "withdrawal-changed")
    .reduce(
      (found, { withdrawalId, state, actor }) => {
        found.steps.push([withdrawalId, state, actor]);
        return found;
      },
      { steps: [] as unknown[] },
    );
  assert.deepEqual(steps.slice(-2), [
    [1, "approved", "ann"],
    [2, "approved", "ann and bob"],
  ]);
  // What was decided meanwhile cannot be approved any more; the proposal can still be rejected.
  const again = await waits(as("ann", "PATCH", "withdrawal-requests/3", step("approved")));
  await succeeds(as("bob", "PATCH", "withdrawal-requests/3", step("rejected")));
  const outOfOrder = [409, "withdrawal-state", "state"];
  assert.deepEqual(refusalOf(await decide("bob", again)), outOfOrder);
  await succeeds(decide("bob", again, "rejected"));
  const out = await waits(as("ann", "POST", `users/${UID}/withdrawals`, deposit("o", "51")));
  await succeeds(decide("root", out));
});

function stepsOf(withdrawalId: number): readonly (readonly [state: string, actor: string])[] {
  return operator.exchange.events
    .filter((event) => event.type === "withdrawal-changed")
    .filter((event) => event.withdrawalId === withdrawalId)
    .map(({ state, actor }) => [state, actor]);
}

test("a custody program of the role treasury is one of the two, and finishes alone", async () => {
  const asked = { uid: UID, addressId: 1, amount: "500" };
  const request = await succeeds<{ withdrawalId: number }>(
    as("sue", "POST", "withdrawal-requests", { id: "w-of-program", ...asked }),
  );
  const path = `withdrawal-requests/${request.withdrawalId}`;
  const step = (state: string, note = "") => ({ id: `p-${state}`, state, note });
  const program = (state: string, note = "") => as("pay", "PATCH", path, step(state, note));
  // It approves by its rules; above the amount that is one of two.
  const proposalId = await waits(program("approved", "by rule 7"));
  assert.equal(await waits(program("approved", "by rule 7")), proposalId, "after a crash, too");
  assert.deepEqual(refusalOf(await decide("pay", proposalId)), CONFLICT);
  assert.deepEqual(refusalOf(await program("sent", "0x1")), [409, "withdrawal-state", "state"]);
  await succeeds(decide("ann", proposalId));
  // The repeated call is answered as done now, and nobody else is needed for what follows.
  assert.partialDeepStrictEqual(await succeeds(program("approved", "by rule 7")), {
    state: "approved",
  });
  await succeeds(program("sent", "0x1"));
  await succeeds(program("done"));
  assert.deepEqual(stepsOf(request.withdrawalId), [
    ["requested", "sue"],
    ["approved", "pay and ann"],
    ["sent", "pay"],
    ["done", "pay"],
  ]);
  // The other way round: a person proposes, and the program is the second.
  const other = await succeeds<{ withdrawalId: number }>(
    as("sue", "POST", "withdrawal-requests", { id: "w-of-person", ...asked }),
  );
  const byPerson = { id: "q-approved", state: "approved", note: "known" };
  const otherPath = `withdrawal-requests/${other.withdrawalId}`;
  await succeeds(decide("pay", await waits(as("bob", "PATCH", otherPath, byPerson))));
  assert.deepEqual(stepsOf(other.withdrawalId).at(-1), ["approved", "bob and pay"]);
  // A program that lost its role takes no step.
  await operator.call("PATCH", `${V1}/operators/pay`, { role: "viewer" });
  assert.equal(refusalOf(await program("done"))[1], "role-not-allowed");
});

test("roles and tokens of operators: given by two, and the token works after that", async () => {
  const rule = { action: "operators", above: "0" };
  await succeeds(decide("root", await waits(as("max", "POST", "approval-rules", rule))));
  const adding = await as("max", "POST", "operators", { name: "eve", role: "treasury" });
  assert.equal(adding.status, 202);
  const { message } = (adding.body as { error: { message: string } }).error;
  tokens.set("eve", /eve\.treasury\.[0-9a-f]{64}/.exec(message)?.[0] ?? "");
  operator.nowMs += 6_000;
  assert.equal((await as("eve", "GET", "caller")).status, 401);
  const [waiting] = (
    await succeeds<{ items: { proposalId: number; what: string }[] }>(
      as("max", "GET", "proposals?state=waiting&limit=1"),
    )
  ).items;
  assert.equal(waiting?.what, "add the operator eve as treasury");
  await succeeds(decide("root", waiting?.proposalId ?? 0));
  assert.partialDeepStrictEqual(await succeeds(as("eve", "GET", "caller")), { role: "treasury" });
  const promoting = await waits(as("max", "PATCH", "operators/sue", { role: "administrator" }));
  const rotating = await waits(as("max", "POST", "operators/sue/token"));
  assert.equal(refusalOf(await decide("eve", promoting))[1], "role-not-allowed");
  await succeeds(decide("root", promoting));
  // What is proposed must still be what happens.
  assert.deepEqual(refusalOf(await decide("root", rotating)), CONFLICT);
  const wrong = { action: "operators", asset: "USDT", above: "0" };
  const badRule = await waits(as("max", "POST", "approval-rules", wrong));
  assert.deepEqual(refusalOf(await decide("root", badRule)), [400, "malformed", "asset"]);
  // Nobody is to decide about what cannot be, or to believe that a rule is gone.
  for (const above of ["5", null]) {
    const mistyped = await as("max", "POST", "approval-rules", {
      action: "deposits",
      asset: "USTD",
      above,
    });
    assert.deepEqual(refusalOf(mistyped), [400, "unknown-asset", "asset"]);
  }
});

test("a proposal expires after a day, and a rule ends only with a second operator", async () => {
  const path = `users/${UID}/deposits`;
  const late = await waits(as("ann", "POST", path, deposit("late", "1000")));
  operator.exchange.wallMs += PROPOSAL_LIFE_MS;
  assert.deepEqual(refusalOf(await decide("bob", late)), CONFLICT);
  assert.partialDeepStrictEqual(await succeeds(as("bob", "GET", `proposals/${late}`)), {
    ...{ state: "expired", decider: null, decided: null },
  });
  const anew = await waits(as("ann", "POST", path, deposit("late", "1000")));
  assert.notEqual(anew, late);
  const off = { action: "deposits", asset: "USDT", above: null };
  const ending = await waits(as("max", "POST", "approval-rules", off));
  await succeeds(decide("root", ending));
  await succeeds(as("ann", "POST", path, deposit("late", "1000")));
  const { items } = await operator.call<{ items: object[] }>("GET", `${V1}/approval-rules`);
  assert.deepEqual(items, [
    { action: "operators", asset: null, above: "0" },
    { action: "withdrawals", asset: "USDT", above: "50" },
  ]);
  assert.deepEqual(await operator.refusal("GET", `${V1}/proposals/999`), [
    ...[404, "unknown-id", "proposalId"],
  ]);
});

test("every documented call of the four-eyes rule was made", async () => {
  await operator.call("GET", `${V1}/proposals`);
  const [first] = (
    await operator.call<{ items: { proposalId: number }[] }>("GET", `${V1}/proposals`)
  ).items;
  await operator.call("GET", `${V1}/proposals/${first?.proposalId}`);
  const waiting = await waits(as("ann", "POST", `users/${UID}/withdrawals`, deposit("z", "60")));
  await operator.call("PATCH", `${V1}/proposals/${waiting}`, { decision: "rejected" });
  const documented = (await operator.documented()).filter(isApprovalCall);
  assert.equal(documented.length, 5);
  for (const { operation } of documented) {
    assert.ok(operator.answeredCalls.has(operation.operationId), operation.operationId);
  }
});
