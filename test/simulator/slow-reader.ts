/**
 * Somebody reads nothing for a while, and asks for channels again and again, until more waits for
 * him than is kept: updates of the book are dropped. When he reads on, he has the present book.
 */
import { CANDLE_INTERVALS } from "../../src/domain/index.ts";
import type { Random } from "../support/random.ts";
import { someTwo, tradeSurely } from "./aims/sure-trade.ts";
import { CONTRACT_PRICE, SPOT_PRICE, SYMBOL } from "./markets.ts";
import type { Product } from "./orders.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import type { Trader } from "./trader.ts";
import { BookWatch } from "./watches.ts";

/** Each brings all channels, some kilobytes; more at once are one's own mistake. */
const REQUESTS = 120;
const BURSTS = 2;
const CHANGES_MAX = 5;
const READS_MAX = 3;
/** Of the event loop, in each of which some of it is read. */
const TURNS_MAX = 12;
/** In which what was sent has come, the interval of streams included. */
const SETTLED_MS = 2_500;

/** Of an exchange without limits, to which nobody else sends anything meanwhile. */
export async function readSlowly(
  exchange: SimulatedExchange,
  traders: readonly Trader[],
  random: Random,
): Promise<void> {
  const product: Product = random.pick(["spot", "contract"]);
  const both = someTwo(traders, random);
  if (both === null) return;
  // Candles and tickers are there from the first trade on.
  await exchange.life.until(tradeSurely(product, both, random));
  const [trader] = both;
  const watch = new BookWatch(exchange, product, SYMBOL, "v3");
  await exchange.life.until(watch.connect());
  watch.stopReading();
  const candles = CANDLE_INTERVALS.map((interval) => `${SYMBOL}@kline_${interval}_LAST_PRICE`);
  for (let burst = 0; burst < BURSTS; burst++) {
    for (let count = REQUESTS; count > 0; count--) watch.askFor([...candles, `${SYMBOL}@ticker`]);
    await exchange.pass(SETTLED_MS);
  }
  for (let count = random.integer(1, CHANGES_MAX); count > 0; count--) {
    await exchange.life.until(change(trader, product, random));
  }
  await exchange.pass(SETTLED_MS);
  for (let reads = random.integer(0, READS_MAX); reads > 0; reads--) {
    // A part of what waits: no more is dropped, while the book is not told yet.
    watch.readOn();
    await exchange.life.until(turns(random.integer(1, TURNS_MAX)));
    watch.stopReading();
    await exchange.life.until(change(trader, product, random));
    await exchange.pass(SETTLED_MS);
  }
  watch.readOn();
  await exchange.pass(SETTLED_MS);
  await exchange.life.until(change(trader, product, random));
  await exchange.life.until(watch.check());
  watch.disconnect();
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left--) await new Promise(setImmediate);
}

/** Near the best prices, where the book is shown. */
async function change(trader: Trader, product: Product, random: Random): Promise<void> {
  const isBuy = random.chance(0.5);
  const away = (isBuy ? -1 : 1) * random.integer(5, 15);
  const terms = { symbol: SYMBOL, side: isBuy ? "BUY" : "SELL", type: "LIMIT", timeInForce: "GTC" };
  const isSpot = product === "spot";
  const order = await trader.place(product, {
    ...terms,
    price: isSpot ? (SPOT_PRICE + away / 100).toFixed(2) : (CONTRACT_PRICE + away / 10).toFixed(1),
    quantity: isSpot ? "0.002" : "0.001",
    ...(isSpot ? {} : { positionSide: isBuy ? "LONG" : "SHORT" }),
  });
  if (order.fate === "accepted" && random.chance(0.5)) await trader.cancel(order);
}
