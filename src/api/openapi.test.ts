/**
 * Proves that the OpenAPI document agrees with the table for every route, that its references
 * resolve, that it documents every error, and that it names no host.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ERRORS } from "./errors.ts";
import { buildOpenApi } from "./openapi.ts";
import { TAGS } from "./reference/tags.ts";
import { pathsOf, ROUTES } from "./routes.ts";

type Node = Readonly<Record<string, never>>;

const document = buildOpenApi("1.2.3") as unknown as {
  readonly openapi: string;
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Node>>>>;
  readonly components: Readonly<Record<string, Node>>;
};

function operationOf(path: string, method: string) {
  const operation = document.paths[path]?.[method.toLowerCase()];
  assert.ok(operation !== undefined, `${method} ${path}`);
  return operation as unknown as {
    readonly operationId: string;
    readonly parameters: readonly { readonly name: string; readonly required: boolean }[];
    readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> };
    readonly security: readonly object[];
    readonly responses: Readonly<Record<string, object>>;
    readonly "x-weight-ip"?: number;
    readonly "x-weight-uid"?: number;
    readonly "x-rate-limit-per-second"?: number;
  };
}

test("every route is described with its parameters, limit and security", () => {
  const described = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
  assert.equal(described.length, ROUTES.length);
  for (const route of ROUTES) {
    const operation = operationOf(route.path, route.method);
    assert.equal(operation.operationId, route.id);
    const properties = (route.query as { properties?: object } | undefined)?.properties ?? {};
    const names = operation.parameters.map(({ name }) => name);
    assert.deepEqual(names, Object.keys(properties));
    assert.equal(operation.requestBody !== undefined, route.body !== undefined);
    assert.equal(operation.security.length, route.access === null ? 0 : 1);
    if (route.limit.kind === "rate") {
      assert.equal(operation["x-rate-limit-per-second"], route.limit.perSecond);
    } else {
      assert.equal(operation["x-weight-ip"], route.limit.ip);
      assert.equal(operation["x-weight-uid"], route.limit.uid);
    }
    assert.deepEqual(Object.keys(operation.responses), ["200", "503", "4XX"]);
  }
});

test("every tag says what its calls have in common", () => {
  for (const { name, description } of TAGS) {
    assert.notEqual(description, "", `describe "${name}" in src/api/reference/tags.ts`);
  }
});

test("every reference resolves", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)];
  assert.ok(references.length > 0);
  for (const [, pointer = ""] of references) {
    const found = pointer
      .split("/")
      .reduce<unknown>((node, name) => (node as Node | undefined)?.[name], document);
    assert.ok(found !== undefined, pointer);
  }
});

test("every error code and message stands in the table", () => {
  const { description } = document.info;
  for (const { v2, v3, capi, message } of Object.values(ERRORS)) {
    assert.ok(description.includes(`| ${v2.code} | ${v2.status} | ${message} |`), message);
    assert.ok(description.includes(`| ${v3.code} | ${v3.status} | ${message} |`), message);
    assert.ok(description.includes(`| ${capi.code} | ${capi.status} | ${message} |`), message);
  }
});

test("ids and paths are unique, and the document names no host", () => {
  assert.equal(new Set(ROUTES.map(({ id }) => id)).size, ROUTES.length);
  const spellings = ROUTES.flatMap((route) =>
    pathsOf(route).map((path) => `${route.method} ${path}`),
  );
  assert.equal(new Set(spellings).size, spellings.length);
  assert.equal(document.openapi, "3.1.0");
  assert.doesNotMatch(JSON.stringify(document), /https?:\/\//);
  const schemas = JSON.stringify(document, (name, part) => (name === "examples" ? null : part));
  assert.doesNotMatch(schemas, /"(additionalItems|items":\[)/, "tuples of 2020-12");
  assert.doesNotMatch(schemas, /"x-(refusal|items|max-items)"/, "words of our own");
});

interface DocumentedSchema {
  readonly type?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, DocumentedSchema>>;
  readonly items?: DocumentedSchema;
  readonly prefixItems?: readonly DocumentedSchema[];
  readonly anyOf?: readonly DocumentedSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
}

/** Whether the schema bounds everything that a caller can send. */
function isBounded(schema: DocumentedSchema): boolean {
  if (schema.enum !== undefined || schema.const !== undefined) return true;
  if (schema.anyOf !== undefined) return schema.anyOf.every(isBounded);
  switch (schema.type) {
    case "string":
      return schema.pattern !== undefined || schema.maxLength !== undefined;
    case "integer":
      return schema.minimum !== undefined && schema.maximum !== undefined;
    case "array":
      return schema.maxItems !== undefined && isBounded(schema.items ?? {});
    case "object":
      return Object.values(schema.properties ?? {}).every(isBounded);
    default:
      return schema.type === "boolean";
  }
}

/** Every property below a schema, by its path. */
function* propertiesOf(
  schema: DocumentedSchema,
  path: string,
): Generator<readonly [path: string, schema: DocumentedSchema]> {
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield [`${path}.${name}`, property];
    yield* propertiesOf(property, `${path}.${name}`);
  }
  for (const part of [schema.items ?? [], schema.anyOf ?? [], schema.prefixItems ?? []].flat()) {
    yield* propertiesOf(part, path);
  }
}

test("every call, parameter and field says what it is, and what is sent has bounds", () => {
  const schemaOf = (content: unknown) =>
    (content as { readonly content: Readonly<Record<string, { schema: DocumentedSchema }>> })
      .content["application/json"]?.schema ?? {};
  const lacks: string[] = [];
  for (const route of ROUTES) {
    if (route.summary === "" || (route.description ?? "") === "") lacks.push(`${route.id}: text`);
    const { parameters, requestBody, responses } = operationOf(route.path, route.method);
    const query = parameters as unknown as readonly { name: string; schema: DocumentedSchema }[];
    const inputs = [
      ...query.map(({ name, schema }) => [`${route.id}?${name}`, schema] as const),
      ...propertiesOf(requestBody === undefined ? {} : schemaOf(requestBody), `${route.id} body`),
    ];
    for (const [path, schema] of inputs) {
      if (!isBounded(schema)) lacks.push(`${path}: bounds`);
    }
    for (const [path, schema] of [...inputs, ...propertiesOf(schemaOf(responses[200]), route.id)]) {
      const isEnvelope = /\.(code|msg|data)$/.test(path);
      if (schema.description === undefined && !isEnvelope) lacks.push(`${path}: description`);
    }
  }
  assert.deepEqual(lacks, []);
});
