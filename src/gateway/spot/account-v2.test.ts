/**
 * Proves the wire shapes of the signed v2 lists of the wallet, what they ask the store with numbers
 * sent as such and as text, and their refusals, with an exchange in memory.
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
import type { Endpoint } from "../endpoint.ts";
import { bills, fundingBills, transferRecords } from "./account-v2.ts";

const spot = () => new ExchangeDouble(ENGINE, HISTORY);
const ask = (endpoint: Endpoint, input: EndpointInput, exchange = spot()) =>
  answerOf(endpoint, input, exchange);

/** The question that each of the bodies becomes. */
async function assertAsks(
  endpoint: Endpoint,
  inputs: readonly EndpointInput[],
  name: string,
  question: object,
): Promise<void> {
  for (const input of inputs) {
    const exchange = spot();
    await ask(endpoint, input, exchange);
    assert.deepEqual(exchange.asked, [{ name, question, sequence: DOUBLE_SEQUENCE }]);
  }
}

test("bills", async () => {
  assert.deepEqual(await ask(bills, {}), [
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
  const any = { uid: UID, asset: null, billType: null, time: { fromMs: null, toMs: null } };
  const absent = { coinId: "", bizType: null, after: "", before: null, limit: "" };
  await assertAsks(bills, [{}, { body: absent }], "bills", { ...any, limit: 10 });
  const numbers = { coinId: 2, bizType: "deposit", after: 1, before: 2, limit: 100 };
  const texts = { coinId: "2", bizType: "deposit", after: "1", before: "2", limit: "100" };
  await assertAsks(bills, [{ body: numbers }, { body: texts }], "bills", {
    uid: UID,
    asset: "USDT",
    billType: "deposit",
    time: { fromMs: 1, toMs: 2 },
    limit: 100,
  });
});

test("fundingBills", async () => {
  assert.deepEqual(await ask(fundingBills, {}), {
    total: 11,
    pageSize: 10,
    pages: 2,
    page: 1,
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
  const numbers = { coinId: 1, startTime: 1, endTime: 2, pageIndex: 3, pageSize: 4 };
  const texts = { coinId: "1", startTime: "1", endTime: "2", pageIndex: "3", pageSize: "4" };
  await assertAsks(fundingBills, [{ body: numbers }, { body: texts }], "funding-movements", {
    uid: UID,
    asset: "BTC",
    time: { fromMs: 1, toMs: 2 },
    page: { page: 3, pageSize: 4 },
  });
});

test("transferRecords", async () => {
  assert.deepEqual(await ask(transferRecords, {}), [
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
  const query = { coinId: "2", fromType: "CONTRACT", after: "1", before: "2", limit: "500" };
  await assertAsks(transferRecords, [{ query }], "transfers", {
    uid: UID,
    asset: "USDT",
    from: "contract",
    time: { fromMs: 1, toMs: 2 },
    limit: 500,
  });
});

test("refusals name the field", async () => {
  const outOfRange = "parameter-out-of-range";
  const cases: readonly (readonly [Endpoint, EndpointInput, reason: string, field: string])[] = [
    [bills, { body: { coinId: 9 } }, "unknown-asset", "coinId"],
    [bills, { body: { coinId: "x" } }, "invalid-parameter", "coinId"],
    [bills, { body: { bizType: "airdrop" } }, "invalid-parameter", "bizType"],
    [bills, { body: { limit: 0 } }, outOfRange, "limit"],
    [bills, { body: { limit: 101 } }, outOfRange, "limit"],
    [bills, { body: { limit: "101" } }, outOfRange, "limit"],
    [bills, { body: { limit: 1.5 } }, outOfRange, "limit"],
    [bills, { body: { after: -1 } }, outOfRange, "after"],
    [bills, { body: { before: "1e3" } }, outOfRange, "before"],
    [bills, { body: { after: 2, before: "1" } }, "start-after-end", "after"],
    [fundingBills, { body: { pageIndex: 0 } }, outOfRange, "pageIndex"],
    [fundingBills, { body: { pageIndex: "10001" } }, outOfRange, "pageIndex"],
    [fundingBills, { body: { pageSize: 101 } }, outOfRange, "pageSize"],
    [fundingBills, { body: { startTime: "2", endTime: 1 } }, "start-after-end", "startTime"],
    [transferRecords, { query: { limit: "501" } }, outOfRange, "limit"],
    [transferRecords, { query: { fromType: "FUND" } }, "invalid-parameter", "fromType"],
    [transferRecords, { query: { coinId: "9" } }, "unknown-asset", "coinId"],
    [transferRecords, { query: { after: "2", before: "1" } }, "start-after-end", "after"],
  ];
  for (const [endpoint, input, reason, field] of cases) {
    const refused = await refusalOf(endpoint, input, spot());
    assert.deepEqual(refused, [reason, field], JSON.stringify(input));
  }
});
