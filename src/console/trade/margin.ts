/**
 * The margin of contract positions, by the rule of docs/concepts/liquidation.md: what an account
 * is worth, what it must hold, and where a new order would move its liquidation price. Estimates
 * at the market's own fee rates: the exchange decides.
 */
import type { Position } from "../../client/index.ts";
import { compare, dividedDown, minus, plus, times } from "../decimals/arithmetic.ts";
import type { MarketRules } from "./market-rules.ts";

const WORKING_DECIMALS = 12;
const RATIO_DECIMALS = 4;

export type Held = Pick<
  Position,
  "symbol" | "side" | "size" | "openValue" | "marginType" | "isolatedMargin" | "unrealizePnl"
>;

type Rules = Pick<MarketRules, "symbol" | "riskTiers" | "takerFeeRate">;

export interface MarginFacts {
  /** The contract wallet, without unrealised P&L. */
  readonly wallet: string;
  readonly positions: readonly Held[];
  readonly markets: readonly Rules[];
}

/** The value of a position at the mark price. */
export function markValueOf({
  side,
  openValue,
  unrealizePnl,
}: Pick<Held, "side" | "openValue" | "unrealizePnl">): string {
  return side === "LONG" ? plus(openValue, unrealizePnl) : minus(openValue, unrealizePnl);
}

const isCross = ({ marginType }: Held): boolean => marginType === "CROSSED";

function sum<Row>(rows: readonly Row[], amount: (row: Row) => string): string {
  return rows.reduce((total, row) => plus(total, amount(row)), "0");
}

/** The maintenance rate of a notional, with the fee of closing it. */
function maintenanceRateOf(notional: string, rules: Rules | undefined): string {
  if (rules === undefined) return "0";
  const { riskTiers, takerFeeRate } = rules;
  const tier = riskTiers.find(({ maxNotional }) => compare(notional, maxNotional) <= 0);
  return plus((tier ?? riskTiers.at(-1))?.maintenanceMarginRate ?? "0", takerFeeRate);
}

/** What these positions of one market must be covered by; they share a tier. */
function maintenanceOf(group: readonly Held[], markets: readonly Rules[]): string {
  const value = sum(group, markValueOf);
  return times(
    value,
    maintenanceRateOf(
      value,
      markets.find(({ symbol }) => symbol === group[0]?.symbol),
    ),
  );
}

export interface MarginState {
  /** What covers the positions. */
  readonly equity: string;
  /** What they must be covered by. */
  readonly maintenance: string;
  /** Maintenance over equity as a fraction: liquidated at 1. Null if nothing covers anything. */
  readonly ratio: string | null;
}

function stateOf(equity: string, maintenance: string): MarginState {
  const isWorthless = compare(equity, "0") <= 0;
  if (isWorthless) return { equity, maintenance, ratio: maintenance === "0" ? null : "1" };
  return { equity, maintenance, ratio: dividedDown(maintenance, equity, RATIO_DECIMALS) };
}

/** Of the whole cross account. */
export function crossStateOf({ wallet, positions, markets }: MarginFacts): MarginState {
  const cross = positions.filter(isCross);
  const equity = plus(
    minus(
      wallet,
      sum(positions, ({ isolatedMargin }) => isolatedMargin),
    ),
    sum(cross, ({ unrealizePnl }) => unrealizePnl),
  );
  const groups = [...Map.groupBy(cross, ({ symbol }) => symbol).values()];
  return stateOf(
    equity,
    sum(groups, (group) => maintenanceOf(group, markets)),
  );
}

/** Of a position: its own if isolated, that of the account if cross. */
export function marginStateOf(position: Held, facts: MarginFacts): MarginState {
  if (isCross(position)) return crossStateOf(facts);
  const { isolatedMargin, unrealizePnl } = position;
  const group = facts.positions.filter(
    ({ symbol, side, marginType }) =>
      symbol === position.symbol && side === position.side && marginType === position.marginType,
  );
  const rules = facts.markets.find(({ symbol }) => symbol === position.symbol);
  const rate = maintenanceRateOf(sum(group, markValueOf), rules);
  return stateOf(plus(isolatedMargin, unrealizePnl), times(markValueOf(position), rate));
}

/** What an order would add. */
export interface Opening {
  readonly symbol: string;
  readonly side: Position["side"];
  readonly marginType: Position["marginType"];
  readonly quantity: string;
  readonly price: string;
  /** Its initial margin. */
  readonly margin: string;
}

/**
 * The mark price at which the position would be liquidated after an opening order, together with
 * what is held already. Null if no price does that.
 */
export function liquidationAfter(opening: Opening, facts: MarginFacts): string | null {
  const { symbol, side, quantity, price } = opening;
  const rules = facts.markets.find((market) => market.symbol === symbol);
  const held = facts.positions.filter((position) => position.symbol === symbol);
  const own = held.filter((position) => position.side === side);
  const value = plus(
    sum(own, ({ openValue }) => openValue),
    times(quantity, price),
  );
  const size = plus(
    sum(own, (position) => position.size),
    quantity,
  );
  if (opening.marginType === "ISOLATED") {
    const margin = plus(
      sum(own, ({ isolatedMargin }) => isolatedMargin),
      opening.margin,
    );
    const rate = maintenanceRateOf(times(size, price), rules);
    return side === "LONG"
      ? above0(minus(value, margin), times(size, minus("1", rate)))
      : above0(plus(value, margin), times(size, plus("1", rate)));
  }
  const other = held.filter((position) => position.side !== side);
  const otherSize = sum(other, (position) => position.size);
  const otherValue = sum(other, ({ openValue }) => openValue);
  const both = plus(size, otherSize);
  const rate = maintenanceRateOf(times(both, price), rules);
  const fee = times(times(quantity, price), rules?.takerFeeRate ?? "0");
  const elsewhere = facts.positions.filter((position) => position.symbol !== symbol);
  const rest = crossStateOf({ ...facts, positions: elsewhere });
  // equity + net × p − net open value = maintenance + both × p × rate, solved for p
  const isLong = side === "LONG";
  const net = isLong ? minus(size, otherSize) : minus(otherSize, size);
  const netValue = isLong ? minus(value, otherValue) : minus(otherValue, value);
  const missing = minus(plus(plus(rest.maintenance, fee), netValue), rest.equity);
  return above0(missing, minus(net, times(both, rate)));
}

/** The quotient; null unless it is above 0. */
function above0(left: string, right: string): string | null {
  const quotient = dividedDown(left, right, WORKING_DECIMALS);
  return compare(quotient, "0") > 0 ? quotient : null;
}
