/**
 * A market whose users hold positions, for tests of what happens when prices move: orders, prices
 * and the risk loop as after a command, and the full check of the state after each of them.
 */
import {
  invariant,
  type MarginType,
  type PositionSide,
  type Side,
} from "../../../src/domain/index.ts";
import { symbolAccountOf } from "../../../src/engine/contract/contract-state.ts";
import { walletMinor } from "../../../src/engine/contract/formulas/account-equity.ts";
import { checkContracts } from "../../../src/engine/contract/invariants.ts";
import { setContractMarket } from "../../../src/engine/contract/markets.ts";
import { placeContractOrder } from "../../../src/engine/contract/orders/place-order.ts";
import { setIndexPrice } from "../../../src/engine/contract/prices/prices.ts";
import { runRisk } from "../../../src/engine/contract/risk/risk-loop.ts";
import type {
  ContractMarket,
  Position,
  SymbolAccount,
} from "../../../src/engine/contract/state/contract-market.ts";
import { CONTRACT_AVAILABLE } from "../../../src/engine/ledger/ledger.ts";
import { RULES_VERSION } from "../../../src/engine/rules-version.ts";
import { setAsset } from "../../../src/engine/spot/markets.ts";
import { State, type TimedContext, type User } from "../../../src/engine/state.ts";
import type { Event, EventOf, EventType } from "../../../src/protocol/index.ts";
import { BTC_CONTRACT, type ContractListing } from "../listings.ts";
import { fund, openPair } from "./paired-positions.ts";

const USDT = 100_000_000n;
const STEPS = 1000;
/** The first day of 2026, UTC. */
const START_MS = 1_767_225_600_000;

/** Amounts of the examples, with up to 8 decimals. */
export function usdt(text: string): bigint {
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const minor = BigInt(whole) * USDT + BigInt(fraction.padEnd(8, "0"));
  return text.startsWith("-") ? -minor : minor;
}

export class RiskFixture implements TimedContext {
  readonly state = new State({ high: 1, low: 2 });
  readonly market: ContractMarket;
  nowMs = START_MS;
  sequence = 1;
  stepsLeft = 0;
  events: Event[] = [];
  #orders = 0;

  constructor(listing: Partial<ContractListing> = {}) {
    this.state.rulesVersion = RULES_VERSION;
    this.market = this.list(listing);
  }

  emit(event: Event): void {
    this.events.push(event);
  }

  /** The events of a type since the last call of any kind, which forgets all of them. */
  emitted<Type extends EventType>(type: Type): EventOf<Type>[] {
    const events = this.events.filter((event) => event.type === type);
    this.events = [];
    return events as EventOf<Type>[];
  }

  /** Lists a market and its assets, of scale 8. */
  list(changes: Partial<ContractListing>): ContractMarket {
    const listing = { ...BTC_CONTRACT, ...changes };
    for (const asset of [listing.baseAsset, listing.quoteAsset]) {
      if (this.state.assetsByName.has(asset)) continue;
      const coinId = this.state.assets.length + 1;
      const terms = { actor: "", asset, coinId, name: asset, scale: 8 } as const;
      invariant(setAsset(this, { type: "set-asset", ...terms }).ok, "an asset can be listed");
    }
    const set = setContractMarket(this, { type: "set-contract-market", actor: "", ...listing });
    invariant(set.ok, set.ok ? "" : `${set.reason} ${set.field} ${set.detail}`);
    return this.state.contract.marketsBySymbol.get(listing.symbol) as ContractMarket;
  }

  get ledger() {
    return this.state.ledger;
  }

  house(name: "insurance" | "fees" | "pnl-clearing" | "external"): bigint {
    return this.ledger.balance(this.houseAccount(name));
  }

  houseAccount(name: "insurance" | "fees" | "pnl-clearing" | "external"): number {
    return this.ledger.houseAccount(this.market.rules.marginAsset.index, name);
  }

  insure(amountMinor: bigint): void {
    this.ledger.move(this.houseAccount("external"), this.houseAccount("insurance"), amountMinor);
    this.state.contract.liquidityRevision++;
  }

  /** A user with funds in the contract wallet. */
  user(uid: number, funds: string): User {
    const user: User = {
      uid,
      inviteCode: `invite-${uid}`,
      inviterUid: null,
      registeredMs: this.nowMs,
      kyc: false,
      state: "active",
      house: false,
      selfTradePrevention: "NONE",
      accountBases: [],
      feeRates: null,
      openOrderCounts: [],
    };
    this.state.users.set(uid, user);
    this.state.usersByInviteCode.set(user.inviteCode, user);
    fund(this.state, user, this.market, usdt(funds));
    return user;
  }

  owner(user: User, market = this.market): SymbolAccount {
    return symbolAccountOf(this.state, user, market);
  }

  /** Cash of a user in the contract wallet. */
  cash(user: User): bigint {
    return this.ledger.balance(this.owner(user).account.base + CONTRACT_AVAILABLE);
  }

  wallet(user: User): bigint {
    return walletMinor(this.ledger, this.owner(user).account);
  }

  /** Sets the index, and with it the mark while the book has one side at most. */
  price(price: string, market = this.market): void {
    const { symbol } = market;
    const set = setIndexPrice(this, {
      type: "set-index-price",
      actor: "",
      symbol,
      price,
      force: true,
    });
    invariant(set.ok, "an index can be set");
    this.run();
  }

  order(user: User, side: Side, positionSide: PositionSide, quantity: string, price: string): void {
    this.#orders++;
    const placed = placeContractOrder(this, {
      type: "place-contract-order",
      uid: user.uid,
      symbol: this.market.symbol,
      side,
      positionSide,
      orderType: "LIMIT",
      timeInForce: "GTC",
      price,
      quantity,
      clientOrderId: `order-${this.#orders}`,
      tpTriggerPrice: null,
      slTriggerPrice: null,
      tpWorkingType: "CONTRACT_PRICE",
      slWorkingType: "CONTRACT_PRICE",
    });
    invariant(placed.ok, placed.ok ? "" : `${placed.reason} ${placed.detail}`);
    this.run();
  }

  /** Opens a LONG and a SHORT against each other, without orders and fees. */
  pair(
    holders: readonly [long: User, short: User],
    marginType: MarginType,
    price: number,
    quantity: number,
    leverage: number,
    market = this.market,
  ): readonly [Position, Position] {
    const { state } = this;
    const positions = openPair(state, {
      market,
      holders,
      marginType,
      priceTicks: Math.floor(price * 10 + 0.5),
      lots: Math.floor(quantity * 1000 + 0.5),
      leverage,
      positionId: state.nextOrderId,
    });
    state.nextOrderId += 2;
    for (const position of positions) {
      position.cumOpenLots = BigInt(position.sizeLots);
      position.cumOpenValueMinor = position.openValueMinor;
    }
    return positions;
  }

  /** As if the position had been opened at another price; the world outside pays the difference. */
  reopen(position: Position, openValueMinor: bigint): void {
    const { side, owner } = position;
    const deltaMinor = openValueMinor - position.openValueMinor;
    position.openValueMinor = openValueMinor;
    owner.market.openValueMinor[side] += deltaMinor;
    const clearing = this.houseAccount("pnl-clearing");
    const external = this.houseAccount("external");
    const isOwed = side === 0 ? deltaMinor > 0n : deltaMinor < 0n;
    const amountMinor = deltaMinor < 0n ? -deltaMinor : deltaMinor;
    if (isOwed) this.ledger.move(clearing, external, amountMinor);
    else this.ledger.move(external, clearing, amountMinor);
    this.state.contract.risk.positionChanged(position);
  }

  /** What follows from a command, in slices of so many steps. Returns how many slices it took. */
  run(steps = STEPS): number {
    const { state } = this;
    let slices = 0;
    do {
      this.stepsLeft = steps;
      runRisk(this);
      slices++;
      invariant(slices < 10_000, "a cascade comes to an end");
    } while (state.contract.unfinishedRisk);
    const violations: string[] = [];
    state.timestampMs = this.nowMs;
    checkContracts(state, violations);
    invariant(violations.length === 0, violations.join("; "));
    return slices;
  }

  /** Trades since the last look, as kind, quantity and price. */
  trades(): string[] {
    return this.emitted("contract-trade").map(({ kind, priceTicks, quantityLots }) => {
      return `${kind} ${quantityLots / 1000} @ ${priceTicks / 10}`;
    });
  }
}
