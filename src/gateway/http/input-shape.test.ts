/**
 * Proves how input is read: integers of a query string exactly in decimal form and within 2^53 - 1,
 * absent and empty values by the schema, defaults for both, and of several faults the first of the
 * table.
 */
import assert from "node:assert/strict";
import test from "node:test";
import Type, { type TSchema } from "typebox";
import Value from "typebox/value";
import { withDefault } from "../../api/defaults.ts";
import type { Route } from "../../api/route.ts";
import { ROUTES } from "../../api/routes.ts";
import { count } from "../../api/v3/fields.ts";
import { InputShape } from "./input-shape.ts";

const SHAPE = new InputShape(
  Type.Object({
    page: Type.Integer({ minimum: 1, maximum: 9_007_199_254_740_991 }),
    side: Type.Optional(Type.Union([Type.Literal("a"), Type.Literal("b")])),
    note: Type.Optional(Type.String({ minLength: 1, "x-empty-is-absent": true })),
    id: Type.Optional(Type.String({ pattern: "^\\d+$", "x-refusal": "invalid-client-order-id" })),
  }),
);

function readQuery(parameters: Readonly<Record<string, string>>): unknown {
  const read = SHAPE.readQuery(new Map(Object.entries(parameters)));
  return read.ok ? read.value : [read.reason, read.field];
}

function readBody(body: Readonly<Record<string, unknown>>): unknown {
  const read = SHAPE.readBody(body);
  return read.ok ? read.value : [read.reason, read.field];
}

test("integers of a query string", () => {
  for (const [text, page] of [
    ["1", 1],
    ["100", 100],
    ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ] as const) {
    assert.deepEqual(readQuery({ page: text }), { page });
  }
  const bad = ["0", "01", "-1", "+1", "1.0", "1e2", " 1", "1 ", "0x1", "１", "9007199254740992"];
  for (const page of [...bad, "99999999999999999999", "NaN", "null"]) {
    assert.deepEqual(readQuery({ page }), ["invalid-parameter", "page"], page);
  }
  assert.deepEqual(readQuery({ page: "" }), ["missing-parameter", "page"]);
});

test("missing before wrong, then in the order of the table", () => {
  assert.deepEqual(readQuery({ side: "c", id: "x" }), ["missing-parameter", "page"]);
  assert.deepEqual(readQuery({ page: "0", side: "c" }), ["invalid-parameter", "page"]);
  assert.deepEqual(readQuery({ page: "1", id: "x", side: "c" }), ["invalid-parameter", "side"]);
  assert.deepEqual(readQuery({ page: "1", id: "x" }), ["invalid-client-order-id", "id"]);
});

test("empty is absent only where the schema says so, unknown fields stay behind", () => {
  const page = 1;
  assert.deepEqual(readBody({ page, note: "", other: 1 }), { page });
  assert.deepEqual(readBody({ page, note: null }), { page });
  assert.deepEqual(readBody({ page, side: null }), ["invalid-parameter", "side"]);
  assert.deepEqual(readBody({ page, id: "" }), ["invalid-client-order-id", "id"]);
  assert.deepEqual(readBody({ page: "1" }), ["invalid-parameter", "page"]);
  assert.deepEqual(readBody({ page: null }), ["missing-parameter", "page"]);
});

test("absent and empty values get the default of the schema", () => {
  const shape = new InputShape(
    Type.Object({
      limit: Type.Optional(count(1, 100, "Rows at most", 20)),
      format: Type.Optional(
        withDefault(Type.Enum(["json", "csv"], { "x-empty-is-absent": true }), "json"),
      ),
      kind: Type.Optional(withDefault(Type.Enum(["a", "b"]), "a")),
      symbol: Type.Optional(Type.String()),
    }),
  );
  const defaults = { limit: 20, format: "json", kind: "a" };
  assert.deepEqual(shape.readQuery(new Map()), { ok: true, value: defaults });
  assert.deepEqual(shape.readBody({}), { ok: true, value: defaults });

  const empty = new Map([
    ["limit", ""],
    ["format", ""],
  ]);
  assert.deepEqual(shape.readQuery(empty), { ok: true, value: defaults });
  assert.deepEqual(shape.readBody({ limit: null, format: "" }), { ok: true, value: defaults });

  const sent = { limit: 5, format: "csv", kind: "b" };
  const query = new Map([...Object.entries(sent)].map(([name, value]) => [name, String(value)]));
  assert.deepEqual(shape.readQuery(query), { ok: true, value: sent });
  assert.deepEqual(shape.readBody(sent), { ok: true, value: sent });

  // Where an empty value does not count as absent, it is a wrong value and gets no default.
  const wrong = shape.readBody({ kind: "" });
  assert.ok(!wrong.ok && wrong.field === "kind");
});

test("every default of the API passes its own schema", () => {
  let defaults = 0;
  for (const { id, query, body } of ROUTES as readonly Route[]) {
    for (const schema of [query, body]) {
      const { properties = {} } = (schema ?? {}) as { properties?: Record<string, TSchema> };
      for (const [name, property] of Object.entries(properties)) {
        if (!("default" in property)) continue;
        assert.ok(Value.Check(property, property.default), `${id} ${name}`);
        defaults++;
      }
    }
  }
  assert.ok(defaults > 80, `${defaults} defaults`);
});

test("a refusal says what would be accepted", () => {
  const wrongSide = SHAPE.readBody({ page: 1, side: "c" });
  assert.ok(!wrongSide.ok);
  assert.equal(wrongSide.detail, "one of a, b");
  const wrongPage = SHAPE.readBody({ page: 0 });
  assert.ok(!wrongPage.ok);
  assert.equal(wrongPage.detail, "an integer from 1 to 9007199254740991");
});
