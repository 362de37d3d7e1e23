/** Parses a statement of either form. It checks the form only; `verifyStatement` the content. */
import {
  BALANCE_FIELDS,
  STATEMENT_TITLE,
  type Statement,
  type StatementBalance,
  type StatementFormat,
  type StatementTotal,
  TOTAL_FIELDS,
} from "./statement.ts";
import { isAmount, isCount, isEntry, isHash, parseEntryLine } from "./statement-entry.ts";

export interface ParsedStatement {
  readonly format: StatementFormat;
  readonly statement: Statement;
}

/** Null when the text is no statement. */
export function parseStatement(text: string): ParsedStatement | null {
  const format = text.startsWith("{") ? "json" : "csv";
  const value = format === "json" ? parseJson(text) : parseCsv(text);
  return isStatement(value) ? { format, statement: value } : null;
}

function parseJson(text: string): unknown {
  try {
    const { format, ...statement } = JSON.parse(text);
    return format === STATEMENT_TITLE ? statement : null;
  } catch {
    return null;
  }
}

function parseCsv(text: string): unknown {
  const lines = text.split("\n");
  const statement: Record<string, unknown> = {};
  const opening: unknown[] = [];
  const entries: unknown[] = [];
  const totals: unknown[] = [];
  const columnsAt = lines.findIndex((line) => !line.startsWith("#"));
  for (const [index, line] of lines.entries()) {
    if (index === 0 || index === columnsAt || line === "") continue;
    const [, name = "", value = ""] = /^# (\w+): (.*)$/.exec(line) ?? [];
    if (name === "opening") opening.push(parsePairs(value));
    else if (name === "total") totals.push(parsePairs(value));
    else if (name !== "") statement[name] = parseFact(name, value);
    else {
      const comma = line.lastIndexOf(",");
      entries.push(parseEntryLine(line.slice(0, comma), line.slice(comma + 1)));
    }
  }
  return { ...statement, opening, entries, totals };
}

const TEXT_FACTS = ["from", "to", "openingHash", "closingHash", "digest"];

function parseFact(name: string, text: string): unknown {
  if (TEXT_FACTS.includes(name)) return text;
  return text === "true" ? true : text === "false" ? false : Number(text);
}

function parsePairs(text: string): object {
  const pairs = text.split(" ").map((pair) => pair.split("=", 2) as [string, string]);
  return Object.fromEntries(
    pairs.map(([name, value]) => [
      name,
      name === "scale" || name === "entries" ? Number(value) : value,
    ]),
  );
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const STATEMENT_FIELDS = 14;

function isStatement(value: unknown): value is Statement {
  if (!isRecord(value) || Object.keys(value).length !== STATEMENT_FIELDS) return false;
  const { opening, entries, totals } = value;
  return (
    [value.affiliateUid, value.part, value.parts].every(isCount) &&
    [value.openingOrdinal, value.closingOrdinal].every(isCount) &&
    [value.from, value.to].every((day) => typeof day === "string" && DAY.test(day)) &&
    typeof value.complete === "boolean" &&
    [value.openingHash, value.closingHash, value.digest].every(isHash) &&
    Array.isArray(opening) &&
    opening.every(isBalance) &&
    Array.isArray(entries) &&
    entries.every(isEntry) &&
    Array.isArray(totals) &&
    totals.every(isTotal)
  );
}

const ASSET = /^[A-Z0-9]{1,20}$/;
const SCALE_MAX = 18;

function isBalance(value: unknown): value is StatementBalance {
  return (
    isRecord(value) &&
    hasFields(value, BALANCE_FIELDS) &&
    ASSET.test(String(value.asset)) &&
    isCount(value.scale) &&
    value.scale <= SCALE_MAX &&
    [value.payable, value.held, value.owed].every(isAmount)
  );
}

function isTotal(value: unknown): value is StatementTotal {
  if (!isRecord(value) || !hasFields(value, TOTAL_FIELDS)) return false;
  const { asset, entries, ...amounts } = value;
  return ASSET.test(String(asset)) && isCount(entries) && Object.values(amounts).every(isAmount);
}

function hasFields(value: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return Object.keys(value).length === names.length && names.every((name) => name in value);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
