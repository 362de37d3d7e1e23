/**
 * Requests and answers of every route, recorded by the tests from a real exchange. Only
 * `test/conformance/reference-examples.test.ts` writes the file beside this one.
 */
import type { Route } from "../route.ts";
import RECORDED from "./examples.json" with { type: "json" };

export interface RouteExample {
  readonly title: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly status: number;
  /** Parsed, unless the answer is not JSON. */
  readonly answer: unknown;
  /** Only for an answer that is not JSON. */
  readonly media?: string;
}

const BY_ROUTE = RECORDED as unknown as Readonly<Record<string, readonly RouteExample[]>>;

/** Successful ones come first. */
export function examplesOf({ id }: Pick<Route, "id">): readonly RouteExample[] {
  return BY_ROUTE[id] ?? [];
}

/** The part of the request that follows its path. */
export function queryText({ query = {} }: RouteExample): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}
