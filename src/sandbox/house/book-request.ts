/** Reads the book that a tester asks for: whole ticks and lots, not crossed, within the limits. */
import {
  accept,
  formatGrid,
  formatSteps,
  parseSteps,
  type Rejection,
  type Result,
  reject,
} from "../../domain/index.ts";
import type { BookLevels, Level, MarketMoment, MarketRules } from "./market-moment.ts";

type Row = readonly string[];

export interface BookRows {
  readonly bids: readonly Row[];
  readonly asks: readonly Row[];
}

const ONE_E8 = 100_000_000n;

/** Levels in any order, each price once; the best come first in the result. */
export function readBook({ bids, asks }: BookRows, moment: MarketMoment): Result<BookLevels> {
  const { rules } = moment;
  const read = {
    bids: readSide("bids", bids, rules),
    asks: readSide("asks", asks, rules),
  };
  if (!read.bids.ok) return read.bids;
  if (!read.asks.ok) return read.asks;
  const book = {
    bids: read.bids.value.sort((one, other) => other.ticks - one.ticks),
    asks: read.asks.value.sort((one, other) => one.ticks - other.ticks),
  };
  return checkBook(book, moment) ?? accept(book);
}

function readSide(field: string, rows: readonly Row[], rules: MarketRules): Result<Level[]> {
  const levels: Level[] = [];
  const seen = new Set<number>();
  for (const [price = "", quantity = ""] of rows) {
    const level = readLevel(field, price, quantity, rules);
    if (!level.ok) return level;
    if (seen.has(level.value.ticks)) {
      return reject("malformed", field, `levels with each price once: ${price} is repeated`);
    }
    seen.add(level.value.ticks);
    levels.push(level.value);
  }
  return accept(levels);
}

function readLevel(
  field: string,
  price: string,
  quantity: string,
  rules: MarketRules,
): Result<Level> {
  const { tick, step, minLots, maxLots } = rules;
  const ticks = parseSteps(price, tick);
  if (ticks === "off-grid") {
    return reject("off-tick", field, `prices on the tick of ${formatGrid(tick)}: ${price} is not`);
  }
  if (typeof ticks !== "number" || ticks === 0) {
    return reject("out-of-range", field, `levels with prices above 0: ${price} is not`);
  }
  const lots = parseSteps(quantity, step);
  if (lots === "off-grid") {
    const lot = formatGrid(step);
    return reject(
      "off-step",
      field,
      `quantities in multiples of ${lot}: ${quantity} at ${price} is not`,
    );
  }
  if (typeof lots !== "number" || lots < minLots || lots > maxLots) {
    const bounds = `from ${formatSteps(minLots, step)} to ${formatSteps(maxLots, step)}`;
    return reject("out-of-range", field, `quantities ${bounds}: ${quantity} at ${price} is not`);
  }
  const notional = BigInt(ticks) * BigInt(lots) * rules.minorPerTickLot;
  if (notional < rules.minNotionalMinor) {
    const detail = `levels of at least the market's minNotional: ${quantity} at ${price} is not`;
    return reject("out-of-range", field, detail);
  }
  return accept({ ticks, lots });
}

function checkBook({ bids, asks }: BookLevels, moment: MarketMoment): Rejection | null {
  const { rules } = moment;
  const [bid] = bids;
  const [ask] = asks;
  if (bid !== undefined && ask !== undefined && bid.ticks >= ask.ticks) {
    const best = formatSteps(bid.ticks, rules.tick);
    return reject("malformed", "asks", `above the best bid, ${best}: this book crosses itself`);
  }
  if (bids.length + asks.length > rules.maxOpenOrders) {
    const field = bids.length > asks.length ? "bids" : "asks";
    return reject(
      "out-of-range",
      field,
      `at most ${rules.maxOpenOrders} levels with the other side`,
    );
  }
  const band = priceLimits(moment);
  const text = (ticks: number) => formatSteps(ticks, rules.tick);
  if (bid !== undefined && bid.ticks > band.highestBuy) {
    const limit = `at most ${text(band.highestBuy)} at this price: move the price first`;
    return reject("price-outside-band", "bids", limit);
  }
  if (ask !== undefined && ask.ticks < band.lowestSell) {
    const limit = `at least ${text(band.lowestSell)} at this price: move the price first`;
    return reject("price-outside-band", "asks", limit);
  }
  return null;
}

/** How high a buy and how low a sell may be now. */
export function priceLimits({ rules, bandTicks }: Pick<MarketMoment, "rules" | "bandTicks">): {
  readonly highestBuy: number;
  readonly lowestSell: number;
} {
  if (bandTicks === 0) return { highestBuy: Number.MAX_SAFE_INTEGER, lowestSell: 1 };
  const ticks = BigInt(bandTicks);
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  const highest = (ticks * (ONE_E8 + rules.buyLimitRatioE8)) / ONE_E8;
  const lowest = (ticks * (ONE_E8 - rules.sellLimitRatioE8) + ONE_E8 - 1n) / ONE_E8;
  return {
    highestBuy: Number(highest < most ? highest : most),
    lowestSell: Math.max(1, Number(lowest)),
  };
}
