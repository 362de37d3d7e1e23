/**
 * API secrets at rest, in an SQLite file apart from the journal and its snapshots. A secret is
 * sealed with AES-256-GCM, bound to its key, its owner and the version of the master key; of a
 * passphrase only a keyed digest is kept. A write is on stable storage when the call returns.
 *
 * A passphrase cannot be digested anew without its owner: when the master key is replaced, the part
 * of the old one that checks passphrases is kept here, sealed with the new one (layout 2).
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey } from "node:crypto";
import { chmodSync, closeSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Randomness } from "../platform/index.ts";
import type { MasterKey, MasterKeyRing } from "./master-key.ts";
import { OWNER_ONLY_MODE, syncFolder, UnusableSecrets } from "./private-file.ts";

const CIPHER = "aes-256-gcm";
/** NIST SP 800-38D, section 8.2.2: random 96-bit IVs, at most 2^32 of them per key. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const DIGEST_BYTES = 32;
const SCHEMA_VERSION = 1;
/** Layout 1 with what is carried over from earlier master keys; made by the first rotation. */
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

/** The part of a master key that checks passphrases. */
export type PassphraseKey = Pick<MasterKey, "version" | "passphraseKey">;

/** A row as it is stored: of no use without the master key. */
export interface SealedKey {
  readonly apiKey: string;
  readonly uid: number;
  readonly masterKeyVersion: number;
  readonly iv: Uint8Array;
  readonly sealedSecret: Uint8Array;
  readonly passphraseDigest: Uint8Array;
}

/** A decrypted row. */
export interface StoredKey {
  readonly apiKey: string;
  readonly uid: number;
  readonly secret: string;
  readonly passphraseDigest: Buffer;
  /** What made the digest. */
  readonly passphraseKey: PassphraseKey;
}

interface Row {
  readonly api_key: string;
  readonly uid: number;
  readonly master_key_version: number;
  readonly iv: Uint8Array;
  readonly sealed_secret: Uint8Array;
  readonly passphrase_digest: Uint8Array;
}

export class KeyStore {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #masterKeys: MasterKeyRing;
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
    const database = new DatabaseSync(path, { enableForeignKeyConstraints: true });
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

  /** Seals and stores the secrets of a new key. They are on stable storage on return. */
  put(apiKey: string, uid: number, secret: string, passphrase: string): StoredKey {
    const masterKey = this.#masterKeys.current;
    const bound = boundTo(apiKey, uid, masterKey.version);
    const { iv, sealed } = this.#seal(Buffer.from(secret, "utf8"), bound);
    const passphraseDigest = digestPassphrase(masterKey, apiKey, uid, passphrase);
    this.#insert.run(apiKey, uid, masterKey.version, iv, sealed, passphraseDigest);
    this.#rows++;
    return { apiKey, uid, secret, passphraseDigest, passphraseKey: masterKey };
  }

  /**
   * Rows as they are stored: all, or one. Throws `UnusableSecrets` for those whose passphrases need
   * what was carried over from an earlier master key, which a row does not have.
   */
  sealed(apiKey: string | null = null): readonly SealedKey[] {
    const older = [...this.#carriedKeys().keys()].filter((key) => (apiKey ?? key) === key);
    if (older.length > 0) {
      throw new UnusableSecrets(
        `${older.length} API keys of ${this.#path} are older than the master key, and cannot go ` +
          "to a cluster: revoke them, and give their owners new ones",
      );
    }
    const sql = "SELECT * FROM api_keys WHERE ?1 IS NULL OR api_key = ?1 ORDER BY api_key";
    const rows = this.#database.prepare(sql).all(apiKey);
    return (rows as unknown as readonly Row[]).map((row) => ({
      apiKey: row.api_key,
      uid: row.uid,
      masterKeyVersion: row.master_key_version,
      iv: row.iv,
      sealedSecret: row.sealed_secret,
      passphraseDigest: row.passphrase_digest,
    }));
  }

  /** Keeps these rows and no others. Throws `UnusableSecrets` for one of another master key. */
  replaceAll(keys: readonly SealedKey[]): void {
    const foreign = keys.find((key) => {
      const masterKey = this.#masterKeys.byVersion.get(key.masterKeyVersion);
      return masterKey === undefined || unsealSecret(masterKey, toRow(key)) === null;
    });
    if (foreign !== undefined) {
      throw new UnusableSecrets(
        `${this.#masterKeys.path} is not the master key with which the cluster's API keys are ` +
          `sealed (version ${foreign.masterKeyVersion}): give every node the same file`,
      );
    }
    this.#database.exec("BEGIN; DELETE FROM api_keys");
    for (const key of keys) {
      const { apiKey, uid, masterKeyVersion, iv, sealedSecret, passphraseDigest } = key;
      this.#insert.run(apiKey, uid, masterKeyVersion, iv, sealedSecret, passphraseDigest);
    }
    this.#database.exec("COMMIT");
    this.#rows = keys.length;
  }

  /** Stores the row of a key as another node sealed it. Throws `UnusableSecrets`. */
  putSealed(key: SealedKey): StoredKey {
    const row = toRow(key);
    const stored = this.#unseal(row, new Map());
    const { apiKey, uid, masterKeyVersion, iv, sealedSecret, passphraseDigest } = key;
    this.remove(apiKey);
    this.#insert.run(apiKey, uid, masterKeyVersion, iv, sealedSecret, passphraseDigest);
    this.#rows++;
    return stored;
  }

  /** Deletes a key's secrets. They are gone from stable storage on return. */
  remove(apiKey: string): void {
    this.#rows -= Number(this.#delete.run(apiKey).changes);
  }

  /** Every row, decrypted. Throws `UnusableSecrets` at one that was changed after sealing. */
  *loadAll(): Generator<StoredKey> {
    const carried = this.#carriedKeys();
    for (const row of this.#database.prepare("SELECT * FROM api_keys ORDER BY api_key").iterate()) {
      yield this.#unseal(row as unknown as Row, carried);
    }
  }

  /**
   * Seals every secret with the current master key, and what checks older passphrases too: the
   * older master keys are no longer needed. All of it, or after a crash nothing. Returns the number
   * of keys.
   */
  reseal(): number {
    const keys = [...this.loadAll()];
    const { version } = this.#masterKeys.current;
    const database = this.#database;
    database.exec("BEGIN IMMEDIATE");
    try {
      if (layoutOf(database) === SCHEMA_VERSION) database.exec(ROTATED_SCHEMA);
      const older = new Map(
        keys.map(({ passphraseKey }) => [passphraseKey.version, passphraseKey]),
      );
      older.delete(version);
      const carry = database.prepare("INSERT OR REPLACE INTO passphrase_keys VALUES (?, ?, ?, ?)");
      for (const { version: old, passphraseKey } of older.values()) {
        const { iv, sealed } = this.#seal(passphraseKey.export(), carriedTo(old, version));
        carry.run(old, version, iv, sealed);
      }
      const update = database.prepare(
        "UPDATE api_keys SET master_key_version = ?, iv = ?, sealed_secret = ? WHERE api_key = ?",
      );
      const note = database.prepare("INSERT OR REPLACE INTO passphrase_versions VALUES (?, ?)");
      for (const { apiKey, uid, secret, passphraseKey } of keys) {
        const bound = boundTo(apiKey, uid, version);
        const { iv, sealed } = this.#seal(Buffer.from(secret, "utf8"), bound);
        update.run(version, iv, sealed, apiKey);
        if (passphraseKey.version !== version) note.run(apiKey, passphraseKey.version);
      }
      database.exec(
        "DELETE FROM passphrase_keys " +
          "WHERE version NOT IN (SELECT version FROM passphrase_versions)",
      );
      database.prepare("DELETE FROM master_keys WHERE version <> ?").run(version);
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
    return keys.length;
  }

  close(): void {
    this.#database.close();
  }

  /** With the current master key. */
  #seal(content: Buffer, bound: Buffer): { readonly iv: Buffer; readonly sealed: Buffer } {
    const iv = this.#randomness.bytes(IV_BYTES);
    const cipher = createCipheriv(CIPHER, this.#masterKeys.current.sealingKey, iv);
    cipher.setAAD(bound);
    const sealed = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
    return { iv, sealed };
  }

  /** What checks the passphrases of keys that are older than the master key. */
  #carriedKeys(): CarriedKeys {
    const byApiKey = new Map<string, PassphraseKey>();
    if (layoutOf(this.#database) === SCHEMA_VERSION) return byApiKey;
    const byVersion = new Map<number, PassphraseKey>();
    for (const row of this.#database.prepare("SELECT * FROM passphrase_keys").iterate()) {
      const { version, master_key_version, iv, sealed_key } = row as unknown as CarriedRow;
      const masterKey = this.#masterKeys.byVersion.get(master_key_version);
      const bound = carriedTo(version, master_key_version);
      const opened = masterKey === undefined ? null : open(masterKey, iv, sealed_key, bound);
      if (opened === null) {
        throw new UnusableSecrets(
          `${this.#path} was changed from outside: what checks passphrases of version ${version} ` +
            "does not open. Restore the file from a backup",
        );
      }
      byVersion.set(version, { version, passphraseKey: createSecretKey(opened) });
    }
    for (const row of this.#database.prepare("SELECT * FROM passphrase_versions").iterate()) {
      const { api_key, version } = row as { api_key: string; version: number };
      const key = byVersion.get(version);
      if (key !== undefined) byApiKey.set(api_key, key);
    }
    return byApiKey;
  }

  #unseal(row: Row, carried: CarriedKeys): StoredKey {
    const { api_key: apiKey, uid } = row;
    const masterKey = this.#masterKeys.byVersion.get(row.master_key_version);
    const secret = masterKey === undefined ? null : unsealSecret(masterKey, row);
    if (masterKey === undefined || secret === null) {
      throw new UnusableSecrets(
        `${this.#path} was changed from outside: the secret of ${apiKey} (uid ${uid}) does not ` +
          "open. Restore the file from a backup, or delete that row of api_keys and give its " +
          "owner a new key",
      );
    }
    const passphraseDigest = Buffer.from(row.passphrase_digest);
    const passphraseKey = carried.get(apiKey) ?? masterKey;
    return { apiKey, uid, secret, passphraseDigest, passphraseKey };
  }
}

/** By API key, where it is not that of the master key which seals the secret. */
type CarriedKeys = ReadonlyMap<string, PassphraseKey>;

interface CarriedRow {
  readonly version: number;
  readonly master_key_version: number;
  readonly iv: Uint8Array;
  readonly sealed_key: Uint8Array;
}

/**
 * The stored form of a passphrase: HMAC-SHA256 under a separate key, bound to the API key and its
 * owner, so that the digest of one row is useless in another.
 */
export function digestPassphrase(
  masterKey: PassphraseKey,
  apiKey: string,
  uid: number,
  passphrase: string,
): Buffer {
  return createHmac("sha256", masterKey.passphraseKey)
    .update(boundTo(apiKey, uid, masterKey.version))
    .update(passphrase, "utf8")
    .digest();
}

function unsealSecret(masterKey: MasterKey, row: Row): string | null {
  if (row.passphrase_digest.length !== DIGEST_BYTES) return null;
  const bound = boundTo(row.api_key, row.uid, masterKey.version);
  return open(masterKey, row.iv, row.sealed_secret, bound)?.toString("utf8") ?? null;
}

/** Null for what was not sealed so. */
function open(
  { sealingKey }: MasterKey,
  iv: Uint8Array,
  sealed: Uint8Array,
  bound: Buffer,
): Buffer | null {
  const end = sealed.length - TAG_BYTES;
  if (end < 0 || iv.length !== IV_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, sealingKey, iv, { authTagLength: TAG_BYTES });
  decipher.setAAD(bound);
  decipher.setAuthTag(sealed.subarray(end));
  const opened = decipher.update(sealed.subarray(0, end));
  try {
    return Buffer.concat([opened, decipher.final()]);
  } catch {
    // The tag does not match: the only failure of `final` in this mode.
    return null;
  }
}

function toRow(key: SealedKey): Row {
  return {
    api_key: key.apiKey,
    uid: key.uid,
    master_key_version: key.masterKeyVersion,
    iv: key.iv,
    sealed_secret: key.sealedSecret,
    passphrase_digest: key.passphraseDigest,
  };
}

/** API key ‖ uid ‖ version, each ended by a byte that none of them contains. */
function boundTo(apiKey: string, uid: number, masterKeyVersion: number): Buffer {
  return Buffer.from(`${apiKey}\n${uid}\n${masterKeyVersion}\n`, "utf8");
}

/** What checks passphrases of one version, sealed with the master key of another. */
function carriedTo(version: number, masterKeyVersion: number): Buffer {
  return Buffer.from(`passphrase key\n${version}\n${masterKeyVersion}\n`, "utf8");
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

function checkMasterKeys(path: string, database: DatabaseSync, masterKeys: MasterKeyRing): void {
  const known = database.prepare("SELECT version, fingerprint FROM master_keys").all();
  for (const { version, fingerprint } of known) {
    const key = masterKeys.byVersion.get(Number(version));
    if (key === undefined && !isUsed(database, Number(version))) continue;
    if (key === undefined || !key.fingerprint.equals(fingerprint as Uint8Array)) {
      throw new UnusableSecrets(
        `${masterKeys.path} is not the master key that ${path} was sealed with ` +
          `(version ${version} ${key === undefined ? "is missing" : "differs"}). ` +
          "Restore that file, or set " +
          "RIALTO_MASTER_KEY_FILE to where it is",
      );
    }
  }
  const remember = database.prepare("INSERT OR IGNORE INTO master_keys VALUES (?, ?)");
  for (const key of masterKeys.byVersion.values()) remember.run(key.version, key.fingerprint);
}

function isUsed(database: DatabaseSync, version: number): boolean {
  const sql = "SELECT 1 FROM api_keys WHERE master_key_version = ? LIMIT 1";
  return database.prepare(sql).get(version) !== undefined;
}

function countRows(database: DatabaseSync): number {
  return Number(database.prepare("SELECT count(*) AS rows FROM api_keys").get()?.rows);
}
