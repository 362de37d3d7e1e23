/** Proves that every row of the table of calls has a route, and that every read may be repeated. */
import assert from "node:assert/strict";
import test from "node:test";
import { CALLS } from "./calls.ts";
import { ROUTES } from "./routes.ts";

test("every call is a route", () => {
  assert.deepEqual(ROUTES.map(({ id }) => id).sort(), Object.keys(CALLS).sort());
});

test("every read may be repeated", () => {
  const reads = ROUTES.filter(({ access }) => access === null || access.anyOf.includes("read"));
  for (const { id, repeat } of reads) assert.equal(repeat, "safe", id);
});
