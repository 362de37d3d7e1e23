/** Prices that come from outside: the index of a contract, and in a sandbox a mark held by hand. */
import * as routes from "../../api/operator/prices.ts";
import { parseDecimal, powerOfTen, RATE_SCALE, reject, SCALE_MAX } from "../../domain/index.ts";
import type { ContractMarketView, ContractPricesView } from "../../protocol/index.ts";
import { done, pageByName, toPage } from "../answers.ts";
import { handle, type Outcome, type Plane } from "../call.ts";

function toIndexPrice({ symbol, indexPrice, indexMs, isStale }: ContractPricesView) {
  return { symbol, price: indexPrice, time: indexMs, isStale };
}

function toMarkPrice({ symbol, markPrice, isPinned }: ContractPricesView) {
  return { symbol, price: isPinned ? markPrice : null, markPrice };
}

async function readPrices<Answer>(
  plane: Plane,
  symbol: string,
  toAnswer: (view: ContractPricesView) => Answer,
): Promise<Outcome<Answer>> {
  const reply = await plane.engine.ask({ type: "contract-prices", symbol });
  if (!reply.ok) return reply;
  const [view] = reply.value;
  return view === undefined ? reject("unknown-symbol", "symbol") : done(toAnswer(view));
}

const setIndexPrice = handle(routes.setIndexPrice, async ({ params, body, actor }, plane) => {
  const { symbol } = params;
  const { price } = body;
  const [prices, markets] = await Promise.all([
    plane.engine.ask({ type: "contract-prices", symbol }),
    plane.engine.ask({ type: "contract-markets", symbol }),
  ]);
  const force = plane.sandbox || body.force === true;
  const command = { type: "set-index-price", actor, symbol, price, force } as const;
  const reply = await plane.engine.execute(command);
  if (!reply.ok) return reply;
  const before = prices.ok ? prices.value[0] : undefined;
  const market = markets.ok ? markets.value[0] : undefined;
  if (before?.isStale && market !== undefined && isFarStep(before, market, price)) {
    const { indexPrice: lastPrice, indexMs: lastMs } = before;
    const fields = { symbol, price, lastPrice, lastMs, actor };
    plane.log.warn(fields, "a stale index took a price far from the last one: is it right?");
  }
  return readPrices(plane, symbol, toIndexPrice);
});

/** Whether a price is further from the index than a fresh one would take. */
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
  const reply = await engine.ask({ type: "contract-prices", symbol: null });
  if (!reply.ok) return reply;
  const { rows, limit } = pageByName(reply.value, (row) => row.symbol, query);
  return done(toPage(rows, limit, toIndexPrice, (row) => row.symbol));
});

const getIndexPrice = handle(routes.getIndexPrice, ({ params }, plane) =>
  readPrices(plane, params.symbol, toIndexPrice),
);

const pinMarkPrice = handle(routes.pinMarkPrice, async ({ params, body, actor }, plane) => {
  const { symbol } = params;
  const { price } = body;
  const reply = await plane.engine.execute({ type: "pin-mark-price", actor, symbol, price });
  return reply.ok ? readPrices(plane, symbol, toMarkPrice) : reply;
});

const getMarkPrice = handle(routes.getMarkPrice, ({ params }, plane) =>
  readPrices(plane, params.symbol, toMarkPrice),
);

const listMarkPrices = handle(routes.listMarkPrices, async ({ query }, { engine }) => {
  const reply = await engine.ask({ type: "contract-prices", symbol: null });
  if (!reply.ok) return reply;
  const { rows, limit } = pageByName(reply.value, (row) => row.symbol, query);
  return done(toPage(rows, limit, toMarkPrice, (row) => row.symbol));
});

export const PRICE_CALLS = [
  setIndexPrice,
  listIndexPrices,
  getIndexPrice,
  pinMarkPrice,
  getMarkPrice,
  listMarkPrices,
];
