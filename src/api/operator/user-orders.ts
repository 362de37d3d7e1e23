/** A user's orders and positions, and the search for users, API keys and orders. */
import { Type } from "typebox";
import { MARGIN_TYPES, POSITION_SIDES, SIDES } from "../../domain/index.ts";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  Flag,
  Limit,
  MarketSymbol,
  Nullable,
  OneOf,
  PageOf,
  Product,
  SearchText,
  SignedAmount,
  TimestampMs,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Users";
const PAGE_MAX = 100;

const OneUser = Fields({ uid: Uid });

const Order = Fields({
  product: Product,
  orderId: Type.Integer({ description: "of a conditional order, its algo id" }),
  clientOrderId: Type.String(),
  symbol: MarketSymbol,
  side: OneOf(SIDES),
  positionSide: Nullable(OneOf(POSITION_SIDES)),
  type: Type.String({ description: "such as LIMIT; of a conditional order such as STOP_MARKET" }),
  price: Type.String({ description: '"0" for a market order' }),
  triggerPrice: Nullable(Type.String({ description: "of a conditional order" })),
  quantity: Amount,
  filledQuantity: Amount,
  status: Type.String(),
  reason: Nullable(Type.String({ description: "why it ended" })),
  createdAt: TimestampMs,
  updatedAt: TimestampMs,
});

export const listOpenOrders = operatorRoute("listOpenOrders", {
  tag: TAG,
  summary: "List a user's open orders of both products, conditional orders included",
  params: OneUser,
  answer: Fields({ items: Type.Array(Order) }),
});

export const listEndedOrders = operatorRoute("listEndedOrders", {
  tag: TAG,
  summary: "List a user's ended spot or contract orders, newest first; `next` is the next page",
  params: OneUser,
  query: Fields({
    product: Type.Optional(Product),
    symbol: Type.Optional(MarketSymbol),
    page: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: PAGE_MAX,
        description: `a whole number from 1 to ${PAGE_MAX}`,
      }),
    ),
    limit: Type.Optional(Limit),
  }),
  answer: PageOf(Order, Count),
});

const Position = Fields({
  id: Count,
  symbol: MarketSymbol,
  side: OneOf(POSITION_SIDES),
  marginType: OneOf(MARGIN_TYPES),
  isSeparated: Flag,
  leverage: Type.String(),
  size: Amount,
  asset: AssetName,
  openValue: Amount,
  margin: Amount,
  unrealizePnl: SignedAmount,
  fundingFee: Type.String({ description: "positive when paid" }),
  liquidatePrice: Type.String({ description: '"0" when there is none' }),
  createdAt: TimestampMs,
  updatedAt: TimestampMs,
});

export const listPositionsOfUser = operatorRoute("listPositionsOfUser", {
  tag: TAG,
  summary: "List a user's open positions",
  params: OneUser,
  answer: Fields({ items: Type.Array(Position) }),
});

const KINDS = ["user", "api-key", "open-order", "ended-order"] as const;

export const search = operatorRoute("search", {
  tag: TAG,
  summary:
    "Find users, API keys and orders by a uid, an API key or its beginning, an order id or a " +
    "client order id",
  params: Fields({ text: SearchText }),
  answer: Fields({
    items: Type.Array(
      Fields({
        kind: OneOf(KINDS),
        uid: Uid,
        id: Type.String({ description: "the uid, the API key, or the order id" }),
        product: Nullable(Product),
        symbol: Nullable(MarketSymbol),
        clientOrderId: Nullable(Type.String()),
        status: Nullable(Type.String({ description: "of a user or an ended order" })),
      }),
    ),
  }),
});
