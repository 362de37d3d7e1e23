/**
 * How the secrets of API keys are sealed, and opened again. A secret is sealed with AES-256-GCM,
 * bound to its key, its owner and the version of the master key; of a passphrase only a keyed
 * digest is kept.
 *
 * A passphrase cannot be digested anew without its owner: a secret that is sealed anew is kept with
 * the part of the older master key that checks its passphrase, sealed with the newer one.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey } from "node:crypto";
import type { Randomness } from "../platform/index.ts";
import type { MasterKey, MasterKeyRing } from "./master-key.ts";

const CIPHER = "aes-256-gcm";
/** NIST SP 800-38D, section 8.2.2: random 96-bit IVs, at most 2^32 of them per key. */
const IV_BYTES = 12;
const TAG_BYTES = 16;
const DIGEST_BYTES = 32;

/** The part of a master key that checks passphrases. */
export type PassphraseKey = Pick<MasterKey, "version" | "passphraseKey">;

/** A key as it is stored: of no use without the master key. */
export interface SealedKey {
  readonly apiKey: string;
  readonly uid: number;
  readonly masterKeyVersion: number;
  readonly iv: Uint8Array;
  readonly sealedSecret: Uint8Array;
  readonly passphraseDigest: Uint8Array;
  /** What made the digest; null: the master key of that version. */
  readonly passphraseKey: SealedPassphraseKey | null;
}

/** Sealed with the master key that seals the secret. */
export interface SealedPassphraseKey {
  /** Of the master key that it is a part of. */
  readonly version: number;
  readonly iv: Uint8Array;
  readonly sealedKey: Uint8Array;
}

/** A key that was opened. */
export interface StoredKey {
  readonly apiKey: string;
  readonly uid: number;
  readonly secret: string;
  readonly passphraseDigest: Uint8Array;
  /** What made the digest. */
  readonly passphraseKey: PassphraseKey;
}

interface NewKey {
  readonly apiKey: string;
  readonly uid: number;
  readonly secret: string;
  readonly passphrase: string;
}

export function sealKey(masterKey: MasterKey, randomness: Randomness, key: NewKey): SealedKey {
  const { apiKey, uid, secret, passphrase } = key;
  const { version: masterKeyVersion } = masterKey;
  const bound = boundTo(apiKey, uid, masterKeyVersion);
  const { iv, sealed } = seal(masterKey, randomness, Buffer.from(secret, "utf8"), bound);
  const passphraseDigest = digestPassphrase(masterKey, apiKey, uid, passphrase);
  return {
    apiKey,
    uid,
    masterKeyVersion,
    iv,
    sealedSecret: sealed,
    passphraseDigest,
    passphraseKey: null,
  };
}

/** Null for what was not sealed so, or with none of these master keys. */
export function openKey(key: SealedKey, { byVersion }: MasterKeyRing): StoredKey | null {
  const { apiKey, iv, masterKeyVersion, passphraseDigest, sealedSecret, uid } = key;
  const masterKey = byVersion.get(masterKeyVersion);
  if (masterKey === undefined || passphraseDigest.length !== DIGEST_BYTES) return null;
  const secret = open(masterKey, iv, sealedSecret, boundTo(apiKey, uid, masterKeyVersion));
  const passphraseKey = openPassphraseKey(key, masterKey);
  if (secret === null || passphraseKey === null) return null;
  return { apiKey, uid, secret: secret.toString("utf8"), passphraseDigest, passphraseKey };
}

function openPassphraseKey(key: SealedKey, masterKey: MasterKey): PassphraseKey | null {
  if (key.passphraseKey === null) return masterKey;
  const { iv, sealedKey, version } = key.passphraseKey;
  const opened = open(masterKey, iv, sealedKey, carriedTo(version, masterKey.version));
  return opened === null ? null : { version, passphraseKey: createSecretKey(opened) };
}

/** Seals all of them with this master key: no older one is needed to open them. */
export function sealAnew(
  keys: readonly StoredKey[],
  masterKey: MasterKey,
  randomness: Randomness,
): readonly SealedKey[] {
  const { version: masterKeyVersion } = masterKey;
  const carried = new Map<number, SealedPassphraseKey | null>([[masterKeyVersion, null]]);
  for (const { passphraseKey: older } of keys) {
    const { version } = older;
    if (carried.has(version)) continue;
    const bound = carriedTo(version, masterKeyVersion);
    const { iv, sealed } = seal(masterKey, randomness, older.passphraseKey.export(), bound);
    carried.set(version, { version, iv, sealedKey: sealed });
  }
  return keys.map(({ apiKey, passphraseDigest, passphraseKey, secret, uid }) => {
    const bound = boundTo(apiKey, uid, masterKeyVersion);
    const { iv, sealed } = seal(masterKey, randomness, Buffer.from(secret, "utf8"), bound);
    return {
      apiKey,
      uid,
      masterKeyVersion,
      iv,
      sealedSecret: sealed,
      passphraseDigest,
      passphraseKey: carried.get(passphraseKey.version) ?? null,
    };
  });
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

function seal(
  { sealingKey }: MasterKey,
  randomness: Randomness,
  content: Buffer,
  bound: Buffer,
): { readonly iv: Buffer; readonly sealed: Buffer } {
  const iv = randomness.bytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, sealingKey, iv);
  cipher.setAAD(bound);
  const sealed = Buffer.concat([cipher.update(content), cipher.final(), cipher.getAuthTag()]);
  return { iv, sealed };
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

/** API key ‖ uid ‖ version, each ended by a byte that none of them contains. */
function boundTo(apiKey: string, uid: number, masterKeyVersion: number): Buffer {
  return Buffer.from(`${apiKey}\n${uid}\n${masterKeyVersion}\n`, "utf8");
}

/** What checks passphrases of one version, sealed with the master key of another. */
function carriedTo(version: number, masterKeyVersion: number): Buffer {
  return Buffer.from(`passphrase key\n${version}\n${masterKeyVersion}\n`, "utf8");
}
