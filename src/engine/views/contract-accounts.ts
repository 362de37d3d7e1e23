/** Contract balances, positions, settings and fee rates as callers see them, in decimal text. */
import { formatDecimal, POSITION_SIDES, RATE_SCALE } from "../../domain/index.ts";
import type {
  ContractBalanceView,
  ContractFeeRatesView,
  ContractSettingsView,
  PositionView,
} from "../../protocol/index.ts";
import { findMarginAccount, findSymbolAccount } from "../contract/contract-state.ts";
import {
  availableBalanceMinor,
  liquidationTicks,
  markValueMinor,
  unrealizedMinor,
} from "../contract/formulas/account-equity.ts";
import { contractFeeRates, initialMarginMinor } from "../contract/formulas/valuation.ts";
import { settingsOf } from "../contract/margin/settings.ts";
import {
  type ContractMarket,
  LONG,
  type MarginAccount,
  type Position,
  SHORT,
} from "../contract/state/contract-market.ts";
import {
  CONTRACT_AVAILABLE,
  CONTRACT_ORDER_MARGIN,
  CONTRACT_POSITION_MARGIN,
} from "../ledger/ledger.ts";
import { type Asset, type State, type User, userBalance } from "../state.ts";

/** One row per margin asset of a listed contract, in order of coin id. */
export function contractBalanceViews(state: State, user: User): ContractBalanceView[] {
  const marginAssets = new Set(state.contract.markets.map(({ rules }) => rules.marginAsset));
  return [...marginAssets]
    .sort((one, other) => one.coinId - other.coinId)
    .map((asset) => balanceView(state, user, asset));
}

function balanceView(state: State, user: User, asset: Asset): ContractBalanceView {
  const account = findMarginAccount(state, user, asset.index);
  const availableMinor = userBalance(state, user, asset.index, CONTRACT_AVAILABLE);
  const orderMarginMinor = userBalance(state, user, asset.index, CONTRACT_ORDER_MARGIN);
  const positionMarginMinor = userBalance(state, user, asset.index, CONTRACT_POSITION_MARGIN);
  const usableMinor =
    account === null ? availableMinor : availableBalanceMinor(state.ledger, account);
  const amount = (minor: bigint): string => formatDecimal(minor, asset.scale);
  return {
    asset: asset.asset,
    balance: amount(availableMinor + orderMarginMinor + positionMarginMinor),
    availableBalance: amount(usableMinor),
    frozen: amount(orderMarginMinor),
    unrealizePnl: amount(account === null ? 0n : accountPnlMinor(account)),
    available: amount(availableMinor),
    orderMargin: amount(orderMarginMinor),
    positionMargin: amount(positionMarginMinor),
  };
}

/** Unrealised profit and loss of all positions, cross and isolated. */
function accountPnlMinor(account: MarginAccount): bigint {
  let pnlMinor = 0n;
  for (const position of positionsOf(account)) pnlMinor += unrealizedMinor(position);
  return pnlMinor;
}

function* positionsOf(account: MarginAccount): Generator<Position> {
  for (const { positions } of account.symbols.values()) {
    yield* positions[LONG];
    yield* positions[SHORT];
  }
}

/** A user's open positions, in one market or all, by ascending id. */
export function positionViews(
  state: State,
  user: User,
  market: ContractMarket | null,
): PositionView[] {
  const found: Position[] = [];
  for (const account of state.contract.accounts.get(user)?.values() ?? []) {
    for (const position of positionsOf(account)) {
      if (market === null || position.owner.market === market) found.push(position);
    }
  }
  found.sort((one, other) => one.positionId - other.positionId);
  return found.map((position) => positionView(state, position));
}

function positionView(state: State, position: Position): PositionView {
  const { owner, marginType } = position;
  const { rules, symbol } = owner.market;
  const { step, tick, marginAsset } = rules;
  const isCross = marginType === "CROSSED";
  const amount = (minor: bigint): string => formatDecimal(minor, marginAsset.scale);
  const size = (lots: bigint): string => formatDecimal(lots * BigInt(step.step), step.scale);
  const liquidateTicks = liquidationTicks(state.ledger, position);
  const marginMinor = isCross
    ? initialMarginMinor(markValueMinor(position), position.leverage)
    : position.marginMinor;
  return {
    id: position.positionId,
    asset: marginAsset.asset,
    symbol,
    side: POSITION_SIDES[position.side],
    marginType,
    separatedMode: position.separatedOpenOrderId === 0 ? "COMBINED" : "SEPARATED",
    separatedOpenOrderId: position.separatedOpenOrderId,
    leverage: String(position.leverage),
    size: size(BigInt(position.sizeLots)),
    openValue: amount(position.openValueMinor),
    openFee: amount(position.openFeeMinor),
    fundingFee: amount(position.fundingFeeMinor),
    marginSize: amount(marginMinor),
    isolatedMargin: isCross ? "0" : amount(marginMinor),
    isAutoAppendIsolatedMargin: position.autoAppend,
    cumOpenSize: size(position.cumOpenLots),
    cumOpenValue: amount(position.cumOpenValueMinor),
    cumOpenFee: amount(position.cumOpenFeeMinor),
    cumCloseSize: size(position.cumCloseLots),
    cumCloseValue: amount(position.cumCloseValueMinor),
    cumCloseFee: amount(position.cumCloseFeeMinor),
    cumFundingFee: amount(position.cumFundingFeeMinor),
    cumLiquidateFee: amount(position.cumLiquidateFeeMinor),
    createdMatchSequenceId: position.createdSequence,
    updatedMatchSequenceId: position.updatedSequence,
    createdTime: position.createdMs,
    updatedTime: position.updatedMs,
    unrealizePnl: amount(unrealizedMinor(position)),
    liquidatePrice: formatDecimal(liquidateTicks * BigInt(tick.step), tick.scale),
  };
}

/** The settings in one market; the defaults where the user has none. */
export function contractSettingsView(
  state: State,
  user: User,
  market: ContractMarket,
): ContractSettingsView {
  return settingsOf(market, findSymbolAccount(state, user, market));
}

export function contractFeeRatesView(user: User, market: ContractMarket): ContractFeeRatesView {
  const { makerFeeRateE8, takerFeeRateE8 } = contractFeeRates(user, market);
  return {
    symbol: market.symbol,
    makerFeeRate: formatDecimal(BigInt(makerFeeRateE8), RATE_SCALE),
    takerFeeRate: formatDecimal(BigInt(takerFeeRateE8), RATE_SCALE),
  };
}
