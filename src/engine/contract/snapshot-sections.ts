/**
 * The contract part of the state's canonical form. It leaves out what follows from other rows:
 * sums, counts, and the indexes that find triggers and liquidations are rebuilt.
 */
import { invariant } from "../../domain/index.ts";
import { CONTRACT_PROTECTION_DEFAULTS } from "../../protocol/index.ts";
import { NONE, type SideIndex } from "../matching/slot.ts";
import {
  bookRows,
  clientOrderSection,
  existingUser,
  pooledOrderRow,
  section,
  tickerSection,
  usersByUid,
} from "../snapshot-section.ts";
import type { State } from "../state.ts";
import { marginAccountOf, symbolAccountOf } from "./contract-state.ts";
import { parseProtection, protectionTexts } from "./market-rules.ts";
import { addContractMarket, contractMarketTexts } from "./markets.ts";
import { insertIntoBook } from "./orders/resting-orders.ts";
import * as rows from "./snapshot-rows.ts";
import {
  type ConditionalOrder,
  type ContractMarket,
  contractBookVersion,
  type MarginAccount,
  Position,
  type PositionSideIndex,
  type SymbolAccount,
} from "./state/contract-market.ts";

const META = section({
  name: "contract-meta",
  codec: rows.contractMeta,
  optional: true,
  *rowsOf({ contract }) {
    const { unfinishedRisk, timersToMs, liquidityRevision } = contract;
    // As a state begins, so that one without contracts has no row.
    if (!unfinishedRisk && timersToMs === 0 && liquidityRevision === 1) return;
    yield { type: "contract-meta", unfinishedRisk, timersToMs, liquidityRevision } as const;
  },
  restore(state, { type: _, ...fields }) {
    Object.assign(state.contract, fields);
  },
});

const MARKETS = section({
  name: "contract-markets",
  codec: rows.contractMarket,
  optional: true,
  *rowsOf(state) {
    for (const market of state.contract.markets) yield marketRow(market);
  },
  restore(state, row) {
    // Values other than the defaults follow in rows of their own.
    const added = addContractMarket(state, { ...row, ...CONTRACT_PROTECTION_DEFAULTS }, 0);
    invariant(added.ok, "the rules of a listed market are valid");
    const market = added.value;
    market.bookVersionBase = row.bookVersion;
    market.lastTicks = row.lastTicks;
    const { indexPrice, mark } = market;
    indexPrice.source = row.indexSource;
    indexPrice.ticks = row.indexTicks;
    indexPrice.atMs = row.indexAtMs;
    indexPrice.revision = row.indexRevision;
    indexPrice.spotSamples.push(...row.spotSamples);
    indexPrice.spotBlockedVersion = row.spotBlockedVersion;
    mark.ticks = row.markTicks;
    mark.pinnedTicks = row.pinnedTicks;
    mark.samples.push(...row.markSamples);
    Object.assign(market.funding, {
      nextSlotMs: row.nextSlotMs,
      pendingSlotMs: row.pendingSlotMs,
      premiumSumE12: row.premiumSumE12,
      premiumSamples: row.premiumSamples,
      lastPremiumE12: row.lastPremiumE12,
      premiumAtMs: row.premiumAtMs,
      lastRateE8: row.lastRateE8,
      lastSlotMs: row.lastSlotMs,
      givenRateE8: null,
    } satisfies ContractMarket["funding"]);
    Object.assign(market.sampler, {
      sampledMs: row.sampledMs,
      bookVersion: row.sampledBookVersion,
      indexRevision: row.sampledIndexRevision,
      spotBookVersion: row.sampledSpotBookVersion,
      premiumBookVersion: row.premiumBookVersion,
      premiumIndexTicks: row.premiumIndexTicks,
    } satisfies ContractMarket["sampler"]);
  },
});

function marketRow(market: ContractMarket) {
  const { funding, indexPrice, mark, sampler } = market;
  return {
    type: "contract-market",
    ...contractMarketTexts(market),
    ...funding,
    bookVersion: contractBookVersion(market),
    lastTicks: market.lastTicks,
    indexSource: indexPrice.source,
    indexTicks: indexPrice.ticks,
    indexAtMs: indexPrice.atMs,
    indexRevision: indexPrice.revision,
    spotSamples: indexPrice.spotSamples,
    spotBlockedVersion: indexPrice.spotBlockedVersion,
    markTicks: mark.ticks,
    pinnedTicks: mark.pinnedTicks,
    markSamples: mark.samples,
    sampledMs: sampler.sampledMs,
    sampledBookVersion: sampler.bookVersion,
    sampledIndexRevision: sampler.indexRevision,
    sampledSpotBookVersion: sampler.spotBookVersion,
    premiumBookVersion: sampler.premiumBookVersion,
    premiumIndexTicks: sampler.premiumIndexTicks,
  } as const;
}

const PROTECTION = section({
  name: "contract-protection",
  codec: rows.contractProtection,
  optional: true,
  *rowsOf({ contract }) {
    const byDefault = CONTRACT_PROTECTION_DEFAULTS;
    for (const { index: marketIndex, rules } of contract.markets) {
      const texts = protectionTexts(rules);
      const isDefault =
        texts.insuranceSlippage === byDefault.insuranceSlippage &&
        texts.insuranceDrawLimit === byDefault.insuranceDrawLimit &&
        texts.indexStepLimit === byDefault.indexStepLimit;
      if (!isDefault) yield { type: "contract-protection", marketIndex, ...texts } as const;
    }
  },
  restore({ contract }, row) {
    const market = contract.markets[row.marketIndex];
    const read = parseProtection(row);
    invariant(market !== undefined && read.ok, "the rules of a listed market are valid");
    market.rules = { ...market.rules, ...read.value };
  },
});

const RISK_WAITS = section({
  name: "contract-risk-waits",
  codec: rows.contractRiskWait,
  optional: true,
  *rowsOf({ contract }) {
    for (const { index: marketIndex, mark } of contract.markets) {
      const { riskFromMs } = mark;
      if (riskFromMs === 0) continue;
      yield { type: "contract-risk-wait", marketIndex, riskFromMs } as const;
    }
  },
  restore({ contract }, { marketIndex, riskFromMs }) {
    const market = contract.markets[marketIndex];
    invariant(market !== undefined, "what waits is a listed market");
    market.mark.riskFromMs = riskFromMs;
  },
});

const GIVEN_RATES = section({
  name: "given-funding-rates",
  codec: rows.givenFundingRate,
  optional: true,
  *rowsOf({ contract }) {
    for (const { index: marketIndex, funding } of contract.markets) {
      const { givenRateE8: rateE8 } = funding;
      if (rateE8 !== null) yield { type: "given-funding-rate", marketIndex, rateE8 } as const;
    }
  },
  restore({ contract }, { marketIndex, rateE8 }) {
    const market = contract.markets[marketIndex];
    invariant(market !== undefined, "the rate is of a listed market");
    market.funding.givenRateE8 = rateE8;
  },
});

const INSURANCE_DRAWS = section({
  name: "insurance-draws",
  codec: rows.insuranceDraws,
  optional: true,
  *rowsOf({ contract }) {
    for (const { index: marketIndex, insuranceDraws } of contract.markets) {
      if (insuranceDraws.hourEndMs === 0) continue;
      yield { type: "insurance-draws", marketIndex, ...insuranceDraws } as const;
    }
  },
  restore({ contract }, { type: _, marketIndex, ...draws }) {
    const market = contract.markets[marketIndex];
    invariant(market !== undefined, "the fund paid for a listed market");
    Object.assign(market.insuranceDraws, draws);
  },
});

const TICKERS = tickerSection("contract-tickers", (state) => state.contract.markets, true);

/** By uid, then by asset. */
function* accountsById(state: State): Generator<MarginAccount> {
  for (const user of usersByUid(state)) {
    const accounts = [...(state.contract.accounts.get(user)?.values() ?? [])];
    yield* accounts.sort((one, other) => one.assetIndex - other.assetIndex);
  }
}

/** By uid, then by asset and market. */
function* ownersById(state: State): Generator<SymbolAccount> {
  for (const { symbols } of accountsById(state)) {
    yield* [...symbols.values()].sort((one, other) => one.market.index - other.market.index);
  }
}

const ACCOUNTS = section({
  name: "margin-accounts",
  codec: rows.marginAccount,
  optional: true,
  *rowsOf(state) {
    for (const { user, assetIndex, heldAtRevision } of accountsById(state)) {
      yield { type: "margin-account", uid: user.uid, assetIndex, heldAtRevision } as const;
    }
  },
  restore(state, { uid, assetIndex, heldAtRevision }) {
    const account = marginAccountOf(state, existingUser(state, uid), assetIndex);
    account.heldAtRevision = heldAtRevision;
  },
});

/** Also those that are as by default: another default does not change them. */
const SETTINGS = section({
  name: "contract-settings",
  codec: rows.contractSettings,
  optional: true,
  *rowsOf(state) {
    for (const owner of ownersById(state)) {
      const [isolatedLongLeverage, isolatedShortLeverage] = owner.isolatedLeverage;
      yield {
        type: "contract-settings",
        uid: owner.account.user.uid,
        marketIndex: owner.market.index,
        marginType: owner.marginType,
        separatedType: owner.separatedType,
        crossLeverage: owner.crossLeverage,
        isolatedLongLeverage,
        isolatedShortLeverage,
      } as const;
    }
  },
  restore(state, row) {
    const owner = ownerOfRow(state, row);
    owner.marginType = row.marginType;
    owner.separatedType = row.separatedType;
    owner.crossLeverage = row.crossLeverage;
    owner.isolatedLeverage[0] = row.isolatedLongLeverage;
    owner.isolatedLeverage[1] = row.isolatedShortLeverage;
  },
});

const POSITIONS = section({
  name: "positions",
  codec: rows.position,
  optional: true,
  *rowsOf({ contract }) {
    const positions = [...contract.positions.values()];
    positions.sort((one, other) => one.positionId - other.positionId);
    for (const { owner, riskSlot: _, ...position } of positions) {
      const uid = owner.account.user.uid;
      yield { type: "position", ...position, uid, marketIndex: owner.market.index } as const;
    }
  },
  restore(state, row) {
    const { type: _, uid: __, marketIndex: ___, ...fields } = row;
    const owner = ownerOfRow(state, row);
    const side = row.side as PositionSideIndex;
    const { createdSequence: sequence, createdMs: nowMs } = row;
    const position = new Position({ ...row, owner, side, sequence, nowMs });
    Object.assign(position, fields);
    const { account, market } = owner;
    owner.positions[side].push(position);
    owner.sideLots[side] += position.sizeLots;
    if (position.marginType === "CROSSED") account.crossPositions.push(position);
    account.isolatedMarginMinor += position.marginMinor;
    market.positions.add(position);
    market.openLots[side] += BigInt(position.sizeLots);
    market.openValueMinor[side] += position.openValueMinor;
    state.contract.positions.set(position.positionId, position);
  },
});

const CLIENT_ORDERS = clientOrderSection(
  "contract-client-orders",
  (state) => state.contract.clientOrders,
  true,
);

const ORDERS = section({
  name: "contract-orders",
  codec: rows.contractOrder,
  optional: true,
  *rowsOf(state) {
    for (const market of state.contract.markets) {
      yield* bookRows(market.book, (slot) => orderRow(state, slot));
    }
  },
  restore(state, row) {
    const { clientOrders } = state.contract;
    const { uid, clientOrderId } = row;
    const isNamed = clientOrderId !== "";
    const clientEntry = isNamed ? clientOrders.find(uid, clientOrderId, row.updatedMs) : NONE;
    invariant(isNamed === (clientEntry !== NONE), "an open order's client id is remembered");
    insertIntoBook(state, {
      ...row,
      owner: ownerOfRow(state, row),
      side: row.side as SideIndex,
      clientEntry,
      extra: { ...row, positionSide: row.positionSide as PositionSideIndex },
    });
  },
});

function orderRow({ contract }: State, slot: number) {
  const { clientOrders, extras, orders } = contract;
  const progress = orders.progress(slot);
  const entry = orders.clientEntry(slot);
  const extra = extras.get(slot);
  return {
    type: "contract-order",
    ...pooledOrderRow(orders, slot),
    clientOrderId: entry === NONE ? "" : clientOrders.clientOrderId(entry),
    filledValueMinor: progress?.filledQuoteMinor ?? 0n,
    updatedMs: progress?.updatedMs ?? extra.createdMs,
    ...extra,
  } as const;
}

const CLIENT_CONDITIONAL_ORDERS = clientOrderSection(
  "algo-client-orders",
  (state) => state.contract.clientConditionalOrders,
  true,
);

const CONDITIONAL_ORDERS = section({
  name: "algo-orders",
  codec: rows.conditionalOrder,
  optional: true,
  *rowsOf({ contract }) {
    const conditionalOrders = [...contract.triggerIndex.byId.values()];
    conditionalOrders.sort((one, other) => one.algoId - other.algoId);
    for (const { owner, clientEntry: _, heapItem: __, ...order } of conditionalOrders) {
      const uid = owner.account.user.uid;
      yield { type: "algo-order", ...order, uid, marketIndex: owner.market.index } as const;
    }
  },
  restore(state, row) {
    const { triggerIndex, clientConditionalOrders } = state.contract;
    const { type: _, uid, marketIndex: __, ...fields } = row;
    // The ids of attached rows are made of their parent's, and not in the index of users' ids.
    const isNamed = row.parentOrderId === 0;
    const clientEntry = isNamed
      ? clientConditionalOrders.find(uid, row.clientAlgoId, row.updatedMs)
      : NONE;
    invariant(isNamed === (clientEntry !== NONE), "the client id of a row is remembered");
    const owner = ownerOfRow(state, row);
    const positionSide = row.positionSide as PositionSideIndex;
    const order: ConditionalOrder = { ...fields, owner, clientEntry, positionSide, heapItem: NONE };
    triggerIndex.add(order);
    if (order.status !== "TRIGGERED") owner.conditionalOrders++;
    if (order.status === "UNTRIGGERED") triggerIndex.watch(order);
  },
});

/** In the order in which they are restored: each may refer to those before it. */
export const CONTRACT_SECTIONS = [
  META,
  MARKETS,
  PROTECTION,
  RISK_WAITS,
  GIVEN_RATES,
  INSURANCE_DRAWS,
  TICKERS,
  ACCOUNTS,
  SETTINGS,
  POSITIONS,
  CLIENT_ORDERS,
  ORDERS,
  CLIENT_CONDITIONAL_ORDERS,
  CONDITIONAL_ORDERS,
] as const;

/** Completes a restored state: the risk index looks at every position once. */
export function rebuildContractIndexes({ contract }: State): void {
  for (const market of contract.markets) {
    // Filling a book counted as changes of it.
    market.bookVersionBase -= market.book.version;
  }
  for (const position of contract.positions.values()) contract.risk.positionChanged(position);
}

function ownerOfRow(
  state: State,
  row: { readonly uid: number; readonly marketIndex: number },
): SymbolAccount {
  const market = state.contract.markets[row.marketIndex];
  invariant(market !== undefined, "what a user has is in a listed market");
  return symbolAccountOf(state, existingUser(state, row.uid), market);
}
