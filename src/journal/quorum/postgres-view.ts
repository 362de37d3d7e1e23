/**
 * How each node of PostgreSQL is, for people: asked anew, each for a second at most. A node that
 * does not answer keeps its name: as it was seen, or the one that the others name besides them.
 */
import { type Connecting, PostgresConnection } from "./connection.ts";
import { countedNames, parseMemberName } from "./membership/member-names.ts";

export interface PostgresView {
  /** Its `cluster_name`; host and port where it has none. */
  readonly name: string;
  readonly role: "primary" | "standby" | "down";
  /** Null where it is not known. */
  readonly timeline: number | null;
  /** Whether its flushes count for the commits of the primary. */
  readonly sync: boolean;
}

interface Answer {
  readonly name: string;
  /** `synchronous_standby_names`: it names the others. */
  readonly others: string;
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
  "SELECT current_setting('cluster_name') AS name, pg_is_in_recovery() AS is_standby, " +
  "current_setting('synchronous_standby_names') AS others, " +
  "CASE WHEN pg_is_in_recovery() THEN (SELECT received_tli FROM pg_stat_wal_receiver) " +
  "ELSE ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int END AS timeline, " +
  "(SELECT substring(conninfo FROM 'application_name=([^ ]+)') FROM pg_stat_wal_receiver " +
  "WHERE status = 'streaming') AS member, " +
  "(SELECT coalesce(json_agg(application_name), '[]') FROM pg_stat_replication " +
  "WHERE sync_state IN ('quorum', 'sync') AND state = 'streaming') AS counted";

export class PostgresWatch {
  readonly #urls: readonly string[];
  readonly #connecting: Connecting;
  /** By address. */
  readonly #names = new Map<string, string>();

  constructor(urls: readonly string[], connecting: Connecting) {
    this.#urls = urls;
    this.#connecting = connecting;
  }

  /** In the order of the addresses. Never rejects. */
  async view(): Promise<readonly PostgresView[]> {
    const answers = await Promise.all(this.#urls.map((url) => ask(url, this.#connecting)));
    this.#learnNames(answers);
    const primaries = answers.filter((answer) => answer?.is_standby === false);
    // A former primary may still run, on an older timeline.
    const [primary] = primaries.toSorted((a, b) => (b?.timeline ?? 0) - (a?.timeline ?? 0));
    const counted = primary?.counted ?? [];
    return answers.map((answer, index) => {
      const url = this.#urls[index] as string;
      const name = this.#nameOf(url);
      if (answer === null) return { name, role: "down", timeline: null, sync: false };
      const { is_standby: isStandby, member, timeline } = answer;
      const sync = isStandby
        ? member !== null && counted.includes(member)
        : answer === primary && counted.length > 0;
      return { name, role: isStandby ? "standby" : "primary", timeline, sync };
    });
  }

  /** Patroni gives all members one `cluster_name`: there each is known by its address. */
  #nameOf(url: string): string {
    const name = this.#names.get(url);
    const same = [...this.#names.values()].filter((each) => each === name);
    return name === undefined || same.length > 1 ? addressOf(url) : name;
  }

  #learnNames(answers: readonly (Answer | null)[]): void {
    for (const [index, answer] of answers.entries()) {
      if (answer === null || answer.name === "") continue;
      this.#names.set(this.#urls[index] as string, answer.name);
    }
    const unnamed = this.#urls.filter((url) => !this.#names.has(url));
    const known = new Set(this.#names.values());
    const others = answers.flatMap((answer) => countedNames(answer?.others ?? ""));
    const left = new Set(others.map((other) => parseMemberName(other).name));
    for (const name of known) left.delete(name);
    const [url] = unnamed;
    const [name] = left;
    const isOnly = known.size > 0 && unnamed.length === 1 && left.size === 1;
    if (isOnly && url !== undefined && name !== undefined) this.#names.set(url, name);
  }
}

function addressOf(url: string): string {
  const { host } = URL.parse(url) ?? { host: "" };
  return host.includes(":") ? host : `${host}:5432`;
}

async function ask(url: string, connecting: Connecting): Promise<Answer | null> {
  let connection: PostgresConnection | null = null;
  try {
    connection = await PostgresConnection.open(url, connecting, ASK_MS / 2);
    return (await connection.query<Answer>({ text: ASK }, ASK_MS / 2)).rows[0] ?? null;
  } catch {
    return null;
  } finally {
    connection?.destroy();
  }
}
