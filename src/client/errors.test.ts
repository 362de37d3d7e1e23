/**
 * Proves that the field is found in every error message that the registry of errors can make, and
 * that messages without a field have none.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ERRORS, errorMessage, type RefusalReason, refuse } from "../api/errors.ts";
import { fieldIn } from "./errors.ts";

test("the field of every message of the registry", () => {
  for (const reason of Object.keys(ERRORS) as RefusalReason[]) {
    assert.equal(fieldIn(errorMessage(refuse(reason))), null, reason);
    for (const field of ["price", "orderList[3].price", "newClientOrderId"]) {
      assert.equal(fieldIn(errorMessage(refuse(reason, field))), field, reason);
      const detailed = errorMessage(refuse(reason, field, "a multiple of 0.01 (say): 5"));
      assert.equal(fieldIn(detailed), field, reason);
    }
    const unnamed = errorMessage(refuse(reason, null, "needs read or spot"));
    assert.equal(fieldIn(unnamed), null, reason);
  }
});
