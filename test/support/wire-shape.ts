/** Golden shapes: the exact names of an object, the JSON type of each, and which may be null. */
import assert from "node:assert/strict";
import { isCanonicalDecimal } from "./exact.ts";

/**
 * `decimal`: text of a plain decimal number; `decimal-or-empty`: that or "". `digits`: text of a
 * whole number. `integer`: a JSON number that every parser reads exactly. `?` in front: may be
 * null.
 */
export type FieldKind =
  | "string"
  | "decimal"
  | "decimal-or-empty"
  | "digits"
  | "integer"
  | "boolean"
  | "number";
export type FieldShape = FieldKind | `?${FieldKind}` | Shape | readonly [FieldShape] | null;
export interface Shape {
  readonly [name: string]: FieldShape;
}

function hasKind(value: unknown, kind: FieldKind): boolean {
  switch (kind) {
    case "decimal":
      return isCanonicalDecimal(value);
    case "decimal-or-empty":
      return value === "" || isCanonicalDecimal(value);
    case "digits":
      return typeof value === "string" && /^(0|[1-9]\d*)$/.test(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "boolean":
    case "string":
    case "number":
      return typeof value === kind;
    default:
      throw new Error(`no such kind: ${String(kind satisfies never)}`);
  }
}

/** A refusal of v2, which carries a `timestamp` too where success does. */
export function assertV2Refusal(body: unknown): void {
  const isTimed = Object.hasOwn(Object(body), "timestamp");
  const shape = { code: "string", msg: "string", requestTime: "integer", data: null } as const;
  assertShape(body, isTimed ? { ...shape, timestamp: "integer" } : shape);
}

/** Fails with the path of the first difference. The order of names is free. */
export function assertShape(value: unknown, shape: FieldShape, at = "answer"): void {
  if (shape === null) {
    assert.equal(value, null, `${at} must be null`);
  } else if (typeof shape === "string") {
    const nullable = shape.startsWith("?");
    const kind = (nullable ? shape.slice(1) : shape) as FieldKind;
    const holds = (nullable && value === null) || hasKind(value, kind);
    assert.ok(holds, `${at} must be ${shape}, is ${JSON.stringify(value)}`);
  } else if (Array.isArray(shape)) {
    assert.ok(Array.isArray(value), `${at} must be an array`);
    value.forEach((item, i) => {
      assertShape(item, shape[0], `${at}[${i}]`);
    });
  } else {
    assert.ok(typeof value === "object" && value !== null, `${at} must be an object`);
    assert.deepEqual(Object.keys(value).sort(), Object.keys(shape).sort(), `names of ${at}`);
    for (const [name, field] of Object.entries(shape)) {
      assertShape((value as Record<string, unknown>)[name], field, `${at}.${name}`);
    }
  }
}
