/**
 * Proves who may call what: every call of the table against every role, with tokens that are wrong,
 * expired, rotated, removed, or of another's name; and that the audit log has the name of the
 * token's owner, whatever the request says.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import {
  isOperatorCall,
  OperatorFixture,
  type OperatorResponse,
  refusalOf,
} from "../../test/support/operator-fixture.ts";
import { OPERATOR_CALLS } from "../api/operator/calls.ts";
import { OPERATOR_ROLES } from "../domain/index.ts";

let operator: OperatorFixture;
before(() => {
  operator = new OperatorFixture();
});
after(() => operator.close());

const PATH = "/operator/v1/operators";

interface Given {
  readonly name: string;
  readonly token: string;
}

const add = (body: object) => operator.call<Given>("POST", PATH, body);

function sendAs(
  { token }: { readonly token: string },
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<OperatorResponse> {
  // Slow enough that wrong tokens do not have to wait.
  operator.nowMs += 6_000;
  const payload = body === undefined ? undefined : JSON.stringify(body);
  return operator.send(method, path, payload, { authorization: `Bearer ${token}`, ...headers });
}

const callerOf = async (given: { readonly token: string }) =>
  (await sendAs(given, "GET", "/operator/v1/caller")).body;

const UNAUTHORIZED = [401, "unauthorized", "authorization"];

async function assertWrong(given: { readonly token: string }): Promise<void> {
  assert.deepEqual(refusalOf(await sendAs(given, "GET", "/operator/v1/caller")), UNAUTHORIZED);
}

test("every call allows the roles of the table, and no other", async () => {
  let refused = 0;
  for (const role of OPERATOR_ROLES) {
    const given = await add({ name: `a-${role}`, role });
    assert.match(given.token, new RegExp(`^a-${role}\\.${role}\\.[0-9a-f]{64}$`));
    assert.deepEqual(await callerOf(given), { name: `a-${role}`, role, expiresAt: null });
    for (const { method, path, roles } of Object.values(OPERATOR_CALLS)) {
      const url = path.replace(/\{\w+\}/g, "~");
      // Refused for what it says, but only after its role: nothing is changed.
      const answer = await sendAs(given, method, `${url}?no-such-parameter=1`);
      const isAllowed = role === "administrator" || roles.includes(role);
      const isRefused = answer.status === 403;
      assert.equal(isRefused, !isAllowed, `${role} ${method} ${path}: ${answer.text}`);
      if (!isRefused) assert.equal(answer.status, 400, answer.text);
      else assert.deepEqual(refusalOf(answer), [403, "role-not-allowed", "authorization"]);
      if (isRefused) refused++;
    }
    for (const path of ["/metrics", "/operator/v1/openapi.json", "/health/ready"]) {
      assert.equal((await sendAs(given, "GET", path)).status, 200);
    }
    const state = await sendAs(given, "GET", "/operator/v1/sandbox/state");
    assert.equal(state.status, role === "administrator" ? 200 : 403);
  }
  assert.ok(refused > 150, `${refused} refused`);
});

test("who may do what is what the page for operators says", () => {
  const allowed = (role: string) =>
    Object.entries(OPERATOR_CALLS)
      .filter(([, { method, roles }]) => method !== "GET" && roles.includes(role as never))
      .map(([id]) => id);
  assert.deepEqual(allowed("viewer"), ["compareCommissionRates"]);
  assert.deepEqual(
    allowed("administrator"),
    ["compareCommissionRates"],
    "the others by its nature",
  );
  const everywhere = ["compareCommissionRates"];
  const money = ["makeDeposit", "makeWithdrawal", "makeTransfer"];
  const withdrawals = ["setWithdrawalRules", "requestWithdrawal", "setWithdrawalState"];
  const addresses = ["addWithdrawalAddress", "removeWithdrawalAddress"];
  const deposits = ["setDepositRules", "reportDeposit", "dropDeposit"];
  const insurance = ["makeInsuranceDeposit", "makeInsuranceWithdrawal"];
  const webhooks = ["testWebhook", "redeliverWebhookEvent", "reportCustodyBalances"];
  const commissions = ["releaseCommission", "reverseCommission", "settleCommissions"];
  assert.deepEqual(
    new Set(allowed("treasury")),
    new Set([
      ...everywhere,
      ...money,
      ...insurance,
      ...commissions,
      "setAffiliatePolicy",
      ...withdrawals,
      ...addresses,
      ...deposits,
      "decideProposal",
      ...webhooks,
    ]),
  );
});

test("a token ends when it expires, is rotated or removed; a role changes at once", async () => {
  const expiresAt = operator.exchange.wallMs + 60_000;
  const ann = await add({ name: "ann", role: "viewer", expiresAt });
  assert.deepEqual(await callerOf(ann), { name: "ann", role: "viewer", expiresAt });
  operator.exchange.wallMs += 60_000;
  await assertWrong(ann);
  const renewed = await operator.call("PATCH", `${PATH}/ann`, { role: "support", expiresAt: null });
  assert.partialDeepStrictEqual(renewed, { name: "ann", role: "support", expiresAt: null });
  assert.deepEqual(await callerOf(ann), { name: "ann", role: "support", expiresAt: null });
  const rotated = await operator.call<Given>("POST", `${PATH}/ann/token`);
  await assertWrong(ann);
  assert.partialDeepStrictEqual(await callerOf(rotated), { name: "ann" });
  const removed = await operator.call<{ removedAt: number }>("DELETE", `${PATH}/ann`);
  assert.deepEqual(await operator.call("GET", `${PATH}/ann`), removed);
  assert.deepEqual(await operator.call("DELETE", `${PATH}/ann`), removed, "once is enough");
  await assertWrong(rotated);
  const taken = [409, "conflict", "name"];
  assert.deepEqual(await operator.refusal("POST", PATH, { name: "ann", role: "risk" }), taken);
  assert.deepEqual(await operator.refusal("PATCH", `${PATH}/ann`, { role: "risk" }), taken);
  assert.deepEqual(await operator.refusal("POST", `${PATH}/ann/token`), taken);
});

test("nobody speaks with another's token or name", async () => {
  const [bob, eve] = [
    await add({ name: "bob", role: "support" }),
    await add({ name: "eve", role: "support" }),
  ];
  const hex = eve.token.split(".")[2];
  for (const token of [
    `bob.support.${hex}`,
    `bob.administrator.${hex}`,
    `eve.administrator.${hex}`,
    `eve.support.${"0".repeat(64)}`,
    `EVE.support.${hex}`,
    `nobody.support.${hex}`,
    `eve.support.${hex}0`,
  ]) {
    await assertWrong({ token });
  }
  const register = async (given: { readonly token: string }, uid: number, says: string) =>
    await sendAs(given, "POST", "/operator/v1/users", { uid }, { "x-operator": says });
  const actor = () => operator.exchange.events.map((event) => (event as { actor?: string }).actor);
  assert.equal((await register(eve, 901, "bob")).status, 200);
  assert.equal(actor().at(-1), "eve", "the token says who");
  assert.equal((await register(bob, 902, "bob")).status, 200);
  assert.equal(actor().at(-1), "bob");
  const root = await operator.send("POST", "/operator/v1/users", "{}", { "x-operator": "bob" });
  assert.deepEqual(refusalOf(root), [409, "conflict", "X-Operator"]);
  const person = await operator.send("POST", "/operator/v1/users", "{}", { "x-operator": "carl" });
  assert.equal(person.status, 200);
  assert.equal(actor().at(-1), "carl");
  assert.deepEqual(await operator.call("GET", "/operator/v1/caller"), {
    name: "operator",
    role: "administrator",
    expiresAt: null,
  });
});

test("operators are listed without secrets; what is wrong is refused with its field", async () => {
  const dan = await add({ name: "dan", role: "risk" });
  const listed = await operator.call<{ items: readonly { name: string }[] }>("GET", PATH);
  assert.ok(listed.items.some(({ name }) => name === "dan"));
  assert.ok(!JSON.stringify(listed).includes(String(dan.token.split(".")[2])));
  const page = await operator.call<{ next: string }>("GET", `${PATH}?limit=1`);
  assert.equal(page.next, "a-administrator");
  const refused = (body: object) => operator.refusal("POST", PATH, body);
  const role = "viewer";
  assert.deepEqual(await refused({ name: "dan", role }), [409, "conflict", "name"]);
  assert.deepEqual(await refused({ name: "operator", role }), [409, "conflict", "name"]);
  assert.deepEqual(await refused({ name: "Dan", role }), [400, "malformed", "name"]);
  assert.deepEqual(await refused({ name: "x", role: "god" }), [400, "malformed", "role"]);
  const past = { name: "x", role, expiresAt: 5 };
  assert.deepEqual(await refused(past), [400, "out-of-range", "expiresAt"]);
  assert.deepEqual(await operator.refusal("GET", `${PATH}/nobody`), [404, "unknown-id", "name"]);
  assert.deepEqual(await operator.refusal("PATCH", `${PATH}/dan`, {}), [
    400,
    "malformed",
    undefined,
  ]);
  operator.exchange.engineUnavailable = "overloaded";
  const unavailable = await sendAs(dan, "GET", "/operator/v1/caller");
  operator.exchange.engineUnavailable = null;
  assert.deepEqual(refusalOf(unavailable), [503, "overloaded", undefined]);
});

test("every call about operators was made", async () => {
  const ids = (await operator.documented())
    .filter(isOperatorCall)
    .map(({ operation }) => operation.operationId);
  assert.deepEqual(
    ids.filter((id) => !operator.answeredCalls.has(id)),
    [],
  );
});
