/** Prices that come from outside: the index of a contract, and in a sandbox a mark held by hand. */
import { type Static, Type } from "typebox";
import { parseDecimal, powerOfTen, RATE_SCALE, reject, SCALE_MAX } from "../../domain/index.ts";
import type { ContractMarketView, ContractPricesView } from "../../protocol/index.ts";
import { done, pageByName, toPage } from "../answers.ts";
import { call, type Outcome, type Plane } from "../call.ts";
import {
  Amount,
  Fields,
  Flag,
  MarketSymbol,
  Nothing,
  Nullable,
  PageAfterName,
  PageOf,
  TimestampMs,
} from "../schemas.ts";

const TAG = "Prices";
const SANDBOX_TAG = "Sandbox";
const OneMarket = Fields({ symbol: MarketSymbol });

const IndexPrice = Fields({
  symbol: MarketSymbol,
  price: Type.String({ description: 'the index in whole ticks, "0" before the first one' }),
  time: TimestampMs,
  isStale: Flag,
});
type IndexPrice = Static<typeof IndexPrice>;

const MarkPrice = Fields({
  symbol: MarketSymbol,
  price: Nullable(Amount),
  markPrice: Type.String({ description: 'the mark as it is now, "0" before the first one' }),
});

function toIndexPrice({ symbol, indexPrice, indexMs, isStale }: ContractPricesView): IndexPrice {
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

const setIndexPrice = call(
  {
    id: "setIndexPrice",
    method: "PUT",
    path: "/operator/v1/index-prices/{symbol}",
    tag: TAG,
    summary:
      "Set the index of a contract, rounded to its tick. From the first one on the index is no " +
      "longer derived from the spot market. Further from the last one than indexStepLimit a " +
      "price is refused without force, except by a stale index. Triggers and liquidations are " +
      "done before the answer",
    params: OneMarket,
    query: Nothing,
    body: Fields({
      price: Amount,
      force: Type.Optional(
        Type.Boolean({ description: "take any price; always true with --sandbox" }),
      ),
    }),
    answer: IndexPrice,
  },
  async ({ params, body, actor }, plane) => {
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
  },
);

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

const listIndexPrices = call(
  {
    id: "listIndexPrices",
    method: "GET",
    path: "/operator/v1/index-prices",
    tag: TAG,
    summary: "The index of every contract, in order of symbol",
    params: Nothing,
    query: PageAfterName,
    body: Nothing,
    answer: PageOf(IndexPrice, MarketSymbol),
  },
  async ({ query }, { engine }) => {
    const reply = await engine.ask({ type: "contract-prices", symbol: null });
    if (!reply.ok) return reply;
    const { rows, limit } = pageByName(reply.value, (row) => row.symbol, query);
    return done(toPage(rows, limit, toIndexPrice, (row) => row.symbol));
  },
);

const getIndexPrice = call(
  {
    id: "getIndexPrice",
    method: "GET",
    path: "/operator/v1/index-prices/{symbol}",
    tag: TAG,
    summary: "The index of one contract; liquidations wait while it is stale",
    params: OneMarket,
    query: Nothing,
    body: Nothing,
    answer: IndexPrice,
  },
  ({ params }, plane) => readPrices(plane, params.symbol, toIndexPrice),
);

const pinMarkPrice = call(
  {
    id: "pinMarkPrice",
    method: "PUT",
    path: "/operator/v1/sandbox/mark-prices/{symbol}",
    tag: SANDBOX_TAG,
    summary:
      "Hold the mark of a contract at a price, until null lets it go. Triggers and liquidations " +
      "are done before the answer",
    sandboxOnly: true,
    params: OneMarket,
    query: Nothing,
    body: Fields({ price: Nullable(Amount) }),
    answer: MarkPrice,
  },
  async ({ params, body, actor }, plane) => {
    const { symbol } = params;
    const { price } = body;
    const reply = await plane.engine.execute({ type: "pin-mark-price", actor, symbol, price });
    return reply.ok ? readPrices(plane, symbol, toMarkPrice) : reply;
  },
);

const getMarkPrice = call(
  {
    id: "getMarkPrice",
    method: "GET",
    path: "/operator/v1/sandbox/mark-prices/{symbol}",
    tag: SANDBOX_TAG,
    summary: "The price at which the mark of a contract is held, null when it follows its rule",
    sandboxOnly: true,
    params: OneMarket,
    query: Nothing,
    body: Nothing,
    answer: MarkPrice,
  },
  ({ params }, plane) => readPrices(plane, params.symbol, toMarkPrice),
);

const listMarkPrices = call(
  {
    id: "listMarkPrices",
    method: "GET",
    path: "/operator/v1/sandbox/mark-prices",
    tag: SANDBOX_TAG,
    summary: "The mark of every contract and whether it is held, in order of symbol",
    sandboxOnly: true,
    params: Nothing,
    query: PageAfterName,
    body: Nothing,
    answer: PageOf(MarkPrice, MarketSymbol),
  },
  async ({ query }, { engine }) => {
    const reply = await engine.ask({ type: "contract-prices", symbol: null });
    if (!reply.ok) return reply;
    const { rows, limit } = pageByName(reply.value, (row) => row.symbol, query);
    return done(toPage(rows, limit, toMarkPrice, (row) => row.symbol));
  },
);

export const PRICE_CALLS = [
  setIndexPrice,
  listIndexPrices,
  getIndexPrice,
  pinMarkPrice,
  getMarkPrice,
  listMarkPrices,
];
