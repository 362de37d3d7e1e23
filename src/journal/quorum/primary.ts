/**
 * Finds the PostgreSQL that may be written: all are asked at once, and one that would not keep the
 * promise of a quorum is not used. Which node is the primary is not decided here: of several that
 * say so the one with the highest timeline is, and one with an older timeline than was seen before
 * never again.
 */
import { type Connecting, PostgresConnection } from "./connection.ts";
import { LOG_VERSION, VENUE, type Venue } from "./log-table.ts";
import { countedNames, parseMemberName } from "./membership/member-names.ts";
import { missingRights } from "./writer-role.ts";

/** A node that is written, and keeps the promise of a quorum. */
export interface Writable {
  readonly connection: PostgresConnection;
  /** Host and port, for people. */
  readonly place: string;
  readonly timeline: number;
  /** `synchronous_standby_names` */
  readonly standbys: string;
  /** Null without a log. */
  readonly venue: Venue | null;
}

/** One with a log. */
export interface Primary extends Writable {
  readonly venue: Venue;
}

/** The newest that was seen so far: a primary from before it is not used. */
export interface Seen {
  readonly timeline: number;
  readonly generation: number;
  /** Null: any venue's. */
  readonly venueId: string | null;
}

/** No primary can be used. */
export class NoPrimary extends Error {
  override readonly name = "NoPrimary";
  /** Whether only a person can change it. */
  readonly isLasting: boolean;

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ place, sentence }) => `${place} ${sentence}`).join("; "));
    this.isLasting = problems.some((problem) => problem.isLasting);
  }
}

interface Problem {
  readonly place: string;
  /** Goes on after the place. */
  readonly sentence: string;
  readonly isLasting: boolean;
}

const ASK_MS = 1500;
const OLDEST_VERSION = 15;

/** Rejects with `NoPrimary`. */
export async function findPrimary(
  urls: readonly string[],
  seen: Seen,
  connecting: Connecting,
): Promise<Primary> {
  return findWritable(urls, connecting, (writable) => hasLog(writable, seen));
}

/** One with a log; otherwise why it is not the primary. */
function hasLog(writable: Writable, seen: Seen): Primary | Omit<Problem, "place"> {
  const { timeline, venue } = writable;
  if (venue === null) return { sentence: NO_LOG, isLasting: true };
  const foreign = foreignLog(venue, seen);
  if (foreign !== null) return { sentence: foreign, isLasting: true };
  const old = oldNames(writable.standbys, venue.generation);
  if (old !== null) return { sentence: old, isLasting: true };
  if (timeline < seen.timeline || venue.generation < seen.generation) {
    return { sentence: "was the primary before another one was", isLasting: false };
  }
  return { ...writable, venue };
}

/** Of the nodes that can be written and that `judge` accepts, the one with the newest timeline. */
async function findWritable<Accepted extends Writable>(
  urls: readonly string[],
  connecting: Connecting,
  judge: (writable: Writable) => Accepted | Omit<Problem, "place">,
): Promise<Accepted> {
  const answers = await Promise.all(
    urls.map(async (url) => {
      const answer = await ask(url, connecting);
      if ("sentence" in answer) return answer;
      const judged = judge(answer);
      if (!("sentence" in judged)) return judged;
      answer.connection.destroy();
      return { place: answer.place, ...judged };
    }),
  );
  const found = answers.filter((answer) => "connection" in answer);
  const [newest, ...others] = found.toSorted((left, right) => right.timeline - left.timeline);
  for (const { connection } of others) connection.destroy();
  if (newest !== undefined) return newest;
  throw new NoPrimary(answers.filter((answer) => "sentence" in answer));
}

/** A node without a log. Rejects with `NoPrimary`. */
export async function findEmpty(
  urls: readonly string[],
  connecting: Connecting,
): Promise<Writable> {
  return findWritable(urls, connecting, (writable) => {
    if (writable.venue === null) return writable;
    const sentence = `has the log of venue ${writable.venue.id} already: name another database`;
    return { sentence, isLasting: true };
  });
}

/** What a node says about itself. */
export interface Settings {
  readonly version: number;
  readonly is_standby: boolean;
  readonly standbys: string;
  readonly commits: string;
  readonly fsync: string;
  readonly pages: string;
  readonly has_log: boolean;
}

const SETTINGS =
  "SELECT current_setting('server_version_num')::int / 10000 AS version, " +
  "pg_is_in_recovery() AS is_standby, " +
  "current_setting('synchronous_standby_names') AS standbys, " +
  "current_setting('synchronous_commit') AS commits, " +
  "current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages, " +
  "EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace " +
  "WHERE n.nspname = 'rialto' AND c.relname = 'venue') AS has_log";
const TIMELINE =
  "SELECT ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int AS timeline";

async function ask(url: string, connecting: Connecting): Promise<Writable | Problem> {
  const place = placeOf(url);
  let connection: PostgresConnection | null = null;
  try {
    connection = await PostgresConnection.open(url, connecting, ASK_MS);
    const answer = await examine(connection, place);
    if ("sentence" in answer) connection.destroy();
    return answer;
  } catch (error) {
    connection?.destroy();
    const reason = error instanceof Error ? error.message || error.name : String(error);
    return { place, sentence: `does not answer (${reason})`, isLasting: false };
  }
}

async function examine(connection: PostgresConnection, place: string): Promise<Writable | Problem> {
  const { rows } = await connection.query<Settings>({ text: SETTINGS }, ASK_MS);
  const [settings] = rows as [Settings];
  if (settings.is_standby) return { place, sentence: "is a standby", isLasting: false };
  const wrong = wrongSetting(settings);
  if (wrong !== null) return { place, sentence: wrong, isLasting: true };
  const missing = settings.has_log ? await missingRights(connection, ASK_MS) : null;
  if (missing !== null) return { place, sentence: missing, isLasting: true };
  const [at] = (await connection.query<{ timeline: number }>({ text: TIMELINE }, ASK_MS)).rows;
  const venues = settings.has_log ? (await connection.query<Venue>(VENUE, ASK_MS)).rows : [];
  const { standbys } = settings;
  return { connection, place, timeline: at?.timeline ?? 0, standbys, venue: venues[0] ?? null };
}

const NO_LOG = "has no log of Rialto in this database: `rialto cluster init` makes one";

/** Why its commits would not be durable on two machines; null when they are. */
export function wrongSetting(settings: Settings): string | null {
  const { version, standbys, commits, fsync, pages } = settings;
  if (version < OLDEST_VERSION) {
    return `is PostgreSQL ${version}: Rialto needs ${OLDEST_VERSION} or later`;
  }
  if (fsync !== "on") return "has fsync off, so commits are lost with its power: turn it on";
  if (pages !== "on") return "has full_page_writes off, so a crash can damage it: turn it on";
  if (commits !== "on" && commits !== "remote_apply") {
    return `has synchronous_commit ${commits}, which does not wait for standbys: set it to on`;
  }
  if (standbys === "") {
    return (
      "has no synchronous standby, so commits are lost with its machine: set " +
      "synchronous_standby_names, such as to ANY 1 (n2_g1, n3_g1)"
    );
  }
  return null;
}

/** Why a node that was not joined again would count; null when none would. */
export function oldNames(standbys: string, generation: number): string | null {
  const isOld = (name: string): boolean => {
    const named = parseMemberName(name).generation;
    return named !== null && named < generation;
  };
  const old = countedNames(standbys).filter(isOld);
  if (old.length === 0) return null;
  return (
    `counts ${old.join(" and ")}, and the membership is in generation ${generation}: a former ` +
    "primary that was not joined again would confirm commits that it does not have. Set " +
    `synchronous_standby_names to names of generation ${generation}`
  );
}

function foreignLog(venue: Venue, seen: Seen): string | null {
  if (venue.log_version > LOG_VERSION) {
    return (
      `has a log of version ${venue.log_version}, this program knows ${LOG_VERSION}: ` +
      "use the version of Rialto that made it"
    );
  }
  if (venue.log_version < LOG_VERSION) {
    return (
      `has a log of version ${venue.log_version}, which this program does not write: ` +
      "make a new one from the folder of a node, with `rialto cluster init --from`"
    );
  }
  if (seen.venueId === null || venue.id === seen.venueId) return null;
  return (
    `has the log of venue ${venue.id}, and this data folder is of venue ${seen.venueId}: ` +
    "name the PostgreSQL of this venue, or another data folder"
  );
}

/** Host and port of an address, without its password. */
export function placeOf(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? "an address" : `PostgreSQL at ${parsed.hostname}:${parsed.port || 5432}`;
}
