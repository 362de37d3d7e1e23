/** What REST says of accounts and markets, against the story that the journal tells. */

import { isDeepStrictEqual } from "node:util";
import { naiveContractBalances, naivePositions } from "../models/contract/naive-contract-views.ts";
import { naiveBalances } from "../models/naive-views.ts";
import type { AccountState, Row } from "../support/account-histories.ts";
import { exact, text } from "../support/exact.ts";
import { hold } from "./breach.ts";
import { incomeItem } from "./contract-readings.ts";
import { momentAt } from "./order-timelines.ts";
import { hasEnded, type Product } from "./orders.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { candleOf, type TapeTrade } from "./trade-tape.ts";
import type { Trader } from "./trader.ts";

const TRADES_PAGE = 100;
const BILLS_PAGE = 100;
const COINS = [
  ["BTC", 1],
  ["USDT", 2],
] as const;
/** Of these the candles are compared that hold one of the newest trades. */
const CANDLES: readonly (readonly [interval: string, lengthMs: number])[] = [
  ["1m", 60_000],
  ["1h", 3_600_000],
  ["1d", 86_400_000],
];

/** Orders and fills: each that the events tell of, once, and no other. */
export function checkHistory(
  { exchange: { story }, name, uid }: Trader,
  product: Product,
  { fills, orders }: AccountState,
): void {
  const who = `${name} ${product}`;
  for (const timeline of story.orders.ofAccount(product, uid)) {
    const row = orders.get(timeline.orderId);
    const moment = momentAt(timeline, story.sequence);
    const detail = () => `${who} ${timeline.orderId}: ${JSON.stringify(row)}`;
    hold(row !== undefined && moment !== undefined, "history has every order", detail);
    const isSame =
      hasEnded(row) === !moment.isOpen &&
      exact(String(row.cumFillSize)) === moment.filled &&
      exact(String(row.price)) === moment.price &&
      row.symbol === timeline.symbol;
    hold(isSame, "history has every order as it is", detail);
    const placedMs = timeline.moments[0]?.timeMs;
    const times = () => `${detail()}: ${placedMs}, ${moment.timeMs}`;
    const isThen = row.createdTime === String(placedMs);
    hold(isThen, "history has every order at its time", times);
    const hasEndedThen = moment.isOpen || row.updatedTime === String(moment.timeMs);
    hold(hasEndedThen, "history has every order at its time", times);
  }
  const plain = [...orders.values()].filter((row) => row.triggerPrice === undefined);
  const count = story.orders.ofAccount(product, uid).length;
  const counts = () => `${who}: ${plain.length} instead of ${count}`;
  hold(plain.length === count, "history has no other order", counts);
  checkFillsOf(story.trades.ofAccount(product, uid), fills, who);
}

function checkFillsOf(
  expected: readonly (readonly [key: string, trade: TapeTrade])[],
  fills: ReadonlyMap<string, Row>,
  who: string,
): void {
  for (const [key, trade] of expected) {
    const row = fills.get(key);
    const detail = () => `${who} ${key}: ${JSON.stringify(row)}`;
    const isSame =
      row !== undefined &&
      row.fillSize === text(trade.quantity) &&
      row.fillValue === text(trade.value) &&
      (trade.isPublic || row.direction === "TAKER") &&
      row.createdTime === String(trade.timeMs);
    hold(isSame, "history has every fill", detail);
  }
  const counts = () => `${who}: ${fills.size} instead of ${expected.length}`;
  hold(fills.size === expected.length, "history has no other fill", counts);
}

/** Balances and positions are those of the naive exchange after the same command. */
export function checkFunds(trader: Trader, product: Product, state: AccountState): void {
  const { naive } = trader.exchange.story;
  const spot = naiveBalances(naive, trader.uid) as Row[];
  const contract = naiveContractBalances(naive, trader.uid) as Row[];
  for (const expected of product === "spot" ? spot : contract) {
    const row = state.balances.get(String(expected.asset));
    const due =
      product === "spot"
        ? { equity: expected.equity, available: expected.available, frozen: expected.frozen }
        : { amount: expected.availableBalance, legacyAmount: expected.balance };
    checkRow(`${trader.name} ${product} ${expected.asset}`, row, due);
  }
  if (product === "spot") return;
  const positions = naivePositions(naive, trader.uid) as Row[];
  for (const { id, size, openValue, openFee, fundingFee, isolatedMargin, ...rest } of positions) {
    const { cumOpenSize, cumCloseSize, cumFundingFee, cumLiquidateFee, side } = rest;
    const sums = { cumOpenSize, cumCloseSize, cumFundingFee, cumLiquidateFee };
    const due = { size, openValue, openFee, fundingFee, isolatedMargin, side, ...sums };
    checkRow(`${trader.name} position ${id}`, state.positions.get(String(id)), due);
  }
  const counts = () => `${trader.name}: ${state.positions.size} of ${positions.length}`;
  hold(positions.length === state.positions.size, "positions as the naive exchange's", counts);
}

function checkRow(what: string, row: Row | undefined, due: Row): void {
  for (const [name, value] of Object.entries(due)) {
    const detail = () => `${what} ${name}: ${row?.[name]} instead of ${value}`;
    hold(row?.[name] === value, "balances and positions as the naive exchange's", detail);
  }
}

/** Each bill leads from the balance of the one before to its own, and the newest to the account. */
export async function checkBills(trader: Trader, { balances }: AccountState): Promise<void> {
  for (const [coinName, coinId] of COINS) {
    const equity = balances.get(coinName)?.equity ?? "0";
    const body = { coinId, limit: BILLS_PAGE };
    const outcome = await trader.send("POST", "/api/v3/account/bills", body);
    if (outcome?.status !== 200) continue;
    let after = exact(String(equity));
    const rows = outcome.body as Row[];
    for (const [index, row] of rows.entries()) {
      const detail = () => `${trader.name} ${coinName} ${text(after)}: ${JSON.stringify(row)}`;
      // Both bills of a match with oneself tell the balance behind both.
      const newer = rows[index - 1];
      const isOwn = newer !== undefined && isOfOneMatch(newer, row);
      const follows = isOwn || exact(String(row.afterAmount)) === after;
      hold(follows, "bills follow each other", detail);
      after -= exact(String(row.deltaAmount));
    }
    const isAll = rows.length < BILLS_PAGE;
    const detail = () => `${trader.name} ${coinName}: ${text(after)} before the first`;
    hold(!isAll || after === 0n, "bills follow each other", detail);
  }
}

function isOfOneMatch(one: Row, other: Row): boolean {
  const names = ["cTime", "fillSize", "fillValue", "afterAmount"];
  return (
    one.fillSize !== "0" &&
    names.every((name) => one[name] === other[name]) &&
    one.bizType !== other.bizType
  );
}

export async function checkIncome(trader: Trader, { balances }: AccountState): Promise<void> {
  const outcome = await trader.send("POST", "/capi/v3/account/income", { limit: BILLS_PAGE });
  if (outcome?.status !== 200) return;
  const { items } = outcome.body as { readonly items: readonly Row[] };
  const { history } = trader.exchange.story;
  const question = { uid: trader.uid, asset: null, symbol: null, incomeType: null, before: null };
  const time = { fromMs: null, toMs: null };
  const due = history.answer("income", { ...question, time, limit: BILLS_PAGE }).map(incomeItem);
  const at = items.findIndex((item, index) => !isDeepStrictEqual(item, due[index]));
  const both = () =>
    `${trader.name}: ${items.length} instead of ${due.length}, ` +
    `${JSON.stringify(items[at])} instead of ${JSON.stringify(due[at])}`;
  hold(at < 0 && items.length === due.length, "history has every income", both);
  let after = exact(String(balances.get("USDT")?.legacyAmount ?? "0"));
  const isAll = items.length < BILLS_PAGE;
  for (const row of items) {
    const detail = () => `${trader.name} ${text(after)}: ${JSON.stringify(row)}`;
    hold(exact(String(row.balance)) === after, "income follows", detail);
    after -= exact(String(row.income));
  }
  hold(!isAll || after === 0n, "income follows", () => `${trader.name}: ${text(after)} before`);
}

/** The newest public trades, and the candles that they are in. */
export async function checkMarket(
  exchange: SimulatedExchange,
  product: Product,
  symbol: string,
): Promise<void> {
  const trades = exchange.story.trades.of(product, symbol);
  const family = product === "spot" ? "/api/v3/market" : "/capi/v3/market";
  const page = { symbol, limit: TRADES_PAGE };
  const rows = await exchange.read<Row[]>(null, `${family}/trades`, page);
  const newest = trades.slice(-TRADES_PAGE).reverse();
  const wordsOf = (row: Row) => `${row.id} ${row.price} ${row.qty} ${row.time}`;
  const expected = newest.map(({ id, price, quantity, timeMs }) => {
    return `${id} ${text(price)} ${text(quantity)} ${timeMs}`;
  });
  const said = rows.map(wordsOf);
  const detail = () => `${product}: ${said.slice(0, 3)}… instead of ${expected.slice(0, 3)}…`;
  hold(String(said) === String(expected), "public trades are all trades", detail);
  const last = trades.at(-1);
  if (last === undefined) return;
  for (const [interval, lengthMs] of CANDLES) {
    const openMs = last.timeMs - (last.timeMs % lengthMs);
    const inside = trades.filter(({ timeMs }) => timeMs >= openMs && timeMs < openMs + lengthMs);
    const query = { symbol, interval, startTime: openMs, endTime: openMs };
    const klines = product === "spot" ? "klines" : "historyKlines";
    const candles = await exchange.read<unknown[]>(null, `${family}/${klines}`, query);
    const due = JSON.stringify([candleOf(openMs, lengthMs, inside)]);
    const both = () => `${product} ${interval}: ${JSON.stringify(candles)} instead of ${due}`;
    hold(JSON.stringify(candles) === due, "candles are the sum of trades", both);
  }
}
