/**
 * Creates and revokes API keys, in an order that survives a crash:
 * - create: secrets are generated, sealed and synced first; then the key's command is submitted,
 *   and its acceptance makes the key live. A crash in between leaves secrets without settings: no
 *   live key.
 * - revoke: the command first, then memory, then the row. A crash in between also leaves secrets
 *   without settings; a refused command leaves the key as it was.
 * The next start removes such leftovers, so a row outlives its key by at most one run.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { accept, invariant, type Result, reject } from "../domain/index.ts";
import { NODE_PLATFORM, type Randomness } from "../platform/index.ts";
import { KeyDirectory } from "./key-directory.ts";
import { KEY_STORE_ROWS_MAX, KeyStore } from "./key-store.ts";
import { type KeySecrets, type KeySettings, toKeySecrets } from "./live-key.ts";
import { generateMasterKey, type MasterKeyRing, readMasterKeys } from "./master-key.ts";
import { UnusableSecrets } from "./private-file.ts";

const KEY_STORE_FILE = "keys.db";
const MASTER_KEY_FILE = "master.key";
const API_KEY_BYTES = 16;
const SECRET_BYTES = 32;

export interface DrawnKey {
  readonly apiKey: string;
  /** 64 hex digits, shown to the owner once. */
  readonly secret: string;
}

/** Findings of the start, for the log. */
export interface FilledKeys {
  readonly live: number;
  /** Rows without settings, now removed: a creation or revocation that a crash cut short. */
  readonly leftoversRemoved: number;
  /**
   * Keys that have settings but no secrets and so cannot sign: `keys.db` is not the one they were
   * made with.
   */
  readonly withoutSecrets: readonly string[];
}

export class KeyVault {
  readonly directory = new KeyDirectory();
  readonly #store: KeyStore;
  readonly #randomness: Randomness;
  /** Every key of the store, live or not yet. */
  readonly #secrets = new Map<string, KeySecrets>();

  private constructor(store: KeyStore, randomness: Randomness) {
    this.#store = store;
    this.#randomness = randomness;
    for (const stored of store.loadAll()) this.#secrets.set(stored.apiKey, toKeySecrets(stored));
  }

  /**
   * `masterKeyFile` is RIALTO_MASTER_KEY_FILE; null generates `master.key` in the data folder once.
   * Throws `UnusableSecrets` with a way out.
   */
  static open(
    dataFolder: string,
    masterKeyFile: string | null,
    randomness: Randomness = NODE_PLATFORM.randomness,
  ): KeyVault {
    const storePath = join(dataFolder, KEY_STORE_FILE);
    const masterKeys =
      findMasterKeys(dataFolder, masterKeyFile) ??
      generateMasterKey(join(dataFolder, MASTER_KEY_FILE), randomness);
    const store = KeyStore.open(storePath, masterKeys, randomness);
    try {
      return new KeyVault(store, randomness);
    } catch (error) {
      store.close();
      throw error;
    }
  }

  /**
   * Joins the store with all settings of the recovered state. Called once, before the first
   * request.
   */
  fill(settings: Iterable<KeySettings>): FilledKeys {
    const withoutSecrets: string[] = [];
    for (const key of settings) {
      const secrets = this.#secrets.get(key.apiKey);
      if (secrets === undefined) withoutSecrets.push(key.apiKey);
      else this.#makeLive(secrets, key);
    }
    let leftoversRemoved = 0;
    for (const apiKey of this.#secrets.keys()) {
      if (this.directory.find(apiKey) !== null) continue;
      this.#forget(apiKey);
      leftoversRemoved++;
    }
    return { live: this.directory.size, leftoversRemoved, withoutSecrets };
  }

  /** Draws a key and keeps its secrets. It is not live before `activate`. */
  create(uid: number, passphrase: string): Result<DrawnKey> {
    if (this.#store.full) {
      const detail = `${KEY_STORE_ROWS_MAX} API keys exist; revoke those that are not used`;
      return reject("conflict", null, detail);
    }
    const apiKey = `rialto_${this.#randomness.bytes(API_KEY_BYTES).toString("hex")}`;
    const secret = this.#randomness.bytes(SECRET_BYTES).toString("hex");
    this.#secrets.set(apiKey, toKeySecrets(this.#store.put(apiKey, uid, secret, passphrase)));
    return accept({ apiKey, secret });
  }

  /** New or changed settings, accepted by the exchange, are in force in all gateways when done. */
  async activate(settings: KeySettings): Promise<void> {
    const secrets = this.#secrets.get(settings.apiKey);
    // A key whose secrets were lost can still be changed and revoked; it only cannot sign.
    if (secrets !== undefined) this.#makeLive(secrets, settings);
    await this.directory.published();
  }

  /**
   * Stops a key, here before its row is removed and in all gateways when done: also when removing
   * the row fails.
   */
  async discard(apiKey: string): Promise<void> {
    try {
      this.#forget(apiKey);
    } finally {
      await this.directory.published();
    }
  }

  close(): void {
    this.#store.close();
  }

  #forget(apiKey: string): void {
    this.directory.delete(apiKey);
    this.#secrets.delete(apiKey);
    this.#store.remove(apiKey);
  }

  #makeLive(secrets: KeySecrets, settings: KeySettings): void {
    invariant(secrets.uid === settings.uid, `${settings.apiKey} has two owners`);
    this.directory.set(secrets, settings);
  }
}

/**
 * The master keys of a data folder; null when a start would draw the first one. `masterKeyFile` is
 * RIALTO_MASTER_KEY_FILE. Throws `UnusableSecrets` with a way out.
 */
export function findMasterKeys(
  dataFolder: string,
  masterKeyFile: string | null,
): MasterKeyRing | null {
  const path = masterKeyFile ?? join(dataFolder, MASTER_KEY_FILE);
  const masterKeys = readMasterKeys(path);
  if (masterKeys !== null) return masterKeys;
  if (masterKeyFile !== null) {
    throw new UnusableSecrets(
      `RIALTO_MASTER_KEY_FILE names ${path}, which does not exist. Make one with: ` +
        `(umask 077; echo "1 $(openssl rand -hex 32)" > ${path})`,
    );
  }
  const storePath = join(dataFolder, KEY_STORE_FILE);
  if (!existsSync(storePath)) return null;
  throw new UnusableSecrets(
    `${path} is gone, but ${storePath} was sealed with it. Restore it, ` +
      "or set RIALTO_MASTER_KEY_FILE to where it is; to give up all API keys, remove that store",
  );
}
