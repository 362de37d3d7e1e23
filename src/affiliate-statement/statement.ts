/**
 * A statement: whole UTC days of an affiliate's chain, with what there was before them and what
 * they add up to. It says the same in two forms, JSON and CSV.
 */
import type { StatementEntry } from "./statement-entry.ts";

export const STATEMENT_TITLE = "rialto affiliate statement v1";
/** A longer stretch comes in several parts, each a statement that can be checked alone. */
export const STATEMENT_PART_ENTRIES_MAX = 50_000;

export const STATEMENT_FORMATS = ["json", "csv"] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** Hex of the SHA-256 of the text's UTF-8. */
export type Sha256 = (text: string) => string;

/** Decimal text, never negative. */
export interface StatementBalance {
  readonly asset: string;
  /** Amounts of the asset are whole numbers of 10^-scale. */
  readonly scale: number;
  /** What waits for settlement. */
  readonly payable: string;
  readonly held: string;
  /** Kept back from settlements to come. */
  readonly owed: string;
}

/** What stands before the entries. */
export interface StatementCover {
  readonly affiliateUid: number;
  /** YYYY-MM-DD, both inclusive. */
  readonly from: string;
  readonly to: string;
  /** False while the last day is not over. */
  readonly complete: boolean;
  readonly part: number;
  readonly parts: number;
  /** Of the last entry before this part; 0 and the genesis hash when there is none. */
  readonly openingOrdinal: number;
  readonly openingHash: string;
  /** One for every coin of the entries, by name; what there was before the first of them. */
  readonly opening: readonly StatementBalance[];
}

/** The entries of one coin added up, and what there is behind them. Decimal text. */
export interface StatementTotal {
  readonly asset: string;
  readonly entries: number;
  readonly earned: string;
  readonly capped: string;
  readonly released: string;
  readonly reversed: string;
  readonly fromPayable: string;
  readonly fromSpot: string;
  readonly newlyOwed: string;
  readonly accrued: string;
  readonly recovered: string;
  readonly paid: string;
  readonly payable: string;
  readonly held: string;
  readonly owed: string;
}

/** What stands behind the entries. */
export interface StatementClosing {
  readonly closingOrdinal: number;
  readonly closingHash: string;
  /** In the order of `opening`. */
  readonly totals: readonly StatementTotal[];
  /** SHA-256 over the lines before and behind the entries; the chain covers the entries. */
  readonly digest: string;
}

export interface Statement extends StatementCover, StatementClosing {
  readonly entries: readonly StatementEntry[];
}

export const BALANCE_FIELDS: readonly (keyof StatementBalance)[] = [
  "asset",
  "scale",
  "payable",
  "held",
  "owed",
];

export const TOTAL_FIELDS: readonly (keyof StatementTotal)[] = [
  "asset",
  "entries",
  "earned",
  "capped",
  "released",
  "reversed",
  "fromPayable",
  "fromSpot",
  "newlyOwed",
  "accrued",
  "recovered",
  "paid",
  "payable",
  "held",
  "owed",
];
