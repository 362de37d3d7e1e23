/**
 * Proves that nobody learns of or touches another's withdrawals and addresses: every call that
 * takes an id is made by a stranger, who may withdraw too, for ids that exist and for ids that do
 * not, and the two answers are the same text; lists hold one's own alone; nothing changes.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, issueKey, openAccount } from "../support/exchange-setup.ts";
import { SignedClient } from "../support/signed-client.ts";
import { WITHDRAWAL_ID_PLACES } from "./addition-requests.ts";
import { bodyOf, routeCase, targetOf } from "./route-requests.ts";

const NO_ID = 987_654_321;

async function openUser(exchange: ExchangeProcess): Promise<Account> {
  const { uid, client } = await openAccount(exchange, { USDT: "1000" });
  client.close();
  const credentials = await issueKey(exchange, uid, ["withdraw"]);
  return { uid, credentials, client: new SignedClient(exchange.port, credentials) };
}

test("a user learns nothing of another's withdrawals and addresses", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  const rules = { minAmount: "1", addressHoldMs: 0, keyHoldMs: 0 };
  await exchange.operator.call("PUT", "/operator/v1/withdrawal-rules/USDT", rules);
  const owner = await openUser(exchange);
  const stranger = await openUser(exchange);
  t.after(() => [owner, stranger].map(({ client }) => client.close()));
  const target = { asset: "USDT", network: "main", address: "a1" };
  const added = await owner.client.post("/api/v3/withdrawal/address", target);
  const { addressId } = added.body as { addressId: number };
  const asked = await owner.client.post("/api/v3/withdrawal", { addressId, amount: "10" });
  const { withdrawalId } = asked.body as { withdrawalId: number };
  const ids = { address: addressId, withdrawal: withdrawalId };
  const before = await exchange.operator.stateHash();

  for (const { route, of, request } of WITHDRAWAL_ID_PLACES) {
    await t.test(`${route}: another user's ${of} is none`, async () => {
      const answers = [ids[of], NO_ID].map((id) => {
        const entry = routeCase(route, request(id));
        const { method } = entry.route;
        return stranger.client.send({ method, path: targetOf(entry), body: bodyOf(entry) });
      });
      const [answer, nothing] = await Promise.all(answers);
      assert.deepEqual([answer?.status, answer?.text], [400, nothing?.text]);
    });
  }
  await t.test("lists hold one's own alone", async () => {
    for (const path of ["withdrawals", "withdrawal/addresses"]) {
      assert.deepEqual(await stranger.client.v3(`/api/v3/${path}`), [], path);
      assert.equal((await owner.client.v3<unknown[]>(`/api/v3/${path}`)).length, 1, path);
    }
  });
  assert.equal(await exchange.operator.stateHash(), before);
});
