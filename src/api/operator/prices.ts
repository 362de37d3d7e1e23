/** Index prices of contracts and, in a sandbox, pinned mark prices. */
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
  markPrice: Type.String({ description: 'the current mark price, "0" before the first one' }),
});

export const setIndexPrice = operatorRoute("setIndexPrice", {
  tag: TAG,
  summary:
    "Set the index price of a contract, rounded to its tick. From then on the index no longer " +
    "follows the spot market. A price further than indexStepLimit from the last one needs " +
    "force, unless the index is stale. Triggers and liquidations run before the response",
  params: OneMarket,
  body: Fields({
    price: Amount,
    force: Type.Optional(
      Type.Boolean({ description: "accept any price; always true with --sandbox" }),
    ),
  }),
  answer: IndexPrice,
});

export const listIndexPrices = operatorRoute("listIndexPrices", {
  tag: TAG,
  summary: "List the index prices of all contracts by symbol",
  query: PageAfterName,
  answer: PageOf(IndexPrice, MarketSymbol),
});

export const getIndexPrice = operatorRoute("getIndexPrice", {
  tag: TAG,
  summary: "Get the index price of a contract; liquidations are suspended while it is stale",
  params: OneMarket,
  answer: IndexPrice,
});

export const pinMarkPrice = operatorRoute("pinMarkPrice", {
  tag: SANDBOX_TAG,
  summary:
    "Pin the mark price of a contract; null unpins it. Triggers and liquidations run before the " +
    "response",
  sandboxOnly: true,
  params: OneMarket,
  body: Fields({ price: Nullable(Amount) }),
  answer: MarkPrice,
});

export const getMarkPrice = operatorRoute("getMarkPrice", {
  tag: SANDBOX_TAG,
  summary: "Get the pinned mark price of a contract; null when it is not pinned",
  sandboxOnly: true,
  params: OneMarket,
  answer: MarkPrice,
});

export const listMarkPrices = operatorRoute("listMarkPrices", {
  tag: SANDBOX_TAG,
  summary: "List the mark prices of all contracts and whether they are pinned, by symbol",
  sandboxOnly: true,
  query: PageAfterName,
  answer: PageOf(MarkPrice, MarketSymbol),
});
