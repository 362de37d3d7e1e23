/**
 * Random exchanges that are small and awkward on purpose: few users, few price levels, ticks and
 * lots that are no powers of ten, minor units that barely hold a tick-lot, so that everything
 * collides often.
 */
import type { Command, CommandOf } from "../../src/protocol/index.ts";
import { exact, greatest, text, times } from "../support/exact.ts";
import type { Random } from "../support/random.ts";

const TICKS = ["0.01", "0.05", "0.3", "7", "0.00025", "1", "0.0009", "25", "0.125"];
const STEPS = ["1", "0.1", "0.003", "0.00001", "5", "0.25", "0.07"];
const FEES = ["0", "0.001", "0.00033333", "0.1", "0.0007", "0.02500001"];
const RATIOS = ["0.1", "0.25", "0.33333333", "0.05", "0.5", "0.07"];
const PAIRS = [
  ["ACO", "QUO"],
  ["BEL", "QUO"],
  ["ACO", "BEL"],
] as const;
const USERS = 5;
/** Ticks around which prices begin. */
const CENTRE_TICKS = 24;

/** The commands that set up an exchange of two or three markets with funded users. */
export function setUpCommands(random: Random): Command[] {
  const markets = PAIRS.slice(0, random.integer(2, 3)).map(([base, quote]) =>
    marketCommand(random, base, quote),
  );
  const assets = ["QUO", "ACO", "BEL"].map((asset, coinId): Command => {
    const needed = markets.map((market) => neededScale(market, asset));
    const scale = Math.min(18, Math.max(...needed) + random.pick([0, 0, 1, 3]));
    return { type: "set-asset", actor: "operator", asset, coinId: 7 - coinId, name: asset, scale };
  });
  const users: Command[] = [];
  for (let i = 0; i < USERS; i++) {
    const inviteCode = `invite-${i}`;
    const invitedWith = i === 0 ? null : `invite-${i - 1}`;
    users.push(registration(i === 1 ? 77 : null, inviteCode, invitedWith));
  }
  return [{ type: "adopt-rules", version: 1 }, ...assets, ...markets, ...users];
}

export function registration(
  uid: number | null,
  inviteCode: string,
  invitedWith: string | null,
): Command {
  return { type: "register-user", actor: "operator", uid, inviteCode, invitedWith, kyc: false };
}

/** Rules of a market: a new one, or another set for one that is listed. */
export function marketCommand(
  random: Random,
  baseAsset: string,
  quoteAsset: string,
  listed: { readonly tickSize: string; readonly stepSize: string } | null = null,
): CommandOf<"set-spot-market"> {
  const tickSize = listed?.tickSize ?? random.pick(TICKS);
  const stepSize = listed?.stepSize ?? random.pick(STEPS);
  const step = exact(stepSize);
  const minLots = BigInt(random.pick([1, 1, 2]));
  const tickLot = (exact(tickSize) * step) / 10n ** 18n;
  return {
    type: "set-spot-market",
    actor: "operator",
    symbol: `${baseAsset}${quoteAsset}`,
    baseAsset,
    quoteAsset,
    tickSize,
    stepSize,
    minTradeAmount: text(step * minLots),
    maxTradeAmount: text(step * BigInt(random.integer(25, 60))),
    minNotional: text(tickLot * BigInt(random.pick([0, 0, 20, 41]))),
    makerFeeRate: random.pick(FEES),
    takerFeeRate: random.pick(FEES),
    buyLimitPriceRatio: random.pick(RATIOS),
    sellLimitPriceRatio: random.pick(RATIOS),
    maxOpenOrders: random.pick([3, 6, 12, 200]),
    state: "trading",
  };
}

/** Decimals that an asset needs so that a market's lots and tick-lots are whole. */
function neededScale(market: CommandOf<"set-spot-market">, asset: string): number {
  if (market.baseAsset === asset) return decimalsOf(exact(market.stepSize));
  if (market.quoteAsset !== asset) return 0;
  return decimalsOf(times(exact(market.tickSize), exact(market.stepSize)));
}

function decimalsOf(amount: bigint): number {
  return (text(amount).split(".")[1] ?? "").length;
}

/** A deposit that pays for a handful of orders. */
function usualAmount(market: CommandOf<"set-spot-market">, asset: string): bigint {
  const lots = exact(market.stepSize) * 60n;
  if (market.baseAsset === asset) return lots;
  return market.quoteAsset === asset
    ? times(exact(market.tickSize) * BigInt(CENTRE_TICKS), lots)
    : 0n;
}

export function startingFunds(
  markets: readonly CommandOf<"set-spot-market">[],
  asset: string,
): bigint {
  return markets.map((market) => usualAmount(market, asset)).reduce(greatest, 0n);
}
