/** Routes by which a user reads, makes and revokes keys. */
import Type from "typebox";
import { PERMISSIONS } from "../../domain/index.ts";
import { route } from "../route.ts";
import { timeMs } from "../v3/fields.ts";
import { ADDITIONS_TAG } from "./fields.ts";

/** What such a key may be given. */
const GRANTED = PERMISSIONS.filter((permission) => permission !== "keys");
const RANGES_MAX = 20;

const API_KEY = Type.String({ description: "API key" });

export const apiKeysRoute = route("v3-api-keys", {
  tag: ADDITIONS_TAG,
  summary: "The caller's API keys, by name",
  description: "Without secrets. All of them: an account has at most 100.",
  answer: Type.Array(
    Type.Object({
      apiKey: API_KEY,
      label: Type.String({ description: "Label, may be empty" }),
      permissions: Type.Array(Type.Enum(PERMISSIONS), { description: "What it may do" }),
      ipAllowList: Type.Array(Type.String(), {
        description: "Addresses that may use it; empty: all",
      }),
      expiresAt: timeMs("When it ends; 0: never"),
      isThis: Type.Boolean({ description: "Whether it signed this request" }),
    }),
  ),
});

export const createApiKeyRoute = route("v3-create-api-key", {
  tag: ADDITIONS_TAG,
  summary: "Create an API key of the caller",
  description:
    "Needs a key that the operator gave the permission `keys`. The new key has at most the " +
    "permissions, addresses and lifetime of the one that signs, and never `keys` itself. Only " +
    "this response shows the secret. The same request sent again creates nothing. A new key " +
    "starts the hold of withdrawals after a change of keys.",
  body: Type.Object({
    label: Type.Optional(
      Type.String({
        pattern: "^[^\\u0000-\\u001f\\u007f]{0,64}$",
        description: "Up to 64 characters without control characters",
      }),
    ),
    permissions: Type.Array(Type.Enum(GRANTED), {
      minItems: 1,
      maxItems: GRANTED.length,
      uniqueItems: true,
      description: "What it may do: at least one, each once",
    }),
    passphrase: Type.String({
      pattern: "^[A-Za-z0-9._-]{8,64}$",
      description: "8 to 64 of A-Z a-z 0-9 . _ -",
    }),
    ipAllowList: Type.Optional(
      Type.Array(Type.String({ minLength: 2, maxLength: 49 }), {
        maxItems: RANGES_MAX,
        uniqueItems: true,
        description:
          `At most ${RANGES_MAX} addresses or CIDR ranges; absent: those of the key that signs. ` +
          "If that key has a list, only entries of it",
      }),
    ),
    expiresAt: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "When it ends, Unix milliseconds; 0: never; absent: with the key that signs",
      }),
    ),
  }),
  answer: Type.Object({
    apiKey: API_KEY,
    secret: Type.String({ description: "64 hex digits, shown here alone" }),
  }),
});

export const revokeApiKeyRoute = route("v3-revoke-api-key", {
  tag: ADDITIONS_TAG,
  summary: "Revoke an API key of the caller",
  description:
    "Requests that arrive after the response are rejected. Not for keys with the permission " +
    "`keys`, nor for those with a permission that the signing key lacks: these are the operator's.",
  query: Type.Object({
    apiKey: Type.String({
      pattern: "^[A-Za-z0-9_]{1,64}$",
      description: "The key",
      "x-refusal": "unknown-api-key",
    }),
  }),
  answer: Type.Object({
    apiKey: API_KEY,
    revoked: Type.Literal(true, { description: "It ended" }),
  }),
});
