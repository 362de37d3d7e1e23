/** Lists that come in pages. */
import type { Command } from "commander";
import { parseCount } from "./command.ts";
import type { Page } from "./operator-plane.ts";
import type { PlaneFlags } from "./plane-options.ts";

/** `after` is what the command prints when there is more. */
export function addPageOptions<After>(
  command: Command,
  parseAfter: (text: string) => After,
): Command {
  return command
    .option("--after <last>", "go on behind this one", parseAfter)
    .option("--limit <count>", "at most so many, up to 1000", parseCount, 100);
}

export interface PageFlags extends PlaneFlags {
  readonly after?: string | number;
  readonly limit: number;
}

export function pageQuery({ after, limit }: PageFlags): string {
  const query = new URLSearchParams({ limit: String(limit) });
  if (after !== undefined) query.set("after", String(after));
  return query.toString();
}

/** Says how to go on where a page is not the last one. */
export function pageText(table: string, { next }: Page<unknown>): string {
  return next === null ? table : `${table}\nThere are more: --after ${next}`;
}
