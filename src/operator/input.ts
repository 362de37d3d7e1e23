/** Parses text into validated values. A refusal names the field and says what it must be. */
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { accept, type Result, reject } from "../domain/index.ts";

interface ObjectSchema {
  readonly properties: Readonly<Record<string, { type?: string; description?: string }>>;
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
    this.#compiled ??= Compile(this.#schema);
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
    if (fault.keyword === "required") {
      const [missing = ""] = fault.params.requiredProperties;
      return reject("malformed", missing, `given: ${this.#expected(missing)}`);
    }
    const field = fault.instancePath.split("/")[1];
    if (field === undefined) return reject("malformed", null, "the body must be a JSON object");
    if (!Object.hasOwn(this.#properties, field)) {
      const known = Object.keys(this.#properties).join(", ") || "none";
      return reject("malformed", field, `one of the fields of this call: ${known}`);
    }
    return reject("malformed", field, this.#expected(field));
  }

  #expected(field: string): string {
    return this.#properties[field]?.description ?? "another value";
  }
}

/** The number, or the text unchanged, which then fails the schema. */
function wholeNumber(text: unknown): unknown {
  return typeof text === "string" && /^(0|[1-9]\d{0,15})$/.test(text) ? Number(text) : text;
}
