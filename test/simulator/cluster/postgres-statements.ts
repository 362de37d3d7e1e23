/**
 * What each statement of a node means. They are known by their words, so that one that is changed
 * is one that nobody knows; PostgreSQL itself runs them in `test/cluster`.
 */
import type { Change, KeyRecord, LogRecord, NodeRecord, Tables } from "./postgres-tables.ts";
import type { SqlReply, SqlRows, SqlStatement, SqlType, SqlValue } from "./postgres-wire.ts";

/** What a member knows about itself. */
export interface About {
  readonly isStandby: boolean;
  readonly timeline: number;
  /** Of the others. */
  readonly names: readonly string[];
  readonly counted: number;
  readonly venueId: string;
  readonly nowMs: number;
  /** The advisory lock that a connection has until it ends: whether it has it now. */
  readonly takeLock: () => boolean;
  readonly releaseLock: () => void;
}

interface Outcome {
  /** Null: nothing is written. */
  readonly change: Change | null;
  readonly reply: SqlReply;
}

export type Decision =
  | { readonly kind: "read"; readonly result: SqlRows }
  | { readonly kind: "fail"; readonly reply: SqlReply }
  | {
      readonly kind: "write";
      /** What nobody else may change until this is done. */
      readonly lock: string;
      /** Decided once it has the lock. */
      readonly outcome: () => Outcome;
    };

type Meaning = (values: Values, tables: Tables, about: About) => Decision;

class Values {
  readonly #values: SqlStatement["values"];

  constructor(values: SqlStatement["values"]) {
    this.#values = values;
  }

  text(at: number): string {
    return this.#values[at - 1]?.toString("utf8") ?? "";
  }

  number(at: number): number {
    return Number(this.text(at));
  }

  bytes(at: number): Buffer {
    return this.orNull(at) ?? Buffer.alloc(0);
  }

  orNull(at: number): Buffer | null {
    return this.#values[at - 1] ?? null;
  }

  numberOrNull(at: number): number | null {
    return this.orNull(at) === null ? null : this.number(at);
  }
}

type Fields = SqlRows["fields"];

function rows(fields: Fields, found: readonly (readonly SqlValue[])[], tag?: string): Decision {
  return {
    kind: "read",
    result: { fields, rows: found, tag: tag ?? `SELECT ${found.length}` },
  };
}

function done(tag: string): SqlReply {
  return { ok: true, result: { fields: [], rows: [], tag } };
}

function fields(...types: readonly string[]): Fields {
  return types.map((field) => field.split(" ") as [string, SqlType]);
}

const ROW = fields("ordinal int8", "epoch int4", "last_sequence int8", "chain_hash bytea");
const ROW_WITH_BYTES = [...ROW, ...fields("bytes bytea")];

function rowOf({ ordinal, epoch, lastSequence, chainHash }: LogRecord): SqlValue[] {
  return [ordinal, epoch, lastSequence, chainHash];
}

/** A row of the log, unless one has its place. */
function insert(tables: Tables, row: LogRecord, isReturned: boolean): Decision {
  const outcome = (): Outcome => {
    if (tables.log[row.ordinal] !== undefined) {
      const message = 'duplicate key value violates unique constraint "log_pkey"';
      return { change: null, reply: { ok: false, code: "23505", message } };
    }
    const returned = isReturned ? [rowOf(row)] : [];
    const result = { fields: isReturned ? ROW : [], rows: returned, tag: "INSERT 0 1" };
    return { change: { table: "log", row }, reply: { ok: true, result } };
  };
  return { kind: "write", lock: `log ${row.ordinal}`, outcome };
}

/** A change of the lease by whoever finds it as it should be. */
function lease(
  tables: Tables,
  fits: () => boolean,
  next: () => Partial<Tables["lease"]>,
): Decision {
  const outcome = (): Outcome => {
    if (!fits()) return { change: null, reply: done("UPDATE 0") };
    const row = { ...tables.lease, ...next() };
    return { change: { table: "lease", row }, reply: done("UPDATE 1") };
  };
  return { kind: "write", lock: "lease", outcome };
}

function node(lock: string, row: () => NodeRecord | undefined): Decision {
  const outcome = (): Outcome => {
    const found = row();
    if (found === undefined) return { change: null, reply: done("UPDATE 0") };
    return { change: { table: "node", row: found }, reply: done("UPDATE 1") };
  };
  return { kind: "write", lock: `node ${lock}`, outcome };
}

function key(apiKey: string, row: KeyRecord | null, isKept: boolean): Decision {
  const outcome = (): Outcome => {
    if (isKept) return { change: null, reply: done("INSERT 0 0") };
    return { change: { table: "key", apiKey, row }, reply: done("INSERT 0 1") };
  };
  return { kind: "write", lock: `key ${apiKey}`, outcome };
}

const KEY = fields(
  ...["api_key text", "uid int8", "master_key_version int4"],
  ...["iv bytea", "sealed_secret bytea", "passphrase_digest bytea"],
  ...["passphrase_version int4", "passphrase_iv bytea", "passphrase_key bytea"],
);

function keyRow({ apiKey, uid, masterKeyVersion, ...sealed }: KeyRecord): SqlValue[] {
  const { carried, iv, passphraseDigest, sealedSecret } = sealed;
  return [apiKey, uid, masterKeyVersion, iv, sealedSecret, passphraseDigest, ...carried];
}

function members({ nodes }: Tables, nowMs: number): string {
  const told = [...nodes.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
  return JSON.stringify(
    told.map(({ seenMs, ...row }) => ({ ...row, silentMs: Math.floor(nowMs - seenMs) })),
  );
}

const SETTINGS = fields(
  ...["version int4", "is_standby bool", "standbys text", "commits text"],
  ...["fsync text", "pages text", "has_log bool"],
);

const VENUE = fields(
  ...["id text", "sandbox bool", "generation int4", "log_version int4", "partition_rows int8"],
);

const MEMBERS = fields(
  ...["counted int4", "id text", "generation int4", "sealing int4", "owner text"],
  ...["successor text", "epoch int4", "last_sequence int8", "members json"],
);

/** By their first words, or all of them where each counts. */
const MEANINGS: readonly (readonly [words: string | RegExp, meaning: Meaning])[] = [
  [/^SET client_min_messages = warning; .* SET lock_timeout = 1000; /, () => rows([], [], "SET")],
  [
    /^SELECT current_setting\('server_version_num'\)/,
    (_values, _tables, { isStandby, names }) => {
      const standbys = `ANY 1 (${names.map((name) => `${name}_g1`).join(", ")})`;
      return rows(SETTINGS, [[18, isStandby, standbys, "on", "on", "on", true]]);
    },
  ],
  [/AS timeline$/, (_values, _tables, { timeline }) => rows(fields("timeline int4"), [[timeline]])],
  [
    "SELECT id, sandbox, generation, log_version, partition_rows FROM rialto.venue",
    (_values, _tables, { venueId }) => rows(VENUE, [[venueId, false, 1, 2, 1_000_000]]),
  ],
  // Of the user's rights none is missing.
  [/^\s*SELECT current_user::text AS "user", ARRAY\(/, () => rows([], [])],
  // No simulation makes a webhook.
  [
    "SELECT webhook_id, position FROM rialto.webhook",
    () => rows(fields("webhook_id text", "position int8"), []),
  ],
  [
    /^SELECT set_config\('tcp_keepalives_idle', .*pg_try_advisory_lock\(\$1\) AS taken$/,
    (_values, _tables, { takeLock }) => rows(fields("taken bool"), [[takeLock()]]),
  ],
  [
    "SELECT pg_advisory_unlock($1)",
    (_values, _tables, { releaseLock }) => {
      releaseLock();
      return rows(fields("pg_advisory_unlock bool"), [[true]]);
    },
  ],
  ["SELECT rialto.make_partition($1)", () => rows(fields("make_partition text"), [[""]])],
  [
    "SELECT epoch, chain_hash FROM rialto.log WHERE ordinal = $1 AND pg_is_in_recovery()",
    (values, { log }, { isStandby }) => {
      const row = log[values.number(1)];
      const found = isStandby && row !== undefined ? [[row.epoch, row.chainHash]] : [];
      return rows(fields("epoch int4", "chain_hash bytea"), found);
    },
  ],
  [
    "SELECT pg_logical_emit_message(true, 'rialto', '')",
    () => {
      const reply = rows(fields("pg_logical_emit_message text"), [["0/0"]]);
      const result = (reply as Extract<Decision, { kind: "read" }>).result;
      const outcome = (): Outcome => ({ change: { table: "none" }, reply: { ok: true, result } });
      return { kind: "write", lock: "", outcome };
    },
  ],
  [
    "SELECT ordinal, epoch, last_sequence, chain_hash FROM rialto.log " +
      "ORDER BY ordinal DESC LIMIT 1",
    (_values, { end }) => rows(ROW, [rowOf(end)]),
  ],
  [
    "SELECT ordinal, epoch, last_sequence, chain_hash FROM rialto.log WHERE last_sequence <= $1 " +
      "ORDER BY last_sequence DESC, ordinal DESC LIMIT 1",
    (values, { log }) => {
      const found = log.findLast(({ lastSequence }) => lastSequence <= values.number(1));
      return rows(ROW, found === undefined ? [] : [rowOf(found)]);
    },
  ],
  [
    "SELECT ordinal, epoch, last_sequence, chain_hash, bytes FROM rialto.log WHERE ordinal > $1 " +
      "ORDER BY ordinal LIMIT 16",
    (values, { log }) => {
      const after = values.number(1) + 1;
      const found = log.slice(after, after + 16);
      return rows(
        ROW_WITH_BYTES,
        found.map((row) => [...rowOf(row), row.bytes]),
      );
    },
  ],
  [
    "SELECT ordinal, epoch, last_sequence, chain_hash FROM rialto.log " +
      "WHERE ordinal IN ($1::int8 - 1, $1::int8)",
    (values, { log }) => {
      const at = values.number(1);
      return rows(ROW, log.slice(at - 1, at + 1).map(rowOf));
    },
  ],
  [
    "INSERT INTO rialto.log SELECT $1::int8, $2::int4, $3::int8, $4::bytea, $5::bytea " +
      "FROM rialto.log WHERE ordinal = $1::int8 - 1 AND epoch = $2::int4 " +
      "AND chain_hash = $6::bytea",
    (values, tables) => {
      const [ordinal, epoch] = [values.number(1), values.number(2)];
      const before = tables.log[ordinal - 1];
      const isBehind = before?.epoch === epoch && before.chainHash.equals(values.bytes(6));
      if (!isBehind) return rows([], [], "INSERT 0 0");
      const lastSequence = values.number(3);
      const row = { ordinal, epoch, lastSequence, chainHash: values.bytes(4) };
      return insert(tables, { ...row, bytes: values.bytes(5) }, false);
    },
  ],
  [
    "INSERT INTO rialto.log SELECT ordinal + 1, epoch + 1, last_sequence, chain_hash, NULL " +
      "FROM rialto.log WHERE ordinal = $1 AND chain_hash = $2 " +
      "RETURNING ordinal, epoch, last_sequence, chain_hash",
    (values, tables) => {
      const before = tables.log[values.number(1)];
      if (before?.chainHash.equals(values.bytes(2)) !== true) return rows(ROW, [], "INSERT 0 0");
      const ordinal = before.ordinal + 1;
      return insert(tables, { ...before, ordinal, epoch: before.epoch + 1, bytes: null }, true);
    },
  ],
  [
    "SELECT beat, owner FROM rialto.lease",
    (_values, { lease: { beat, owner } }) =>
      rows(fields("beat int8", "owner text"), [[beat, owner]]),
  ],
  [
    "UPDATE rialto.lease SET beat = beat + 1 WHERE owner = $1",
    (values, tables) =>
      lease(
        tables,
        () => tables.lease.owner === values.text(1),
        () => ({ beat: tables.lease.beat + 1 }),
      ),
  ],
  [
    "UPDATE rialto.lease SET beat = beat + 1, owner = $1, successor = '' WHERE beat = $2",
    (values, tables) =>
      lease(
        tables,
        () => tables.lease.beat === values.number(2),
        () => ({ beat: tables.lease.beat + 1, owner: values.text(1), successor: "" }),
      ),
  ],
  [
    "UPDATE rialto.lease SET beat = beat + 1, owner = $2, successor = '' WHERE owner = $1",
    (values, tables) =>
      lease(
        tables,
        () => tables.lease.owner === values.text(1),
        () => ({ beat: tables.lease.beat + 1, owner: values.text(2), successor: "" }),
      ),
  ],
  [
    "UPDATE rialto.lease SET successor = $1",
    (values, tables) =>
      lease(
        tables,
        () => true,
        () => ({ successor: values.text(1) }),
      ),
  ],
  [
    /^SELECT \(SELECT count\(\*\)::int FROM pg_stat_replication .* rialto\.lease l$/,
    (_values, tables, { counted, nowMs, venueId }) => {
      const { owner, successor } = tables.lease;
      const told = members(tables, nowMs);
      const { epoch, lastSequence } = tables.end;
      const sealing = tables.masterKey.version;
      const lease = [sealing, owner, successor];
      return rows(MEMBERS, [[counted, venueId, 1, ...lease, epoch, lastSequence, told]]);
    },
  ],
  [
    /^INSERT INTO rialto\.node \(.*\) ON CONFLICT \(name\) DO UPDATE SET run = \$2, url = \$3, /,
    (values, _tables, { nowMs }) =>
      node(values.text(1), () => ({
        ...{ name: values.text(1), run: values.text(2), url: values.text(3) },
        ...{ link: values.text(4), version: values.text(5), rules: values.number(6) },
        ...{ sequence: values.number(7), lagMs: values.number(8), seenMs: nowMs },
        ...{ masterKeys: JSON.parse(values.text(9)), sealing: values.numberOrNull(10) },
      })),
  ],
  [
    "UPDATE rialto.node SET seen = 'epoch' WHERE run = $1",
    (values, { nodes }) => {
      const find = () => [...nodes.values()].find(({ run }) => run === values.text(1));
      return node(find()?.name ?? "", () => {
        const row = find();
        return row && { ...row, seenMs: 0 };
      });
    },
  ],
  [
    "UPDATE rialto.master_key SET version = $1, fingerprint = $2 WHERE version IS NULL",
    (values, tables) => {
      const row = { version: values.number(1), fingerprint: values.bytes(2) };
      const outcome = (): Outcome =>
        tables.masterKey.version === null
          ? { change: { table: "master-key", row }, reply: done("UPDATE 1") }
          : { change: null, reply: done("UPDATE 0") };
      return { kind: "write", lock: "master key", outcome };
    },
  ],
  [
    "SELECT version, fingerprint FROM rialto.master_key",
    (_values, { masterKey: { fingerprint, version } }) =>
      rows(fields("version int4", "fingerprint bytea"), [[version, fingerprint]]),
  ],
  [
    "INSERT INTO rialto.api_key SELECT $1::text, $2::bigint, $3::int, $4::bytea, $5::bytea, " +
      "$6::bytea, $7::int, $8::bytea, $9::bytea FROM rialto.master_key WHERE version = $3::int",
    (values, { keys, masterKey }) => {
      if (masterKey.version !== values.number(3)) return rows([], [], "INSERT 0 0");
      const [apiKey, uid] = [values.text(1), values.text(2)];
      const sealed = { iv: values.bytes(4), sealedSecret: values.bytes(5) };
      const row = { apiKey, uid, masterKeyVersion: values.number(3), ...sealed };
      const carried = [values.numberOrNull(7), values.orNull(8), values.orNull(9)] as const;
      const passphraseDigest = values.bytes(6);
      return key(apiKey, { ...row, passphraseDigest, carried }, keys.has(apiKey));
    },
  ],
  [
    "DELETE FROM rialto.api_key WHERE api_key = $1",
    (values, { keys }) => key(values.text(1), null, !keys.has(values.text(1))),
  ],
  [
    "SELECT * FROM rialto.api_key ORDER BY api_key",
    (_values, { keys }) => {
      const known = [...keys.values()].sort((one, other) => (one.apiKey < other.apiKey ? -1 : 1));
      return rows(KEY, known.map(keyRow));
    },
  ],
  [
    "SELECT * FROM rialto.api_key WHERE api_key = $1",
    (values, { keys }) => {
      const found = keys.get(values.text(1));
      return rows(KEY, found === undefined ? [] : [keyRow(found)]);
    },
  ],
];

/** Null for a statement that nobody knows. */
export function decide({ text, values }: SqlStatement, tables: Tables, about: About) {
  const known = MEANINGS.find(([words]) =>
    typeof words === "string" ? words === text : words.test(text),
  );
  return known === undefined ? null : known[1](new Values(values), tables, about);
}
