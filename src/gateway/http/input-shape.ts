/**
 * Turns what a caller sent into what a route's schema says, or names the first parameter that is
 * missing or wrong. Known fields are copied one by one into a fresh object, absent ones get their
 * default, unknown ones are dropped.
 */
import type { TSchema } from "typebox";
import type { Validator } from "typebox/compile";
import { type Refusal, type RefusalReason, refuse } from "../../api/errors.ts";
import { validatorOf } from "../../api/schema-validator.ts";
import type { JsonObject } from "../../api/strict-json.ts";
import { ID_PATTERN } from "../../api/v3/fields.ts";
import { type Accepted, accept, DECIMAL_PATTERN } from "../../domain/index.ts";
import type { QueryParameters } from "./query-string.ts";

/** What of a JSON Schema is looked at here, with the keywords that are our own. */
interface ParameterSchema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly ParameterSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly description?: string;
  /** What an absent value is read as. */
  readonly default?: unknown;
  /** The refusal of a wrong value, where the API has a code of its own for this parameter. */
  readonly "x-refusal"?: RefusalReason;
  /** Null and "" count as not sent. */
  readonly "x-empty-is-absent"?: boolean;
  /** In a body, the digits of an integer may come as text. */
  readonly "x-digits-as-text"?: boolean;
}

interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly emptyIsAbsent: boolean;
  readonly isInteger: boolean;
  readonly digitsAsText: boolean;
  readonly isIdAsText: boolean;
  readonly reason: RefusalReason;
  readonly accepted: string | null;
  readonly default: unknown;
  check(value: unknown): boolean;
}

const NO_QUERY: QueryParameters = new Map();

const INTEGER = /^(0|[1-9][0-9]{0,15})$/;

/**
 * A decimal integer from 0 to 2^53 - 1; null for anything else, also signs, exponents and blanks.
 */
function parseInteger(text: string): number | null {
  if (!INTEGER.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : null;
}

/** What would be accepted, in a few words for the message of a refusal. */
function describeAccepted(schema: ParameterSchema): string | null {
  const options = schema.enum ?? schema.anyOf?.flatMap((option) => option.const ?? []) ?? [];
  if (options.length > 0) return `one of ${options.join(", ")}`;
  if (schema.pattern === DECIMAL_PATTERN) return "a decimal as text, such as 12.5";
  if (schema.type === "integer") {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
    return `an integer from ${minimum} to ${maximum}`;
  }
  return schema.description ?? schema.type ?? null;
}

function toParameter(name: string, schema: TSchema, required: boolean): Parameter {
  // Compiling all of them took a third of a start, and an exchange uses few of them.
  let validator: Validator | null = null;
  const described = schema as ParameterSchema;
  return {
    name,
    required,
    emptyIsAbsent: described["x-empty-is-absent"] === true,
    isInteger: described.type === "integer",
    digitsAsText: described["x-digits-as-text"] === true,
    isIdAsText: described.pattern === ID_PATTERN,
    reason: described["x-refusal"] ?? "invalid-parameter",
    accepted: describeAccepted(described),
    default: described.default,
    check: (value) => {
      validator ??= validatorOf(schema);
      return validator.Check(value);
    },
  };
}

export class InputShape {
  readonly #parameters: readonly Parameter[];

  /** `schema` is an object schema; without one nothing is read. */
  constructor(schema: TSchema | undefined) {
    const { properties = {}, required = [] } = (schema ?? {}) as {
      readonly properties?: Readonly<Record<string, TSchema>>;
      readonly required?: readonly string[];
    };
    this.#parameters = Object.entries(properties).map(([name, property]) =>
      toParameter(name, property, required.includes(name)),
    );
  }

  readBody(body: JsonObject): Accepted<JsonObject> | Refusal {
    return this.#read(body, NO_QUERY);
  }

  readQuery(query: QueryParameters): Accepted<JsonObject> | Refusal {
    return this.#read(null, query);
  }

  /** The members of a WebSocket message: JSON, also for what REST has in a query. */
  readParams(params: JsonObject): Accepted<JsonObject> | Refusal {
    return this.#read(params, NO_QUERY, paramValue);
  }

  /** From the body, or from the query where there is none. */
  #read(
    body: JsonObject | null,
    query: QueryParameters,
    jsonValue = bodyValue,
  ): Accepted<JsonObject> | Refusal {
    const read: Record<string, unknown> = {};
    let wrong: Parameter | null = null;
    for (const parameter of this.#parameters) {
      const { name } = parameter;
      const sent = body === null ? query.get(name) : body[name];
      if (isAbsent(parameter, sent)) {
        if (parameter.required) return refuse("missing-parameter", name);
        if (parameter.default !== undefined) read[name] = parameter.default;
        continue;
      }
      const value = body === null ? queryValue(parameter, sent) : jsonValue(parameter, sent);
      if (parameter.check(value)) read[name] = value;
      else wrong ??= parameter;
    }
    return wrong === null ? accept(read) : refuse(wrong.reason, wrong.name, wrong.accepted);
  }
}

function bodyValue({ digitsAsText }: Parameter, sent: unknown): unknown {
  return digitsAsText && typeof sent === "string" ? (parseInteger(sent) ?? sent) : sent;
}

function queryValue({ isInteger }: Parameter, sent: unknown): unknown {
  return isInteger && typeof sent === "string" ? parseInteger(sent) : sent;
}

/** An id that is text in a query may be a number in a message. */
function paramValue(parameter: Parameter, sent: unknown): unknown {
  const isNumber = parameter.isIdAsText && typeof sent === "number";
  return isNumber ? String(sent) : bodyValue(parameter, sent);
}

/** A required parameter that is empty is as good as missing. */
function isAbsent(parameter: Parameter, value: unknown): boolean {
  if (value === undefined) return true;
  const isEmpty = value === null || value === "";
  return isEmpty && (parameter.required || parameter.emptyIsAbsent);
}
