/** Index prices of contracts and, in a sandbox, pinned mark prices. */
import * as routes from "../../api/operator/prices.ts";
import { parseDecimal, powerOfTen, RATE_SCALE, reject, SCALE_MAX } from "../../domain/index.ts";
import type { ContractMarketView, ContractPricesView } from "../../protocol/index.ts";
import { done, pageByName } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";

function toIndexPrice({ symbol, indexPrice, indexMs, isStale }: ContractPricesView) {
  return { symbol, price: indexPrice, time: indexMs, isStale };
}

function toMarkPrice({ symbol, markPrice, isPinned }: ContractPricesView) {
  return { symbol, price: isPinned ? markPrice : null, markPrice };
}

async function readPrices<Answer>(
  context: OperatorContext,
  symbol: string,
  toAnswer: (view: ContractPricesView) => Answer,
): Promise<Outcome<Answer>> {
  const reply = await context.engine.query({ type: "contract-prices", symbol });
  if (!reply.ok) return reply;
  const [view] = reply.value;
  return view === undefined ? reject("unknown-symbol", "symbol") : done(toAnswer(view));
}

const setIndexPrice = handle(routes.setIndexPrice, async ({ params, body, actor }, context) => {
  const { symbol } = params;
  const { price } = body;
  const [prices, markets] = await Promise.all([
    context.engine.query({ type: "contract-prices", symbol }),
    context.engine.query({ type: "contract-markets", symbol }),
  ]);
  const force = context.sandbox || body.force === true;
  const command = { type: "set-index-price", actor, symbol, price, force } as const;
  const reply = await context.engine.execute(command);
  if (!reply.ok) return reply;
  const before = prices.ok ? prices.value[0] : undefined;
  const market = markets.ok ? markets.value[0] : undefined;
  if (before?.isStale && market !== undefined && isFarStep(before, market, price)) {
    const { indexPrice: lastPrice, indexMs: lastMs } = before;
    const fields = { symbol, price, lastPrice, lastMs, actor };
    context.log.warn(fields, "a stale index accepted a price far from the last one; check it");
  }
  return readPrices(context, symbol, toIndexPrice);
});

/** Whether this price would be refused while the index is fresh. */
function isFarStep(
  { indexPrice }: ContractPricesView,
  { indexStepLimit }: ContractMarketView,
  price: string,
): boolean {
  const last = parseDecimal(indexPrice, SCALE_MAX);
  const next = parseDecimal(price, SCALE_MAX);
  const limit = parseDecimal(indexStepLimit, RATE_SCALE);
  if (typeof last === "string" || typeof next === "string" || typeof limit === "string") {
    return false;
  }
  const step = next > last ? next - last : last - next;
  return last > 0n && step * powerOfTen(RATE_SCALE) > last * limit;
}

const listIndexPrices = handle(routes.listIndexPrices, async ({ query }, { engine }) => {
  return pageByName(
    await engine.query({ type: "contract-prices", symbol: null }),
    query,
    (row) => row.symbol,
    toIndexPrice,
  );
});

const getIndexPrice = handle(routes.getIndexPrice, ({ params }, context) =>
  readPrices(context, params.symbol, toIndexPrice),
);

const pinMarkPrice = handle(routes.pinMarkPrice, async ({ params, body, actor }, context) => {
  const { symbol } = params;
  const { price } = body;
  const reply = await context.engine.execute({ type: "pin-mark-price", actor, symbol, price });
  return reply.ok ? readPrices(context, symbol, toMarkPrice) : reply;
});

const getMarkPrice = handle(routes.getMarkPrice, ({ params }, context) =>
  readPrices(context, params.symbol, toMarkPrice),
);

const listMarkPrices = handle(routes.listMarkPrices, async ({ query }, { engine }) => {
  return pageByName(
    await engine.query({ type: "contract-prices", symbol: null }),
    query,
    (row) => row.symbol,
    toMarkPrice,
  );
});

export const PRICE_CALLS = [
  setIndexPrice,
  listIndexPrices,
  getIndexPrice,
  pinMarkPrice,
  getMarkPrice,
  listMarkPrices,
];
