/** The part of the projector that applies events of the affiliate programme. */
import { formatDecimal, RATE_SCALE } from "../../domain/index.ts";
import type { Event, EventOf } from "../../protocol/index.ts";
import { addDecimals, type HistoryDatabase, type Row, type RowSink } from "../../store/index.ts";
import type { Instruments } from "../instruments.ts";
import { AffiliateDays } from "./affiliate-days.ts";
import { type AffiliateReaders, affiliateReaders } from "./affiliate-readers.ts";
import { Commissions, notionalAsset } from "./commissions.ts";
import { ReferralActivity } from "./referral-activity.ts";
import { StatementChains } from "./statement-chains.ts";
import { SubAffiliateDays, type SubDay } from "./sub-affiliate-days.ts";
import { UsdtPrices, valueE8Of } from "./usdt-prices.ts";

/** The last ids that the engine issued. */
export interface AffiliateIds {
  readonly lastCommissionId: number;
  readonly lastSettlementId: number;
}

/** A change of a spot wallet that has no number and no time yet. */
export type FundsBill = Omit<Row<"funds_bills">, "bill_id" | "time_ms">;

export class AffiliateProjector {
  readonly #rows: RowSink;
  readonly #instruments: Instruments;
  readonly #readers: AffiliateReaders;
  readonly #prices: UsdtPrices;
  readonly #commissions: Commissions;
  readonly #chains: StatementChains;
  readonly #activity: ReferralActivity;
  readonly #days: AffiliateDays;
  readonly #subDays: SubAffiliateDays;
  readonly #affiliates: Map<number, Row<"affiliates">>;
  #lastCommissionId: number;
  #lastSettlementId: number;

  constructor(
    history: HistoryDatabase,
    rows: RowSink,
    instruments: Instruments,
    ids: AffiliateIds,
  ) {
    const readers = affiliateReaders(history);
    this.#rows = rows;
    this.#instruments = instruments;
    this.#readers = readers;
    this.#prices = new UsdtPrices(instruments, readers.usdtPrices());
    this.#commissions = new Commissions(rows, instruments, readers);
    this.#chains = new StatementChains(rows, instruments, readers);
    this.#activity = new ReferralActivity(rows, instruments, this.#prices, readers);
    this.#affiliates = new Map(readers.affiliates().map((row) => [row.uid, row]));
    const parentOf = (uid: number) => this.#affiliates.get(uid)?.parent_uid ?? 0;
    const unsettled = readers.unsettledDays();
    this.#days = new AffiliateDays(rows, instruments, readers);
    this.#subDays = new SubAffiliateDays(rows, readers, unsettled, parentOf);
    this.#lastCommissionId = ids.lastCommissionId;
    this.#lastSettlementId = ids.lastSettlementId;
  }

  get ids(): AffiliateIds {
    return { lastCommissionId: this.#lastCommissionId, lastSettlementId: this.#lastSettlementId };
  }

  /** Writes the sums that have changed; called before the transaction ends. */
  flush(): void {
    this.#prices.flush(this.#rows);
    this.#chains.flush();
    this.#activity.flush();
    this.#days.flush();
    this.#subDays.flush();
  }

  /** Ignores other events. Returns the bills for the spot wallets that changed. */
  project(event: Event, timestampMs: number): readonly FundsBill[] {
    switch (event.type) {
      case "spot-trade":
        this.#prices.record(this.#instruments.spotMarket(event.symbol), event.priceTicks);
        this.#activity.addSpotTrade(event, timestampMs);
        return [];
      case "contract-trade":
        this.#activity.addContractTrade(event, timestampMs);
        return [];
      case "funds-moved":
        this.#activity.addFunds(event, timestampMs);
        return [];
      case "user-registered":
        this.#activity.addUser(event, timestampMs);
        return [];
      case "user-updated":
        this.#activity.updateUser(event);
        return [];
      case "affiliate-set":
        this.#setAffiliate(event, timestampMs);
        return [];
      case "commission-accrued":
        this.#accrue(event, timestampMs);
        return [];
      case "commission-released":
        this.#release(event, timestampMs);
        return [];
      case "commission-reversed":
        this.#reverse(event, timestampMs);
        return event.fromSpotMinor === 0n ? [] : [this.#rewardBill(event, -event.fromSpotMinor)];
      case "commissions-settled":
        this.#settle(event, timestampMs);
        return event.paidMinor === 0n ? [] : [this.#rewardBill(event, event.paidMinor)];
      case "internal-withdrawal-made":
        return this.#withdraw(event, timestampMs);
      default:
        return [];
    }
  }

  #setAffiliate(event: EventOf<"affiliate-set">, timestampMs: number): void {
    const { uid, parentUid, rateVersion } = event;
    const present = this.#affiliates.get(uid);
    const since_commission = this.#lastCommissionId;
    if (present === undefined || present.parent_uid !== (parentUid ?? 0)) {
      const row = { uid, parent_uid: parentUid ?? 0, parent_since_commission: since_commission };
      this.#affiliates.set(uid, row);
      this.#rows.upsert("affiliates", row);
    }
    // When only the parent has changed, the rates have their version already.
    if (this.#readers.rates(uid, rateVersion) !== undefined) return;
    this.#rows.insert("affiliate_rates", {
      uid,
      version: rateVersion,
      spot_rate: rateText(event.spotRateE8),
      futures_rate: rateText(event.futuresRateE8),
      since_ms: timestampMs,
      since_commission,
    });
  }

  #accrue(event: EventOf<"commission-accrued">, timestampMs: number): void {
    const { commissionId, affiliateUid, product, asset, commissionMinor } = event;
    this.#lastCommissionId = commissionId;
    const valueE8 = this.#prices.valueE8(asset, commissionMinor);
    this.#commissions.add(event, timestampMs, valueE8, this.#lastSettlementId);
    this.#chains.addCommission(event, timestampMs);
    this.#activity.addCommission(event, commissionMinor, timestampMs);
    const volumeAsset = notionalAsset(event, this.#instruments);
    const volumeE8 = this.#prices.valueE8(volumeAsset, event.notionalMinor);
    this.#days.addCommission(event, timestampMs, valueE8, volumeE8);
    const subDay = this.#subDay(affiliateUid, product, timestampMs, commissionId);
    if (subDay === null) return;
    this.#subDays.addFill(subDay, volumeE8, this.#prices.valueE8(asset, event.feeMinor));
    if (!event.isHeld) this.#subDays.addUnsettled(subDay, asset, valueE8);
  }

  #release(event: EventOf<"commission-released">, timestampMs: number): void {
    const row = this.#commissions.release(event, timestampMs, this.#lastSettlementId);
    this.#chains.addRelease(event, timestampMs);
    const subDay = this.#subDayOf(row);
    if (subDay !== null) this.#subDays.addUnsettled(subDay, row.asset, valueE8Of(row.usdt_value));
  }

  #reverse(event: EventOf<"commission-reversed">, timestampMs: number): void {
    this.#lastCommissionId = event.reversalId;
    const row = this.#commissions.reverse(event, timestampMs, this.#lastSettlementId);
    const isHeld = row.held === 1;
    this.#chains.addReversal(event, isHeld, timestampMs);
    this.#activity.addCommission(event, -event.amountMinor, timestampMs);
    const valueE8 = valueE8Of(row.usdt_value);
    this.#days.addReversal(event, timestampMs, valueE8);
    const subDay = this.#subDayOf(row);
    if (subDay === null || isHeld) return;
    const settled = this.#readers.lastSettlement(row.affiliate_uid, row.asset);
    const settledId = settled?.settlement_id ?? 0;
    if (settledId > row.waits_since_settlement) this.#subDays.addPaid(subDay, -valueE8);
    else this.#subDays.addUnsettled(subDay, row.asset, -valueE8);
  }

  #settle(event: EventOf<"commissions-settled">, timestampMs: number): void {
    const { settlementId, affiliateUid, asset } = event;
    this.#lastSettlementId = settlementId;
    const paid = this.#instruments.amountText(asset, event.paidMinor);
    const before = this.#readers.lastSettlement(affiliateUid, asset);
    this.#rows.insert("affiliate_settlements", {
      affiliate_uid: affiliateUid,
      asset,
      settlement_id: settlementId,
      accrued: this.#instruments.amountText(asset, event.accruedMinor),
      recovered: this.#instruments.amountText(asset, event.recoveredMinor),
      paid,
      paid_until: addDecimals(before?.paid_until ?? "0", paid),
      time_ms: timestampMs,
    });
    this.#chains.addSettlement(event, timestampMs);
    this.#subDays.settle(affiliateUid, asset);
  }

  #withdraw(event: EventOf<"internal-withdrawal-made">, timestampMs: number): FundsBill[] {
    const { uid, toUid, asset, amountMinor } = event;
    const text = (minor: bigint) => this.#instruments.amountText(asset, minor);
    this.#rows.insert("internal_withdrawals", {
      uid,
      uid_ordinal: this.#readers.lastWithdrawal(uid) + 1,
      asset_ordinal: this.#readers.lastWithdrawalOfCoin(uid, asset) + 1,
      withdrawal_id: event.withdrawalId,
      to_uid: toUid,
      asset,
      amount: text(amountMinor),
      time_ms: timestampMs,
    });
    return [
      {
        uid,
        asset,
        bill_type: "transfer_out",
        delta: text(-amountMinor),
        after: text(event.spotEquityMinor),
      },
      {
        uid: toUid,
        asset,
        bill_type: "transfer_in",
        delta: text(amountMinor),
        after: text(event.toSpotEquityMinor),
      },
    ];
  }

  #rewardBill(
    event: EventOf<"commissions-settled" | "commission-reversed">,
    deltaMinor: bigint,
  ): FundsBill {
    const { affiliateUid, asset, spotEquityMinor } = event;
    return {
      uid: affiliateUid,
      asset,
      bill_type: "rr_agent_reward",
      delta: this.#instruments.amountText(asset, deltaMinor),
      after: this.#instruments.amountText(asset, spotEquityMinor),
    };
  }

  #subDayOf(row: Row<"commissions">): SubDay | null {
    return this.#subDay(row.affiliate_uid, row.product, row.time_ms, row.commission_id);
  }

  /** Null when the affiliate had no parent when the commission accrued. */
  #subDay(
    subUid: number,
    product: SubDay["product"],
    timeMs: number,
    commissionId: number,
  ): SubDay | null {
    const affiliate = this.#affiliates.get(subUid);
    if (affiliate === undefined || affiliate.parent_uid === 0) return null;
    if (commissionId <= affiliate.parent_since_commission) return null;
    return { parentUid: affiliate.parent_uid, subUid, product, timeMs };
  }
}

function rateText(rateE8: number): string {
  return formatDecimal(BigInt(rateE8), RATE_SCALE);
}
