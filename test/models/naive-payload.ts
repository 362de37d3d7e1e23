/** What two requests under one id must have in common to be the same. */
import { exact, text } from "../support/exact.ts";

const AMOUNT = /^(0|[1-9]\d{0,17})(\.\d{1,18})?$/;

/** Of all that is asked for, however its decimals are written. */
export function payloadOf(asked: object): string {
  const plain = Object.entries(asked).map(([name, value]) => {
    const isAmount = typeof value === "string" && AMOUNT.test(value);
    return [name, isAmount ? text(exact(value)) : value];
  });
  return JSON.stringify(plain);
}
