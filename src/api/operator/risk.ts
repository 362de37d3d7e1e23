/** Open interest, and the positions closest to liquidation. */
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
  summary: "List the open interest of all contract markets by symbol",
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
  value: Type.String({ description: "at the mark price, in the margin asset" }),
  unrealizePnl: SignedAmount,
  markPrice: Amount,
  liquidatePrice: Type.String({ description: '"0" when there is none' }),
  distance: Nullable(
    Type.String({
      description: "between mark and liquidation price, as a fraction of the mark price",
    }),
  ),
});

export const listPositions = operatorRoute("listPositions", {
  tag: TAG,
  summary:
    "List open positions of all users in one market or all, closest to liquidation first, " +
    "positions without a liquidation price last",
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
