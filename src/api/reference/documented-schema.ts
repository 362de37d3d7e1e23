/** Schemas for OpenAPI: TypeBox's own marks and ours are converted to JSON Schema. */

import type { Family } from "../calls.ts";
import { ERRORS, type RefusalReason } from "../errors.ts";

type Json = Readonly<Record<string, unknown>>;

/** A common error that is not repeated at every parameter. */
const USUAL_REFUSAL: RefusalReason = "parameter-out-of-range";

/** The whole schema, with the error codes that a family has for its parameters. */
export function documentedSchema(schema: unknown, family: Family): unknown {
  if (Array.isArray(schema)) return schema.map((part) => documentedSchema(part, family));
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(withOwnMarks(schema as Json, family)).map(([name, value]) => [
    name,
    documentedKeyword(name, value, family),
  ]);
  return modernTuple(typedEnum(Object.fromEntries(entries)));
}

function documentedKeyword(name: string, value: unknown, family: Family): unknown {
  // These are values, not schemas.
  if (name === "enum" || name === "examples") return value;
  if (name !== "properties") return documentedSchema(value, family);
  const properties = Object.entries(value as Json);
  return Object.fromEntries(properties.map(([key, part]) => [key, documentedSchema(part, family)]));
}

function withOwnMarks(schema: Json, family: Family): Json {
  const { "x-refusal": reason, "x-items": items, "x-max-items": maxItems, ...rest } = schema;
  const description = describe(schema, family);
  return {
    ...rest,
    ...(items === undefined ? {} : { items }),
    ...(maxItems === undefined ? {} : { maxItems }),
    ...(description === "" ? {} : { description }),
  };
}

/**
 * Default and error code are also in the description: viewers hide the first and do not know the
 * second.
 */
function describe(schema: Json, family: Family): string {
  const { description = "", default: standard, "x-refusal": reason } = schema;
  const isUsual = reason === undefined || reason === USUAL_REFUSAL;
  const additions = [
    ...(standard === undefined ? [] : [`Default ${standard}.`]),
    ...(isUsual
      ? []
      : [`Another value is refused with ${ERRORS[reason as RefusalReason][family].code}.`]),
  ];
  if (additions.length === 0) return String(description);
  return [String(description).replace(/(?<=[^.])$/, "."), ...additions].join(" ").trim();
}

/** One list of values with their type, also where TypeBox has a union of literals. */
function typedEnum(schema: Json): Json {
  const { anyOf, ...rest } = schema;
  const options = Array.isArray(anyOf) ? (anyOf as readonly Json[]) : [];
  if (
    options.length > 0 &&
    options.every((option) => option.type === "string" && "const" in option)
  ) {
    return { ...rest, type: "string", enum: options.map((option) => option.const) };
  }
  const { enum: values } = schema;
  const isText = Array.isArray(values) && values.every((value) => typeof value === "string");
  return isText ? { type: "string", ...schema } : schema;
}

/** TypeBox writes tuples as JSON Schema did before 2020-12. */
function modernTuple(schema: Json): Json {
  const { items, additionalItems, ...rest } = schema;
  if (!Array.isArray(items)) return schema;
  return { ...rest, prefixItems: items, maxItems: items.length };
}
