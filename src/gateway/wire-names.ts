/** Refusals of the engine, in the names of the wire. */
import type { Rejection } from "../domain/index.ts";
import type { Unavailable } from "../protocol/index.ts";

type Refused = Rejection | (Unavailable & { readonly ok: false });

/** `names`: what the engine calls a field → what the caller sent it as. Other names stay. */
export function withWireNames(refused: Refused, names: Readonly<Record<string, string>>): Refused {
  if ("unavailable" in refused || refused.field === null) return refused;
  const name = Object.hasOwn(names, refused.field) ? names[refused.field] : undefined;
  return name === undefined ? refused : { ...refused, field: name };
}
