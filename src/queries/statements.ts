/** An affiliate's chain of entries, oldest first, and where it stood at the end of each day. */
import { createHash } from "node:crypto";
import { genesisText, parseEntryLine } from "../affiliate-statement/index.ts";
import { invariant } from "../domain/index.ts";
import type { Row } from "../store/index.ts";
import type { StatementBalance, StatementEntry } from "./history-port.ts";
import type { Db, HistoryQuery } from "./history-query.ts";
import { NumberedRows, totalOf } from "./numbered-rows.ts";

/** More than are ever listed. */
const COINS_MAX = 100_000;

export const statementPart: HistoryQuery<"statement-part"> = async (
  db,
  { affiliateUid, time, offset, limit },
) => {
  const filter = { affiliate_uid: affiliateUid };
  const numbered = new NumberedRows(db, "affiliate_entries", filter, "ordinal");
  const range = await numbered.inTime(time);
  const opening = range.first - 1 + Math.min(offset, totalOf(range));
  const entries = await db
    .selectFrom("affiliate_entries")
    .select(["line", "hash"])
    .where("affiliate_uid", "=", affiliateUid)
    .where("ordinal", ">", opening)
    .where("ordinal", "<=", range.last)
    .orderBy("ordinal")
    .limit(limit)
    .execute();
  return {
    entries: entries.map(entryOf),
    openingOrdinal: opening,
    openingHash: await hashAt(db, affiliateUid, opening),
    openingBalances: await balancesAt(db, affiliateUid, opening, Math.max(opening, range.last)),
    total: totalOf(range),
  };
};

function entryOf({ line, hash }: Pick<Row<"affiliate_entries">, "line" | "hash">): StatementEntry {
  const entry = parseEntryLine(line, hash);
  invariant(entry !== null, `the stored entry ${line} is readable`);
  return entry;
}

async function hashAt(db: Db, affiliateUid: number, ordinal: number): Promise<string> {
  if (ordinal === 0) return createHash("sha256").update(genesisText(affiliateUid)).digest("hex");
  const entry = await db
    .selectFrom("affiliate_entries")
    .select("hash")
    .where("affiliate_uid", "=", affiliateUid)
    .where("ordinal", "=", ordinal)
    .limit(1)
    .executeTakeFirstOrThrow();
  return entry.hash;
}

/** Behind the entry `opening`, of all coins that there are up to the entry `last`. */
async function balancesAt(
  db: Db,
  affiliateUid: number,
  opening: number,
  last: number,
): Promise<StatementBalance[]> {
  const coins = await db
    .selectFrom("affiliate_coins")
    .select("asset")
    .where("affiliate_uid", "=", affiliateUid)
    .where("first_ordinal", "<=", last)
    .limit(COINS_MAX)
    .execute();
  const balances: StatementBalance[] = [];
  for (const asset of coins.map((coin) => coin.asset).sort()) {
    const { scale } = await db
      .selectFrom("assets")
      .select("scale")
      .where("asset", "=", asset)
      .limit(1)
      .executeTakeFirstOrThrow();
    const row = await db
      .selectFrom("affiliate_entries")
      .select(["line", "hash"])
      .where("affiliate_uid", "=", affiliateUid)
      .where("asset", "=", asset)
      .where("ordinal", "<=", opening)
      .orderBy("ordinal", "desc")
      .limit(1)
      .executeTakeFirst();
    const entry = row === undefined ? null : entryOf(row);
    balances.push({
      asset,
      scale,
      payable: entry?.payableAfter ?? "0",
      held: entry?.heldAfter ?? "0",
      owed: entry?.owedAfter ?? "0",
    });
  }
  return balances;
}

export const statementHeads: HistoryQuery<"statement-heads"> = async (
  db,
  { affiliateUid, fromDay, limit },
) => {
  return await db
    .selectFrom("affiliate_day_heads")
    .select(["affiliate_uid as affiliateUid", "day", "ordinal", "hash"])
    .where("affiliate_uid", "=", affiliateUid)
    .where("day", ">=", fromDay)
    .orderBy("day")
    .limit(limit)
    .execute();
};
