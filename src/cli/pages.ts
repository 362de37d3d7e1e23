/** Options and output of paginated lists. */
import type { Command } from "commander";
import { parseCount } from "./command.ts";
import type { OperatorFlags } from "./operator-options.ts";

export interface PageFlags<After> extends OperatorFlags {
  readonly after?: After;
  readonly limit: number;
}

/** `after` is what the command prints when there are more rows. */
export function addPageOptions<After>(
  command: Command,
  parseAfter: (text: string) => After,
): Command {
  return command
    .option("--after <last>", "start after this one", parseAfter)
    .option("--limit <count>", "page size, at most 1000", parseCount, 100);
}

/** Appends how to continue, unless this is the last page. */
export function pageText(table: string, { next }: { readonly next: unknown }): string {
  return next === null ? table : `${table}\nThere are more: --after ${next}`;
}
