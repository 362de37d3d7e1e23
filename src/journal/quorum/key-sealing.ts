/**
 * The secrets of API keys in PostgreSQL, sealed with another master key: all of them in one
 * transaction, which also says which master key seals from then on. The table is emptied and filled
 * again, so that nothing that the old master key opens is left in its file.
 */
import type { PostgresConnection } from "./connection.ts";
import type { KeyRow, MasterKeyRow } from "./log-table.ts";
import {
  type Membership,
  READ_KEYS,
  READ_MEMBERS,
  type StoredKeyRow,
  toKeyRow,
} from "./member-rows.ts";
import { PrimarySession, type SessionOptions } from "./primary-session.ts";

/** With a hundred thousand keys it takes seconds. */
const SEAL_MS = 60_000;
const KEYS_PER_STATEMENT = 1_000;
/** A machine that is lost in the middle must not keep the table locked. */
const IDLE_MS = 30_000;

const INSERT =
  "INSERT INTO rialto.api_key SELECT k.api_key, k.uid, k.master_key_version, " +
  "decode(k.iv, 'hex'), decode(k.sealed_secret, 'hex'), decode(k.passphrase_digest, 'hex'), " +
  "k.passphrase_version, decode(k.passphrase_iv, 'hex'), decode(k.passphrase_key, 'hex') " +
  "FROM jsonb_to_recordset($1::jsonb) AS k (api_key text, uid bigint, master_key_version int, " +
  "iv text, sealed_secret text, passphrase_digest text, passphrase_version int, " +
  "passphrase_iv text, passphrase_key text)";

export interface Sealing extends SessionOptions {
  readonly masterKey: MasterKeyRow;
  /** Throws when the nodes are not ready for it: nothing is changed. */
  readonly check: (members: Membership) => void;
  readonly reseal: (keys: readonly KeyRow[]) => readonly KeyRow[];
  /** Told before the transaction ends. */
  readonly onSealed?: () => void;
}

/**
 * Resolves with the number of keys; when it rejects, all or nothing was done. While it works, no
 * node reads or writes a key.
 */
export async function sealKeysAnew(sealing: Sealing): Promise<number> {
  const session = new PrimarySession(sealing);
  // One connection: another one would not be in the transaction.
  const { connection } = await session.primary();
  try {
    return await seal(connection, sealing);
  } finally {
    session.drop();
  }
}

async function seal(connection: PostgresConnection, sealing: Sealing): Promise<number> {
  const { check, masterKey, onSealed, reseal } = sealing;
  const lock =
    `BEGIN; SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}; ` +
    "LOCK TABLE rialto.api_key IN ACCESS EXCLUSIVE MODE";
  await connection.query({ text: lock }, SEAL_MS);
  const [members] = (await connection.query<Membership>(READ_MEMBERS, SEAL_MS)).rows;
  if (members === undefined) throw new Error("the venue has no row");
  check(members);
  const { rows } = await connection.query<StoredKeyRow>(READ_KEYS, SEAL_MS);
  const keys = reseal(rows.map(toKeyRow));
  await connection.query({ text: "TRUNCATE rialto.api_key" }, SEAL_MS);
  for (let first = 0; first < keys.length; first += KEYS_PER_STATEMENT) {
    const page = keys.slice(first, first + KEYS_PER_STATEMENT).map(toText);
    await connection.query({ text: INSERT, values: [JSON.stringify(page)] }, SEAL_MS);
  }
  const { fingerprint, version } = masterKey;
  const text = "UPDATE rialto.master_key SET version = $1, fingerprint = $2";
  await connection.query({ text, values: [version, fingerprint] }, SEAL_MS);
  onSealed?.();
  await connection.query({ text: "COMMIT" }, SEAL_MS);
  return keys.length;
}

function toText(key: KeyRow): Readonly<Record<string, string | number | null>> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
  const { passphraseKey: carried } = key;
  return {
    api_key: key.apiKey,
    uid: key.uid,
    master_key_version: key.masterKeyVersion,
    iv: hex(key.iv),
    sealed_secret: hex(key.sealedSecret),
    passphrase_digest: hex(key.passphraseDigest),
    passphrase_version: carried?.version ?? null,
    passphrase_iv: carried === null ? null : hex(carried.iv),
    passphrase_key: carried === null ? null : hex(carried.sealedKey),
  };
}
