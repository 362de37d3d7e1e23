/**
 * Writes a statement piece by piece, in either form, so that a long one is never held whole: the
 * part before the entries, the entries, the part after them. The same facts give the same bytes.
 */
import { invariant } from "../domain/index.ts";
import { CoinTally, entryUnits } from "./coin-tally.ts";
import {
  BALANCE_FIELDS,
  type Sha256,
  STATEMENT_TITLE,
  type Statement,
  type StatementClosing,
  type StatementCover,
  type StatementFormat,
  TOTAL_FIELDS,
} from "./statement.ts";
import { entryLine, STATEMENT_COLUMNS, type StatementEntry } from "./statement-entry.ts";

/** The whole text of a statement, unverified. */
export function statementText(statement: Statement, format: StatementFormat): string {
  if (format === "json") {
    const entries = entriesJson(statement.entries, true);
    return coverJson(statement) + entries + closingJson(statement, entries === "");
  }
  return coverCsv(statement) + entriesCsv(statement.entries) + closingCsv(statement);
}

/** The text that `digest` hashes. */
export function frameText(
  cover: StatementCover,
  closing: Omit<StatementClosing, "digest">,
): string {
  return [...coverLines(cover), ...closingLines(closing)].join("\n");
}

export class StatementWriter {
  readonly #cover: StatementCover;
  readonly #format: StatementFormat;
  readonly #tallies: ReadonlyMap<string, CoinTally>;
  #closingOrdinal: number;
  #closingHash: string;

  constructor(cover: StatementCover, format: StatementFormat) {
    this.#cover = cover;
    this.#format = format;
    this.#tallies = new Map(cover.opening.map((coin) => [coin.asset, new CoinTally(coin)]));
    this.#closingOrdinal = cover.openingOrdinal;
    this.#closingHash = cover.openingHash;
  }

  /** The text before the entries. */
  open(): string {
    return this.#format === "json" ? coverJson(this.#cover) : coverCsv(this.#cover);
  }

  /** The text of the next entries. */
  entries(entries: readonly StatementEntry[]): string {
    const isFirst = this.#closingOrdinal === this.#cover.openingOrdinal;
    for (const entry of entries) {
      const tally = this.#tallies.get(entry.asset);
      const units = tally === undefined ? null : entryUnits(entry, tally.scale);
      invariant(units !== null, `entry ${entry.ordinal} has a coin that the statement lists`);
      invariant(entry.ordinal === this.#closingOrdinal + 1, `entry ${entry.ordinal} is the next`);
      tally?.add(entry, units);
      this.#closingOrdinal = entry.ordinal;
      this.#closingHash = entry.hash;
    }
    return this.#format === "json" ? entriesJson(entries, isFirst) : entriesCsv(entries);
  }

  /** The text after the entries. */
  close(sha256: Sha256): string {
    const closing = {
      closingOrdinal: this.#closingOrdinal,
      closingHash: this.#closingHash,
      totals: [...this.#tallies.values()].map((tally) => tally.total()),
    };
    const sealed = { ...closing, digest: sha256(frameText(this.#cover, closing)) };
    const isEmpty = this.#closingOrdinal === this.#cover.openingOrdinal;
    return this.#format === "json" ? closingJson(sealed, isEmpty) : closingCsv(sealed);
  }
}

function coverFacts(cover: StatementCover) {
  const { affiliateUid, from, to, complete, part, parts, openingOrdinal, openingHash } = cover;
  return { affiliateUid, from, to, complete, part, parts, openingOrdinal, openingHash };
}

function coverJson(cover: StatementCover): string {
  const opening = cover.opening.map((coin) => inOrder(coin, BALANCE_FIELDS));
  const text = JSON.stringify({ format: STATEMENT_TITLE, ...coverFacts(cover), opening }, null, 2);
  return `${text.slice(0, -"\n}".length)},\n  "entries": [`;
}

function entriesJson(entries: readonly StatementEntry[], isFirst: boolean): string {
  const texts = entries.map((entry) => {
    const text = JSON.stringify(inOrder(entry, STATEMENT_COLUMNS), null, 2);
    return `\n    ${text.replaceAll("\n", "\n    ")}`;
  });
  return `${isFirst || texts.length === 0 ? "" : ","}${texts.join(",")}`;
}

function closingJson(closing: StatementClosing, isEmpty: boolean): string {
  const { closingOrdinal, closingHash, digest } = closing;
  const totals = closing.totals.map((total) => inOrder(total, TOTAL_FIELDS));
  const text = JSON.stringify({ closingOrdinal, closingHash, totals, digest }, null, 2);
  return `${isEmpty ? "]" : "\n  ]"},${text.slice("{".length)}\n`;
}

function inOrder<Value extends object>(value: Value, names: readonly (keyof Value)[]): object {
  return Object.fromEntries(names.map((name) => [name, value[name]]));
}

function coverCsv(cover: StatementCover): string {
  return `${coverLines(cover).join("\n")}\n${STATEMENT_COLUMNS.join(",")}\n`;
}

function entriesCsv(entries: readonly StatementEntry[]): string {
  return entries.map((entry) => `${entryLine(entry)},${entry.hash}\n`).join("");
}

function closingCsv(closing: StatementClosing): string {
  return `${closingLines(closing).join("\n")}\n# digest: ${closing.digest}\n`;
}

function coverLines(cover: StatementCover): string[] {
  return [
    `# ${STATEMENT_TITLE}`,
    ...Object.entries(coverFacts(cover)).map(([name, value]) => `# ${name}: ${value}`),
    ...cover.opening.map((coin) => `# opening: ${pairs(coin, BALANCE_FIELDS)}`),
  ];
}

function closingLines(closing: Omit<StatementClosing, "digest">): string[] {
  return [
    `# closingOrdinal: ${closing.closingOrdinal}`,
    `# closingHash: ${closing.closingHash}`,
    ...closing.totals.map((total) => `# total: ${pairs(total, TOTAL_FIELDS)}`),
  ];
}

function pairs<Value extends object>(value: Value, names: readonly (keyof Value)[]): string {
  return names.map((name) => `${String(name)}=${value[name]}`).join(" ");
}
