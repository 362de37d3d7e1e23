/**
 * Proves that the client calls what the exchange serves: every row is a route of the table with its
 * method, path, family and signature, every route has a row but for other spellings of the same,
 * and no read is treated as something that must not happen twice.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { pathsOf, ROUTES } from "../api/routes.ts";
import { type CallId, ENDPOINTS, type Endpoint } from "./route-table.ts";

/** The v2 calls of the specification; the others say in envelopes what v3 says without. */
const V2_CALLS: readonly string[] = [
  "v2-ticker",
  "v2-account-assets",
  "v2-place-order",
  "v2-cancel-order",
];
/** Another spelling of a call that is there, for clients that are older than it. */
const SPELLINGS = /^(contract-demo-|v3-sub-affiliates-by-get$)/;

const rows = Object.entries(ENDPOINTS) as [CallId, Endpoint][];

test("every row is a route", () => {
  for (const [id, { method, path, family, isSigned, repeat }] of rows) {
    const route = ROUTES.find((candidate) => candidate.id === id);
    assert.ok(route !== undefined, id);
    assert.equal(method, route.method, id);
    assert.ok(pathsOf(route).includes(path), `${id}: ${path}`);
    assert.equal(family, route.family, id);
    assert.equal(isSigned, route.access !== null, id);
    const isRead = route.access === null || route.access.anyOf.includes("read");
    if (isRead) assert.equal(repeat, "safe", `${id} is a read`);
  }
});

test("every route has a row, or another that says the same", () => {
  const missing = ROUTES.filter(({ id, family }) => {
    if (Object.hasOwn(ENDPOINTS, id) || SPELLINGS.test(id)) return false;
    return family !== "v2" || V2_CALLS.includes(id);
  });
  assert.deepEqual(
    missing.map(({ id }) => id),
    [],
  );
});
