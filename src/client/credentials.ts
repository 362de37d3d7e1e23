/** Credentials, and request signatures by WebCrypto. */
import { SIGNING_HEADERS, textToSign } from "../api/signing.ts";
import type { ClientRuntime } from "./runtime.ts";

export interface ApiCredentials {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
}

/** Instead of the secret, a function that signs, e.g. through your own server. */
export interface SigningCredentials {
  readonly apiKey: string;
  readonly passphrase: string;
  /** The base64 of HMAC-SHA256 over the text's UTF-8 under the secret. */
  sign(text: string): string | Promise<string>;
}

export type Credentials = ApiCredentials | SigningCredentials;

const HMAC = { name: "HMAC", hash: "SHA-256" };
const UTF8 = new TextEncoder();

/** Signs with a key that is imported once. */
export class Signer {
  readonly #credentials: Credentials;
  #key: Promise<CryptoKey> | null = null;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  get apiKey(): string {
    return this.#credentials.apiKey;
  }

  get passphrase(): string {
    return this.#credentials.passphrase;
  }

  async sign(text: string): Promise<string> {
    const credentials = this.#credentials;
    if ("sign" in credentials) return credentials.sign(text);
    this.#key ??= subtle().importKey("raw", UTF8.encode(credentials.secret), HMAC, false, ["sign"]);
    return toBase64(await subtle().sign(HMAC.name, await this.#key, UTF8.encode(text)));
  }

  /** The headers of a request. `target` is the path with its query. */
  async headers(
    timestampMs: number,
    method: string,
    target: string,
    body: string,
  ): Promise<Record<string, string>> {
    const timestamp = String(timestampMs);
    return {
      [SIGNING_HEADERS.key]: this.apiKey,
      [SIGNING_HEADERS.sign]: await this.sign(textToSign(timestamp, method, target, body)),
      [SIGNING_HEADERS.timestamp]: timestamp,
      [SIGNING_HEADERS.passphrase]: this.passphrase,
    };
  }
}

/** SHA-256 of a text's UTF-8, as hex. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = new Uint8Array(await subtle().digest("SHA-256", UTF8.encode(text)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function subtle(): typeof crypto.subtle {
  const found = globalThis.crypto?.subtle as typeof crypto.subtle | undefined;
  if (found !== undefined) return found;
  throw new Error(
    "WebCrypto is missing: browsers have it on https and localhost only; or pass `sign`",
  );
}

function toBase64(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)));
}

const CLIENT_ID_BYTES = 16;

/** A unique client order id of 34 characters. */
export function newClientId(runtime: ClientRuntime): string {
  const bytes = runtime.randomBytes(CLIENT_ID_BYTES);
  return `r-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
