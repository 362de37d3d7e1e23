/**
 * All contract state: one part of the exchange's state. Markets, accounts and positions have their
 * types in files of their own, because the indexes held here use them too.
 */

import { accountsOf, type User } from "../accounts/user.ts";
import type { AccountNumber, Ledger } from "../ledger/ledger.ts";
import { ClientOrderIndex } from "../matching/client-order-index.ts";
import type { HashKey } from "../matching/client-order-key.ts";
import { OrderPool } from "../matching/order-pool.ts";
import { RiskIndex } from "./indexes/risk-index.ts";
import { TriggerIndex } from "./indexes/trigger-index.ts";
import {
  type ContractMarket,
  MarginAccount,
  type Position,
  SymbolAccount,
} from "./state/contract-market.ts";
import { DirtyAccounts } from "./state/dirty-accounts.ts";
import { DirtyMarkets } from "./state/dirty-markets.ts";
import { OrderExtras } from "./state/order-extras.ts";

export class ContractState {
  readonly markets: ContractMarket[] = [];
  readonly marketsBySymbol = new Map<string, ContractMarket>();
  /** Open orders of all contracts; the market of a slot is its place in `markets`. */
  readonly orders = new OrderPool();
  readonly extras = new OrderExtras();
  readonly clientOrders: ClientOrderIndex;
  readonly clientConditionalOrders: ClientOrderIndex;
  /** By user and number of the margin asset. */
  readonly accounts = new Map<User, Map<number, MarginAccount>>();
  /** Open positions by id. */
  readonly positions = new Map<number, Position>();
  readonly risk = new RiskIndex();
  readonly triggerIndex = new TriggerIndex();
  /** Accounts and markets whose balances the end of the command checks. */
  readonly dirtyAccounts = new DirtyAccounts();
  readonly dirtyMarkets = new DirtyMarkets();
  /** A cascade was cut: the next command must continue it. */
  unfinishedRisk = false;
  /**
   * False only when no market has a funding slot that waits for its mark; true says nothing. Who
   * makes a slot wait sets it, and the end of a command looks for itself.
   */
  maySettleFunding = true;
  /** Where timers go on after a cascade that was cut; 0 for nowhere. */
  timersToMs = 0;
  /**
   * Grows with every mark price and every deposit into an insurance fund. A liquidation without a
   * counterparty waits until it has grown.
   */
  liquidityRevision = 1;

  constructor(hashKey: HashKey) {
    this.clientOrders = new ClientOrderIndex(hashKey);
    this.clientConditionalOrders = new ClientOrderIndex(hashKey);
  }
}

/** The part of the state that margin accounts are made of. */
export interface MarginState {
  readonly ledger: Ledger;
  readonly contract: ContractState;
}

/** The account; null when the user never had one. For checks: a refused command opens nothing. */
export function findMarginAccount(
  { contract }: MarginState,
  user: User,
  assetIndex: number,
): MarginAccount | null {
  return contract.accounts.get(user)?.get(assetIndex) ?? null;
}

/** The account, opened when it is first needed. */
export function marginAccountOf(
  { contract, ledger }: MarginState,
  user: User,
  assetIndex: number,
): MarginAccount {
  let ofUser = contract.accounts.get(user);
  if (ofUser === undefined) {
    ofUser = new Map();
    contract.accounts.set(user, ofUser);
  }
  let account = ofUser.get(assetIndex);
  if (account === undefined) {
    const base: AccountNumber = accountsOf(ledger, user, assetIndex);
    account = new MarginAccount(user, assetIndex, base);
    ofUser.set(assetIndex, account);
  }
  return account;
}

/** Null when nothing of the user differs from the defaults there. For checks. */
export function findSymbolAccount(
  state: MarginState,
  user: User,
  market: ContractMarket,
): SymbolAccount | null {
  const account = findMarginAccount(state, user, market.rules.marginAsset.index);
  return account?.symbols.get(market.index) ?? null;
}

/** The user's account in a market, with the default settings when it is first needed. */
export function symbolAccountOf(
  state: MarginState,
  user: User,
  market: ContractMarket,
): SymbolAccount {
  const account = marginAccountOf(state, user, market.rules.marginAsset.index);
  let owner = account.symbols.get(market.index);
  if (owner === undefined) {
    owner = new SymbolAccount(account, market);
    account.symbols.set(market.index, owner);
  }
  return owner;
}
