/**
 * The first step of liquidating a cross account: what it holds both long and short in a symbol is
 * closed against itself at the mark, without fees. Equity stays, maintenance margin falls.
 */
import type { Context } from "../../state.ts";
import { settleOffBook } from "../orders/fill.ts";
import { beginTaker, finishTaker } from "../orders/matching.ts";
import { systemOrderTerms } from "../orders/place-order.ts";
import { LONG, SHORT, type SymbolAccount } from "../state/contract-market.ts";

/**
 * Nets both sides of a symbol, oldest positions first. Returns whether there was anything to net.
 */
export function netSymbol(context: Context, owner: SymbolAccount): boolean {
  const { state } = context;
  const { market, sideLots } = owner;
  const lots = Math.min(sideLots[LONG], sideLots[SHORT]);
  if (lots === 0) return false;
  const maker = beginTaker(context, systemOrderTerms(state, owner, LONG, lots, "netting", 0));
  const taker = beginTaker(context, systemOrderTerms(state, owner, SHORT, lots, "netting", 0));
  settleOffBook(context, "netting", market, market.mark.ticks, lots, maker, taker);
  finishTaker(context, maker);
  finishTaker(context, taker);
  return true;
}
