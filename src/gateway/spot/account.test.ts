/**
 * Proves the wire shapes of the signed v3 account endpoints, value for value, what they ask the
 * store, and their refusals, with an exchange in memory.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  answerOf,
  type EndpointInput,
  refusalOf,
  CALLER_UID as UID,
} from "../../../test/support/endpoint-call.ts";
import {
  DOUBLE_SEQUENCE,
  DOUBLE_TIME_MS,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { ENGINE, HISTORY } from "../../../test/support/spot-fixture.ts";
import { accept } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import { account, bills, fundingBills, transferRecords } from "./account.ts";

const spot = () => new ExchangeDouble(ENGINE, HISTORY);

const ask = (endpoint: Endpoint, input: EndpointInput, exchange = spot()) =>
  answerOf(endpoint, input, exchange);
const refusal = (endpoint: Endpoint, input: EndpointInput) => refusalOf(endpoint, input, spot());

const ACCOUNT = {
  makerCommission: 10,
  takerCommission: 12,
  commissionRates: { maker: "0.001", taker: "0.0012" },
  canTrade: true,
  canWithdraw: true,
  canDeposit: true,
  updateTime: DOUBLE_TIME_MS,
  accountType: "SPOT",
  balances: [
    { asset: "BTC", free: "1.5", locked: "0" },
    { asset: "USDT", free: "500.25", locked: "29400" },
    { asset: "ETH", free: "0", locked: "0" },
  ],
  permissions: ["SPOT"],
  uid: UID,
};

test("account", async () => {
  assert.deepEqual(await ask(account, {}), ACCOUNT);
});

test("account shows the user's own rates and a frozen state", async () => {
  const own = new ExchangeDouble({
    ...ENGINE,
    user: ({ uid }) =>
      accept({
        uid,
        inviteCode: "A",
        inviterUid: null,
        kyc: true,
        state: "frozen",
        house: false,
        selfTradePrevention: "NONE",
        registeredMs: 1,
        feeRates: [
          { product: "spot", symbol: "BTCUSDT", makerFeeRate: "0.05", takerFeeRate: "0.05" },
          { product: "contract", symbol: null, makerFeeRate: "0.04", takerFeeRate: "0.04" },
          { product: "spot", symbol: null, makerFeeRate: "0", takerFeeRate: "0.00025" },
        ],
      }),
  });
  assert.deepEqual(await ask(account, {}, own), {
    ...ACCOUNT,
    makerCommission: 0,
    takerCommission: 2.5,
    commissionRates: { maker: "0", taker: "0.00025" },
    canTrade: false,
    canWithdraw: false,
  });
});

test("bills", async () => {
  const exchange = spot();
  const body = { coinId: 2, bizType: "trade_in", after: 10, before: 20, limit: 100 };
  assert.deepEqual(await ask(bills, { body }, exchange), [
    {
      billId: "5",
      coinId: 2,
      coinName: "USDT",
      bizType: "trade_in",
      fillSize: "0.1",
      fillValue: "9900",
      deltaAmount: "9888.12",
      afterAmount: "10888.12",
      fees: "11.88",
      cTime: String(DOUBLE_TIME_MS - 900),
    },
  ]);
  const question = {
    uid: UID,
    asset: "USDT",
    billType: "trade_in",
    time: { fromMs: 10, toMs: 20 },
    limit: 100,
  };
  assert.deepEqual(exchange.asked, [{ name: "bills", question, sequence: DOUBLE_SEQUENCE }]);
});

test("bills: absent and null filters are open, and ten rows are the standard", async () => {
  for (const body of [
    {},
    { coinId: null, bizType: null, after: null, before: null, limit: null },
  ]) {
    const exchange = spot();
    await ask(bills, { body }, exchange);
    const time = { fromMs: null, toMs: null };
    const question = { uid: UID, asset: null, billType: null, time, limit: 10 };
    assert.deepEqual(exchange.asked[0]?.question, question);
  }
});

test("fundingBills", async () => {
  const exchange = spot();
  const body = { startTime: 1, endTime: 2, pageIndex: 2, pageSize: 5 };
  assert.deepEqual(await ask(fundingBills, { body }, exchange), {
    total: 11,
    pageSize: 5,
    pages: 3,
    page: 2,
    hasNextPage: true,
    items: [
      {
        billId: "3",
        coinId: 2,
        coinName: "USDT",
        bizType: "withdraw",
        fillSize: null,
        fillValue: null,
        deltaAmount: "-250.5",
        afterAmount: "749.5",
        fees: "0",
        cTime: String(DOUBLE_TIME_MS - 700),
      },
    ],
  });
  const page = { page: 2, pageSize: 5 };
  const question = { uid: UID, asset: null, time: { fromMs: 1, toMs: 2 }, page };
  assert.deepEqual(exchange.asked[0]?.question, question);
});

test("fundingBills without rows has no pages", async () => {
  const empty = new ExchangeDouble(ENGINE, { "funding-movements": () => ({ rows: [], total: 0 }) });
  assert.deepEqual(await ask(fundingBills, {}, empty), {
    total: 0,
    pageSize: 10,
    pages: 0,
    page: 1,
    hasNextPage: false,
    items: [],
  });
});

test("transferRecords", async () => {
  const exchange = spot();
  const query = { coinId: "2", fromType: "SPOT", after: "1", before: "2", limit: "500" };
  assert.deepEqual(await ask(transferRecords, { query }, exchange), [
    {
      coinName: "USDT",
      status: "Successful",
      toType: "CONTRACT",
      toSymbol: "",
      fromType: "SPOT",
      fromSymbol: "",
      amount: "20",
      tradeTime: String(DOUBLE_TIME_MS - 600),
    },
  ]);
  const time = { fromMs: 1, toMs: 2 };
  const question = { uid: UID, asset: "USDT", from: "spot", time, limit: 500 };
  assert.deepEqual(exchange.asked[0]?.question, question);
});

test("refusals name the field as the caller spelt it", async () => {
  const limit = ["parameter-out-of-range", "limit"];
  assert.deepEqual(await refusal(bills, { body: { limit: 101 } }), limit);
  assert.deepEqual(await refusal(bills, { body: { limit: 0 } }), limit);
  assert.deepEqual(await refusal(transferRecords, { query: { limit: "501" } }), limit);
  const size = await refusal(fundingBills, { body: { pageSize: 101 } });
  assert.deepEqual(size, ["parameter-out-of-range", "pageSize"]);
  const page = await refusal(fundingBills, { body: { pageIndex: 0 } });
  assert.deepEqual(page, ["parameter-out-of-range", "pageIndex"]);
  const after = ["start-after-end", "after"];
  assert.deepEqual(await refusal(bills, { body: { after: 2, before: 1 } }), after);
  const range = await refusal(transferRecords, { query: { after: "2", before: "1" } });
  assert.deepEqual(range, after);
  const coin = ["unknown-asset", "coinId"];
  assert.deepEqual(await refusal(bills, { body: { coinId: 4 } }), coin);
  assert.deepEqual(await refusal(fundingBills, { body: { coinId: "4" } }), coin);
  assert.deepEqual(await refusal(transferRecords, { query: { coinId: "0" } }), coin);
});
