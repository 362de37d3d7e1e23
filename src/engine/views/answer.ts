/** Answers queries about the current state; one branch per query. Reads only. */
import { accept, formatDecimal, type Result, reject } from "../../domain/index.ts";
import type {
  BookOrdersView,
  EngineQuery,
  FundsMovementView,
  QueryAnswers,
  StatusView,
} from "../../protocol/index.ts";
import { findMovement } from "../accounts/movement-memory.ts";
import { proposalViews } from "../approvals/proposals.ts";
import { approvalRuleViews, needsApproval } from "../approvals/rules.ts";
import { contractBookVersion } from "../contract/state/contract-market.ts";
import { NONE } from "../matching/slot.ts";
import { operatorViews } from "../operators/operators.ts";
import { findOpenOrder, openOrderSlots } from "../spot/open-orders.ts";
import { checkPlacement } from "../spot/order-checks.ts";
import { type Asset, type SpotMarket, type State, spotBookVersion } from "../state.ts";
import {
  apiKeyViews,
  assetsByCoinId,
  assetView,
  deadManSwitchViews,
  spotBalanceViews,
  userView,
  userViews,
} from "./accounts.ts";
import { answerAffiliateQuery } from "./affiliates.ts";
import { answerContractQuery } from "./contract-answer.ts";
import { checkInvariants } from "./invariants.ts";
import { bookOrdersView } from "./market-data.ts";
import { findOpenOrders } from "./open-order-search.ts";
import {
  ownDepthView,
  spotBookTickerView,
  spotDepthView,
  spotMarketView,
  spotOrderView,
  spotTickerView,
} from "./spot.ts";
import { spotExecutionView } from "./spot-execution.ts";
import { answerWithdrawalQuery, depositRulesViews } from "./withdrawals.ts";

/** What only some questions ask for, besides the state. */
export interface Askable {
  stateHash(): string;
  /** Events of the last command. */
  lastEvents(): Uint8Array;
}

export function answerQuery(
  state: State,
  query: EngineQuery,
  nowMs: number,
  { stateHash, lastEvents }: Askable,
): Result<QueryAnswers[keyof QueryAnswers]> {
  switch (query.type) {
    case "assets":
      return accept(assetsByCoinId(state).map(assetView));
    case "spot-markets":
      return perMarket(state, query.symbol, spotMarketView);
    case "spot-tickers":
      return perMarket(state, query.symbol, (market) => spotTickerView(market, nowMs));
    case "spot-book-tickers":
      return perMarket(state, query.symbol, spotBookTickerView);
    case "spot-depth":
      return spotDepth(state, query);
    case "spot-book":
    case "contract-book":
      return bookOrders(state, query);
    case "spot-balances": {
      const user = state.users.get(query.uid);
      return user === undefined
        ? reject("unknown-user", "uid")
        : accept(spotBalanceViews(state, user));
    }
    case "spot-order":
      return spotOrder(state, query, nowMs);
    case "spot-execution":
      return spotExecution(state, query, lastEvents());
    case "spot-open-orders":
      return spotOpenOrders(state, query);
    case "find-open-orders":
      return accept(findOpenOrders(state, query, nowMs));
    case "spot-order-test": {
      const checked = checkPlacement({ state, nowMs }, query.order);
      return checked.ok ? accept({}) : checked;
    }
    case "dead-man-switches":
      return accept(deadManSwitchViews(state, query.uid, query.product));
    case "user": {
      const user = state.users.get(query.uid);
      return user === undefined ? reject("unknown-user", "uid") : accept(userView(user));
    }
    case "users":
      return accept(userViews(state, query.afterUid, query.limit));
    case "api-key": {
      const key = state.apiKeys.get(query.apiKey);
      return key === undefined ? reject("unknown-api-key", "apiKey") : accept(key);
    }
    case "api-keys":
      return accept(apiKeyViews(state, query));
    case "operators":
      return accept(operatorViews(state.operators, query.name));
    case "approval-rules":
      return accept(approvalRuleViews(state));
    case "needs-approval":
      return accept({ isNeeded: needsApproval(state, query.command) });
    case "proposals":
      return accept(proposalViews(state, nowMs));
    case "custody":
      return accept({ report: state.custodyReport });
    case "webhooks":
      return accept([...state.webhooks.values()]);
    case "funds-movement":
      return fundsMovement(state, query);
    case "insurance":
      return insurance(state, query.asset);
    case "affiliate":
    case "affiliates":
    case "affiliate-policy":
    case "held-commissions":
      return answerAffiliateQuery(state, query);
    case "deposit-rules":
      return accept(depositRulesViews(state));
    case "withdrawal-rules":
    case "withdrawal-addresses":
    case "open-withdrawals":
      return answerWithdrawalQuery(state, query);
    case "invariants":
      return accept({ ...checkInvariants(state), stateHash: stateHash() });
    case "status":
      return accept(status(state));
    default:
      return answerContractQuery(state, query, nowMs);
  }
}

type QueryOf<Type extends EngineQuery["type"]> = Extract<EngineQuery, { readonly type: Type }>;

/** A view of one market, or of all in order of listing. */
function perMarket<View>(
  state: State,
  symbol: string | null,
  view: (market: SpotMarket) => View,
): Result<View[]> {
  if (symbol === null) return accept(state.spotMarkets.map(view));
  const market = state.spotMarketsBySymbol.get(symbol);
  return market === undefined ? reject("unknown-symbol", "symbol") : accept([view(market)]);
}

function spotDepth(state: State, query: QueryOf<"spot-depth">): Result<QueryAnswers["spot-depth"]> {
  const market = state.spotMarketsBySymbol.get(query.symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  const { uid, levels } = query;
  return accept(
    uid === undefined
      ? spotDepthView(market, levels)
      : ownDepthView(state.orders, market, uid, levels),
  );
}

function bookOrders(
  { contract, orders, spotMarketsBySymbol }: State,
  { type, symbol, ordersMax }: QueryOf<"spot-book" | "contract-book">,
): Result<BookOrdersView> {
  if (type === "spot-book") {
    const market = spotMarketsBySymbol.get(symbol);
    if (market === undefined) return reject("unknown-symbol", "symbol");
    return accept(bookOrdersView(market, spotBookVersion(market), orders, ordersMax));
  }
  const market = contract.marketsBySymbol.get(symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  return accept(bookOrdersView(market, contractBookVersion(market), contract.orders, ordersMax));
}

function spotExecution(
  state: State,
  { uid, symbol, clientOrderId }: QueryOf<"spot-execution">,
  lastEvents: Uint8Array,
): Result<QueryAnswers["spot-execution"]> {
  const market = state.spotMarketsBySymbol.get(symbol);
  if (market === undefined) return reject("unknown-symbol", "symbol");
  const view = spotExecutionView(market, uid, clientOrderId, lastEvents);
  return view === null ? reject("order-not-found") : accept(view);
}

function spotOrder(
  state: State,
  query: QueryOf<"spot-order">,
  nowMs: number,
): Result<QueryAnswers["spot-order"]> {
  if (query.symbol !== null && !state.spotMarketsBySymbol.has(query.symbol)) {
    return reject("unknown-symbol", "symbol");
  }
  const slot = findOpenOrder(state, query, nowMs);
  const named = query.orderId === null ? "clientOrderId" : "orderId";
  return slot === NONE ? reject("order-not-found", named) : accept(spotOrderView(state, slot));
}

function spotOpenOrders(
  state: State,
  query: QueryOf<"spot-open-orders">,
): Result<QueryAnswers["spot-open-orders"]> {
  let market: SpotMarket | null = null;
  if (query.symbol !== null) {
    market = state.spotMarketsBySymbol.get(query.symbol) ?? null;
    if (market === null) return reject("unknown-symbol", "symbol");
  }
  const slots = openOrderSlots(state, query.uid, market);
  return accept(slots.map((slot) => spotOrderView(state, slot)));
}

function fundsMovement(state: State, query: QueryOf<"funds-movement">): Result<FundsMovementView> {
  const movement = findMovement(state, query.command, query.uid, query.requestId);
  if (movement === null) return reject("unknown-movement", "id");
  const { scale } = state.assetsByName.get(movement.asset) as Asset;
  const { command: _, withdrawalId: __, amountMinor, balanceMinor, ...rest } = movement;
  return accept({
    ...rest,
    amount: formatDecimal(amountMinor, scale),
    balance: formatDecimal(balanceMinor, scale),
  });
}

function insurance(state: State, name: string): Result<QueryAnswers["insurance"]> {
  const asset = state.assetsByName.get(name);
  if (asset === undefined) return reject("unknown-asset", "asset");
  const account = state.ledger.houseAccount(asset.index, "insurance");
  return accept({
    asset: name,
    balance: formatDecimal(state.ledger.balance(account), asset.scale),
  });
}

function status(state: State): StatusView {
  const { contract } = state;
  return {
    rulesVersion: state.rulesVersion,
    clockOffsetMs: state.clockOffsetMs,
    clockSpeedE3: state.clockSpeedE3,
    users: state.users.size,
    apiKeys: state.apiKeys.size,
    spotMarkets: state.spotMarkets.length,
    openOrders: state.orders.size,
    rememberedClientOrderIds: state.clientOrders.size,
    contractMarkets: contract.markets.length,
    positions: contract.positions.size,
    contractOpenOrders: contract.orders.size,
    algoOrders: contract.triggerIndex.byId.size,
    unfinishedRisk: contract.unfinishedRisk,
  };
}
