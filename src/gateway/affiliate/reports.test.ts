/**
 * Proves the wire shapes of the four affiliate reports in both versions, value for value, what they
 * ask the store by default and with every parameter, and their refusals, with an exchange in
 * memory.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  AFFILIATE_ENGINE,
  AFFILIATE_HISTORY,
  INVITE_CODE,
  SUB_UID,
  TRADER_UID,
} from "../../../test/support/affiliate-fixture.ts";
import {
  answerOf,
  CALLER_UID,
  type EndpointInput,
  refusalOf,
} from "../../../test/support/endpoint-call.ts";
import {
  DOUBLE_SEQUENCE,
  DOUBLE_TIME_MS,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { reject } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import {
  v2Commissions,
  v2ReferralActivity,
  v2Referrals,
  v2SubAffiliates,
  v3Commissions,
  v3ReferralActivity,
  v3Referrals,
  v3SubAffiliates,
  v3SubAffiliatesByGet,
} from "./reports.ts";

const DAY_MS = 86_400_000;
const NOW = DOUBLE_TIME_MS;
const FIRST_PAGE = { page: 1, pageSize: 100 };
/** A 64-bit number beyond what a double can hold. */
const FOREIGN_UID = "9223372036854775807";

const fixture = () => new ExchangeDouble(AFFILIATE_ENGINE, AFFILIATE_HISTORY);
const refusal = (endpoint: Endpoint, input: EndpointInput) => refusalOf(endpoint, input, fixture());

async function questionOf(endpoint: Endpoint, input: EndpointInput): Promise<unknown> {
  const exchange = fixture();
  await answerOf(endpoint, input, exchange);
  const [asked] = exchange.asked;
  assert.equal(asked?.sequence, DOUBLE_SEQUENCE);
  return asked?.question;
}

const QUERY_REPORTS = [
  v2Commissions,
  v3Commissions,
  v2ReferralActivity,
  v3ReferralActivity,
  v2Referrals,
  v3Referrals,
] as const;

test("getAffiliateCommission: every field, in both versions", async () => {
  for (const endpoint of [v2Commissions, v3Commissions]) {
    assert.deepEqual(await answerOf(endpoint, { query: { pageSize: "100" } }, fixture()), {
      pages: 3,
      pageSize: 100,
      total: 201,
      channelCommissionInfoItems: [
        {
          uid: String(TRADER_UID),
          date: NOW - 60_000,
          dealTime: String(NOW - 60_000),
          coin: "USDT",
          productType: "SPOT",
          fee: "0.682571",
          commission: "0.068257",
          rate: "0.1",
          symbol: "BTCUSDT",
          sourceType: 2,
          takerAmount: "1137.619",
          makerAmount: "0",
          commissionId: "12",
          status: "settled",
          flags: [],
        },
      ],
    });
  }
});

test("getAffiliateCommission: 7 days, SPOT, a hundred rows; or what is asked for", async () => {
  for (const endpoint of [v2Commissions, v3Commissions]) {
    const standard = {
      affiliateUid: CALLER_UID,
      product: "spot",
      traderUid: null,
      asset: null,
      time: { fromMs: NOW - 7 * DAY_MS, toMs: NOW },
      page: FIRST_PAGE,
    };
    assert.deepEqual(await questionOf(endpoint, {}), standard);
    const empty = { uid: "", startTime: "", endTime: "", coin: "", productType: "", page: "" };
    assert.deepEqual(await questionOf(endpoint, { query: empty }), standard);
    const query = {
      uid: String(TRADER_UID),
      startTime: "1000",
      endTime: "2000",
      coin: "BTC",
      productType: "FUTURES",
      page: "3",
      pageSize: "200",
    };
    assert.deepEqual(await questionOf(endpoint, { query }), {
      affiliateUid: CALLER_UID,
      product: "contract",
      traderUid: TRADER_UID,
      asset: "BTC",
      time: { fromMs: 1000, toMs: 2000 },
      page: { page: 3, pageSize: 200 },
    });
  }
});

test("getChannelUserTradeAndAsset: every field, and the last 90 days", async () => {
  for (const endpoint of [v2ReferralActivity, v3ReferralActivity]) {
    assert.deepEqual(await answerOf(endpoint, {}, fixture()), {
      pages: 1,
      pageSize: 100,
      total: 1,
      records: [
        {
          uid: String(TRADER_UID),
          depositAmount: "1000",
          withdrawalAmount: "0",
          spotTradingAmount: "1137.619",
          futuresTradingAmount: "50000.5",
          commission: "12.25",
        },
      ],
    });
    assert.deepEqual(await questionOf(endpoint, {}), {
      inviterUid: CALLER_UID,
      uid: null,
      time: { fromMs: NOW - 90 * DAY_MS, toMs: NOW },
      page: FIRST_PAGE,
    });
  }
});

test("getAffiliateUIDs: a flat list in v2, pages in v3, all of the history", async () => {
  const row = { uid: String(TRADER_UID), registerTime: NOW - 99_000, kycResult: true };
  assert.deepEqual(await answerOf(v2Referrals, {}, fixture()), { total: 98, list: [row] });
  assert.deepEqual(await answerOf(v3Referrals, { query: { pageSize: "50" } }, fixture()), {
    pages: 2,
    pageSize: 50,
    total: 98,
    channelUserInfoItemList: [{ ...row, inviteCode: INVITE_CODE }],
  });
  for (const endpoint of [v2Referrals, v3Referrals]) {
    const open = { inviterUid: CALLER_UID, uid: null, page: FIRST_PAGE };
    const registered = { fromMs: null, toMs: null };
    assert.deepEqual(await questionOf(endpoint, {}), { ...open, registered });
    const query = { startTime: "1", endTime: "1000000000000" };
    const all = { fromMs: 1, toMs: 1_000_000_000_000 };
    assert.deepEqual(await questionOf(endpoint, { query }), { ...open, registered: all });
  }
});

test("querySubChannelTransactions: every field, by body and by query", async () => {
  const answer = (size: number, current: number, pages: number) => ({
    records: [
      {
        subAffiliateUid: String(SUB_UID),
        productType: "FUTURES",
        date: "2025-10-09",
        tradingVolume: "2839.05",
        netTradingFee: "1.70343",
        paidCommission: "1.362744",
      },
    ],
    total: 11,
    size,
    current,
    pages,
  });
  const body = { productType: "FUTURES", pageNum: 2, pageSize: 10 };
  for (const endpoint of [v2SubAffiliates, v3SubAffiliates]) {
    assert.deepEqual(await answerOf(endpoint, { body }, fixture()), answer(10, 2, 2));
    const nulls = {
      subUid: null,
      startTime: null,
      endTime: null,
      productType: "FUTURES",
      pageNum: null,
      pageSize: null,
    };
    assert.deepEqual(await answerOf(endpoint, { body: nulls }, fixture()), answer(100, 1, 1));
    assert.deepEqual(await questionOf(endpoint, { body: nulls }), {
      parentUid: CALLER_UID,
      subUid: null,
      product: "contract",
      time: { fromMs: NOW - 7 * DAY_MS, toMs: NOW },
      page: FIRST_PAGE,
    });
    const texts = { ...body, startTime: "5", endTime: "7", pageNum: "2", pageSize: "10" };
    assert.partialDeepStrictEqual(await questionOf(endpoint, { body: texts }), {
      time: { fromMs: 5, toMs: 7 },
      page: { page: 2, pageSize: 10 },
    });
    for (const subUid of [SUB_UID, String(SUB_UID)]) {
      const question = await questionOf(endpoint, { body: { ...body, subUid } });
      assert.equal((question as { subUid: number }).subUid, SUB_UID);
    }
  }
  const query = { productType: "FUTURES", pageNum: "2", pageSize: "10", subUid: String(SUB_UID) };
  const byGet = v3SubAffiliatesByGet;
  assert.deepEqual(await answerOf(byGet, { query }, fixture()), answer(10, 2, 2));
});

test("no rows: total 0, pages 0", async () => {
  const none = () => ({ rows: [], total: 0 });
  const empty = new ExchangeDouble(AFFILIATE_ENGINE, {
    commissions: none,
    referrals: none,
    "referral-activity": none,
    "sub-affiliate-days": none,
  });
  const pages = { pages: 0, pageSize: 100, total: 0 };
  const commissions = { ...pages, channelCommissionInfoItems: [] };
  assert.deepEqual(await answerOf(v2Commissions, {}, empty), commissions);
  const activity = { ...pages, records: [] };
  assert.deepEqual(await answerOf(v2ReferralActivity, {}, empty), activity);
  assert.deepEqual(await answerOf(v2Referrals, {}, empty), { total: 0, list: [] });
  const body = { productType: "SPOT" };
  const days = { records: [], total: 0, size: 100, current: 1, pages: 0 };
  assert.deepEqual(await answerOf(v2SubAffiliates, { body }, empty), days);
});

test("one end alone: a start lasts until now, an end begins a standard window before", async () => {
  const timeOf = async (query: Readonly<Record<string, string>>) =>
    ((await questionOf(v2Commissions, { query })) as { time: unknown }).time;
  const start = NOW - 20 * DAY_MS;
  assert.deepEqual(await timeOf({ startTime: String(start) }), { fromMs: start, toMs: NOW });
  const oldest = NOW - 90 * DAY_MS;
  assert.deepEqual(await timeOf({ startTime: String(oldest) }), { fromMs: oldest, toMs: NOW });
  const old = NOW - 300 * DAY_MS;
  const ahead = NOW + DAY_MS;
  assert.deepEqual(await timeOf({ startTime: String(ahead) }), { fromMs: ahead, toMs: ahead });
  const window = { fromMs: old - 7 * DAY_MS, toMs: old };
  assert.deepEqual(await timeOf({ endTime: String(old) }), window);
  assert.deepEqual(await timeOf({ endTime: "5" }), { fromMs: 0, toMs: 5 });
  assert.deepEqual(await timeOf({ startTime: "7", endTime: "7" }), { fromMs: 7, toMs: 7 });
});

test("a uid beyond 2^53 is nobody's, not an error", async () => {
  const uidOf = async (endpoint: Endpoint, input: EndpointInput, name: string) =>
    ((await questionOf(endpoint, input)) as Readonly<Record<string, unknown>>)[name];
  const query = { uid: FOREIGN_UID };
  assert.equal(await uidOf(v2Commissions, { query }, "traderUid"), 0);
  assert.equal(await uidOf(v2Referrals, { query }, "uid"), 0);
  const body = { productType: "SPOT", subUid: FOREIGN_UID };
  assert.equal(await uidOf(v2SubAffiliates, { body }, "subUid"), 0);
});

test("pages, sizes and ranges out of bounds are refused by name", async () => {
  const start = String(NOW - 91 * DAY_MS);
  const wrong: readonly (readonly [query: Readonly<Record<string, string>>, string, string])[] = [
    [{ page: "0" }, "parameter-out-of-range", "page"],
    [{ page: "-1" }, "parameter-out-of-range", "page"],
    [{ page: "1.5" }, "parameter-out-of-range", "page"],
    [{ page: "1000000001" }, "parameter-out-of-range", "page"],
    [{ pageSize: "0" }, "parameter-out-of-range", "pageSize"],
    [{ pageSize: "201" }, "parameter-out-of-range", "pageSize"],
    [{ startTime: "x" }, "parameter-out-of-range", "startTime"],
    [{ endTime: "-1" }, "parameter-out-of-range", "endTime"],
    [{ startTime: "2", endTime: "1" }, "start-after-end", "startTime"],
    [{ uid: "me" }, "invalid-parameter", "uid"],
  ];
  for (const endpoint of QUERY_REPORTS) {
    for (const [query, reason, field] of wrong) {
      const found = await refusal(endpoint, { query });
      assert.deepEqual(found, [reason, field], `${endpoint.route.path} ${JSON.stringify(query)}`);
    }
    const long = { startTime: start, endTime: String(NOW) };
    if (endpoint === v2Referrals || endpoint === v3Referrals) continue;
    for (const startTime of ["0", start]) {
      const untilNow = await refusal(endpoint, { query: { startTime } });
      assert.deepEqual(untilNow, ["time-range-too-long", "startTime"]);
    }
    assert.deepEqual(await refusal(endpoint, { query: long }), ["time-range-too-long", "endTime"]);
  }
  for (const endpoint of [v2Commissions, v3Commissions]) {
    for (const productType of ["spot", "Futures", "SWAP", "null"]) {
      const found = await refusal(endpoint, { query: { productType } });
      assert.deepEqual(found, ["invalid-parameter", "productType"]);
    }
    for (const coin of ["usdt", "DOGE", "x".repeat(41)]) {
      assert.deepEqual(await refusal(endpoint, { query: { coin } }), ["unknown-asset", "coin"]);
    }
  }
});

test("the same of the sub-affiliate report, whose product type is required", async () => {
  const wrong: readonly (readonly [body: Readonly<Record<string, unknown>>, string, string])[] = [
    [{}, "missing-parameter", "productType"],
    [{ productType: null }, "missing-parameter", "productType"],
    [{ productType: "futures" }, "invalid-parameter", "productType"],
    [{ productType: 1 }, "invalid-parameter", "productType"],
    [{ productType: "SPOT", pageNum: 0 }, "parameter-out-of-range", "pageNum"],
    [{ productType: "SPOT", pageNum: "0" }, "parameter-out-of-range", "pageNum"],
    [{ productType: "SPOT", pageNum: "1.5" }, "parameter-out-of-range", "pageNum"],
    [{ productType: "SPOT", pageSize: "ten" }, "parameter-out-of-range", "pageSize"],
    [{ productType: "SPOT", startTime: 0 }, "time-range-too-long", "startTime"],
    [{ productType: "SPOT", pageSize: 201 }, "parameter-out-of-range", "pageSize"],
    [{ productType: "SPOT", subUid: -1 }, "invalid-parameter", "subUid"],
    [{ productType: "SPOT", startTime: 2, endTime: 1 }, "start-after-end", "startTime"],
    [{ productType: "SPOT", startTime: 0, endTime: NOW }, "time-range-too-long", "endTime"],
  ];
  for (const endpoint of [v2SubAffiliates, v3SubAffiliates]) {
    for (const [body, reason, field] of wrong) {
      const found = await refusal(endpoint, { body });
      assert.deepEqual(found, [reason, field], JSON.stringify(body));
    }
  }
  const missing = await refusal(v3SubAffiliatesByGet, {});
  assert.deepEqual(missing, ["missing-parameter", "productType"]);
});

test("who is no affiliate is told so, after the form of the request", async () => {
  const none = { ...AFFILIATE_ENGINE, affiliate: () => reject("not-an-affiliate", "uid") };
  const input = { body: { productType: "SPOT" } };
  for (const endpoint of [...QUERY_REPORTS, v2SubAffiliates, v3SubAffiliates]) {
    const exchange = new ExchangeDouble(none, AFFILIATE_HISTORY);
    assert.deepEqual(await refusalOf(endpoint, input, exchange), ["not-an-affiliate", null]);
    assert.deepEqual(exchange.asked, []);
  }
  const query = { startTime: "2", endTime: "1" };
  const exchange = new ExchangeDouble(none, AFFILIATE_HISTORY);
  const form = await refusalOf(v2Commissions, { query }, exchange);
  assert.deepEqual(form, ["start-after-end", "startTime"]);
});
