/**
 * What each sub-affiliate brought on a UTC day, in USDT at the fill. A commission counts as paid
 * from the settlement of its coin on; until then its value is summed by day, so that a settlement
 * adds up a few days and not all commissions.
 */
import { utcDay } from "../../affiliate-statement/index.ts";
import type { Product } from "../../domain/index.ts";
import type { Row, RowSink } from "../../store/index.ts";
import type { AffiliateReaders } from "./affiliate-readers.ts";
import { RowCache } from "./row-cache.ts";
import { valueE8Of, valueText } from "./usdt-prices.ts";

/** A sub-affiliate's day in a product. */
export interface SubDay {
  readonly parentUid: number;
  readonly subUid: number;
  readonly product: Product;
  /** The time of the fill, any time of the day. */
  readonly timeMs: number;
}

/** What the next settlement of the coin will add to a day. */
interface Unsettled extends SubDay {
  readonly asset: string;
  valueE8: bigint;
}

export class SubAffiliateDays {
  readonly #rows: RowSink;
  readonly #readers: AffiliateReaders;
  readonly #days: RowCache<Row<"sub_affiliate_days">>;
  readonly #totals: RowCache<Row<"sub_affiliate_day_totals">>;
  /** By affiliate and coin, then by product and day. */
  readonly #unsettled = new Map<string, Map<string, Unsettled>>();
  readonly #dirty = new Set<Unsettled>();

  constructor(
    rows: RowSink,
    readers: AffiliateReaders,
    unsettled: readonly Row<"unsettled_days">[],
    parentOf: (uid: number) => number,
  ) {
    this.#rows = rows;
    this.#readers = readers;
    this.#days = new RowCache((row) => rows.upsert("sub_affiliate_days", row));
    this.#totals = new RowCache((row) => rows.upsert("sub_affiliate_day_totals", row));
    for (const row of unsettled) {
      const subUid = row.affiliate_uid;
      const timeMs = Date.parse(row.day);
      const day = { parentUid: parentOf(subUid), subUid, product: row.product, timeMs };
      this.#unsettledOf(day, row.asset).valueE8 = valueE8Of(row.usdt_value);
    }
  }

  /** A side of a fill that the sub-affiliate earns on. */
  addFill(subDay: SubDay, volumeE8: bigint, netFeeE8: bigint): void {
    const row = this.#day(subDay);
    this.#days.set(keyOf(row), {
      ...row,
      volume: valueText(valueE8Of(row.volume) + volumeE8),
      net_fee: valueText(valueE8Of(row.net_fee) + netFeeE8),
    });
  }

  /** A commission begins to await settlement or, with a negative value, no longer does. */
  addUnsettled(subDay: SubDay, asset: string, valueE8: bigint): void {
    if (valueE8 === 0n) return;
    const unsettled = this.#unsettledOf(subDay, asset);
    unsettled.valueE8 += valueE8;
    this.#dirty.add(unsettled);
  }

  /** A commission is settled or, with a negative value, a settled one is reversed. */
  addPaid(subDay: SubDay, valueE8: bigint): void {
    const row = this.#day(subDay);
    const paid_commission = valueText(valueE8Of(row.paid_commission) + valueE8);
    this.#days.set(keyOf(row), { ...row, paid_commission });
  }

  settle(subUid: number, asset: string): void {
    for (const unsettled of this.#unsettled.get(`${subUid}|${asset}`)?.values() ?? []) {
      if (unsettled.valueE8 === 0n) continue;
      this.addPaid(unsettled, unsettled.valueE8);
      unsettled.valueE8 = 0n;
      this.#dirty.add(unsettled);
    }
  }

  flush(): void {
    this.#days.flush();
    this.#totals.flush();
    for (const { subUid, asset, product, timeMs, valueE8 } of this.#dirty) {
      const day = utcDay(timeMs);
      const key = { affiliate_uid: subUid, asset, product, day };
      if (valueE8 === 0n) {
        this.#rows.remove("unsettled_days", key);
        this.#unsettled.get(`${subUid}|${asset}`)?.delete(`${product}|${day}`);
      } else {
        const row = { ...key, usdt_value: valueText(valueE8) };
        this.#rows.upsert("unsettled_days", row);
      }
    }
    this.#dirty.clear();
  }

  #unsettledOf(subDay: SubDay, asset: string): Unsettled {
    const { subUid, product, timeMs } = subDay;
    const day = utcDay(timeMs);
    const coinKey = `${subUid}|${asset}`;
    let ofCoin = this.#unsettled.get(coinKey);
    if (ofCoin === undefined) {
      ofCoin = new Map();
      this.#unsettled.set(coinKey, ofCoin);
    }
    let unsettled = ofCoin.get(`${product}|${day}`);
    if (unsettled === undefined) {
      unsettled = { ...subDay, asset, valueE8: 0n };
      ofCoin.set(`${product}|${day}`, unsettled);
    }
    return unsettled;
  }

  #day({ parentUid, subUid, product, timeMs }: SubDay): Row<"sub_affiliate_days"> {
    const day = utcDay(timeMs);
    const key = { parent_uid: parentUid, product, day, sub_uid: subUid };
    const row = this.#days.get(keyOf(key), () =>
      this.#readers.subAffiliateDay(parentUid, product, day, subUid),
    );
    if (row !== undefined) return row;
    this.#count(parentUid, product, day);
    const last = this.#readers.lastDayOrdinal(parentUid, product, subUid);
    const first = { volume: "0", net_fee: "0", paid_commission: "0" };
    const made = { ...key, sub_ordinal: last + 1, ...first };
    // Written at once: the ordinal of this sub-affiliate's next day is read from it.
    this.#rows.insert("sub_affiliate_days", made);
    return made;
  }

  /** A day that is new is the newest: rows are made at the time of a fill. */
  #count(parent_uid: number, product: Product, day: string): void {
    const key = `${parent_uid}|${product}`;
    const last = this.#totals.get(key, () => undefined);
    const before = last?.rows_until ?? this.#readers.lastDayTotal(parent_uid, product);
    const next = { parent_uid, product, day, rows_until: before + 1 };
    if (last?.day === day) this.#totals.set(key, next);
    else this.#totals.follow(key, next);
  }
}

function keyOf(row: Pick<Row<"sub_affiliate_days">, "parent_uid" | "product" | "day" | "sub_uid">) {
  return `${row.parent_uid}|${row.product}|${row.day}|${row.sub_uid}`;
}
