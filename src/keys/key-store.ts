/**
 * API secrets at rest, in an SQLite file apart from the journal and its snapshots: sealed, as
 * `sealed-key.ts` has it. A write is on stable storage when the call returns.
 */
import { chmodSync, closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Randomness } from "../platform/index.ts";
import type { MasterKeyRing } from "./master-key.ts";
import { OWNER_ONLY_MODE, syncFolder, UnusableSecrets } from "./private-file.ts";
import { openKey, type SealedKey, type StoredKey, sealAnew, sealKey } from "./sealed-key.ts";

const SCHEMA_VERSION = 1;
/** Layout 1 with what is carried over from earlier master keys; made when there is any. */
const ROTATED_VERSION = 2;
/** All of them live in memory too; each is a few hundred bytes. */
export const KEY_STORE_ROWS_MAX = 100_000;

const SCHEMA = `
  CREATE TABLE master_keys (version INTEGER PRIMARY KEY, fingerprint BLOB NOT NULL) STRICT;
  CREATE TABLE api_keys (
    api_key TEXT PRIMARY KEY,
    uid INTEGER NOT NULL,
    master_key_version INTEGER NOT NULL REFERENCES master_keys (version),
    iv BLOB NOT NULL,
    sealed_secret BLOB NOT NULL,
    passphrase_digest BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

const ROTATED_SCHEMA = `
  CREATE TABLE passphrase_keys (
    version INTEGER PRIMARY KEY,
    master_key_version INTEGER NOT NULL REFERENCES master_keys (version),
    iv BLOB NOT NULL,
    sealed_key BLOB NOT NULL
  ) STRICT;
  CREATE TABLE passphrase_versions (
    api_key TEXT PRIMARY KEY REFERENCES api_keys (api_key) ON DELETE CASCADE,
    version INTEGER NOT NULL REFERENCES passphrase_keys (version)
  ) STRICT, WITHOUT ROWID;
  PRAGMA user_version = ${ROTATED_VERSION};
`;

interface Row {
  readonly api_key: string;
  readonly uid: number;
  readonly master_key_version: number;
  readonly iv: Uint8Array;
  readonly sealed_secret: Uint8Array;
  readonly passphrase_digest: Uint8Array;
  /** Null where nothing is carried over. */
  readonly carried_version: number | null;
  readonly carried_iv: Uint8Array | null;
  readonly carried_key: Uint8Array | null;
}

const ROWS = "SELECT *, NULL AS carried_version FROM api_keys";
const ROTATED_ROWS =
  "SELECT k.*, v.version AS carried_version, p.iv AS carried_iv, p.sealed_key AS carried_key " +
  "FROM api_keys k LEFT JOIN passphrase_versions v USING (api_key) " +
  "LEFT JOIN passphrase_keys p ON p.version = v.version";

/** A backup that copies the file keeps others from writing to it for a moment. */
const COPIED_WITHIN_MS = 5_000;

export class KeyStore {
  readonly #database: DatabaseSync;
  readonly #path: string;
  #masterKeys: MasterKeyRing;
  readonly #randomness: Randomness;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  #rows: number;

  private constructor(
    path: string,
    database: DatabaseSync,
    masterKeys: MasterKeyRing,
    randomness: Randomness,
  ) {
    this.#path = path;
    this.#database = database;
    this.#masterKeys = masterKeys;
    this.#randomness = randomness;
    this.#insert = database.prepare("INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?)");
    this.#delete = database.prepare("DELETE FROM api_keys WHERE api_key = ?");
    this.#rows = countRows(database);
  }

  /** Opens or creates the file with mode 0600. Throws `UnusableSecrets` on a wrong master key. */
  static open(path: string, masterKeys: MasterKeyRing, randomness: Randomness): KeyStore {
    closeSync(openSync(path, "a", OWNER_ONLY_MODE));
    chmodSync(path, OWNER_ONLY_MODE);
    const options = { enableForeignKeyConstraints: true, timeout: COPIED_WITHIN_MS };
    const database = new DatabaseSync(path, options);
    try {
      database.exec(
        "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA trusted_schema = OFF",
      );
      prepareSchema(path, database);
      checkMasterKeys(path, database, masterKeys);
      syncFolder(dirname(path));
      return new KeyStore(path, database, masterKeys, randomness);
    } catch (error) {
      database.close();
      if (error instanceof UnusableSecrets) throw error;
      const reason = (error as Error).message;
      throw new UnusableSecrets(`${path} cannot be opened (${reason}); restore it from a backup`);
    }
  }

  get path(): string {
    return this.#path;
  }

  get full(): boolean {
    return this.#rows >= KEY_STORE_ROWS_MAX;
  }

  /**
   * From now on `masterKeys.current` seals, and the others open. Throws `UnusableSecrets` when one
   * that is needed is missing, or differs.
   */
  use(masterKeys: MasterKeyRing): void {
    checkMasterKeys(this.#path, this.#database, masterKeys);
    this.#masterKeys = masterKeys;
  }

  /** Seals and stores the secrets of a new key. They are on stable storage on return. */
  put(apiKey: string, uid: number, secret: string, passphrase: string): StoredKey {
    const key = { apiKey, uid, secret, passphrase };
    return this.putSealed(sealKey(this.#masterKeys.current, this.#randomness, key));
  }

  /** As they are stored: all, or one. */
  sealed(apiKey: string | null = null): readonly SealedKey[] {
    const sql = `${this.#rowsSql()} WHERE ?1 IS NULL OR api_key = ?1 ORDER BY api_key`;
    const rows = this.#database.prepare(sql).all(apiKey);
    return (rows as unknown as readonly Row[]).map(toSealedKey);
  }

  /** Keeps these and no others. All of it, or after a crash nothing. Throws `UnusableSecrets`. */
  replaceAll(keys: readonly SealedKey[]): void {
    const foreign = keys.find((key) => openKey(key, this.#masterKeys) === null);
    if (foreign !== undefined) {
      throw notTheirMasterKey(this.#masterKeys.path, foreign.masterKeyVersion);
    }
    const database = this.#database;
    this.#wholly(() => {
      database.exec("DELETE FROM api_keys");
      if (layoutOf(database) === ROTATED_VERSION) database.exec("DELETE FROM passphrase_keys");
      for (const key of keys) this.#insertRow(key);
      const unused =
        "DELETE FROM master_keys WHERE version <> ? " +
        "AND version NOT IN (SELECT master_key_version FROM api_keys)";
      database.prepare(unused).run(this.#masterKeys.current.version);
    });
    this.#rows = keys.length;
  }

  /** Stores a key as it was sealed, here or by another node. Throws `UnusableSecrets`. */
  putSealed(key: SealedKey): StoredKey {
    const stored = this.#open(key);
    this.#wholly(() => {
      this.remove(key.apiKey);
      this.#insertRow(key);
    });
    this.#rows++;
    return stored;
  }

  /** Deletes a key's secrets. They are gone from stable storage on return. */
  remove(apiKey: string): void {
    this.#rows -= Number(this.#delete.run(apiKey).changes);
  }

  /** Every key, opened. Throws `UnusableSecrets` at one that was changed after sealing. */
  *loadAll(): Generator<StoredKey> {
    const rows = this.#database.prepare(`${this.#rowsSql()} ORDER BY api_key`).iterate();
    for (const row of rows) yield this.#open(toSealedKey(row as unknown as Row));
  }

  /** All keys, sealed with the current master key: the older ones are not needed to open them. */
  sealedAnew(): readonly SealedKey[] {
    return sealAnew([...this.loadAll()], this.#masterKeys.current, this.#randomness);
  }

  close(): void {
    this.#database.close();
  }

  /** All of it, or after a crash nothing. */
  #wholly(change: () => void): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      change();
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #rowsSql(): string {
    return layoutOf(this.#database) === SCHEMA_VERSION ? ROWS : ROTATED_ROWS;
  }

  #insertRow(key: SealedKey): void {
    const { apiKey, iv, masterKeyVersion, passphraseDigest, passphraseKey, sealedSecret, uid } =
      key;
    this.#insert.run(apiKey, uid, masterKeyVersion, iv, sealedSecret, passphraseDigest);
    if (passphraseKey === null) return;
    const database = this.#database;
    if (layoutOf(database) === SCHEMA_VERSION) database.exec(ROTATED_SCHEMA);
    const { iv: carriedIv, sealedKey, version } = passphraseKey;
    database
      .prepare("INSERT OR IGNORE INTO passphrase_keys VALUES (?, ?, ?, ?)")
      .run(version, masterKeyVersion, carriedIv, sealedKey);
    database.prepare("INSERT INTO passphrase_versions VALUES (?, ?)").run(apiKey, version);
  }

  #open(key: SealedKey): StoredKey {
    const stored = openKey(key, this.#masterKeys);
    if (stored !== null) return stored;
    const { apiKey, uid } = key;
    throw new UnusableSecrets(
      `${this.#path} was changed from outside: the secret of ${apiKey} (uid ${uid}), or what ` +
        "checks its passphrase, does not open. Restore the file from a backup, or delete that " +
        "row of api_keys and give its owner a new key",
    );
  }
}

/** The keys of a cluster are sealed with a master key that `path` does not have. */
export function notTheirMasterKey(path: string, version: number): UnusableSecrets {
  return new UnusableSecrets(
    `${path} is not the master key with which the cluster's API keys are sealed ` +
      `(version ${version}): give every node the same file`,
  );
}

function toSealedKey(row: Row): SealedKey {
  const { carried_iv, carried_key, carried_version: version } = row;
  // What is missing opens nothing.
  const iv = carried_iv ?? new Uint8Array();
  const sealedKey = carried_key ?? new Uint8Array();
  return {
    apiKey: row.api_key,
    uid: row.uid,
    masterKeyVersion: row.master_key_version,
    iv: row.iv,
    sealedSecret: row.sealed_secret,
    passphraseDigest: row.passphrase_digest,
    passphraseKey: version === null ? null : { version, iv, sealedKey },
  };
}

function layoutOf(database: DatabaseSync): number {
  return Number(database.prepare("PRAGMA user_version").get()?.user_version);
}

function prepareSchema(path: string, database: DatabaseSync): void {
  const version = layoutOf(database);
  if (version === 0) database.exec(`BEGIN; ${SCHEMA} COMMIT`);
  else if (version > ROTATED_VERSION) {
    throw new UnusableSecrets(
      `${path} has layout ${version}, this release reads layouts up to ${ROTATED_VERSION}: ` +
        "start the newer release",
    );
  }
}

/** Of a version that seals nothing any key will do, such as one that replaces a wrong one. */
function checkMasterKeys(path: string, database: DatabaseSync, masterKeys: MasterKeyRing): void {
  const known = database.prepare("SELECT version, fingerprint FROM master_keys").all();
  for (const { version, fingerprint } of known) {
    if (!isUsed(database, Number(version))) continue;
    const key = masterKeys.byVersion.get(Number(version));
    if (key?.fingerprint.equals(fingerprint as Uint8Array)) continue;
    throw new UnusableSecrets(
      `${masterKeys.path} is not the master key that ${path} was sealed with ` +
        `(version ${version} ${key === undefined ? "is missing" : "differs"}). ` +
        "Restore that file, or set " +
        "RIALTO_MASTER_KEY_FILE to where it is",
    );
  }
  const remember = database.prepare(
    "INSERT INTO master_keys VALUES (?, ?) " +
      "ON CONFLICT DO UPDATE SET fingerprint = excluded.fingerprint",
  );
  for (const key of masterKeys.byVersion.values()) remember.run(key.version, key.fingerprint);
}

function isUsed(database: DatabaseSync, version: number): boolean {
  const sql = "SELECT 1 FROM api_keys WHERE master_key_version = ? LIMIT 1";
  return database.prepare(sql).get(version) !== undefined;
}

function countRows(database: DatabaseSync): number {
  return Number(database.prepare("SELECT count(*) AS rows FROM api_keys").get()?.rows);
}

/** The versions of the master key that the rows of a store need; none where it cannot be read. */
export function sealingVersions(path: string): readonly number[] {
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare("SELECT DISTINCT master_key_version AS version FROM api_keys");
    return rows.all().map(({ version }) => Number(version));
  } catch {
    // Whoever opens it says what is wrong with it.
    return [];
  } finally {
    database.close();
  }
}
