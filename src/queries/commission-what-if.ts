/**
 * What the commissions of a range would have been at other rates. Every side of a fill
 * that earned a commission is calculated again, with the affiliate tree of that moment.
 */
import { formatDecimal, invariant, type Product, powerOfTen, RATE_SCALE } from "../domain/index.ts";
import { decimalUnits, type Row } from "../store/index.ts";
import type { HistoryQuestion, ProposedRates, WhatIfRow } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { ordinalsIn } from "./numbered-rows.ts";

const ROWS_PER_READ = 2_000;
/** More than there ever are of assets, affiliates and their rates. */
const LISTED_MAX = 10_000_000;
const NOBODY = 0;

export const commissionWhatIf: HistoryQuery<"commission-what-if"> = async (
  db,
  question,
  scheduler,
) => {
  const { first, last } = await idsIn(db, question);
  const tree = await PastTree.read(db, question.rates);
  const sums = new WhatIfSums(await scalesOf(db));
  let fills = 0;
  for (let after = first - 1; after < last; ) {
    const rows = await db
      .selectFrom("commissions")
      .selectAll()
      .where("commission_id", ">", after)
      .where("commission_id", "<=", last)
      .orderBy("commission_id")
      .limit(ROWS_PER_READ)
      .execute();
    for (const row of rows) {
      if (row.reversed_id !== 0) continue;
      sums.addActual(row);
      if (row.via_uid !== 0) continue;
      // The direct affiliate's commission is the first of its side, and there always is one.
      fills++;
      if (fills > question.fillsMax) return null;
      for (const { uid, rateE8 } of tree.appliedRates(row)) sums.addProposed(row, uid, rateE8);
    }
    after = rows.at(-1)?.commission_id ?? last;
    // Other queries run between two reads: this one may take a minute.
    await new Promise<void>((resolve) => {
      scheduler.soon(resolve);
    });
  }
  return { fills, rows: sums.rows() };
};

/** Commissions and reversals are numbered without gaps, in the order of their times. */
async function idsIn(db: Db, { time }: HistoryQuestion<"commission-what-if">) {
  const rows = db.selectFrom("commissions");
  const newest = await rows
    .select("commission_id")
    .where("commission_id", ">", 0)
    .orderBy("commission_id", "desc")
    .limit(1)
    .executeTakeFirst();
  const times = rows.select("time_ms").limit(1);
  const timeOf = async (id: number) =>
    (await times.where("commission_id", "=", id).executeTakeFirstOrThrow()).time_ms;
  return await ordinalsIn({ count: newest?.commission_id ?? 0, timeOf }, time);
}

async function scalesOf(db: Db): Promise<ReadonlyMap<string, number>> {
  const assets = db.selectFrom("assets").selectAll().where("asset", ">", "");
  const rows = await assets.orderBy("asset").limit(LISTED_MAX).execute();
  return new Map(rows.map(({ asset, scale }) => [asset, scale]));
}

/** The tree and the rates as they were, but for the rates that are proposed. */
class PastTree {
  readonly #affiliates: ReadonlyMap<number, Row<"affiliates">>;
  readonly #rates: ReadonlyMap<number, readonly Row<"affiliate_rates">[]>;
  readonly #proposed: ReadonlyMap<number, ProposedRates>;

  private constructor(
    affiliates: readonly Row<"affiliates">[],
    rates: readonly Row<"affiliate_rates">[],
    proposed: readonly ProposedRates[],
  ) {
    this.#affiliates = new Map(affiliates.map((affiliate) => [affiliate.uid, affiliate]));
    this.#rates = Map.groupBy(rates, ({ uid }) => uid);
    this.#proposed = new Map(proposed.map((one) => [one.uid, one]));
  }

  static async read(db: Db, proposed: readonly ProposedRates[]): Promise<PastTree> {
    const affiliates = db.selectFrom("affiliates").selectAll().where("uid", ">", 0);
    const rates = db.selectFrom("affiliate_rates").selectAll().where("uid", ">", 0);
    return new PastTree(
      await affiliates.orderBy("uid").limit(LISTED_MAX).execute(),
      await rates.orderBy("uid").orderBy("version").limit(LISTED_MAX).execute(),
      proposed,
    );
  }

  /** Who would have earned what share of the fee of a side, from the direct affiliate up. */
  appliedRates({ affiliate_uid, commission_id, product }: Row<"commissions">): AppliedRate[] {
    const applied: AppliedRate[] = [];
    let highestE8 = 0n;
    for (let uid = affiliate_uid; uid !== NOBODY; uid = this.#parent(uid, commission_id)) {
      const rateE8 = this.#rateE8(uid, product, commission_id);
      if (rateE8 <= highestE8) continue;
      applied.push({ uid, rateE8: rateE8 - highestE8 });
      highestE8 = rateE8;
    }
    return applied;
  }

  /** At the time of that commission. */
  #parent(uid: number, commissionId: number): number {
    const affiliate = this.#affiliates.get(uid);
    invariant(affiliate !== undefined, `affiliate ${uid} earned a commission`);
    return commissionId > affiliate.parent_since_commission ? affiliate.parent_uid : NOBODY;
  }

  #rateE8(uid: number, product: Product, commissionId: number): bigint {
    const proposed = this.#proposed.get(uid);
    if (proposed !== undefined) {
      const rate = product === "spot" ? proposed.spotRate : proposed.futuresRate;
      return decimalUnits(rate, RATE_SCALE);
    }
    const versions = this.#rates.get(uid);
    const inForce = versions?.findLast((version) => version.since_commission < commissionId);
    invariant(inForce !== undefined, `affiliate ${uid} had rates`);
    const rate = product === "spot" ? inForce.spot_rate : inForce.futures_rate;
    return decimalUnits(rate, RATE_SCALE);
  }
}

interface AppliedRate {
  readonly uid: number;
  readonly rateE8: bigint;
}

interface WhatIfSum {
  readonly affiliateUid: number;
  readonly product: Product;
  readonly asset: string;
  readonly scale: number;
  actual: bigint;
  proposed: bigint;
}

class WhatIfSums {
  readonly #scales: ReadonlyMap<string, number>;
  readonly #sums = new Map<string, WhatIfSum>();

  constructor(scales: ReadonlyMap<string, number>) {
    this.#scales = scales;
  }

  addActual({ affiliate_uid, product, asset, amount, capped }: Row<"commissions">): void {
    const sum = this.#sum(affiliate_uid, product, asset);
    sum.actual += decimalUnits(amount, sum.scale) + decimalUnits(capped, sum.scale);
  }

  addProposed({ product, asset, fee }: Row<"commissions">, uid: number, rateE8: bigint): void {
    const sum = this.#sum(uid, product, asset);
    sum.proposed += (decimalUnits(fee, sum.scale) * rateE8) / powerOfTen(RATE_SCALE);
  }

  /** By affiliate, product and coin. */
  rows(): WhatIfRow[] {
    const key = ({ affiliateUid, product, asset }: WhatIfSum) =>
      [String(affiliateUid).padStart(16, "0"), product, asset].join();
    return [...this.#sums.values()]
      .sort((one, other) => (key(one) < key(other) ? -1 : 1))
      .map(({ affiliateUid, product, asset, scale, actual, proposed }) => ({
        affiliateUid,
        product,
        asset,
        actual: formatDecimal(actual, scale),
        proposed: formatDecimal(proposed, scale),
      }));
  }

  #sum(affiliateUid: number, product: Product, asset: string): WhatIfSum {
    const key = `${affiliateUid}|${product}|${asset}`;
    const known = this.#sums.get(key);
    if (known !== undefined) return known;
    const scale = this.#scales.get(asset);
    invariant(scale !== undefined, `asset ${asset} has commissions but was never listed`);
    const sum = { affiliateUid, product, asset, scale, actual: 0n, proposed: 0n };
    this.#sums.set(key, sum);
    return sum;
  }
}
