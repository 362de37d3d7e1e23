/**
 * Proves that a client can take the parameters of every call in one object: a call has a query or a
 * body, never both, and their names differ from those in the path.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { TSchema } from "typebox";
import { CALLS } from "./calls/index.ts";

function namesOf(schema: TSchema): string[] {
  return Object.keys((schema as { properties?: object }).properties ?? {});
}

test("names of path, query and body are different", () => {
  for (const { id, method, params, query, body } of CALLS) {
    const other = method === "GET" || method === "DELETE" ? body : query;
    assert.deepEqual(namesOf(other), [], `${id}: ${method} takes a query or a body`);
    const names = [params, query, body].flatMap(namesOf);
    assert.equal(new Set(names).size, names.length, `${id}: ${names}`);
  }
});
