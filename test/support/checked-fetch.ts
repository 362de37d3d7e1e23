/**
 * A `fetch` that checks every answer against its route: it must match the schema, without extra
 * fields, so that types made from the schemas are correct. Records which routes were answered.
 */
import assert from "node:assert/strict";
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { v2Envelope } from "../../src/api/envelope.ts";
import type { Route } from "../../src/api/route.ts";
import { pathsOf, ROUTES } from "../../src/api/routes.ts";
import { assertDocumented } from "./documented-answers.ts";

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node | readonly Node[];
  readonly anyOf?: readonly Node[];
}

/** Of these the schema says no more than that they are objects. */
const UNTOLD: readonly string[] = ["v3-affiliate-statement"];

export class CheckedFetch {
  /** Ids of routes that answered with a success. */
  readonly answered = new Set<string>();
  readonly #validators = new Map<string, Validator>();

  readonly fetch: typeof fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    const method = init?.method ?? "GET";
    const answer = await fetch(input, init);
    const text = await answer.clone().text();
    const route = ROUTES.find(
      (candidate) => candidate.method === method && pathsOf(candidate).includes(pathname),
    );
    assert.ok(route !== undefined, `${method} ${pathname} is a route`);
    this.#check(route, answer.status, text);
    return answer;
  };

  #check(route: Route, status: number, text: string): void {
    const body: unknown = text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text;
    assertDocumented({ status, headers: {}, text, body }, route.family);
    if (status !== 200) return;
    this.answered.add(route.id);
    if (UNTOLD.includes(route.id)) return;
    const schema = schemaOf(route);
    let validator = this.#validators.get(route.id);
    if (validator === undefined) {
      validator = Compile(schema);
      this.#validators.set(route.id, validator);
    }
    const faults = validator.Check(body) ? [] : [...validator.Errors(body)];
    assert.deepEqual(faults, [], `${route.id}: ${text.slice(0, 500)}`);
    assert.deepEqual(undeclared(schema as unknown as Node, body, route.id), []);
  }
}

function schemaOf({ family, envelope = "message", answer }: Route): TSchema {
  return family === "v2" ? v2Envelope(envelope, answer) : answer;
}

/** Places of fields that the schema does not know. */
function undeclared(schema: Node, value: unknown, at: string): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { anyOf, items, properties } = schema;
  if (anyOf !== undefined) {
    const found = anyOf.map((one) => undeclared(one, value, at));
    return found.toSorted((one, other) => one.length - other.length)[0] ?? [];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => {
      const node = Array.isArray(items) ? items[i] : (items as Node | undefined);
      return node === undefined ? [`${at}[${i}]`] : undeclared(node, item, `${at}[${i}]`);
    });
  }
  return Object.entries(value).flatMap(([name, field]) => {
    const node = properties?.[name];
    return node === undefined ? [`${at}.${name}`] : undeclared(node, field, `${at}.${name}`);
  });
}
