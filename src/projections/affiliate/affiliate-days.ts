/**
 * What each affiliate earned on a UTC day, by product and coin: a chart of months reads a row per
 * day and not every commission.
 */
import { utcDay } from "../../affiliate-statement/index.ts";
import type { EventOf } from "../../protocol/index.ts";
import { addDecimals, negateDecimal, type Row, type RowSink } from "../../store/index.ts";
import type { Instruments } from "../instruments.ts";
import type { AffiliateReaders } from "./affiliate-readers.ts";
import { RowCache } from "./row-cache.ts";
import { valueE8Of, valueText } from "./usdt-prices.ts";

type Counted = Pick<
  EventOf<"commission-accrued" | "commission-reversed">,
  "affiliateUid" | "product" | "asset"
>;

export class AffiliateDays {
  readonly #instruments: Instruments;
  readonly #readers: AffiliateReaders;
  readonly #days: RowCache<Row<"affiliate_days">>;

  constructor(rows: RowSink, instruments: Instruments, readers: AffiliateReaders) {
    this.#instruments = instruments;
    this.#readers = readers;
    this.#days = new RowCache((row) => rows.upsert("affiliate_days", row));
  }

  addCommission(
    event: EventOf<"commission-accrued">,
    timestampMs: number,
    valueE8: bigint,
    volumeE8: bigint,
  ): void {
    const day = this.#day(event, timestampMs);
    this.#set({
      ...day,
      commissions: day.commissions + 1,
      amount: addDecimals(day.amount, this.#amountText(event.asset, event.commissionMinor)),
      usdt_value: valueText(valueE8Of(day.usdt_value) + valueE8),
      volume: valueText(valueE8Of(day.volume) + volumeE8),
    });
  }

  /** `valueE8`: the value of the commission when it accrued. */
  addReversal(event: EventOf<"commission-reversed">, timestampMs: number, valueE8: bigint): void {
    const day = this.#day(event, timestampMs);
    const taken = negateDecimal(this.#amountText(event.asset, event.amountMinor));
    this.#set({
      ...day,
      amount: addDecimals(day.amount, taken),
      usdt_value: valueText(valueE8Of(day.usdt_value) - valueE8),
    });
  }

  flush(): void {
    this.#days.flush();
  }

  #amountText(asset: string, minor: bigint): string {
    return this.#instruments.amountText(asset, minor);
  }

  #day({ affiliateUid, product, asset }: Counted, timestampMs: number): Row<"affiliate_days"> {
    const day = utcDay(timestampMs);
    const key = { affiliate_uid: affiliateUid, day, product, asset };
    const read = () => this.#readers.affiliateDay(affiliateUid, day, product, asset);
    const none = { commissions: 0, amount: "0", usdt_value: "0", volume: "0" };
    return this.#days.get(keyOf(key), read) ?? { ...key, ...none };
  }

  #set(row: Row<"affiliate_days">): void {
    this.#days.set(keyOf(row), row);
  }
}

function keyOf(row: Pick<Row<"affiliate_days">, "affiliate_uid" | "day" | "product" | "asset">) {
  return `${row.affiliate_uid}|${row.day}|${row.product}|${row.asset}`;
}
