/**
 * Proves what the contract routes about wallet and settings ask, command and answer, value for
 * value, with their refusals; and the transfer between the wallets.
 */
import assert from "node:assert/strict";
import test from "node:test";
import * as shapes from "../../../test/support/contract-answers.ts";
import {
  CONTRACT_ENGINE,
  CONTRACT_HISTORY,
  INCOME,
  SETTINGS,
} from "../../../test/support/contract-fixture.ts";
import {
  answerOf,
  type EndpointInput,
  refusalOf,
  CALLER_UID as UID,
} from "../../../test/support/endpoint-call.ts";
import {
  DOUBLE_SEQUENCE,
  DOUBLE_TIME_MS,
  type EngineScript,
  ExchangeDouble,
} from "../../../test/support/exchange-double.ts";
import { assertShape } from "../../../test/support/wire-shape.ts";
import { errorMessage } from "../../api/errors.ts";
import { accept, type RejectReason, reject } from "../../domain/index.ts";
import type { Endpoint } from "../endpoint.ts";
import { transfer } from "../spot/account.ts";
import {
  accountConfig,
  balance,
  commissionRate,
  income,
  leverage,
  marginType,
  symbolConfig,
} from "./account.ts";
import { autoAppendMargin, positionMargin } from "./positions.ts";

const SCRIPT: EngineScript = {
  ...CONTRACT_ENGINE,
  "set-leverage": ({ crossLeverage }) =>
    accept({ ...SETTINGS, crossLeverage: crossLeverage ?? SETTINGS.crossLeverage }),
  "set-margin-type": () => accept(null),
  "move-position-margin": ({ positionId }) =>
    positionId === 71 ? accept(null) : reject("failed-precondition", "positionId"),
  "set-auto-append-margin": ({ positionId }) =>
    positionId === 71 ? accept(null) : reject("failed-precondition", "positionId"),
  "transfer-own-funds": ({ requestId }) => accept({ requestId, balance: "150" }),
};
const contracts = () => new ExchangeDouble(SCRIPT, CONTRACT_HISTORY);
const ask = (endpoint: Endpoint, input: EndpointInput = {}, exchange = contracts()) =>
  answerOf(endpoint, input, exchange);
const refusal = (endpoint: Endpoint, input: EndpointInput, exchange = contracts()) =>
  refusalOf(endpoint, input, exchange);

const DONE = { code: "200", requestTime: DOUBLE_TIME_MS };

test("balance, by margin asset", async () => {
  const rows = await ask(balance);
  assertShape(rows, [shapes.BALANCE]);
  assert.deepEqual(rows, [
    {
      asset: "USDT",
      balance: "10526.22",
      availableBalance: "8729.88",
      frozen: "12.5",
      unrealizePnl: "900",
    },
  ]);
});

test("what the account may do; a frozen one may not trade", async () => {
  const active = {
    canTrade: true,
    canDeposit: true,
    canWithdraw: true,
    dualSidePosition: true,
    updateTime: DOUBLE_TIME_MS - 1_000_000,
  };
  assert.deepEqual(await ask(accountConfig), active);
  assertShape(active, shapes.ACCOUNT_CONFIG);
  const frozen = new ExchangeDouble({
    user: (query) => {
      const user = CONTRACT_ENGINE.user?.(query);
      assert.ok(user !== undefined && "ok" in user && user.ok);
      return accept({ ...user.value, state: "frozen" });
    },
  });
  assert.deepEqual(await ask(accountConfig, {}, frozen), { ...active, canTrade: false });
});

test("settings: an array also of one market, leverages as text", async () => {
  const row = {
    symbol: "BTCUSDT",
    marginType: "ISOLATED",
    crossLeverage: "20",
    isolatedLongLeverage: "25",
    isolatedShortLeverage: "30",
    separatedType: "COMBINED",
  };
  assertShape(row, shapes.SYMBOL_CONFIG);
  for (const query of [{}, { symbol: "BTCUSDT" }]) {
    assert.deepEqual(await ask(symbolConfig, { query }), [row]);
  }
  const unknown = await refusal(symbolConfig, { query: { symbol: "NOPE" } });
  assert.deepEqual(unknown, ["unknown-symbol", "symbol"]);
});

test("fee rates of a market", async () => {
  const answer = await ask(commissionRate, { query: { symbol: "BTCUSDT" } });
  assertShape(answer, shapes.COMMISSION_RATE);
  assert.deepEqual(answer, {
    symbol: "BTCUSDT",
    makerCommissionRate: "0.0002",
    takerCommissionRate: "0.0007",
  });
  assert.deepEqual(await refusal(commissionRate, {}), ["missing-parameter", "symbol"]);
});

test("leverages are numbers or text, what is left out stays", async () => {
  const base = { type: "set-leverage", uid: UID, symbol: "BTCUSDT", marginType: null };
  const none = { crossLeverage: null, isolatedLongLeverage: null, isolatedShortLeverage: null };
  for (const [body, command] of [
    [{ crossLeverage: 25 }, { ...base, ...none, crossLeverage: 25 }],
    [{ crossLeverage: "25" }, { ...base, ...none, crossLeverage: 25 }],
    [
      { marginType: "ISOLATED", isolatedLongLeverage: "10", isolatedShortLeverage: 5 },
      {
        ...base,
        ...none,
        marginType: "ISOLATED",
        isolatedLongLeverage: 10,
        isolatedShortLeverage: 5,
      },
    ],
    [
      { crossLeverage: 0, isolatedLongLeverage: "" },
      { ...base, ...none, crossLeverage: 0 },
    ],
  ] as const) {
    const exchange = contracts();
    const sent = { body: { symbol: "BTCUSDT", ...body } };
    assertShape(await ask(leverage, sent, exchange), shapes.LEVERAGES);
    assert.deepEqual(exchange.commands, [command]);
  }
  const answer = await ask(leverage, { body: { symbol: "BTCUSDT", crossLeverage: 7 } });
  assert.deepEqual(answer, {
    symbol: "BTCUSDT",
    marginType: "ISOLATED",
    crossLeverage: "7",
    isolatedLongLeverage: "25",
    isolatedShortLeverage: "30",
  });
});

test("a leverage is whole; one of the three is needed", async () => {
  for (const crossLeverage of [1.5, "1.5", "20 ", "-1", -1, "1e1", true, [], "020", 1e9]) {
    const body = { symbol: "BTCUSDT", crossLeverage };
    const refused = await refusal(leverage, { body });
    assert.deepEqual(refused, ["parameter-out-of-range", "crossLeverage"], String(crossLeverage));
  }
  for (const body of [{ symbol: "BTCUSDT" }, { symbol: "BTCUSDT", crossLeverage: null }]) {
    const refused = await refusal(leverage, { body });
    assert.deepEqual(refused, ["missing-parameter", "crossLeverage"]);
  }
});

test("margin mode: an answer without `msg`", async () => {
  for (const [body, separatedType] of [
    [{ marginType: "CROSSED" }, null],
    [{ marginType: "CROSSED", separatedType: "SEPARATED" }, "SEPARATED"],
    [{ marginType: "CROSSED", separatedType: "" }, null],
  ] as const) {
    const exchange = contracts();
    const sent = { body: { symbol: "BTCUSDT", ...body } };
    assert.deepEqual(await ask(marginType, sent, exchange), DONE);
    const command = { type: "set-margin-type", uid: UID, symbol: "BTCUSDT", marginType: "CROSSED" };
    assert.deepEqual(exchange.commands, [{ ...command, separatedType }]);
  }
  const wrong = { body: { symbol: "BTCUSDT", marginType: "CROSS" } };
  assert.deepEqual(await refusal(marginType, wrong), ["invalid-parameter", "marginType"]);
  const absent = { body: { symbol: "BTCUSDT", marginType: null } };
  assert.deepEqual(await refusal(marginType, absent), ["missing-parameter", "marginType"]);
});

test("margin of a position: 1 adds, 2 takes back", async () => {
  for (const [type, direction] of [
    [1, "add"],
    ["1", "add"],
    [2, "remove"],
    ["2", "remove"],
  ] as const) {
    const exchange = contracts();
    const body = { isolatedPositionId: "71", amount: "200", type };
    assert.deepEqual(await ask(positionMargin, { body }, exchange), DONE);
    assert.deepEqual(exchange.commands, [
      { type: "move-position-margin", uid: UID, positionId: 71, amount: "200", direction },
    ]);
  }
  for (const [change, refused] of [
    [{ type: 3 }, ["invalid-parameter", "type"]],
    [{ type: true }, ["invalid-parameter", "type"]],
    [{ amount: "-1" }, ["invalid-parameter", "amount"]],
    [{ amount: 5 }, ["invalid-parameter", "amount"]],
    [{ isolatedPositionId: null }, ["missing-parameter", "isolatedPositionId"]],
    [{ isolatedPositionId: 72 }, ["failed-precondition", "isolatedPositionId"]],
    [{ isolatedPositionId: "9223372036854775807" }, ["failed-precondition", "isolatedPositionId"]],
  ] as const) {
    const body = { isolatedPositionId: 71, amount: "1", type: 1, ...change };
    assert.deepEqual(await refusal(positionMargin, { body }), refused);
  }
});

test("taking back too much margin says how much there is, in the words of clients", async () => {
  const refusing = new ExchangeDouble({
    "move-position-margin": () => reject("failed-precondition", "amount", "6.98"),
  });
  const caller = { uid: UID, apiKey: "", permissions: [] };
  const input = { caller, signature: "", query: {} as never };
  const body = { isolatedPositionId: 71, amount: "200", type: 2 } as const;
  const refused = await positionMargin.handle({ ...input, body }, refusing);
  assert.ok(!refused.ok && "reason" in refused);
  assert.equal(
    errorMessage(refused),
    "FAILED_PRECONDITION: amount (move margin available amount not enough, at most 6.98)",
  );
});

test("automatic margin of a position", async () => {
  for (const enabled of [true, false]) {
    const exchange = contracts();
    const body = { positionId: 71, autoAppendMargin: enabled };
    assert.deepEqual(await ask(autoAppendMargin, { body }, exchange), DONE);
    assert.deepEqual(exchange.commands, [
      { type: "set-auto-append-margin", uid: UID, positionId: 71, enabled },
    ]);
  }
  const text = { body: { positionId: 71, autoAppendMargin: "true" } };
  const invalid = ["invalid-parameter", "autoAppendMargin"];
  assert.deepEqual(await refusal(autoAppendMargin, text), invalid);
  const foreign = { body: { positionId: 72, autoAppendMargin: true } };
  const failed = ["failed-precondition", "positionId"];
  assert.deepEqual(await refusal(autoAppendMargin, foreign), failed);
});

interface IncomePage {
  readonly hasNextPage: boolean;
  readonly nextKey: { readonly nextKeyId: number; readonly nextKeyTime: number } | null;
  readonly items: readonly object[];
}

test("income: rows, and the key of the next page", async () => {
  const exchange = contracts();
  const body = {
    asset: "USDT",
    symbol: "BTCUSDT",
    incomeType: "position_close_long",
    startTime: 1,
    endTime: 2,
    limit: 2,
    nextKeyId: "10",
    nextKeyTime: 99,
  };
  const page = (await ask(income, { body }, exchange)) as IncomePage;
  assert.deepEqual(exchange.asked, [
    {
      name: "income",
      question: {
        uid: UID,
        asset: "USDT",
        symbol: "BTCUSDT",
        incomeType: "position_close_long",
        time: { fromMs: 1, toMs: 2 },
        before: { incomeId: 10, timeMs: 99 },
        limit: 3,
      },
      sequence: DOUBLE_SEQUENCE,
    },
  ]);
  assertShape(page.items, [shapes.INCOME_ITEM]);
  assert.equal(page.hasNextPage, true);
  assert.deepEqual(page.nextKey, { nextKeyId: INCOME.incomeId - 1, nextKeyTime: INCOME.timeMs });
  assert.deepEqual(page.items[0], {
    billId: 9,
    asset: "USDT",
    symbol: "BTCUSDT",
    income: "580.32",
    incomeType: "position_close_long",
    balance: "10526.22",
    fillFee: "19.68",
    time: INCOME.timeMs,
    transferReason: "UNKNOWN_TRANSFER_REASON",
  });
});

test("income: the last page has no key, and without filters all rows are asked for", async () => {
  const exchange = contracts();
  const page = (await ask(income, { body: {} }, exchange)) as IncomePage;
  assert.deepEqual([page.hasNextPage, page.nextKey, page.items.length], [false, null, 3]);
  assert.partialDeepStrictEqual(exchange.asked[0]?.question as object, {
    asset: null,
    symbol: null,
    incomeType: null,
    time: { fromMs: null, toMs: null },
    before: null,
    limit: 21,
  });
});

test("income: refusals", async () => {
  const hundredDays = 100 * 86_400_000;
  assert.ok(await ask(income, { body: { startTime: 0, endTime: hundredDays } }));
  const cases: readonly (readonly [body: Record<string, unknown>, refused: readonly string[]])[] = [
    [{ startTime: 0, endTime: hundredDays + 1 }, ["time-range-too-long", "endTime"]],
    [{ startTime: 2, endTime: 1 }, ["start-after-end", "startTime"]],
    [{ nextKeyId: 1 }, ["invalid-combination", "nextKeyTime"]],
    [{ nextKeyTime: 1 }, ["invalid-combination", "nextKeyId"]],
    [{ nextKeyId: "9223372036854775807", nextKeyTime: 1 }, ["invalid-parameter", "nextKeyId"]],
    [{ asset: "NOPE" }, ["unknown-asset", "asset"]],
    [{ symbol: "NOPE" }, ["unknown-symbol", "symbol"]],
    [{ incomeType: "bonus" }, ["invalid-parameter", "incomeType"]],
    [{ limit: 0 }, ["parameter-out-of-range", "limit"]],
    [{ limit: 101 }, ["parameter-out-of-range", "limit"]],
    [{ limit: "20" }, ["parameter-out-of-range", "limit"]],
    [{ startTime: 1.5 }, ["parameter-out-of-range", "startTime"]],
  ];
  for (const [body, refused] of cases) {
    assert.deepEqual(await refusal(income, { body }), refused, JSON.stringify(body));
  }
});

const TRANSFER = {
  clientTransferId: "t-1",
  fromType: "SPOT",
  toType: "CONTRACT",
  coinName: "USDT",
  amount: "100.50",
};

test("a transfer between the wallets", async () => {
  const exchange = contracts();
  const answer = await ask(transfer, { body: TRANSFER }, exchange);
  assertShape(answer, shapes.TRANSFER);
  const said = { ...TRANSFER, amount: "100.5", status: "Successful", balance: "150" };
  assert.deepEqual(answer, said);
  assert.deepEqual(exchange.commands, [
    {
      type: "transfer-own-funds",
      requestId: "t-1",
      uid: UID,
      from: "spot",
      to: "contract",
      asset: "USDT",
      amount: "100.50",
    },
  ]);
});

test("a transfer: refusals, in the caller's names", async () => {
  const same = { body: { ...TRANSFER, toType: "SPOT" } };
  assert.deepEqual(await refusal(transfer, same), ["parameter-out-of-range", "toType"]);
  for (const name of Object.keys(TRANSFER)) {
    const refused = await refusal(transfer, { body: { ...TRANSFER, [name]: null } });
    assert.deepEqual(refused, ["missing-parameter", name]);
  }
  for (const [reason, field, name] of [
    ["unknown-asset", "asset", "coinName"],
    ["conflict", "id", "clientTransferId"],
    ["insufficient-balance", "amount", "amount"],
    ["user-frozen", null, null],
  ] as readonly (readonly [RejectReason, string | null, string | null])[]) {
    const refusing = new ExchangeDouble({ "transfer-own-funds": () => reject(reason, field) });
    const refused = await refusal(transfer, { body: TRANSFER }, refusing);
    assert.deepEqual(refused, [reason, name]);
  }
});
