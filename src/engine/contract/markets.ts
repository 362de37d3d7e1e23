/** Lists contract markets, changes their rules, and sets whether they trade. */
import { accept, type Grid, powerOfTen, type Result, reject } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import { RollingTicker } from "../market-data/rolling-ticker.ts";
import { OrderBook } from "../matching/order-book.ts";
import {
  RULES_WITH_CONTRACTS,
  RULES_WITH_MARKET_INTEGRITY,
  RULES_WITH_SOUND_SPOT_INDEX,
} from "../rules-version.ts";
import type { Context, State } from "../state.ts";
import { secondOf } from "./formulas/price-samples.ts";
import { type ContractMarketTexts, parseContractRules } from "./market-rules.ts";
import { slotOf } from "./prices/funding.ts";
import { accountMinutes, minuteOf } from "./prices/premium.ts";
import { canRescalePrices, refreshMark, rescalePrices } from "./prices/prices.ts";
import { accountSeconds, sampleAgain } from "./prices/sampling.ts";
import type { ContractMarket, ContractMarketRules } from "./state/contract-market.ts";

export { type ContractMarketTexts, contractMarketTexts } from "./market-rules.ts";

export function setContractMarket(
  context: Context,
  command: CommandOf<"set-contract-market">,
): Result<null> {
  const { nowMs, state } = context;
  if (state.rulesVersion < RULES_WITH_CONTRACTS) {
    return reject("conflict", "symbol", `adopt rules ${RULES_WITH_CONTRACTS} first`);
  }
  if (!/^[A-Z0-9]{2,40}$/.test(command.symbol)) {
    return reject("malformed", "symbol", "2 to 40 of A-Z and 0-9");
  }
  const present = state.contract.marketsBySymbol.get(command.symbol);
  const wasHalted = present?.state === "halted";
  const market =
    present === undefined
      ? addContractMarket(state, command, nowMs)
      : changeMarket(state, present, command, nowMs);
  if (!market.ok) return market;
  if (wasHalted) state.deadManSwitches.releaseHeld(nowMs);
  context.emit({ ...command, type: "contract-market-set" });
  // In a finer tick the bounds of the mark are other ones.
  refreshMark(context, market.value);
  return accept(null);
}

/** Lists a market; refused when its rules contradict each other. */
export function addContractMarket(
  state: State,
  texts: ContractMarketTexts,
  nowMs: number,
): Result<ContractMarket> {
  const { contract } = state;
  const rules = parseContractRules(state, texts);
  if (!rules.ok) return rules;
  const market: ContractMarket = {
    index: contract.markets.length,
    symbol: texts.symbol,
    rules: rules.value,
    state: texts.state,
    book: new OrderBook(contract.orders),
    bookVersionBase: 0,
    ticker: new RollingTicker(),
    lastTicks: 0,
    indexPrice: {
      source: "none",
      ticks: 0,
      atMs: 0,
      revision: 0,
      spotSamples: [],
      spotBlockedVersion: -1,
    },
    mark: { ticks: 0, pinnedTicks: 0, samples: [], riskFromMs: 0 },
    band: null,
    funding: {
      nextSlotMs: 0,
      pendingSlotMs: 0,
      premiumSumE12: 0n,
      premiumSamples: 0,
      lastPremiumE12: 0n,
      premiumAtMs: minuteOf(nowMs),
      lastRateE8: 0,
      lastSlotMs: 0,
      givenRateE8: null,
    },
    sampler: {
      sampledMs: secondOf(nowMs),
      bookVersion: 0,
      indexRevision: 0,
      spotBookVersion: 0,
      premiumBookVersion: 0,
      premiumIndexTicks: 0,
    },
    insuranceDraws: { hourEndMs: 0, baseMinor: 0n, drawnMinor: 0n },
    tallies: {
      ...{ liquidations: 0, deleveragings: 0, refusedFills: 0, refusedOrders: 0 },
      insurancePaidMinor: 0n,
    },
    openLots: [0n, 0n],
    openValueMinor: [0n, 0n],
    positions: new Set(),
  };
  market.funding.nextSlotMs = nextSlotMs(market, nowMs);
  contract.markets.push(market);
  contract.marketsBySymbol.set(market.symbol, market);
  return accept(market);
}

function nextSlotMs(market: ContractMarket, nowMs: number): number {
  return slotOf(market, nowMs) + market.rules.fundingIntervalMs;
}

export function setContractMarketState(
  context: Context,
  command: CommandOf<"set-contract-market-state">,
): Result<null> {
  const market = context.state.contract.marketsBySymbol.get(command.symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  // The risk loop at the end of the command finds what waited while the market did not trade.
  const wasHalted = market.state === "halted";
  market.state = command.state;
  if (wasHalted) context.state.deadManSwitches.releaseHeld(context.nowMs);
  context.emit({ ...command, type: "contract-market-state-set" });
  return accept(null);
}

/** Applies new rules, or returns why the market cannot take them now. */
function changeMarket(
  state: State,
  market: ContractMarket,
  texts: ContractMarketTexts,
  nowMs: number,
): Result<ContractMarket> {
  const parsed = parseContractRules(state, texts);
  if (!parsed.ok) return parsed;
  const rules = parsed.value;
  const old = market.rules;
  for (const name of ["baseAsset", "quoteAsset", "marginAsset"] as const) {
    if (old[name].index !== rules[name].index) {
      return reject("conflict", name, "the assets of a market cannot change");
    }
  }
  const factor = ticksPerOldTick(state, market, rules);
  if (!factor.ok) return factor;
  const interval = old.fundingIntervalMs;
  // Completes the samples of the old rules before the new ones apply.
  accountSeconds(state, market, secondOf(nowMs));
  accountMinutes(market, minuteOf(nowMs));
  market.sampler.premiumIndexTicks = 0;
  if (state.rulesVersion >= RULES_WITH_MARKET_INTEGRITY) sampleAgain(market);
  if (factor.value !== 1) rescale(market, factor.value);
  market.rules = rules;
  market.state = texts.state;
  if (interval !== rules.fundingIntervalMs) {
    market.funding.nextSlotMs = nextSlotMs(market, nowMs);
  }
  state.contract.risk.rulesChanged(market);
  state.contract.triggerIndex.lastPriceChanged(market);
  return accept(market);
}

/** How many new ticks an old one is; refused when grids cannot change now, or not to these. */
function ticksPerOldTick(
  state: State,
  market: ContractMarket,
  rules: ContractMarketRules,
): Result<number> {
  const { rules: old } = market;
  const sameTick = sameGrid(old.tick, rules.tick);
  const sameStep = sameGrid(old.step, rules.step);
  if (sameTick && sameStep) return accept(1);
  const field = sameTick ? "stepSize" : "tickSize";
  if (market.book.orderCount > 0) return reject("conflict", field, "the market has open orders");
  if (hasConditionalOrders(state, market)) {
    return reject("conflict", field, "the market has open conditional orders");
  }
  if (!sameStep && market.positions.size > 0) {
    return reject("conflict", "stepSize", "the market has open positions");
  }
  const oldTick = BigInt(old.tick.step) * powerOfTen(rules.tick.scale);
  const newTick = BigInt(rules.tick.step) * powerOfTen(old.tick.scale);
  const factor = oldTick / newTick;
  if (oldTick % newTick !== 0n) {
    // Before the first price nothing has to be written in the new ticks.
    if (!hasPrices(state, market)) return accept(1);
    return reject("conflict", "tickSize", "the old tickSize is not a multiple of the new one");
  }
  const isSafe = factor <= BigInt(Number.MAX_SAFE_INTEGER) && canRescale(market, Number(factor));
  if (isSafe) return accept(Number(factor));
  return reject("out-of-range", "tickSize", "coarser: prices of the market do not fit");
}

function sameGrid(one: Grid, other: Grid): boolean {
  return one.scale === other.scale && one.step === other.step;
}

function hasConditionalOrders({ contract }: State, market: ContractMarket): boolean {
  for (const ofUser of contract.accounts.values()) {
    for (const { symbols } of ofUser.values()) {
      if ((symbols.get(market.index)?.conditionalOrders ?? 0) > 0) return true;
    }
  }
  return false;
}

/** Prices, or samples of spot that the first one is going to be made of. */
function hasPrices({ rulesVersion }: State, market: ContractMarket): boolean {
  const { indexPrice, lastTicks, mark } = market;
  if (indexPrice.ticks > 0 || mark.ticks > 0 || lastTicks > 0) return true;
  return rulesVersion >= RULES_WITH_SOUND_SPOT_INDEX && indexPrice.spotSamples.length > 0;
}

function canRescale(market: ContractMarket, factor: number): boolean {
  let highest = market.lastTicks;
  for (const bucket of market.ticker.buckets()) highest = Math.max(highest, bucket.highPrice);
  return Number.isSafeInteger(highest * factor) && canRescalePrices(market, factor);
}

/** Every price that outlives the change of the tick is the same amount in the new ticks. */
function rescale(market: ContractMarket, factor: number): void {
  market.ticker = market.ticker.rescale(factor);
  market.lastTicks *= factor;
  rescalePrices(market, factor);
}
