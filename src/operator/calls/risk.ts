/** What is open in contracts, and whose positions are nearest to being liquidated. */
import * as routes from "../../api/operator/risk.ts";
import type { ContractPricesView } from "../../protocol/index.ts";
import { done, pageByName, toPage } from "../answers.ts";
import { handle } from "../call.ts";

const POSITIONS_DEFAULT = 50;

function toOpenInterest(view: ContractPricesView) {
  const { symbol, openInterest, markPrice, indexPrice, isStale } = view;
  return { symbol, openInterest, markPrice, indexPrice, isStale };
}

const listOpenInterest = handle(routes.listOpenInterest, async ({ query }, { engine }) => {
  const reply = await engine.ask({ type: "contract-prices", symbol: null });
  if (!reply.ok) return reply;
  const { rows, limit } = pageByName(reply.value, (row) => row.symbol, query);
  return done(toPage(rows, limit, toOpenInterest, (row) => row.symbol));
});

const listPositions = handle(routes.listPositions, async ({ query }, { engine }) => {
  const { symbol = null, limit = POSITIONS_DEFAULT } = query;
  const reply = await engine.ask({ type: "positions-at-risk", symbol, limit });
  return reply.ok ? done({ items: [...reply.value] }) : reply;
});

export const RISK_CALLS = [listOpenInterest, listPositions];
