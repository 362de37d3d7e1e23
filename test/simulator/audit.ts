/** The check of everything, while nobody sends anything. */
import type { AccountState } from "../support/account-histories.ts";
import { exact, text, times } from "../support/exact.ts";
import { askAsAffiliate, checkAffiliate } from "./affiliate-check.ts";
import { checkWaiting } from "./affiliate-reports.ts";
import { Breach, hold } from "./breach.ts";
import type { CommandBookWatch } from "./command-books.ts";
import type { FundingWatch } from "./funding-watch.ts";
import { checkBills, checkFunds, checkHistory, checkIncome, checkMarket } from "./history-check.ts";
import { SYMBOL } from "./markets.ts";
import { askAsOperator } from "./operator-check.ts";
import { hasEnded, type Product } from "./orders.ts";
import { checkPublicReadings, checkReadings } from "./readings.ts";
import { hasFamily } from "./scenes/families.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { checkState, checkStep } from "./state-check.ts";
import type { TapeWatch } from "./tape-watch.ts";
import type { Trader } from "./trader.ts";
import type { BookWatch, PrivateWatch } from "./watches.ts";

export interface Audited {
  readonly exchange: SimulatedExchange;
  readonly traders: readonly Trader[];
  /** Of traders who have left: they had the other side of some matches, and stops that wait. */
  readonly formerUids: readonly number[];
  readonly privateWatches: readonly PrivateWatch[];
  readonly fundingWatches: readonly FundingWatch[];
  readonly books: readonly BookWatch[];
  readonly commandBooks: readonly CommandBookWatch[];
  readonly tapes: readonly TapeWatch[];
  readonly products: readonly Product[];
  /** Of nodes, each of which has its own, so that nobody knows what is of now. */
  readonly hasClocks?: true;
}

export async function audit(audited: Audited): Promise<void> {
  const { exchange, traders, privateWatches, books, commandBooks, products } = audited;
  await checkState(exchange);
  for (const product of products) {
    const states: AccountState[] = [];
    for (const trader of traders) await exchange.life.until(resolveUnknown(trader, product));
    const before = (await checkStep(exchange)).sequence;
    for (const trader of traders) {
      const state = await exchange.life.until(trader.readAccount(product));
      exchange.trace(`${trader.name} ${product}`, [...state.orders.values()]);
      trader.orders.check(product, state.orders.values());
      states.push(state);
    }
    const meetsOthers = audited.formerUids.length > 0 || hasFamily(exchange);
    if (product === "spot") checkFills(states, meetsOthers);
    const isSame = (await checkStep(exchange)).sequence === before;
    const book = books.find((watch) => watch.product === product);
    // First of all what must still be so: whoever waits for messages lets time pass.
    if (isSame && book !== undefined) {
      const left = restOfFormer(audited, product);
      await exchange.life.until(checkBook(book, states, left));
    }
    if (isSame) await checkAgainstStory(audited, product, states);
    for (const watch of privateWatches) {
      if (watch.product !== product) continue;
      // What was read a moment ago, while nothing has changed since.
      const state = isSame ? states[traders.indexOf(watch.trader)] : undefined;
      await exchange.life.until(watch.check(state));
    }
  }
  for (const watch of audited.fundingWatches) await exchange.life.until(watch.check());
  for (const watch of books) await exchange.life.until(watch.check());
  for (const watch of audited.tapes) await exchange.life.until(watch.check());
  for (const watch of commandBooks) {
    const book = books.find(({ product }) => product === watch.product);
    await exchange.life.until(watch.check(book?.highestVersion ?? 0));
  }
}

/** Questions of an operator about accounts, and as many about commissions. */
const OPERATOR_READINGS = 2;
/** Questions of each trader. */
const READINGS = 4;
/** Of one of them. */
const PUBLIC_READINGS = 3;

/** Only if time alone has brought no other command while it was read. */
async function checkAgainstStory(
  { exchange, hasClocks, traders }: Audited,
  product: Product,
  states: readonly AccountState[],
): Promise<void> {
  for (const [index, trader] of traders.entries()) {
    const state = states[index];
    if (state === undefined) continue;
    if (product === "spot") checkSpotFunds(trader, state);
    checkHistory(trader, product, state);
    checkFunds(trader, product, state);
    if (product === "spot") await exchange.life.until(checkBills(trader, state));
    else await exchange.life.until(checkIncome(trader, state));
    await exchange.life.until(checkAffiliate(trader));
  }
  await exchange.life.until(checkWaiting(exchange));
  await exchange.life.until(checkMarket(exchange, product, SYMBOL));
  for (const trader of traders) await checkReadings(trader, product, READINGS);
  for (const trader of traders) await askAsAffiliate(trader);
  await askAsOperator(exchange, OPERATOR_READINGS);
  if (hasClocks !== true) await checkPublicReadings(traders, [product], PUBLIC_READINGS);
}

/** Whoever lost an answer asks what became of the order, which from then on must not change. */
async function resolveUnknown(trader: Trader, product: Product): Promise<void> {
  for (const order of trader.orders.ofFate(product, "unknown")) await trader.lookUp(order);
}

/** Balances follow from movements, own fills and open orders. */
function checkSpotFunds(trader: Trader, { orders, fills, balances }: AccountState): void {
  const frozen = new Map<string, bigint>();
  const filled = new Map<string, [size: bigint, value: bigint]>();
  const { affiliates, naive } = trader.exchange.story;
  const equity = new Map<string, bigint>([...trader.funds]);
  const add = (sums: Map<string, bigint>, asset: string, amount: bigint) => {
    sums.set(asset, (sums.get(asset) ?? 0n) + amount);
  };
  for (const asset of ["BTC", "USDT"]) {
    add(equity, asset, affiliates.paid(trader.uid, asset) + naive.arrived(trader.uid, asset));
    add(frozen, asset, naive.frozenForWithdrawals(trader.uid, asset));
  }
  for (const fill of fills.values()) {
    const size = exact(String(fill.fillSize));
    const value = exact(String(fill.fillValue));
    const fee = exact(String(fill.fillFee));
    const sign = fill.orderSide === "BUY" ? 1n : -1n;
    add(equity, "BTC", sign * size - (sign > 0n ? fee : 0n));
    add(equity, "USDT", -sign * value - (sign > 0n ? 0n : fee));
    const [sizes, values] = filled.get(String(fill.orderId)) ?? [0n, 0n];
    filled.set(String(fill.orderId), [sizes + size, values + value]);
  }
  for (const order of orders.values()) {
    const [size, value] = filled.get(String(order.id)) ?? [0n, 0n];
    const detail = () => `${text(size)} ${text(value)}: ${JSON.stringify(order)}`;
    hold(text(size) === order.cumFillSize, "an order is the sum of its fills", detail);
    hold(text(value) === order.cumFillValue, "an order is the sum of its fills", detail);
    if (hasEnded(order)) continue;
    const rest = exact(String(order.size)) - size;
    if (order.orderSide === "SELL") add(frozen, "BTC", rest);
    else add(frozen, "USDT", times(exact(String(order.price)), rest));
  }
  for (const [asset, expected] of equity) {
    const row = balances.get(asset);
    const said = [row?.equity, row?.frozen];
    const due = [text(expected), text(frozen.get(asset) ?? 0n)];
    const detail = () => `${trader.name} ${asset}: ${said} instead of ${due}`;
    hold(String(said) === String(due), "balances follow from fills", detail);
  }
}

/**
 * Each match of spot has a maker and a taker, with the same size. In those of contracts a position
 * may be netted, which has no maker; the story knows both sides.
 */
function checkFills(states: readonly AccountState[], meetsOthers: boolean): void {
  const sides = new Map<string, Map<unknown, string>>();
  for (const { fills } of states) {
    for (const fill of fills.values()) {
      const key = String(fill.id);
      const known = sides.get(key) ?? new Map<unknown, string>();
      const role = `${fill.direction}`;
      if (known.has(role)) throw new Breach("each match has two sides", JSON.stringify(fill));
      known.set(role, `${fill.fillSize}`);
      sides.set(key, known);
    }
  }
  for (const [id, roles] of sides) {
    const sizes = new Set(roles.values());
    const isWhole = (roles.size === 2 || meetsOthers) && sizes.size === 1;
    hold(isWhole, "each match has two sides", () => `${id}: ${JSON.stringify([...roles])}`);
  }
}

type Sides = Readonly<Record<"BUY" | "SELL", Map<string, bigint>>>;

/**
 * By price. Who leaves cancels what rests, not what waits for a trigger; nobody asks for the lists
 * of these traders any more, so the naive exchange says what became of it.
 */
function restOfFormer({ exchange, formerUids }: Audited, product: Product): Sides {
  const rests: Sides = { BUY: new Map(), SELL: new Map() };
  for (const side of ["BUY", "SELL"] as const) {
    for (const order of exchange.story.books.restingIn(`${product} ${SYMBOL}`, side)) {
      if (!formerUids.includes(order.uid)) continue;
      addRest(rests[side], text(order.price), order.quantity - order.filled);
    }
  }
  return rests;
}

function addRest(side: Map<string, bigint>, price: string, rest: bigint): void {
  side.set(price, (side.get(price) ?? 0n) + rest);
}

/** What rests in the book is what is left of all open orders; `expected`: of those of others. */
async function checkBook(
  watch: BookWatch,
  states: readonly AccountState[],
  expected: Sides,
): Promise<void> {
  for (const { orders } of states) {
    for (const order of orders.values()) {
      const rests = order.symbol === SYMBOL && order.status === "NEW";
      if (!rests || order.triggerPrice !== undefined) continue;
      const price = text(exact(String(order.price)));
      const rest = exact(String(order.size)) - exact(String(order.cumFillSize));
      addRest(expected[order.orderSide as "BUY" | "SELL"], price, rest);
    }
  }
  const { asks, bids } = await watch.depth();
  for (const [name, levels] of [
    ["BUY", bids],
    ["SELL", asks],
  ] as const) {
    const due = new Map([...expected[name]].map(([price, rest]) => [price, text(rest)]));
    for (const [price, quantity] of levels) {
      const mine = due.get(price);
      const detail = () => `${watch.product} ${name} ${price}: ${quantity} instead of ${mine}`;
      hold(mine === quantity, "the book is the sum of open orders", detail);
      due.delete(price);
    }
    const detail = () => `${watch.product} ${name}: ${JSON.stringify([...due])} is missing`;
    hold(due.size === 0 || levels.length === 200, "the book is the sum of open orders", detail);
  }
}
