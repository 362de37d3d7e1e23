/**
 * Finds what has to be liquidated without looking at everything. Each isolated position and each
 * cross account stands under a band of marks inside which it is certainly not due; a mark that
 * leaves a band makes its owner a suspect, and a suspect is checked exactly. A move of a mark costs
 * O(log n) and the suspects. Bands decide when to look and never what is found, so they are no part
 * of a snapshot.
 *
 * - An isolated position has one bound: the exact mark at which it is due, in its present tier.
 * - The isolated positions of one side of a symbol share their tier: the group has two bounds, the
 *   marks at which the tier ends. Only when the rate changes are its positions looked at again.
 * - A cross account has a share of its surplus for each of its markets: within the shares of all
 *   markets together the surplus is not used up, and a part of it is left for funding that is paid.
 *   Its tiers end at bounds as well.
 *
 * Whoever only receives need not be told of: the band is nearer than it has to be, and is made anew
 * when a mark leaves it.
 */
import { unreachable } from "../../../domain/index.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { NONE } from "../../matching/slot.ts";
import {
  crossEquityMinor,
  crossNotionalMinor,
  crossOwners,
  crossRateE8,
  isolatedGroupMinor,
  isolatedRateE8,
} from "../formulas/account-equity.ts";
import { isIsolatedDue, ONE_E8, tierIndex } from "../formulas/valuation.ts";
import {
  type ContractMarket,
  LONG,
  type MarginAccount,
  Position,
  type PositionSideIndex,
  type SymbolAccount,
} from "../state/contract-market.ts";
import { PriceHeap } from "./price-heap.ts";
import { dueTicks, NO_BAND, shareBand, tierBand } from "./risk-bands.ts";
import { Suspects } from "./suspects.ts";

/** What a look at the index depends on besides positions, wallets and marks. */
export interface RiskLook {
  readonly ledger: Ledger;
  /** See `ContractState.liquidityRevision`: what is held since the same revision is not due. */
  readonly liquidityRevision: number;
  /** Whether the market trades and its mark is fresh: else its liquidations wait. */
  mayLiquidate(market: ContractMarket): boolean;
}

/** Of a cross account's surplus, the part that is kept out of its bands. */
const SPARE_DIVISOR = 16n;

interface PositionWatch {
  readonly kind: "position";
  readonly slot: number;
  readonly market: ContractMarket;
  readonly position: Position;
}

interface GroupWatch {
  readonly kind: "group";
  readonly slot: number;
  readonly market: ContractMarket;
  readonly owner: SymbolAccount;
  readonly side: PositionSideIndex;
  /** Maintenance rate that the bounds of its positions were made with; null before the first. */
  rateE8: bigint | null;
  isSuspect: boolean;
}

/** What an account has in one market. */
interface ShareWatch {
  readonly kind: "share";
  readonly slot: number;
  readonly market: ContractMarket;
  readonly account: MarginAccount;
}

interface AccountWatch {
  readonly kind: "account";
  readonly slot: number;
  readonly account: MarginAccount;
  readonly shares: Map<ContractMarket, ShareWatch>;
  /** What the account may pay until its bands are wrong, scaled by 10^8. */
  spareE8: bigint;
}

type Watch = PositionWatch | GroupWatch | ShareWatch | AccountWatch;
type BandedWatch = Exclude<Watch, AccountWatch>;

interface MarketBands {
  readonly low: PriceHeap;
  readonly high: PriceHeap;
  /** Due, but the market does not trade or its mark is stale. */
  readonly parked: Set<Position | MarginAccount>;
}

export class RiskIndex {
  readonly #watches: (Watch | undefined)[] = [];
  readonly #freeSlots: number[] = [];
  readonly #markets = new Map<ContractMarket, MarketBands>();
  readonly #suspectGroups = new Suspects<GroupWatch>();
  readonly #suspectPositions = new Suspects<Position>();
  readonly #suspectAccounts = new Suspects<MarginAccount>();
  /** By position id. */
  readonly #duePositions = new PriceHeap("lowest-first");
  /** By uid, one heap per margin asset. */
  readonly #dueAccounts: PriceHeap[] = [];
  readonly #held = new Set<Position | MarginAccount>();
  /** False only when nothing is parked in any market: there may be hundreds. */
  #mayBeParked = false;
  #heldAtRevision = 0;

  /** How many positions, groups, accounts and their markets are watched. */
  get size(): number {
    return this.#watches.length - this.#freeSlots.length;
  }

  /** It was opened, or its size, open value, margin or holding changed. */
  positionChanged(position: Position): void {
    const { marginType, owner, side } = position;
    if (marginType === "CROSSED") {
      this.accountChanged(owner.account);
      return;
    }
    if (position.riskSlot === NONE) {
      const slot = this.#takeSlot();
      position.riskSlot = slot;
      this.#watches[slot] = { kind: "position", slot, market: owner.market, position };
    }
    this.#suspectPositions.add(position);
    this.#suspectGroups.add(this.#groupOf(owner, side));
  }

  /**
   * The position paid out of its margin, or out of the wallet when cross, and nothing else changed.
   * A funding slot lets half of all positions pay, so this is done at once where it can be: a bound
   * is moved, an account pays out of what its bands leave over.
   */
  paid(position: Position, amountMinor: bigint): void {
    const { marginType, owner, side, riskSlot } = position;
    if (marginType === "CROSSED") {
      this.#accountPaid(owner.account, amountMinor);
      return;
    }
    // A rate that is not the group's any more brings all its positions back for another look.
    const { rateE8 } = this.#groupOf(owner, side);
    const bound = rateE8 === null ? null : dueTicks(position, rateE8);
    const { ticks } = owner.market.mark;
    if (bound === null || (side === LONG ? ticks <= bound : ticks >= bound)) {
      this.#suspectPositions.add(position);
    } else {
      this.#bandPosition(this.#watches[riskSlot] as PositionWatch, bound);
    }
  }

  #accountPaid(account: MarginAccount, amountMinor: bigint): void {
    if (account.crossSlot === NONE) {
      this.accountChanged(account);
      return;
    }
    const watch = this.#watches[account.crossSlot] as AccountWatch;
    watch.spareE8 -= amountMinor * ONE_E8;
    if (watch.spareE8 < 0n) this.#suspectAccounts.add(account);
  }

  positionClosed(position: Position): void {
    const { marginType, owner, side } = position;
    if (marginType === "CROSSED") {
      this.accountChanged(owner.account);
      return;
    }
    if (position.riskSlot === NONE) return;
    this.#suspectPositions.delete(position);
    this.#held.delete(position);
    this.#bandsOf(owner.market).parked.delete(position);
    this.#duePositions.remove(position.riskSlot);
    this.#drop(this.#watches[position.riskSlot] as PositionWatch);
    position.riskSlot = NONE;
    this.#suspectGroups.add(this.#groupOf(owner, side));
  }

  /** Its wallet or its cross positions changed. */
  accountChanged(account: MarginAccount): void {
    if (account.crossPositions.length === 0 && account.crossSlot === NONE) return;
    this.#suspectAccounts.add(account);
  }

  /** Takes whatever the new mark finds outside its band for a suspect. */
  markChanged(market: ContractMarket): void {
    const { low, high } = this.#bandsOf(market);
    const { ticks } = market.mark;
    while (low.size > 0 && low.topTicks >= ticks) this.#suspect(low.top);
    while (high.size > 0 && high.topTicks <= ticks) this.#suspect(high.top);
  }

  /** The user's fee rates changed, and the maintenance rates with them. */
  ratesChanged(account: MarginAccount): void {
    for (const owner of account.symbols.values()) {
      for (const slot of owner.riskSlots) {
        const group = slot === NONE ? null : (this.#watches[slot] as GroupWatch);
        if (group !== null) this.#suspectGroups.add(group);
      }
    }
    this.accountChanged(account);
  }

  /** Tiers, fees or the tick of the market changed. */
  rulesChanged(market: ContractMarket): void {
    for (const position of market.positions) this.positionChanged(position);
  }

  /**
   * Whether `nextDue` would find nothing and change nothing: no suspect, nothing due, and nothing
   * that waits for a market or for liquidity.
   */
  isSettled(liquidityRevision: number): boolean {
    if (this.#hasSuspects || this.#duePositions.size > 0 || this.#firstDueAccounts() !== null) {
      return false;
    }
    if (this.#held.size > 0 && liquidityRevision !== this.#heldAtRevision) return false;
    if (!this.#mayBeParked) return true;
    for (const { parked } of this.#markets.values()) if (parked.size > 0) return false;
    this.#mayBeParked = false;
    return true;
  }

  /**
   * What has to be liquidated next: isolated positions by id, then cross accounts by uid and asset;
   * null when nothing is due that may be liquidated now.
   */
  nextDue(look: RiskLook): Position | MarginAccount | null {
    this.#release(look);
    if (this.#hasSuspects) {
      this.#suspectGroups.take((group) => this.#bandGroup(group));
      this.#suspectPositions.take((position) => this.#placePosition(position, look));
      this.#suspectAccounts.take((account) => this.#placeAccount(account, look));
    }
    return this.#nextPosition(look) ?? this.#nextAccount(look);
  }

  get #hasSuspects(): boolean {
    return this.#suspectGroups.any || this.#suspectPositions.any || this.#suspectAccounts.any;
  }

  /** Whatever waited for the market or for liquidity, and need not wait any more. */
  #release(look: RiskLook): void {
    if (this.#mayBeParked) this.#releaseParked(look);
    if (look.liquidityRevision === this.#heldAtRevision) return;
    this.#heldAtRevision = look.liquidityRevision;
    if (this.#held.size === 0) return;
    for (const entry of this.#held) this.#suspectAgain(entry);
    this.#held.clear();
  }

  #releaseParked(look: RiskLook): void {
    for (const [market, { parked }] of this.#markets) {
      if (parked.size === 0 || !look.mayLiquidate(market)) continue;
      for (const entry of parked) this.#suspectAgain(entry);
      parked.clear();
    }
  }

  #park(entry: Position | MarginAccount, market: ContractMarket): void {
    this.#bandsOf(market).parked.add(entry);
    this.#mayBeParked = true;
  }

  /** A due entry is checked again when its turn comes: prices may have moved since. */
  #nextPosition(look: RiskLook): Position | null {
    const due = this.#duePositions;
    for (let slot = due.top; slot !== NONE; slot = due.top) {
      const { position } = this.#watches[slot] as PositionWatch;
      this.#placePosition(position, look);
      if (due.top !== slot) continue;
      due.remove(slot);
      this.#suspectPositions.add(position);
      return position;
    }
    return null;
  }

  #nextAccount(look: RiskLook): MarginAccount | null {
    for (let due = this.#firstDueAccounts(); due !== null; due = this.#firstDueAccounts()) {
      const slot = due.top;
      const { account } = this.#watches[slot] as AccountWatch;
      this.#placeAccount(account, look);
      if (due.top !== slot) continue;
      due.remove(slot);
      this.#suspectAccounts.add(account);
      return account;
    }
    return null;
  }

  /** The heap whose first account has the lowest uid; of equal ones that of the lowest asset. */
  #firstDueAccounts(): PriceHeap | null {
    let first: PriceHeap | null = null;
    for (const due of this.#dueAccounts) {
      if (due.size > 0 && (first === null || due.topTicks < first.topTicks)) first = due;
    }
    return first;
  }

  /** Bounds of a group's tier; its positions are looked at when their rate is another one. */
  #bandGroup(group: GroupWatch): void {
    const { owner, side, market } = group;
    const positions = owner.positions[side];
    // A side that was empty may be held cross by now.
    if (positions.length === 0 || owner.marginType !== "ISOLATED") {
      if (this.#watches[group.slot] !== group) return;
      owner.riskSlots[side] = NONE;
      this.#drop(group);
      return;
    }
    const tier = tierIndex(market.rules, isolatedGroupMinor(owner, side));
    const { low, high } = tierBand(market.rules, tier, BigInt(owner.sideLots[side]));
    this.#band(group, low, high);
    const rateE8 = isolatedRateE8(owner, side);
    if (group.rateE8 === rateE8) return;
    group.rateE8 = rateE8;
    for (const position of positions) this.#suspectPositions.add(position);
  }

  /** Checks an isolated position, and puts it under its bound, or where due ones belong. */
  #placePosition(position: Position, look: RiskLook): void {
    const { owner, riskSlot } = position;
    const { market } = owner;
    const watch = this.#watches[riskSlot] as PositionWatch;
    const rateE8 = this.#groupOf(owner, position.side).rateE8 ?? ONE_E8;
    this.#held.delete(position);
    if (!isIsolatedDue(position, market.mark.ticks, rateE8)) {
      this.#duePositions.remove(riskSlot);
      this.#bandPosition(watch, dueTicks(position, rateE8));
      return;
    }
    this.#unband(watch);
    if (isHeld(position, look)) this.#held.add(position);
    else if (!look.mayLiquidate(market)) this.#park(position, market);
    else {
      this.#duePositions.set(riskSlot, position.positionId);
      return;
    }
    this.#duePositions.remove(riskSlot);
  }

  #bandPosition(watch: PositionWatch, bound: number): void {
    if (watch.position.side === LONG) this.#band(watch, bound, NO_BAND.high);
    else this.#band(watch, NO_BAND.low, bound);
  }

  /** The same for a cross account: all its bands are made together from its present surplus. */
  #placeAccount(account: MarginAccount, look: RiskLook): void {
    const owners = crossOwners(account);
    if (owners.length === 0) {
      this.#dropAccount(account);
      return;
    }
    const watch = this.#accountOf(account);
    this.#held.delete(account);
    const rates = owners.map((owner) => crossRateE8(owner));
    let surplusE8 = crossEquityMinor(look.ledger, account) * ONE_E8;
    for (const [i, owner] of owners.entries()) {
      surplusE8 -= crossNotionalMinor(owner) * (rates[i] as bigint);
    }
    for (const [market, share] of watch.shares) {
      if (owners.some((owner) => owner.market === market)) continue;
      watch.shares.delete(market);
      this.#drop(share);
    }
    watch.spareE8 = surplusE8 > 0n ? surplusE8 / SPARE_DIVISOR : 0n;
    const shareE8 = (surplusE8 - watch.spareE8 - 1n) / BigInt(owners.length);
    for (const [i, owner] of owners.entries()) {
      const { low, high } =
        surplusE8 > 0n ? shareBand(owner, rates[i] as bigint, shareE8) : NO_BAND;
      this.#band(this.#shareOf(watch, owner.market), low, high);
    }
    const due = this.#dueAccountsOf(account.assetIndex);
    due.remove(watch.slot);
    if (surplusE8 > 0n) return;
    const blocked = owners.find(({ market }) => !look.mayLiquidate(market));
    if (isHeld(account, look)) this.#held.add(account);
    else if (blocked !== undefined) this.#park(account, blocked.market);
    else due.set(watch.slot, account.user.uid);
  }

  #dropAccount(account: MarginAccount): void {
    this.#held.delete(account);
    if (account.crossSlot === NONE) return;
    const watch = this.#watches[account.crossSlot] as AccountWatch;
    for (const share of watch.shares.values()) this.#drop(share);
    this.#dueAccountsOf(account.assetIndex).remove(watch.slot);
    this.#freeSlot(watch.slot);
    account.crossSlot = NONE;
  }

  #suspect(slot: number): void {
    const watch = this.#watches[slot] as BandedWatch;
    this.#unband(watch);
    switch (watch.kind) {
      case "position":
        this.#suspectPositions.add(watch.position);
        return;
      case "group":
        this.#suspectGroups.add(watch);
        return;
      case "share":
        this.#suspectAccounts.add(watch.account);
        return;
      default:
        unreachable(watch);
    }
  }

  #suspectAgain(entry: Position | MarginAccount): void {
    if (entry instanceof Position) this.#suspectPositions.add(entry);
    else this.#suspectAccounts.add(entry);
  }

  #band({ slot, market }: BandedWatch, low: number, high: number): void {
    const bands = this.#bandsOf(market);
    if (low > 0) bands.low.set(slot, low);
    else bands.low.remove(slot);
    if (high < Number.MAX_SAFE_INTEGER) bands.high.set(slot, high);
    else bands.high.remove(slot);
  }

  #unband(watch: BandedWatch): void {
    this.#band(watch, NO_BAND.low, NO_BAND.high);
  }

  #drop(watch: BandedWatch): void {
    this.#unband(watch);
    this.#freeSlot(watch.slot);
  }

  #bandsOf(market: ContractMarket): MarketBands {
    let bands = this.#markets.get(market);
    if (bands === undefined) {
      bands = {
        low: new PriceHeap("highest-first"),
        high: new PriceHeap("lowest-first"),
        parked: new Set(),
      };
      this.#markets.set(market, bands);
    }
    return bands;
  }

  #groupOf(owner: SymbolAccount, side: PositionSideIndex): GroupWatch {
    const known = owner.riskSlots[side];
    if (known !== NONE) return this.#watches[known] as GroupWatch;
    const slot = this.#takeSlot();
    const terms = { kind: "group", slot, market: owner.market, owner, side } as const;
    const group: GroupWatch = { ...terms, rateE8: null, isSuspect: false };
    owner.riskSlots[side] = slot;
    this.#watches[slot] = group;
    return group;
  }

  #accountOf(account: MarginAccount): AccountWatch {
    if (account.crossSlot === NONE) {
      const slot = this.#takeSlot();
      account.crossSlot = slot;
      this.#watches[slot] = { kind: "account", slot, account, shares: new Map(), spareE8: 0n };
    }
    return this.#watches[account.crossSlot] as AccountWatch;
  }

  #shareOf({ account, shares }: AccountWatch, market: ContractMarket): ShareWatch {
    let share = shares.get(market);
    if (share === undefined) {
      share = { kind: "share", slot: this.#takeSlot(), market, account };
      shares.set(market, share);
      this.#watches[share.slot] = share;
    }
    return share;
  }

  #dueAccountsOf(assetIndex: number): PriceHeap {
    const heaps = this.#dueAccounts;
    while (heaps.length <= assetIndex) heaps.push(new PriceHeap("lowest-first"));
    return heaps[assetIndex] as PriceHeap;
  }

  #takeSlot(): number {
    return this.#freeSlots.pop() ?? this.#watches.length;
  }

  #freeSlot(slot: number): void {
    this.#watches[slot] = undefined;
    this.#freeSlots.push(slot);
  }
}

function isHeld(entry: Position | MarginAccount, look: RiskLook): boolean {
  return entry.heldAtRevision === look.liquidityRevision;
}
