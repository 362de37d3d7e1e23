/** Listing of assets and spot markets, and the rules of a market. */
import {
  accept,
  formatDecimal,
  formatGrid,
  formatSteps,
  type Grid,
  parseDecimal,
  parseGrid,
  parseSteps,
  powerOfTen,
  RATE_ONE_E8,
  RATE_SCALE,
  type Result,
  reject,
  SCALE_MAX,
} from "../../domain/index.ts";
import type { CommandOf, SpotMarketTexts } from "../../protocol/index.ts";
import { isAssetRemembered } from "../accounts/movement-memory.ts";
import { parseFeeRate } from "../accounts/users.ts";
import { RollingTicker } from "../market-data/rolling-ticker.ts";
import { OrderBook } from "../matching/order-book.ts";
import type { Asset, Context, PriceBand, SpotMarket, SpotMarketRules, State } from "../state.ts";

const OPEN_ORDERS_MAX = 100_000;

export function setAsset(context: Context, command: CommandOf<"set-asset">): Result<null> {
  const { state } = context;
  const { asset, coinId, name, scale } = command;
  if (!/^[A-Z0-9]{1,20}$/.test(asset)) {
    return reject("malformed", "asset", "1 to 20 of A-Z and 0-9");
  }
  if (scale > SCALE_MAX) return reject("out-of-range", "scale", `from 0 to ${SCALE_MAX}`);
  if (state.assets.some((other) => other.coinId === coinId && other.asset !== asset)) {
    return reject("conflict", "coinId", `coinId ${coinId} belongs to another asset`);
  }
  const present = state.assetsByName.get(asset);
  if (present !== undefined && present.scale !== scale && isAssetInUse(state, present)) {
    return reject("conflict", "scale", "the scale of an asset in use cannot change");
  }
  const index = present?.index ?? state.ledger.addAsset();
  const listed: Asset = { index, asset, coinId, name, scale };
  state.assets[index] = listed;
  state.assetsByName.set(asset, listed);
  context.emit({ ...command, type: "asset-set" });
  return accept(null);
}

function isAssetInUse(state: State, asset: Asset): boolean {
  for (const { rules } of state.spotMarkets) {
    if (rules.baseAsset.index === asset.index || rules.quoteAsset.index === asset.index)
      return true;
  }
  for (const { rules } of state.contract.markets) {
    if (rules.baseAsset.index === asset.index || rules.quoteAsset.index === asset.index)
      return true;
  }
  for (const user of state.users.values()) {
    if ((user.accountBases[asset.index] ?? -1) !== -1) return true;
  }
  // Remembered answers to movements that left no balance still use this scale.
  if (isAssetRemembered(state, asset)) return true;
  if (state.withdrawals.rules.has(asset.index)) return true;
  for (const { assetIndex } of state.deposits.pending.values()) {
    if (assetIndex === asset.index) return true;
  }
  return state.ledger.balance(state.ledger.houseAccount(asset.index, "external")) !== 0n;
}

export function setSpotMarket(
  context: Context,
  command: CommandOf<"set-spot-market">,
): Result<null> {
  const { state } = context;
  if (!/^[A-Z0-9]{2,40}$/.test(command.symbol)) {
    return reject("malformed", "symbol", "2 to 40 of A-Z and 0-9");
  }
  const present = state.spotMarketsBySymbol.get(command.symbol);
  const wasHalted = present?.state === "halted";
  const done =
    present === undefined ? addSpotMarket(state, command) : changeMarket(state, present, command);
  if (!done.ok) return done;
  if (wasHalted) state.deadManSwitches.releaseHeld(context.nowMs);
  context.emit({ ...command, type: "spot-market-set" });
  return accept(null);
}

/** Lists a market; rejected when its rules contradict each other. */
export function addSpotMarket(state: State, texts: SpotMarketTexts): Result<SpotMarket> {
  const rules = parseRules(state, texts);
  if (!rules.ok) return rules;
  const market: SpotMarket = {
    index: state.spotMarkets.length,
    symbol: texts.symbol,
    rules: rules.value,
    state: texts.state,
    book: new OrderBook(state.orders),
    ticker: new RollingTicker(),
    priceScale: rules.value.tick.scale,
    priceUnitsPerTick: rules.value.tick.step,
    lastPriceUnits: 0,
    band: null,
    bookVersionBase: 0,
  };
  state.spotMarkets.push(market);
  state.spotMarketsBySymbol.set(market.symbol, market);
  return accept(market);
}

/** The inverse of reading the rules. */
export function spotMarketTexts(market: SpotMarket): SpotMarketTexts {
  const { rules } = market;
  const rate = (rateE8: number): string => formatDecimal(BigInt(rateE8), RATE_SCALE);
  return {
    symbol: market.symbol,
    baseAsset: rules.baseAsset.asset,
    quoteAsset: rules.quoteAsset.asset,
    tickSize: formatGrid(rules.tick),
    stepSize: formatGrid(rules.step),
    minTradeAmount: formatSteps(rules.minLots, rules.step),
    maxTradeAmount: formatSteps(rules.maxLots, rules.step),
    minNotional: formatDecimal(rules.minNotionalMinor, rules.quoteAsset.scale),
    makerFeeRate: rate(rules.makerFeeRateE8),
    takerFeeRate: rate(rules.takerFeeRateE8),
    buyLimitPriceRatio: rate(rules.buyLimitPriceRatioE8),
    sellLimitPriceRatio: rate(rules.sellLimitPriceRatioE8),
    maxOpenOrders: rules.maxOpenOrders,
    state: market.state,
  };
}

export function setSpotMarketState(
  context: Context,
  command: CommandOf<"set-spot-market-state">,
): Result<null> {
  const market = context.state.spotMarketsBySymbol.get(command.symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  const wasHalted = market.state === "halted";
  market.state = command.state;
  if (wasHalted) context.state.deadManSwitches.releaseHeld(context.nowMs);
  context.emit({ ...command, type: "spot-market-state-set" });
  return accept(null);
}

/** Puts new rules in force, or returns why the market cannot take them now. */
function changeMarket(state: State, market: SpotMarket, texts: SpotMarketTexts): Result<null> {
  const parsed = parseRules(state, texts);
  if (!parsed.ok) return parsed;
  const rules = parsed.value;
  const old = market.rules;
  if (old.baseAsset.index !== rules.baseAsset.index) {
    return reject("conflict", "baseAsset", "the assets of a market cannot change");
  }
  if (old.quoteAsset.index !== rules.quoteAsset.index) {
    return reject("conflict", "quoteAsset", "the assets of a market cannot change");
  }
  if (market.book.orderCount > 0) {
    const reason = "the market has open orders";
    if (!sameGrid(old.tick, rules.tick)) return reject("conflict", "tickSize", reason);
    if (!sameGrid(old.step, rules.step)) return reject("conflict", "stepSize", reason);
  }
  // Before the first trade no price needs to survive the change.
  const keptScale = market.lastPriceUnits === 0 ? 0 : market.priceScale;
  const priceScale = Math.max(keptScale, rules.tick.scale);
  if (!Number.isSafeInteger(unitsPerTick(rules, priceScale))) {
    return reject("out-of-range", "tickSize", "finer: prices of the last 24 hours do not fit");
  }
  if (market.lastPriceUnits > 0 && priceScale > market.priceScale) {
    const factor = 10 ** (priceScale - market.priceScale);
    if (!Number.isSafeInteger(highestPriceUnits(market) * factor)) {
      return reject("out-of-range", "tickSize", "coarser: prices of the last 24 hours do not fit");
    }
    market.ticker = market.ticker.rescale(factor);
    setLastPrice(market, market.lastPriceUnits * factor);
  }
  market.rules = rules;
  market.state = texts.state;
  setPriceScale(market, priceScale);
  return accept(null);
}

function highestPriceUnits(market: SpotMarket): number {
  let highest = market.lastPriceUnits;
  for (const bucket of market.ticker.buckets()) highest = Math.max(highest, bucket.highPrice);
  return highest;
}

function sameGrid(one: Grid, other: Grid): boolean {
  return one.scale === other.scale && one.step === other.step;
}

function parseRules(state: State, texts: SpotMarketTexts): Result<SpotMarketRules> {
  const baseAsset = state.assetsByName.get(texts.baseAsset);
  if (baseAsset === undefined) return reject("unknown-asset", "baseAsset");
  const quoteAsset = state.assetsByName.get(texts.quoteAsset);
  if (quoteAsset === undefined) return reject("unknown-asset", "quoteAsset");
  if (baseAsset === quoteAsset) return reject("malformed", "quoteAsset", "another than baseAsset");
  const tick = parseGrid(texts.tickSize);
  if (tick === null) return reject("malformed", "tickSize", "a positive decimal");
  const step = parseGrid(texts.stepSize);
  if (step === null) return reject("malformed", "stepSize", "a positive decimal");
  const units = minorUnits(tick, step, baseAsset, quoteAsset);
  if (!units.ok) return units;
  const minLots = parseLots(texts.minTradeAmount, step, "minTradeAmount");
  if (!minLots.ok) return minLots;
  const maxLots = parseLots(texts.maxTradeAmount, step, "maxTradeAmount");
  if (!maxLots.ok) return maxLots;
  if (maxLots.value < minLots.value) {
    return reject("out-of-range", "maxTradeAmount", "not below minTradeAmount");
  }
  const minNotionalMinor = parseDecimal(texts.minNotional, quoteAsset.scale);
  if (typeof minNotionalMinor === "string") return reject(minNotionalMinor, "minNotional");
  const makerFee = parseFeeRate(texts.makerFeeRate, "makerFeeRate");
  if (!makerFee.ok) return makerFee;
  const takerFee = parseFeeRate(texts.takerFeeRate, "takerFeeRate");
  if (!takerFee.ok) return takerFee;
  const buyRatio = parseRatio(texts.buyLimitPriceRatio, "buyLimitPriceRatio");
  if (!buyRatio.ok) return buyRatio;
  const sellRatio = parseRatio(texts.sellLimitPriceRatio, "sellLimitPriceRatio");
  if (!sellRatio.ok) return sellRatio;
  if (sellRatio.value >= RATE_ONE_E8)
    return reject("out-of-range", "sellLimitPriceRatio", "below 1");
  if (texts.maxOpenOrders < 1 || texts.maxOpenOrders > OPEN_ORDERS_MAX) {
    return reject("out-of-range", "maxOpenOrders", `from 1 to ${OPEN_ORDERS_MAX}`);
  }
  return accept({
    baseAsset,
    quoteAsset,
    tick,
    step,
    minLots: minLots.value,
    maxLots: maxLots.value,
    minNotionalMinor,
    makerFeeRateE8: makerFee.value,
    takerFeeRateE8: takerFee.value,
    buyLimitPriceRatioE8: buyRatio.value,
    sellLimitPriceRatioE8: sellRatio.value,
    maxOpenOrders: texts.maxOpenOrders,
    ...units.value,
  });
}

/**
 * One lot in base units and one lot at one tick in quote units must be whole, so that no trade ever
 * rounds.
 */
function minorUnits(
  tick: Grid,
  step: Grid,
  baseAsset: Asset,
  quoteAsset: Asset,
): Result<Pick<SpotMarketRules, "baseMinorPerLot" | "quoteMinorPerTickLot">> {
  if (step.scale > baseAsset.scale) {
    return reject("excess-precision", "stepSize", `at most ${baseAsset.scale} decimals`);
  }
  const product = BigInt(tick.step) * BigInt(step.step) * powerOfTen(quoteAsset.scale);
  const divisor = powerOfTen(tick.scale + step.scale);
  if (product % divisor !== 0n) {
    return reject(
      "excess-precision",
      "tickSize",
      `tickSize times stepSize must be a multiple of 10^-${quoteAsset.scale} ${quoteAsset.asset}`,
    );
  }
  return accept({
    baseMinorPerLot: BigInt(step.step) * powerOfTen(baseAsset.scale - step.scale),
    quoteMinorPerTickLot: product / divisor,
  });
}

function parseLots(text: string, step: Grid, field: string): Result<number> {
  const lots = parseSteps(text, step);
  if (lots === "malformed") return reject("malformed", field);
  if (lots === "off-grid") {
    return reject("off-step", field, `a multiple of stepSize ${formatSteps(1, step)}`);
  }
  if (lots === "out-of-range") return reject("out-of-range", field, "at most 2^53 - 1 lots");
  if (lots === 0) return reject("out-of-range", field, "more than 0");
  return accept(lots);
}

/** A ratio of the price band, from 0 to 1000. */
function parseRatio(text: string, field: string): Result<number> {
  const ratioE8 = parseDecimal(text, RATE_SCALE);
  if (typeof ratioE8 === "string") return reject(ratioE8, field);
  if (ratioE8 > 1000n * BigInt(RATE_ONE_E8)) return reject("out-of-range", field, "from 0 to 1000");
  return accept(Number(ratioE8));
}

function unitsPerTick({ tick }: SpotMarketRules, priceScale: number): number {
  return tick.step * 10 ** (priceScale - tick.scale);
}

/** The price band around the last price; before the first trade every price is inside. */
export function priceBandTicks(market: SpotMarket): PriceBand {
  market.band ??= computePriceBand(market);
  return market.band;
}

const NO_BAND: PriceBand = { buyMaxTicks: Number.MAX_SAFE_INTEGER, sellMinTicks: 1 };

function computePriceBand(market: SpotMarket): PriceBand {
  if (market.lastPriceUnits === 0) return NO_BAND;
  const { buyLimitPriceRatioE8, sellLimitPriceRatioE8 } = market.rules;
  const one = BigInt(RATE_ONE_E8);
  const lastPrice = BigInt(market.lastPriceUnits);
  const perTick = BigInt(market.priceUnitsPerTick) * one;
  const buyMax = (lastPrice * (one + BigInt(buyLimitPriceRatioE8))) / perTick;
  const sellNumerator = lastPrice * (one - BigInt(sellLimitPriceRatioE8));
  const sellMin = (sellNumerator + perTick - 1n) / perTick;
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return { buyMaxTicks: Number(buyMax < most ? buyMax : most), sellMinTicks: Number(sellMin) };
}

/** The last price, after a trade or a restored snapshot. */
export function setLastPrice(market: SpotMarket, priceUnits: number): void {
  if (market.lastPriceUnits === priceUnits) return;
  market.lastPriceUnits = priceUnits;
  market.band = null;
}

/** The scale of prices that survive a change of the tick size becomes finer, never coarser. */
export function setPriceScale(market: SpotMarket, priceScale: number): void {
  market.priceScale = priceScale;
  market.priceUnitsPerTick = unitsPerTick(market.rules, priceScale);
  market.band = null;
}
