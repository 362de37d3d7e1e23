/** Spot markets: their rules and whether they trade. */
import type { OperatorAnswer, OperatorBody } from "../../api/operator/routes.ts";
import * as routes from "../../api/operator/spot-markets.ts";
import { accept, formatDecimal, parseGrid, type Result, reject } from "../../domain/index.ts";
import type { SpotMarketTexts, SpotMarketView } from "../../protocol/index.ts";
import { done, pageByName, toPage } from "../answers.ts";
import { handle, type Outcome, type Plane } from "../call.ts";

type Market = OperatorAnswer<"getSpotMarket">;
type MarketRequest = OperatorBody<"setSpotMarket">;
type MarketRules = Omit<SpotMarketTexts, "symbol">;
type RequiredRule = "baseAsset" | "quoteAsset" | "tickSize" | "stepSize";

/** Lots of the default `maxTradeAmount`. */
const MAX_TRADE_LOTS = 1_000_000_000n;

/** What a new market has where the request says nothing: the figures that public exchanges use. */
function defaultRules(stepSize: string): Result<Omit<MarketRules, RequiredRule>> {
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
  if (present !== null) return accept({ ...toMarket(present), ...request });
  const base = defaultRules(request.stepSize);
  return base.ok ? accept({ ...base.value, ...request }) : base;
}

function toMarket(view: SpotMarketView): Market {
  const { baseScale: _base, quoteScale: _quote, ...market } = view;
  return market;
}

async function readMarket(plane: Plane, symbol: string): Promise<Outcome<Market>> {
  const reply = await plane.engine.ask({ type: "spot-markets", symbol });
  if (!reply.ok) return reply;
  const [view] = reply.value;
  return view === undefined ? reject("unknown-symbol", "symbol") : done(toMarket(view));
}

const setSpotMarket = handle(routes.setSpotMarket, ({ params, body, actor }, plane) =>
  plane.turns.take(async (): Promise<Outcome<Market>> => {
    const { symbol } = params;
    const present = await plane.engine.ask({ type: "spot-markets", symbol });
    const isNew = !present.ok && "reason" in present && present.reason === "unknown-symbol";
    if (!present.ok && !isNew) return present;
    const rules = completeRules(body, present.ok ? (present.value[0] ?? null) : null);
    if (!rules.ok) return rules;
    const market = { ...rules.value, actor, symbol };
    const reply = await plane.engine.execute({ type: "set-spot-market", ...market });
    return reply.ok ? readMarket(plane, symbol) : reply;
  }),
);

const setSpotMarketState = handle(routes.setSpotMarketState, ({ params, body, actor }, plane) =>
  plane.turns.take(async (): Promise<Outcome<Market>> => {
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

const listSpotMarkets = handle(routes.listSpotMarkets, async ({ query }, { engine }) => {
  const reply = await engine.ask({ type: "spot-markets", symbol: null });
  if (!reply.ok) return reply;
  const { rows, limit } = pageByName(reply.value, (row) => row.symbol, query);
  return done(toPage(rows, limit, toMarket, (row) => row.symbol));
});

const getSpotMarket = handle(routes.getSpotMarket, ({ params }, plane) =>
  readMarket(plane, params.symbol),
);

export const SPOT_MARKET_CALLS = [
  setSpotMarket,
  setSpotMarketState,
  listSpotMarkets,
  getSpotMarket,
];
