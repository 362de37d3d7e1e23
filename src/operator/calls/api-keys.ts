/**
 * API keys. Secrets are written to the key vault first, then settings to the exchange. So, whenever
 * a crash occurs, a returned key works and a key reported as revoked does not.
 */
import * as routes from "../../api/operator/api-keys.ts";
import { type Rejection, reject } from "../../domain/index.ts";
import type { ApiKeyView } from "../../protocol/index.ts";
import { done, pageLimit, toPage } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";
import { isIpRange } from "../ip-range.ts";
import { forReason } from "../reasons.ts";

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

function refuseRanges(ipAllowList: readonly string[] | undefined): Rejection | null {
  const wrong = ipAllowList?.find((range) => !isIpRange(range));
  if (wrong === undefined) return null;
  return reject("malformed", "ipAllowList", `addresses or CIDR ranges, and "${wrong}" is neither`);
}

const createApiKey = handle(routes.createApiKey, async ({ params, body, actor }, context) => {
  const wrongRange = refuseRanges(body.ipAllowList);
  if (wrongRange !== null) return wrongRange;
  return context.mutex.run(async () => {
    const drawn = await context.keys.create(params.uid, body.passphrase);
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
    const reply = await context.engine.execute({ type: "set-api-key", actor, ...settings });
    if (!reply.ok) {
      await discardSecrets(context, apiKey);
      return reply;
    }
    await context.keys.activate(settings);
    return done({ apiKey, secret, passphrase: body.passphrase });
  });
});

const listApiKeys = handle(routes.listApiKeys, async ({ query }, { engine }) => {
  const limit = pageLimit(query);
  const after = query.after ?? "";
  const reply = await engine.query({ type: "api-keys", after, limit });
  return reply.ok ? done(toPage(reply.value, limit, toSettings, (key) => key.apiKey)) : reply;
});

const listApiKeysOfUser = handle(
  routes.listApiKeysOfUser,
  async ({ params, query }, { engine }) => {
    const { uid } = params;
    const user = await engine.query({ type: "user", uid });
    if (!user.ok) return user;
    const limit = pageLimit(query);
    const reply = await engine.query({ type: "api-keys", uid, after: query.after ?? "", limit });
    return reply.ok ? done(toPage(reply.value, limit, toSettings, (key) => key.apiKey)) : reply;
  },
);

const getApiKey = handle(routes.getApiKey, async ({ params }, { engine }) => {
  const reply = await engine.query({ type: "api-key", apiKey: params.apiKey });
  return reply.ok ? done(toSettings(reply.value)) : reply;
});

const updateApiKey = handle(
  routes.updateApiKey,
  async ({ params, body, actor }, context): Promise<Outcome<ReturnType<typeof toSettings>>> => {
    if (Object.keys(body).length === 0) {
      return reject(
        "malformed",
        null,
        "give at least one of label, permissions, ipAllowList, expiresAt",
      );
    }
    const wrongRange = refuseRanges(body.ipAllowList);
    if (wrongRange !== null) return wrongRange;
    return context.mutex.run(async () => {
      const present = await context.engine.query({ type: "api-key", apiKey: params.apiKey });
      if (!present.ok) return present;
      const { expiresAt = present.value.expiresAtMs } = body;
      if (body.expiresAt != null && body.expiresAt <= present.timestampMs) {
        const detail = `after ${present.timestampMs}; to end the key at once, DELETE it`;
        return reject("out-of-range", "expiresAt", detail);
      }
      const settings = {
        apiKey: params.apiKey,
        uid: present.value.uid,
        label: body.label ?? present.value.label,
        permissions: body.permissions ?? present.value.permissions,
        ipAllowList: body.ipAllowList ?? present.value.ipAllowList,
        expiresAtMs: expiresAt,
      };
      const reply = await context.engine.execute({ type: "set-api-key", actor, ...settings });
      if (!reply.ok) return reply;
      await context.keys.activate(settings);
      return done(toSettings(settings));
    });
  },
);

const revokeApiKey = handle(routes.revokeApiKey, ({ params, query, actor }, context) =>
  context.mutex.run(async () => {
    const { apiKey } = params;
    const reply = await context.engine.execute(
      forReason({ type: "revoke-api-key", actor, apiKey }, query.reason),
    );
    if (!reply.ok) return reply;
    await discardSecrets(context, apiKey);
    return done({ apiKey, revoked: true as const });
  }),
);

/** The key is dead either way: secrets without settings give no access. */
async function discardSecrets(context: OperatorContext, apiKey: string): Promise<void> {
  try {
    await context.keys.discard(apiKey);
  } catch (error) {
    const reason = (error as Error).message;
    context.log.error({ apiKey, reason }, "secrets of a dead API key stay until the next start");
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
