/**
 * The full check of contract invariants: money against positions and orders, running sums against
 * their parts, books, conditional orders, and that nothing due was left. It computes everything
 * from scratch, in other ways than the code that keeps it up to date.
 */
import { invariant, POSITION_SIDES } from "../../domain/index.ts";
import { type Asset, accountsOf } from "../accounts/user.ts";
import {
  CONTRACT_AVAILABLE,
  CONTRACT_ORDER_MARGIN,
  CONTRACT_POSITION_MARGIN,
} from "../ledger/ledger.ts";
import { NONE } from "../matching/slot.ts";
import type { State } from "../state.ts";
import {
  crossEquityMinor,
  crossOwners,
  isCrossDue,
  isPositionDue,
} from "./formulas/account-equity.ts";
import { frozenByRest } from "./formulas/order-margin.ts";
import { openOrderSlots } from "./orders/resting-orders.ts";
import { isMarkReliable } from "./prices/prices.ts";
import {
  type ContractMarket,
  LONG,
  type MarginAccount,
  type Position,
  SHORT,
  type SymbolAccount,
} from "./state/contract-market.ts";

const SIDES = [LONG, SHORT] as const;

/** Adds a sentence for everything that does not hold. */
export function checkContracts(state: State, violations: string[]): void {
  for (const asset of state.assets) checkHouse(state, asset, violations);
  const held = positionsByAccount(state);
  for (const user of state.users.values()) {
    for (const asset of state.assets) {
      const base = user.accountBases[asset.index] ?? NONE;
      if (base === NONE) continue;
      const account = state.contract.accounts.get(user)?.get(asset.index);
      if (account === undefined) checkNoMargin(state, base, `user ${user.uid}`, violations);
      else checkAccount(state, account, held.get(account) ?? [], violations);
    }
  }
  for (const market of state.contract.markets) checkMarket(state, market, violations);
  checkPool(state, violations);
  checkConditionalOrders(state, violations);
  if (!state.contract.unfinishedRisk) checkNothingDue(state, violations);
}

/** The message of a check that throws. */
function attempt(violations: string[], subject: string, check: () => void): void {
  try {
    check();
  } catch (fault) {
    violations.push(`${subject}: ${fault instanceof Error ? fault.message : fault}`);
  }
}

/**
 * Profit that was realised but not by the other side yet is the open value that is out of balance.
 */
function checkHouse(state: State, asset: Asset, violations: string[]): void {
  const { contract, ledger } = state;
  let openMinor = 0n;
  for (const position of contract.positions.values()) {
    if (position.owner.account.assetIndex !== asset.index) continue;
    openMinor += position.side === LONG ? position.openValueMinor : -position.openValueMinor;
  }
  const clearingMinor = ledger.balance(ledger.houseAccount(asset.index, "pnl-clearing"));
  if (clearingMinor !== -openMinor) {
    violations.push(`${asset.asset}: pnl-clearing is ${clearingMinor}, positions owe ${openMinor}`);
  }
  const fundingMinor = ledger.balance(ledger.houseAccount(asset.index, "funding-clearing"));
  if (fundingMinor !== 0n) violations.push(`${asset.asset}: ${fundingMinor} of funding is left`);
}

function positionsByAccount({ contract }: State): Map<MarginAccount, Position[]> {
  const held = new Map<MarginAccount, Position[]>();
  for (const position of contract.positions.values()) {
    const { account } = position.owner;
    const positions = held.get(account);
    if (positions === undefined) held.set(account, [position]);
    else positions.push(position);
  }
  return held;
}

function checkNoMargin({ ledger }: State, base: number, who: string, violations: string[]): void {
  if (ledger.balance(base + CONTRACT_AVAILABLE) < 0n) violations.push(`${who}: negative cash`);
  for (const kind of [CONTRACT_ORDER_MARGIN, CONTRACT_POSITION_MARGIN]) {
    if (ledger.balance(base + kind) !== 0n) violations.push(`${who}: margin without an account`);
  }
}

/** Cash, frozen margin and position margin of an account are what its orders and positions need. */
function checkAccount(
  state: State,
  account: MarginAccount,
  positions: readonly Position[],
  violations: string[],
): void {
  const { contract, ledger } = state;
  const { user, assetIndex, base, crossPositions } = account;
  const who = `user ${user.uid}, asset ${assetIndex}`;
  if (base !== accountsOf(ledger, user, assetIndex)) violations.push(`${who}: foreign accounts`);
  let frozenMinor = 0n;
  const isOwn = ({ rules }: ContractMarket): boolean => rules.marginAsset.index === assetIndex;
  for (const slot of openOrderSlots(contract, user.uid, isOwn)) {
    frozenMinor += frozenByRest(contract, slot);
  }
  const orderMinor = ledger.balance(base + CONTRACT_ORDER_MARGIN);
  if (orderMinor !== frozenMinor) {
    violations.push(`${who}: order margin ${orderMinor}, orders freeze ${frozenMinor}`);
  }
  let marginMinor = 0n;
  const cross: number[] = [];
  for (const position of positions) {
    marginMinor += position.marginMinor;
    if (position.marginType === "CROSSED") cross.push(position.positionId);
  }
  const lockedMinor = ledger.balance(base + CONTRACT_POSITION_MARGIN);
  if (lockedMinor !== marginMinor || account.isolatedMarginMinor !== marginMinor) {
    const sums = `${lockedMinor} locked, ${account.isolatedMarginMinor} counted`;
    violations.push(`${who}: positions have a margin of ${marginMinor}, ${sums}`);
  }
  if (cross.join() !== crossPositions.map(({ positionId }) => positionId).join()) {
    violations.push(`${who}: cross positions ${cross}, listed ${crossPositions.length}`);
  }
  const cashMinor = ledger.balance(base + CONTRACT_AVAILABLE);
  if (crossPositions.length === 0) {
    if (cashMinor < 0n) violations.push(`${who}: cash of ${cashMinor} without cross positions`);
  } else if (crossEquityMinor(ledger, account) < 0n && mayLiquidate(state, account)) {
    violations.push(`${who}: cross equity is below zero`);
  }
  for (const owner of account.symbols.values()) checkOwner(state, owner, violations);
}

/** The counters of an account in a market match the orders and positions there. */
function checkOwner({ contract }: State, owner: SymbolAccount, violations: string[]): void {
  const { account, market, positions, separatedType } = owner;
  const { extras, orders } = contract;
  const who = `user ${account.user.uid}, ${market.symbol}`;
  const openLots = [0, 0];
  const closeLots = [0, 0];
  const slots = openOrderSlots(contract, account.user.uid, (other) => other === market);
  for (const slot of slots) {
    const resting = extras.isClosing(slot) ? closeLots : openLots;
    const side = extras.positionSide(slot);
    resting[side] = (resting[side] ?? 0) + orders.openLots(slot);
  }
  if (slots.length !== owner.openOrders) violations.push(`${who}: open orders are miscounted`);
  if (`${openLots}` !== `${owner.restingOpenLots}`) {
    violations.push(`${who}: ${openLots} lots are about to open, ${owner.restingOpenLots} counted`);
  }
  if (`${closeLots}` !== `${owner.restingCloseLots}`) {
    const counted = owner.restingCloseLots;
    violations.push(`${who}: ${closeLots} lots are about to close, ${counted} counted`);
  }
  for (const side of SIDES) {
    const where = `${who} ${POSITION_SIDES[side]}`;
    let sizeLots = 0;
    const ids = new Set<number>();
    for (const position of positions[side]) {
      sizeLots += position.sizeLots;
      ids.add(position.separatedOpenOrderId);
      if (contract.positions.get(position.positionId) !== position) {
        violations.push(`${where}: position ${position.positionId} is not known`);
      }
      if (BigInt(position.sizeLots) !== position.cumOpenLots - position.cumCloseLots) {
        violations.push(`${where}: position ${position.positionId} is not opened less closed`);
      }
      const isIn = position.owner === owner && position.side === side && position.sizeLots > 0;
      if (!isIn || position.marginType !== owner.marginType) {
        violations.push(`${where}: position ${position.positionId} does not belong there`);
      }
      if ((position.separatedOpenOrderId !== 0) !== (separatedType === "SEPARATED")) {
        violations.push(`${where}: position ${position.positionId} is not ${separatedType}`);
      }
    }
    if (ids.size !== positions[side].length) {
      violations.push(`${where}: two positions of one opening order`);
    }
    if (sizeLots !== owner.sideLots[side]) {
      violations.push(`${where}: size ${sizeLots}, counted ${owner.sideLots[side]}`);
    }
    if (owner.restingCloseLots[side] > sizeLots) {
      violations.push(`${where}: resting orders close more than there is`);
    }
  }
}

/** Both sides of a market are equal, and its book is whole. */
function checkMarket(state: State, market: ContractMarket, violations: string[]): void {
  const { symbol, book, openLots, openValueMinor } = market;
  const lots = [0n, 0n] as [bigint, bigint];
  const values = [0n, 0n] as [bigint, bigint];
  let count = 0;
  for (const position of state.contract.positions.values()) {
    if (position.owner.market !== market) continue;
    count++;
    lots[position.side] += BigInt(position.sizeLots);
    values[position.side] += position.openValueMinor;
    if (!market.positions.has(position)) violations.push(`${symbol}: a position is not listed`);
  }
  if (count !== market.positions.size) violations.push(`${symbol}: positions are miscounted`);
  if (lots[LONG] !== lots[SHORT]) {
    violations.push(`${symbol}: ${lots[LONG]} lots long against ${lots[SHORT]} short`);
  }
  if (`${lots}` !== `${openLots}`) violations.push(`${symbol}: open lots are miscounted`);
  if (`${values}` !== `${openValueMinor}`) violations.push(`${symbol}: open value is miscounted`);
  if (book.isCrossed()) violations.push(`${symbol}: the book is crossed`);
  attempt(violations, symbol, () => book.validate());
}

function checkPool({ contract }: State, violations: string[]): void {
  let inBooks = 0;
  for (const { book } of contract.markets) inBooks += book.orderCount;
  if (inBooks !== contract.orders.size) {
    violations.push(`${contract.orders.size} open contract orders, but ${inBooks} in the books`);
  }
}

/** Every conditional order is in its indexes, and none outlives what it waits for. */
function checkConditionalOrders({ contract }: State, violations: string[]): void {
  const { triggerIndex, clientConditionalOrders, orders } = contract;
  attempt(violations, "conditional orders", () => triggerIndex.validate());
  const waiting = new Map<SymbolAccount, number>();
  let named = 0;
  for (const order of triggerIndex.byId.values()) {
    const { algoId, owner, status, parentOrderId, actualOrderId } = order;
    const who = `conditional order ${algoId}`;
    if (order.clientEntry !== NONE) named++;
    if (status !== "TRIGGERED") waiting.set(owner, (waiting.get(owner) ?? 0) + 1);
    switch (status) {
      case "NEW":
        if (orders.findById(parentOrderId) === NONE) violations.push(`${who}: its parent is gone`);
        break;
      case "UNTRIGGERED":
        if (order.reduceOnly && owner.sideLots[order.positionSide] === 0) {
          violations.push(`${who}: there is nothing left to close`);
        }
        break;
      case "TRIGGERED":
        if (orders.findById(actualOrderId) === NONE) violations.push(`${who}: its child is gone`);
        break;
      default:
        violations.push(`${who}: is kept as ${status}`);
    }
  }
  if (clientConditionalOrders.openCount !== named) {
    violations.push(
      `${clientConditionalOrders.openCount} client ids of ${named} conditional orders`,
    );
  }
  for (const accounts of contract.accounts.values()) {
    for (const account of accounts.values()) {
      for (const owner of account.symbols.values()) {
        if (owner.conditionalOrders === (waiting.get(owner) ?? 0)) continue;
        const who = `user ${account.user.uid}, ${owner.market.symbol}`;
        violations.push(`${who}: conditional orders are miscounted`);
      }
    }
  }
}

/** Whether nothing blocks what is due in a market, so that it must have been done. */
function mayAct(state: State, market: ContractMarket): boolean {
  if (state.contract.unfinishedRisk) return false;
  return market.state === "trading" && isMarkReliable(state, market, state.timestampMs);
}

/** The same of a cross account, which waits for each of its markets. */
function mayLiquidate(state: State, account: MarginAccount): boolean {
  if (account.heldAtRevision === state.contract.liquidityRevision) return false;
  return [...crossOwners(account)].every(({ market }) => mayAct(state, market));
}

/** After a command no trigger is reached and nothing is due for liquidation that need not wait. */
function checkNothingDue(state: State, violations: string[]): void {
  const { contract, ledger } = state;
  for (const position of contract.positions.values()) {
    const isHeld = position.heldAtRevision === contract.liquidityRevision;
    if (position.marginType === "CROSSED" || isHeld) continue;
    if (mayAct(state, position.owner.market) && isPositionDue(position)) {
      violations.push(`position ${position.positionId} is due, and was not liquidated`);
    }
  }
  for (const accounts of contract.accounts.values()) {
    for (const account of accounts.values()) {
      if (isCrossDue(ledger, account) && mayLiquidate(state, account)) {
        violations.push(`user ${account.user.uid} is due, and was not liquidated`);
      }
    }
  }
  attempt(violations, "triggers", () => {
    const reached = contract.triggerIndex.peekReached();
    invariant(reached === null, `conditional order ${reached?.algoId} is reached`);
  });
}
