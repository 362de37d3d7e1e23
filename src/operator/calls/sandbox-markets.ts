/** Markets on demand: books, prices and funding rates that a tester asks for. */
import { refuse } from "../../api/errors.ts";
import * as routes from "../../api/operator/sandbox-markets.ts";
import { reject } from "../../domain/index.ts";
import type { ContractPricesView } from "../../protocol/index.ts";
import { done } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";
import type { House, HouseBookView } from "../ports.ts";

/** A call of a sandbox only; the server has refused it elsewhere. */
async function withHouse<Value>(
  { house }: OperatorContext,
  work: (house: House) => Promise<Outcome<Value>>,
): Promise<Outcome<Value>> {
  return house === null ? refuse("sandbox-only") : await work(house);
}

function toBook({ bids, asks, ...book }: HouseBookView) {
  return { ...book, bids: bids.map((row) => [...row]), asks: asks.map((row) => [...row]) };
}

const makeBook = handle(routes.makeBook, ({ params, body, actor }, context) =>
  withHouse(context, async (house) => {
    const { product = null, bids, asks } = body;
    const made = await house.makeBook({ ...params, product, bids, asks, actor });
    return made.ok ? done(toBook(made.value)) : made;
  }),
);

const getBook = handle(routes.getBook, ({ params, query }, context) =>
  withHouse(context, async (house) => {
    const book = await house.book(params.symbol, query.product ?? null);
    return book.ok ? done(toBook(book.value)) : book;
  }),
);

const clearBook = handle(routes.clearBook, ({ params, query, actor }, context) =>
  withHouse(context, async (house) => {
    const cleared = await house.clearBook(params.symbol, query.product ?? null, actor);
    return cleared.ok ? done(toBook(cleared.value)) : cleared;
  }),
);

const movePrice = handle(routes.movePrice, ({ params, body, actor }, context) =>
  withHouse(context, async (house) => {
    const { product = null, to = null, mark, inMs = 0, path = null } = body;
    const { volatility = null, seed = null } = body;
    const request = { ...params, product, to, mark, inMs, path, volatility, seed, actor };
    const moved = await house.movePrice(request);
    return moved.ok ? done({ ...moved.value }) : moved;
  }),
);

function toFunding(reply: Outcome<readonly ContractPricesView[]>) {
  if (!reply.ok) return reply;
  const [view] = reply.value;
  if (view === undefined) return reject("unknown-symbol", "symbol");
  const { symbol, forecastFundingRate: rate, lastFundingRate, nextFundingMs } = view;
  return done({ symbol, rate, fundingTime: nextFundingMs, lastRate: lastFundingRate });
}

const setFundingRate = handle(routes.setFundingRate, async ({ params, body, actor }, context) => {
  const command = { type: "set-funding-rate", actor, ...params, rate: body.rate } as const;
  const query = { type: "contract-prices", ...params } as const;
  const [set, prices] = await context.engine.executeAndQuery(command, query);
  return set.ok ? toFunding(prices) : set;
});

const getFundingRate = handle(routes.getFundingRate, async ({ params }, { engine }) =>
  toFunding(await engine.query({ type: "contract-prices", ...params })),
);

const setLiquidity = handle(routes.setLiquidity, ({ params, body, actor }, context) =>
  withHouse(context, async (house) => {
    const { model, product = null, depth = null, spread = null, side = null } = body;
    const request = { ...params, model, product, depth, spread, side, actor };
    const set = await house.setLiquidity(request);
    return set.ok ? done({ ...set.value }) : set;
  }),
);

const getLiquidity = handle(routes.getLiquidity, ({ params, query }, context) =>
  withHouse(context, async (house) => {
    const liquidity = await house.liquidity(params.symbol, query.product ?? null);
    return liquidity.ok ? done({ ...liquidity.value }) : liquidity;
  }),
);

const triggerScenario = handle(routes.triggerScenario, ({ body, actor }, context) =>
  withHouse(context, async (house) => {
    const { scenario, uid = null, symbol = null, product = null } = body;
    const played = await house.trigger({ scenario, uid, symbol, product, actor });
    return played.ok ? done({ ...played.value, did: [...played.value.did] }) : played;
  }),
);

export const SANDBOX_MARKET_CALLS = [
  makeBook,
  getBook,
  clearBook,
  movePrice,
  setFundingRate,
  getFundingRate,
  setLiquidity,
  getLiquidity,
  triggerScenario,
];
