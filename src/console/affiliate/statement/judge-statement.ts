/** Explains the result of verifying a statement. */
import type { Statement, StatementHead, StatementVerdict } from "../../../client/index.ts";
import { groupDecimal } from "../../decimals/format.ts";

export interface Judgement {
  /** `open`: consistent, but its closing hash cannot be compared. */
  readonly kind: "good" | "open" | "bad";
  readonly title: string;
  readonly lines: readonly string[];
  /** Recalculated, per coin; empty if the statement is not genuine. */
  readonly totals: Statement["totals"];
}

/** The last published head up to that day; null if there is none. */
export function headAt(heads: readonly StatementHead[], day: string): StatementHead | null {
  return heads.findLast(({ date }) => date <= day) ?? null;
}

const OPEN_TITLE = "Consistent, but not compared with the exchange";

/** `head`: the last one published up to the statement's last day. */
export function judge(
  verdict: StatementVerdict,
  head: StatementHead | null,
  uid: number | null,
): Judgement {
  if (!verdict.isValid) {
    const lines = [`Problem: ${verdict.problem}.`];
    const title = "This statement is not genuine or has been altered";
    return { kind: "bad", title, lines, totals: [] };
  }
  const { statement } = verdict;
  const { totals } = statement;
  const lines = contentLines(statement);
  if (uid !== null && statement.affiliateUid !== uid) {
    const why = `Only affiliate ${statement.affiliateUid} can see its published hash.`;
    return {
      kind: "open",
      title: OPEN_TITLE,
      lines: [why, ...lines],
      totals,
    };
  }
  const { part, parts } = statement;
  if (part < parts) {
    const why = `This is part ${part} of ${parts}; only the last part has a published hash.`;
    return {
      kind: "open",
      title: OPEN_TITLE,
      lines: [why, ...lines],
      totals,
    };
  }
  return judgeEnd(statement, head, lines);
}

function judgeEnd(
  statement: Statement,
  head: StatementHead | null,
  lines: readonly string[],
): Judgement {
  const { closingHash, closingOrdinal, complete, to, totals } = statement;
  if (head === null) {
    if (closingOrdinal === 0) return good("Correct: no entries up to that day", lines, totals);
    const why = `It has ${closingOrdinal} entries, but the exchange published none up to ${to}.`;
    return {
      kind: "bad",
      title: "The exchange published no such statement",
      lines: [why],
      totals: [],
    };
  }
  if (head.hash === closingHash) {
    const published = `The closing hash matches the one published for ${head.date}: ${head.hash}`;
    const open = complete ? [] : [`${to} is not over yet; more entries may follow.`];
    const title = complete ? "Genuine and complete" : "Genuine and complete so far";
    return good(title, [published, ...open, ...lines], totals);
  }
  if (!complete && head.ordinal > closingOrdinal) {
    const added = head.ordinal - closingOrdinal;
    const why =
      `It was made before ${to} was over, and ${added} entries were added since. ` +
      "Download it again when the day is over to compare its closing hash.";
    return {
      kind: "open",
      title: OPEN_TITLE,
      lines: [why, ...lines],
      totals,
    };
  }
  const why = [
    `The statement closes with entry ${closingOrdinal}: ${closingHash}`,
    `The exchange published entry ${head.ordinal} for ${head.date}: ${head.hash}`,
  ];
  const title = "The closing hash does not match the published one";
  return { kind: "bad", title, lines: why, totals: [] };
}

function good(title: string, lines: readonly string[], totals: Judgement["totals"]): Judgement {
  return { kind: "good", title, lines, totals };
}

function contentLines({ from, to, entries }: Statement): string[] {
  const days = from === to ? from : `${from} to ${to}`;
  const noun = entries.length === 1 ? "entry" : "entries";
  const count = groupDecimal(String(entries.length));
  return [`${count} ${noun} for ${days}; every hash, commission and balance was recalculated`];
}
