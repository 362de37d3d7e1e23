/** Prices that come from outside: the index of a contract, and in a sandbox a mark held by hand. */
import { Type } from "typebox";
import {
  Amount,
  Fields,
  Flag,
  MarketSymbol,
  Nullable,
  PageAfterName,
  PageOf,
  TimestampMs,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Prices";

const SANDBOX_TAG = "Sandbox";

const OneMarket = Fields({ symbol: MarketSymbol });

const IndexPrice = Fields({
  symbol: MarketSymbol,
  price: Type.String({ description: 'the index in whole ticks, "0" before the first one' }),
  time: TimestampMs,
  isStale: Flag,
});

const MarkPrice = Fields({
  symbol: MarketSymbol,
  price: Nullable(Amount),
  markPrice: Type.String({ description: 'the mark as it is now, "0" before the first one' }),
});

export const setIndexPrice = operatorRoute("setIndexPrice", {
  tag: TAG,
  summary:
    "Set the index of a contract, rounded to its tick. From the first one on the index is no " +
    "longer derived from the spot market. Further from the last one than indexStepLimit a " +
    "price is refused without force, except by a stale index. Triggers and liquidations are " +
    "done before the answer",
  params: OneMarket,
  body: Fields({
    price: Amount,
    force: Type.Optional(
      Type.Boolean({ description: "take any price; always true with --sandbox" }),
    ),
  }),
  answer: IndexPrice,
});

export const listIndexPrices = operatorRoute("listIndexPrices", {
  tag: TAG,
  summary: "The index of every contract, in order of symbol",
  query: PageAfterName,
  answer: PageOf(IndexPrice, MarketSymbol),
});

export const getIndexPrice = operatorRoute("getIndexPrice", {
  tag: TAG,
  summary: "The index of one contract; liquidations wait while it is stale",
  params: OneMarket,
  answer: IndexPrice,
});

export const pinMarkPrice = operatorRoute("pinMarkPrice", {
  tag: SANDBOX_TAG,
  summary:
    "Hold the mark of a contract at a price, until null lets it go. Triggers and liquidations " +
    "are done before the answer",
  sandboxOnly: true,
  params: OneMarket,
  body: Fields({ price: Nullable(Amount) }),
  answer: MarkPrice,
});

export const getMarkPrice = operatorRoute("getMarkPrice", {
  tag: SANDBOX_TAG,
  summary: "The price at which the mark of a contract is held, null when it follows its rule",
  sandboxOnly: true,
  params: OneMarket,
  answer: MarkPrice,
});

export const listMarkPrices = operatorRoute("listMarkPrices", {
  tag: SANDBOX_TAG,
  summary: "The mark of every contract and whether it is held, in order of symbol",
  sandboxOnly: true,
  query: PageAfterName,
  answer: PageOf(MarkPrice, MarketSymbol),
});
