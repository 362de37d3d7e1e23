/**
 * Random exchanges for contracts, small and awkward on purpose: three markets over two margin
 * assets, tiers that a few orders fill, maker fees above and below taker fees, users who are rich
 * or nearly broke, and an insurance fund that is soon empty.
 */
import { RULES_VERSION } from "../../../src/engine/index.ts";
import type { Command, CommandOf } from "../../../src/protocol/index.ts";
import { exact, greatest, text, times } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { registration } from "../spot-setup.ts";

const TICKS = ["0.05", "25", "0.0009", "0.01", "1", "0.3"];
const STEPS = ["0.003", "1", "5", "0.1", "0.07"];
const ACTOR = "operator";
/** Base, margin asset. The first has a spot market of the same name in some exchanges. */
const PAIRS = [
  ["ACO", "QUO"],
  ["BEL", "QUO"],
  ["ACO", "BEL"],
] as const;
const ASSETS = ["QUO", "ACO", "BEL"];
export const UIDS = [100_001, 77, 100_002, 100_003, 100_004, 100_005];

/** An order without take-profit and stop-loss. */
export const NOTHING_ATTACHED = {
  tpTriggerPrice: null,
  slTriggerPrice: null,
  tpWorkingType: "CONTRACT_PRICE",
  slWorkingType: "CONTRACT_PRICE",
} as const;

export interface Listing {
  readonly command: CommandOf<"set-contract-market">;
  /** Around which its index moves. */
  readonly centre: bigint;
}

export interface ContractSetup {
  readonly listings: readonly Listing[];
  readonly setUp: readonly Command[];
}

export function contractSetup(random: Random): ContractSetup {
  const listings = PAIRS.map(([base, quote]) => listing(random, base, quote));
  const scales = new Map<string, number>();
  const assets = ASSETS.map((asset, i): Command => {
    const needed = listings.map(({ command }) => neededScale(command, asset));
    const scale = Math.min(18, Math.max(...needed) + random.pick([0, 0, 1, 3]));
    scales.set(asset, scale);
    return { type: "set-asset", actor: ACTOR, asset, coinId: 7 - i, name: asset, scale };
  });
  const users = UIDS.map((uid, i) =>
    registration(uid === 77 ? 77 : null, `invite-${i}`, i === 0 ? null : `invite-${i - 1}`),
  );
  const spot = random.chance(0.4) ? [spotTwin(listings[0] as Listing)] : [];
  const setUp: Command[] = [
    { type: "adopt-rules", version: RULES_VERSION },
    ...assets,
    ...spot,
    ...listings.map(({ command }) => command),
    ...users,
    ...listings.map(({ command, centre }): Command => {
      const { symbol } = command;
      return { type: "set-index-price", actor: ACTOR, symbol, price: text(centre), force: true };
    }),
    ...UIDS.flatMap((uid) => funding(random, listings, scales, uid)),
    ...["QUO", "BEL"].flatMap((asset) => insurance(random, listings, scales, asset)),
    ...UIDS.flatMap((uid) => settings(random, listings, uid)),
  ];
  // With a spot market of its own the first market takes its index from there.
  const own = spot.length > 0 && random.chance(0.7) ? listings[0]?.command.symbol : null;
  const isOwn = (command: Command) => command.type === "set-index-price" && command.symbol === own;
  return { listings, setUp: setUp.filter((command) => !isOwn(command)) };
}

/** What so many lots are worth around the centre. */
export function lotsValue({ command, centre }: Listing, lots: number): bigint {
  return times(centre, exact(command.stepSize) * BigInt(lots));
}

/** Rules of a market: a new one, or others for one that is listed. */
export function listing(
  random: Random,
  baseAsset: string,
  quoteAsset: string,
  listed: Listing | null = null,
): Listing {
  const tickSize = listed?.command.tickSize ?? random.pick(TICKS);
  const stepSize = listed?.command.stepSize ?? random.pick(STEPS);
  const step = exact(stepSize);
  const centre = listed?.centre ?? exact(tickSize) * BigInt(random.pick([200, 1_000, 5_000]));
  const lots = (count: number) => text(step * BigInt(count));
  const worth = (count: number) => text(times(centre, step * BigInt(count)));
  const places = (size: string) => size.split(".")[1]?.length ?? 0;
  const maxLeverage = random.pick([50, 100, 20]);
  const [maker, taker] = random.pick([
    ["0.0002", "0.0008"],
    ["0", "0.0005"],
    ["0.001", "0.0004"],
    ["0.00033333", "0.00077777"],
    ["0", "0"],
  ] as const);
  const command: CommandOf<"set-contract-market"> = {
    type: "set-contract-market",
    actor: ACTOR,
    symbol: `${baseAsset}${quoteAsset}`,
    baseAsset,
    quoteAsset,
    marginAsset: quoteAsset,
    tickSize,
    stepSize,
    pricePrecision: places(tickSize),
    quantityPrecision: places(stepSize),
    contractVal: stepSize,
    minOrderSize: lots(random.pick([1, 1, 2])),
    maxOrderSize: lots(random.integer(40, 80)),
    maxPositionSize: lots(random.integer(60, 200)),
    marketOpenLimitSize: lots(random.integer(10, 80)),
    minLeverage: random.pick([1, 1, 2]),
    maxLeverage,
    defaultLeverage: listed?.command.defaultLeverage ?? random.pick([10, 20, 5]),
    buyLimitPriceRatio: random.pick(["0.05", "0.1", "0.02", "0.3"]),
    sellLimitPriceRatio: random.pick(["0.05", "0.1", "0.02", "0.3"]),
    makerFeeRate: maker,
    takerFeeRate: taker,
    liquidateFeeRate: random.pick(["0.01", "0.005", "0", "0.00123"]),
    interestRate: random.pick(["0.0001", "-0.0003", "0", "0.00077777"]),
    fundingInnerClamp: random.pick(["0.0005", "0.0001", "0"]),
    fundingRateCap: random.pick(["0.0075", "0.0004", "0.02"]),
    fundingBufferRate: random.pick(["0.001", "0", "0.01"]),
    impactNotional: worth(random.integer(1, 12)),
    fundingIntervalMinutes: listed?.command.fundingIntervalMinutes ?? random.pick([480, 60, 5, 10]),
    indexStaleMs: random.pick([60_000, 3_600_000, 86_400_000]),
    maxOpenOrders: random.pick([200, 200, 4]),
    tiers: tiers(random, maxLeverage, worth),
    state: "trading",
    insuranceSlippage: random.pick(["0.002", "0", "0.01", "0.5"]),
    insuranceDrawLimit: random.pick([null, null, "0.1", "0.5", "0.01"]),
    indexStepLimit: random.pick(["0.1", "0.03", "1"]),
  };
  return { command, centre };
}

function tiers(random: Random, maxLeverage: number, worth: (lots: number) => string) {
  const rates = random.pick([
    ["0.005", "0.01", "0.025", "0.05"],
    ["0.004", "0.02", "0.03", "0.09"],
    ["0.008", "0.008", "0.02", "0.033"],
  ] as const);
  const caps = [random.integer(3, 12), random.integer(13, 25), random.integer(26, 45), 5_000];
  return rates.slice(0, random.integer(2, 4)).map((maintenanceMarginRate, i) => ({
    maxNotional: worth(caps[i] as number),
    maintenanceMarginRate,
    maxLeverage: Math.floor(Math.min(maxLeverage / (i + 1), 0.9 / Number(maintenanceMarginRate))),
  }));
}

function spotTwin({ command, centre }: Listing): CommandOf<"set-spot-market"> {
  const { symbol, baseAsset, quoteAsset, stepSize } = command;
  // A grid that is not that of the contract.
  const tickSize = text(exact(command.tickSize) * 3n);
  return {
    ...{ type: "set-spot-market", actor: ACTOR, symbol, baseAsset, quoteAsset },
    ...{ tickSize, stepSize, minTradeAmount: stepSize },
    maxTradeAmount: text(exact(stepSize) * 1_000n),
    minNotional: "0",
    ...{ makerFeeRate: "0", takerFeeRate: "0" },
    ...{ buyLimitPriceRatio: "1000", sellLimitPriceRatio: "0.99", maxOpenOrders: 200 },
    state: centre > 0n ? "trading" : "halted",
  };
}

function funding(
  random: Random,
  listings: readonly Listing[],
  scales: ReadonlyMap<string, number>,
  uid: number,
): Command[] {
  const deposits = ["QUO", "BEL"].flatMap((asset): Command[] => {
    const own = listings.filter(({ command }) => command.quoteAsset === asset);
    const worth = own.map((market) => lotsValue(market, 40)).reduce(greatest);
    const amount = (worth * BigInt(random.pick([3, 10, 40, 200]))) / 20n;
    const unit = 10n ** BigInt(18 - (scales.get(asset) ?? 0));
    const plain = text(amount - (amount % unit) + unit);
    return (["contract", "spot"] as const).map((wallet) => ({
      ...{ type: "deposit-funds", actor: ACTOR, requestId: `${wallet}-${uid}-${asset}` },
      ...{ uid, wallet, asset, amount: plain },
    }));
  });
  const base = { uid, wallet: "spot", asset: "ACO", amount: "1000000" } as const;
  const requestId = `spot-${uid}-ACO`;
  return [...deposits, { type: "deposit-funds", actor: ACTOR, requestId, ...base }];
}

/** Nothing, or what pays for a lot, or for many. */
function insurance(
  random: Random,
  listings: readonly Listing[],
  scales: ReadonlyMap<string, number>,
  asset: string,
): Command[] {
  const own = listings.find(({ command }) => command.quoteAsset === asset);
  const lots = random.pick([0, 0, 1, 3, 100]);
  if (own === undefined || lots === 0) return [];
  const unit = 10n ** BigInt(18 - (scales.get(asset) ?? 0));
  const worth = lotsValue(own, lots) / 3n;
  const amount = text(worth - (worth % unit) + unit);
  const requestId = `fund-${asset}`;
  return [{ type: "deposit-insurance", actor: ACTOR, requestId, asset, amount }];
}

function settings(random: Random, listings: readonly Listing[], uid: number): Command[] {
  return listings.map(({ command: { symbol } }) => ({
    ...{ type: "set-margin-type", uid, symbol },
    marginType: random.pick(["CROSSED", "CROSSED", "ISOLATED"] as const),
    separatedType: random.pick(["COMBINED", "COMBINED", "SEPARATED"] as const),
  }));
}

/** Decimals that an asset needs so that a market's lots and tick-lots are whole. */
function neededScale(market: CommandOf<"set-contract-market">, asset: string): number {
  if (market.baseAsset === asset) return decimalsOf(exact(market.stepSize));
  if (market.quoteAsset !== asset) return 0;
  return decimalsOf(times(exact(market.tickSize), exact(market.stepSize)));
}

function decimalsOf(amount: bigint): number {
  return (text(amount).split(".")[1] ?? "").length;
}
