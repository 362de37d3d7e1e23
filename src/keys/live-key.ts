/**
 * A key that may sign: its secrets, from the key store, and its settings, from the state of the
 * exchange.
 */
import { createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Permission } from "../domain/index.ts";
import { digestPassphrase, type PassphraseKey, type StoredKey } from "./sealed-key.ts";

/** The settings of a key, in the form of the engine's answers. */
export interface KeySettings {
  readonly apiKey: string;
  readonly uid: number;
  readonly permissions: readonly Permission[];
  readonly ipAllowList: readonly string[];
  readonly expiresAtMs: number | null;
}

/** The secrets of a key, ready for use: plain data that can be cloned to another thread. */
export interface KeySecrets {
  readonly apiKey: string;
  readonly uid: number;
  /** The UTF-8 bytes of the secret text that the owner was shown. */
  readonly secret: KeyObject;
  readonly passphraseDigest: Uint8Array;
  /** What made the digest. */
  readonly passphraseKey: PassphraseKey;
}

export interface LiveKey extends KeySettings {
  readonly secret: KeyObject;
  /** Constant time for every passphrase of one length. */
  passphraseMatches(passphrase: string): boolean;
}

export function toKeySecrets(stored: StoredKey): KeySecrets {
  const { apiKey, uid, passphraseDigest } = stored;
  const { version, passphraseKey } = stored.passphraseKey;
  const secret = createSecretKey(Buffer.from(stored.secret, "utf8"));
  return { apiKey, uid, secret, passphraseDigest, passphraseKey: { version, passphraseKey } };
}

export function toLiveKey(secrets: KeySecrets, settings: KeySettings): LiveKey {
  const { secret, passphraseDigest, passphraseKey } = secrets;
  const { apiKey, uid, permissions, ipAllowList, expiresAtMs } = settings;
  return {
    apiKey,
    uid,
    permissions,
    ipAllowList,
    expiresAtMs,
    secret,
    passphraseMatches: (passphrase) =>
      timingSafeEqual(digestPassphrase(passphraseKey, apiKey, uid, passphrase), passphraseDigest),
  };
}
