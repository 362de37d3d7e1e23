/**
 * Authenticates a request: headers, time, signature over the bytes as they arrived, passphrase,
 * address and permission, in this order. The first check that fails decides the answer.
 */
import { createSecretKey, hash, type KeyObject, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { Access } from "../../api/calls.ts";
import { type Refusal, refuse } from "../../api/errors.ts";
import { TIMESTAMP_WINDOW_MS } from "../../api/signing.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { Caller } from "../endpoint.ts";
import { AddressRanges } from "../http/address.ts";
import type { Clock } from "../http/ports.ts";
import type { KeyDirectory, KeyRecord } from "./key-directory.ts";

const HASH_BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const SIGNATURE_LENGTH = 44;
const SCRATCH_BYTES = 64 * 1024;
const TIMESTAMP_FORM = /^[0-9]{13}$/;
const JSON_TYPE = "application/json";
const JSON_MEDIA_TYPE = /^application\/json\s*(;|$)/i;

/** Longer ones are compared by the record itself each time. */
const PASSPHRASE_LENGTH_MAX = 128;

export const PUBLIC_CALLER: Caller = { uid: 0, apiKey: "", permissions: [] };

/** The caller, and the signature as it was verified. */
export interface Identity {
  readonly caller: Caller;
  /** Canonical base64; empty on a public route. */
  readonly signature: string;
}

let scratch = Buffer.allocUnsafe(SCRATCH_BYTES);
const outerBlock = Buffer.allocUnsafe(HASH_BLOCK_BYTES + HASH_BYTES);
const expectedText = Buffer.allocUnsafe(SIGNATURE_LENGTH);
const givenText = Buffer.allocUnsafe(SIGNATURE_LENGTH);
const givenPassphrase = Buffer.allocUnsafe(2 * PASSPHRASE_LENGTH_MAX);

function pad(key: Buffer, byte: number): Buffer {
  const block = Buffer.alloc(HASH_BLOCK_BYTES, byte);
  for (let i = 0; i < key.length; i++) block[i] = (key[i] as number) ^ byte;
  return block;
}

/**
 * HMAC-SHA256 (RFC 2104) as its two plain hashes: half the cost of creating an `Hmac` per request,
 * and the padded keys are made once. Tested against `createHmac`.
 */
export class RequestSigner {
  readonly #innerPad: Buffer;
  readonly #outerPad: Buffer;

  constructor(secret: KeyObject) {
    const bytes = secret.export();
    const key = bytes.length > HASH_BLOCK_BYTES ? hash("sha256", bytes, "buffer") : bytes;
    this.#innerPad = pad(key, 0x36);
    this.#outerPad = pad(key, 0x5c);
  }

  /** The base64 signature. `head` is timestamp + method + target, one byte a character. */
  sign(head: string, body: Buffer): string {
    const length = HASH_BLOCK_BYTES + head.length + body.length;
    if (length > scratch.length) scratch = Buffer.allocUnsafe(length);
    scratch.set(this.#innerPad);
    scratch.write(head, HASH_BLOCK_BYTES, "latin1");
    scratch.set(body, HASH_BLOCK_BYTES + head.length);
    const inner = hash("sha256", scratch.subarray(0, length), "binary");
    outerBlock.set(this.#outerPad);
    outerBlock.write(inner, HASH_BLOCK_BYTES, "latin1");
    return hash("sha256", outerBlock, "base64");
  }

  /** The canonical base64 signature if the sent one equals it, else null. In constant time. */
  verified(signature: string, head: string, body: Buffer): string | null {
    const expected = this.sign(head, body);
    // The length of a signature is no secret.
    if (signature.length !== SIGNATURE_LENGTH) return null;
    expectedText.write(expected, "latin1");
    givenText.write(signature, "latin1");
    return timingSafeEqual(expectedText, givenText) ? expected : null;
  }
}

/** Derived from a key record once and kept as long as the record lives. */
interface KnownKey {
  readonly record: KeyRecord;
  readonly signer: RequestSigner;
  readonly caller: Caller;
  readonly addresses: AddressRanges | null;
  /** The passphrase that the record accepted, in UTF-16; null before the first. */
  rightPassphrase: Buffer | null;
}

function toKnownKey(record: KeyRecord): KnownKey {
  const { uid, apiKey, permissions, ipAllowList } = record;
  return {
    record,
    signer: new RequestSigner(record.secret),
    caller: { uid, apiKey, permissions },
    addresses: ipAllowList.length === 0 ? null : new AddressRanges(ipAllowList),
    rightPassphrase: null,
  };
}

/**
 * The record's own check is far slower, so what it accepted is remembered as it was sent. That adds
 * nothing to what this memory holds of the key already: the padded secret, which alone can sign.
 * It is only compared after the signature was right, in constant time, and forgotten with the
 * record.
 */
function matchesPassphrase(key: KnownKey, passphrase: string): boolean {
  if (passphrase.length > PASSPHRASE_LENGTH_MAX) return key.record.passphraseMatches(passphrase);
  // Two bytes a character: handshakes carry passphrases that are more than Latin-1.
  const given = givenPassphrase.subarray(0, givenPassphrase.write(passphrase, "utf16le"));
  const right = key.rightPassphrase;
  if (right !== null && right.length === given.length && timingSafeEqual(right, given)) return true;
  if (!key.record.passphraseMatches(passphrase)) return false;
  key.rightPassphrase = Buffer.from(given);
  return true;
}

export interface SignedRequest {
  readonly method: string;
  /** Path and query exactly as sent. */
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly address: string;
}

export class Authenticator {
  readonly #keys: KeyDirectory;
  readonly #clock: Clock;
  readonly #known = new WeakMap<KeyRecord, KnownKey>();
  /** Signs in place of an unknown key, so that refusing takes as long, whatever was sent. */
  readonly #nobody = new RequestSigner(createSecretKey(Buffer.alloc(HASH_BYTES)));

  constructor(keys: KeyDirectory, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** What can be checked before the body: all headers are present and the time is right. */
  checkHeaders(headers: IncomingHttpHeaders): Refusal | null {
    if (!headers["access-key"]) return refuse("missing-access-key");
    if (!headers["access-sign"]) return refuse("missing-access-sign");
    const timestamp = headers["access-timestamp"] as string | undefined;
    if (!timestamp) return refuse("missing-access-timestamp");
    if (!headers["access-passphrase"]) return refuse("missing-access-passphrase");
    if (!TIMESTAMP_FORM.test(timestamp)) return refuse("timestamp-malformed");
    return this.#isTimely(Number(timestamp)) ? null : refuse("timestamp-expired");
  }

  /**
   * By exchange time too, which is what clients put their clocks right by: a sandbox's may be set,
   * and any exchange's is ahead for a while when the machine's clock was set back.
   */
  #isTimely(timestampMs: number): boolean {
    const isNear = (ms: number) => Math.abs(timestampMs - ms) <= TIMESTAMP_WINDOW_MS;
    return isNear(this.#clock.wallMs()) || isNear(this.#clock.exchangeMs());
  }

  /** Key, signature, passphrase, address, permission. The headers were checked before. */
  identify(request: SignedRequest, access: NonNullable<Access>): Accepted<Identity> | Refusal {
    const { headers } = request;
    const key = this.#find(headers["access-key"] as string);
    const head = `${headers["access-timestamp"]}${request.method}${request.target}`;
    const signer = key === null ? this.#nobody : key.signer;
    const signature = signer.verified(headers["access-sign"] as string, head, request.body);
    if (key === null) return refuse("unknown-key");
    if (signature === null) return refuse("bad-signature");
    if (!matchesPassphrase(key, headers["access-passphrase"] as string)) {
      return refuse("wrong-passphrase");
    }
    if (key.addresses !== null && !key.addresses.includes(request.address)) {
      return refuse("address-not-allowed");
    }
    return checkPermission(key.caller, access) ?? accept({ caller: key.caller, signature });
  }

  /** The caller of a key that was verified before; null when it has ended for this address. */
  current(apiKey: string, address: string): Caller | null {
    const key = this.#find(apiKey);
    if (key === null) return null;
    return key.addresses === null || key.addresses.includes(address) ? key.caller : null;
  }

  #find(apiKey: string): KnownKey | null {
    const record = this.#keys.find(apiKey);
    if (record === null) return null;
    const { expiresAtMs } = record;
    if (expiresAtMs !== null && expiresAtMs <= this.#clock.exchangeMs()) return null;
    let known = this.#known.get(record);
    if (known === undefined) {
      known = toKnownKey(record);
      this.#known.set(record, known);
    }
    return known;
  }
}

export function checkPermission(caller: Caller, access: NonNullable<Access>): Refusal | null {
  for (const permission of caller.permissions) if (access.anyOf.includes(permission)) return null;
  return refuse("permission-denied", null, `needs ${access.anyOf.join(" or ")}`);
}

export function hasBody(headers: IncomingHttpHeaders): boolean {
  const { "content-length": contentLength, "transfer-encoding": transferEncoding } = headers;
  return transferEncoding !== undefined || (contentLength !== undefined && contentLength !== "0");
}

/** A body must be declared as JSON. */
export function checkContentType(headers: IncomingHttpHeaders): Refusal | null {
  const type = headers["content-type"] ?? "";
  if (type === JSON_TYPE || JSON_MEDIA_TYPE.test(type)) return null;
  return refuse("wrong-content-type");
}
