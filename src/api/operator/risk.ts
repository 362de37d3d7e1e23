/** What is open in contracts, and whose positions are nearest to being liquidated. */
import { Type } from "typebox";
import { MARGIN_TYPES, POSITION_SIDES } from "../../domain/index.ts";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  Flag,
  MarketSymbol,
  Nullable,
  OneOf,
  PageAfterName,
  PageOf,
  SignedAmount,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Risk";

const POSITIONS_MAX = 200;

const OpenInterest = Fields({
  symbol: MarketSymbol,
  openInterest: Type.String({ description: "total size of the long positions, in the base asset" }),
  markPrice: Amount,
  indexPrice: Amount,
  isStale: Flag,
});

export const listOpenInterest = operatorRoute("listOpenInterest", {
  tag: TAG,
  summary: "What is open in every contract market, in order of symbol",
  query: PageAfterName,
  answer: PageOf(OpenInterest, MarketSymbol),
});

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

export const listPositions = operatorRoute("listPositions", {
  tag: TAG,
  summary:
    "Open positions of all users, in one market or all, nearest to liquidation first; those " +
    "that no price liquidates last",
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
  answer: Fields({ items: Type.Array(Position) }),
});
