/**
 * Runs after every command until nothing changes: marks follow the books; reached triggers fire,
 * lowest id first, each child matched completely before the next; then one liquidation; then again
 * from the start. Lower layers mark what they changed and never call this one. A cascade that takes
 * too many steps is cut and continues as a command of its own.
 */
import { invariant } from "../../../domain/index.ts";
import { CONTRACT_AVAILABLE, CONTRACT_POSITION_MARGIN, type Ledger } from "../../ledger/ledger.ts";
import type { Context } from "../../state.ts";
import type { ContractState } from "../contract-state.ts";
import { crossEquityMinor, crossOwners } from "../formulas/account-equity.ts";
import type { RiskLook } from "../indexes/risk-index.ts";
import { appendMargin } from "../margin/position-margin.ts";
import { settlePendingFunding } from "../prices/funding.ts";
import { isMarkReliable, refreshMark } from "../prices/prices.ts";
import {
  type ContractMarket,
  LONG,
  type MarginAccount,
  Position,
  SHORT,
} from "../state/contract-market.ts";
import { fireConditional } from "./firing.ts";
import { liquidateCross, liquidateIsolated } from "./liquidation.ts";

/** Does everything that is due now. What exceeds the steps of one command stays unfinished. */
export function runRisk(context: Context): void {
  const { contract } = context.state;
  // Timers that were cut have used up all steps, and wait for their own command.
  if (contract.unfinishedRisk && context.stepsLeft <= 0) return;
  if (isSettled(contract)) return;
  const look = new PresentLook(context);
  // Every turn but the last takes a step, and steps are counted.
  for (;;) {
    for (const market of contract.dirtyMarkets.inOrder()) refreshMark(context, market);
    if (settlePendingFunding(context)) continue;
    if (context.stepsLeft <= 0 && isSomethingLeft(context, look)) {
      contract.unfinishedRisk = true;
      return;
    }
    if (!takeStep(context, look)) break;
  }
  contract.unfinishedRisk = false;
  checkDirty(context, look);
}

/** Nothing is marked and nothing waits: so it is after every command that is not of contracts. */
function isSettled(contract: ContractState): boolean {
  if (contract.unfinishedRisk) return false;
  if (contract.dirtyMarkets.size > 0 || contract.dirtyAccounts.size > 0) return false;
  if (contract.maySettleFunding) {
    for (const { funding } of contract.markets) if (funding.pendingSlotMs !== 0) return false;
    contract.maySettleFunding = false;
  }
  return contract.triggerIndex.isSettled && contract.risk.isSettled(contract.liquidityRevision);
}

/** A class, because one is made for every command: closures and getters of a literal cost more. */
class PresentLook implements RiskLook {
  readonly ledger: Ledger;
  readonly #context: Context;

  constructor(context: Context) {
    this.ledger = context.state.ledger;
    this.#context = context;
  }

  get liquidityRevision(): number {
    return this.#context.state.contract.liquidityRevision;
  }

  mayLiquidate(market: ContractMarket): boolean {
    const context = this.#context;
    return market.state === "trading" && isMarkReliable(context.state, market, context.nowMs);
  }
}

function isSomethingLeft(context: Context, look: RiskLook): boolean {
  const { triggerIndex, risk } = context.state.contract;
  return triggerIndex.peekReached() !== null || risk.nextDue(look) !== null;
}

/** Fires one trigger or, without any, runs one liquidation. Returns whether it did. */
function takeStep(context: Context, look: RiskLook): boolean {
  const { contract } = context.state;
  const order = contract.triggerIndex.takeReached();
  if (order !== null) {
    context.stepsLeft--;
    fireConditional(context, order);
    return true;
  }
  const due = contract.risk.nextDue(look);
  if (due === null) return false;
  if (!(due instanceof Position)) liquidateCross(context, due);
  else if (appendMargin(context, due)) context.stepsLeft--;
  else liquidateIsolated(context, due);
  return true;
}

/**
 * Checks what the command marked dirty before its answer may leave. What is not marked cannot have
 * changed.
 */
function checkDirty(context: Context, look: RiskLook): void {
  const { contract, ledger } = context.state;
  for (const market of contract.dirtyMarkets.inOrder()) checkMarket(market);
  const assets: number[] = [];
  for (const account of contract.dirtyAccounts.inOrder()) {
    checkAccount(ledger, account, look);
    if (!assets.includes(account.assetIndex)) assets.push(account.assetIndex);
  }
  for (const asset of assets) checkClearing(context, asset);
  contract.dirtyAccounts.clear();
  contract.dirtyMarkets.clear();
}

function checkMarket({ openLots }: ContractMarket): void {
  invariant(openLots[LONG] === openLots[SHORT], "every long lot has a short one");
}

function checkAccount(ledger: Ledger, account: MarginAccount, look: RiskLook): void {
  const { base, isolatedMarginMinor } = account;
  invariant(
    ledger.balance(base + CONTRACT_POSITION_MARGIN) === isolatedMarginMinor,
    "position margin is the sum of the margins of isolated positions",
  );
  if (ledger.balance(base + CONTRACT_AVAILABLE) >= 0n) return;
  invariant(account.crossPositions.length > 0, "no cash below zero without cross positions");
  const waits =
    account.heldAtRevision === look.liquidityRevision ||
    crossOwners(account).some(({ market }) => !look.mayLiquidate(market));
  // While its liquidation waits, a price may take the equity below zero.
  invariant(waits || crossEquityMinor(ledger, account) >= 0n, "no cross equity below zero");
}

/** The difference of the open values is what one side realised and the other did not yet. */
function checkClearing(context: Context, asset: number): void {
  const { contract, ledger } = context.state;
  let owedMinor = 0n;
  for (const { rules, openValueMinor } of contract.markets) {
    if (rules.marginAsset.index === asset) owedMinor += openValueMinor[0] - openValueMinor[1];
  }
  invariant(
    ledger.balance(ledger.houseAccount(asset, "pnl-clearing")) === -owedMinor,
    "realised profit is what open positions owe",
  );
  invariant(
    ledger.balance(ledger.houseAccount(asset, "funding-clearing")) === 0n,
    "funding that was collected is paid out",
  );
}
