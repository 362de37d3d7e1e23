/** How each node of PostgreSQL is, for people: asked anew, each for a second at most. */
import type { Scheduler } from "../../platform/index.ts";
import { PostgresConnection } from "./connection.ts";

export interface PostgresView {
  /** Host and port. */
  readonly name: string;
  readonly role: "primary" | "standby" | "down";
  /** Null where it is not known. */
  readonly timeline: number | null;
  /** Whether its flushes count for the commits of the primary. */
  readonly sync: boolean;
}

interface Answer {
  readonly is_standby: boolean;
  readonly timeline: number | null;
  /** Of a standby: its name in the quorum, once it receives. */
  readonly member: string | null;
  /** Of the primary: who counts. */
  readonly counted: readonly string[];
}

const ASK_MS = 1000;

/** The user needs `pg_monitor` to see who counts. */
const ASK =
  "SELECT pg_is_in_recovery() AS is_standby, " +
  "CASE WHEN pg_is_in_recovery() THEN (SELECT received_tli FROM pg_stat_wal_receiver) " +
  "ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline, " +
  "(SELECT substring(conninfo FROM 'application_name=([^ ]+)') FROM pg_stat_wal_receiver " +
  "WHERE status = 'streaming') AS member, " +
  "(SELECT coalesce(json_agg(application_name), '[]') FROM pg_stat_replication " +
  "WHERE sync_state IN ('quorum', 'sync') AND state = 'streaming') AS counted";

/** In the order of the addresses. Never rejects. */
export async function viewPostgres(
  urls: readonly string[],
  scheduler: Scheduler,
): Promise<readonly PostgresView[]> {
  const answers = await Promise.all(urls.map((url) => ask(url, scheduler)));
  const primaries = answers.filter((answer) => answer?.is_standby === false);
  // A former primary may still run, on an older timeline.
  const [primary] = primaries.toSorted((a, b) => (b?.timeline ?? 0) - (a?.timeline ?? 0));
  const counted = primary?.counted ?? [];
  return answers.map((answer, index) => {
    const { host } = URL.parse(urls[index] as string) ?? { host: "" };
    const name = host.includes(":") ? host : `${host}:5432`;
    if (answer === null) return { name, role: "down", timeline: null, sync: false };
    const { is_standby: isStandby, member, timeline } = answer;
    const sync = isStandby
      ? member !== null && counted.includes(member)
      : answer === primary && counted.length > 0;
    return { name, role: isStandby ? "standby" : "primary", timeline, sync };
  });
}

async function ask(url: string, scheduler: Scheduler): Promise<Answer | null> {
  let connection: PostgresConnection | null = null;
  try {
    connection = await PostgresConnection.open(url, scheduler, ASK_MS / 2);
    return (await connection.query<Answer>({ text: ASK }, ASK_MS / 2)).rows[0] ?? null;
  } catch {
    return null;
  } finally {
    connection?.destroy();
  }
}
