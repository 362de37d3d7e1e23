/** Spot markets: rules and state. Field names are those of exchangeInfo. */
import type { OperatorAnswer, OperatorBody } from "../../api/operator/routes.ts";
import * as routes from "../../api/operator/spot-markets.ts";
import { accept, formatDecimal, parseGrid, type Result, reject } from "../../domain/index.ts";
import type { SpotMarketTexts, SpotMarketView } from "../../protocol/index.ts";
import { done, pageByName } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";
import { forReason } from "../reasons.ts";

type Market = OperatorAnswer<"getSpotMarket">;
type MarketRequest = OperatorBody<"setSpotMarket">;
type MarketRules = Omit<SpotMarketTexts, "symbol">;
type RequiredRule = "baseAsset" | "quoteAsset" | "tickSize" | "stepSize";

/** Default `maxTradeAmount`, in lots. */
const MAX_TRADE_LOTS = 1_000_000_000n;

/** Defaults of a new market, as public exchanges use them. */
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

/** Omitted fields keep their values: a change of fees must not resume a halted market. */
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

async function readMarket(context: OperatorContext, symbol: string): Promise<Outcome<Market>> {
  const reply = await context.engine.query({ type: "spot-markets", symbol });
  if (!reply.ok) return reply;
  const [view] = reply.value;
  return view === undefined ? reject("unknown-symbol", "symbol") : done(toMarket(view));
}

const setSpotMarket = handle(routes.setSpotMarket, ({ params, body, actor }, context) =>
  context.mutex.run(async (): Promise<Outcome<Market>> => {
    const { symbol } = params;
    const present = await context.engine.query({ type: "spot-markets", symbol });
    const isNew = !present.ok && "reason" in present && present.reason === "unknown-symbol";
    if (!present.ok && !isNew) return present;
    const rules = completeRules(body, present.ok ? (present.value[0] ?? null) : null);
    if (!rules.ok) return rules;
    const market = { ...rules.value, actor, symbol };
    const reply = await context.engine.execute({ type: "set-spot-market", ...market });
    return reply.ok ? readMarket(context, symbol) : reply;
  }),
);

const setSpotMarketState = handle(routes.setSpotMarketState, ({ params, body, actor }, context) =>
  context.mutex.run(async (): Promise<Outcome<Market>> => {
    const { symbol } = params;
    const { state, reason } = body;
    const command = { type: "set-spot-market-state", actor, symbol, state } as const;
    const reply = await context.engine.execute(forReason(command, reason));
    return reply.ok ? readMarket(context, symbol) : reply;
  }),
);

const listSpotMarkets = handle(routes.listSpotMarkets, async ({ query }, { engine }) => {
  return pageByName(
    await engine.query({ type: "spot-markets", symbol: null }),
    query,
    (row) => row.symbol,
    toMarket,
  );
});

const getSpotMarket = handle(routes.getSpotMarket, ({ params }, context) =>
  readMarket(context, params.symbol),
);

export const SPOT_MARKET_CALLS = [
  setSpotMarket,
  setSpotMarketState,
  listSpotMarkets,
  getSpotMarket,
];
