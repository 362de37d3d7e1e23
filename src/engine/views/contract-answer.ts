/** Answers queries about contracts; one branch per query. Reads only. */
import { accept, type Result, reject, unreachable } from "../../domain/index.ts";
import type { ContractQuery, QueryAnswers } from "../../protocol/index.ts";
import { findOpenOrder } from "../contract/orders/cancel-order.ts";
import { checkPlacement } from "../contract/orders/place-order.ts";
import { openOrderSlots } from "../contract/orders/resting-orders.ts";
import type { ContractMarket } from "../contract/state/contract-market.ts";
import { NONE } from "../matching/slot.ts";
import type { State, User } from "../state.ts";
import {
  contractBalanceViews,
  contractFeeRatesView,
  contractSettingsView,
  positionViews,
} from "./contract-accounts.ts";
import {
  contractBookTickerView,
  contractDepthView,
  contractMarketView,
  contractPricesView,
  contractTickerView,
} from "./contract-markets.ts";
import { conditionalOrderViews, contractOrderView } from "./contract-orders.ts";
import { marketIntegrityView } from "./market-integrity.ts";
import { positionAtRiskViews } from "./positions-at-risk.ts";

type Answer = Result<QueryAnswers[ContractQuery["type"]]>;
type QueryOf<Type extends ContractQuery["type"]> = Extract<ContractQuery, { readonly type: Type }>;

export function answerContractQuery(state: State, query: ContractQuery, nowMs: number): Answer {
  switch (query.type) {
    case "contract-markets":
      return perMarket(state, query.symbol, (market) => contractMarketView(state, market, nowMs));
    case "contract-prices":
      return perMarket(state, query.symbol, (market) => contractPricesView(state, market, nowMs));
    case "market-integrity":
      return accept(marketIntegrityView(state, nowMs));
    case "contract-tickers":
      return perMarket(state, query.symbol, (market) => contractTickerView(market, nowMs));
    case "contract-book-tickers":
      return perMarket(state, query.symbol, contractBookTickerView);
    case "contract-depth": {
      const market = state.contract.marketsBySymbol.get(query.symbol);
      return market === undefined
        ? reject("unknown-symbol", "symbol")
        : accept(contractDepthView(market, query.levels));
    }
    case "contract-order":
      return contractOrder(state, query, nowMs);
    case "contract-order-test": {
      const checked = checkPlacement({ state, nowMs }, query.order);
      return checked.ok ? accept({}) : checked;
    }
    case "contract-open-orders":
      return openOrders(state, query);
    case "positions-at-risk":
      return positionsAtRisk(state, query);
    default:
      return answerUserQuery(state, query);
  }
}

/** Questions that only a registered user has an answer to. */
function answerUserQuery(
  state: State,
  query: QueryOf<
    | "contract-balances"
    | "contract-positions"
    | "contract-settings"
    | "contract-fee-rates"
    | "algo-open-orders"
  >,
): Answer {
  const user = state.users.get(query.uid);
  if (user === undefined) return reject("unknown-user", "uid");
  switch (query.type) {
    case "contract-balances":
      return accept(contractBalanceViews(state, user));
    case "contract-positions":
      return inMarkets(state, user, query.symbol, positionViews);
    case "algo-open-orders":
      return inMarkets(state, user, query.symbol, conditionalOrderViews);
    case "contract-settings":
      return perMarket(state, query.symbol, (market) => contractSettingsView(state, user, market));
    case "contract-fee-rates": {
      const market = state.contract.marketsBySymbol.get(query.symbol);
      return market === undefined
        ? reject("unknown-symbol", "symbol")
        : accept(contractFeeRatesView(user, market));
    }
    default:
      return unreachable(query);
  }
}

/** A view of one market, or of all in order of listing. */
function perMarket<View>(
  { contract }: State,
  symbol: string | null,
  view: (market: ContractMarket) => View,
): Result<View[]> {
  if (symbol === null) return accept(contract.markets.map(view));
  const market = contract.marketsBySymbol.get(symbol);
  return market === undefined ? reject("unknown-symbol", "symbol") : accept([view(market)]);
}

/** Views of a user in one market or in all. */
function inMarkets<View>(
  state: State,
  user: User,
  symbol: string | null,
  views: (state: State, user: User, market: ContractMarket | null) => View[],
): Result<View[]> {
  const market = symbol === null ? null : state.contract.marketsBySymbol.get(symbol);
  return market === undefined
    ? reject("unknown-symbol", "symbol")
    : accept(views(state, user, market));
}

function contractOrder(state: State, query: QueryOf<"contract-order">, nowMs: number): Answer {
  const slot = findOpenOrder(state.contract, query, nowMs);
  const named = query.orderId === null ? "clientOrderId" : "orderId";
  return slot === NONE ? reject("order-not-found", named) : accept(contractOrderView(state, slot));
}

function openOrders(state: State, { uid, symbol }: QueryOf<"contract-open-orders">): Answer {
  const market = symbol === null ? null : state.contract.marketsBySymbol.get(symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  const slots = openOrderSlots(
    state.contract,
    uid,
    (ofOrder) => market === null || ofOrder === market,
  );
  return accept(slots.map((slot) => contractOrderView(state, slot)));
}

function positionsAtRisk(state: State, { symbol, limit }: QueryOf<"positions-at-risk">): Answer {
  const market = symbol === null ? null : state.contract.marketsBySymbol.get(symbol);
  return market === undefined
    ? reject("unknown-symbol", "symbol")
    : accept(positionAtRiskViews(state, market, limit));
}
