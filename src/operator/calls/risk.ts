/** Open interest, and the positions closest to liquidation. */
import * as routes from "../../api/operator/risk.ts";
import type { ContractPricesView } from "../../protocol/index.ts";
import { done, pageByName } from "../answers.ts";
import { handle } from "../call.ts";

const POSITIONS_DEFAULT = 50;

function toOpenInterest(view: ContractPricesView) {
  const { symbol, openInterest, markPrice, indexPrice, isStale } = view;
  return { symbol, openInterest, markPrice, indexPrice, isStale };
}

const listOpenInterest = handle(routes.listOpenInterest, async ({ query }, { engine }) => {
  return pageByName(
    await engine.ask({ type: "contract-prices", symbol: null }),
    query,
    (row) => row.symbol,
    toOpenInterest,
  );
});

const listPositions = handle(routes.listPositions, async ({ query }, { engine }) => {
  const { symbol = null, limit = POSITIONS_DEFAULT } = query;
  const reply = await engine.ask({ type: "positions-at-risk", symbol, limit });
  return reply.ok ? done({ items: [...reply.value] }) : reply;
});

export const RISK_CALLS = [listOpenInterest, listPositions];
