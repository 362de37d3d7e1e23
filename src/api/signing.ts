/** The text that a caller signs. The gateway verifies it over the bytes as they arrived. */

export const SIGNING_HEADERS = {
  key: "ACCESS-KEY",
  sign: "ACCESS-SIGN",
  timestamp: "ACCESS-TIMESTAMP",
  passphrase: "ACCESS-PASSPHRASE",
} as const;

/** The largest difference between a request's timestamp and the server's clock, either way. */
export const TIMESTAMP_WINDOW_MS = 30_000;

/**
 * `ACCESS-SIGN` is the base64 of HMAC-SHA256 over this text under the secret's UTF-8 bytes.
 * `target` is the path with `?query` exactly as sent, `body` the body exactly as sent ("" for
 * none).
 */
export function textToSign(
  timestampMs: string,
  method: string,
  target: string,
  body: string,
): string {
  return timestampMs + method + target + body;
}
