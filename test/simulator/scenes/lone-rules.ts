/**
 * One rule of a market after the other is another one than it was listed with, and alone so. The
 * engine goes on from a snapshot: it has that rule, and does what the rules now in force say.
 */
import { exact, ONE, text } from "../../support/exact.ts";
import { loneChanges, readRules } from "../lone-rules.ts";
import { TWO_SYMBOLS } from "../markets.ts";
import type { Product } from "../orders.ts";
import { checkReadings } from "../readings.ts";
import { ChangedRules } from "./changed-rules.ts";
import type { Scene, Stage } from "./stage.ts";

const CHANGES_MAX = 8;
const FAR = exact("0.02");
const READINGS = {
  spot: ["GET /api/v3/exchangeInfo", "GET /api/v2/public/exchangeInfo"],
  contract: ["GET /capi/v3/market/exchangeInfo"],
} as const;

export const loneRules =
  (product: Product): Scene =>
  async (stage) => {
    const { exchange, random, traders } = stage;
    const symbol = random.pick(TWO_SYMBOLS);
    const path = `markets/${product}/${symbol}`;
    const changes = random.shuffle([...loneChanges(product, await readRules(exchange, path))]);
    for (const change of changes.slice(0, random.integer(2, CHANGES_MAX))) {
      const rules = await ChangedRules.begin(stage, product, symbol);
      await rules.set(change);
      if (random.chance(0.8)) exchange.story.startAgain();
      await use(stage, product, symbol);
      await checkReadings(random.pick([...traders]), product, 1, READINGS[product]);
      await rules.putBack();
    }
    await stage.clear(product, symbol);
  };

/** Orders at the edges of the rules, and an index that goes as far as it may. */
async function use(stage: Stage, product: Product, symbol: string): Promise<void> {
  const { random, traders } = stage;
  const market = await stage.marketOf(product, symbol);
  if (market === undefined) return;
  const trader = random.pick([...traders]);
  const { buyRatio, sellRatio, step, tick } = market.rules;
  const from = "mark" in market ? market.mark : market.lastPrice;
  if (from === null || from === 0n) return;
  for (const side of random.shuffle(["BUY", "SELL"] as const)) {
    const away = side === "BUY" ? -((from * sellRatio) / ONE) : (from * buyRatio) / ONE;
    const beside = BigInt(random.integer(-1, 1));
    const price = ((from + away) / tick + beside) * tick;
    if (price < tick) continue;
    const positionSide = side === "BUY" ? "LONG" : "SHORT";
    await stage.place(trader, product, {
      ...{ symbol, side, type: "LIMIT", timeInForce: "GTC", price: text(price) },
      ...(product === "contract" ? { positionSide } : {}),
      quantity: text(step * BigInt(random.pick([1, 2, 3, 200]))),
    });
  }
  await stage.clear(product, symbol);
  if ("indexPrice" in market) await moveIndex(stage, symbol);
}

/** As far as it may without being forced, a tick beside, and back. */
async function moveIndex(stage: Stage, symbol: string): Promise<void> {
  const { random } = stage;
  const naive = await stage.look();
  const market = naive.contracts.get(symbol);
  if (market === undefined || market.indexPrice === 0n) return;
  const { indexPrice, rules } = market;
  const isHeld = naive.positions.some((position) => position.symbol === symbol);
  // It would take everybody along.
  if (isHeld && rules.indexStepLimit > FAR) return;
  const path = `index-prices/${symbol}`;
  const away = (indexPrice * rules.indexStepLimit * random.pick([1n, -1n])) / (ONE * rules.tick);
  const ticks = indexPrice / rules.tick + away + BigInt(random.integer(-1, 1));
  await stage.operate("PUT", path, { price: text(ticks * rules.tick), force: false });
  await stage.look();
  await stage.operate("PUT", path, { price: text(indexPrice), force: true });
}
