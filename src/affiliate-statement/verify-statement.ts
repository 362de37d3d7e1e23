/**
 * Verifies a statement without the exchange: its form, that every hash, commission, balance,
 * settlement and total follows from the entries, and that it ends in the published hash. Reports
 * the first problem.
 */
import { CoinTally } from "./coin-tally.ts";
import { EntryChecks } from "./entry-checks.ts";
import { parseStatement } from "./parse-statement.ts";
import { STATEMENT_PART_ENTRIES_MAX, type Statement, type StatementTotal } from "./statement.ts";
import { entryLine, genesisText, linkText } from "./statement-entry.ts";
import { frameText, statementText } from "./statement-writer.ts";
import { DAY_MS, utcDayStartMs } from "./utc-day.ts";

export type StatementVerdict =
  | { readonly isValid: true; readonly statement: Statement }
  | { readonly isValid: false; readonly problem: string };

/** A synchronous hash or, as in a browser, an asynchronous one. */
export type AnySha256 = (text: string) => string | Promise<string>;

/** `publishedHash`: the hash that the exchange published for the statement's last day. */
export async function verifyStatement(
  text: string,
  sha256: AnySha256,
  publishedHash?: string,
): Promise<StatementVerdict> {
  const parsed = parseStatement(text);
  if (parsed === null) return invalid("this is no affiliate statement of version 1");
  const { statement, format } = parsed;
  if (statementText(statement, format) !== text) {
    return invalid("the text is not written as a statement is: something was added or changed");
  }
  const problem =
    coverProblem(statement) ??
    (await chainProblem(statement, sha256)) ??
    entriesProblem(statement) ??
    (await sealProblem(statement, sha256));
  if (problem !== null) return invalid(problem);
  if (publishedHash !== undefined && publishedHash !== statement.closingHash) {
    return invalid(`the statement ends in ${statement.closingHash}, published is ${publishedHash}`);
  }
  return { isValid: true, statement };
}

function invalid(problem: string): StatementVerdict {
  return { isValid: false, problem };
}

function coverProblem(statement: Statement): string | null {
  const { from, to, part, parts, opening, entries } = statement;
  if (utcDayStartMs(from) === null) return `from: ${from} is no day`;
  if (utcDayStartMs(to) === null) return `to: ${to} is no day`;
  if (from > to) return "the first day is after the last";
  if (part < 1 || part > Math.max(1, parts)) return `there is no part ${part} of ${parts}`;
  if (entries.length > STATEMENT_PART_ENTRIES_MAX) return "a part has fewer entries than these";
  if (part < parts && entries.length !== STATEMENT_PART_ENTRIES_MAX) {
    return `a part before the last has ${STATEMENT_PART_ENTRIES_MAX} entries`;
  }
  for (let i = 1; i < opening.length; i++) {
    const [before, coin] = [opening[i - 1]?.asset ?? "", opening[i]?.asset ?? ""];
    if (before >= coin) return `opening: ${coin} is not in its place`;
  }
  return null;
}

async function chainProblem(statement: Statement, sha256: AnySha256): Promise<string | null> {
  const { affiliateUid, openingOrdinal, openingHash, entries } = statement;
  if (openingOrdinal === 0) {
    if (openingHash !== (await sha256(genesisText(affiliateUid)))) {
      return `openingHash is not the first hash of affiliate ${affiliateUid}`;
    }
    for (const { asset, payable, held, owed } of statement.opening) {
      if ([payable, held, owed].some((amount) => amount !== "0")) {
        return `opening: ${asset} had nothing before the first entry`;
      }
    }
  }
  let ordinal = openingOrdinal;
  let hash = openingHash;
  for (const entry of entries) {
    ordinal++;
    if (entry.ordinal !== ordinal) return `entry ${ordinal} is missing`;
    hash = await sha256(linkText(hash, entryLine(entry)));
    if (entry.hash !== hash) return `entry ${ordinal}: the hash does not follow from the entry`;
  }
  if (statement.closingOrdinal !== ordinal) return "closingOrdinal is not that of the last entry";
  return statement.closingHash === hash ? null : "closingHash is not that of the last entry";
}

function entriesProblem(statement: Statement): string | null {
  const { from, to, opening, openingOrdinal, entries, totals } = statement;
  const tallies = new Map(opening.map((coin) => [coin.asset, new CoinTally(coin)]));
  const fromMs = utcDayStartMs(from) ?? 0;
  const toMs = (utcDayStartMs(to) ?? 0) + DAY_MS - 1;
  const checks = new EntryChecks(tallies, { fromMs, toMs, isWhole: openingOrdinal === 0 });
  for (const entry of entries) {
    const problem = checks.add(entry);
    if (problem !== null) return `entry ${entry.ordinal} (${entry.kind}): ${problem}`;
  }
  const expected = [...tallies.values()].map((tally) => tally.total());
  if (totals.length !== expected.length) return "there is not one total for every coin";
  for (const [index, total] of expected.entries()) {
    const wrong = firstDifference(total, totals[index]);
    if (wrong !== null) return `total of ${total.asset}: ${wrong} is not the sum of the entries`;
  }
  return null;
}

function firstDifference(
  expected: StatementTotal,
  found: StatementTotal | undefined,
): string | null {
  for (const [name, value] of Object.entries(expected)) {
    if (found?.[name as keyof StatementTotal] !== value) return name;
  }
  return null;
}

async function sealProblem(statement: Statement, sha256: AnySha256): Promise<string | null> {
  const digest = await sha256(frameText(statement, statement));
  return statement.digest === digest ? null : "digest is not that of the lines around the entries";
}
