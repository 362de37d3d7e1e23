/** Finds the line of a statement's text that a problem is in, to show to people. */
import { parseStatement, statementText } from "../affiliate-statement/index.ts";

/** Lines count from 1; null when the problem has no line. */
export function lineOfProblem(text: string, problem: string): number | null {
  const lines = text.split("\n");
  const [, ordinal] = /^entry (\d+)/.exec(problem) ?? [];
  if (ordinal !== undefined) {
    return lineWith(lines, (line) => line.startsWith(`${ordinal},`) || line === key(6, ordinal));
  }
  const [, section, asset] = /^(total|opening) of (\w+):/.exec(problem) ?? [];
  if (section !== undefined) return lineOfCoin(lines, section, asset as string);
  const [, field] = /^(\w+)/.exec(problem) ?? [];
  const named = lineWith(
    lines,
    (line) => line.startsWith(`# ${field}: `) || line.startsWith(`  "${field}": `),
  );
  return named ?? firstChangedLine(text, lines);
}

function key(indent: number, ordinal: string): string {
  return `${" ".repeat(indent)}"ordinal": ${ordinal},`;
}

function lineWith(lines: readonly string[], fits: (line: string) => boolean): number | null {
  const index = lines.findIndex(fits);
  return index === -1 ? null : index + 1;
}

function lineOfCoin(lines: readonly string[], section: string, asset: string): number | null {
  const list = section === "total" ? `  "totals": [` : `  "opening": [`;
  const from = Math.max(0, lines.indexOf(list));
  const found = lineWith(
    lines.slice(from),
    (line) =>
      line.startsWith(`# ${section}: asset=${asset} `) || line === `      "asset": "${asset}",`,
  );
  return found === null ? null : from + found;
}

/** The first line that differs from the canonical text of the statement's own content. */
function firstChangedLine(text: string, lines: readonly string[]): number | null {
  const parsed = parseStatement(text);
  if (parsed === null) return null;
  const canonical = statementText(parsed.statement, parsed.format).split("\n");
  const index = canonical.findIndex((line, i) => line !== lines[i]);
  return (index === -1 ? canonical.length : index) + 1;
}
