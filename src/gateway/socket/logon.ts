/**
 * A logon by message: the four values of a signed request's headers, checked in the same order with
 * the same codes. The signed text is that of a GET request for the WebSocket's path.
 */
import { type Refusal, type RefusalReason, refuse } from "../../api/errors.ts";
import { SOCKET_PATH, SOCKET_SIGNED_METHOD } from "../../api/socket-calls.ts";
import type { JsonObject } from "../../api/strict-json.ts";
import { type Accepted, PERMISSIONS } from "../../domain/index.ts";
import type { Authenticator, Identity } from "../authentication/authenticator.ts";

const NO_BODY = Buffer.alloc(0);
const ANY_PERMISSION = { anyOf: PERMISSIONS };
/** A header has one byte a character; other spellings of a signature are none. */
const ONE_BYTE = /^[\x20-\x7e]*$/;

/** The parameters, in the order of the checks, and the headers that carry the same. */
const FIELDS = [
  ["apiKey", "access-key"],
  ["signature", "access-sign"],
  ["timestamp", "access-timestamp"],
  ["passphrase", "access-passphrase"],
] as const;

type Field = (typeof FIELDS)[number][0];

const FIELD_OF: Partial<Readonly<Record<RefusalReason, Field>>> = {
  "missing-access-key": "apiKey",
  "missing-access-sign": "signature",
  "missing-access-timestamp": "timestamp",
  "missing-access-passphrase": "passphrase",
  "timestamp-malformed": "timestamp",
  "timestamp-expired": "timestamp",
  "unknown-key": "apiKey",
  "bad-signature": "signature",
  "wrong-passphrase": "passphrase",
};

function named(refusal: Refusal): Refusal {
  return { ...refusal, field: FIELD_OF[refusal.reason] ?? refusal.field };
}

export interface Logon extends Identity {
  readonly timestampMs: number;
}

export function readLogon(
  authenticator: Authenticator,
  params: JsonObject,
  address: string,
): Accepted<Logon> | Refusal {
  const headers: Record<string, string> = {};
  for (const [field, header] of FIELDS) {
    const sent = params[field] ?? "";
    if (typeof sent !== "string") return refuse("invalid-parameter", field, "text");
    headers[header] = sent;
  }
  const refusal = authenticator.checkHeaders(headers);
  if (refusal !== null) return named(refusal);
  const sign = headers["access-sign"] as string;
  const identity = authenticator.identify(
    {
      method: SOCKET_SIGNED_METHOD,
      target: SOCKET_PATH,
      headers: ONE_BYTE.test(sign) ? headers : { ...headers, "access-sign": "" },
      body: NO_BODY,
      address,
    },
    ANY_PERMISSION,
  );
  if (!identity.ok) return named(identity);
  const timestampMs = Number(headers["access-timestamp"]);
  return { ok: true, value: { ...identity.value, timestampMs } };
}
