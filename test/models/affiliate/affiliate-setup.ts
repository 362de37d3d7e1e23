/**
 * Random exchanges for the affiliate programme: spot markets against USDT and other coins, one
 * without a price in USDT, contracts in two margin coins, users who invited one another, and an
 * initial tree of affiliates. Scales, fees and rates are awkward, so that everything is rounded.
 */
import { RULES_VERSION } from "../../../src/engine/index.ts";
import type { Command, CommandOf } from "../../../src/protocol/index.ts";
import { text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { registration } from "../spot-setup.ts";

export const ACTOR = "operator";
export const SPOT_RATES = ["0", "0.1", "0.25", "0.30000001", "0.33333333", "0.4", "0.49", "0.5"];
export const FUTURES_RATES = ["0", "0.1", "0.3", "0.44444444", "0.6", "0.70000007", "0.8"];
const FEES = ["0", "0.001", "0.00033333", "0.1", "0.0125", "0.0007"];
const USERS = 14;

/** A market as the traffic sees it; prices are around so many ticks. */
export interface TradedMarket {
  readonly symbol: string;
  readonly product: "spot" | "contract";
  readonly base: string;
  readonly quote: string;
  tick: bigint;
  readonly step: bigint;
  centreTicks: number;
}

export interface AffiliateSetup {
  readonly markets: readonly TradedMarket[];
  readonly setUp: readonly Command[];
}

interface Grid {
  readonly tick: string;
  readonly step: string;
  readonly centreTicks: number;
}

const SPOT_GRIDS: Readonly<Record<string, readonly Grid[]>> = {
  "BTC USDT": [
    { tick: "0.1", step: "0.001", centreTicks: 200_000 },
    { tick: "7", step: "0.00003", centreTicks: 3_000 },
  ],
  "ACO USDT": [
    { tick: "0.0009", step: "0.07", centreTicks: 3_500 },
    { tick: "0.01", step: "5", centreTicks: 40 },
    { tick: "0.00001", step: "0.1", centreTicks: 4 },
  ],
  "ACO BTC": [
    { tick: "0.0000001", step: "0.07", centreTicks: 1_600 },
    { tick: "0.00003", step: "1", centreTicks: 50 },
  ],
  "ACO EUR": [{ tick: "0.001", step: "0.01", centreTicks: 2_700 }],
  "EUR USDT": [{ tick: "0.0001", step: "0.1", centreTicks: 11_000 }],
};

const CONTRACT_GRIDS: Readonly<Record<string, Grid>> = {
  "BEL USDT": { tick: "0.05", step: "0.1", centreTicks: 2_000 },
  "BEL BTC": { tick: "0.000003", step: "0.1", centreTicks: 1_700 },
};

export function affiliateSetup(random: Random): AffiliateSetup {
  // Without its market the euro is worth nothing in USDT; a market of that name proves nothing.
  const euro = random.pick(["none", "listed", "decoy", "decoy"] as const);
  const spot = Object.keys(SPOT_GRIDS)
    .filter((pair) => pair !== "EUR USDT" || euro === "listed")
    .map((pair) => tradedMarket("spot", pair, random.pick(SPOT_GRIDS[pair] as readonly Grid[])));
  const decoy = tradedMarket("spot", "ACO USDT", (SPOT_GRIDS["ACO USDT"] as readonly Grid[])[1]);
  const spotMarkets = euro === "decoy" ? [...spot, { ...decoy, symbol: "EURUSDT" }] : spot;
  const contracts = Object.entries(CONTRACT_GRIDS).map(([pair, grid]) =>
    tradedMarket("contract", pair, grid),
  );
  const inviteCodes = Array.from({ length: USERS }, (_, i) => `invite-${i}`);
  const users = inviteCodes.map((code, i) =>
    registration(i + 1, code, i < 2 ? null : random.pick(inviteCodes.slice(0, i))),
  );
  return {
    markets: [...spotMarkets, ...contracts],
    setUp: [
      { type: "adopt-rules", version: RULES_VERSION },
      ...assets(random),
      ...spotMarkets.map((market) => spotListing(random, market)),
      ...contracts.map((market) => contractListing(random, market)),
      ...users,
      ...contracts.map(indexPrice),
      ...firstAffiliates(random),
      ...users.flatMap((_, i) => funding(random, i + 1)),
      ...["USDT", "BTC"].flatMap((asset) => insurance(random, asset)),
    ],
  };
}

function tradedMarket(
  product: "spot" | "contract",
  pair: string,
  grid: Grid | undefined,
): TradedMarket {
  const [base, quote] = pair.split(" ");
  if (base === undefined || quote === undefined || grid === undefined) throw new Error(pair);
  const { centreTicks } = grid;
  const [tick, step] = [units(grid.tick), units(grid.step)];
  return { symbol: `${base}${quote}`, product, base, quote, tick, step, centreTicks };
}

function units(plain: string): bigint {
  const [whole = "", fraction = ""] = plain.split(".");
  return BigInt(whole + fraction.padEnd(18, "0"));
}

/** In a random order, for the order of assets is that of settlements. */
function assets(random: Random): Command[] {
  const scales: Record<string, readonly number[]> = {
    USDT: [6, 8, 8, 11, 18],
    BTC: [9, 10, 18],
    ACO: [2, 8],
    EUR: [5, 8],
    BEL: [1, 8],
  };
  return random.shuffle(Object.entries(scales)).map(([asset, choices], coinId) => ({
    ...{ type: "set-asset", actor: ACTOR, asset, coinId: 9 - coinId, name: asset },
    scale: random.pick(choices),
  }));
}

export function spotListing(random: Random, market: TradedMarket): CommandOf<"set-spot-market"> {
  const { symbol, base, quote, tick, step } = market;
  return {
    ...{ type: "set-spot-market", actor: ACTOR, symbol, baseAsset: base, quoteAsset: quote },
    ...{ tickSize: text(tick), stepSize: text(step), minTradeAmount: text(step) },
    ...{ maxTradeAmount: text(step * 100_000n), minNotional: "0" },
    ...{ makerFeeRate: random.pick(FEES), takerFeeRate: random.pick(FEES) },
    ...{ buyLimitPriceRatio: "1000", sellLimitPriceRatio: "0.99", maxOpenOrders: 200 },
    state: "trading",
  };
}

function contractListing(random: Random, market: TradedMarket): CommandOf<"set-contract-market"> {
  const { symbol, base, quote, tick, step } = market;
  const most = text(step * 10_000n);
  const places = (size: bigint) => text(size).split(".")[1]?.length ?? 0;
  return {
    ...{ type: "set-contract-market", actor: ACTOR, symbol, baseAsset: base, quoteAsset: quote },
    ...{ marginAsset: quote, tickSize: text(tick), stepSize: text(step) },
    ...{ pricePrecision: places(tick), quantityPrecision: places(step), contractVal: text(step) },
    ...{ minOrderSize: text(step), maxOrderSize: most, maxPositionSize: most },
    ...{ marketOpenLimitSize: most, minLeverage: 1, maxLeverage: 100, defaultLeverage: 50 },
    ...{ buyLimitPriceRatio: "0.3", sellLimitPriceRatio: "0.3" },
    makerFeeRate: random.pick(["0", "0.0002", "0.001", "0.00033333"]),
    takerFeeRate: random.pick(["0.0005", "0.00077777", "0.003"]),
    liquidateFeeRate: random.pick(["0.005", "0"]),
    ...{ interestRate: "0.0001", fundingInnerClamp: "0.0005", fundingRateCap: "0.0075" },
    ...{ fundingBufferRate: "0.001", impactNotional: text(tick * 100n), maxOpenOrders: 200 },
    ...{ insuranceSlippage: "0.002", insuranceDrawLimit: null, indexStepLimit: "0.1" },
    // With the shorter one, weeks are more than a command takes at once.
    fundingIntervalMinutes: random.pick([1_440, 1_440, 1_440, 60]),
    ...{ indexStaleMs: 86_400_000, state: "trading" },
    tiers: [{ maxNotional: "1000000000", maintenanceMarginRate: "0.005", maxLeverage: 100 }],
  };
}

export function indexPrice({ symbol, tick, centreTicks }: TradedMarket): Command {
  const price = text(tick * BigInt(centreTicks));
  return { type: "set-index-price", actor: ACTOR, symbol, price, force: true };
}

/** A chain as deep as it gets and one beyond, two that are too deep together, or a wide tree. */
function firstAffiliates(random: Random): Command[] {
  const uids = random.shuffle(Array.from({ length: USERS }, (_, i) => i + 1));
  const roots = random.pick([[0], [0, 5], [0, 5], [0, 4, 8]]);
  const isWide = random.chance(0.3);
  return uids.slice(0, random.pick([5, 11, 11])).map((uid, i) => ({
    ...{ type: "set-affiliate", actor: ACTOR, uid },
    ...{ spotRate: random.pick(SPOT_RATES), futuresRate: random.pick(FUTURES_RATES) },
    parentUid: roots.includes(i) ? null : (uids[isWide ? random.integer(0, i - 1) : i - 1] ?? null),
  }));
}

/** Most have plenty; some have little in the contract wallet, and are liquidated in time. */
export function funding(random: Random, uid: number): Command[] {
  const thin = random.chance(0.5);
  const amounts = [
    ...["USDT", "BTC", "ACO", "EUR"].map((asset) => ["spot", asset, "1000000"] as const),
    ["contract", "USDT", thin ? "30" : "500000"] as const,
    ["contract", "BTC", thin ? "0.002" : "50"] as const,
  ];
  return amounts.map(([wallet, asset, amount]) => ({
    ...{ type: "deposit-funds", actor: ACTOR, requestId: `first-${wallet}-${asset}` },
    ...{ uid, wallet, asset, amount },
  }));
}

function insurance(random: Random, asset: string): Command[] {
  const amount = random.pick([null, "0.01", "100000"]);
  if (amount === null) return [];
  return [{ type: "deposit-insurance", actor: ACTOR, requestId: `fund-${asset}`, asset, amount }];
}
