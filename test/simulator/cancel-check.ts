/** Cancels free space and lower risk: a disk that is nearly full refuses none of them. */
import { UNAVAILABLE_ERRORS } from "../../src/api/request-errors.ts";
import { hold } from "./breach.ts";
import type { Outcome } from "./simulated-exchange.ts";

const { message: NEARLY_FULL } = UNAVAILABLE_ERRORS["disk-nearly-full"];

export function checkCancel(path: string, outcome: Outcome): void {
  const isTaken = !JSON.stringify(outcome).includes(NEARLY_FULL);
  hold(isTaken, "cancels are taken on a full disk", () => `${path}: ${JSON.stringify(outcome)}`);
}
