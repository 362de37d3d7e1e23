/**
 * A contract whose index comes from the spot market of its name: quotes come and go on both, second
 * by second, the spot market stops trading, rules and ticks change, also of funding, and now and
 * then an operator sets the index after all.
 */

import { BTC_CONTRACT } from "../../support/contract-setup.ts";
import { exact, text } from "../../support/exact.ts";
import { BTCUSDT } from "../../support/exchange-setup.ts";
import { Random } from "../../support/random.ts";
import type { Credentials } from "../../support/signed-client.ts";
import type { World } from "../aims/world.ts";
import { placeConditional } from "../contract-acts.ts";
import { SPOT_PRICE } from "../markets.ts";
import { operate } from "../operate.ts";
import { passTime } from "../pass-time.ts";
import type { SimulatedExchange, Wire } from "../simulated-exchange.ts";
import { Trader } from "../trader.ts";
import type { Errand } from "./errand.ts";

/** Of the pair that the spot accounts have. */
export const INDEXED_SYMBOL = "XBTUSDT";

const ACTS_MAX = 5;
/** Each a multiple of the next, to which a tick may change. */
const TICKS = ["5", "0.5", "0.1", "0.02"];
const STALE_MS = [0, 2_000, 5_000, 20_000];
const DEPTHS = ["20", "50", "120"];
/** Of the price, in thousandths. */
const NEAR = [0, 0, 1, 2, 5];
const FAR = [10, 40, 120];
const WAITS_MS = [400, 1_000, 1_001, 3_000, 8_000, 16_000];

const spotOf = ({ exchange }: Errand) => exchange.story.naive.markets.get(INDEXED_SYMBOL);
const contractOf = ({ exchange }: Errand) => exchange.story.naive.contracts.get(INDEXED_SYMBOL);

/** Whoever quotes on spot has that for its only business, and its orders are nobody else's. */
const QUOTERS = new WeakMap<SimulatedExchange, Trader>();

/** False while spot is not known to be there, without which the contract's index has no source. */
async function list({ exchange, random }: Errand): Promise<boolean> {
  const listed = await operate(exchange, "PUT", `markets/spot/${INDEXED_SYMBOL}`, BTCUSDT);
  if (listed === null) return false;
  const rules = { ...BTC_CONTRACT, ...rulesOf(random), tickSize: TICKS[0] };
  await operate(exchange, "PUT", `markets/contract/${INDEXED_SYMBOL}`, rules);
  return true;
}

/** Null while the answers are lost. */
async function quoterOf({ exchange }: Errand): Promise<Trader | null> {
  const known = QUOTERS.get(exchange);
  if (known !== undefined) return known;
  const user = await operate(exchange, "POST", "users", {});
  if (user === null) return null;
  const { uid } = user as { readonly uid: number };
  const key = { label: "quoter", permissions: ["read", "spot"], passphrase: "passphrase" };
  const credentials = await operate(exchange, "POST", `users/${uid}/api-keys`, key);
  if (credentials === null) return null;
  const quoter = new Trader(exchange, `q${uid}`, uid, credentials as Credentials);
  QUOTERS.set(exchange, quoter);
  await quoter.move("deposits", { account: "spot", asset: "BTC", amount: "100" });
  await quoter.move("deposits", { account: "spot", asset: "USDT", amount: "100000" });
  return quoter;
}

function rulesOf(random: Random) {
  return {
    indexStaleMs: random.pick(STALE_MS),
    impactNotional: random.pick(DEPTHS),
    fundingIntervalMinutes: random.pick([1, 480]),
    maxLeverage: random.pick([20, 50, 100]),
  };
}

/** The same, or others of them, and perhaps in a finer tick, for which nothing may wait. */
async function changeRules(errand: Errand): Promise<void> {
  const { exchange, random, traders } = errand;
  const known = contractOf(errand)?.rules;
  const at = TICKS.findIndex((one) => exact(one) === known?.tick);
  const isFiner = random.chance(0.6);
  if (isFiner) {
    for (const trader of traders) {
      await trader.cancelAll("contract", INDEXED_SYMBOL);
      await trader.send("DELETE", `/capi/v3/algoOpenOrders?symbol=${INDEXED_SYMBOL}`);
    }
  }
  const tickSize = TICKS[Math.max(0, at + (isFiner ? random.pick([1, 1, 2, -1]) : 0))];
  const changed = { ...rulesOf(random), tickSize: tickSize ?? TICKS.at(-1) };
  const rules = { ...BTC_CONTRACT, ...changed };
  await operate(exchange, "PUT", `markets/contract/${INDEXED_SYMBOL}`, rules);
}

function limit(side: "BUY" | "SELL", price: string, quantity: string) {
  return { symbol: INDEXED_SYMBOL, side, type: "LIMIT", timeInForce: "GTC", price, quantity };
}

/** Both sides, deep enough or not, near each other or too far apart. */
async function quote(errand: Errand): Promise<void> {
  const { random, wire } = errand;
  const trader = await quoterOf(errand);
  if (trader === null || spotOf(errand) === undefined) return;
  if (random.chance(0.5)) await trader.cancelAll("spot", INDEXED_SYMBOL);
  const middle = SPOT_PRICE * 100 + random.integer(-1, 1) * random.integer(0, 4_000);
  const apart = random.chance(0.85) ? random.integer(1, 120) : random.integer(800, 1_200);
  for (const side of ["BUY", "SELL"] as const) {
    if (random.chance(0.1)) continue;
    const hundredths = middle + (side === "BUY" ? -apart : apart);
    const quantity = (random.integer(15, 130) / 1_000).toFixed(3);
    await trader.place("spot", limit(side, (hundredths / 100).toFixed(2), quantity), wire);
  }
}

async function hush(errand: Errand): Promise<void> {
  await (await quoterOf(errand))?.cancelAll("spot", INDEXED_SYMBOL);
}

/** A price of the contract so many thousandths from its mark, on its ticks. */
function priceAt(errand: Errand, thousandths: number): string | null {
  const market = contractOf(errand);
  if (market === undefined || market.mark === 0n) return null;
  const { mark, rules } = market;
  const price = (mark * BigInt(1_000 + thousandths)) / 1_000n;
  return text((price / rules.tick) * rules.tick);
}

async function order(errand: Errand, trader: Trader, side: "BUY" | "SELL", away: number) {
  const { random, wire } = errand;
  const price = priceAt(errand, side === "BUY" ? -away : away);
  if (price === null || price === "0") return;
  const quantity = (random.integer(10, 200) / 1_000).toFixed(3);
  const isOpening = random.chance(0.75);
  const positionSide = (side === "BUY") === isOpening ? "LONG" : "SHORT";
  await trader.place("contract", { ...limit(side, price, quantity), positionSide }, wire);
}

/** Of the contract, around its mark: what moves the mark away from the index. */
async function quoteContract(errand: Errand): Promise<void> {
  const { random, traders } = errand;
  const trader = random.pick(traders);
  if (random.chance(0.4)) await trader.cancelAll("contract", INDEXED_SYMBOL);
  const shift = random.pick([0, 0, 3, -3, 8, -8]);
  for (const side of ["BUY", "SELL"] as const) {
    const away = random.pick(NEAR) + (side === "BUY" ? -shift : shift);
    await order(errand, trader, side, away);
  }
}

async function trade(errand: Errand): Promise<void> {
  const { random, traders } = errand;
  const [maker, taker] = random.shuffle([...traders]);
  if (maker === undefined || taker === undefined) return;
  const side = random.pick(["BUY", "SELL"] as const);
  const away = random.pick([-2, 0, 2]);
  await order(errand, maker, side, away);
  await order(errand, taker, side === "BUY" ? "SELL" : "BUY", -away);
}

/** What the mark triggers, near it. */
async function wait(errand: Errand): Promise<void> {
  const { random, traders, wire } = errand;
  const trader = random.pick(traders);
  const triggerPrice = priceAt(errand, random.integer(-6, 6));
  if (triggerPrice === null || triggerPrice === "0") return;
  const body = {
    ...{ symbol: INDEXED_SYMBOL, side: random.pick(["BUY", "SELL"]), quantity: "0.05" },
    ...{ positionSide: random.pick(["LONG", "SHORT"]), triggerPrice, workingType: "MARK_PRICE" },
    type: random.pick(["STOP_MARKET", "TAKE_PROFIT_MARKET"]),
    clientAlgoId: trader.nextOrderId,
  };
  await placeConditional(trader, body, wire);
}

async function pass({ exchange, random }: Errand): Promise<void> {
  await passTime(exchange, random.pick(WAITS_MS));
}

async function stopTrading({ exchange, random }: Errand): Promise<void> {
  const path = `markets/spot/${INDEXED_SYMBOL}`;
  await operate(exchange, "PATCH", path, { state: random.pick(["halted", "cancel-only"]) });
  await passTime(exchange, random.pick(WAITS_MS));
  await operate(exchange, "PATCH", path, { state: "trading" });
}

async function setIndex(errand: Errand): Promise<void> {
  const { exchange, random } = errand;
  const price = priceAt(errand, random.pick([...NEAR, ...FAR]));
  if (price === null || random.chance(0.7)) return;
  const force = random.chance(0.5);
  await operate(exchange, "PUT", `index-prices/${INDEXED_SYMBOL}`, { price, force });
}

/** For the next slot alone, and perhaps taken back. */
async function giveFundingRate({ exchange, random }: Errand): Promise<void> {
  if (!exchange.sandbox) return;
  const rate = random.pick([null, "0", "0.0001", "-0.00375", "0.02", "-1", "1", "0.00000001"]);
  await operate(exchange, "POST", `sandbox/markets/${INDEXED_SYMBOL}/funding`, { rate });
  if (random.chance(0.5)) await passTime(exchange, 60_000);
}

const ACTS: readonly (readonly [weight: number, act: (errand: Errand) => Promise<void>])[] = [
  [8, quote],
  [2, hush],
  [5, quoteContract],
  [5, trade],
  [2, wait],
  [7, pass],
  [2, changeRules],
  [1, stopTrading],
  [1, setIndex],
  [1, giveFundingRate],
];

export async function moveSpotIndex(
  { exchange, products, traders }: World,
  random: Random,
  wire: Wire | undefined,
): Promise<void> {
  if (!products.includes("contract")) return;
  const errand = { exchange, traders, random: new Random(random.integer(0, 0x7fffffff)), wire };
  const isListed = spotOf(errand) !== undefined && contractOf(errand) !== undefined;
  if (!isListed && !(await list(errand))) return;
  const acts = ACTS.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));
  for (let count = random.integer(1, ACTS_MAX); count > 0; count--) await random.pick(acts)(errand);
}
