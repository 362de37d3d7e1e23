/** Puts refusals of the engine in the names of the wire. */
import type { Refusal } from "../api/errors.ts";
import type { Unavailable } from "../protocol/index.ts";

/** `names`: engine field → parameter as the caller sent it. Other names stay. */
export function withWireNames<Refused extends Refusal | (Unavailable & { readonly ok: false })>(
  refused: Refused,
  names: Readonly<Record<string, string>>,
): Refused {
  if ("unavailable" in refused || refused.field === null) return refused;
  const name = Object.hasOwn(names, refused.field) ? names[refused.field] : undefined;
  return name === undefined ? refused : { ...refused, field: name };
}
