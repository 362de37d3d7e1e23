/** What the check of a statement means for its reader, in words. */
import type { Statement, StatementHead, StatementVerdict } from "../../../client/index.ts";
import { groupDecimal } from "../../decimals/format.ts";

export interface Judgement {
  /** `open`: all that can be checked holds, but its end cannot be compared. */
  readonly kind: "good" | "open" | "bad";
  readonly title: string;
  readonly lines: readonly string[];
  /** Of each coin, worked out again; empty for what is not genuine. */
  readonly totals: Statement["totals"];
}

/** The head in which a statement up to and with that day ends; null when nothing was before. */
export function headAt(heads: readonly StatementHead[], day: string): StatementHead | null {
  return heads.findLast(({ date }) => date <= day) ?? null;
}

/** `head` is the last one published up to the statement's last day. */
export function judge(
  verdict: StatementVerdict,
  head: StatementHead | null,
  uid: number | null,
): Judgement {
  if (!verdict.isValid) {
    const lines = [`What is wrong: ${verdict.problem}.`];
    const title = "This statement is not genuine, or it was changed";
    return { kind: "bad", title, lines, totals: [] };
  }
  const { statement } = verdict;
  const { totals } = statement;
  const lines = contentLines(statement);
  if (uid !== null && statement.affiliateUid !== uid) {
    const why = `It is of affiliate ${statement.affiliateUid}, whose published ends only they see.`;
    return { kind: "open", title: "In itself it is right", lines: [why, ...lines], totals };
  }
  const { part, parts } = statement;
  if (part < parts) {
    const why = `It is part ${part} of ${parts}: only the last ends in what was published.`;
    return { kind: "open", title: "In itself it is right", lines: [why, ...lines], totals };
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
    if (closingOrdinal === 0) return good("Right: there was nothing until then", lines, totals);
    const why = `It has ${closingOrdinal} entries, and none was published until ${to}.`;
    return { kind: "bad", title: "The exchange published no such end", lines: [why], totals: [] };
  }
  if (head.hash === closingHash) {
    const published = `It ends in the published hash of ${head.date}: ${head.hash}`;
    const open = complete ? [] : [`${to} is not over: more entries may follow.`];
    const title = complete ? "Genuine and whole" : "Genuine and whole so far";
    return good(title, [published, ...open, ...lines], totals);
  }
  if (!complete && head.ordinal > closingOrdinal) {
    const why =
      `It was made before ${to} was over, and ${head.ordinal - closingOrdinal} entries came ` +
      "since. Download the day again when it is over to compare its end.";
    return { kind: "open", title: "In itself it is right", lines: [why, ...lines], totals };
  }
  const why = [
    `It ends in entry ${closingOrdinal}: ${closingHash}`,
    `Published for ${head.date} is entry ${head.ordinal}: ${head.hash}`,
  ];
  const title = "It does not end in what the exchange published";
  return { kind: "bad", title, lines: why, totals: [] };
}

function good(title: string, lines: readonly string[], totals: Judgement["totals"]): Judgement {
  return { kind: "good", title, lines, totals };
}

function contentLines({ from, to, entries }: Statement): string[] {
  const days = from === to ? from : `${from} to ${to}`;
  const noun = entries.length === 1 ? "entry" : "entries";
  const count = groupDecimal(String(entries.length));
  return [`${count} ${noun} of ${days}; every hash, commission and balance was worked out again`];
}
