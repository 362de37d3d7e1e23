/** What a request of a route is made of, and short ways to write one. */

export interface RouteRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Whether a key that may only read is enough; null: no signature needed. */
  readonly access: "read" | "write" | null;
  /** The permission that opens it, besides `read` for reads; spot where it is not said. */
  readonly wallet?: "spot" | "contract" | "affiliate";
}

export function publicRead(query: Readonly<Record<string, string>> = {}): RouteRequest {
  return { query, body: null, access: null };
}

export function read(query: Readonly<Record<string, string>> = {}): RouteRequest {
  return { query, body: null, access: "read" };
}
