/**
 * The gateway's view of API keys. The key store implements it; an operator's change is visible here
 * before the operator's call is answered, in every gateway.
 */
import type { KeyObject } from "node:crypto";
import type { Permission } from "../../domain/index.ts";

export interface KeyRecord {
  readonly apiKey: string;
  readonly uid: number;
  /** The bytes that sign: the UTF-8 bytes of the secret text that its owner was shown. */
  readonly secret: KeyObject;
  readonly permissions: readonly Permission[];
  /** Addresses and CIDR ranges, IPv4 or IPv6; empty allows every address. */
  readonly ipAllowList: readonly string[];
  /** Exchange time from which the key is unknown; null never. */
  readonly expiresAtMs: number | null;
  /** Compares in constant time with the stored HMAC. Called only after the signature is valid. */
  passphraseMatches(passphrase: string): boolean;
}

export interface KeyDirectory {
  /**
   * A live key; null for an unknown or revoked one. The same object until the key changes: the
   * gateway caches what it derives from it (signing pads, address ranges).
   */
  find(apiKey: string): KeyRecord | null;
}
