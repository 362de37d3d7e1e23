/**
 * One entry of an affiliate's statement: its fields, their order, and the line of text that is
 * hashed. The hash of an entry covers the hash before it, so the last hash stands for the whole
 * chain.
 */
import { COMMISSION_FLAGS, type CommissionFlag, type Product } from "../domain/index.ts";

export const STATEMENT_ENTRY_KINDS = ["commission", "release", "reversal", "settlement"] as const;
export type StatementEntryKind = (typeof STATEMENT_ENTRY_KINDS)[number];

/**
 * Amounts are decimal text in the entry's asset and never negative. Fields of other kinds of entry
 * are 0, "0", "" or false.
 */
export interface StatementEntry {
  /** From 1, without gaps, over the affiliate's whole history. */
  readonly ordinal: number;
  readonly timeMs: number;
  readonly kind: StatementEntryKind;
  /** Of the commission, reversal or settlement; a release has none. */
  readonly id: number;
  /** The commission that a release or a reversal is about. */
  readonly aboutId: number;
  /** Of a commission and a reversal, as the next two. */
  readonly product: Product | "";
  readonly symbol: string;
  readonly traderUid: number;
  /** Of a commission, as all up to `capped`. */
  readonly role: "maker" | "taker" | "";
  readonly tradeId: number;
  /** The affiliate below through whom it came; 0 for a direct client. */
  readonly viaUid: number;
  readonly asset: string;
  /** Of the fill, in the quote asset. */
  readonly notional: string;
  readonly fee: string;
  /** As applied; fee × rate, rounded down to the asset's unit, is `capped` + `amount`. */
  readonly rate: string;
  readonly rateVersion: number;
  /** Of the affiliate whose rate was subtracted; 0 for a direct client. */
  readonly viaRateVersion: number;
  readonly capped: string;
  /** Earned by a commission, released, reversed, or accrued before a settlement. */
  readonly amount: string;
  readonly flags: readonly CommissionFlag[];
  /** The commission awaits an operator's decision; a reversal: its commission did. */
  readonly isHeld: boolean;
  /** Of a reversal: their sum is `amount`. */
  readonly fromPayable: string;
  readonly fromSpot: string;
  readonly newlyOwed: string;
  /** Of a settlement: their sum is `amount`. */
  readonly recovered: string;
  readonly paid: string;
  /** After this entry, in its asset: awaiting settlement, held, and owed. */
  readonly payableAfter: string;
  readonly heldAfter: string;
  readonly owedAfter: string;
  /** SHA-256, hex, over the hash before and the line of this entry. */
  readonly hash: string;
}

/** An entry that is not chained yet. */
export type StatementFacts = Omit<StatementEntry, "hash">;

type FieldKind = "count" | "amount" | "text" | "flags" | "flag";

/** Every field in the order of its column. */
const FIELDS: readonly (readonly [name: keyof StatementFacts, kind: FieldKind])[] = [
  ["ordinal", "count"],
  ["timeMs", "count"],
  ["kind", "text"],
  ["id", "count"],
  ["aboutId", "count"],
  ["product", "text"],
  ["symbol", "text"],
  ["traderUid", "count"],
  ["role", "text"],
  ["tradeId", "count"],
  ["viaUid", "count"],
  ["asset", "text"],
  ["notional", "amount"],
  ["fee", "amount"],
  ["rate", "amount"],
  ["rateVersion", "count"],
  ["viaRateVersion", "count"],
  ["capped", "amount"],
  ["amount", "amount"],
  ["flags", "flags"],
  ["isHeld", "flag"],
  ["fromPayable", "amount"],
  ["fromSpot", "amount"],
  ["newlyOwed", "amount"],
  ["recovered", "amount"],
  ["paid", "amount"],
  ["payableAfter", "amount"],
  ["heldAfter", "amount"],
  ["owedAfter", "amount"],
];

/** The columns of the CSV form; the fields of an entry of the JSON form. */
export const STATEMENT_COLUMNS: readonly (keyof StatementEntry)[] = [
  ...FIELDS.map(([name]) => name),
  "hash",
];

const COUNT = /^(0|[1-9]\d{0,15})$/;
const AMOUNT = /^(0|[1-9]\d*)(\.\d*[1-9])?$/;
const WORD = /^[A-Za-z0-9-]*$/;
const HASH = /^[0-9a-f]{64}$/;
const FLAG_SEPARATOR = "+";

/** The genesis hash, which an affiliate's first entry follows, is SHA-256 of this. */
export function genesisText(affiliateUid: number): string {
  return `rialto affiliate statement v1\n${affiliateUid}\n`;
}

/** SHA-256 of this is the hash of an entry. */
export function linkText(previousHash: string, line: string): string {
  return `${previousHash}\n${line}`;
}

/** The canonical text of an entry: its fields except the hash, separated by commas. */
export function entryLine(entry: StatementFacts): string {
  return FIELDS.map(([name, kind]) =>
    kind === "flags" ? entry.flags.join(FLAG_SEPARATOR) : String(entry[name]),
  ).join(",");
}

/** The inverse of `entryLine`; null when the text is no such line. */
export function parseEntryLine(line: string, hash: string): StatementEntry | null {
  const texts = line.split(",");
  if (texts.length !== FIELDS.length) return null;
  const entry: Record<string, unknown> = {};
  for (let i = 0; i < FIELDS.length; i++) {
    const [name, kind] = FIELDS[i] as (typeof FIELDS)[number];
    const value = parseField(texts[i] as string, kind);
    if (value === null) return null;
    entry[name] = value;
  }
  entry.hash = hash;
  return isEntry(entry) ? entry : null;
}

function parseField(text: string, kind: FieldKind): unknown {
  switch (kind) {
    case "count":
      return COUNT.test(text) ? Number(text) : null;
    case "flag":
      return text === "true" ? true : text === "false" ? false : null;
    case "flags":
      return text === "" ? [] : text.split(FLAG_SEPARATOR);
    default:
      return text;
  }
}

/** Whether an unknown value has exactly the fields of an entry, each of its form. */
export function isEntry(value: unknown): value is StatementEntry {
  if (typeof value !== "object" || value === null) return false;
  const entry = value as Readonly<Record<string, unknown>>;
  if (Object.keys(entry).length !== STATEMENT_COLUMNS.length) return false;
  if (!FIELDS.every(([name, kind]) => isField(entry[name], kind))) return false;
  const { kind, product, role, hash } = entry as unknown as StatementEntry;
  return (
    STATEMENT_ENTRY_KINDS.includes(kind) &&
    ["spot", "contract", ""].includes(product) &&
    ["maker", "taker", ""].includes(role) &&
    isHash(hash)
  );
}

function isField(value: unknown, kind: FieldKind): boolean {
  switch (kind) {
    case "count":
      return isCount(value);
    case "amount":
      return isAmount(value);
    case "text":
      return typeof value === "string" && WORD.test(value);
    case "flag":
      return typeof value === "boolean";
    case "flags":
      return Array.isArray(value) && value.every((flag) => COMMISSION_FLAGS.includes(flag));
  }
}

export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

export function isAmount(value: unknown): value is string {
  return typeof value === "string" && AMOUNT.test(value);
}

export function isHash(value: unknown): value is string {
  return typeof value === "string" && HASH.test(value);
}
