/**
 * Drops the oldest parts of the log, whole partitions: what all nodes have in their own files. Who
 * comes later begins with a copy of theirs.
 */
import type { Connecting, PostgresConnection } from "./connection.ts";
import { END, type LogRow } from "./log-table.ts";
import { MembershipRefused } from "./membership/membership.ts";
import { findPrimary, NoPrimary } from "./primary.ts";

export interface LogTrimming extends Connecting {
  /** Of all nodes of PostgreSQL; the user owns the tables. */
  readonly urls: readonly string[];
  /** Commands at the end of the log that stay, at least. */
  readonly keep: number;
}

export interface TrimmedLog {
  /** Partitions that were dropped. */
  readonly dropped: number;
  /** The log has the commands behind this one. */
  readonly after: number;
  /** The node that has least, if it keeps something; else null. */
  readonly heldBy: string | null;
}

const ANSWER_MS = 15_000;

const PARTITIONS =
  "SELECT c.relname AS name, pg_has_role(c.relowner, 'USAGE') AS owned FROM pg_inherits i " +
  "JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = 'rialto.log'::regclass " +
  "ORDER BY substr(c.relname, 5)::bigint";

/** Throws `MembershipRefused`, `NoPrimary`. */
export async function trimLog(trimming: LogTrimming): Promise<TrimmedLog> {
  const { keep, urls } = trimming;
  const seen = { timeline: 0, generation: 0, venueId: null };
  const { connection, venue } = await findPrimary(urls, seen, trimming).catch((error) => {
    throw error instanceof NoPrimary ? new MembershipRefused(`${error.message}.`) : error;
  });
  const run = async <Row>(text: string) => (await connection.query<Row>({ text }, ANSWER_MS)).rows;
  try {
    const [end] = (await connection.query<LogRow>(END, ANSWER_MS)).rows as [LogRow];
    const last = Number(end.last_sequence);
    const least = await nodeWithLeast(connection);
    const bound = Math.min(last - keep, least?.sequence ?? 0);
    const partitions = await run<{ readonly name: string; readonly owned: boolean }>(PARTITIONS);
    if (partitions.some(({ owned }) => !owned)) {
      throw new MembershipRefused("Only the owner of the log's tables drops parts of it.");
    }
    // A row is added behind the one before it, which may be in the partition before.
    const kept = Math.floor(Number(end.ordinal) / Number(venue.partition_rows)) - 1;
    const trimmed = { dropped: 0, after: 0, heldBy: null as string | null };
    for (const { name } of partitions) {
      const lastIn = await lastOf(connection, name);
      if (lastIn === null || Number(name.slice("log_".length)) >= kept || lastIn > bound) {
        const isHeld = least !== null && least.sequence < last - keep;
        trimmed.heldBy = isHeld && (lastIn ?? 0) > least.sequence ? least.name : null;
        break;
      }
      await run(`DROP TABLE rialto.${name}`);
      trimmed.dropped++;
    }
    const [first] = await run<{ readonly after: string }>(
      "SELECT last_sequence AS after FROM rialto.log ORDER BY ordinal LIMIT 1",
    );
    return { ...trimmed, after: Number(first?.after ?? 0) };
  } finally {
    connection.destroy();
  }
}

async function lastOf(connection: PostgresConnection, name: string): Promise<number | null> {
  const text = `SELECT last_sequence FROM rialto.${name} ORDER BY ordinal DESC LIMIT 1`;
  const { rows } = await connection.query<Pick<LogRow, "last_sequence">>({ text }, ANSWER_MS);
  return rows[0] === undefined ? null : Number(rows[0].last_sequence);
}

/** Of all that ever told, also those that are away. */
async function nodeWithLeast(
  connection: PostgresConnection,
): Promise<{ readonly name: string; readonly sequence: number } | null> {
  const text = "SELECT name, sequence FROM rialto.node ORDER BY sequence LIMIT 1";
  const { rows } = await connection.query<{ readonly name: string; readonly sequence: string }>(
    { text },
    ANSWER_MS,
  );
  const [row] = rows;
  return row === undefined ? null : { name: row.name, sequence: Number(row.sequence) };
}
