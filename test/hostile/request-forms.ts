/** How valid requests are written down: what is sent, and who may send it. */

export interface RouteRequest {
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Whether a key that may only read is enough; null: no signature needed. */
  readonly access: "read" | "write" | null;
  /** The permission that opens it, besides `read` for reads; spot where it is not said. */
  readonly wallet?: "spot" | "contract" | "affiliate" | "withdraw" | "keys";
}

export const SYMBOL = "BTCUSDT";
export const publicRead = (query: Readonly<Record<string, string>> = {}): RouteRequest => ({
  query,
  body: null,
  access: null,
});
export const read = (query: Readonly<Record<string, string>> = {}): RouteRequest => ({
  query,
  body: null,
  access: "read",
});

/** Reads of the v2 family are posted as well. */
export const posted = (
  access: "read" | "write",
  body: Readonly<Record<string, unknown>>,
): RouteRequest => ({ query: {}, body, access });

/** A call that takes an order's id, by number and by the caller's own. */
export interface IdPlace {
  readonly route: string;
  request(orderId: number, clientOrderId: string): RouteRequest[];
}
