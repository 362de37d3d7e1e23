/**
 * Who registered with whose code, and what each of them brought, in USDT, as running sums over
 * time: a range is then the difference of two rows.
 */
import type { EventOf } from "../../protocol/index.ts";
import type { Row, RowSink } from "../../store/index.ts";
import { isInBook } from "../contract-rows.ts";
import type { Instruments } from "../instruments.ts";
import type { AffiliateReaders } from "./affiliate-readers.ts";
import { RowCache } from "./row-cache.ts";
import { type UsdtPrices, valueE8Of, valueText } from "./usdt-prices.ts";

type Sum = Exclude<keyof Row<"referral_activity">, "uid" | "time_ms">;

/** Above this the cache is cleared and read again as needed. */
const INVITERS_KEPT_MAX = 100_000;
/** The inviter of a user who registered without a code. */
const NOBODY = 0;

export class ReferralActivity {
  readonly #rows: RowSink;
  readonly #instruments: Instruments;
  readonly #prices: UsdtPrices;
  readonly #readers: AffiliateReaders;
  readonly #sums: RowCache<Row<"referral_activity">>;
  readonly #inviters = new Map<number, number>();

  constructor(
    rows: RowSink,
    instruments: Instruments,
    prices: UsdtPrices,
    readers: AffiliateReaders,
  ) {
    this.#rows = rows;
    this.#instruments = instruments;
    this.#prices = prices;
    this.#readers = readers;
    this.#sums = new RowCache((row) => rows.upsert("referral_activity", row));
  }

  addUser(event: EventOf<"user-registered">, timestampMs: number): void {
    const { uid, inviterUid, kyc } = event;
    this.#inviters.set(uid, inviterUid ?? NOBODY);
    if (inviterUid === null) return;
    this.#rows.insert("referrals", {
      inviter_uid: inviterUid,
      ordinal: this.#readers.lastReferralOrdinal(inviterUid) + 1,
      uid,
      registered_ms: timestampMs,
      kyc: kyc ? 1 : 0,
    });
  }

  updateUser({ uid, kyc }: EventOf<"user-updated">): void {
    const row = this.#readers.referral(uid);
    if (row === undefined) return;
    this.#rows.upsert("referrals", { ...row, kyc: kyc ? 1 : 0 });
  }

  /** A self-match does not count. */
  addSpotTrade(event: EventOf<"spot-trade">, timestampMs: number): void {
    const { makerUid, takerUid, quoteMinor, symbol } = event;
    if (makerUid === takerUid) return;
    const { quoteAsset } = this.#instruments.spotMarket(symbol);
    const add = (uid: number) => this.#add(uid, "spot_volume", quoteAsset, quoteMinor, timestampMs);
    add(makerUid);
    add(takerUid);
  }

  addContractTrade(event: EventOf<"contract-trade">, timestampMs: number): void {
    const { maker, taker, asset, valueMinor } = event;
    if (maker.uid === taker.uid || !isInBook(event)) return;
    this.#add(maker.uid, "contract_volume", asset, valueMinor, timestampMs);
    this.#add(taker.uid, "contract_volume", asset, valueMinor, timestampMs);
  }

  /** Transfers between a user's own wallets do not count. */
  addFunds(event: EventOf<"funds-moved">, timestampMs: number): void {
    const { uid, asset, amountMinor, from, to } = event;
    if (from === null) this.#add(uid, "deposits", asset, amountMinor, timestampMs);
    else if (to === null) this.#add(uid, "withdrawals", asset, amountMinor, timestampMs);
  }

  /** A commission, or with a negative amount a reversal, of the trader's own inviter. */
  addCommission(
    { traderUid, affiliateUid, asset }: EventOf<"commission-accrued" | "commission-reversed">,
    amountMinor: bigint,
    timestampMs: number,
  ): void {
    if (this.#inviterOf(traderUid) !== affiliateUid) return;
    this.#add(traderUid, "commission", asset, amountMinor, timestampMs);
  }

  flush(): void {
    this.#sums.flush();
  }

  #add(uid: number, sum: Sum, asset: string, minor: bigint, timestampMs: number): void {
    if (this.#inviterOf(uid) === NOBODY) return;
    const valueE8 =
      minor < 0n ? -this.#prices.valueE8(asset, -minor) : this.#prices.valueE8(asset, minor);
    if (valueE8 === 0n) return;
    const key = String(uid);
    const last = this.#sums.get(key, () => this.#readers.lastActivity(uid)) ?? emptyActivity(uid);
    const row = {
      ...last,
      time_ms: timestampMs,
      [sum]: valueText(valueE8Of(last[sum]) + valueE8),
    };
    if (last.time_ms === timestampMs) this.#sums.set(key, row);
    else this.#sums.follow(key, row);
  }

  #inviterOf(uid: number): number {
    const kept = this.#inviters.get(uid);
    if (kept !== undefined) return kept;
    if (this.#inviters.size > INVITERS_KEPT_MAX) this.#inviters.clear();
    const inviterUid = this.#readers.referral(uid)?.inviter_uid ?? NOBODY;
    this.#inviters.set(uid, inviterUid);
    return inviterUid;
  }
}

function emptyActivity(uid: number): Row<"referral_activity"> {
  return {
    uid,
    time_ms: 0,
    deposits: "0",
    withdrawals: "0",
    spot_volume: "0",
    contract_volume: "0",
    commission: "0",
  };
}
