/**
 * Goal: a fault rule is set, listed with its hits, replaced and removed, and a wrong one is refused
 * with the field that is wrong and sets nothing. Method: calls over the real engine; rules of every
 * hostile shape.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { BTC_CONTRACT, BTC_SPOT } from "../../test/support/listings.ts";
import { isTrafficCall, OperatorFixture, refusalOf } from "../../test/support/operator-fixture.ts";
import { FAULT_MS_MAX, FAULT_RULES_MAX } from "../api/operator/faults.ts";
import { RULES_VERSION } from "../engine/index.ts";

const FAULTS = "/operator/v1/sandbox/faults";
const CUT = { kind: "cut" };
const DROP = { kind: "drop-request" };

interface Rule {
  readonly id: string;
  readonly seed: number;
  readonly hits: number;
}

let fixture: OperatorFixture;
let apiKey = "";

before(async () => {
  fixture = new OperatorFixture();
  await fixture.exchange.client.execute({ type: "adopt-rules", version: RULES_VERSION });
  await fixture.call("PUT", "/operator/v1/assets/BTC", { coinId: 1, name: "Bitcoin", scale: 8 });
  await fixture.call("PUT", "/operator/v1/assets/USDT", { coinId: 2, name: "Tether", scale: 8 });
  const { symbol, ...spot } = BTC_SPOT;
  await fixture.call("PUT", `/operator/v1/markets/spot/${symbol}`, spot);
  await fixture.call("POST", "/operator/v1/users", { uid: 7 });
  const key = { permissions: ["read"], passphrase: "correct7horse" };
  ({ apiKey } = await fixture.call<{ apiKey: string }>(
    "POST",
    "/operator/v1/users/7/api-keys",
    key,
  ));
});
after(() => fixture.close());

async function list(): Promise<readonly Rule[]> {
  const { items } = await fixture.call<{ items: readonly Rule[] }>("GET", FAULTS);
  return items;
}

test("rules keep the order in which they were set, and are replaced and removed", async () => {
  const when = { every: 3 };
  const match = { uid: 7, apiKey, address: "::ffff:1", route: "POST /api/v3/order" };
  const body = { match, when, seed: 5, expiresMs: 60_000, fault: { kind: "stall", ms: 1 } };
  const first = await fixture.call<Rule>("PUT", `${FAULTS}/b`, body);
  const address = "::ffff:1";
  assert.deepEqual(first, { id: "b", ...body, match: { ...match, address }, hits: 0 });
  const second = await fixture.call<Rule>("PUT", `${FAULTS}/a`, { fault: CUT });
  assert.ok(Number.isInteger(second.seed));
  await fixture.call("PUT", `${FAULTS}/b`, { fault: DROP });
  assert.deepEqual(
    (await list()).map(({ id }) => id),
    ["b", "a"],
  );
  assert.partialDeepStrictEqual(await list(), [{ fault: DROP, match: {}, when: {} }]);
  assert.partialDeepStrictEqual(await fixture.call("GET", `${FAULTS}/a`), { id: "a", hits: 0 });
  assert.equal((await fixture.call<Rule>("DELETE", `${FAULTS}/b`)).id, "b");
  assert.deepEqual(await fixture.refusal("GET", `${FAULTS}/b`), [404, "unknown-id", "id"]);
  assert.deepEqual(await fixture.refusal("DELETE", `${FAULTS}/b`), [404, "unknown-id", "id"]);
  assert.deepEqual(await fixture.call("DELETE", FAULTS), { removed: 1 });
  assert.deepEqual(await list(), []);
});

test("there are at most a hundred, and an ended one makes room", async () => {
  for (let i = 0; i < FAULT_RULES_MAX - 1; i++) {
    await fixture.call("PUT", `${FAULTS}/rule-${i}`, { fault: CUT });
  }
  await fixture.call("PUT", `${FAULTS}/short`, { fault: CUT, expiresMs: 200_000 });
  const more = await fixture.refusal("PUT", `${FAULTS}/more`, { fault: CUT });
  assert.deepEqual(more, [409, "conflict", "id"]);
  await fixture.call("PUT", `${FAULTS}/short`, { fault: CUT, expiresMs: 1 });
  while ((await list()).some(({ id }) => id === "short"));
  await fixture.call("PUT", `${FAULTS}/more`, { fault: CUT });
  assert.deepEqual(await fixture.call("DELETE", FAULTS), { removed: FAULT_RULES_MAX });
});

/** Wrong rules, and the field that each refusal names. */
const WRONG: readonly (readonly [rule: object, field: string | undefined])[] = [
  [{}, "fault"],
  [{ fault: null }, "fault"],
  [{ fault: [] }, "fault"],
  [{ fault: "cut" }, "fault"],
  [{ fault: {} }, "fault.kind"],
  [{ fault: { kind: "explode" } }, "fault.kind"],
  [{ fault: { kind: ["cut"] } }, "fault.kind"],
  [{ fault: { kind: null } }, "fault.kind"],
  [{ fault: { kind: "cut", ms: 1 } }, "fault.ms"],
  [{ fault: { kind: "stall" } }, "fault.ms"],
  [{ fault: { kind: "stall", ms: -1 } }, "fault.ms"],
  [{ fault: { kind: "stall", ms: 0.5 } }, "fault.ms"],
  [{ fault: { kind: "stall", ms: "1" } }, "fault.ms"],
  [{ fault: { kind: "freeze", ms: FAULT_MS_MAX + 1 } }, "fault.ms"],
  [{ fault: { kind: "gap" } }, "fault.updates"],
  [{ fault: { kind: "gap", updates: 0 } }, "fault.updates"],
  [{ fault: { kind: "delay" } }, "fault.ms"],
  [{ fault: { kind: "delay", ms: [1] } }, "fault.ms"],
  [{ fault: { kind: "delay", ms: [1, 2, 3] } }, "fault.ms"],
  [{ fault: { kind: "delay", ms: [2, 1] } }, "fault.ms"],
  [{ fault: { kind: "delay", ms: [0, 1e300] } }, "fault.ms"],
  [{ fault: { kind: "delay", ms: [1, 2], distribution: "poisson" } }, "fault.distribution"],
  [{ fault: { kind: "delay", ms: 1, distribution: "normal" } }, "fault.distribution"],
  [{ fault: { kind: "answer" } }, "fault.status"],
  [{ fault: { kind: "answer", status: 200 } }, "fault.status"],
  [{ fault: { kind: "answer", status: 600 } }, "fault.status"],
  [{ fault: { kind: "answer", status: 429, code: "x" } }, "fault.code"],
  [{ fault: { kind: "answer", status: 429, retryAfterS: -1 } }, "fault.retryAfterS"],
  [{ fault: CUT, match: 7 }, "match"],
  [{ fault: CUT, match: null }, "match"],
  [{ fault: CUT, match: [] }, "match"],
  [{ fault: CUT, match: { user: 7 } }, "match.user"],
  [{ fault: CUT, match: { uid: "7" } }, "match.uid"],
  [{ fault: CUT, match: { uid: 8 } }, "match.uid"],
  [{ fault: CUT, match: { apiKey: "x" } }, "match.apiKey"],
  [{ fault: CUT, match: { apiKey: `rialto_${"0".repeat(32)}` } }, "match.apiKey"],
  [{ fault: CUT, match: { address: "localhost" } }, "match.address"],
  [{ fault: CUT, match: { address: "10.0.0.0/8" } }, "match.address"],
  [{ fault: CUT, match: { address: "fe80::1%eth0" } }, "match.address"],
  [{ fault: CUT, match: { route: "GET *" } }, "match.route"],
  [{ fault: DROP, match: { route: "" } }, "match.route"],
  [{ fault: DROP, match: { route: "POST /api/v3/ordre" } }, "match.route"],
  [{ fault: DROP, match: { route: "PATCH /api/v3/order" } }, "match.route"],
  [{ fault: DROP, match: { route: "DELETE /api/v3/time" } }, "match.route"],
  [{ fault: DROP, match: { route: "/api/v3/order" } }, "match.route"],
  [{ fault: DROP, match: { route: "GET /operator/v1/*" } }, "match.route"],
  [{ fault: DROP, match: { route: "order.eat" } }, "match.route"],
  [{ fault: DROP, match: { route: `GET /${"a".repeat(200)}` } }, "match.route"],
  [{ fault: DROP, match: { channel: "BTCUSDT@ticker" } }, "match.channel"],
  [{ fault: CUT, match: { channel: "" } }, "match.channel"],
  [{ fault: CUT, match: { channel: "BTCUSDT@depth7" } }, "match.channel"],
  [{ fault: CUT, match: { channel: "NONEUSDT@ticker" } }, "match.channel"],
  [{ fault: CUT, match: { channel: "wallet" } }, "match.channel"],
  [{ fault: CUT, when: 1 }, "when"],
  [{ fault: CUT, when: { sometimes: 1 } }, "when.sometimes"],
  [{ fault: CUT, when: { probability: 1.01 } }, "when.probability"],
  [{ fault: CUT, when: { probability: -0.1 } }, "when.probability"],
  [{ fault: CUT, when: { probability: "0.1" } }, "when.probability"],
  [{ fault: CUT, when: { every: 0 } }, "when.every"],
  [{ fault: CUT, when: { next: 0 } }, "when.next"],
  [{ fault: CUT, when: { next: 1.5 } }, "when.next"],
  [{ fault: CUT, when: { after: -1 } }, "when.after"],
  [{ fault: CUT, when: { every: 2, next: 1 } }, "when"],
  [{ fault: CUT, seed: -1 }, "seed"],
  [{ fault: CUT, seed: 2 ** 32 }, "seed"],
  [{ fault: CUT, expiresMs: 0 }, "expiresMs"],
  [{ fault: CUT, expiresMs: "1" }, "expiresMs"],
  [{ fault: CUT, id: "y" }, "id"],
  [{ fault: CUT, hits: 1 }, "hits"],
];

test("a wrong rule is refused by field, and leaves the one that is there", async () => {
  const kept = await fixture.call<Rule>("PUT", `${FAULTS}/x`, { fault: DROP, seed: 1 });
  for (const [rule, field] of WRONG) {
    const answer = await fixture.send("PUT", `${FAULTS}/x`, JSON.stringify(rule));
    const [status, , named] = refusalOf(answer);
    assert.deepEqual([status, named], [400, field], `${JSON.stringify(rule)}: ${answer.text}`);
  }
  for (const text of ["[]", "1", "{", '{"fault":{"kind":"cut"},"fault":{"kind":"cut"}}']) {
    assert.equal((await fixture.send("PUT", `${FAULTS}/x`, text)).status, 400, text);
  }
  for (const id of ["a b", "ä", "a".repeat(65), "a/b"]) {
    const path = `${FAULTS}/${encodeURIComponent(id)}`;
    const { status } = await fixture.send("PUT", path, JSON.stringify({ fault: CUT }));
    assert.equal(status, 400, id);
  }
  assert.deepEqual(await list(), [kept]);
  await fixture.call("DELETE", FAULTS);
});

test("channels of every dialect and product, methods and patterns are known", async () => {
  const { symbol, ...contract } = BTC_CONTRACT;
  await fixture.call("PUT", `/operator/v1/markets/contract/${symbol}`, contract);
  const channels = ["fill", "positions", "BTCUSDT@depth15", "BTCUSDT@kline_1m_MARK_PRICE"];
  for (const channel of [...channels, "depth.BTCUSDT_SPBL.15", "ticker.cmt_btcusdt"]) {
    await fixture.call("PUT", `${FAULTS}/x`, { match: { channel }, fault: CUT });
  }
  const routes = ["GET *", "* /api/v3/*", "* *", "order.place", "session.logon"];
  for (const route of routes) {
    await fixture.call("PUT", `${FAULTS}/x`, { match: { route }, fault: DROP });
  }
  await fixture.call("DELETE", FAULTS);
});

test("without --sandbox all of it is refused", async () => {
  const plain = new OperatorFixture(false);
  for (const [method, path, body] of [
    ["PUT", `${FAULTS}/x`, { fault: CUT }],
    ["PUT", `${FAULTS}/x`, {}],
    ["GET", FAULTS],
    ["GET", `${FAULTS}/x`],
    ["DELETE", FAULTS],
    ["DELETE", `${FAULTS}/x`],
    ["GET", "/operator/v1/sandbox/requests"],
    ["GET", "/operator/v1/sandbox/quiet"],
  ] as const) {
    const [status, code] = await plain.refusal(method, path, body);
    assert.deepEqual([status, code], [409, "sandbox-only"], path);
  }
  await plain.close();
});

test("the log is read in pages, and quiet is told with its sequence", async () => {
  const page = await fixture.call("GET", "/operator/v1/sandbox/requests?limit=10&after=5");
  assert.deepEqual(page, { items: [], next: 5, isLast: true });
  const query = (text: string) => fixture.refusal("GET", `/operator/v1/sandbox/requests?${text}`);
  assert.deepEqual(await query("limit=0"), [400, "malformed", "limit"]);
  assert.deepEqual(await query("uid=x"), [400, "malformed", "uid"]);
  const { sequence } = await fixture.call<{ sequence: number }>(
    "GET",
    "/operator/v1/sandbox/quiet",
  );
  const status = await fixture.call<{ sequence: number }>("GET", "/operator/v1/status");
  assert.equal(sequence, status.sequence);
});

test("every call about traffic was made", async () => {
  const documented = (await fixture.documented()).filter(isTrafficCall);
  const missed = documented.filter(({ operation }) => {
    return !fixture.answeredCalls.has(operation.operationId);
  });
  assert.equal(documented.length, 7);
  assert.deepEqual(missed, []);
});
