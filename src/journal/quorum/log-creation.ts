/** Makes the log of a new venue in a database of PostgreSQL. */
import type { Scheduler } from "../../platform/index.ts";
import { createLog } from "./log-table.ts";
import { findEmpty, NoPrimary } from "./primary.ts";

export interface LogCreation {
  /** Of all nodes, each the address of the same database. */
  readonly urls: readonly string[];
  /** A UUID. */
  readonly venueId: string;
  readonly scheduler: Scheduler;
  /** Ordinals in each partition of the table. */
  readonly partitionRows?: number;
}

const CREATE_MS = 30_000;

/** A refusal is a sentence that says which node is wrong, and how. */
export async function createQuorumLog(
  options: LogCreation,
): Promise<{ readonly ok: true } | { readonly ok: false; readonly refusal: string }> {
  const { urls, venueId, scheduler, partitionRows } = options;
  try {
    const { connection } = await findEmpty(urls, scheduler);
    try {
      await createLog(connection, venueId, CREATE_MS, partitionRows);
    } finally {
      connection.destroy();
    }
    return { ok: true };
  } catch (error) {
    if (!(error instanceof NoPrimary)) throw error;
    return { ok: false, refusal: `${error.message}.` };
  }
}
