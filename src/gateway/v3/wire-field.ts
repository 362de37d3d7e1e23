/** Refusals of the engine, in the names of the wire. */
import type { Rejection } from "../../domain/index.ts";
import type { Unavailable } from "../../protocol/index.ts";

type Refused = Rejection | (Unavailable & { readonly ok: false });

/**
 * The engine calls a client order id `clientOrderId`; a caller knows it by the name it was sent
 * under.
 */
export function withWireField(refused: Refused, clientOrderIdName: string): Refused {
  if ("unavailable" in refused || refused.field !== "clientOrderId") return refused;
  return { ...refused, field: clientOrderIdName };
}
