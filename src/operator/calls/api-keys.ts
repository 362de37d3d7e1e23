/**
 * API keys. Secrets go to the key vault, settings to the exchange; the order in which both change
 * is what makes a key that was answered work and a key that was answered as revoked dead,
 * whenever a crash comes.
 */
import { Type } from "typebox";
import type { ApiKeyView } from "../../protocol/index.ts";
import { done, pageLimit, toPage } from "../answers.ts";
import { call, type Outcome, type Plane } from "../call.ts";
import { isIpRange } from "../ip-range.ts";
import { type Refusal, refuse } from "../refusal.ts";
import {
  ApiKey,
  Fields,
  IpAllowList,
  Label,
  Nothing,
  Nullable,
  PageAfterName,
  PageOf,
  Passphrase,
  Permissions,
  TimestampMs,
  Uid,
} from "../schemas.ts";

const TAG = "API keys";

const OneKey = Fields({ apiKey: ApiKey });

const KeySettings = Fields({
  apiKey: ApiKey,
  uid: Uid,
  label: Label,
  permissions: Permissions,
  ipAllowList: IpAllowList,
  expiresAt: Nullable(TimestampMs),
});

function toSettings(view: ApiKeyView) {
  const { apiKey, uid, label, permissions, ipAllowList, expiresAtMs } = view;
  return {
    apiKey,
    uid,
    label,
    permissions: [...permissions],
    ipAllowList: [...ipAllowList],
    expiresAt: expiresAtMs,
  };
}

function refuseRanges(ipAllowList: readonly string[] | undefined): Refusal | null {
  const wrong = ipAllowList?.find((range) => !isIpRange(range));
  if (wrong === undefined) return null;
  return refuse(
    "malformed",
    "ipAllowList",
    `has "${wrong}", which is no address and no CIDR range`,
  );
}

const createApiKey = call(
  {
    id: "createApiKey",
    method: "POST",
    path: "/operator/v1/users/{uid}/api-keys",
    tag: TAG,
    summary: "Create an API key; the secret is shown in this answer and never again",
    params: Fields({ uid: Uid }),
    query: Nothing,
    body: Fields({
      label: Type.Optional(Label),
      permissions: Permissions,
      passphrase: Passphrase,
      ipAllowList: Type.Optional(IpAllowList),
    }),
    answer: Fields({ apiKey: ApiKey, secret: Type.String(), passphrase: Passphrase }),
  },
  async ({ params, body, actor }, plane) => {
    const wrongRange = refuseRanges(body.ipAllowList);
    if (wrongRange !== null) return wrongRange;
    return plane.turns.take(async () => {
      const drawn = plane.keys.create(params.uid, body.passphrase);
      if (!drawn.ok) return drawn;
      const { apiKey, secret } = drawn.value;
      const settings = {
        apiKey,
        uid: params.uid,
        label: body.label ?? "",
        permissions: body.permissions,
        ipAllowList: body.ipAllowList ?? [],
        expiresAtMs: null,
      };
      const reply = await plane.engine.execute({ type: "set-api-key", actor, ...settings });
      if (!reply.ok) {
        discardSecrets(plane, apiKey);
        return reply;
      }
      plane.keys.activate(settings);
      return done({ apiKey, secret, passphrase: body.passphrase });
    });
  },
);

const listApiKeys = call(
  {
    id: "listApiKeys",
    method: "GET",
    path: "/operator/v1/api-keys",
    tag: TAG,
    summary: "The settings of all API keys, in order of the key; never their secrets",
    params: Nothing,
    query: PageAfterName,
    body: Nothing,
    answer: PageOf(KeySettings, ApiKey),
  },
  async ({ query }, { engine }) => {
    const limit = pageLimit(query);
    const after = query.after ?? "";
    const reply = await engine.ask({ type: "api-keys", after, limit });
    return reply.ok ? done(toPage(reply.value, limit, toSettings, (key) => key.apiKey)) : reply;
  },
);

const listApiKeysOfUser = call(
  {
    id: "listApiKeysOfUser",
    method: "GET",
    path: "/operator/v1/users/{uid}/api-keys",
    tag: TAG,
    summary: "The settings of a user's API keys, in order of the key; never their secrets",
    params: Fields({ uid: Uid }),
    query: PageAfterName,
    body: Nothing,
    answer: PageOf(KeySettings, ApiKey),
  },
  async ({ params, query }, { engine }) => {
    const { uid } = params;
    const user = await engine.ask({ type: "user", uid });
    if (!user.ok) return user;
    const limit = pageLimit(query);
    const reply = await engine.ask({ type: "api-keys", uid, after: query.after ?? "", limit });
    return reply.ok ? done(toPage(reply.value, limit, toSettings, (key) => key.apiKey)) : reply;
  },
);

const getApiKey = call(
  {
    id: "getApiKey",
    method: "GET",
    path: "/operator/v1/api-keys/{apiKey}",
    tag: TAG,
    summary: "The settings of an API key; never its secrets",
    params: OneKey,
    query: Nothing,
    body: Nothing,
    answer: KeySettings,
  },
  async ({ params }, { engine }) => {
    const reply = await engine.ask({ type: "api-key", apiKey: params.apiKey });
    return reply.ok ? done(toSettings(reply.value)) : reply;
  },
);

const updateApiKey = call(
  {
    id: "updateApiKey",
    method: "PATCH",
    path: "/operator/v1/api-keys/{apiKey}",
    tag: TAG,
    summary: "Change the settings of an API key, in force with the answer; what is not given stays",
    params: OneKey,
    query: Nothing,
    body: Fields({
      label: Type.Optional(Label),
      permissions: Type.Optional(Permissions),
      ipAllowList: Type.Optional(IpAllowList),
      expiresAt: Type.Optional(Nullable(TimestampMs)),
    }),
    answer: KeySettings,
  },
  async ({ params, body, actor }, plane): Promise<Outcome<ReturnType<typeof toSettings>>> => {
    if (Object.keys(body).length === 0) {
      return refuse("malformed", null, "give one of label, permissions, ipAllowList, expiresAt");
    }
    const wrongRange = refuseRanges(body.ipAllowList);
    if (wrongRange !== null) return wrongRange;
    return plane.turns.take(async () => {
      const present = await plane.engine.ask({ type: "api-key", apiKey: params.apiKey });
      if (!present.ok) return present;
      const { expiresAt = present.value.expiresAtMs } = body;
      if (body.expiresAt != null && body.expiresAt <= present.timestampMs) {
        const detail = `must be after ${present.timestampMs}; to end a key at once, DELETE it`;
        return refuse("out-of-range", "expiresAt", detail);
      }
      const settings = {
        apiKey: params.apiKey,
        uid: present.value.uid,
        label: body.label ?? present.value.label,
        permissions: body.permissions ?? present.value.permissions,
        ipAllowList: body.ipAllowList ?? present.value.ipAllowList,
        expiresAtMs: expiresAt,
      };
      const reply = await plane.engine.execute({ type: "set-api-key", actor, ...settings });
      if (!reply.ok) return reply;
      plane.keys.activate(settings);
      return done(toSettings(settings));
    });
  },
);

const revokeApiKey = call(
  {
    id: "revokeApiKey",
    method: "DELETE",
    path: "/operator/v1/api-keys/{apiKey}",
    tag: TAG,
    summary: "Revoke an API key: no request that arrives after the answer is let in with it",
    params: OneKey,
    query: Nothing,
    body: Nothing,
    answer: Fields({ apiKey: ApiKey, revoked: Type.Literal(true) }),
  },
  ({ params, actor }, plane) =>
    plane.turns.take(async () => {
      const { apiKey } = params;
      const reply = await plane.engine.execute({ type: "revoke-api-key", actor, apiKey });
      if (!reply.ok) return reply;
      discardSecrets(plane, apiKey);
      return done({ apiKey, revoked: true as const });
    }),
);

/** The key is dead either way: without settings, secrets that stay on disk open nothing. */
function discardSecrets(plane: Plane, apiKey: string): void {
  try {
    plane.keys.discard(apiKey);
  } catch (error) {
    const reason = (error as Error).message;
    plane.log.error({ apiKey, reason }, "secrets of a dead API key stay until the next start");
  }
}

export const API_KEY_CALLS = [
  createApiKey,
  listApiKeysOfUser,
  listApiKeys,
  getApiKey,
  updateApiKey,
  revokeApiKey,
];
