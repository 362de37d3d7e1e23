/** Puts a new master key in the place of an old one. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { NODE_PLATFORM, type Randomness } from "../platform/index.ts";
import { KeyStore, notTheirMasterKey, sealingVersions } from "./key-store.ts";
import { findMasterKeys, KEY_STORE_FILE } from "./key-vault.ts";
import { addMasterKey, dropOlderMasterKeys, type MasterKeyRing } from "./master-key.ts";
import { UnusableSecrets } from "./private-file.ts";
import { openKey, type SealedKey, sealAnew } from "./sealed-key.ts";

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
    const keys = store.sealedAnew();
    store.replaceAll(keys);
    onStep("resealed");
    dropOlderMasterKeys(path);
    onStep("dropped");
    return { version: masterKeys.current.version, apiKeys: keys.length, path };
  } finally {
    store.close();
  }
}

/**
 * Keys of a cluster, sealed with the newest master key of the ring. Throws `UnusableSecrets` where
 * the ring does not open all of them.
 */
export function resealKeys(
  keys: readonly SealedKey[],
  masterKeys: MasterKeyRing,
  randomness: Randomness = NODE_PLATFORM.randomness,
): readonly SealedKey[] {
  const opened = keys.map((key) => {
    const stored = openKey(key, masterKeys);
    if (stored === null) throw notTheirMasterKey(masterKeys.path, key.masterKeyVersion);
    return stored;
  });
  return sealAnew(opened, masterKeys.current, randomness);
}

/**
 * Removes the store of a node that is stopped, when these master keys do not open it: it is a copy
 * of what the nodes share, and is made again.
 */
export function removeOutdatedCopy(dataFolder: string, { byVersion }: MasterKeyRing): void {
  const path = join(dataFolder, KEY_STORE_FILE);
  if (!existsSync(path) || sealingVersions(path).every((version) => byVersion.has(version))) {
    return;
  }
  rmSync(path);
}
