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
import { KEY_STORE_ROWS_MAX, KeyStore, notTheirMasterKey } from "./key-store.ts";
import { type KeySecrets, type KeySettings, toKeySecrets } from "./live-key.ts";
import {
  generateMasterKey,
  type MasterKey,
  type MasterKeyRing,
  readMasterKeys,
} from "./master-key.ts";
import { UnusableSecrets, versionOf } from "./private-file.ts";
import type { SealedKey } from "./sealed-key.ts";

export const KEY_STORE_FILE = "keys.db";
const MASTER_KEY_FILE = "master.key";
const API_KEY_BYTES = 16;
const SECRET_BYTES = 32;
/** A rotation may come between, and hardly another one. */
const SEALINGS_MAX = 3;
/** Users have numbers from 1 on. */
const OF_NO_USER = 0;

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

/** Which master key it is; reveals nothing of it. */
export type MasterKeyId = Pick<MasterKey, "version" | "fingerprint">;

/** Where the sealed secrets of a cluster are, for all of its nodes. */
export interface SharedKeys {
  /** What seals all of them; `own`, where nothing was sealed yet. */
  masterKey(own: MasterKeyId): Promise<MasterKeyId>;
  /** Durable when it resolves; false, with nothing done, when another master key seals now. */
  putKey(key: SealedKey): Promise<boolean>;
  removeKey(apiKey: string): Promise<void>;
  keys(): Promise<readonly SealedKey[]>;
  /** Null when it has no row. */
  key(apiKey: string): Promise<SealedKey | null>;
}

export interface LinkKeys {
  /** That a node opens its links under. */
  readonly version: number;
  /** Null for a version that this node does not have. */
  keyOf(version: number): KeyObject | null;
}

export class KeyVault {
  readonly directory = new KeyDirectory();
  /** Null for an exchange on one machine. */
  #shared: SharedKeys | null = null;
  /** Resolves when what the exchange has accepted so far is in force on all nodes. */
  #everywhere: () => Promise<void> = () => Promise.resolve();
  #store: KeyStore;
  #masterKeys: MasterKeyRing;
  /** Of the file that was read last. */
  #fileVersion: string | null;
  readonly #randomness: Randomness;
  /** Every key of the store, live or not yet. */
  #secrets: Map<string, KeySecrets>;
  /** What changes the store happens one after the other. */
  #changes: Promise<unknown> = Promise.resolve();

  private constructor(store: KeyStore, masterKeys: MasterKeyRing, randomness: Randomness) {
    this.#store = store;
    this.#masterKeys = masterKeys;
    this.#fileVersion = versionOf(masterKeys.path);
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
    for (const [apiKey, { uid }] of this.#secrets) {
      const isOther = this.#shared !== null && uid === OF_NO_USER;
      if (isOther || this.directory.find(apiKey) !== null) continue;
      this.#forget(apiKey);
      leftoversRemoved++;
    }
    return { live: this.directory.size, leftoversRemoved, withoutSecrets };
  }

  /**
   * Goes over to the secrets that the nodes of a cluster share, which change with those here from
   * now on; and to the master key that seals them. Before `fill`, and whenever another one does.
   * Throws `UnusableSecrets` when the file of this node does not have it.
   */
  async share(shared: SharedKeys): Promise<void> {
    this.#shared = shared;
    await this.#inTurn(() => this.#fetchAll(shared));
  }

  /** Which master keys this node has, and the version that seals its secrets. */
  get masterKeys(): { readonly known: readonly MasterKeyId[]; readonly sealing: number } {
    const { byVersion, current } = this.#masterKeys;
    const known = [...byVersion.values()];
    return {
      known: known.map(({ version, fingerprint }) => ({ version, fingerprint })),
      sealing: current.version,
    };
  }

  /**
   * For a cluster: reads the file of the master key again if it has changed. The version that seals
   * is never given up. Returns what is wrong with a file that has changed, else null.
   */
  rereadMasterKeys(): string | null {
    const { current, path } = this.#masterKeys;
    const fileVersion = versionOf(path);
    if (fileVersion === this.#fileVersion) return null;
    this.#fileVersion = fileVersion;
    try {
      const file = readMasterKeys(path);
      if (file === null) return `${path} is gone: put it back before this node starts again`;
      const byVersion = new Map(file.byVersion).set(current.version, current);
      const masterKeys = { path, current, byVersion };
      this.#store.use(masterKeys);
      this.#masterKeys = masterKeys;
      if (file.byVersion.get(current.version)?.fingerprint.equals(current.fingerprint)) return null;
      return `${path} lacks version ${current.version}, which seals the API keys: put it back`;
    } catch (error) {
      // It may also be another user's by mistake.
      if (error instanceof UnusableSecrets || isSystemError(error)) return error.message;
      throw error;
    }
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
      this.directory.delete(apiKey);
      await this.#inTurn(async () => this.#forget(apiKey));
      return;
    }
    await this.#inTurn(async () => {
      if (!this.#secrets.has(apiKey)) await this.#fetch(apiKey);
      const secrets = this.#secrets.get(apiKey);
      // Without: revoked meanwhile, or lost. Such a key cannot sign.
      if (secrets !== undefined) this.#makeLive(secrets, settings);
    });
  }

  /** For links between nodes: what this one speaks under, and what it accepts. */
  get linkKeys(): LinkKeys {
    const ring = (): MasterKeyRing => this.#masterKeys;
    return {
      get version() {
        return ring().current.version;
      },
      keyOf: (version) => ring().byVersion.get(version)?.linkKey ?? null,
    };
  }

  /** For the nodes of a cluster: all keys, sealed with this master key. */
  sealedAnew(): { readonly masterKey: MasterKeyId; readonly keys: readonly SealedKey[] } {
    const { fingerprint, version } = this.#masterKeys.current;
    return { masterKey: { fingerprint, version }, keys: this.#store.sealedAnew() };
  }

  /** Draws a key and keeps its secrets. It is not live before `activate`. */
  async create(uid: number, passphrase: string): Promise<Result<DrawnKey>> {
    if (this.#store.full) {
      const detail = `${KEY_STORE_ROWS_MAX} API keys exist; revoke those that are not used`;
      return reject("conflict", null, detail);
    }
    const apiKey = `rialto_${this.#randomness.bytes(API_KEY_BYTES).toString("hex")}`;
    const secret = this.#randomness.bytes(SECRET_BYTES).toString("hex");
    await this.#inTurn(() => this.#put(apiKey, uid, secret, passphrase));
    return accept({ apiKey, secret });
  }

  /**
   * A secret that is no API key's, in the place of the one of this name, for all nodes that begin
   * after it. One change of a name at a time.
   */
  async keep(name: string, secret: string): Promise<void> {
    await this.drop(name);
    await this.#inTurn(() => this.#put(name, OF_NO_USER, secret, ""));
  }

  /** Of `keep`; null where there is none. */
  secretOf(name: string): string | null {
    const kept = this.#secrets.get(name);
    return kept?.uid === OF_NO_USER ? kept.secret.export().toString("utf8") : null;
  }

  async drop(name: string): Promise<void> {
    await this.#inTurn(async () => {
      await this.#shared?.removeKey(name);
      this.#secrets.delete(name);
      this.#store.remove(name);
    });
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
    this.directory.delete(apiKey);
    try {
      await this.#inTurn(async () => {
        this.#forget(apiKey);
        await this.#shared?.removeKey(apiKey);
      });
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

  /** Sealed with the master key that all nodes seal with. */
  async #put(name: string, uid: number, secret: string, passphrase: string): Promise<void> {
    for (let attempt = 1; attempt <= SEALINGS_MAX; attempt++) {
      const stored = this.#store.put(name, uid, secret, passphrase);
      this.#secrets.set(name, toKeySecrets(stored));
      const shared = this.#shared;
      const [sealed] = this.#store.sealed(name);
      if (shared === null || sealed === undefined || (await shared.putKey(sealed))) return;
      // Another master key seals now.
      await this.#fetchAll(shared);
    }
    throw new Error("the master key of the cluster changes too often");
  }

  #inTurn(change: () => Promise<void>): Promise<void> {
    const done = this.#changes.then(change);
    this.#changes = done.catch(() => undefined);
    return done;
  }

  /** All that the nodes share. */
  async #fetchAll(shared: SharedKeys): Promise<void> {
    this.rereadMasterKeys();
    const versions = [...this.#masterKeys.byVersion.keys()];
    const lowest = this.#masterKeys.byVersion.get(Math.min(...versions)) as MasterKey;
    const { fingerprint, version } = await shared.masterKey(lowest);
    const keys = await shared.keys();
    const { byVersion, path } = this.#masterKeys;
    const current = byVersion.get(version);
    if (!current?.fingerprint.equals(fingerprint)) throw notTheirMasterKey(path, version);
    const masterKeys = { path, current, byVersion };
    this.#store.use(masterKeys);
    this.#store.replaceAll(keys);
    this.#masterKeys = masterKeys;
    this.#secrets = secretsIn(this.#store);
    // A version that is not in the file any more may go now.
    this.#fileVersion = null;
  }

  async #fetch(apiKey: string): Promise<void> {
    const shared = this.#shared;
    const sealed = (await shared?.key(apiKey)) ?? null;
    if (shared === null || sealed === null) return;
    if (sealed.masterKeyVersion !== this.#masterKeys.current.version) await this.#fetchAll(shared);
    else this.#secrets.set(apiKey, toKeySecrets(this.#store.putSealed(sealed)));
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

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && "syscall" in error;
}

function secretsIn(store: KeyStore): Map<string, KeySecrets> {
  const secrets = new Map<string, KeySecrets>();
  for (const stored of store.loadAll()) secrets.set(stored.apiKey, toKeySecrets(stored));
  return secrets;
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
