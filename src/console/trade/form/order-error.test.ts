/** Proves that a refusal lands at the field that it is about and says what to do. */
import assert from "node:assert/strict";
import test from "node:test";
import { NetworkError, RialtoError } from "../../../client/index.ts";
import { toOrderError } from "./order-error.ts";

function refused(message: string, facts: Partial<RialtoError> = {}): RialtoError {
  return new RialtoError(message, {
    code: -2201,
    family: "v3",
    status: 400,
    field: null,
    retryAfterMs: null,
    attempts: 1,
    ...facts,
  });
}

test("a refusal stands at its field, with numbers to read and advice", () => {
  const message = "Balance amount not enough: quantity (needs 4000000.5 USDT, has 100000)";
  assert.deepEqual(toOrderError(refused(message, { field: "quantity" })), {
    field: "quantity",
    text:
      "Balance amount not enough: needs 4,000,000.5 USDT, has 100,000 (-2201). " +
      "Lower the quantity or cancel open orders to free up funds.",
  });
  const trigger = "Trigger is on the wrong side of the price: slTriggerPrice (below the price)";
  const { field } = toOrderError(refused(trigger, { field: "slTriggerPrice", code: -3207 }));
  assert.equal(field, "stopLoss");
});

test("one of no field of the form keeps its words", () => {
  const { field, text } = toOrderError(refused("The user is frozen", { code: -1057 }));
  assert.equal(field, null);
  assert.equal(text, "The user is frozen (-1057).");
});

test("too many requests say when, and a lost answer says to look first", () => {
  const limited = refused("Too many requests", { status: 429, retryAfterMs: 2_300 });
  assert.match(toOrderError(limited).text, /again in 3 s/);
  const lost = new NetworkError("POST /order: no answer", { status: null, attempts: 1 });
  assert.match(toOrderError(lost).text, /Check your orders and positions/);
  assert.equal(toOrderError(new Error("it is gone already")).text, "it is gone already");
});
