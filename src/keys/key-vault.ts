/**
 * Creates and revokes API keys, in an order that survives a crash:
 * - create: secrets are generated, sealed and synced first; then the key's command is submitted,
 *   and its acceptance makes the key live. A crash in between leaves secrets without settings: no
 *   live key.
 * - revoke: the command first, then memory, then the row. A crash in between also leaves secrets
 *   without settings; a refused command leaves the key as it was.
 * The next start removes such leftovers, so a row outlives its key by at most one run.
 */
import type { KeyObject } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { accept, invariant, type Result, reject } from "../domain/index.ts";
import { NODE_PLATFORM, type Randomness } from "../platform/index.ts";
import { KeyDirectory } from "./key-directory.ts";
import { KEY_STORE_ROWS_MAX, KeyStore, type SealedKey } from "./key-store.ts";
import { type KeySecrets, type KeySettings, toKeySecrets } from "./live-key.ts";
import {
  addMasterKey,
  dropOlderMasterKeys,
  generateMasterKey,
  type MasterKeyRing,
  readMasterKeys,
} from "./master-key.ts";
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

/** Where the sealed secrets of a cluster are, for all of its nodes. */
export interface SharedKeys {
  /** Durable when it resolves. */
  putKey(key: SealedKey): Promise<void>;
  removeKey(apiKey: string): Promise<void>;
  keys(): Promise<readonly SealedKey[]>;
  /** Null when it has no row. */
  key(apiKey: string): Promise<SealedKey | null>;
}

export class KeyVault {
  readonly directory = new KeyDirectory();
  /** Null for an exchange on one machine. */
  #shared: SharedKeys | null = null;
  /** Resolves when what the exchange has accepted so far is in force on all nodes. */
  #everywhere: () => Promise<void> = () => Promise.resolve();
  #store: KeyStore;
  readonly #masterKeys: MasterKeyRing;
  readonly #randomness: Randomness;
  /** Every key of the store, live or not yet. */
  #secrets: Map<string, KeySecrets>;

  private constructor(store: KeyStore, masterKeys: MasterKeyRing, randomness: Randomness) {
    this.#store = store;
    this.#masterKeys = masterKeys;
    this.#randomness = randomness;
    this.#secrets = secretsIn(store);
  }

  /**
   * `masterKeyFile` is RIALTO_MASTER_KEY_FILE; null generates `master.key` in the data folder once.
   * `storeFolder` is where a sandbox's branch has its secrets. Throws `UnusableSecrets` with a way
   * out.
   */
  static open(
    dataFolder: string,
    masterKeyFile: string | null,
    randomness: Randomness = NODE_PLATFORM.randomness,
    storeFolder: string = dataFolder,
  ): KeyVault {
    const storePath = join(storeFolder, KEY_STORE_FILE);
    const masterKeys =
      findMasterKeys(dataFolder, masterKeyFile, storeFolder) ??
      generateMasterKey(join(dataFolder, MASTER_KEY_FILE), randomness);
    const store = KeyStore.open(storePath, masterKeys, randomness);
    try {
      return new KeyVault(store, masterKeys, randomness);
    } catch (error) {
      store.close();
      throw error;
    }
  }

  /**
   * Joins the store with all settings of the recovered state. Called before the first request on
   * that state.
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

  /**
   * Goes over to the secrets that the nodes of a cluster share, which change with those here from
   * now on. Before `fill`. Throws `UnusableSecrets` when they have another master key.
   */
  async share(shared: SharedKeys): Promise<void> {
    this.#store.replaceAll(await shared.keys());
    this.#secrets = secretsIn(this.#store);
    this.#shared = shared;
  }

  /** From now on a change is done when `everywhere` has resolved. */
  confirmWith(everywhere: () => Promise<void>): void {
    this.#everywhere = everywhere;
  }

  /**
   * On a node that follows: a key has these settings, or null when it is revoked. Secrets that are
   * not here are fetched. Rejects when that is not possible at present.
   */
  async follow(apiKey: string, settings: KeySettings | null): Promise<void> {
    if (settings === null) {
      this.#forget(apiKey);
      return;
    }
    if (!this.#secrets.has(apiKey)) {
      const sealed = (await this.#shared?.key(apiKey)) ?? null;
      // Revoked meanwhile, or lost: such a key cannot sign.
      if (sealed === null) return;
      this.#secrets.set(apiKey, toKeySecrets(this.#store.putSealed(sealed)));
    }
    this.#makeLive(this.#secrets.get(apiKey) as KeySecrets, settings);
  }

  /** By version, for links between nodes. */
  get linkKeys(): { readonly version: number; keyOf(version: number): KeyObject | null } {
    const { byVersion, current } = this.#masterKeys;
    return {
      version: current.version,
      keyOf: (version) => byVersion.get(version)?.linkKey ?? null,
    };
  }

  /** As they are stored, for the nodes of a cluster. */
  sealedKeys(): readonly SealedKey[] {
    return this.#store.sealed();
  }

  /** Draws a key and keeps its secrets. It is not live before `activate`. */
  async create(uid: number, passphrase: string): Promise<Result<DrawnKey>> {
    if (this.#store.full) {
      const detail = `${KEY_STORE_ROWS_MAX} API keys exist; revoke those that are not used`;
      return reject("conflict", null, detail);
    }
    const apiKey = `rialto_${this.#randomness.bytes(API_KEY_BYTES).toString("hex")}`;
    const secret = this.#randomness.bytes(SECRET_BYTES).toString("hex");
    this.#secrets.set(apiKey, toKeySecrets(this.#store.put(apiKey, uid, secret, passphrase)));
    for (const sealed of this.#store.sealed(apiKey)) await this.#shared?.putKey(sealed);
    return accept({ apiKey, secret });
  }

  /** New or changed settings, accepted by the exchange, are in force in all gateways when done. */
  async activate(settings: KeySettings): Promise<void> {
    const secrets = this.#secrets.get(settings.apiKey);
    // A key whose secrets were lost can still be changed and revoked; it only cannot sign.
    if (secrets !== undefined) this.#makeLive(secrets, settings);
    await Promise.all([this.directory.published(), this.#everywhere()]);
  }

  /**
   * Stops a key, here before its row is removed and in all gateways when done: also when removing
   * the row fails.
   */
  async discard(apiKey: string): Promise<void> {
    try {
      this.#forget(apiKey);
      await this.#shared?.removeKey(apiKey);
    } finally {
      await Promise.all([this.directory.published(), this.#everywhere()]);
    }
  }

  /** The file of the store, sealed as it is: a change is whole when the call that made it ends. */
  storeBytes(): Buffer {
    return readFileSync(this.#store.path);
  }

  /**
   * Goes over to the store in another folder, which has the secrets of these keys. All others stop,
   * here and in all gateways when done.
   */
  async switchTo(storeFolder: string, settings: readonly KeySettings[]): Promise<FilledKeys> {
    const store = KeyStore.open(
      join(storeFolder, KEY_STORE_FILE),
      this.#masterKeys,
      this.#randomness,
    );
    this.#store.close();
    this.#store = store;
    this.#secrets = secretsIn(store);
    const live = new Set(settings.map(({ apiKey }) => apiKey));
    for (const apiKey of this.directory.names()) {
      if (!live.has(apiKey) || !this.#secrets.has(apiKey)) this.directory.delete(apiKey);
    }
    const filled = this.fill(settings);
    await this.directory.published();
    return filled;
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

function secretsIn(store: KeyStore): Map<string, KeySecrets> {
  const secrets = new Map<string, KeySecrets>();
  for (const stored of store.loadAll()) secrets.set(stored.apiKey, toKeySecrets(stored));
  return secrets;
}

export interface RotatedKeys {
  /** Of the new master key. */
  readonly version: number;
  readonly apiKeys: number;
  /** The file of the master key. */
  readonly path: string;
}

/**
 * Puts a new master key in the place of the old one: it is added, seals everything anew, and then
 * the old one is dropped. A crash at any point leaves keys that all work, and a rotation that can
 * be run again. The exchange must not be running. `onStep` is told what is done. Throws
 * `UnusableSecrets`.
 */
export function rotateMasterKey(
  dataFolder: string,
  masterKeyFile: string | null,
  onStep: (step: "added" | "resealed" | "dropped") => void,
  randomness: Randomness = NODE_PLATFORM.randomness,
): RotatedKeys {
  const present = findMasterKeys(dataFolder, masterKeyFile);
  if (present === null) throw new UnusableSecrets(`${dataFolder} has no master key yet`);
  const { path } = present;
  // Everything must open under what there is before anything changes.
  KeyStore.open(join(dataFolder, KEY_STORE_FILE), present, randomness).close();
  const masterKeys = addMasterKey(path, randomness);
  onStep("added");
  const store = KeyStore.open(join(dataFolder, KEY_STORE_FILE), masterKeys, randomness);
  try {
    const apiKeys = store.reseal();
    onStep("resealed");
    dropOlderMasterKeys(path);
    onStep("dropped");
    return { version: masterKeys.current.version, apiKeys, path };
  } finally {
    store.close();
  }
}

/**
 * The master keys of a data folder; null when a start would draw the first one. `masterKeyFile` is
 * RIALTO_MASTER_KEY_FILE. Throws `UnusableSecrets` with a way out.
 */
export function findMasterKeys(
  dataFolder: string,
  masterKeyFile: string | null,
  storeFolder: string = dataFolder,
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
  const storePath = join(storeFolder, KEY_STORE_FILE);
  if (!existsSync(storePath)) return null;
  throw new UnusableSecrets(
    `${path} is gone, but ${storePath} was sealed with it. Restore it, ` +
      "or set RIALTO_MASTER_KEY_FILE to where it is; to give up all API keys, remove that store",
  );
}
