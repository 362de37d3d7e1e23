/**
 * The keys that may sign, in memory. A key is live when both halves exist: its secrets, from the
 * key store, and its settings, from the state of the exchange. Every lookup sees the last change.
 */
import { createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Permission } from "../domain/index.ts";
import { digestPassphrase, type StoredKey } from "./key-store.ts";

/** The settings of a key, in the form of the engine's answers. */
export interface KeySettings {
  readonly apiKey: string;
  readonly uid: number;
  readonly permissions: readonly Permission[];
  readonly ipAllowList: readonly string[];
  readonly expiresAtMs: number | null;
}

export interface LiveKey extends KeySettings {
  /** The UTF-8 bytes of the secret text that the owner was shown. */
  readonly secret: KeyObject;
  /** Constant time for every passphrase of one length. */
  passphraseMatches(passphrase: string): boolean;
}

/** The secrets of a key, ready for use. */
export interface KeySecrets {
  readonly apiKey: string;
  readonly uid: number;
  readonly secret: KeyObject;
  passphraseMatches(passphrase: string): boolean;
}

export function toKeySecrets(stored: StoredKey): KeySecrets {
  const { apiKey, uid, masterKey, passphraseDigest } = stored;
  return {
    apiKey,
    uid,
    secret: createSecretKey(Buffer.from(stored.secret, "utf8")),
    passphraseMatches: (passphrase) =>
      timingSafeEqual(digestPassphrase(masterKey, apiKey, uid, passphrase), passphraseDigest),
  };
}

export class KeyDirectory {
  readonly #live = new Map<string, LiveKey>();

  get size(): number {
    return this.#live.size;
  }

  /** The same object until the key changes; null for an unknown or revoked key. */
  find(apiKey: string): LiveKey | null {
    return this.#live.get(apiKey) ?? null;
  }

  set(secrets: KeySecrets, settings: KeySettings): void {
    const { apiKey, uid, permissions, ipAllowList, expiresAtMs } = settings;
    const { secret, passphraseMatches } = secrets;
    const key = { apiKey, uid, permissions, ipAllowList, expiresAtMs, secret, passphraseMatches };
    this.#live.set(apiKey, key);
  }

  delete(apiKey: string): void {
    this.#live.delete(apiKey);
  }
}
