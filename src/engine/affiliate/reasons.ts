/** The check of the reason that an operator gives for changing a commission. */
import { type Rejection, reject } from "../../domain/index.ts";

const REASON_LENGTH_MAX = 500;

export function checkReason(reason: string): Rejection | null {
  if (reason.length >= 1 && reason.length <= REASON_LENGTH_MAX) return null;
  return reject("out-of-range", "reason", `from 1 to ${REASON_LENGTH_MAX} characters`);
}
