/** Open positions with the state of the margin behind them. */
import type { Position, RialtoClient } from "../../../client/index.ts";
import { compare, dividedDown, times } from "../../decimals/arithmetic.ts";
import { type MarginState, marginStateOf } from "../margin.ts";
import type { MarketRules } from "../market-rules.ts";

const PERCENT_DECIMALS = 2;

export interface PositionRow extends Position {
  readonly marginState: MarginState;
}

export async function fetchPositions(
  client: RialtoClient,
  markets: readonly MarketRules[],
  signal: AbortSignal,
): Promise<readonly PositionRow[]> {
  const [positions, balances] = await Promise.all([
    client.contract.positions({ signal }),
    client.contract.balance({ signal }),
  ]);
  return positions.map((position) => {
    const wallet = balances.find(({ asset }) => asset === position.asset)?.balance ?? "0";
    const sharing = positions.filter(({ asset }) => asset === position.asset);
    const marginState = marginStateOf(position, { wallet, positions: sharing, markets });
    return { ...position, marginState };
  });
}

/** Return on equity: the unrealised P&L as a percentage of the position's margin. */
export function roeOf({ unrealizePnl, marginSize }: Position): string {
  if (compare(marginSize, "0") === 0) return "0";
  return dividedDown(times(unrealizePnl, "100"), marginSize, PERCENT_DECIMALS);
}
