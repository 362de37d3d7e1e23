/**
 * A statement: whole UTC days of an affiliate's chain, with opening balances and totals. Its two
 * forms, JSON and CSV, hold the same facts.
 */
import type { StatementEntry } from "./statement-entry.ts";

export const STATEMENT_TITLE = "rialto affiliate statement v1";
/** Longer ranges come in several parts, each a statement that can be verified alone. */
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
  /** Awaits settlement. */
  readonly payable: string;
  readonly held: string;
  /** Deducted from coming settlements. */
  readonly owed: string;
}

/** The part before the entries. */
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
  /** One for every coin of the entries, by name: its balances before the first entry. */
  readonly opening: readonly StatementBalance[];
}

/** Sums and closing balances of one coin. Decimal text. */
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

/** The part after the entries. */
export interface StatementClosing {
  readonly closingOrdinal: number;
  readonly closingHash: string;
  /** In the order of `opening`. */
  readonly totals: readonly StatementTotal[];
  /** SHA-256 over the lines before and after the entries; the chain covers the entries. */
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
