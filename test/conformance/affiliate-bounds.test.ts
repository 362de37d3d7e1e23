/**
 * Proves which affiliate calls are rejected and which accepted, with the documented code and the
 * field by name, in both versions on the real process; and that pages of a past range neither skip
 * nor repeat a row while new fills arrive.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { openInvitee, V2_AFFILIATE, V3_AFFILIATE } from "../support/affiliate-setup.ts";
import { type Account, issueKey, openAccount } from "../support/exchange-setup.ts";
import type { Query } from "../support/signed-client.ts";
import { SignedClient } from "../support/signed-client.ts";
import { assertRefused } from "../support/v2-answers.ts";
import { assertShape } from "../support/wire-shape.ts";
import { type CommissionRow, commissionPage, commissions } from "./affiliate-calls.ts";
import { closeTree, DAY_MS, openTree, type Tree, tradeAll, tradeSpot } from "./affiliate-tree.ts";

type Case = readonly [call: string, query: Query, v2: string, v3: number, field: string];

async function exchangeTimeMs({ top }: Tree): Promise<number> {
  const path = "/api/v3/time";
  const answer = await top.client.raw({ method: "GET", path });
  return (answer.body as { serverTime: number }).serverTime;
}

/** The v2 refusal, whole, and its v3 twin; both name the field. */
async function assertBothRefuse(
  { client }: Account,
  [call, query, v2, v3, field]: Case,
): Promise<void> {
  const answer = await client.get(`${V2_AFFILIATE}/${call}`, query);
  assertRefused(answer, v2);
  const twin = await client.get(`${V3_AFFILIATE}/${call}`, query);
  assertShape(twin.body, { code: "integer", msg: "string" });
  assert.equal((twin.body as { code: number }).code, v3, twin.text);
  assert.equal(twin.status, v3 === -1052 ? 403 : 400);
  for (const { body } of [answer, twin]) {
    assert.match((body as { msg: string }).msg, new RegExp(`: ${field}( \\(|$)`), answer.text);
  }
}

async function refusalTests(t: TestContext, tree: Tree): Promise<void> {
  const now = await exchangeTimeMs(tree);
  const long = { startTime: now - 91 * DAY_MS, endTime: now };
  const reports = ["getAffiliateCommission", "getChannelUserTradeAndAsset", "getAffiliateUIDs"];
  const paged: readonly Case[] = reports.flatMap((call): Case[] => [
    [call, { page: 0 }, "40020", -1140, "page"],
    [call, { pageSize: 0 }, "40020", -1140, "pageSize"],
    [call, { pageSize: 201 }, "40020", -1140, "pageSize"],
    [call, { page: "one" }, "40020", -1140, "page"],
    [call, { startTime: "yesterday" }, "40020", -1140, "startTime"],
    [call, { startTime: now, endTime: now - 1 }, "40017", -1171, "startTime"],
    [call, { uid: "-5" }, "40020", -1142, "uid"],
  ]);
  const cases: readonly Case[] = [
    ...paged,
    ["getAffiliateCommission", long, "40017", -1170, "endTime"],
    ["getChannelUserTradeAndAsset", long, "40017", -1170, "endTime"],
    ["getAffiliateCommission", { startTime: 0 }, "40017", -1170, "startTime"],
    ["getChannelUserTradeAndAsset", { startTime: 0 }, "40017", -1170, "startTime"],
    ["getAffiliateCommission", { productType: "spot" }, "40020", -1142, "productType"],
    ["getAffiliateCommission", { productType: "SWAP" }, "40020", -1142, "productType"],
    ["getAffiliateCommission", { coin: "NOPE" }, "40034", -1142, "coin"],
    ["getInternalWithdrawalStatus", { pageSize: 201 }, "40020", -1140, "pageSize"],
    ["getInternalWithdrawalStatus", { toAccountType: "FUND" }, "40020", -1142, "toAccountType"],
    ["getInternalWithdrawalStatus", { startTime: now - 32 * DAY_MS }, "40017", -1170, "startTime"],
    ["explainCommission", {}, "40019", -1141, "commissionId"],
    ["explainCommission", { commissionId: "999999" }, "40034", -1142, "commissionId"],
    ["statement", { from: "2026-01-01" }, "40019", -1141, "to"],
    ["statement", { from: "2026-02-30", to: "2026-03-01" }, "40020", -1142, "from"],
    ["statement", { from: "2026-01-02", to: "2026-01-01" }, "40017", -1171, "from"],
    ["statement", { from: "2026-01-01", to: "2999-01-01" }, "40020", -1140, "to"],
    ["commissionDays", { from: "2026-02-30" }, "40020", -1142, "from"],
    ["commissionDays", { from: "2026-01-02", to: "2026-01-01" }, "40017", -1171, "from"],
    ["commissionDays", { from: "2026-01-01", to: "2026-04-03" }, "40017", -1170, "to"],
    ["statementHeads", { limit: 0 }, "40020", -1140, "limit"],
  ];
  await t.test(`${cases.length} refusals, each in both versions`, async () => {
    for (const one of cases) await assertBothRefuse(tree.top, one);
  });

  await t.test("querySubChannelTransactions: the same by body", async () => {
    const path = `${V2_AFFILIATE}/querySubChannelTransactions`;
    for (const [body, code] of [
      [{}, "40019"],
      [{ productType: null }, "40019"],
      [{ productType: "futures" }, "40020"],
      [{ productType: "SPOT", pageNum: 0 }, "40020"],
      [{ productType: "SPOT", pageSize: 201 }, "40020"],
      [{ productType: "SPOT", startTime: "yesterday" }, "40020"],
      [{ productType: "SPOT", startTime: "0" }, "40017"],
      [{ productType: "SPOT", startTime: now, endTime: now - 1 }, "40017"],
      [{ productType: "SPOT", ...long }, "40017"],
    ] as const) {
      assertRefused(await tree.top.client.post(path, body), code);
    }
  });
}

async function callerTests(t: TestContext, tree: Tree): Promise<void> {
  const { exchange, alice, top } = tree;
  await t.test("not an affiliate: 40014 and -1052, after the form was looked at", async () => {
    const credentials = await issueKey(exchange, alice.uid, ["affiliate"]);
    const client = new SignedClient(exchange.port, credentials);
    for (const call of [
      "getAffiliateCommission",
      "getChannelUserTradeAndAsset",
      "getAffiliateUIDs",
      "getInternalWithdrawalStatus",
      "statementHeads",
      "profile",
      "commissionDays",
    ]) {
      assertRefused(await client.get(`${V2_AFFILIATE}/${call}`), "40014");
      const twin = await client.get(`${V3_AFFILIATE}/${call}`);
      assert.deepEqual([twin.status, (twin.body as { code: number }).code], [403, -1052]);
    }
    const payment = { toUserId: top.uid, coin: "USDT", amount: "1" };
    for (const [call, body] of [
      ["querySubChannelTransactions", { productType: "SPOT" }],
      ["internalWithdrawal", payment],
    ] as const) {
      assertRefused(await client.post(`${V2_AFFILIATE}/${call}`, body), "40014");
    }
    assertRefused(await client.get(`${V2_AFFILIATE}/getAffiliateUIDs`, { page: 0 }), "40020");
    client.close();
  });

  await t.test("a uid that is not one's own: an empty page", async () => {
    const stranger = await openAccount(exchange);
    for (const uid of [stranger.uid, top.uid, 999_999, "9223372036854775807"]) {
      for (const [call, list] of [
        ["getAffiliateCommission", "channelCommissionInfoItems"],
        ["getChannelUserTradeAndAsset", "records"],
        ["getAffiliateUIDs", "channelUserInfoItemList"],
      ] as const) {
        const page = await top.client.v3<Record<string, unknown>>(`${V3_AFFILIATE}/${call}`, {
          uid,
        });
        assert.deepEqual([page.total, page.pages, page[list]], [0, 0, []], `${call} ${uid}`);
      }
      const path = `${V3_AFFILIATE}/querySubChannelTransactions`;
      const body = { productType: "SPOT", subUid: uid };
      const answer = await top.client.post(path, body);
      assert.deepEqual((answer.body as { records: unknown[] }).records, [], answer.text);
    }
    stranger.client.close();
  });
}

async function rangeTests(t: TestContext, tree: Tree): Promise<void> {
  const { top } = tree;
  await t.test("both ends of a range are inside, and one end alone is enough", async () => {
    const all = await commissions(top);
    const oldest = all.at(-1)?.date as number;
    const newest = all[0]?.date as number;
    assert.ok(oldest < newest);
    assert.deepEqual(await commissions(top, { startTime: oldest, endTime: newest }), all);
    const inner = all.filter(({ date }) => date > oldest && date < newest);
    const range = { startTime: oldest + 1, endTime: newest - 1 };
    assert.deepEqual(await commissions(top, range), inner);
    assert.deepEqual(await commissions(top, { startTime: oldest }), all);
    assert.deepEqual(await commissions(top, { endTime: newest }), all);
    const first = all.filter(({ date }) => date === oldest);
    assert.deepEqual(await commissions(top, { startTime: oldest, endTime: oldest }), first);
    // A start alone lasts until now; one that lies ahead is empty.
    assert.deepEqual(await commissions(top, { startTime: newest + DAY_MS }), []);
    const exactly = { startTime: newest - 90 * DAY_MS, endTime: newest };
    assert.deepEqual(await commissions(top, exactly), all);
  });

  await t.test("pages: the last is short, behind it there is nothing", async () => {
    const all = await commissions(top);
    for (const pageSize of [1, 2, all.length - 1, all.length]) {
      const pages = Math.ceil(all.length / pageSize);
      const read: CommissionRow[] = [];
      for (let page = 1; page <= pages; page++) {
        const answer = await commissionPage(top, { page, pageSize });
        assert.deepEqual(
          [answer.pages, answer.total, answer.pageSize],
          [pages, all.length, pageSize],
        );
        read.push(...answer.channelCommissionInfoItems);
      }
      assert.deepEqual(read, all);
      const beyond = await commissionPage(top, { page: pages + 1, pageSize });
      assert.deepEqual(beyond.channelCommissionInfoItems, []);
      assert.equal(beyond.total, all.length);
    }
    const far = await commissionPage(top, { page: 1_000_000_000, pageSize: 200 });
    assert.deepEqual(far.channelCommissionInfoItems, []);
  });
}

async function stabilityTests(t: TestContext, tree: Tree): Promise<void> {
  const { exchange, top, mid, outsider } = tree;
  await t.test("pages of a range that has ended stay while fills arrive", async () => {
    const all = await commissions(top);
    const [startTime, endTime] = [all.at(-1)?.date as number, all[0]?.date as number];
    const trader = await openInvitee(exchange, mid.uid, { spot: { USDT: "10000" } });
    const pageSize = 2;
    const read: CommissionRow[] = [];
    for (let page = 1; page <= Math.ceil(all.length / pageSize); page++) {
      const answer = await commissionPage(top, { startTime, endTime, page, pageSize });
      assert.equal(answer.total, all.length);
      read.push(...answer.channelCommissionInfoItems);
      await tradeSpot(tree, trader, outsider, "0.001", "50000");
    }
    assert.deepEqual(read, all);
    assert.ok((await commissions(top)).length > all.length, "fills did arrive");
    trader.client.close();
  });
}

test("bounds of the affiliate calls", async (t) => {
  const tree = await openTree();
  t.after(() => closeTree(tree));
  await tradeAll(tree);
  await refusalTests(t, tree);
  await callerTests(t, tree);
  await rangeTests(t, tree);
  await stabilityTests(t, tree);
});
