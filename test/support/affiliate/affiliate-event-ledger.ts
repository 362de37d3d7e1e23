/**
 * Rebuilds the money of the programme from the event stream alone, as a report must: per side of a
 * fill, per affiliate and asset, and over everything. It knows no rules of who earns what, only
 * that no money comes from nowhere: rows follow from fee and rate, commissions, residue and what is
 * retained are the fees, a settlement pays what accrued and was not paid yet.
 */
import type { Event, EventOf } from "../../../src/protocol/index.ts";
import type { FillSide } from "../../support/affiliate/naive-market-facts.ts";
import { least } from "../exact.ts";

const RATE_ONE = 100_000_000n;

type Accrued = EventOf<"commission-accrued">;

/** Of one affiliate in one asset, in minor units. */
interface Account {
  waiting: bigint;
  held: bigint;
  owed: bigint;
  accrued: bigint;
  settled: bigint;
  takenBack: bigint;
}

interface Totals {
  fees: bigint;
  commissions: bigint;
  residue: bigint;
  /** What came back to the fees: reversals and debts that settlements kept. */
  returned: bigint;
  /** What left affiliate-payable. */
  left: bigint;
  /** What funding rounded away; commissions share that account with it. */
  fundingRounding: bigint;
}

/** The side of a fill whose rows are being told. */
interface OpenSide {
  readonly side: FillSide;
  rateE8: bigint;
  gross: bigint;
  residue: bigint;
}

export class AffiliateEventLedger {
  readonly #totals = new Map<string, Totals>();
  readonly #accounts = new Map<string, Account>();
  readonly #held = new Map<number, Accrued>();
  readonly #marginAssets = new Map<string, string>();
  #sides: OpenSide[] = [];

  /** Takes an event, of a trade with its sides; the answer names what does not add up after it. */
  take(event: Event, sides: readonly FillSide[]): string | null {
    switch (event.type) {
      case "contract-market-set":
        this.#marginAssets.set(event.symbol, event.marginAsset);
        return null;
      case "funding-settled":
        this.#total(this.#marginAssets.get(event.symbol) ?? "").fundingRounding +=
          event.roundingMinor;
        return null;
      case "spot-trade":
      case "contract-trade":
        return this.#takeTrade(event, sides);
      case "commission-accrued":
        return this.#takeCommission(event);
      case "commission-rounded":
        return this.#takeResidue(event);
      case "commission-released":
        return this.#takeRelease(event);
      case "commission-reversed":
        return this.#takeReversal(event);
      case "commissions-settled":
        return this.#takeSettlement(event);
      default:
        return null;
    }
  }

  /** The house accounts as the stream has them. */
  house(asset: string): Readonly<Record<"fees" | "affiliate-payable" | "rounding", bigint>> {
    const { fees, commissions, residue, returned, left, fundingRounding } = this.#total(asset);
    return {
      fees: fees - commissions - residue + returned,
      "affiliate-payable": commissions - left,
      rounding: residue + fundingRounding,
    };
  }

  /** Names the first affiliate to whom not every unit that accrued went somewhere. */
  imbalance(): string | null {
    for (const [key, { waiting, held, accrued, settled, takenBack }] of this.#accounts) {
      if (accrued !== settled + takenBack + waiting + held) return `${key} does not add up`;
    }
    return null;
  }

  #total(asset: string): Totals {
    let total = this.#totals.get(asset);
    if (total === undefined) {
      const nothing = { fees: 0n, commissions: 0n, residue: 0n };
      total = { ...nothing, returned: 0n, left: 0n, fundingRounding: 0n };
      this.#totals.set(asset, total);
    }
    return total;
  }

  #account(affiliateUid: number, asset: string): Account {
    const key = `${affiliateUid} ${asset}`;
    let account = this.#accounts.get(key);
    if (account === undefined) {
      const nothing = { waiting: 0n, held: 0n, owed: 0n };
      account = { ...nothing, accrued: 0n, settled: 0n, takenBack: 0n };
      this.#accounts.set(key, account);
    }
    return account;
  }

  #takeTrade(event: Event, sides: readonly FillSide[]): string | null {
    const fault = this.closeTrade();
    this.#sides = sides.map((side) => ({ side, rateE8: 0n, gross: 0n, residue: 0n }));
    if (event.type === "contract-trade") {
      this.#total(event.asset).fees += event.maker.feeMinor + event.taker.feeMinor;
    } else {
      for (const { asset, feeMinor } of sides) this.#total(asset).fees += feeMinor;
    }
    return fault;
  }

  /** The trade's rows are complete: what rounding left of each side's share was told. */
  closeTrade(): string | null {
    for (const { side, rateE8, gross, residue } of this.#sides) {
      if (gross + residue === (side.feeMinor * rateE8) / RATE_ONE) continue;
      return `of trade ${side.tradeId}, ${side.traderUid}: ${gross} and ${residue} of its fee`;
    }
    this.#sides = [];
    return null;
  }

  #takeCommission(event: Accrued): string | null {
    const { commissionId, feeMinor, rateE8, commissionMinor, cappedMinor, asset } = event;
    const open = this.#sides.find(
      ({ side }) => side.isMaker === event.isMaker && side.tradeId === event.tradeId,
    );
    const { side } = open ?? {};
    if (open === undefined || side?.traderUid !== event.traderUid || side.asset !== asset) {
      return `commission ${commissionId} belongs to no side of the trade before it`;
    }
    const gross = (feeMinor * BigInt(rateE8)) / RATE_ONE;
    if (feeMinor !== side.feeMinor || gross !== commissionMinor + cappedMinor) {
      return `commission ${commissionId} is not its rate of the fee`;
    }
    open.gross += gross;
    open.rateE8 += BigInt(rateE8);
    const most = event.product === "spot" ? 50_000_000n : 80_000_000n;
    if (open.rateE8 > most) return `commission ${commissionId} is above the highest rate`;
    if (open.gross > feeMinor) return `commission ${commissionId} is more than is left of the fee`;
    const account = this.#account(event.affiliateUid, asset);
    account.accrued += commissionMinor;
    this.#total(asset).commissions += commissionMinor;
    if (event.isHeld) {
      account.held += commissionMinor;
      this.#held.set(commissionId, event);
    } else {
      account.waiting += commissionMinor;
    }
    return null;
  }

  #takeResidue(event: EventOf<"commission-rounded">): string | null {
    const { tradeId, traderUid, asset, residueMinor } = event;
    const open = this.#sides.find(
      ({ side }) => side.tradeId === tradeId && side.traderUid === traderUid,
    );
    if (open?.side.asset !== asset) return `trade ${tradeId} leaves a residue of no side`;
    open.residue += residueMinor;
    this.#total(asset).residue += residueMinor;
    return null;
  }

  #takeRelease(event: EventOf<"commission-released">): string | null {
    const { commissionId, affiliateUid, asset, amountMinor } = event;
    const held = this.#held.get(commissionId);
    if (held?.affiliateUid !== affiliateUid || held.commissionMinor !== amountMinor) {
      return `commission ${commissionId} was not held`;
    }
    this.#held.delete(commissionId);
    const account = this.#account(affiliateUid, asset);
    account.held -= amountMinor;
    account.waiting += amountMinor;
    return null;
  }

  #takeReversal(event: EventOf<"commission-reversed">): string | null {
    const { commissionId, affiliateUid, asset, amountMinor, fromPayableMinor } = event;
    const { fromSpotMinor, owedMinor } = event;
    const account = this.#account(affiliateUid, asset);
    if (fromPayableMinor + fromSpotMinor + owedMinor !== amountMinor) {
      return `of commission ${commissionId} another amount was taken back`;
    }
    if (this.#held.delete(commissionId)) account.held -= fromPayableMinor;
    else account.waiting -= fromPayableMinor;
    account.owed += owedMinor;
    account.takenBack += fromPayableMinor;
    const total = this.#total(asset);
    total.returned += fromPayableMinor + fromSpotMinor;
    total.left += fromPayableMinor;
    const { waiting, held } = account;
    return waiting < 0n || held < 0n ? `commission ${commissionId} had been paid already` : null;
  }

  #takeSettlement(event: EventOf<"commissions-settled">): string | null {
    const { settlementId, affiliateUid, asset, accruedMinor, recoveredMinor, paidMinor } = event;
    const account = this.#account(affiliateUid, asset);
    if (accruedMinor !== account.waiting || accruedMinor !== recoveredMinor + paidMinor) {
      return `settlement ${settlementId} is not what waits for ${affiliateUid}`;
    }
    const due = least(account.owed, accruedMinor);
    if (recoveredMinor !== due) return `settlement ${settlementId} keeps another debt`;
    account.owed -= recoveredMinor;
    account.waiting = 0n;
    account.settled += accruedMinor;
    const total = this.#total(asset);
    total.returned += recoveredMinor;
    total.left += accruedMinor;
    return null;
  }
}
