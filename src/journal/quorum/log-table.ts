/**
 * The log in PostgreSQL: a table with a row for each commit, whose bytes are those of a segment's
 * batches, and a *barrier*, a row without bytes, for each time that somebody takes the lead.
 *
 * Rows are never changed, so the log itself is the fence: a row is only inserted behind the one
 * with the writer's own epoch and chain hash. Two writers of the same place meet in the primary
 * key; a deposed one finds the barrier in its place; a row that is gone shows as such.
 */
import type { PostgresConnection, Statement } from "./connection.ts";
import { GRANT_TO_WRITER, PARTITIONS, WRITER_ROLE } from "./writer-role.ts";

/** Of the table, as the driver gives it: `bigint` is text. */
export interface LogRow {
  readonly ordinal: string;
  readonly epoch: number;
  readonly last_sequence: string;
  readonly chain_hash: Buffer;
}

export interface LogRowWithBytes extends LogRow {
  readonly bytes: Buffer | null;
}

/** What the log says about itself. */
export interface Venue {
  readonly id: string;
  /** Whether its clock may be moved. */
  readonly sandbox: boolean;
  /** Of the membership in the quorum: raised with each change of its names. */
  readonly generation: number;
  readonly log_version: number;
  /** Ordinals in each partition of the log. */
  readonly partition_rows: string;
}

export const LOG_VERSION = 2;
const PARTITION_ROWS = 1_000_000;

/** The first row: behind it, the first leader puts its barrier. */
const GENESIS = "INSERT INTO rialto.log VALUES (0, 0, 0, decode(repeat('00', 32), 'hex'), NULL)";

const SCHEMA = `
CREATE SCHEMA rialto;
CREATE TABLE rialto.venue (
  id uuid NOT NULL,
  sandbox boolean NOT NULL,
  generation integer NOT NULL,
  log_version integer NOT NULL,
  partition_rows bigint NOT NULL
);
CREATE TABLE rialto.lease (
  beat bigint NOT NULL,
  owner text NOT NULL,
  successor text NOT NULL
) WITH (fillfactor = 10);
INSERT INTO rialto.lease VALUES (0, '', '');
CREATE TABLE rialto.node (
  name text PRIMARY KEY,
  run text NOT NULL,
  url text NOT NULL,
  link text NOT NULL,
  version text NOT NULL,
  rules integer NOT NULL,
  sequence bigint NOT NULL,
  lag_ms bigint NOT NULL,
  master_keys jsonb NOT NULL,
  sealing integer NOT NULL,
  seen timestamptz NOT NULL
) WITH (fillfactor = 10);
CREATE TABLE rialto.api_key (
  api_key text PRIMARY KEY,
  uid bigint NOT NULL,
  master_key_version integer NOT NULL,
  iv bytea NOT NULL,
  sealed_secret bytea NOT NULL,
  passphrase_digest bytea NOT NULL,
  passphrase_version integer,
  passphrase_iv bytea,
  passphrase_key bytea
);
CREATE TABLE rialto.master_key (version integer, fingerprint bytea);
INSERT INTO rialto.master_key VALUES (NULL, NULL);
CREATE TABLE rialto.webhook (
  webhook_id text PRIMARY KEY,
  position bigint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE rialto.webhook_delivery (
  webhook_id text NOT NULL,
  delivery_id bigint NOT NULL,
  delivery text NOT NULL,
  PRIMARY KEY (webhook_id, delivery_id)
);
CREATE TABLE rialto.log (
  ordinal bigint PRIMARY KEY,
  epoch integer NOT NULL,
  last_sequence bigint NOT NULL,
  chain_hash bytea NOT NULL CHECK (length(chain_hash) = 32),
  bytes bytea
) PARTITION BY RANGE (ordinal);
ALTER TABLE rialto.log ALTER bytes SET STORAGE EXTERNAL;
CREATE INDEX ON rialto.log (last_sequence, ordinal);
CREATE FUNCTION rialto.refuse_change() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'rialto.log only grows'; END $$;
CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE ON rialto.log
  FOR EACH ROW EXECUTE FUNCTION rialto.refuse_change();
CREATE TRIGGER never_emptied BEFORE TRUNCATE ON rialto.log
  FOR EACH STATEMENT EXECUTE FUNCTION rialto.refuse_change()`;

/** How far a webhook was told; its secret is among those of the keys. */
export interface WebhookPosition {
  readonly webhookId: string;
  /** The number of the last event that was delivered. */
  readonly position: number;
}

/** A venue that existed before: its commits so far, and the secrets of API keys and webhooks. */
export interface LogContent {
  /** In order; each goes on where the one before ends. */
  readonly rows: AsyncIterable<LoadedRow>;
  readonly keys: SealedKeys;
  readonly webhooks: readonly WebhookPosition[];
}

export type LoadedRow = Omit<NewRow, "ordinal" | "previousChainHash">;

/** Creates the log of a venue, all of it or nothing. Resolves with its last sequence. */
export async function createLog(
  connection: PostgresConnection,
  { venueId, sandbox }: { readonly venueId: string; readonly sandbox: boolean },
  timeoutMs: number,
  content: LogContent | null,
  partitionRows = PARTITION_ROWS,
): Promise<number> {
  const run = (statement: Statement) => connection.query(statement, timeoutMs);
  const values = `'${venueId}', ${sandbox}, 1, ${LOG_VERSION}, ${partitionRows}`;
  const venue = `INSERT INTO rialto.venue VALUES (${values})`;
  await run({ text: ["BEGIN", SCHEMA, PARTITIONS, GRANT_TO_WRITER, venue].join(";\n") });
  await run(makePartition(0));
  await run({ text: GENESIS });
  let ordinal = 0;
  let sequence = 0;
  for await (const row of content?.rows ?? []) {
    ordinal++;
    sequence = row.lastSequence;
    if (ordinal % partitionRows === 0) await run(makePartition(ordinal));
    await run(loaded(ordinal, row));
  }
  if (content !== null) {
    await run(ownMasterKey(content.keys.masterKey));
    for (const key of content.keys.keys) await run(putKey(key));
  }
  for (const webhook of content?.webhooks ?? []) await run(putWebhook(webhook));
  await run({ text: "COMMIT" });
  return sequence;
}

function loaded(ordinal: number, row: LoadedRow): Statement {
  const { epoch, lastSequence, chainHash, bytes } = row;
  const text = "INSERT INTO rialto.log VALUES ($1, $2, $3, $4, $5)";
  return { name: "load", text, values: [ordinal, epoch, lastSequence, chainHash, bytes] };
}

/** The secrets of an API key, sealed: of no use without the master key. */
export interface KeyRow {
  readonly apiKey: string;
  readonly uid: number;
  readonly masterKeyVersion: number;
  readonly iv: Uint8Array;
  readonly sealedSecret: Uint8Array;
  readonly passphraseDigest: Uint8Array;
  /** What made the digest, where that was an older master key. */
  readonly passphraseKey: {
    readonly version: number;
    readonly iv: Uint8Array;
    readonly sealedKey: Uint8Array;
  } | null;
}

/** Tells one master key from another, and reveals nothing of it. */
export interface MasterKeyRow {
  readonly version: number;
  readonly fingerprint: Buffer;
}

/** All sealed with this master key. */
export interface SealedKeys {
  readonly masterKey: MasterKeyRow;
  readonly keys: readonly KeyRow[];
}

/** The master key that seals, where there is none yet. */
export function ownMasterKey({ version, fingerprint }: MasterKeyRow): Statement {
  const text = "UPDATE rialto.master_key SET version = $1, fingerprint = $2 WHERE version IS NULL";
  return { name: "master-key-own", text, values: [version, fingerprint] };
}

/** Nothing is done when another master key seals: the lock of the table makes it wait for that. */
export function putKey(key: KeyRow): Statement {
  const { apiKey, uid, masterKeyVersion, iv, sealedSecret, passphraseDigest, passphraseKey } = key;
  const text =
    "INSERT INTO rialto.api_key SELECT $1::text, $2::bigint, $3::int, $4::bytea, $5::bytea, " +
    "$6::bytea, $7::int, $8::bytea, $9::bytea FROM rialto.master_key WHERE version = $3::int";
  const { version = null, iv: carriedIv = null, sealedKey = null } = passphraseKey ?? {};
  const sealed = [apiKey, uid, masterKeyVersion, iv, sealedSecret, passphraseDigest];
  return { name: "key-put", text, values: [...sealed, version, carriedIv, sealedKey] };
}

export function putWebhook({ webhookId, position }: WebhookPosition): Statement {
  const text =
    "INSERT INTO rialto.webhook VALUES ($1, $2) " +
    "ON CONFLICT (webhook_id) DO UPDATE SET position = $2";
  return { name: "webhook-put", text, values: [webhookId, position] };
}

export const VENUE: Statement = {
  text: "SELECT id, sandbox, generation, log_version, partition_rows FROM rialto.venue",
};

/** Makes the partition of an ordinal, unless it exists. */
export function makePartition(ordinal: number): Statement {
  return { name: "partition", text: "SELECT rialto.make_partition($1)", values: [ordinal] };
}

/** Whether nodes may log in with less than the rights of an owner. */
export async function hasWriterRole(
  connection: PostgresConnection,
  timeoutMs: number,
): Promise<boolean> {
  const text = "SELECT FROM pg_roles WHERE rolname = $1";
  return (await connection.query({ text, values: [WRITER_ROLE] }, timeoutMs)).rowCount === 1;
}

const ROW = "ordinal, epoch, last_sequence, chain_hash";

export const END: Statement = {
  name: "end",
  text: `SELECT ${ROW} FROM rialto.log ORDER BY ordinal DESC LIMIT 1`,
};

/** The last row at or before a sequence: a barrier comes after the commit that it follows. */
export function lastRowThrough(sequence: number): Statement {
  const text =
    `SELECT ${ROW} FROM rialto.log WHERE last_sequence <= $1 ` +
    "ORDER BY last_sequence DESC, ordinal DESC LIMIT 1";
  return { text, values: [sequence] };
}

/** Of a commit, at most as many rows at a time as memory has room for. */
const PAGE_ROWS = 16;

export function rowsAfter(ordinal: number): Statement {
  const text =
    `SELECT ${ROW}, bytes FROM rialto.log WHERE ordinal > $1 ` +
    `ORDER BY ordinal LIMIT ${PAGE_ROWS}`;
  return { name: "rows-after", text, values: [ordinal] };
}

/** The rows of an ordinal and of the one before. */
export function rowsAround(ordinal: number): Statement {
  const text = `SELECT ${ROW} FROM rialto.log WHERE ordinal IN ($1::int8 - 1, $1::int8)`;
  return { name: "rows-around", text, values: [ordinal] };
}

export interface ShownRow {
  readonly epoch: number;
  readonly chain_hash: Buffer;
}

/** A row as a standby has it; a primary shows none. */
export function rowOnStandby(ordinal: number): Statement {
  const text =
    "SELECT epoch, chain_hash FROM rialto.log WHERE ordinal = $1 AND pg_is_in_recovery()";
  return { name: "row-on-standby", text, values: [ordinal] };
}

/** A row to be written. */
export interface NewRow {
  readonly ordinal: number;
  readonly epoch: number;
  readonly lastSequence: number;
  readonly chainHash: Uint8Array;
  readonly previousChainHash: Uint8Array;
  readonly bytes: Uint8Array;
}

/** One row: it stands, behind the row that the writer left. None: see what stands there. */
export function append(row: NewRow): Statement {
  const { ordinal, epoch, lastSequence, chainHash, bytes, previousChainHash } = row;
  const text =
    "INSERT INTO rialto.log SELECT $1::int8, $2::int4, $3::int8, $4::bytea, $5::bytea " +
    "FROM rialto.log WHERE ordinal = $1::int8 - 1 AND epoch = $2::int4 AND chain_hash = $6::bytea";
  const values = [ordinal, epoch, lastSequence, chainHash, bytes, previousChainHash];
  return { name: "append", text, values };
}

/** Takes the lead, if the log still ends with this row. */
export function barrier({ ordinal, chain_hash }: LogRow): Statement {
  const text =
    "INSERT INTO rialto.log SELECT ordinal + 1, epoch + 1, last_sequence, chain_hash, NULL " +
    `FROM rialto.log WHERE ordinal = $1 AND chain_hash = $2 RETURNING ${ROW}`;
  return { name: "barrier", text, values: [ordinal, chain_hash] };
}

export const READ_BEAT: Statement = {
  name: "beat-read",
  text: "SELECT beat, owner FROM rialto.lease",
};

/**
 * A change of the lease waits for whoever changes it at that moment, then looks at what they left:
 * of a beat and a claim on their way together, the second does nothing.
 */
export function raiseBeat(owner: string): Statement {
  const text = "UPDATE rialto.lease SET beat = beat + 1 WHERE owner = $1";
  return { name: "beat-raise", text, values: [owner] };
}

export function claimBeat(owner: string, seen: number): Statement {
  const text =
    "UPDATE rialto.lease SET beat = beat + 1, owner = $1, successor = '' WHERE beat = $2";
  return { name: "beat-claim", text, values: [owner, seen] };
}

/**
 * Gives the lease to another, who beats from then on, or to nobody: whoever sees no owner need not
 * wait until a lease is over.
 */
export function handOverBeat(owner: string, successor: string): Statement {
  const text =
    "UPDATE rialto.lease SET beat = beat + 1, owner = $2, successor = '' WHERE owner = $1";
  return { name: "beat-hand-over", text, values: [owner, successor] };
}

/** Asks whoever leads to hand over to the node of this name; empty: to nobody any more. */
export function nameSuccessor(node: string): Statement {
  const text = "UPDATE rialto.lease SET successor = $1";
  return { name: "successor", text, values: [node] };
}

/** A commit of its own that changes nothing: once it is durable, so is all before it. */
export const CONFIRM: Statement = {
  name: "confirm",
  text: "SELECT pg_logical_emit_message(true, 'rialto', '')",
};
