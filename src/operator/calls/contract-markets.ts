/** Contract markets: rules and state. Field names are those of exchangeInfo. */
import * as routes from "../../api/operator/contract-markets.ts";
import type { OperatorAnswer, OperatorBody } from "../../api/operator/routes.ts";
import { accept, formatDecimal, parseGrid, type Result, reject } from "../../domain/index.ts";
import {
  CONTRACT_PROTECTION_DEFAULTS,
  type CommandOf,
  type ContractMarketView,
} from "../../protocol/index.ts";
import { done, pageByName } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";
import { forReason } from "../reasons.ts";

type Market = OperatorAnswer<"getContractMarket">;
type MarketRequest = OperatorBody<"setContractMarket">;
type MarketRules = Omit<CommandOf<"set-contract-market">, "type" | "actor" | "symbol">;
type RequiredRule = "baseAsset" | "quoteAsset" | "tickSize" | "stepSize" | "tiers";
type KeptRules = Omit<MarketRules, RequiredRule>;

/** Quantities are in the base asset, so clients that multiply by this are right. */
const ONE_BASE = "1";
/** Default `maxOrderSize` and `maxPositionSize`, in lots. */
const MAX_ORDER_LOTS = 10_000_000n;
const MAX_POSITION_LOTS = 50_000_000n;

const DEFAULT_LEVERAGE = 20;

const FUNDING_INTERVAL_MINUTES = 480;

/** In a sandbox an index is never stale. */
const INDEX_STALE_MS = 60_000;

/** Defaults of a new market, as public exchanges use them. */
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
    contractVal: ONE_BASE,
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

/** Omitted fields keep their values: a change of fees must not resume a halted market. */
function completeRules(
  request: MarketRequest,
  present: ContractMarketView | null,
  sandbox: boolean,
): Result<MarketRules> {
  const base = present === null ? defaultRules(request, sandbox) : accept(keptRules(present));
  if (!base.ok) return base;
  const { tickSize, stepSize } = request;
  const kept = base.value;
  // By default the precisions follow tick and step.
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

async function readMarket(context: OperatorContext, symbol: string): Promise<Outcome<Market>> {
  const reply = await context.engine.query({ type: "contract-markets", symbol });
  if (!reply.ok) return reply;
  const [view] = reply.value;
  return view === undefined ? reject("unknown-symbol", "symbol") : done(toMarket(view));
}

const setContractMarket = handle(routes.setContractMarket, ({ params, body, actor }, context) =>
  context.mutex.run(async (): Promise<Outcome<Market>> => {
    const { symbol } = params;
    const present = await context.engine.query({ type: "contract-markets", symbol });
    const isNew = !present.ok && "reason" in present && present.reason === "unknown-symbol";
    if (!present.ok && !isNew) return present;
    const rules = completeRules(
      body,
      present.ok ? (present.value[0] ?? null) : null,
      context.sandbox,
    );
    if (!rules.ok) return rules;
    const market = { actor, symbol, ...rules.value };
    const reply = await context.engine.execute({ type: "set-contract-market", ...market });
    return reply.ok ? readMarket(context, symbol) : reply;
  }),
);

const setContractMarketState = handle(
  routes.setContractMarketState,
  ({ params, body, actor }, context) =>
    context.mutex.run(async (): Promise<Outcome<Market>> => {
      const { symbol } = params;
      const { state, reason } = body;
      const command = { type: "set-contract-market-state", actor, symbol, state } as const;
      const reply = await context.engine.execute(forReason(command, reason));
      return reply.ok ? readMarket(context, symbol) : reply;
    }),
);

const listContractMarkets = handle(routes.listContractMarkets, async ({ query }, { engine }) => {
  return pageByName(
    await engine.query({ type: "contract-markets", symbol: null }),
    query,
    (row) => row.symbol,
    toMarket,
  );
});

const getContractMarket = handle(routes.getContractMarket, ({ params }, context) =>
  readMarket(context, params.symbol),
);

export const CONTRACT_MARKET_CALLS = [
  setContractMarket,
  setContractMarketState,
  listContractMarkets,
  getContractMarket,
];
