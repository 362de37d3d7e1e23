/**
 * API keys. Secrets go to the key vault, settings to the exchange; the order in which both change
 * is what makes a key that was answered work and a key that was answered as revoked dead,
 * whenever a crash comes.
 */
import * as routes from "../../api/operator/api-keys.ts";
import type { ApiKeyView } from "../../protocol/index.ts";
import { done, pageLimit, toPage } from "../answers.ts";
import { handle, type Outcome, type Plane } from "../call.ts";
import { isIpRange } from "../ip-range.ts";
import { type Refusal, refuse } from "../refusal.ts";

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

const createApiKey = handle(routes.createApiKey, async ({ params, body, actor }, plane) => {
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
});

const listApiKeys = handle(routes.listApiKeys, async ({ query }, { engine }) => {
  const limit = pageLimit(query);
  const after = query.after ?? "";
  const reply = await engine.ask({ type: "api-keys", after, limit });
  return reply.ok ? done(toPage(reply.value, limit, toSettings, (key) => key.apiKey)) : reply;
});

const listApiKeysOfUser = handle(
  routes.listApiKeysOfUser,
  async ({ params, query }, { engine }) => {
    const { uid } = params;
    const user = await engine.ask({ type: "user", uid });
    if (!user.ok) return user;
    const limit = pageLimit(query);
    const reply = await engine.ask({ type: "api-keys", uid, after: query.after ?? "", limit });
    return reply.ok ? done(toPage(reply.value, limit, toSettings, (key) => key.apiKey)) : reply;
  },
);

const getApiKey = handle(routes.getApiKey, async ({ params }, { engine }) => {
  const reply = await engine.ask({ type: "api-key", apiKey: params.apiKey });
  return reply.ok ? done(toSettings(reply.value)) : reply;
});

const updateApiKey = handle(
  routes.updateApiKey,
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

const revokeApiKey = handle(routes.revokeApiKey, ({ params, actor }, plane) =>
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
