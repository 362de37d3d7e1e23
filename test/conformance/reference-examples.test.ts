/**
 * Proves that the examples of the reference are what the exchange really answers: a session is
 * played to a process whose clock stands still, and every request and answer of it is compared with
 * the file that the reference is made from. Every route has examples, of refusals too where there
 * is something to get wrong; all of them are as their schemas say; and what the schemas call a
 * default is what an absent parameter counts as, as far as the session's few rows can tell.
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Compile } from "typebox/schema";
import { buildOpenApi } from "../../src/api/openapi.ts";
import { queryText, type RouteExample } from "../../src/api/reference/examples.ts";
import type { Route } from "../../src/api/route.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { InputShape } from "../../src/gateway/http/input-shape.ts";
import { parseQueryString } from "../../src/gateway/http/query-string.ts";
import { Recorder } from "./reference/recorder.ts";
import { playSession } from "./reference/session.ts";

const FILE = join(import.meta.dirname, "../../src/api/reference/examples.json");
const WRITE = "RIALTO_WRITE_EXAMPLES=1 npm test -- test/conformance/reference-examples.test.ts";
const WAY =
  'Show it in a session of test/conformance/reference (recorder.shows("<id>", "<title>", …) and ' +
  `recorder.refuses(…)), then run ${WRITE}`;

let recorder: Recorder;

function examplesOf({ id }: Route): readonly RouteExample[] {
  return recorder.examples.get(id) ?? [];
}

before(async () => {
  recorder = await Recorder.start();
  await playSession(recorder);
});

after(() => recorder.stop());

test("the file has what the exchange answers", (context) => {
  const recorded = ROUTES.map((route) => [route.id, examplesOf(route)]);
  const text = `${JSON.stringify(Object.fromEntries(recorded), null, 2)}\n`;
  if (process.env.RIALTO_WRITE_EXAMPLES === "1") {
    writeFileSync(FILE, text);
    context.diagnostic(`written: ${FILE}`);
    return;
  }
  const committed = JSON.parse(readFileSync(FILE, "utf8")) as Record<string, unknown>;
  const gone = Object.keys(committed).filter((id) => !ROUTES.some((route) => route.id === id));
  assert.deepEqual(gone, [], `routes that are gone; run ${WRITE}`);
  for (const route of ROUTES) {
    const known = committed[route.id] ?? [];
    const what = `the answers of ${route.id} have changed; if that is meant, run ${WRITE}`;
    assert.deepEqual(known, examplesOf(route), what);
  }
  assert.equal(readFileSync(FILE, "utf8"), text, `another order or form; run ${WRITE}`);
});

test("every route has an example, and a refusal where there is something to get wrong", () => {
  for (const route of ROUTES) {
    const name = `${route.id} (${route.method} ${route.path})`;
    const examples = examplesOf(route);
    const succeeded = examples.filter(({ status }) => status === 200);
    assert.ok(succeeded.length > 0, `${name} has no example. ${WAY}`);
    const canFail = route.access !== null || route.query !== undefined;
    const refused = examples.length - succeeded.length;
    assert.ok(!canFail || refused > 0, `${name} has no example of a refusal. ${WAY}`);
    const titles = examples.map(({ title }) => title);
    assert.equal(new Set(titles).size, titles.length, `${name} has two examples of one title`);
  }
});

interface Operation {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content: Content }>>;
}
type Content = Readonly<Record<string, { readonly schema: object }>>;

const JSON_MEDIA = "application/json";
const document = buildOpenApi("1.2.3");

/** The schema with what it refers to, so that it can be compiled by itself. */
function compiled(content: Content, media = JSON_MEDIA) {
  const schema = { ...content[media]?.schema, components: document.components };
  return Compile(schema);
}

test("examples are as the schemas of the document say", () => {
  for (const route of ROUTES) {
    const methods = document.paths[route.path] ?? {};
    const operation = methods[route.method.toLowerCase()] as unknown as Operation;
    for (const example of examplesOf(route)) {
      const name = `${route.id}: ${example.title}`;
      assertAnswer(operation, example, name);
      if (example.status === 200) assertRequest(route, operation, example, name);
    }
  }
});

function assertAnswer({ responses }: Operation, example: RouteExample, name: string): void {
  const { status, answer, media } = example;
  const response = responses[status === 200 ? "200" : "4XX"];
  assert.ok(response !== undefined, name);
  const [valid, errors] = compiled(response.content, media).Errors(answer);
  assert.ok(valid, `${name}: ${JSON.stringify(errors.slice(0, 3))}`);
}

function assertRequest(
  route: Route,
  { requestBody }: Operation,
  example: RouteExample,
  name: string,
): void {
  if (requestBody !== undefined) {
    const [valid, errors] = compiled(requestBody.content).Errors(example.body);
    assert.ok(valid, `${name}: ${JSON.stringify(errors.slice(0, 3))}`);
  }
  const query = parseQueryString(route.path + queryText(example));
  assert.ok(query.ok, name);
  assert.ok(new InputShape(route.query).readQuery(query.value).ok, name);
}

test("a default is what an absent parameter counts as", async () => {
  let compared = 0;
  for (const route of ROUTES) {
    const isRead = route.access === null || route.access.anyOf.includes("read");
    if (!isRead) continue;
    const { properties = {} } = (route.query ?? route.body ?? {}) as {
      readonly properties?: Readonly<Record<string, { readonly default?: unknown }>>;
    };
    const [example] = examplesOf(route);
    for (const [name, { default: standard }] of Object.entries(properties)) {
      const isSent = name in (example?.query ?? example?.body ?? {});
      if (standard === undefined || isSent) continue;
      const plain = await recorder.again(route.id, {});
      assert.equal(await recorder.again(route.id, { [name]: standard }), plain, route.id + name);
      compared++;
    }
  }
  assert.ok(compared > 10, String(compared));
});
