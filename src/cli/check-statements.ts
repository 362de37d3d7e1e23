/**
 * Checks statement files of one affiliate: each on its own, and that each continues exactly where
 * the previous one ended.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { verifyStatement } from "../affiliate-statement/index.ts";
import { continuationProblem, type StatementFrame } from "./statement-continuation.ts";
import { lineOfProblem } from "./statement-line.ts";

/** What is wrong, and where. */
export interface StatementProblem {
  readonly file: string;
  /** Null when the problem has no line of its own. */
  readonly line: number | null;
  readonly problem: string;
}

/** A statement without its entries, so that many long parts can be checked in one run. */
export interface CheckedStatement {
  readonly file: string;
  readonly statement: StatementFrame;
}

export type FilesVerdict = { readonly checked: readonly CheckedStatement[] } | StatementProblem;

/** `head` is the published hash for the last day of the last file. */
export async function checkStatements(
  files: readonly string[],
  head: string | undefined,
  onChecked: (bytes: number) => void = () => undefined,
): Promise<FilesVerdict> {
  const checked: CheckedStatement[] = [];
  let bytes = 0;
  for (const [index, file] of files.entries()) {
    const content = readFileSync(file);
    const text = decode(content);
    if (text === null) return { file, line: null, problem: "the file is not UTF-8 text" };
    const published = index === files.length - 1 ? head : undefined;
    const verdict = await verifyStatement(text, sha256, published);
    if (!verdict.isValid) {
      const { problem } = verdict;
      return { file, line: lineOfProblem(text, problem), problem };
    }
    const { entries: _entries, ...statement } = verdict.statement;
    const before = checked.at(-1)?.statement;
    const problem = before === undefined ? null : continuationProblem(before, statement);
    if (problem !== null) return { file, line: lineOfProblem(text, problem), problem };
    checked.push({ file, statement });
    bytes += content.length;
    onChecked(bytes);
  }
  return { checked };
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Strict: invalid bytes are neither repaired nor dropped. */
function decode(content: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}
