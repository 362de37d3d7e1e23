/** Proves that refusal messages name what is wrong and what the operator can send. */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { OperatorFixture } from "../../test/support/operator-fixture.ts";

let operator: OperatorFixture;
before(async () => {
  operator = new OperatorFixture();
  await operator.call("POST", "/operator/v1/users", { uid: 7777 });
});
after(() => operator.close());

test("a message says what is wrong and what is expected", async () => {
  const asset = { coinId: 1, name: "Tether", scale: 6 };
  await operator.call("PUT", "/operator/v1/assets/USDT", asset);
  const deposit = { id: "1", account: "spot", asset: "USDT", amount: "0" };
  const cases: readonly (readonly [string, string, object, string])[] = [
    ["POST", "users", { uid: 7777 }, "Conflict: uid 7777 already exists"],
    ["PUT", "assets/BTC", asset, "Conflict: coinId 1 belongs to another asset"],
    ["POST", "users/7/deposits", deposit, "Unknown user"],
    ["POST", "users/7777/deposits", deposit, "Value out of range: amount must be more than 0"],
    ["PATCH", "users/7777", { kyc: 1 }, "Invalid request: kyc must be true or false"],
    [
      "PATCH",
      "users/7777",
      {},
      "Invalid request: give at least one of kyc, state, house, selfTradePrevention",
    ],
  ];
  for (const [method, path, body, message] of cases) {
    const answer = await operator.send(method, `/operator/v1/${path}`, JSON.stringify(body));
    const { error } = answer.body as { readonly error: { readonly message: string } };
    assert.equal(error.message, message);
  }
});
