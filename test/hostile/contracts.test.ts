/**
 * Proves that hostile but well-signed contract requests neither break the process nor win anything:
 * amounts of absurd size and form in every field that takes one, a flood of conditional orders that
 * fire together and each other, an account that trades with itself and with an accomplice at the
 * ends of the price band, and clients that race each other for the same margin. State is sound
 * after each, and no wallet holds more than was brought in.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  BTC_CONTRACT,
  listContract,
  openContractAccount,
  pinMark,
  setIndex,
} from "../support/contract-setup.ts";
import {
  BUY_LONG,
  BUY_SHORT,
  done,
  endedAlgosOf,
  isolate,
  openAlgosOf,
  openBoth,
  orderBody,
  place,
  positionsOf,
  SELL_LONG,
  SELL_SHORT,
  SYMBOL,
  walletOf,
} from "../support/contract-trading.ts";
import { assertDocumented, codeOf } from "../support/documented-answers.ts";
import { exact, sum, text } from "../support/exact.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import type { Account } from "../support/exchange-setup.ts";
import { type Random, scaled, seededRandom } from "../support/random.ts";

const FLOOD = 200;
const RACERS = 40;
const ABUSES = 60;

const random = seededRandom("hostile/contracts");

async function assertSound({ operator }: ExchangeProcess): Promise<void> {
  const { ok, violations } = await operator.invariants();
  assert.equal(ok, true, violations.join("; "));
}

/** None of these is an amount that any field may take. */
const NO_AMOUNTS: readonly unknown[] = [
  "1e3",
  "-1",
  "+1",
  " 1",
  "1 ",
  "01",
  "1.",
  ".5",
  "0x1",
  "1,0",
  "NaN",
  "Infinity",
  "1000000000000000000",
  "0.0000000000000000001",
  `1${"0".repeat(60)}`,
  1e18,
  -1,
  0.1,
  true,
  {},
  [],
];
/** Well-formed, and beyond what anybody has or any market takes. */
const ABSURD = ["999999999999999999", "999999999999999999.999999999999999999"] as const;
const NO_LEVERAGES: readonly unknown[] = [0, -1, 1.5, "1.5", "20 ", "0", "", "1e1", 2 ** 53, "x"];

interface Field {
  readonly path: string;
  readonly name: string;
  readonly body: object;
}

function amountFields(positionId: number): readonly Field[] {
  const order = orderBody(BUY_LONG, "0.01", "59000");
  const algo = {
    symbol: SYMBOL,
    ...BUY_LONG,
    type: "STOP",
    quantity: "0.01",
    triggerPrice: "61000",
    price: "61000",
    clientAlgoId: "hostile",
  };
  const plan = {
    symbol: SYMBOL,
    positionSide: "LONG",
    planType: "STOP_LOSS",
    triggerPrice: "58000",
  };
  const tpSl = { ...plan, clientAlgoId: "hostile", quantity: "0.01", executePrice: "58000" };
  const margin = { isolatedPositionId: positionId, amount: "1", type: 1 };
  const trailing = { ...algo, type: "TRAILING_STOP_MARKET", callbackRate: "1" };
  const field = (path: string, body: object, ...names: string[]): Field[] =>
    names.map((name) => ({ path: `/capi/v3/${path}`, name, body }));
  return [
    ...field("order", order, "quantity", "price", "tpTriggerPrice", "slTriggerPrice"),
    ...field("algoOrder", algo, "quantity", "price", "triggerPrice", "presetTakeProfitPrice"),
    ...field("algoOrder", trailing, "callbackRate", "activationPrice"),
    ...field("placeTpSlOrder", tpSl, "quantity", "triggerPrice", "executePrice"),
    ...field("account/positionMargin", margin, "amount"),
  ];
}

async function amounts(t: TestContext, exchange: ExchangeProcess, maker: Account): Promise<void> {
  const alice = await openContractAccount(exchange, "10000");
  await isolate(alice, 20);
  await openBoth(alice, maker, "0.1", "60000");
  const [position] = await positionsOf(alice);
  const fields = amountFields(position?.id ?? 0);
  await exchange.operator.advanceClock(121_000);
  const before = await exchange.operator.stateHash();
  await t.test(`${fields.length} fields that take amounts take nothing else`, async () => {
    for (const { path, name, body } of fields) {
      for (const value of [...NO_AMOUNTS, ...ABSURD]) {
        const answer = await alice.client.post(path, { ...body, [name]: value });
        const what = `${path} ${name} ${JSON.stringify(value)}: ${answer.text}`;
        assert.notEqual(codeOf(answer), null, what);
        assertDocumented(answer, "capi");
        if (!ABSURD.includes(value as never)) assert.equal(codeOf(answer), "-1140", what);
      }
    }
  });
  await t.test("leverages", async () => {
    for (const name of ["crossLeverage", "isolatedLongLeverage", "isolatedShortLeverage"]) {
      for (const value of NO_LEVERAGES) {
        const body = { symbol: SYMBOL, [name]: value };
        const answer = await alice.client.post("/capi/v3/account/leverage", body);
        assert.equal(codeOf(answer), "-1140", `${name} ${JSON.stringify(value)}: ${answer.text}`);
      }
    }
  });
  assert.equal(await exchange.operator.stateHash(), before);
  await place(maker, BUY_SHORT, "0.1", "60000");
  await done(alice, "closePositions", {});
}

/** As many as the market allows, all reached by one price, each child moving the price further. */
async function flood(t: TestContext, exchange: ExchangeProcess, maker: Account): Promise<void> {
  await t.test(`${FLOOD} stops that set each other off, and one more`, async () => {
    const alice = await openContractAccount(exchange, "1000000");
    await openBoth(maker, alice, "1", "60000");
    const algo = (i: number): object => ({
      symbol: SYMBOL,
      ...BUY_LONG,
      type: "STOP_MARKET",
      quantity: "0.001",
      triggerPrice: (60_001 + i).toFixed(1),
      clientAlgoId: `flood-${i}`,
    });
    for (let i = 0; i < FLOOD; i++) await done(alice, "algoOrder", algo(i));
    const more = await alice.client.post("/capi/v3/algoOrder", algo(FLOOD));
    assert.equal(codeOf(more), "-3210", more.text);
    // Each child lifts one offer, whose price is the next one's trigger; the last finds none.
    for (let i = 0; i < FLOOD; i++) {
      await place(maker, SELL_SHORT, "0.001", (60_001 + i).toFixed(1));
    }
    const other = await openContractAccount(exchange, "1000000");
    await place(other, BUY_LONG, "0.001", null);
    assert.deepEqual(await openAlgosOf(alice), []);
    const ended = await endedAlgosOf(alice);
    assert.equal(ended.length, FLOOD);
    const statuses = ended.map(({ algoStatus }) => algoStatus);
    assert.equal(statuses.filter((status) => status === "FILLED").length, FLOOD - 1);
    assert.equal(statuses[0], "CANCELED");
    await assertSound(exchange);
    for (const { client } of [alice, other, maker]) await client.delete("/capi/v3/allOpenOrders");
  });
}

/** Two accounts of one owner shift profit to each other at prices all over the band. */
async function collusion(t: TestContext, exchange: ExchangeProcess, dice: Random): Promise<void> {
  await t.test("accomplices cannot take more out than they brought in", async () => {
    const brought = "5000";
    const pair = [
      await openContractAccount(exchange, brought),
      await openContractAccount(exchange, brought),
    ] as const;
    for (const account of pair) await isolate(account, 100);
    const fund = async (): Promise<string> => {
      const path = "/operator/v1/insurance/USDT";
      return (await exchange.operator.call<{ balance: string }>("GET", path)).balance;
    };
    const before = await fund();
    for (let i = 0; i < scaled(ABUSES); i++) {
      const [one, other] = dice.chance(0.5) ? pair : [pair[1], pair[0]];
      const price = (dice.integer(570_000, 630_000) / 10).toFixed(1);
      const quantity = (dice.integer(1, 3000) / 1000).toFixed(3);
      const [maker, taker] = dice.pick([
        [SELL_SHORT, BUY_LONG],
        [BUY_SHORT, SELL_LONG],
        [SELL_LONG, BUY_LONG],
        [SELL_SHORT, BUY_SHORT],
      ]);
      for (const [account, direction] of [
        [one, maker],
        [dice.chance(0.2) ? one : other, taker],
      ] as const) {
        const body = orderBody(direction, quantity, price);
        assertDocumented(await account.client.post("/capi/v3/order", body), "capi");
      }
      if (dice.chance(0.2)) {
        await pinMark(exchange, SYMBOL, (dice.integer(595_000, 605_000) / 10).toFixed(1));
      }
      for (const { client } of pair) await client.delete("/capi/v3/allOpenOrders");
    }
    await assertSound(exchange);
    const wallets = await Promise.all(pair.map(walletOf));
    const held = sum(wallets.map(({ balance }) => exact(balance)));
    const open = sum(wallets.map(({ unrealizePnl }) => exact(unrealizePnl)));
    const gained = held + open - 2n * exact(brought);
    const paid = exact(before) - exact(await fund());
    assert.ok(gained <= paid, `gained ${text(gained)}, of which the fund paid ${text(paid)}`);
    assert.ok(wallets.every(({ availableBalance }) => exact(availableBalance) >= 0n));
    await pinMark(exchange, SYMBOL, "60000");
  });
}

async function races(t: TestContext, exchange: ExchangeProcess, maker: Account): Promise<void> {
  await t.test(`${RACERS} orders at once share the margin of one`, async () => {
    // 590 / 20 and the fee: enough for exactly one.
    const alice = await openContractAccount(exchange, "29.972");
    const bodies = Array.from({ length: RACERS }, () => orderBody(BUY_LONG, "0.01", "59000"));
    const answers = await Promise.all(
      bodies.map((body) => alice.client.post("/capi/v3/order", body)),
    );
    const codes = answers.map(codeOf);
    assert.equal(codes.filter((code) => code === null).length, 1);
    assert.ok(codes.every((code) => code === null || code === "-3201"));
    const wallet = await walletOf(alice);
    assert.equal(wallet.availableBalance, "0");
    await alice.client.delete("/capi/v3/allOpenOrders");
  });

  await t.test(`${RACERS} closing orders at once close no more than there is`, async () => {
    const alice = await openContractAccount(exchange, "10000");
    await openBoth(alice, maker, "0.1", "60000");
    const bodies = Array.from({ length: RACERS }, () => orderBody(SELL_LONG, "0.03", "61000"));
    const answers = await Promise.all(
      bodies.map((body) => alice.client.post("/capi/v3/order", body)),
    );
    const codes = answers.map(codeOf);
    assert.equal(codes.filter((code) => code === null).length, 3);
    assert.ok(codes.every((code) => code === null || code === "-3202"));
    await place(maker, BUY_SHORT, "0.1", "60000");
    await done(alice, "closePositions", {});
    assert.deepEqual(await alice.client.v3("/capi/v3/openOrders"), []);
    await assertSound(exchange);
  });
}

test("hostile contract requests", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listContract(exchange, SYMBOL, BTC_CONTRACT);
  await setIndex(exchange, SYMBOL, "60000");
  await pinMark(exchange, SYMBOL, "60000");
  const maker = await openContractAccount(exchange, "10000000");
  await amounts(t, exchange, maker);
  await flood(t, exchange, maker);
  await races(t, exchange, maker);
  await collusion(t, exchange, random);
  assert.equal(exchange.exit, null, exchange.output);
});
