/** Ids of positions in bodies: numbers, or their digits as text. */
import { type Refusal, refuse } from "../../api/errors.ts";
import { type Accepted, accept } from "../../domain/index.ts";

/** One beyond 2^53 was never issued here: like a stranger's, it names no position. */
export function readPositionId<Name extends string>(
  body: { readonly [Field in Name]?: number | string },
  name: Name,
): Accepted<number> | Refusal {
  const positionId = Number(body[name]);
  return Number.isSafeInteger(positionId)
    ? accept(positionId)
    : refuse("failed-precondition", name);
}
