/** Contract markets: their rules and whether they trade. The names are those of exchangeInfo. */

import * as routes from "../../api/operator/contract-markets.ts";
import type { OperatorAnswer, OperatorBody } from "../../api/operator/routes.ts";
import { accept, formatDecimal, parseGrid, type Result, reject } from "../../domain/index.ts";
import {
  CONTRACT_PROTECTION_DEFAULTS,
  type CommandOf,
  type ContractMarketView,
} from "../../protocol/index.ts";
import { done, pageByName, toPage } from "../answers.ts";
import { handle, type Outcome, type Plane } from "../call.ts";

type Market = OperatorAnswer<"getContractMarket">;
type MarketRequest = OperatorBody<"setContractMarket">;
type MarketRules = Omit<CommandOf<"set-contract-market">, "type" | "actor" | "symbol">;
type RequiredRule = "baseAsset" | "quoteAsset" | "tickSize" | "stepSize" | "tiers";
type KeptRules = Omit<MarketRules, RequiredRule>;

/** Lots of the defaults of `maxOrderSize` and `maxPositionSize`. */
const MAX_ORDER_LOTS = 10_000_000n;

const MAX_POSITION_LOTS = 50_000_000n;

const DEFAULT_LEVERAGE = 20;

const FUNDING_INTERVAL_MINUTES = 480;

/** In a sandbox, where nobody feeds an index every second, it never is. */
const INDEX_STALE_MS = 60_000;

/** What a new market has where the request says nothing: the figures that public exchanges use. */
function defaultRules(request: MarketRequest, sandbox: boolean): Result<KeptRules> {
  const { stepSize, quoteAsset, tiers } = request;
  const step = parseGrid(stepSize);
  if (step === null) return reject("malformed", "stepSize", "a positive decimal");
  const [firstTier] = tiers;
  if (firstTier === undefined) return reject("malformed", "tiers", "at least one tier");
  const maxLeverage = request.maxLeverage ?? firstTier.maxLeverage;
  const lots = (count: bigint): string => formatDecimal(BigInt(step.step) * count, step.scale);
  return accept({
    marginAsset: quoteAsset,
    pricePrecision: 0,
    quantityPrecision: 0,
    contractVal: lots(1n),
    minOrderSize: lots(1n),
    maxOrderSize: lots(MAX_ORDER_LOTS),
    maxPositionSize: lots(MAX_POSITION_LOTS),
    marketOpenLimitSize: request.maxOrderSize ?? lots(MAX_ORDER_LOTS),
    minLeverage: 1,
    maxLeverage,
    defaultLeverage: Math.min(DEFAULT_LEVERAGE, maxLeverage),
    buyLimitPriceRatio: "0.05",
    sellLimitPriceRatio: "0.05",
    makerFeeRate: "0.0002",
    takerFeeRate: "0.0008",
    liquidateFeeRate: "0.01",
    interestRate: "0.0001",
    fundingInnerClamp: "0.0005",
    fundingRateCap: "0.0075",
    fundingBufferRate: "0.001",
    impactNotional: "10000",
    fundingIntervalMinutes: FUNDING_INTERVAL_MINUTES,
    indexStaleMs: sandbox ? 0 : INDEX_STALE_MS,
    maxOpenOrders: 200,
    state: "trading",
    ...CONTRACT_PROTECTION_DEFAULTS,
  });
}

/** A field that is not given keeps its value: a change of fees must not start a halted market. */
function completeRules(
  request: MarketRequest,
  present: ContractMarketView | null,
  sandbox: boolean,
): Result<MarketRules> {
  const base = present === null ? defaultRules(request, sandbox) : accept(keptRules(present));
  if (!base.ok) return base;
  const { tickSize, stepSize } = request;
  const kept = base.value;
  // The precisions are those of tick and step unless somebody chose others.
  const sameTick = present?.tickSize === tickSize;
  const sameStep = present?.stepSize === stepSize;
  return accept({
    ...kept,
    pricePrecision: sameTick ? kept.pricePrecision : decimalsOf(tickSize),
    quantityPrecision: sameStep ? kept.quantityPrecision : decimalsOf(stepSize),
    ...request,
  });
}

function keptRules(view: ContractMarketView): KeptRules {
  const { symbol: _, quoteScale: __, indexSource: ___, indexAgeMs: ____, ...rules } = view;
  return rules;
}

function decimalsOf(grid: string): number {
  return parseGrid(grid)?.scale ?? 0;
}

function toMarket(view: ContractMarketView): Market {
  const { quoteScale: _scale, tiers, ...market } = view;
  return { ...market, tiers: tiers.map((tier) => ({ ...tier })) };
}

async function readMarket(plane: Plane, symbol: string): Promise<Outcome<Market>> {
  const reply = await plane.engine.ask({ type: "contract-markets", symbol });
  if (!reply.ok) return reply;
  const [view] = reply.value;
  return view === undefined ? reject("unknown-symbol", "symbol") : done(toMarket(view));
}

const setContractMarket = handle(routes.setContractMarket, ({ params, body, actor }, plane) =>
  plane.turns.take(async (): Promise<Outcome<Market>> => {
    const { symbol } = params;
    const present = await plane.engine.ask({ type: "contract-markets", symbol });
    const isNew = !present.ok && "reason" in present && present.reason === "unknown-symbol";
    if (!present.ok && !isNew) return present;
    const rules = completeRules(
      body,
      present.ok ? (present.value[0] ?? null) : null,
      plane.sandbox,
    );
    if (!rules.ok) return rules;
    const market = { actor, symbol, ...rules.value };
    const reply = await plane.engine.execute({ type: "set-contract-market", ...market });
    return reply.ok ? readMarket(plane, symbol) : reply;
  }),
);

const setContractMarketState = handle(
  routes.setContractMarketState,
  ({ params, body, actor }, plane) =>
    plane.turns.take(async (): Promise<Outcome<Market>> => {
      const { symbol } = params;
      const { state } = body;
      const reply = await plane.engine.execute({
        type: "set-contract-market-state",
        actor,
        symbol,
        state,
      });
      return reply.ok ? readMarket(plane, symbol) : reply;
    }),
);

const listContractMarkets = handle(routes.listContractMarkets, async ({ query }, { engine }) => {
  const reply = await engine.ask({ type: "contract-markets", symbol: null });
  if (!reply.ok) return reply;
  const { rows, limit } = pageByName(reply.value, (row) => row.symbol, query);
  return done(toPage(rows, limit, toMarket, (row) => row.symbol));
});

const getContractMarket = handle(routes.getContractMarket, ({ params }, plane) =>
  readMarket(plane, params.symbol),
);

export const CONTRACT_MARKET_CALLS = [
  setContractMarket,
  setContractMarketState,
  listContractMarkets,
  getContractMarket,
];
