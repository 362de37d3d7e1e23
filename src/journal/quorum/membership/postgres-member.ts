/**
 * One node of PostgreSQL as whoever changes the membership sees it: how it is, and the few changes
 * that a change of membership is made of. All are made with SQL, so they need no access to its
 * machine; the user must be a superuser.
 */
import type { Clock } from "../../../platform/index.ts";
import { type Connecting, PostgresConnection, type Statement } from "../connection.ts";
import { placeOf } from "../primary.ts";
import { conninfoFields, countedNames, parseMemberName } from "./member-names.ts";

export interface MemberTools extends Connecting {
  readonly clock: Pick<Clock, "monotonicMs">;
}

/** Where a node's log ends. */
export interface LogEnd {
  readonly ordinal: number;
  readonly sequence: number;
  readonly chainHash: string;
}

export interface MemberState {
  /** Its `cluster_name`; null where it has none. */
  readonly name: string | null;
  readonly isStandby: boolean;
  /** Of the name under which it counts; null for a primary, and one that follows nobody. */
  readonly generation: number | null;
  /** Who would count for its commits. */
  readonly counted: readonly string[];
  /** How it reaches the primary, or reached one before it left it. */
  readonly conninfo: string;
  readonly isSuperuser: boolean;
  /** How many bytes of write-ahead log a standby has replayed. */
  readonly replayedBytes: number;
  /** Null without a log. */
  readonly end: LogEnd | null;
  readonly venueGeneration: number | null;
}

const OPEN_MS = 1500;
const ANSWER_MS = 5000;
const CHANGE_MS = 15_000;
const PROMOTE_S = 60;
const POLL_MS = 20;
/** Longer than between two tries of a standby to read on: it has none left. */
const STILL_MS = 1000;

interface StateRow {
  readonly name: string;
  readonly is_standby: boolean;
  readonly counted: string;
  readonly conninfo: string | null;
  readonly is_superuser: boolean;
  readonly replayed: string;
  readonly has_log: boolean;
}

const STATE: Statement = {
  text:
    "SELECT current_setting('cluster_name') AS name, pg_is_in_recovery() AS is_standby, " +
    "current_setting('synchronous_standby_names') AS counted, " +
    "(SELECT setting FROM pg_settings WHERE name = 'primary_conninfo') AS conninfo, " +
    "current_setting('is_superuser') = 'on' AS is_superuser, " +
    "coalesce(pg_last_wal_replay_lsn(), '0/0') - pg_lsn '0/0' AS replayed, " +
    "to_regclass('rialto.venue') IS NOT NULL AS has_log",
};

const END: Statement = {
  text:
    "SELECT ordinal::text, last_sequence::text AS sequence, encode(chain_hash, 'hex') AS hash, " +
    "(SELECT generation FROM rialto.venue) AS generation " +
    // By the number: `ordinal` alone is the text above, of which 99 is the last.
    "FROM rialto.log AS log ORDER BY log.ordinal DESC LIMIT 1",
};

interface ReplayRow {
  /** Of a standby that found nothing more to replay, and will look again. */
  readonly waits: boolean;
  readonly replayed: string;
  /** False, too, when it has received nothing since its start: what it had may not be replayed. */
  readonly has_all: boolean;
}

const REPLAY =
  "SELECT wait_event = 'RecoveryRetrieveRetryInterval' IS TRUE AS waits, " +
  "pg_last_wal_replay_lsn()::text AS replayed, " +
  "coalesce(pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn(), false) AS has_all " +
  "FROM pg_stat_activity WHERE backend_type = 'startup'";

const RETRY = "SELECT setting AS ms FROM pg_settings WHERE name = 'wal_retrieve_retry_interval'";

interface EndRow {
  readonly ordinal: string;
  readonly sequence: string;
  readonly hash: string;
  readonly generation: number;
}

export class PostgresMember {
  readonly url: string;
  /** Host and port, for people. */
  readonly place: string;
  readonly #connection: PostgresConnection;
  readonly #tools: MemberTools;
  #state: MemberState;

  private constructor(
    url: string,
    connection: PostgresConnection,
    tools: MemberTools,
    state: MemberState,
  ) {
    this.url = url;
    this.place = placeOf(url);
    this.#connection = connection;
    this.#tools = tools;
    this.#state = state;
  }

  /** Rejects when it does not answer. */
  static async open(url: string, tools: MemberTools): Promise<PostgresMember> {
    const connection = await PostgresConnection.open(url, tools, OPEN_MS);
    try {
      return new PostgresMember(url, connection, tools, await readState(connection));
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** As it was read last. */
  get state(): MemberState {
    return this.#state;
  }

  /** Its name, or its address where it has none. */
  get label(): string {
    return this.#state.name ?? this.place;
  }

  async read(): Promise<MemberState> {
    const { conninfo } = this.#state;
    const state = await readState(this.#connection);
    this.#state = state.conninfo === "" ? { ...state, conninfo } : state;
    return this.#state;
  }

  async query<Row>(text: string, timeoutMs = ANSWER_MS): Promise<readonly Row[]> {
    return (await this.#connection.query<Row>({ text }, timeoutMs)).rows;
  }

  /** Changes settings that need no restart; they are in force when it resolves. */
  async set(settings: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, value] of Object.entries(settings)) {
      await this.query(`ALTER SYSTEM SET ${name} = ${literal(value)}`);
    }
    await this.query("SELECT pg_reload_conf()");
    for (const [name, value] of Object.entries(settings)) {
      const ask = `SELECT current_setting('${name}') = ${literal(value)} AS yes`;
      await this.until(`${this.label} has its new ${name}`, async () => {
        return (await this.query<{ yes: boolean }>(ask))[0]?.yes === true;
      });
    }
  }

  /** Hears no primary any more, and has replayed what it heard. */
  async leave(): Promise<void> {
    await this.set({ primary_conninfo: "" });
    await this.until(`${this.label} hears no primary`, async () => {
      return (await this.query("SELECT 1 FROM pg_stat_wal_receiver")).length === 0;
    });
    await this.#replayed();
  }

  /**
   * What it received may end in the middle of a record, which is never replayed: then it has
   * replayed all when it has tried to read on and stands still.
   */
  async #replayed(): Promise<void> {
    const [retry] = await this.query<{ ms: string }>(RETRY);
    const stillMs = Number(retry?.ms) + STILL_MS;
    const { clock } = this.#tools;
    let replayed = "";
    let sinceMs = clock.monotonicMs();
    const what = `${this.label} has replayed what it has`;
    const isDone = async () => {
      const [row] = await this.query<ReplayRow>(REPLAY);
      if (row === undefined) return false;
      const nowMs = clock.monotonicMs();
      if (row.replayed !== replayed) sinceMs = nowMs;
      replayed = row.replayed;
      return row.waits && (row.has_all || nowMs - sinceMs > stillMs);
    };
    await this.until(what, isDone, CHANGE_MS + stillMs);
  }

  /** Whether its log has this row. */
  async has({ ordinal, chainHash }: LogEnd): Promise<boolean> {
    const hash = `decode('${chainHash}', 'hex')`;
    const where = `ordinal = ${ordinal} AND chain_hash = ${hash}`;
    return (await this.query(`SELECT 1 FROM rialto.log WHERE ${where}`)).length === 1;
  }

  async promote(): Promise<void> {
    await this.query(`SELECT pg_promote(true, ${PROMOTE_S})`, PROMOTE_S * 1000);
  }

  async until(what: string, isSo: () => Promise<boolean>, withinMs = CHANGE_MS): Promise<void> {
    const { clock, scheduler } = this.#tools;
    const deadlineMs = clock.monotonicMs() + withinMs;
    while (!(await isSo())) {
      if (clock.monotonicMs() > deadlineMs) throw new Error(`not within ${withinMs} ms: ${what}`);
      await new Promise<void>((resolve) => scheduler.after(POLL_MS, resolve));
    }
  }

  close(): void {
    this.#connection.destroy();
  }
}

async function readState(connection: PostgresConnection): Promise<MemberState> {
  const [row] = (await connection.query<StateRow>(STATE, ANSWER_MS)).rows as [StateRow];
  const conninfo = row.conninfo ?? "";
  const member = conninfoFields(conninfo).get("application_name");
  const isStandby = row.is_standby;
  const counted = countedNames(row.counted);
  const generation = isStandby && member !== undefined ? parseMemberName(member).generation : null;
  const name = row.name === "" ? null : row.name;
  const { is_superuser: isSuperuser } = row;
  const replayedBytes = Number(row.replayed);
  const common = { name, isStandby, generation, counted, conninfo, isSuperuser, replayedBytes };
  if (!row.has_log) return { ...common, end: null, venueGeneration: null };
  const [end] = (await connection.query<EndRow>(END, ANSWER_MS)).rows;
  if (end === undefined) return { ...common, end: null, venueGeneration: null };
  const { hash: chainHash } = end;
  const logEnd = { ordinal: Number(end.ordinal), sequence: Number(end.sequence), chainHash };
  return { ...common, end: logEnd, venueGeneration: end.generation };
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
