/** Markets on demand: books, prices and funding rates that a tester asks for. */
import { Type } from "typebox";
import {
  Amount,
  Fields,
  MarketSymbol,
  Nullable,
  OneOf,
  Product,
  Sequence,
  SignedRate,
  TimestampMs,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Sandbox";

/** More levels of a side are not made. */
const LEVELS_MAX = 500;
const IN_MS_MAX = 31 * 86_400_000;
const SEED_MAX = 4_294_967_295;

const OneMarket = Fields({ symbol: MarketSymbol });

const WhichProduct = Type.Optional(Product);

const Level = Type.Array(Type.String({ maxLength: 40 }), { minItems: 2, maxItems: 2 });

function Levels(name: string) {
  return Type.Array(Level, {
    maxItems: LEVELS_MAX,
    description: `a list of at most ${LEVELS_MAX} ${name}, each [price, quantity] as decimal text`,
  });
}

const Book = Fields({
  symbol: MarketSymbol,
  product: Product,
  bids: Type.Array(Type.Array(Type.String())),
  asks: Type.Array(Type.Array(Type.String())),
  lastPrice: Type.String({ description: 'of the last trade, "0" before the first' }),
  sequence: Sequence,
});

const Funding = Fields({
  symbol: MarketSymbol,
  rate: Type.String({ description: "of the next funding, as currently estimated" }),
  fundingTime: TimestampMs,
  lastRate: Type.String({ description: "of the last funding" }),
});

export const makeBook = operatorRoute("makeBook", {
  tag: TAG,
  summary:
    "Replace the house's orders with exactly this book. Users' orders stay, or are filled if " +
    "the book crosses them. Without `product`, the spot market is meant, or the contract if " +
    "there is none",
  sandboxOnly: true,
  params: OneMarket,
  body: Fields({ product: WhichProduct, bids: Levels("bids"), asks: Levels("asks") }),
  answer: Book,
});

export const getBook = operatorRoute("getBook", {
  tag: TAG,
  summary: "Get the house's orders in a market by price, and the last price",
  sandboxOnly: true,
  params: OneMarket,
  query: Fields({ product: WhichProduct }),
  answer: Book,
});

export const clearBook = operatorRoute("clearBook", {
  tag: TAG,
  summary: "Cancel the house's orders in a market; the demo's makers return",
  sandboxOnly: true,
  params: OneMarket,
  query: Fields({ product: WhichProduct }),
  answer: Book,
});

export const movePrice = operatorRoute("movePrice", {
  tag: TAG,
  summary:
    "Move the last price of a market by trades of the house, at once or over time, or pin the " +
    "mark price of a contract with `mark`; null unpins it. Responds when the price is reached",
  sandboxOnly: true,
  params: OneMarket,
  body: Fields({
    product: WhichProduct,
    mark: Type.Optional(Nullable(Amount)),
    inMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: IN_MS_MAX,
        description: `milliseconds of exchange time from 0 to ${IN_MS_MAX}`,
      }),
    ),
    path: Type.Optional(OneOf(["jump", "linear", "random-walk"])),
    volatility: Type.Optional(
      Type.Number({ minimum: 0, maximum: 1, description: "a number from 0 to 1" }),
    ),
    seed: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: SEED_MAX,
        description: `a whole number from 0 to ${SEED_MAX}`,
      }),
    ),
    to: Type.Optional(Amount),
  }),
  answer: Fields({
    symbol: MarketSymbol,
    product: Product,
    price: Type.String({ description: 'of the last trade, "0" before the first' }),
    markPrice: Nullable(Type.String({ description: "of the contract of that symbol" })),
    steps: Type.Integer({ description: "number of prices, including the last" }),
    seed: Nullable(Type.Integer({ description: "seed of the random walk" })),
    sequence: Sequence,
    time: TimestampMs,
  }),
});

export const setFundingRate = operatorRoute("setFundingRate", {
  tag: TAG,
  summary: "Set a contract's next funding rate, from -1 to 1, even above its cap; null removes it",
  sandboxOnly: true,
  params: OneMarket,
  body: Fields({ rate: Nullable(SignedRate) }),
  answer: Funding,
});

export const getFundingRate = operatorRoute("getFundingRate", {
  tag: TAG,
  summary: "Get a contract's next funding rate as currently estimated, and the last one",
  sandboxOnly: true,
  params: OneMarket,
  answer: Funding,
});

const Model = OneOf(["tight", "thin", "one-sided", "vanishes-on-take", "last-look-never"]);
const BookSide = OneOf(["bids", "asks"]);

const Liquidity = Fields({
  symbol: MarketSymbol,
  product: Product,
  model: Nullable(Model),
  depth: Nullable(Type.Number({ description: "of each level, in the quote asset" })),
  spread: Nullable(Type.Number({ description: "best bid to best ask, as a fraction" })),
  side: Nullable(BookSide),
});

export const setLiquidity = operatorRoute("setLiquidity", {
  tag: TAG,
  summary:
    "Have the house quote a market by a liquidity model until a book is made or cleared there. " +
    "The demo's makers leave the market meanwhile",
  sandboxOnly: true,
  params: OneMarket,
  body: Fields({
    model: Model,
    product: WhichProduct,
    depth: Type.Optional(Amount),
    spread: Type.Optional(Amount),
    side: Type.Optional(BookSide),
  }),
  answer: Liquidity,
});

export const getLiquidity = operatorRoute("getLiquidity", {
  tag: TAG,
  summary: "Get the liquidity model of a market; null if there is none",
  sandboxOnly: true,
  params: OneMarket,
  query: Fields({ product: WhichProduct }),
  answer: Liquidity,
});

const SCENARIOS = [
  "liquidate",
  "partial-liquidation",
  "adl",
  "funding-spike",
  "flash-crash",
  "halt",
  "index-stale",
  "delist",
] as const;

export const triggerScenario = operatorRoute("triggerScenario", {
  tag: TAG,
  summary:
    "Run a scenario, such as a liquidation or a crash, with ordinary prices and orders; returns" +
    " what was done. Without `symbol`, the user's contract position nearest to liquidation is " +
    "used",
  sandboxOnly: true,
  body: Fields({
    scenario: OneOf(SCENARIOS),
    uid: Type.Optional(Uid),
    symbol: Type.Optional(MarketSymbol),
    product: WhichProduct,
  }),
  answer: Fields({
    scenario: OneOf(SCENARIOS),
    sequence: Sequence,
    did: Type.Array(Type.String(), { description: "what was done, in order" }),
  }),
});
