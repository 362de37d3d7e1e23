/**
 * Proves the worked example of the documentation through HTTP with the public client: opening,
 * funding, a partial close, and a liquidation in both ways it can end, above the bankruptcy price
 * and below it, where the insurance fund pays. Every number is the one that is calculated there by
 * hand.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import {
  BTC_CONTRACT,
  listContract,
  openContractAccount,
  passFundingSlot,
  pinMark,
  setIndex,
} from "../support/contract-setup.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { BTC_SWAP, ccxtClient, type Trader } from "./ccxt-client.ts";
import { allIncome, assertChain } from "./ccxt-swap-histories.ts";

const SYMBOL = "BTCUSDT";
const FUND = "1000";

interface Fixture {
  readonly exchange: ExchangeProcess;
  readonly alice: Trader;
  readonly bob: Trader;
}

interface WalletRow {
  readonly balance: string;
  readonly availableBalance: string;
}

async function walletOf({ ccxt: client }: Trader): Promise<WalletRow> {
  const [row] = (await client.fetchBalance()).info as [WalletRow];
  const { balance, availableBalance } = row;
  return { balance, availableBalance };
}

type PositionRow = Readonly<Record<string, unknown>>;

async function positionOf({ account }: Trader): Promise<PositionRow> {
  const path = "/capi/v3/account/position/singlePosition";
  const rows = await account.client.v3<PositionRow[]>(path, { symbol: SYMBOL });
  assert.equal(rows.length, 1);
  return rows[0] as PositionRow;
}

async function opening(t: TestContext, { exchange, alice, bob }: Fixture): Promise<void> {
  await t.test("1: a market buy of 1 at 60000, isolated at leverage 20", async () => {
    await alice.ccxt.setMarginMode("isolated", BTC_SWAP);
    await alice.ccxt.setLeverage(20, BTC_SWAP, { marginMode: "isolated" });
    await bob.ccxt.createOrder(BTC_SWAP, "limit", "sell", 1, 60_000);
    const order = await alice.ccxt.createOrder(BTC_SWAP, "market", "buy", 1);
    const read = await alice.ccxt.fetchOrder(order.id as string, BTC_SWAP);
    assert.deepEqual([read.status, read.average, read.cost], ["closed", 60_000, 60_000]);
    assert.deepEqual(await walletOf(alice), { balance: "9952", availableBalance: "6952" });
    assert.partialDeepStrictEqual(await positionOf(alice), {
      size: "1",
      openValue: "60000",
      openFee: "48",
      isolatedMargin: "3000",
      liquidatePrice: "57332.5",
    });
  });

  await t.test("2: the mark rises to 61000", async () => {
    await pinMark(exchange, SYMBOL, "61000");
    const position = await positionOf(alice);
    assert.deepEqual([position.unrealizePnl, position.marginSize], ["1000", "3000"]);
    assert.deepEqual(await walletOf(alice), { balance: "9952", availableBalance: "6952" });
  });

  await t.test("3: funding of 0.01 % comes out of the position's margin", async () => {
    const slotMs = await passFundingSlot(exchange, alice.account, SYMBOL);
    assert.partialDeepStrictEqual(await positionOf(alice), {
      fundingFee: "6.1",
      cumFundingFee: "6.1",
      isolatedMargin: "2993.9",
      liquidatePrice: "57338.7",
    });
    assert.deepEqual(await walletOf(alice), { balance: "9945.9", availableBalance: "6952" });
    const [row] = await alice.ccxt.fetchFundingHistory(BTC_SWAP);
    assert.deepEqual([row?.amount, row?.timestamp], [-6.1, slotMs]);
    const [theirs] = await bob.ccxt.fetchFundingHistory(BTC_SWAP);
    assert.equal(theirs?.amount, 6.1);
  });
}

async function closing(t: TestContext, { exchange, alice, bob }: Fixture): Promise<void> {
  await t.test("4 and 5: 0.4 are sold at 61500; the whole row", async () => {
    const before = await positionOf(alice);
    const params = { reduceOnly: true };
    await bob.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.4, 61_500, params);
    const order = await alice.ccxt.createOrder(BTC_SWAP, "market", "sell", 0.4, undefined, params);
    const [fill] = await alice.ccxt.fetchOrderTrades(order.id as string, BTC_SWAP);
    assert.partialDeepStrictEqual(fill?.info, {
      realizedPnl: "600",
      commission: "19.68",
      quoteQty: "24600",
      maker: false,
    });
    assert.deepEqual(await walletOf(alice), { balance: "10526.22", availableBalance: "8729.88" });
    await pinMark(exchange, SYMBOL, "61500");
    const { updatedTime, updatedMatchSequenceId, ...row } = await positionOf(alice);
    assert.ok(Number(updatedTime) >= Number(before.updatedTime));
    assert.ok(Number(updatedMatchSequenceId) > Number(before.updatedMatchSequenceId));
    const { id, createdTime, createdMatchSequenceId } = before;
    assert.deepEqual(row, {
      id,
      asset: "USDT",
      symbol: SYMBOL,
      side: "LONG",
      marginType: "ISOLATED",
      separatedMode: "COMBINED",
      separatedOpenOrderId: 0,
      leverage: "20",
      size: "0.6",
      openValue: "36000",
      openFee: "28.8",
      fundingFee: "3.66",
      marginSize: "1796.34",
      isolatedMargin: "1796.34",
      isAutoAppendIsolatedMargin: false,
      cumOpenSize: "1",
      cumOpenValue: "60000",
      cumOpenFee: "48",
      cumCloseSize: "0.4",
      cumCloseValue: "24600",
      cumCloseFee: "19.68",
      cumFundingFee: "6.1",
      cumLiquidateFee: "0",
      createdMatchSequenceId,
      createdTime,
      unrealizePnl: "900",
      liquidatePrice: "57338.7",
    });
  });
}

interface Ending {
  readonly name: string;
  readonly bid: number;
  readonly income: readonly (readonly [type: string, income: string])[];
  readonly fee: string;
  readonly fund: string;
}

const ENDINGS: readonly Ending[] = [
  {
    name: "above the bankruptcy price: what is left goes to the insurance fund",
    bid: 57_200,
    income: [
      ["start_liquidate", "0"],
      ["position_close_long", "-1707.456"],
      ["finish_liquidate", "-88.884"],
    ],
    fee: "27.456",
    fund: "1088.884",
  },
  {
    name: "below the bankruptcy price: the insurance fund pays loss and fee",
    bid: 56_900,
    income: [
      ["start_liquidate", "0"],
      ["position_close_long", "-1887.312"],
      ["order_fix_margin_amount", "90.972"],
      ["finish_liquidate", "0"],
    ],
    fee: "27.312",
    fund: "909.028",
  },
];

async function liquidation(t: TestContext, fixture: Fixture, ending: Ending): Promise<void> {
  const { exchange, alice, bob } = fixture;
  await t.test("6: one tick above the liquidation price nothing happens", async () => {
    const bid = { reduceOnly: true };
    await bob.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.6, ending.bid, bid);
    await pinMark(exchange, SYMBOL, "57338.7");
    assert.equal((await positionOf(alice)).size, "0.6");
  });

  await t.test(`6: at 57338.6 it is liquidated, ${ending.name}`, async () => {
    const resting = await alice.ccxt.createOrder(BTC_SWAP, "limit", "buy", 0.001, 55_000);
    const known = (await allIncome(alice)).length;
    await pinMark(exchange, SYMBOL, "57338.6");
    assert.deepEqual(await alice.ccxt.fetchPositions([BTC_SWAP]), []);
    const cancelled = await alice.ccxt.fetchOrder(resting.id as string, BTC_SWAP);
    assert.equal(cancelled.status, "canceled");
    assert.deepEqual(await walletOf(alice), { balance: "8729.88", availableBalance: "8729.88" });
    const rows = await allIncome(alice);
    assert.deepEqual(
      rows.slice(known).map(({ incomeType, income }) => [incomeType, income]),
      ending.income,
    );
    assertChain(rows, "8729.88");
    const fill = (await alice.ccxt.fetchMyTrades(BTC_SWAP)).at(-1);
    assert.equal(fill?.price, ending.bid);
    assert.equal(fill?.info.commission, ending.fee);
    const order = await alice.ccxt.fetchOrder(fill?.order as string, BTC_SWAP);
    assert.deepEqual([order.status, order.type, order.reduceOnly], ["closed", "market", true]);
    const path = "/operator/v1/insurance/USDT";
    const fund = await exchange.operator.call<{ balance: string }>("GET", path);
    assert.equal(fund.balance, ending.fund);
    const { ok, violations } = await exchange.operator.invariants();
    assert.equal(ok, true, violations.join("; "));
  });
}

for (const ending of ENDINGS) {
  test(`the worked example, ending ${ending.name}`, async (t) => {
    const exchange = await ExchangeProcess.start({ process: "shared" });
    t.after(() => exchange.stop());
    await listContract(exchange, SYMBOL, BTC_CONTRACT);
    await setIndex(exchange, SYMBOL, "60000");
    const fund = { id: "first", amount: FUND };
    await exchange.operator.call("POST", "/operator/v1/insurance/USDT/deposits", fund);
    const called = new Set<string>();
    const trader = async (amount: string): Promise<Trader> => {
      const account = await openContractAccount(exchange, amount);
      return { account, ccxt: ccxtClient(exchange, called, account.credentials, "swap") };
    };
    const fixture = { exchange, alice: await trader("10000"), bob: await trader("1000000") };
    await opening(t, fixture);
    await closing(t, fixture);
    await liquidation(t, fixture, ending);
  });
}
