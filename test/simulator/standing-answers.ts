/**
 * What an engine is asked of lists and rules. Whatever its snapshot lacks of them is in no hash of
 * its state, so an engine that goes on from a snapshot is asked for all of it, as the one before.
 */
import { isDeepStrictEqual } from "node:util";
import type { Engine } from "../../src/engine/index.ts";
import type { EngineQuery } from "../../src/protocol/index.ts";
import { Breach } from "./breach.ts";

/** More than there are. */
const ALL = 1_000_000;

const QUESTIONS: readonly EngineQuery[] = [
  { type: "assets" },
  { type: "spot-markets", symbol: null },
  { type: "spot-tickers", symbol: null },
  { type: "contract-markets", symbol: null },
  { type: "contract-prices", symbol: null },
  { type: "contract-tickers", symbol: null },
  { type: "users", afterUid: 0, limit: ALL },
  { type: "api-keys", after: "", limit: ALL },
  { type: "operators", name: null },
  { type: "approval-rules" },
  { type: "proposals" },
  { type: "webhooks" },
  { type: "custody" },
  { type: "deposit-rules" },
  { type: "withdrawal-rules" },
  { type: "open-withdrawals" },
  { type: "affiliate-policy" },
  { type: "affiliates", afterUid: 0, limit: ALL },
  { type: "status" },
];

/** Both as they are at one moment. */
export function holdSameAnswers(before: Engine, after: Engine): void {
  const nowMs = before.timestampMs;
  for (const question of QUESTIONS) {
    const due = before.query(question, nowMs);
    const said = after.query(question, nowMs);
    if (isDeepStrictEqual(said, due)) continue;
    const both = `${question.type}: ${differing(said, due)} instead of ${differing(due, said)}`;
    throw new Breach("an engine that goes on from a snapshot answers the same", both);
  }
}

/** Of a list, the rows that the other one has not. */
function differing(one: unknown, other: unknown): string {
  const [rows, others] = [one, other].map((said) => (said as { readonly value?: unknown }).value);
  if (!Array.isArray(rows) || !Array.isArray(others)) return JSON.stringify(one);
  return JSON.stringify(rows.filter((row, at) => !isDeepStrictEqual(row, others[at])));
}
