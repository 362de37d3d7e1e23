/** What the affiliate projections read back, through statements that Kysely compiled once. */
import type { SQLInputValue } from "node:sqlite";
import type { Product } from "../../domain/index.ts";
import type { HistoryDatabase, Row } from "../../store/index.ts";

type Key = readonly SQLInputValue[];

/** Reads the first row of a query that is compiled once. */
type Reader = (...key: Key) => Record<string, unknown> | undefined;

export class AffiliateReaders {
  readonly #history: HistoryDatabase;
  readonly #ordinals: readonly Reader[];
  readonly #commission: Reader;
  readonly #lastEntry: Reader;
  readonly #lastEntryOfCoin: Reader;
  readonly #lastSettlement: Reader;
  readonly #affiliateDay: Reader;
  readonly #rates: Reader;
  readonly #lastReferral: Reader;
  readonly #referral: Reader;
  readonly #lastActivity: Reader;
  readonly #day: Reader;
  readonly #lastDayOfSub: Reader;
  readonly #lastDayTotal: Reader;
  readonly #lastWithdrawal: Reader;
  readonly #lastWithdrawalOfCoin: Reader;

  constructor(history: HistoryDatabase) {
    this.#history = history;
    const { db } = history;
    const key = { affiliate_uid: 0, product: "spot" as Product };
    const rows = db.selectFrom("commissions").where((is) => is.and(key));
    const ofTrader = rows.where("trader_uid", "=", 0);
    this.#ordinals = [
      this.#last(rows.select("ordinal as last"), "ordinal"),
      this.#last(ofTrader.select("trader_ordinal as last"), "trader_ordinal"),
      this.#last(rows.where("asset", "=", "").select("asset_ordinal as last"), "asset_ordinal"),
      this.#last(ofTrader.where("asset", "=", "").select("both_ordinal as last"), "both_ordinal"),
    ];
    this.#commission = this.#first(
      db.selectFrom("commissions").selectAll().where("commission_id", "=", 0),
    );
    const entries = db.selectFrom("affiliate_entries").selectAll().where("affiliate_uid", "=", 0);
    this.#lastEntry = this.#last(entries, "ordinal");
    this.#lastEntryOfCoin = this.#last(entries.where("asset", "=", ""), "ordinal");
    const settlements = db.selectFrom("affiliate_settlements").where("affiliate_uid", "=", 0);
    const ofAsset = settlements.where("asset", "=", "").selectAll();
    this.#lastSettlement = this.#last(ofAsset, "settlement_id");
    const days = db.selectFrom("affiliate_days").selectAll().where("affiliate_uid", "=", 0);
    this.#affiliateDay = this.#first(
      days.where("day", "=", "").where("product", "=", "spot").where("asset", "=", ""),
    );
    const rates = db.selectFrom("affiliate_rates").select("version").where("uid", "=", 0);
    this.#rates = this.#first(rates.where("version", "=", 0));
    const referrals = db.selectFrom("referrals");
    const ofInviter = referrals.where("inviter_uid", "=", 0).select("ordinal as last");
    this.#lastReferral = this.#last(ofInviter, "ordinal");
    this.#referral = this.#first(referrals.selectAll().where("uid", "=", 0));
    const activity = db.selectFrom("referral_activity").selectAll().where("uid", "=", 0);
    this.#lastActivity = this.#last(activity, "time_ms");
    const ofParent = db.selectFrom("sub_affiliate_days").where("parent_uid", "=", 0);
    const subDays = ofParent.where("product", "=", "spot");
    this.#day = this.#first(subDays.selectAll().where("day", "=", "").where("sub_uid", "=", 0));
    const ofSub = subDays.where("sub_uid", "=", 0).select("sub_ordinal as last");
    this.#lastDayOfSub = this.#last(ofSub, "sub_ordinal");
    const totals = db.selectFrom("sub_affiliate_day_totals").where("parent_uid", "=", 0);
    const ofProduct = totals.where("product", "=", "spot").select("rows_until as last");
    this.#lastDayTotal = this.#last(ofProduct, "rows_until");
    const sent = db.selectFrom("internal_withdrawals").where("uid", "=", 0);
    this.#lastWithdrawal = this.#last(sent.select("uid_ordinal as last"), "uid_ordinal");
    const ofCoin = sent.where("asset", "=", "").select("asset_ordinal as last");
    this.#lastWithdrawalOfCoin = this.#last(ofCoin, "asset_ordinal");
  }

  /** The last ordinals of an affiliate's rows: all, of a trader, of a coin, of both. */
  lastOrdinal(kind: 0 | 1 | 2 | 3, key: Key): number {
    return lastOf(this.#ordinals[kind]?.(...key));
  }

  commission(commissionId: number): Row<"commissions"> | undefined {
    return this.#commission(commissionId) as Row<"commissions"> | undefined;
  }

  lastEntry(affiliateUid: number): Row<"affiliate_entries"> | undefined {
    return this.#lastEntry(affiliateUid) as Row<"affiliate_entries"> | undefined;
  }

  lastEntryOfCoin(affiliateUid: number, asset: string): Row<"affiliate_entries"> | undefined {
    return this.#lastEntryOfCoin(affiliateUid, asset) as Row<"affiliate_entries"> | undefined;
  }

  lastSettlement(affiliateUid: number, asset: string): Row<"affiliate_settlements"> | undefined {
    return this.#lastSettlement(affiliateUid, asset) as Row<"affiliate_settlements"> | undefined;
  }

  affiliateDay(
    affiliateUid: number,
    day: string,
    product: Product,
    asset: string,
  ): Row<"affiliate_days"> | undefined {
    return this.#affiliateDay(affiliateUid, day, product, asset) as
      | Row<"affiliate_days">
      | undefined;
  }

  hasRates(uid: number, version: number): boolean {
    return this.#rates(uid, version) !== undefined;
  }

  lastReferralOrdinal(inviterUid: number): number {
    return lastOf(this.#lastReferral(inviterUid));
  }

  referral(uid: number): Row<"referrals"> | undefined {
    return this.#referral(uid) as Row<"referrals"> | undefined;
  }

  lastActivity(uid: number): Row<"referral_activity"> | undefined {
    return this.#lastActivity(uid) as Row<"referral_activity"> | undefined;
  }

  subAffiliateDay(
    parentUid: number,
    product: Product,
    day: string,
    subUid: number,
  ): Row<"sub_affiliate_days"> | undefined {
    return this.#day(parentUid, product, day, subUid) as Row<"sub_affiliate_days"> | undefined;
  }

  lastDayOrdinal(parentUid: number, product: Product, subUid: number): number {
    return lastOf(this.#lastDayOfSub(parentUid, product, subUid));
  }

  lastDayTotal(parentUid: number, product: Product): number {
    return lastOf(this.#lastDayTotal(parentUid, product));
  }

  lastWithdrawalOrdinals(uid: number, asset: string): readonly [ofUser: number, ofCoin: number] {
    return [lastOf(this.#lastWithdrawal(uid)), lastOf(this.#lastWithdrawalOfCoin(uid, asset))];
  }

  /** Every row of one of the small tables. */
  all<Name extends "affiliates" | "unsettled_days" | "usdt_prices">(
    table: Name,
  ): readonly Row<Name>[] {
    const { db, connection } = this.#history;
    const { sql } = db
      .selectFrom(table as "usdt_prices")
      .selectAll()
      .compile();
    return connection.prepare(sql).all() as unknown as Row<Name>[];
  }

  #first(query: Compilable): Reader {
    const statement = this.#history.connection.prepare(query.limit(1).compile().sql);
    return (...key) => statement.get(...key, 1);
  }

  #last(query: Compilable, column: string): Reader {
    return this.#first(query.orderBy(column, "desc"));
  }
}

/** What Kysely's select queries have in common. */
interface Compilable {
  limit(count: number): { compile(): { readonly sql: string } };
  orderBy(column: string, direction: "desc"): Compilable;
}

function lastOf(row: Record<string, unknown> | undefined): number {
  return row === undefined ? 0 : Number(row.last);
}
