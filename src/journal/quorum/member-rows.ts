/** What the nodes of a cluster tell each other through PostgreSQL: who is there, and who leads. */
import type { Statement } from "./connection.ts";
import { type KeyRow, type MasterKeyRow, ownMasterKey, putKey } from "./log-table.ts";
import { PrimarySession, type SessionOptions } from "./primary-session.ts";

/** A node as it last told. */
export interface Member {
  readonly name: string;
  /** Of this run of it. */
  readonly run: string;
  /** Of its API. */
  readonly url: string;
  /** Where the other nodes reach it: host and port. */
  readonly link: string;
  readonly version: string;
  /** The newest rules that its program knows. */
  readonly rules: number;
  /** The last command that it has applied. */
  readonly sequence: number;
  readonly lagMs: number;
  /** The master keys that it has: the fingerprint of each version, as hex digits. */
  readonly masterKeys: Readonly<Record<string, string>>;
  /** The version with which its copy of the secrets is sealed. */
  readonly sealing: number;
}

export interface SeenMember extends Member {
  /** How long ago it told, by the clock of the primary. */
  readonly silentMs: number;
}

export interface Membership {
  readonly venueId: string;
  readonly generation: number;
  /** Of the log's last row. */
  readonly epoch: number;
  /** The last command in the log. */
  readonly sequence: number;
  /** Who has the lease: `name/run`, or empty. */
  readonly owner: string;
  /** The version of the master key that seals the secrets; null before anything was sealed. */
  readonly sealing: number | null;
  /** The node to which whoever leads is asked to hand over, or empty. */
  readonly successor: string;
  /** Standbys whose flushes count; needs the role pg_monitor. */
  readonly counted: number;
  /** By name. */
  readonly members: readonly SeenMember[];
}

const ANSWER_MS = 1500;
/** For secrets, which are durable before anything else happens. */
const DURABLE_MS = 15_000;

export const READ_MEMBERS: Statement = {
  name: "members",
  text:
    "SELECT (SELECT count(*)::int FROM pg_stat_replication WHERE state = 'streaming' AND " +
    "sync_state IN ('quorum', 'sync')) AS counted, v.id, v.generation, " +
    "(SELECT version FROM rialto.master_key) AS sealing, l.owner, l.successor, " +
    "(SELECT epoch FROM rialto.log ORDER BY ordinal DESC LIMIT 1) AS epoch, " +
    "(SELECT last_sequence FROM rialto.log ORDER BY ordinal DESC LIMIT 1) AS last_sequence, " +
    "(SELECT coalesce(json_agg(json_build_object('name', name, 'run', run, 'url', url, " +
    "'link', link, 'version', version, 'rules', rules, " +
    "'sequence', sequence, 'lagMs', lag_ms, 'masterKeys', master_keys, 'sealing', sealing, " +
    "'silentMs', " +
    "floor(extract(epoch FROM clock_timestamp() - seen) * 1000)) ORDER BY name), '[]') " +
    "FROM rialto.node) AS members FROM rialto.venue v, rialto.lease l",
};

function tell(member: Member): Statement {
  const { name, run, url, link, version, rules, sequence, lagMs, masterKeys, sealing } = member;
  const text =
    "INSERT INTO rialto.node (name, run, url, link, version, rules, sequence, lag_ms, " +
    "master_keys, sealing, seen) " +
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, clock_timestamp()) " +
    "ON CONFLICT (name) DO UPDATE SET run = $2, url = $3, link = $4, version = $5, rules = $6, " +
    "sequence = $7, lag_ms = $8, master_keys = $9, sealing = $10, seen = clock_timestamp()";
  const where = [name, run, url, link, version, rules, sequence, Math.round(lagMs)];
  const values = [...where, JSON.stringify(masterKeys), sealing];
  return { name: "member-tell", text, values };
}

export interface StoredKeyRow {
  readonly api_key: string;
  readonly uid: string;
  readonly master_key_version: number;
  readonly iv: Buffer;
  readonly sealed_secret: Buffer;
  readonly passphrase_digest: Buffer;
  readonly passphrase_version: number | null;
  readonly passphrase_iv: Buffer | null;
  readonly passphrase_key: Buffer | null;
}

export function toKeyRow(row: StoredKeyRow): KeyRow {
  const { passphrase_iv: iv, passphrase_key: sealedKey, passphrase_version: version } = row;
  const isCarried = version !== null && iv !== null && sealedKey !== null;
  return {
    apiKey: row.api_key,
    uid: Number(row.uid),
    masterKeyVersion: row.master_key_version,
    iv: row.iv,
    sealedSecret: row.sealed_secret,
    passphraseDigest: row.passphrase_digest,
    passphraseKey: isCarried ? { version, iv, sealedKey } : null,
  };
}

export const READ_KEYS: Statement = { text: "SELECT * FROM rialto.api_key ORDER BY api_key" };

/** Over a connection of its own. Each call rejects when it is not known whether it was done. */
export class MemberRows {
  readonly #session: PrimarySession;

  constructor(options: SessionOptions) {
    this.#session = new PrimarySession(options);
  }

  async tell(member: Member): Promise<void> {
    await this.#session.query(tell(member), ANSWER_MS);
  }

  /** This run of the node is not there any more. */
  async leave(run: string): Promise<void> {
    const text = "UPDATE rialto.node SET seen = 'epoch' WHERE run = $1";
    await this.#session.query({ name: "member-leave", text, values: [run] }, ANSWER_MS);
  }

  async read(): Promise<Membership> {
    const { rows } = await this.#session.query<{
      readonly id: string;
      readonly generation: number;
      readonly epoch: number;
      readonly sealing: number | null;
      readonly last_sequence: string;
      readonly owner: string;
      readonly successor: string;
      readonly counted: number;
      readonly members: readonly SeenMember[];
    }>(READ_MEMBERS, ANSWER_MS);
    const [row] = rows;
    if (row === undefined) throw new Error("the venue has no row");
    const { id: venueId, last_sequence, ...rest } = row;
    return { venueId, sequence: Number(last_sequence), ...rest };
  }

  /** The master key that seals the secrets: `own`, where there is none yet. */
  async masterKey(own: MasterKeyRow): Promise<MasterKeyRow> {
    await this.#session.query(ownMasterKey(own), DURABLE_MS);
    const text = "SELECT version, fingerprint FROM rialto.master_key";
    const [row] = (await this.#session.query<MasterKeyRow>({ text }, ANSWER_MS)).rows;
    if (row === undefined) throw new Error("the master key has no row");
    return row;
  }

  /** Durable when it resolves; false, with nothing done, when another master key seals now. */
  async putKey(key: KeyRow): Promise<boolean> {
    const { rowCount } = await this.#session.query(putKey(key), DURABLE_MS);
    return rowCount === 1;
  }

  async removeKey(apiKey: string): Promise<void> {
    const text = "DELETE FROM rialto.api_key WHERE api_key = $1";
    await this.#session.query({ name: "key-remove", text, values: [apiKey] }, DURABLE_MS);
  }

  async keys(): Promise<readonly KeyRow[]> {
    const { rows } = await this.#session.query<StoredKeyRow>(READ_KEYS, DURABLE_MS);
    return rows.map(toKeyRow);
  }

  /** Null when there is no such key. */
  async key(apiKey: string): Promise<KeyRow | null> {
    const text = "SELECT * FROM rialto.api_key WHERE api_key = $1";
    const statement = { name: "key-read", text, values: [apiKey] };
    const [row] = (await this.#session.query<StoredKeyRow>(statement, ANSWER_MS)).rows;
    return row === undefined ? null : toKeyRow(row);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
