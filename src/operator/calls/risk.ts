/** What is open in contracts, and whose positions are nearest to being liquidated. */
import { Type } from "typebox";
import { MARGIN_TYPES, POSITION_SIDES } from "../../domain/index.ts";
import type { ContractPricesView } from "../../protocol/index.ts";
import { done, pageByName, toPage } from "../answers.ts";
import { call } from "../call.ts";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  Flag,
  MarketSymbol,
  Nothing,
  Nullable,
  OneOf,
  PageAfterName,
  PageOf,
  SignedAmount,
  Uid,
} from "../schemas.ts";

const TAG = "Risk";
const POSITIONS_MAX = 200;
const POSITIONS_DEFAULT = 50;

const OpenInterest = Fields({
  symbol: MarketSymbol,
  openInterest: Type.String({ description: "total size of the long positions, in the base asset" }),
  markPrice: Amount,
  indexPrice: Amount,
  isStale: Flag,
});

function toOpenInterest(view: ContractPricesView) {
  const { symbol, openInterest, markPrice, indexPrice, isStale } = view;
  return { symbol, openInterest, markPrice, indexPrice, isStale };
}

const listOpenInterest = call(
  {
    id: "listOpenInterest",
    method: "GET",
    path: "/operator/v1/open-interest",
    tag: TAG,
    summary: "What is open in every contract market, in order of symbol",
    params: Nothing,
    query: PageAfterName,
    body: Nothing,
    answer: PageOf(OpenInterest, MarketSymbol),
  },
  async ({ query }, { engine }) => {
    const reply = await engine.ask({ type: "contract-prices", symbol: null });
    if (!reply.ok) return reply;
    const { rows, limit } = pageByName(reply.value, (row) => row.symbol, query);
    return done(toPage(rows, limit, toOpenInterest, (row) => row.symbol));
  },
);

const Position = Fields({
  id: Count,
  uid: Uid,
  symbol: MarketSymbol,
  side: OneOf(POSITION_SIDES),
  marginType: OneOf(MARGIN_TYPES),
  leverage: Count,
  size: Amount,
  marginAsset: AssetName,
  value: Type.String({ description: "at the mark, in the margin asset" }),
  unrealizePnl: SignedAmount,
  markPrice: Amount,
  liquidatePrice: Type.String({ description: '"0" when no price liquidates it' }),
  distance: Nullable(
    Type.String({ description: "between mark and liquidation price, as a part of the mark" }),
  ),
});

const listPositions = call(
  {
    id: "listPositions",
    method: "GET",
    path: "/operator/v1/positions",
    tag: TAG,
    summary:
      "Open positions of all users, in one market or all, nearest to liquidation first; those " +
      "that no price liquidates last",
    params: Nothing,
    query: Fields({
      symbol: Type.Optional(MarketSymbol),
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: POSITIONS_MAX,
          description: `a whole number from 1 to ${POSITIONS_MAX}`,
        }),
      ),
    }),
    body: Nothing,
    answer: Fields({ items: Type.Array(Position) }),
  },
  async ({ query }, { engine }) => {
    const { symbol = null, limit = POSITIONS_DEFAULT } = query;
    const reply = await engine.ask({ type: "positions-at-risk", symbol, limit });
    return reply.ok ? done({ items: [...reply.value] }) : reply;
  },
);

export const RISK_CALLS = [listOpenInterest, listPositions];
