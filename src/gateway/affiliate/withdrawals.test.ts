/**
 * Proves what internalWithdrawal commands the engine to do and how its refusals read on the wire,
 * and what getInternalWithdrawalStatus asks and answers in both versions, with an exchange in
 * memory.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  AFFILIATE_ENGINE,
  AFFILIATE_HISTORY,
  TRADER_UID,
  WITHDRAWAL,
} from "../../../test/support/affiliate-fixture.ts";
import {
  answerOf,
  CALLER_SIGNATURE,
  CALLER_UID,
  callEndpoint,
  refusalOf,
} from "../../../test/support/endpoint-call.ts";
import {
  callerOf,
  DOUBLE_SEQUENCE,
  DOUBLE_TIME_MS,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { reject } from "../../domain/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import {
  v2InternalWithdrawal,
  v2InternalWithdrawals,
  v3InternalWithdrawal,
  v3InternalWithdrawals,
} from "./withdrawals.ts";

const NOW = DOUBLE_TIME_MS;
const DAY_MS = 86_400_000;
const PAYMENT = { toUserId: TRADER_UID, coin: "USDT", amount: "12.50" };
const PAYING = [v2InternalWithdrawal, v3InternalWithdrawal] as const;
const LISTING = [v2InternalWithdrawals, v3InternalWithdrawals] as const;

const fixture = (engine = AFFILIATE_ENGINE) => new ExchangeDouble(engine, AFFILIATE_HISTORY);

const CALLER_REQUEST_ID = requestIdOf({
  caller: callerOf(CALLER_UID),
  signature: CALLER_SIGNATURE,
});

test("internalWithdrawal: one command, and the id of the withdrawal as text", async () => {
  for (const endpoint of PAYING) {
    const exchange = fixture();
    assert.deepEqual(await answerOf(endpoint, { body: PAYMENT }, exchange), { id: "4" });
    const body = {
      ...PAYMENT,
      toUserId: String(TRADER_UID),
      fromAccountType: "SPOT",
      toAccountType: "SPOT",
      clientWithdrawalId: "mine-1",
    };
    assert.deepEqual(await answerOf(endpoint, { body }, exchange), { id: "4" });
    const command = {
      type: "withdraw-internally",
      uid: CALLER_UID,
      toUid: TRADER_UID,
      asset: "USDT",
      amount: "12.50",
    };
    assert.deepEqual(exchange.commands, [
      { ...command, requestId: CALLER_REQUEST_ID },
      { ...command, requestId: "mine-1" },
    ]);
  }
});

test("internalWithdrawal: what is wrong in form never reaches the engine", async () => {
  const wrong: readonly (readonly [change: object, reason: string, field: string])[] = [
    [{ toUserId: undefined }, "missing-parameter", "toUserId"],
    [{ toUserId: null }, "missing-parameter", "toUserId"],
    [{ toUserId: "me" }, "invalid-parameter", "toUserId"],
    [{ coin: "" }, "missing-parameter", "coin"],
    [{ coin: 5 }, "unknown-asset", "coin"],
    [{ amount: 12.5 }, "invalid-parameter", "amount"],
    [{ amount: "-1" }, "invalid-parameter", "amount"],
    [{ amount: "1e3" }, "invalid-parameter", "amount"],
    [{ amount: "0.0000001" }, "excess-precision", "amount"],
    [{ fromAccountType: "FUND" }, "invalid-parameter", "fromAccountType"],
    [{ toAccountType: "FUND" }, "invalid-parameter", "toAccountType"],
    [{ toAccountType: "spot" }, "invalid-parameter", "toAccountType"],
    [{ clientWithdrawalId: "a b" }, "invalid-parameter", "clientWithdrawalId"],
    [{ clientWithdrawalId: "x".repeat(41) }, "invalid-parameter", "clientWithdrawalId"],
  ];
  for (const [change, reason, field] of wrong) {
    const exchange = fixture();
    const body = { ...PAYMENT, ...change };
    for (const endpoint of PAYING) {
      const found = await refusalOf(endpoint, { body }, exchange);
      assert.deepEqual(found, [reason, field], JSON.stringify(body));
    }
    assert.deepEqual(exchange.commands, []);
  }
  // Zeros at the end are no decimals.
  const body = { ...PAYMENT, amount: "0.1000000" };
  assert.ok((await callEndpoint(v2InternalWithdrawal, { body }, fixture())).ok);
});

test("internalWithdrawal: the engine's refusals in the caller's names", async () => {
  for (const [engineField, reason, field] of [
    ["toUid", "unknown-user", "toUserId"],
    ["asset", "unknown-asset", "coin"],
    ["amount", "insufficient-balance", "amount"],
    ["requestId", "conflict", "clientWithdrawalId"],
    ["uid", "not-an-affiliate", null],
    [null, "user-frozen", null],
  ] as const) {
    const refusing = {
      ...AFFILIATE_ENGINE,
      "withdraw-internally": () => reject(reason, engineField),
    };
    for (const endpoint of PAYING) {
      const found = await refusalOf(endpoint, { body: PAYMENT }, fixture(refusing));
      assert.deepEqual(found, [reason, field]);
    }
  }
});

const ITEM = {
  fromUserId: String(CALLER_UID),
  toUserId: String(TRADER_UID),
  withdrawId: "4",
  coin: "USDT",
  status: "SUCCESS",
  amount: "12.5",
  createTime: WITHDRAWAL.timeMs,
  updateTime: WITHDRAWAL.timeMs,
};

test("getInternalWithdrawalStatus: a flat list in v2, pages in v3", async () => {
  const flat = await answerOf(v2InternalWithdrawals, {}, fixture());
  assert.deepEqual(flat, { total: 3, list: [ITEM] });
  const query = { page: "2", pageSize: "1" };
  assert.deepEqual(await answerOf(v3InternalWithdrawals, { query }, fixture()), {
    items: [ITEM],
    total: 3,
    pageSize: 1,
    page: 2,
    pages: 3,
    hasNextPage: true,
  });
  const last = await answerOf(v3InternalWithdrawals, { query: { page: "1" } }, fixture());
  assert.equal((last as { hasNextPage: boolean }).hasNextPage, false);
});

test("getInternalWithdrawalStatus: the past month, or what of it is asked for", async () => {
  const oldest = NOW - 31 * DAY_MS;
  for (const endpoint of LISTING) {
    const questionOf = async (query: Readonly<Record<string, string>>) => {
      const exchange = fixture();
      await answerOf(endpoint, { query }, exchange);
      assert.equal(exchange.asked[0]?.sequence, DOUBLE_SEQUENCE);
      return exchange.asked[0]?.question;
    };
    const standard = {
      uid: CALLER_UID,
      withdrawalId: null,
      asset: null,
      time: { fromMs: oldest, toMs: NOW },
      page: { page: 1, pageSize: 100 },
    };
    assert.deepEqual(await questionOf({}), standard);
    const [start, end] = [NOW - 5 * DAY_MS, NOW - DAY_MS];
    const all = {
      withdrawID: "4",
      coin: "USDT",
      startTime: String(start),
      endTime: String(end),
      fromAccountType: "SPOT",
      toAccountType: "SPOT",
      page: "2",
      pageSize: "200",
    };
    assert.deepEqual(await questionOf(all), {
      uid: CALLER_UID,
      withdrawalId: 4,
      asset: "USDT",
      time: { fromMs: start, toMs: end },
      page: { page: 2, pageSize: 200 },
    });
    const until = { ...standard, time: { fromMs: oldest, toMs: end } };
    assert.deepEqual(await questionOf({ endTime: String(end) }), until);
    const from = { ...standard, time: { fromMs: start, toMs: NOW } };
    assert.deepEqual(await questionOf({ startTime: String(start) }), from);
  }
});

test("getInternalWithdrawalStatus: refusals name the field", async () => {
  const tooOld = String(NOW - 31 * DAY_MS - 1);
  const wrong: readonly (readonly [query: Readonly<Record<string, string>>, string, string])[] = [
    [{ startTime: tooOld }, "time-range-too-long", "startTime"],
    [{ endTime: tooOld }, "time-range-too-long", "endTime"],
    [{ startTime: "2", endTime: "1" }, "start-after-end", "startTime"],
    [{ pageSize: "201" }, "parameter-out-of-range", "pageSize"],
    [{ page: "0" }, "parameter-out-of-range", "page"],
    [{ withdrawID: "x" }, "invalid-parameter", "withdrawID"],
    [{ coin: "DOGE" }, "unknown-asset", "coin"],
    [{ fromAccountType: "FUND" }, "invalid-parameter", "fromAccountType"],
    [{ toAccountType: "FUND" }, "invalid-parameter", "toAccountType"],
  ];
  for (const endpoint of LISTING) {
    for (const [query, reason, field] of wrong) {
      assert.deepEqual(await refusalOf(endpoint, { query }, fixture()), [reason, field]);
    }
    const none = fixture({
      ...AFFILIATE_ENGINE,
      affiliate: () => reject("not-an-affiliate", "uid"),
    });
    assert.deepEqual(await refusalOf(endpoint, {}, none), ["not-an-affiliate", null]);
  }
});
