/**
 * Which test files share a process. To load Node and the modules that it needs takes more of the
 * processor than what most tests beside the code do.
 */
import { relative, sep } from "node:path";
import { ROOT } from "./suites.ts";

export type Files = readonly [string, ...string[]];

/** Few enough that all cores have work to the end. */
const FILES_MAX = 12;
/** Tests beside the code; others are long, but for these. */
const SHARING = new RegExp(
  "^((src|bench)/|test/models/(amend-order|approvals|contract/(contract-scenarios|" +
    "contract-worked-example|sandbox-scenarios)|dead-man-switch|decimal|deposits|golden|" +
    "properties|reasons|sequencer|sequencer-time|withdrawals)\\.|" +
    "test/(conformance|hostile)/(affiliate-(bounds|explanations|pages|reports)|" +
    "affiliate-strangers|authorization|book-streams|candles|ccxt|ccxt-sandbox|ccxt-swap|" +
    "contract-(bounds|risk|semantics|wire-shapes|worked-example)|contracts|extremes|malformed|" +
    "openapi-answers|operator-(api-affiliates|api|search)|pages|rate-limits|" +
    "sandbox-(faults|markets-reference|reference)|sdk-(calls|operator|retries|socket|streams)|" +
    "spot-semantics|streams-(fan-out|v2|withdrawals)|ticker-window|trading-socket|" +
    "trading-socket-(frames|order|reference)|user-keys|v2-(batches|reads)|v3-reads|" +
    "webhooks-page|wire-shapes|withdrawal-strangers)\\.)",
);
/** They look at their process, or start programs, whose time is then known for each of them. */
const ALONE = /^src\/((cli|testing)\/|journal\/data-lock\.)/;
/** They make millions of promises, which are not followed there. */
const UNTRACKED = new RegExp(
  "^(src/(cluster/(lease|routing)|journal/(corruption|crash|faults|recovery/torn-commit))|" +
    "test/(history/(answers|query-plans)|simulator/(cluster/cluster-simulation|simulation)))\\.",
);

export function isUntracked(file: string): boolean {
  return UNTRACKED.test(pathOf(file));
}

/** The files by processes, in their order. */
export function byProcess(files: readonly string[]): Files[] {
  const processes: [string, ...string[]][] = [];
  let open: [string, ...string[]] | null = null;
  for (const file of files) {
    const path = pathOf(file);
    if (!SHARING.test(path) || ALONE.test(path) || UNTRACKED.test(path)) {
      processes.push([file]);
    } else if (open !== null && open.length < FILES_MAX) {
      open.push(file);
    } else {
      open = [file];
      processes.push(open);
    }
  }
  return processes;
}

function pathOf(file: string): string {
  return relative(ROOT, file).replaceAll(sep, "/");
}
