/**
 * Accounts at the brink: some take more risk than they can bear, and the mark goes to where one of
 * their positions is due, to the tick. What waits in the book then is around the bankruptcy price
 * or nowhere, so that a liquidation has a fee or none, the fund pays, or others give positions up.
 */
import type { NaiveContractExchange } from "../../models/contract/naive-contract-exchange.ts";
import type {
  NaiveContractMarket,
  NaivePosition,
} from "../../models/contract/naive-contract-state.ts";
import { exact, text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { CONTRACT_PRICE, SYMBOL } from "../markets.ts";
import { operate } from "../operate.ts";
import { passTime } from "../pass-time.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { Trader } from "../trader.ts";
import type { World } from "./world.ts";

const INDEX_PATH = `index-prices/${SYMBOL}`;
const MARK_MS = 1_100;
const WALLET = { account: "contract", asset: "USDT" };
/** With less nobody takes a risk. */
const FUNDS_MIN = 50;
/** Of what a leverage allows. */
const SHARES = [0.05, 0.3, 0.6, 0.9];
const QUANTITY_MAX = 20;
/** A part of the mark: no farther does it go. */
const FARTHEST = 10n;
const opposite = { LONG: "SHORT", SHORT: "LONG" } as const;
const opening = { LONG: "BUY", SHORT: "SELL" } as const;
const closing = { LONG: "SELL", SHORT: "BUY" } as const;

function down(n: bigint, d: bigint, unit: bigint): bigint {
  return (n / (d * unit)) * unit;
}

function up(n: bigint, d: bigint, unit: bigint): bigint {
  return down(n + d * unit - 1n, d, unit);
}

/** A new position, or the mark goes to where one of those that there are is due. */
export async function goToTheBrink(world: World, random: Random): Promise<void> {
  const { naive } = world.exchange.story;
  const market = naive.contracts.get(SYMBOL);
  if (market === undefined) return;
  const positions = naive.positions.filter((position) => isNear(naive, market, position));
  if (positions.length === 0 || random.chance(0.35)) return await takeRisk(world, random);
  const position = random.pick(positions);
  await offerAround(world, market, position, random);
  await moveMark(world.exchange, dueMark(naive, market, position, random), market, random);
  if (random.chance(0.8)) await moveIndex(world.exchange, String(CONTRACT_PRICE));
}

/** The mark would not have to go far, on which everybody depends. */
function isNear(
  naive: NaiveContractExchange,
  { mark, symbol }: NaiveContractMarket,
  position: NaivePosition,
): boolean {
  const away = naive.liquidatePrice(position) - mark;
  return position.symbol === symbol && FARTHEST * (away < 0n ? -away : away) < mark;
}

/** Somebody opens a position of high leverage against somebody else, who can pay for it. */
async function takeRisk({ exchange, traders }: World, random: Random): Promise<void> {
  const [holder, other] = random.shuffle([...traders]);
  if (holder === undefined || other === undefined) return;
  const leverage = random.integer(20, 100);
  // Days may have passed since it was set.
  await operate(exchange, "PUT", INDEX_PATH, { price: String(CONTRACT_PRICE), force: true });
  if (random.chance(0.6)) await holder.cancelAll("contract", SYMBOL);
  await ask(holder, "marginType", {
    marginType: random.pick(["CROSSED", "ISOLATED"]),
    separatedType: random.pick(["COMBINED", "COMBINED", "SEPARATED"]),
  });
  await ask(holder, "leverage", {
    crossLeverage: leverage,
    isolatedLongLeverage: leverage,
    isolatedShortLeverage: leverage,
  });
  const left = Number(text(exchange.story.naive.availableBalance(holder.uid, "USDT")));
  if (left < FUNDS_MIN) await holder.move("deposits", { ...WALLET, amount: "500" });
  const funds = left < FUNDS_MIN ? 500 : left;
  const price = CONTRACT_PRICE + random.integer(-40, 40) / 10;
  const most = (random.pick(SHARES) * leverage * funds) / price;
  const quantity = Math.min(QUANTITY_MAX, most).toFixed(3);
  const positionSide = random.pick(["LONG", "SHORT"] as const);
  await fund(other, Number(quantity) * price);
  await openAgainst([holder, other], { positionSide, price, quantity }, random);
  if (random.chance(0.6)) return;
  // What it holds on the other side too is netted before anything is closed.
  const less = (Number(quantity) * random.pick([0.3, 0.8, 1])).toFixed(3);
  const hedge = { positionSide: opposite[positionSide], price, quantity: less };
  await openAgainst([holder, other], hedge, random);
}

interface Opened {
  readonly positionSide: keyof typeof opening;
  readonly price: number;
  readonly quantity: string;
}

/** The other one waits, and the holder takes. */
async function openAgainst(
  [holder, other]: readonly [Trader, Trader],
  { positionSide, price, quantity }: Opened,
  random: Random,
): Promise<void> {
  const terms = { symbol: SYMBOL, type: "LIMIT", price: price.toFixed(1), quantity };
  const [side, otherSide] = [opening[positionSide], closing[positionSide]];
  const against = { side: otherSide, positionSide: opposite[positionSide], timeInForce: "GTC" };
  const waiting = await other.place("contract", { ...terms, ...against });
  await holder.place("contract", { ...terms, side, positionSide, timeInForce: "IOC" });
  if (random.chance(0.7)) await other.cancel(waiting);
}

async function ask(trader: Trader, what: string, terms: object): Promise<void> {
  const path = `/capi/v3/account/${what}`;
  const outcome = await trader.send("POST", path, { symbol: SYMBOL, ...terms });
  if (outcome === null || outcome.status === 200) return;
  trader.expectRefusal(outcome, `${path} ${JSON.stringify(terms)}`);
}

/** Enough for a position of that value at a leverage of ten. */
async function fund(trader: Trader, value: number): Promise<void> {
  const needed = value / 10;
  const available = trader.exchange.story.naive.availableBalance(trader.uid, "USDT");
  if (Number(text(available)) >= needed) return;
  const amount = Math.ceil(needed).toString();
  await trader.move("deposits", { ...WALLET, amount });
}

/** Somebody waits where the position has nothing left, a tick beside, or where the fee is paid. */
async function offerAround(
  { exchange, traders }: World,
  market: NaiveContractMarket,
  position: NaivePosition,
  random: Random,
): Promise<void> {
  if (random.chance(0.5)) {
    // Whoever waits nearer would be met first.
    for (const trader of traders) await trader.cancelAll("contract", SYMBOL);
  }
  const others = traders.filter(({ uid }) => uid !== position.uid);
  if (others.length === 0 || random.chance(0.2)) return;
  const { naive } = exchange.story;
  const { rules } = market;
  const isLong = position.side === "LONG";
  const { n, d } = naive.bankruptcy(position);
  const bankrupt = isLong ? up(n, d, rules.tick) : down(n, d, rules.tick);
  const better = isLong ? 1n : -1n;
  const feePaid = bankrupt + better * up(bankrupt * rules.taker, exact("1"), rules.tick);
  const due = naive.liquidatePrice(position);
  const edge = random.pick([bankrupt, bankrupt, feePaid, feePaid, due, (bankrupt + due) / 2n]);
  const ticks = edge / rules.tick + BigInt(random.integer(-1, 1));
  if (ticks <= 0n) return;
  const lots = position.size / rules.step;
  const some = random.pick([lots, lots, lots, lots + 1n, lots - 1n, lots / 2n]);
  if (some <= 0n) return;
  const maker = random.pick(others);
  // Whoever holds the other side may close it, which costs no margin.
  const holds = naive.positionsOf(maker.uid, SYMBOL).some(({ side }) => side !== position.side);
  const positionSide = holds && random.chance(0.5) ? opposite[position.side] : position.side;
  if (positionSide === position.side) await fund(maker, Number(text(position.openValue)));
  await maker.place("contract", {
    symbol: SYMBOL,
    side: opening[position.side],
    positionSide,
    type: "LIMIT",
    timeInForce: "GTC",
    price: text(ticks * rules.tick),
    quantity: text(some * rules.step),
  });
}

/** Where the position is due, or a tick beside, or nothing is left, or not even that. */
function dueMark(
  naive: NaiveContractExchange,
  market: NaiveContractMarket,
  position: NaivePosition,
  random: Random,
): bigint {
  const { tick } = market.rules;
  const { n, d } = naive.bankruptcy(position);
  const bankrupt = down(n, d, tick);
  const due = naive.liquidatePrice(position);
  const edge = random.pick([due, due, (due + bankrupt) / 2n, bankrupt]);
  const beyond = random.chance(0.2) ? (edge - market.mark) / 10n : 0n;
  const ticks = (edge + beyond) / tick + BigInt(random.integer(-1, 1));
  return ticks <= 0n ? tick : ticks * tick;
}

/** By the index, beside which the mark goes on as far as the book is; or by itself. */
async function moveMark(
  exchange: SimulatedExchange,
  mark: bigint,
  market: NaiveContractMarket,
  random: Random,
): Promise<void> {
  const { tick } = market.rules;
  if (market.pinned > 0n || (exchange.sandbox && random.chance(0.4))) {
    const path = `sandbox/mark-prices/${SYMBOL}`;
    await operate(exchange, "PUT", path, { price: text(mark) });
    await passTime(exchange, MARK_MS);
    await operate(exchange, "PUT", path, { price: null });
    return;
  }
  const index = mark - (market.mark - market.indexPrice);
  await moveIndex(exchange, text(index > 0n ? index : tick));
}

async function moveIndex(exchange: SimulatedExchange, price: string): Promise<void> {
  await operate(exchange, "PUT", INDEX_PATH, { price, force: true });
  await passTime(exchange, MARK_MS);
}
