/**
 * Proves what the v2 route table promises: the published limits, who may call, what counts as
 * orders, and one endpoint for each route.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { V2_SPOT_ROUTES } from "../../api/v2/spot.ts";
import { ENDPOINTS } from "../endpoints.ts";

type Needs = "public" | "read" | "write";

/** Requests a second, or weights per address and user; and what a caller needs. */
const TABLE: Readonly<Record<string, readonly [limit: string, needs: Needs]>> = {
  "GET /api/v2/public/time": ["1/0", "public"],
  "GET /api/v2/public/currencies": ["1/0", "public"],
  "GET /api/v2/public/products": ["1/0", "public"],
  "GET /api/v2/public/exchangeInfo": ["10/0", "public"],
  "GET /api/v2/market/ticker": ["20 a second", "public"],
  "GET /api/v2/market/tickers": ["20/0", "public"],
  "GET /api/v2/market/fills": ["5/0", "public"],
  "GET /api/v2/market/candles": ["1/0", "public"],
  "GET /api/v2/market/depth": ["1/0", "public"],
  "POST /api/v2/trade/orders": ["10 a second", "write"],
  "POST /api/v2/trade/batch-orders": ["5/10", "write"],
  "POST /api/v2/trade/cancel-order": ["2/3", "write"],
  "POST /api/v2/trade/cancel-batch-orders": ["0/10", "write"],
  "POST /api/v2/trade/cancel-symbol-order": ["5/8", "write"],
  "POST /api/v2/trade/orderInfo": ["2/2", "read"],
  "POST /api/v2/trade/open-orders": ["3/3", "read"],
  "POST /api/v2/trade/history": ["10/10", "read"],
  "POST /api/v2/trade/fills": ["5/5", "read"],
  "GET /api/v2/account/assets": ["10 a second", "read"],
  "POST /api/v2/account/bills": ["5/5", "read"],
  "POST /api/v2/account/fundingBills": ["5/5", "read"],
  "GET /api/v2/account/transferRecords": ["3/3", "read"],
};

test("limits, signatures and permissions", () => {
  const table = V2_SPOT_ROUTES.map(({ method, path, limit, access, family }) => {
    assert.equal(family, "v2");
    const needs = access === null ? "public" : access.anyOf.includes("read") ? "read" : "write";
    if (access !== null) {
      assert.deepEqual(access.anyOf, needs === "read" ? ["read", "spot"] : ["spot"], path);
    }
    const limited =
      limit.kind === "rate" ? `${limit.perSecond} a second` : `${limit.ip}/${limit.uid}`;
    return [`${method} ${path}`, [limited, needs]];
  });
  assert.deepEqual(Object.fromEntries(table), TABLE);
});

test("what places orders is counted as orders", () => {
  const counted = V2_SPOT_ROUTES.filter((route) => "countsAsOrder" in route && route.countsAsOrder);
  const paths = counted.map(({ path }) => path);
  assert.deepEqual(paths, ["/api/v2/trade/orders", "/api/v2/trade/batch-orders"]);
});

test("each route has its endpoint", () => {
  const answered = new Set<unknown>(ENDPOINTS.map(({ route }) => route));
  for (const route of V2_SPOT_ROUTES) assert.ok(answered.has(route), route.id);
  assert.equal(new Set(V2_SPOT_ROUTES.map(({ id }) => id)).size, V2_SPOT_ROUTES.length);
});
