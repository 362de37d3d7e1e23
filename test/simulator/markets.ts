/** What is traded in the simulation, and values near the edges of its rules. */
import { BTC_CONTRACT } from "../support/contract-setup.ts";
import { BTCUSDT, ETHUSDT } from "../support/exchange-setup.ts";
import type { Random } from "../support/random.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

export const SYMBOL = "BTCUSDT";

/** In which seeds differ. */
export interface MarketChoice {
  readonly maxOpenOrders?: number | undefined;
  readonly hasNarrowTiers?: boolean;
  readonly takesAnyAmount?: boolean;
  /** What a book must be deep for to move a mark; undefined for the default, which none is. */
  readonly impactNotional?: string | undefined;
  readonly scales?: Scales | undefined;
}

/** How many decimals the amounts of each asset have. */
export type Scales = Readonly<Record<"BTC" | "USDT" | "ETH", number>>;

/** With which an exchange begins. */
const FIRST_SCALES: Scales = { BTC: 8, USDT: 8, ETH: 8 };

/** Differ from each other, and from those of rates. */
export function scalesOf(random: Random): Scales {
  if (random.chance(0.5)) return FIRST_SCALES;
  return {
    BTC: random.pick([6, 9, 12]),
    USDT: random.pick([8, 9, 10]),
    ETH: random.pick([4, 10, 18]),
  };
}

const SPOT_TICK = 0.01;
export const SPOT_PRICE = 1_000;
const CONTRACT_TICK = 0.1;
export const CONTRACT_PRICE = 60_000;

/** With contracts. */
export const TWO_SYMBOLS = [SYMBOL, "ETHUSDT"] as const;
export const OTHER_CONTRACT_PRICE = 3_000;

/** Of which ordinary positions reach all. */
const NARROW_TIERS = [
  { maxNotional: "1500", maintenanceMarginRate: "0.004", maxLeverage: 100 },
  { maxNotional: "4000", maintenanceMarginRate: "0.006", maxLeverage: 100 },
  { maxNotional: "9000", maintenanceMarginRate: "0.009", maxLeverage: 75 },
  { maxNotional: "1000000000", maintenanceMarginRate: "0.015", maxLeverage: 50 },
];

/** Of two rules that are equal everywhere nobody sees that one stands for the other. */
const LOW_BAND = { sellLimitPriceRatio: "0.6" };

export async function listMarkets(
  exchange: SimulatedExchange,
  choice: MarketChoice = {},
): Promise<void> {
  const { hasNarrowTiers = false, impactNotional, maxOpenOrders, takesAnyAmount } = choice;
  const { scales = FIRST_SCALES } = choice;
  await scaleAssets(exchange, scales);
  const least =
    takesAnyAmount === true ? { minTradeAmount: BTCUSDT.stepSize, minNotional: "0" } : {};
  await exchange.operator("PUT", `markets/spot/${SYMBOL}`, { ...BTCUSDT, ...least });
  await exchange.operator("PUT", "assets/ETH", { coinId: 3, name: "Ether", scale: scales.ETH });
  await exchange.operator("PUT", "markets/spot/ETHUSDT", { ...ETHUSDT, ...LOW_BAND });
  const limit = {
    ...(maxOpenOrders === undefined ? {} : { maxOpenOrders }),
    ...(hasNarrowTiers ? { tiers: NARROW_TIERS } : {}),
    ...(impactNotional === undefined ? {} : { impactNotional }),
  };
  const grid = { tickSize: "0.01", stepSize: "0.01" };
  const other = { ...BTC_CONTRACT, baseAsset: "ETH", ...grid, sellLimitPriceRatio: "0.06" };
  const [symbol, otherSymbol] = TWO_SYMBOLS;
  await exchange.operator("PUT", `markets/contract/${symbol}`, { ...BTC_CONTRACT, ...limit });
  await exchange.operator("PUT", `markets/contract/${otherSymbol}`, { ...other, ...limit });
  await exchange.operator("PUT", `index-prices/${symbol}`, { price: String(CONTRACT_PRICE) });
  const price = String(OTHER_CONTRACT_PRICE);
  await exchange.operator("PUT", `index-prices/${otherSymbol}`, { price });
}

/** While nobody has any of them. */
async function scaleAssets(exchange: SimulatedExchange, scales: Scales): Promise<void> {
  const assets = [
    { asset: "BTC", coinId: 1, name: "Bitcoin" },
    { asset: "USDT", coinId: 2, name: "Tether USD" },
  ] as const;
  for (const { asset, ...terms } of assets) {
    const scale = scales[asset];
    if (scale === FIRST_SCALES[asset]) continue;
    await exchange.operator("PUT", `assets/${asset}`, { ...terms, scale });
  }
}

/** Few prices, so that orders meet; now and then one at the edge of the price band. */
export function spotPrice(random: Random): string {
  if (random.chance(0.03)) return random.pick(["0.01", "500", "500.01", "1500", "1500.01", "0"]);
  // Most meet; a few wait beyond the levels that a stream shows.
  const away = random.chance(0.15) ? 40 : 4;
  return (SPOT_PRICE + random.integer(-away, away) * SPOT_TICK).toFixed(2);
}

/** The smallest quantity, one lot around it, and ones that leave a last lot. */
export function spotQuantity(random: Random): string {
  if (random.chance(0.2)) {
    return random.pick(["0.0001", "0.00009", "0.001", "0.00101", "9000", "9000.00001", "0.000001"]);
  }
  return (random.integer(100, 300) / 1e5).toFixed(5);
}

export function contractPrice(random: Random): string {
  if (random.chance(0.03)) return random.pick(["57000", "63000", "63000.1", "56999.9", "0.1"]);
  return (CONTRACT_PRICE + random.integer(-40, 40) * CONTRACT_TICK).toFixed(1);
}

export function contractQuantity(random: Random): string {
  if (random.chance(0.1)) return random.pick(["0.001", "0.0001", "500", "1000", "1000.001"]);
  return (random.integer(1, 90) / 1000).toFixed(3);
}

/** Mostly a few ticks away; sometimes far enough that positions are liquidated. */
export function indexPrice(random: Random): string {
  const away = random.chance(0.2) ? random.integer(-2_500, 2_500) : random.integer(-30, 30);
  return (CONTRACT_PRICE + away).toFixed(1);
}

/** Times around those at which something is due: countdowns, funding, stream intervals, commits. */
export function pause(random: Random): number {
  const due = random.pick([1, 25, 100, 250, 1_000, 5_000, 30_000, 60_000]);
  return Math.max(1, due + random.integer(-1, 1));
}

/** That takes what it meets, and waits with the rest of it. */
export function largeOrder(product: "spot" | "contract", random: Random): Record<string, string> {
  const side = random.pick(["BUY", "SELL"]);
  const away = (side === "BUY" ? 1 : -1) * random.integer(0, 4);
  const terms = { symbol: SYMBOL, side, type: "LIMIT", timeInForce: "GTC" };
  if (product === "spot") {
    const price = (SPOT_PRICE + away * SPOT_TICK).toFixed(2);
    return { ...terms, price, quantity: "0.02" };
  }
  const price = (CONTRACT_PRICE + away * CONTRACT_TICK).toFixed(1);
  return { ...terms, price, quantity: "0.05", positionSide: random.pick(["LONG", "SHORT"]) };
}
