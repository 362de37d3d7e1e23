/**
 * Proves that no affiliate learns anything of another's commissions, withdrawals, traders or
 * sub-affiliates: every call that takes an id is asked by a stranger, who is an affiliate too, for
 * ids that exist and for ids that do not, and the two answers are the same text. The owner's
 * answers differ, so that the ids are real.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  makeAffiliate,
  openAffiliate,
  openInvitee,
  V2_AFFILIATE,
} from "../support/affiliate-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import type { HttpAnswer } from "../support/http-exchange.ts";
import { AFFILIATE_ID_PLACES } from "./affiliate-requests.ts";
import type { RouteRequest } from "./request-forms.ts";
import { bodyOf, routeCase, targetOf } from "./route-requests.ts";

const NO_ID = 987_654_321;
const SETTLED_MS = 3_600_000;

interface Owner {
  readonly account: Account;
  readonly ids: Readonly<Record<(typeof AFFILIATE_ID_PLACES)[number]["of"], number>>;
}

/** An affiliate with a sub-affiliate, whose invitee trades, and with a withdrawal. */
async function openOwner(exchange: ExchangeProcess): Promise<Owner> {
  const account = await openAffiliate(exchange);
  const sub = await openInvitee(exchange, account.uid);
  await makeAffiliate(exchange, sub.uid, { spotRate: "0.1", futuresRate: "0.1" }, account.uid);
  const trader = await openInvitee(exchange, sub.uid, { spot: { USDT: "1000" } });
  const invitee = await openInvitee(exchange, account.uid, { spot: { USDT: "1000" } });
  const seller = await openAccount(exchange, { BTC: "1" });
  const order = { symbol: "BTCUSDT", orderType: "limit", force: "normal", price: "50000" };
  for (const buyer of [trader, invitee]) {
    const clientOrderId = `own-${buyer.uid}`;
    const quantity = "0.01";
    await seller.client.placed({ ...order, side: "sell", quantity, clientOrderId });
    await buyer.client.placed({ ...order, side: "buy", quantity, clientOrderId });
  }
  await exchange.operator.advanceClock(SETTLED_MS);
  const payment = { toUserId: sub.uid, coin: "BTC", amount: "0.000001" };
  const paid = await account.client.post(`${V2_AFFILIATE}/internalWithdrawal`, payment);
  assert.equal(paid.status, 200, paid.text);
  const listed = await account.client.get(`${V2_AFFILIATE}/getAffiliateCommission`);
  const { data } = listed.body as {
    data: { channelCommissionInfoItems: { commissionId: string }[] };
  };
  const [newest] = data.channelCommissionInfoItems;
  for (const { client } of [sub, trader, invitee, seller]) client.close();
  const ids = {
    commission: Number(newest?.commissionId),
    withdrawal: Number((paid.body as { id: string }).id),
    trader: invitee.uid,
    "sub-affiliate": sub.uid,
  };
  return { account, ids };
}

async function ask(account: Account, route: string, request: RouteRequest): Promise<HttpAnswer> {
  const entry = routeCase(route, request);
  const { method } = entry.route;
  return account.client.send({ method, path: targetOf(entry), body: bodyOf(entry) });
}

/** Without the time of the answer. */
function timeless(answer: HttpAnswer): string {
  return `${answer.status} ${answer.text.replace(/"(requestTime|timestamp)":\d+/g, '"$1":0')}`;
}

test("an affiliate learns nothing of another's", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const { account: owner, ids } = await openOwner(exchange);
  const stranger = await openAffiliate(exchange);
  const before = await exchange.operator.stateHash();
  for (const { route, of, request } of AFFILIATE_ID_PLACES) {
    await t.test(`${route}: another affiliate's ${of} is none`, async () => {
      const none = timeless(await ask(stranger, route, request(NO_ID)));
      assert.equal(timeless(await ask(stranger, route, request(ids[of]))), none);
      const own = await ask(owner, route, request(ids[of]));
      assert.equal(own.status, 200, own.text);
      assert.notEqual(timeless(own), none, "the owner sees it");
    });
  }
  assert.equal(await exchange.operator.stateHash(), before);
  owner.client.close();
  stranger.client.close();
});
