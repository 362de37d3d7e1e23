/** Spot markets: their rules and whether they trade. */
import { type Static, Type } from "typebox";
import { accept, formatDecimal, parseGrid, type Result, reject } from "../../domain/index.ts";
import type { CommandOf, SpotMarketView } from "../../protocol/index.ts";
import { done, pageByName, toPage } from "../answers.ts";
import { call, type Outcome, type Plane } from "../call.ts";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  MarketState,
  MarketSymbol,
  Nothing,
  PageAfterName,
  PageOf,
} from "../schemas.ts";

const TAG = "Spot markets";
const OneMarket = Fields({ symbol: MarketSymbol });

const REQUIRED = {
  baseAsset: AssetName,
  quoteAsset: AssetName,
  tickSize: Amount,
  stepSize: Amount,
};
const OPTIONAL = {
  minTradeAmount: Amount,
  maxTradeAmount: Amount,
  minNotional: Amount,
  makerFeeRate: Amount,
  takerFeeRate: Amount,
  buyLimitPriceRatio: Amount,
  sellLimitPriceRatio: Amount,
  maxOpenOrders: Count,
  state: MarketState,
};

const Market = Fields({ symbol: MarketSymbol, ...REQUIRED, ...OPTIONAL });
const MarketRequest = Fields({ ...REQUIRED, ...Type.Partial(Type.Object(OPTIONAL)).properties });
type MarketRequest = Static<typeof MarketRequest>;
type MarketRules = Omit<CommandOf<"set-spot-market">, "type" | "actor" | "symbol">;

/** Lots of the default `maxTradeAmount`. */
const MAX_TRADE_LOTS = 1_000_000_000n;

/** What a new market has where the request says nothing: the figures that public exchanges use. */
function defaultRules(stepSize: string): Result<Omit<MarketRules, keyof typeof REQUIRED>> {
  const step = parseGrid(stepSize);
  if (step === null) return reject("malformed", "stepSize", "a positive decimal");
  return accept({
    minTradeAmount: stepSize,
    maxTradeAmount: formatDecimal(BigInt(step.step) * MAX_TRADE_LOTS, step.scale),
    minNotional: "0",
    makerFeeRate: "0.001",
    takerFeeRate: "0.001",
    buyLimitPriceRatio: "0.1",
    sellLimitPriceRatio: "0.1",
    maxOpenOrders: 200,
    state: "trading",
  });
}

/** A field that is not given keeps its value: a change of fees must not start a halted market. */
function completeRules(
  request: MarketRequest,
  present: SpotMarketView | null,
): Result<MarketRules> {
  const base = present === null ? defaultRules(request.stepSize) : accept(present);
  if (!base.ok) return base;
  const { baseAsset, quoteAsset, tickSize, stepSize } = request;
  const kept = base.value;
  return accept({
    baseAsset,
    quoteAsset,
    tickSize,
    stepSize,
    minTradeAmount: request.minTradeAmount ?? kept.minTradeAmount,
    maxTradeAmount: request.maxTradeAmount ?? kept.maxTradeAmount,
    minNotional: request.minNotional ?? kept.minNotional,
    makerFeeRate: request.makerFeeRate ?? kept.makerFeeRate,
    takerFeeRate: request.takerFeeRate ?? kept.takerFeeRate,
    buyLimitPriceRatio: request.buyLimitPriceRatio ?? kept.buyLimitPriceRatio,
    sellLimitPriceRatio: request.sellLimitPriceRatio ?? kept.sellLimitPriceRatio,
    maxOpenOrders: request.maxOpenOrders ?? kept.maxOpenOrders,
    state: request.state ?? kept.state,
  });
}

function toMarket(view: SpotMarketView): Static<typeof Market> {
  const { baseScale: _base, quoteScale: _quote, ...market } = view;
  return market;
}

async function readMarket(plane: Plane, symbol: string): Promise<Outcome<Static<typeof Market>>> {
  const reply = await plane.engine.ask({ type: "spot-markets", symbol });
  if (!reply.ok) return reply;
  const [view] = reply.value;
  return view === undefined ? reject("unknown-symbol", "symbol") : done(toMarket(view));
}

const setSpotMarket = call(
  {
    id: "setSpotMarket",
    method: "PUT",
    path: "/operator/v1/markets/spot/{symbol}",
    tag: TAG,
    summary:
      "List a spot market or change its rules. Only assets, tick and step are needed: the rest " +
      "has defaults in a new market and stays as it is in one that exists",
    params: OneMarket,
    query: Nothing,
    body: MarketRequest,
    answer: Market,
  },
  ({ params, body, actor }, plane) =>
    plane.turns.take(async (): Promise<Outcome<Static<typeof Market>>> => {
      const { symbol } = params;
      const present = await plane.engine.ask({ type: "spot-markets", symbol });
      const isNew = !present.ok && "reason" in present && present.reason === "unknown-symbol";
      if (!present.ok && !isNew) return present;
      const rules = completeRules(body, present.ok ? (present.value[0] ?? null) : null);
      if (!rules.ok) return rules;
      const market = { actor, symbol, ...rules.value };
      const reply = await plane.engine.execute({ type: "set-spot-market", ...market });
      return reply.ok ? readMarket(plane, symbol) : reply;
    }),
);

const setSpotMarketState = call(
  {
    id: "setSpotMarketState",
    method: "PATCH",
    path: "/operator/v1/markets/spot/{symbol}",
    tag: TAG,
    summary: "Let a spot market trade, take cancels only, or halt it",
    params: OneMarket,
    query: Nothing,
    body: Fields({ state: MarketState }),
    answer: Market,
  },
  ({ params, body, actor }, plane) =>
    plane.turns.take(async (): Promise<Outcome<Static<typeof Market>>> => {
      const { symbol } = params;
      const { state } = body;
      const reply = await plane.engine.execute({
        type: "set-spot-market-state",
        actor,
        symbol,
        state,
      });
      return reply.ok ? readMarket(plane, symbol) : reply;
    }),
);

const listSpotMarkets = call(
  {
    id: "listSpotMarkets",
    method: "GET",
    path: "/operator/v1/markets/spot",
    tag: TAG,
    summary: "All spot markets, in order of symbol",
    params: Nothing,
    query: PageAfterName,
    body: Nothing,
    answer: PageOf(Market, MarketSymbol),
  },
  async ({ query }, { engine }) => {
    const reply = await engine.ask({ type: "spot-markets", symbol: null });
    if (!reply.ok) return reply;
    const { rows, limit } = pageByName(reply.value, (row) => row.symbol, query);
    return done(toPage(rows, limit, toMarket, (row) => row.symbol));
  },
);

const getSpotMarket = call(
  {
    id: "getSpotMarket",
    method: "GET",
    path: "/operator/v1/markets/spot/{symbol}",
    tag: TAG,
    summary: "One spot market",
    params: OneMarket,
    query: Nothing,
    body: Nothing,
    answer: Market,
  },
  ({ params }, plane) => readMarket(plane, params.symbol),
);

export const SPOT_MARKET_CALLS = [
  setSpotMarket,
  setSpotMarketState,
  listSpotMarkets,
  getSpotMarket,
];
