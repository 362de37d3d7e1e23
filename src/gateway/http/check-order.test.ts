/**
 * Proves the order of the checks: for every pair of them, a request that fails both is refused with
 * the code of the earlier one, in every family; and each signed route of the table passes through
 * all of them before the engine hears of the request.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";
import type { FakeGateway } from "../../../test/support/gateway.ts";
import {
  API_KEY,
  EXCHANGE_MS,
  fakeGateway,
  keyRecord,
  ORDER,
  PASSPHRASE,
  placeOrderRequest,
  SECRET,
  send as sendSigned,
  WALL_MS,
} from "../../../test/support/gateway.ts";
import { ERRORS, type RefusalReason } from "../../api/errors.ts";
import type { Route } from "../../api/route.ts";
import { pathsOf, ROUTES } from "../../api/routes.ts";
import { PERMISSIONS, type Permission, reject } from "../../domain/index.ts";
import type { RateLimits } from "./rate-limit.ts";

interface Plan {
  route: Route;
  query: string;
  body: string;
  contentType: string | null;
  key: string | null;
  timestamp: string | null;
  passphrase: string | null;
  sign: "right" | "wrong" | "absent";
  permissions: readonly Permission[];
  ipAllowList: readonly string[];
  addressWaitMs: number;
  userWaitMs: number;
  engineRefuses: boolean;
}

/** Of either v3 family; the fields that only contracts need mean nothing to spot. */
const V3_ORDER = {
  ...ORDER,
  symbol: "BTCUSDT",
  side: "BUY",
  positionSide: "LONG",
  type: "LIMIT",
  timeInForce: "GTC",
  newClientOrderId: "c-1",
};

function passing(route: Route): Plan {
  return {
    route,
    query: "",
    body: JSON.stringify(route.family === "v2" ? ORDER : V3_ORDER),
    contentType: "application/json",
    key: API_KEY,
    timestamp: String(WALL_MS),
    passphrase: PASSPHRASE,
    sign: "right",
    permissions: PERMISSIONS,
    ipAllowList: [],
    addressWaitMs: 0,
    userWaitMs: 0,
    engineRefuses: false,
  };
}

/** In order: what is refused, and how a request comes to fail it. */
const CHECKS: readonly (readonly [RefusalReason, (plan: Plan) => void])[] = [
  ["rate-limited", (plan) => (plan.addressWaitMs = 1)],
  ["missing-access-key", (plan) => (plan.key = null)],
  ["missing-access-sign", (plan) => (plan.sign = "absent")],
  ["missing-access-timestamp", (plan) => (plan.timestamp = null)],
  ["missing-access-passphrase", (plan) => (plan.passphrase = null)],
  ["timestamp-malformed", (plan) => (plan.timestamp = "176000000000")],
  ["timestamp-expired", (plan) => (plan.timestamp = String(WALL_MS - 30_001))],
  ["wrong-content-type", (plan) => (plan.contentType = "text/plain")],
  ["unknown-key", (plan) => (plan.key = "rialto_unknown")],
  ["bad-signature", (plan) => (plan.sign = "wrong")],
  ["wrong-passphrase", (plan) => (plan.passphrase = "passphrase2")],
  ["address-not-allowed", (plan) => (plan.ipAllowList = ["10.0.0.0/8"])],
  ["permission-denied", (plan) => (plan.permissions = [])],
  ["rate-limited", (plan) => (plan.userWaitMs = 1)],
  ["malformed-query", (plan) => (plan.query = "?a=1&a=2")],
  ["malformed-json", (plan) => (plan.body = `${plan.body.slice(0, -1)},"side":"sell"}`)],
  ["user-frozen", (plan) => (plan.engineRefuses = true)],
];

const limitsOf = (plan: { current: Plan }): RateLimits => ({
  forRoute: () => ({
    takeAddress: () => plan.current.addressWaitMs,
    takeUser: () => plan.current.userWaitMs,
    usedWeight: () => 0,
    orderCount: () => 0,
  }),
  takeFailure: () => 0,
});

const current = { current: passing(ROUTES[0] as Route) };
const gateway: FakeGateway = fakeGateway({}, limitsOf(current));
const ORDER_IDS = { orderId: 7, clientOrderId: "c-1", symbol: "BTCUSDT" };
const PLACED = { ...ORDER_IDS, createdMs: 1, bookVersion: 1 };

async function send(plan: Plan) {
  current.current = plan;
  const { route, key, timestamp, passphrase, sign, contentType } = plan;
  const { permissions, ipAllowList } = plan;
  gateway.keys.set(API_KEY, keyRecord({ permissions, ipAllowList }));
  gateway.engine.answer = plan.engineRefuses ? reject("user-frozen") : { ok: true, value: PLACED };
  const url = route.path + plan.query;
  const secret = sign === "wrong" ? `${SECRET}!` : SECRET;
  const text = `${timestamp}${route.method}${url}${plan.body}`;
  const headers: Record<string, string> = { "content-length": String(plan.body.length) };
  if (key !== null) headers["ACCESS-Key"] = key;
  if (timestamp !== null) headers["access-timestamp"] = timestamp;
  if (passphrase !== null) headers["access-passphrase"] = passphrase;
  if (contentType !== null) headers["content-type"] = contentType;
  if (sign !== "absent") {
    headers["access-sign"] = createHmac("sha256", secret).update(text).digest("base64");
  }
  return gateway.app.inject({ method: route.method, url, headers, payload: plan.body });
}

async function assertRefused(plan: Plan, reason: RefusalReason, what: string): Promise<void> {
  const calls = gateway.engine.calls;
  const response = await send(plan);
  const { code, status } = ERRORS[reason][plan.route.family];
  assert.deepEqual([response.statusCode, response.json().code], [status, code], what);
  if (reason !== "user-frozen") assert.equal(gateway.engine.calls, calls, what);
}

const SIGNED = ROUTES.filter((route) => route.access !== null);
/** Those that place one order, which their answer is about. */
const ORDER_ROUTES = SIGNED.filter(
  ({ countsAsOrder, method, path }) =>
    countsAsOrder === true && method === "POST" && /\/orders?$/.test(path),
);

test("of two failed checks the earlier one is named", async () => {
  assert.equal(ORDER_ROUTES.length, 4, "one of each family, and the demo account's");
  for (const route of ORDER_ROUTES) {
    for (const [later, [laterReason, failLater]] of CHECKS.entries()) {
      for (const [reason, fail] of CHECKS.slice(0, later + 1)) {
        const plan = passing(route);
        failLater(plan);
        fail(plan);
        await assertRefused(plan, reason, `${route.id}: ${reason} before ${laterReason}`);
      }
    }
    const response = await send(passing(route));
    assert.equal(response.statusCode, 200, response.body);
  }
});

test("every signed route goes through every check of authentication", async () => {
  for (const route of SIGNED) {
    for (const [reason, fail] of CHECKS) {
      const plan = passing(route);
      fail(plan);
      const isAboutBody = reason === "malformed-json" && route.body === undefined;
      if (isAboutBody || reason === "user-frozen") continue;
      await assertRefused(plan, reason, `${route.id}: ${reason}`);
    }
  }
});

test("a key may call exactly what its permissions open", async () => {
  for (const route of SIGNED) {
    for (const permission of PERMISSIONS) {
      const plan = { ...passing(route), permissions: [permission], query: "?a=1&a=2" };
      const opens = route.access?.anyOf.includes(permission) === true;
      const reason = opens ? "malformed-query" : "permission-denied";
      await assertRefused(plan, reason, `${route.id} with ${permission}`);
    }
  }
});

test("empty headers are missing ones, and public routes need none", async () => {
  const route = ORDER_ROUTES[0] as Route;
  for (const [reason, change] of [
    ["missing-access-key", { key: "" }],
    ["missing-access-timestamp", { timestamp: "" }],
    ["missing-access-passphrase", { passphrase: "" }],
  ] as const) {
    await assertRefused({ ...passing(route), ...change }, reason, reason);
  }
  for (const open of ROUTES.filter(({ access }) => access === null)) {
    for (const path of pathsOf(open)) {
      current.current = passing(open);
      const response = await gateway.app.inject({ method: open.method, url: `${path}?a=1&a=2` });
      assert.equal(response.json().code, ERRORS["malformed-query"][open.family].code, path);
    }
  }
});

test("the window is 30 seconds either way, by the wall clock or exchange time", async () => {
  const route = ORDER_ROUTES[0] as Route;
  const at = (timestampMs: number) => ({ ...passing(route), timestamp: String(timestampMs) });
  for (const offset of [-30_000, 0, 30_000]) {
    for (const clockMs of [WALL_MS, EXCHANGE_MS]) {
      assert.equal((await send(at(clockMs + offset))).statusCode, 200, `${clockMs} ${offset}`);
    }
  }
  for (const timestampMs of [WALL_MS - 30_001, WALL_MS + 30_001, EXCHANGE_MS + 30_001]) {
    await assertRefused(at(timestampMs), "timestamp-expired", String(timestampMs));
  }
  for (const text of [
    "1760000000",
    "17600000000000",
    "176000000000a",
    "１７６００００００００００",
  ]) {
    const plan = { ...passing(route), timestamp: Buffer.from(text).toString("latin1") };
    await assertRefused(plan, "timestamp-malformed", text);
  }
});

test("an expired key is an unknown one, from that moment of exchange time on", async () => {
  for (const [expiresAtMs, code] of [
    [EXCHANGE_MS + 1, "00000"],
    [EXCHANGE_MS, "40006"],
  ] as const) {
    const expiring = fakeGateway();
    expiring.keys.set(API_KEY, keyRecord({ expiresAtMs }));
    const response = await sendSigned(expiring.app, placeOrderRequest());
    assert.equal(response.json().code, code);
  }
});
