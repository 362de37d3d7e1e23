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
  rate: Type.String({ description: "of the next funding, as it looks now" }),
  fundingTime: TimestampMs,
  lastRate: Type.String({ description: "of the last funding" }),
});

export const makeBook = operatorRoute("makeBook", {
  tag: TAG,
  summary:
    "Make the book of a market: the house's orders are replaced by exactly these levels. Orders " +
    "of users stay, unless the new book crosses them: then they are filled. Without `product` " +
    "the spot market, or where there is none the contract",
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
  summary: "Take the house's orders out of a market; the demo's makers come back",
  sandboxOnly: true,
  params: OneMarket,
  query: Fields({ product: WhichProduct }),
  answer: Book,
});

export const movePrice = operatorRoute("movePrice", {
  tag: TAG,
  summary:
    "Move the last price of a market by trades of the house, at once or over a time, or with " +
    "`mark` pin the mark of a contract; null unpins it. Answers when the price is there",
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
    steps: Type.Integer({ description: "prices on the way, the last one included" }),
    seed: Nullable(Type.Integer({ description: "what a random walk was drawn from" })),
    sequence: Sequence,
    time: TimestampMs,
  }),
});

export const setFundingRate = operatorRoute("setFundingRate", {
  tag: TAG,
  summary:
    "Give the rate of a contract's next funding, whatever its premiums are; null takes it back. " +
    "It may be beyond the contract's cap, from -1 to 1",
  sandboxOnly: true,
  params: OneMarket,
  body: Fields({ rate: Nullable(SignedRate) }),
  answer: Funding,
});

export const getFundingRate = operatorRoute("getFundingRate", {
  tag: TAG,
  summary: "Get the rate of a contract's next funding as it looks now, and of the last one",
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
    "Let the house quote a market by a model of liquidity, until a book is made or cleared " +
    "there. The demo's makers leave it meanwhile",
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
  summary: "Get the model by which the house quotes a market; null for none",
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
    "Bring about a liquidation, an auto-deleveraging, a crash or the like by prices and orders, " +
    "and tell what was done. Without `symbol` in the contract where the user has a position",
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
