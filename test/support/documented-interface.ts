/**
 * Checks every answer strictly against the OpenAPI document: an undocumented name is a failure,
 * because readers of the document would not know it.
 */
import { Compile, type Validator } from "typebox/compile";
import { buildOpenApi } from "../../src/api/openapi.ts";
import { pathsOf, ROUTES } from "../../src/api/routes.ts";

interface Seen {
  readonly method: string;
  /** With the query. */
  readonly path: string;
}

interface Answered {
  readonly status: number;
  /** None where only bodies are known, which are JSON. */
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

type Json = Readonly<Record<string, unknown>>;

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, Response | { readonly $ref: string }>>;
}

interface Response {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content: Readonly<Record<string, { readonly schema: Json }>>;
}

const DOCUMENT = buildOpenApi("0.0.0") as unknown as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>;
    readonly schemas: Readonly<Record<string, Json>>;
  };
};

/** By method and path, in every spelling that is served. */
const OPERATIONS = new Map(
  ROUTES.flatMap((route) =>
    pathsOf(route).map((path) => [
      `${route.method} ${path}`,
      DOCUMENT.paths[route.path]?.[route.method.toLowerCase()],
    ]),
  ),
);

const JSON_TYPE = "application/json";

const validators = new Map<Json, Validator>();

/** Null when the answer is what the document says, or the path is not in it; else what is wrong. */
export function undocumented({ method, path }: Seen, answer: Answered): string | null {
  const name = `${method} ${path.split("?", 1)[0]}`;
  const operation = OPERATIONS.get(name);
  if (operation === undefined) return null;
  const { responses } = operation;
  const { status, headers, body } = answer;
  const found = responses[status] ?? (status >= 400 && status < 500 ? responses["4XX"] : undefined);
  if (found === undefined) return `${name}: status ${status} is not documented`;
  const response = referenced<Response>(found, DOCUMENT.components.responses);
  for (const [header, { required = false }] of Object.entries(response.headers ?? {})) {
    const isThere = headers === undefined || header.toLowerCase() in headers;
    if (required && !isThere) return `${name}: without the header ${header}`;
  }
  const media = headers === undefined ? JSON_TYPE : mediaOf(headers);
  const content = response.content[media];
  if (content === undefined) return `${name}: ${media} is not documented`;
  if (media !== JSON_TYPE) return null;
  const problem = problemOf(referenced<Json>(content.schema, DOCUMENT.components.schemas), body);
  return problem === null ? null : `${name} ${status}: ${problem}`;
}

/** Whether it is documented that a query may have it; of others nothing is known. */
export function mayQuery({ method, path }: Seen, name: string): boolean {
  const operation = OPERATIONS.get(`${method} ${path.split("?", 1)[0]}`);
  return operation?.parameters?.some((parameter) => parameter.name === name) ?? true;
}

/** Where a value is not what a schema says, or has a name that it does not have. */
export function problemOf(schema: object, value: unknown): string | null {
  const validator = validatorOf(schema as Json);
  if (validator.Check(value)) return null;
  const [first] = validator.Errors(value);
  return `${first?.instancePath} ${first?.message}: ${JSON.stringify(value).slice(0, 500)}`;
}

function mediaOf(headers: Readonly<Record<string, unknown>>): string {
  return String(headers["content-type"]).split(";", 1)[0] ?? "";
}

/** What stands there, or what it refers to. */
function referenced<Part extends object>(
  part: Part | { readonly $ref: string },
  parts: Readonly<Record<string, Part>>,
): Part {
  if (!("$ref" in part) || typeof part.$ref !== "string") return part as Part;
  const found = parts[part.$ref.split("/").at(-1) ?? ""];
  if (found === undefined) throw new Error(`no such part: ${part.$ref}`);
  return found;
}

function validatorOf(schema: Json): Validator {
  let validator = validators.get(schema);
  if (validator === undefined) {
    validator = Compile(closed(schema) as never);
    validators.set(schema, validator);
  }
  return validator;
}

/** The same schema without names that it does not have. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== "object" || schema === null) return schema;
  const entries = Object.entries(schema).map(([name, value]) => [name, closed(value)]);
  const copy = Object.fromEntries(entries) as Json;
  const isObject = copy.type === "object" && typeof copy.properties === "object";
  return isObject && !("additionalProperties" in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}
