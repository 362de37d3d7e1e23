/**
 * Paths of the streams, and what a private handshake signs. The messages are defined in `streams/`.
 */
import type { Product } from "../domain/index.ts";
import type { Access, Family } from "./calls.ts";

/** Versions of the streams, each with its own message format for the same channels. */
export type StreamDialect = "v2" | "v3";

export interface StreamPath {
  readonly path: string;
  readonly dialect: StreamDialect;
  readonly product: Product;
  /** Null for market data, which needs no key. */
  readonly access: Access;
  /** The format of the response to a rejected handshake. */
  readonly family: Family;
}

interface Place {
  readonly product: Product;
  /** Comes before the path: the API has a host for each product. */
  readonly prefix: string;
}

const PLACES: readonly Place[] = [
  { product: "spot", prefix: "" },
  { product: "contract", prefix: "/contract" },
];

function pathsIn(
  { product, prefix }: Place,
  dialect: StreamDialect,
  family: Family,
): readonly StreamPath[] {
  const common = { dialect, product, family };
  const access: Access = { anyOf: ["read", product] };
  return [
    { ...common, path: `${prefix}/${dialect}/ws/public`, access: null },
    { ...common, path: `${prefix}/${dialect}/ws/private`, access },
  ];
}

const STREAM_PATHS: readonly StreamPath[] = PLACES.flatMap((place) => [
  ...pathsIn(place, "v3", place.product === "spot" ? "v3" : "capi"),
  ...pathsIn(place, "v2", "v2"),
]);

/**
 * Follows the timestamp in the text that a private handshake signs, whatever path clients connect
 * to.
 */
export const STREAM_SIGNED_PATHS: Readonly<Record<StreamDialect, string>> = {
  v2: "/v2/ws/private",
  v3: "/v3/ws/private",
};

/** The stream of a request target; null for none. */
export function streamPathOf(target: string): StreamPath | null {
  const path = target.split("?", 1)[0];
  return STREAM_PATHS.find((stream) => stream.path === path) ?? null;
}
