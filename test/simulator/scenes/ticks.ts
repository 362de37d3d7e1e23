/**
 * A market whose tick is several units of its prices, as it is once it became coarser: orders by
 * quantity around the least that it takes, of which the last price says how much money they are.
 */
import { exact, text } from "../../support/exact.ts";
import { BTCUSDT } from "../../support/exchange-setup.ts";
import type { Random } from "../../support/random.ts";
import { someTwo, tradeSurely } from "../aims/sure-trade.ts";
import { SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import { checkReadings } from "../readings.ts";
import { fundedTwo } from "./referrals.ts";
import type { Scene } from "./stage.ts";

const TICKS = ["0.05", "0.25", "0.5", "1"];
const LEAST = ["0", "1", "1", "5"];
const ROUNDS_MAX = 4;
/** Those of contracts never become coarser again. */
const FINEST = exact("0.001");
/** Of such a tick a lot's value has no more digits than money. */
const UNIT = exact("0.00001");
/** Of the least quantity, in percent. */
const SHARES = [20n, 50n, 99n, 100n, 100n, 150n];

export const ticks: Scene = async (stage) => {
  const { random } = stage;
  const two = await fundedTwo(stage);
  if (two === null) return;
  const [maker, taker] = two;
  const before = (await stage.look()).markets.get(SYMBOL)?.rules;
  if (before === undefined) return;
  // With open orders a grid stays what it is.
  await stage.clear("spot", SYMBOL);
  const minNotional = random.pick(LEAST);
  await stage.changeMarket("spot", { tickSize: random.pick(TICKS), minNotional });
  for (let round = random.integer(2, ROUNDS_MAX); round > 0; round--) {
    const side = random.pick(["BUY", "SELL"] as const);
    const rests = {
      ...{ symbol: SYMBOL, side: side === "BUY" ? "SELL" : "BUY", type: "LIMIT" },
      ...{ timeInForce: "GTC", price: String(SPOT_PRICE + random.integer(-4, 4)) },
    };
    await stage.place(maker, "spot", { ...rests, quantity: "0.02" });
    const market = (await stage.look()).markets.get(SYMBOL);
    if (market === undefined) return;
    const { lastPrice, rules } = market;
    const wanted =
      lastPrice === null ? exact("0.001") : (rules.minNotional * exact("1")) / lastPrice;
    const lots = (wanted * random.pick(SHARES)) / (100n * rules.step);
    const quantity = text((lots + BigInt(random.integer(0, 1))) * rules.step);
    const terms = { symbol: SYMBOL, side, quantity };
    const isLimit = random.chance(0.2);
    const limit = { type: "LIMIT", timeInForce: "IOC", price: rests.price };
    await stage.place(taker, "spot", { ...terms, ...(isLimit ? limit : { type: "MARKET" }) });
  }
  await stage.look();
  await stage.clear("spot", SYMBOL);
  const least = { minNotional: text(before.minNotional) };
  await stage.changeMarket("spot", { tickSize: BTCUSDT.tickSize, ...least });
};

/** Null for one that is fine enough. */
export function finerThan(tick: bigint, random: Random): bigint | null {
  if (tick <= FINEST) return null;
  const finer = tick / random.pick([2n, 10n]);
  return finer % UNIT === 0n ? finer : null;
}

/** Everything that a market has told so far is in the coarser unit when its tick becomes finer. */
export function finerTicks(product: Product): Scene {
  return async (stage) => {
    const { random, traders } = stage;
    const both = someTwo(traders, random);
    const before = (await stage.marketOf(product))?.rules;
    if (both === null || before === undefined || before.tick <= FINEST) return;
    await stage.do(tradeSurely(product, both, random));
    await stage.clear(product, SYMBOL);
    const finer = finerThan(before.tick, random);
    if (finer === null) return;
    await stage.changeMarket(product, { tickSize: text(finer) });
    if (random.chance(0.5)) await stage.do(tradeSurely(product, both, random));
    await stage.look();
    const path = `${product === "spot" ? "/api" : "/capi"}/v3/market/ticker/24hr`;
    await checkReadings(both[0], product, 1, [`GET ${path}`]);
    await stage.clear(product, SYMBOL);
    await stage.changeMarket(product, { tickSize: text(before.tick) });
  };
}
