/** The caller's API keys; secrets are made elsewhere: see `key-desk.ts`. */
import {
  apiKeysRoute,
  createApiKeyRoute,
  revokeApiKeyRoute,
} from "../../api/additions/api-keys.ts";
import { accept } from "../../domain/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { type Endpoint, endpoint } from "../endpoint.ts";

/** The engine allows no more per user. */
const KEYS_MAX = 100;

const apiKeys = endpoint(apiKeysRoute, async ({ caller }, { engine }) => {
  const { uid } = caller;
  const reply = await engine.query({ type: "api-keys", uid, after: "", limit: KEYS_MAX });
  if (!reply.ok) return reply;
  return accept(
    reply.value.map(({ apiKey, label, permissions, ipAllowList, expiresAtMs }) => ({
      apiKey,
      label,
      permissions: [...permissions],
      ipAllowList: [...ipAllowList],
      expiresAt: expiresAtMs ?? 0,
      isThis: apiKey === caller.apiKey,
    })),
  );
});

const createApiKey = endpoint(createApiKeyRoute, async (request, { keyDesk }) => {
  const { body, caller } = request;
  const { label = "", permissions, passphrase, ipAllowList = null, expiresAt } = body;
  return await keyDesk.carryOut({
    kind: "create",
    signedBy: caller.apiKey,
    requestId: requestIdOf(request),
    label,
    permissions,
    passphrase,
    ipAllowList,
    expiresAtMs: expiresAt === 0 ? null : expiresAt,
  });
});

const revokeApiKey = endpoint(revokeApiKeyRoute, async ({ caller, query }, { keyDesk }) => {
  const { apiKey } = query;
  const revoked = await keyDesk.carryOut({ kind: "revoke", signedBy: caller.apiKey, apiKey });
  return revoked.ok ? accept({ apiKey, revoked: true as const }) : revoked;
});

export const API_KEY_ENDPOINTS: readonly Endpoint[] = [apiKeys, createApiKey, revokeApiKey];
