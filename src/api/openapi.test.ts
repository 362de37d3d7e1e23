/**
 * Proves that the OpenAPI document says of every route what the table says, that its references
 * resolve, that it documents every error, and that it names no host.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ERRORS } from "./errors.ts";
import { buildOpenApi } from "./openapi.ts";
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
  assert.doesNotMatch(
    JSON.stringify(document),
    /"(additionalItems|items":\[)/,
    "tuples of 2020-12",
  );
});
