/**
 * Where streams are reached, and what a private handshake signs. The words of the messages stand in
 * `streams/`.
 */
import type { Product } from "../domain/index.ts";
import type { Access, Family } from "./route.ts";

export interface StreamPath {
  readonly path: string;
  readonly product: Product;
  /** Null for market data, which needs no key. */
  readonly access: Access;
  /** In whose form a refused handshake is answered. */
  readonly family: Family;
}

const STREAM_PATHS: readonly StreamPath[] = [
  { path: "/v3/ws/public", product: "spot", access: null, family: "v3" },
  { path: "/v3/ws/private", product: "spot", access: { anyOf: ["read", "spot"] }, family: "v3" },
  { path: "/contract/v3/ws/public", product: "contract", access: null, family: "capi" },
  {
    path: "/contract/v3/ws/private",
    product: "contract",
    access: { anyOf: ["read", "contract"] },
    family: "capi",
  },
];

/**
 * Behind the timestamp, the whole of what a private handshake signs: clients sign this text
 * wherever they were pointed at.
 */
export const STREAM_SIGNED_PATH = "/v3/ws/private";

/** The stream that a request target names; null for none. */
export function streamPathOf(target: string): StreamPath | null {
  const path = target.split("?", 1)[0];
  return STREAM_PATHS.find((stream) => stream.path === path) ?? null;
}
