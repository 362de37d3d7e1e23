/** Proves that buttons are shown to the roles that the operator API lets make the call. */
import assert from "node:assert/strict";
import test from "node:test";
import { OPERATOR_CALLS } from "../../../api/operator/calls.ts";
import { OPERATOR_ROLES, type OperatorRole } from "../../../domain/index.ts";
import { mayCall, ROLES_OF_CALLS } from "./may-call.ts";

test("roles are those of the API", () => {
  for (const call of Object.keys(ROLES_OF_CALLS) as (keyof typeof ROLES_OF_CALLS)[]) {
    const roles: readonly OperatorRole[] = OPERATOR_CALLS[call].roles;
    for (const role of OPERATOR_ROLES) {
      const expected = role === "administrator" || roles.includes(role);
      assert.equal(mayCall(role, call), expected, `${call} as ${role}`);
    }
  }
});
