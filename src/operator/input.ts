/** Parses text into validated values. A refusal names the field and says what it must be. */
import type { TSchema } from "typebox";
import type { Validator } from "typebox/compile";
import { validatorOf } from "../api/schema-validator.ts";
import { accept, type Result, reject } from "../domain/index.ts";

interface PropertySchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly anyOf?: readonly PropertySchema[];
  readonly const?: unknown;
  /** Of a list. */
  readonly items?: PropertySchema;
}

interface ObjectSchema {
  readonly properties: Readonly<Record<string, PropertySchema>>;
}

/** Validates values against one object schema. */
export class Input {
  readonly #schema: TSchema;
  readonly #properties: ObjectSchema["properties"];
  #compiled: Validator | null = null;

  constructor(schema: TSchema) {
    this.#schema = schema;
    this.#properties = (schema as unknown as ObjectSchema).properties;
  }

  /** Compiled by the first value: most calls are never made. */
  get #validator(): Validator {
    this.#compiled ??= validatorOf(this.#schema);
    return this.#compiled;
  }

  /** Path or query parameters: text, parsed as whole numbers where the schema has integers. */
  readTexts(texts: Readonly<Record<string, unknown>>): Result<unknown> {
    const values: Record<string, unknown> = {};
    for (const [name, text] of Object.entries(texts)) {
      if (Array.isArray(text)) return reject("malformed", name, "given once");
      values[name] = this.#properties[name]?.type === "integer" ? wholeNumber(text) : text;
    }
    return this.read(values);
  }

  read(value: unknown): Result<unknown> {
    if (this.#validator.Check(value)) return accept(value);
    const fault = this.#validator.Errors(value)[0];
    if (fault === undefined) return reject("malformed");
    const field = fault.instancePath.split("/")[1];
    const inner = field === undefined ? null : this.#readField(field, value);
    if (inner !== null) return inner;
    if (fault.keyword === "required") {
      const [missing = ""] = fault.params.requiredProperties;
      return reject("malformed", missing, `given: ${this.#expected(missing)}`);
    }
    if (field === undefined) return reject("malformed", null, "the body must be a JSON object");
    if (!Object.hasOwn(this.#properties, field)) {
      const known = Object.keys(this.#properties).join(", ") || "none";
      return reject("malformed", field, `one of the fields of this call: ${known}`);
    }
    return reject("malformed", field, this.#expected(field));
  }

  /** The problem within a field that is an object; null when the field is the problem. */
  #readField(field: string, value: unknown): Result<unknown> | null {
    const schema = this.#properties[field];
    const inner = (value as Readonly<Record<string, unknown>>)[field];
    if (schema === undefined || typeof inner !== "object" || inner === null) return null;
    if (Array.isArray(inner)) return this.#readItem(field, schema.items, inner);
    const kinds = kindsOf(schema);
    const { kind } = inner as { readonly kind?: unknown };
    const isOfKinds = kinds.length > 0 && !kinds.includes(undefined);
    if (isOfKinds && !kinds.includes(kind)) {
      return reject("malformed", `${field}.kind`, `one of ${kinds.join(", ")}`);
    }
    const shape = isOfKinds ? schema.anyOf?.[kinds.indexOf(kind)] : schema;
    if (shape?.properties === undefined) return null;
    const read = new Input(shape as unknown as TSchema).read(inner);
    if (read.ok) return null;
    const path = read.field === null ? field : `${field}.${read.field}`;
    return reject(read.reason, path, read.detail);
  }

  /** The problem within the first wrong item of a list whose items have kinds. */
  #readItem(
    field: string,
    schema: PropertySchema | undefined,
    items: readonly unknown[],
  ): Result<unknown> | null {
    if (schema === undefined || kindsOf(schema).length === 0) return null;
    const item = validatorOf(schema as unknown as TSchema);
    const index = items.findIndex((one) => !item.Check(one));
    if (index === -1) return null;
    const name = `${field}[${index}]`;
    const alone = { type: "object", properties: { [name]: schema }, required: [name] };
    return new Input(alone as unknown as TSchema).read({ [name]: items[index] });
  }

  #expected(field: string): string {
    return this.#properties[field]?.description ?? "another value";
  }
}

/** What `kind` may be in an object of several kinds. */
function kindsOf({ anyOf = [] }: PropertySchema): readonly unknown[] {
  return anyOf.map(({ properties }) => properties?.kind?.const);
}

/** The number, or the text unchanged, which then fails the schema. */
function wholeNumber(text: unknown): unknown {
  return typeof text === "string" && /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : text;
}
