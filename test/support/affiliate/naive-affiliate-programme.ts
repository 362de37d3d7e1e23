/**
 * The affiliate programme written from its rules alone, naive and obviously right: every
 * commission, every side of a fill and every movement of money is kept for ever, and whatever is
 * asked is added up by going through all of them. It shares no code with the engine.
 */
import type { CommissionFlag, RejectReason } from "../../../src/domain/index.ts";
import type { CommandOf, Event, EventOf } from "../../../src/protocol/index.ts";
import { type FillSide, NaiveMarketFacts } from "../../support/affiliate/naive-market-facts.ts";
import { least, text } from "../exact.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const WINDOW_DAYS = 30;
const RATE_ONE = 100_000_000n;

export interface NaiveAffiliate {
  readonly uid: number;
  spotRateE8: bigint;
  futuresRateE8: bigint;
  parentUid: number | null;
  rateVersion: number;
  ratesSinceMs: number;
}

export interface NaivePolicy {
  readonly capE8: bigint | null;
  readonly holdSelfReferral: boolean;
  readonly holdWashTrades: boolean;
  readonly washTradeShareE8: bigint;
}

/** A commission of one side of a fill. */
export interface NaiveRow {
  readonly event: EventOf<"commission-accrued">;
  readonly ms: number;
  readonly valueE8: bigint;
  isHeld: boolean;
  isReversed: boolean;
}

/** A side of a fill in the book, for the shares of related trading. */
interface TradedSide {
  readonly traderUid: number;
  readonly ms: number;
  readonly valueE8: bigint;
  readonly isRelated: boolean;
}

/** What changed for an affiliate in an asset. */
interface Movement {
  readonly ms: number;
  readonly affiliateUid: number;
  readonly asset: string;
  readonly payable: bigint;
  readonly held: bigint;
  readonly owed: bigint;
}

/** An affiliate of a chain with the rate that is applied to it. */
interface ChainLink {
  readonly affiliate: NaiveAffiliate;
  readonly appliedE8: bigint;
  readonly via: NaiveAffiliate | null;
  /** Whose rate was subtracted. */
  readonly subtracted: NaiveAffiliate | null;
}

export type NaiveOutcome =
  | { readonly ok: true; readonly value: unknown; readonly events: readonly Event[] }
  /** Any one of these reasons is right when several apply. */
  | { readonly ok: false; readonly reasons: ReadonlySet<RejectReason> };

/** Commissions that may wait for an operator at a time. */
export const HELD_MAX = 1_000_000;

export class NaiveAffiliateProgramme {
  readonly facts = new NaiveMarketFacts();
  readonly affiliates = new Map<number, NaiveAffiliate>();
  policy: NaivePolicy = {
    capE8: null,
    holdSelfReferral: false,
    holdWashTrades: false,
    washTradeShareE8: RATE_ONE / 2n,
  };
  /** By id; a reversal has an id and no row. */
  readonly rows = new Map<number, NaiveRow>();
  readonly reversals = new Set<number>();
  /** Pairs of users between whom money was paid, `<lower> <higher>`. */
  readonly links = new Set<string>();
  /** By asset: residues of rounding, and what spot wallets got by settlements less reversals. */
  readonly rounded = new Map<string, bigint>();
  readonly paid = new Map<string, bigint>();
  nextCommissionId = 1;
  nextSettlementId = 1;
  readonly #sides: TradedSide[] = [];
  readonly #movements: Movement[] = [];
  /** Where counting began: rows for the cap, sides for the share. */
  #capRowsFrom = 0;
  #shareSidesFrom = 0;
  /** Of the movements; when the last settlement was done, nothing was payable. */
  #settledUpTo = 0;
  readonly #heldMax: number;

  constructor(heldMax: number) {
    this.#heldMax = heldMax;
  }

  isAffiliate(uid: number | null): uid is number {
    return uid !== null && this.affiliates.has(uid);
  }

  /** Who earns on the fills of a trader first; null when nobody does. */
  directAffiliate(traderUid: number): number | null {
    const { inviterUid } = this.facts.user(traderUid);
    return this.isAffiliate(inviterUid) ? inviterUid : null;
  }

  /** From an affiliate upwards. */
  ancestry(uid: number): NaiveAffiliate[] {
    const chain: NaiveAffiliate[] = [];
    let next: number | null = uid;
    while (next !== null) {
      const affiliate: NaiveAffiliate = this.affiliate(next);
      chain.push(affiliate);
      next = affiliate.parentUid;
    }
    return chain;
  }

  affiliate(uid: number): NaiveAffiliate {
    const affiliate = this.affiliates.get(uid);
    if (affiliate === undefined) throw new Error(`${uid} is no affiliate`);
    return affiliate;
  }

  depth(uid: number): number {
    return this.ancestry(uid).length;
  }

  /** How many levels there are from an affiliate down to its lowest one. */
  height(uid: number): number {
    const children = [...this.affiliates.values()].filter(({ parentUid }) => parentUid === uid);
    return 1 + Math.max(0, ...children.map((child) => this.height(child.uid)));
  }

  setPolicy(policy: NaivePolicy): void {
    if (this.policy.capE8 === null) this.#capRowsFrom = this.nextCommissionId;
    if (!this.policy.holdWashTrades) this.#shareSidesFrom = this.#sides.length;
    this.policy = policy;
  }

  /** What a trade earns affiliates; the facts know the trade already. */
  accrue(trade: Event, nowMs: number): Event[] {
    const events: Event[] = [];
    for (const side of this.facts.sides(trade)) {
      if (side.traderUid === side.otherUid) continue;
      const isRelated = this.#isRelated(side);
      this.#sides.push({
        traderUid: side.traderUid,
        ms: nowMs,
        valueE8: this.facts.usdtE8(side.quoteAsset, side.notionalMinor),
        isRelated,
      });
      if (this.facts.user(side.traderUid).isHouse) continue;
      const directUid = this.directAffiliate(side.traderUid);
      if (directUid === null) continue;
      const isWashTrade = isRelated && this.#exceedsShare(side.traderUid, nowMs);
      events.push(...this.#accrueSide(side, directUid, isWashTrade, nowMs));
    }
    return events;
  }

  #isRelated({ traderUid, otherUid }: FillSide): boolean {
    const own = this.directAffiliate(traderUid);
    const others = this.directAffiliate(otherUid);
    return (own !== null && own === others) || own === otherUid || others === traderUid;
  }

  #exceedsShare(traderUid: number, nowMs: number): boolean {
    if (!this.policy.holdWashTrades) return false;
    let total = 0n;
    let related = 0n;
    for (const [i, side] of this.#sides.entries()) {
      if (i < this.#shareSidesFrom || side.traderUid !== traderUid) continue;
      if (!isInWindow(side.ms, nowMs)) continue;
      total += side.valueE8;
      if (side.isRelated) related += side.valueE8;
    }
    return related * RATE_ONE > total * this.policy.washTradeShareE8;
  }

  #accrueSide(side: FillSide, directUid: number, isWashTrade: boolean, nowMs: number): Event[] {
    const events: Event[] = [];
    let grossMinor = 0n;
    let appliedE8 = 0n;
    for (const link of this.#earning(directUid, side.product)) {
      const event = this.#commission(side, link, isWashTrade, nowMs);
      const { affiliateUid, asset, commissionMinor, cappedMinor, isHeld } = event;
      const valueE8 = this.facts.usdtE8(asset, commissionMinor);
      this.rows.set(event.commissionId, { event, ms: nowMs, valueE8, isHeld, isReversed: false });
      this.#move(nowMs, affiliateUid, asset, {
        payable: isHeld ? 0n : commissionMinor,
        held: isHeld ? commissionMinor : 0n,
      });
      grossMinor += commissionMinor + cappedMinor;
      appliedE8 += link.appliedE8;
      events.push(event);
    }
    const residueMinor = (side.feeMinor * appliedE8) / RATE_ONE - grossMinor;
    if (residueMinor > 0n) {
      const { tradeId, traderUid, asset } = side;
      add(this.rounded, asset, residueMinor);
      events.push({ type: "commission-rounded", tradeId, traderUid, asset, residueMinor });
    }
    return events;
  }

  /** The direct affiliate, and whoever above has a higher rate than all below. */
  #earning(directUid: number, product: "spot" | "contract"): ChainLink[] {
    const rate = (of: NaiveAffiliate) => (product === "spot" ? of.spotRateE8 : of.futuresRateE8);
    const chain = this.ancestry(directUid);
    return chain.flatMap((affiliate, i): ChainLink[] => {
      const below = chain.slice(0, i);
      if (i === 0) return [{ affiliate, appliedE8: rate(affiliate), via: null, subtracted: null }];
      const highest = below.reduce((one, other) => (rate(other) > rate(one) ? other : one));
      const appliedE8 = rate(affiliate) - rate(highest);
      const via = below.at(-1) ?? null;
      return appliedE8 > 0n ? [{ affiliate, appliedE8, via, subtracted: highest }] : [];
    });
  }

  #commission(
    side: FillSide,
    { affiliate, appliedE8, via, subtracted }: ChainLink,
    isWashTrade: boolean,
    nowMs: number,
  ): EventOf<"commission-accrued"> {
    const { traderUid, asset, feeMinor } = side;
    const grossMinor = (feeMinor * appliedE8) / RATE_ONE;
    const flags: CommissionFlag[] = [];
    if (this.policy.holdSelfReferral && this.#isSelfReferral(affiliate.uid, traderUid)) {
      flags.push("self-referral");
    }
    if (isWashTrade) flags.push("wash-trade");
    const isRefused = flags.length > 0 && this.#countHeld() >= this.#heldMax;
    const commissionMinor = isRefused
      ? 0n
      : this.#capped(affiliate.uid, traderUid, asset, grossMinor, nowMs);
    return {
      type: "commission-accrued",
      commissionId: this.nextCommissionId++,
      tradeId: side.tradeId,
      product: side.product,
      symbol: side.symbol,
      isMaker: side.isMaker,
      traderUid,
      affiliateUid: affiliate.uid,
      viaUid: via?.uid ?? null,
      asset,
      feeMinor,
      rateE8: Number(appliedE8),
      rateVersion: affiliate.rateVersion,
      viaRateVersion: subtracted?.rateVersion ?? null,
      notionalMinor: side.notionalMinor,
      cappedMinor: grossMinor - commissionMinor,
      commissionMinor,
      flags,
      isHeld: flags.length > 0 && !isRefused,
    };
  }

  #countHeld(): number {
    let count = 0;
    for (const { isHeld } of this.rows.values()) if (isHeld) count++;
    return count;
  }

  #isSelfReferral(affiliateUid: number, traderUid: number): boolean {
    return affiliateUid === traderUid || this.links.has(pairOf(affiliateUid, traderUid));
  }

  #capped(
    affiliateUid: number,
    traderUid: number,
    asset: string,
    grossMinor: bigint,
    nowMs: number,
  ): bigint {
    const { capE8 } = this.policy;
    if (capE8 === null || this.facts.usdtE8(asset, grossMinor) === 0n) return grossMinor;
    let usedE8 = 0n;
    for (const [commissionId, { event, ms, valueE8 }] of this.rows) {
      if (commissionId < this.#capRowsFrom || !isInWindow(ms, nowMs)) continue;
      if (event.affiliateUid !== affiliateUid || event.traderUid !== traderUid) continue;
      usedE8 += valueE8;
    }
    const leftE8 = usedE8 < capE8 ? capE8 - usedE8 : 0n;
    return least(grossMinor, this.facts.minorWorth(asset, leftE8));
  }

  link(one: number, other: number): void {
    this.links.add(pairOf(one, other));
  }

  #move(
    ms: number,
    affiliateUid: number,
    asset: string,
    change: { readonly payable?: bigint; readonly held?: bigint; readonly owed?: bigint },
  ): void {
    const { payable = 0n, held = 0n, owed = 0n } = change;
    if (payable === 0n && held === 0n && owed === 0n) return;
    this.#movements.push({ ms, affiliateUid, asset, payable, held, owed });
  }

  /** Everything that ever happened to an affiliate in an asset, added up. */
  balance(affiliateUid: number, asset: string): { payable: bigint; held: bigint; owed: bigint } {
    const balance = { payable: 0n, held: 0n, owed: 0n };
    for (const movement of this.#movements) {
      if (movement.affiliateUid !== affiliateUid || movement.asset !== asset) continue;
      balance.payable += movement.payable;
      balance.held += movement.held;
      balance.owed += movement.owed;
    }
    return balance;
  }

  /**
   * The full hour at which something is settled next; null when nothing is payable. The hour is the
   * first one after something became payable where nothing was.
   */
  get settlementDueMs(): number | null {
    let payable = 0n;
    let sinceMs = 0;
    for (const movement of this.#movements.slice(this.#settledUpTo)) {
      if (payable === 0n) sinceMs = movement.ms;
      payable += movement.payable;
    }
    return payable === 0n ? null : (Math.floor(sinceMs / HOUR_MS) + 1) * HOUR_MS;
  }

  /** Pays whoever has something payable, by uid, then by asset. */
  settle(nowMs: number): Event[] {
    const events: Event[] = [];
    for (const affiliateUid of [...this.affiliates.keys()].sort((one, other) => one - other)) {
      for (const asset of this.facts.assets.keys()) {
        const { payable, owed } = this.balance(affiliateUid, asset);
        if (payable === 0n) continue;
        const recoveredMinor = least(owed, payable);
        const paidMinor = payable - recoveredMinor;
        this.#move(nowMs, affiliateUid, asset, { payable: -payable, owed: -recoveredMinor });
        this.#pay(affiliateUid, asset, paidMinor);
        events.push({
          type: "commissions-settled",
          settlementId: this.nextSettlementId++,
          affiliateUid,
          asset,
          accruedMinor: payable,
          recoveredMinor,
          paidMinor,
          uptoCommissionId: this.nextCommissionId - 1,
          spotEquityMinor: this.facts.equity(affiliateUid, asset),
        });
      }
    }
    this.#settledUpTo = this.#movements.length;
    return events;
  }

  release(row: NaiveRow, nowMs: number): void {
    const { affiliateUid, asset, commissionMinor } = row.event;
    row.isHeld = false;
    this.#move(nowMs, affiliateUid, asset, { payable: commissionMinor, held: -commissionMinor });
  }

  /** Takes back what the command says; of a held commission its own amount. */
  reverse(command: CommandOf<"reverse-commission">, amountMinor: bigint, nowMs: number): Event {
    const { affiliateUid, asset, commissionId, traderUid, product, symbol } = command;
    const row = this.rows.get(commissionId) as NaiveRow;
    row.isReversed = true;
    const { payable } = this.balance(affiliateUid, asset);
    const fromPayableMinor = row.isHeld ? amountMinor : least(payable, amountMinor);
    const restMinor = amountMinor - fromPayableMinor;
    const fromSpotMinor = least(restMinor, this.facts.available(affiliateUid, asset));
    const owedMinor = restMinor - fromSpotMinor;
    this.#move(
      nowMs,
      affiliateUid,
      asset,
      row.isHeld ? { held: -amountMinor } : { payable: -fromPayableMinor, owed: owedMinor },
    );
    row.isHeld = false;
    this.#pay(affiliateUid, asset, -fromSpotMinor);
    const reversalId = this.nextCommissionId++;
    this.reversals.add(reversalId);
    return {
      ...{ type: "commission-reversed", actor: command.actor, reason: command.reason },
      ...{ reversalId, commissionId, affiliateUid, traderUid, product, symbol, asset },
      ...{ amountMinor, fromPayableMinor, fromSpotMinor, owedMinor },
      spotEquityMinor: this.facts.equity(affiliateUid, asset),
    };
  }

  #pay(affiliateUid: number, asset: string, deltaMinor: bigint): void {
    this.facts.credit(affiliateUid, asset, deltaMinor);
    add(this.paid, asset, deltaMinor);
  }

  amountText(asset: string, amountMinor: bigint): string {
    return text(amountMinor * this.facts.unit(asset));
  }
}

/** The present UTC day and the 29 before. */
function isInWindow(ms: number, nowMs: number): boolean {
  return Math.floor(nowMs / DAY_MS) - Math.floor(ms / DAY_MS) < WINDOW_DAYS;
}

function add(totals: Map<string, bigint>, asset: string, deltaMinor: bigint): void {
  totals.set(asset, (totals.get(asset) ?? 0n) + deltaMinor);
}

function pairOf(one: number, other: number): string {
  return `${Math.min(one, other)} ${Math.max(one, other)}`;
}
