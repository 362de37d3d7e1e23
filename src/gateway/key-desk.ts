/**
 * Where users' keys are made and revoked: beside the engine, because secrets are kept there alone.
 * A gateway in a thread passes orders on.
 */
import { type Refusal, refuse } from "../api/errors.ts";
import { type Accepted, accept, type Permission, type Result } from "../domain/index.ts";
import type { ApiKeyView, EngineClient, Unavailable } from "../protocol/index.ts";
import { AddressRanges } from "./http/address.ts";

export interface CreateKey {
  readonly kind: "create";
  /** The key that signed. */
  readonly signedBy: string;
  /** Of the signed request. */
  readonly requestId: string;
  readonly label: string;
  readonly permissions: readonly Permission[];
  readonly passphrase: string;
  /** Null: those of the key that signed; of `expiresAtMs`, undefined. */
  readonly ipAllowList: readonly string[] | null;
  /** Null: never. */
  readonly expiresAtMs: number | null | undefined;
}

export interface RevokeKey {
  readonly kind: "revoke";
  readonly signedBy: string;
  readonly apiKey: string;
}

export type KeyOrder = CreateKey | RevokeKey;

export interface DrawnKey {
  readonly apiKey: string;
  /** Empty for a key that was revoked. */
  readonly secret: string;
}

export type KeyOutcome =
  | Accepted<DrawnKey>
  | Refusal
  | { readonly ok: false; readonly unavailable: Unavailable["unavailable"] };

export interface KeyDesk {
  carryOut(order: KeyOrder): Promise<KeyOutcome>;
}

/** See `KeyVault` in `src/keys`. */
export interface SecretKeeper {
  create(uid: number, passphrase: string): Promise<Result<DrawnKey>>;
  activate(settings: ApiKeyView): Promise<void>;
  discard(apiKey: string): Promise<void>;
}

export interface UserKeysOptions {
  readonly engine: EngineClient;
  readonly secrets: SecretKeeper;
  /** One change of keys at a time, also of those that operators make. */
  readonly exclusively: (task: () => Promise<KeyOutcome>) => Promise<KeyOutcome>;
  /** Secrets of a dead key could not be removed. */
  readonly onLeftover: (apiKey: string, error: Error) => void;
}

export class UserKeys implements KeyDesk {
  readonly #options: UserKeysOptions;

  constructor(options: UserKeysOptions) {
    this.#options = options;
  }

  carryOut(order: KeyOrder): Promise<KeyOutcome> {
    return this.#options.exclusively(async () => {
      const { engine } = this.#options;
      const signer = await engine.query({ type: "api-key", apiKey: order.signedBy });
      if (!signer.ok) return signer;
      // It may have changed since the request was admitted.
      if (!signer.value.permissions.includes("keys")) return refuse("permission-denied");
      return order.kind === "create"
        ? this.#create(order, signer.value, signer.timestampMs)
        : this.#revoke(order, signer.value);
    });
  }

  async #create(order: CreateKey, signer: ApiKeyView, nowMs: number): Promise<KeyOutcome> {
    const terms = termsWithin(order, signer, nowMs);
    if (!terms.ok) return terms;
    const { engine, secrets } = this.#options;
    const { uid } = signer;
    const drawn = await secrets.create(uid, order.passphrase);
    if (!drawn.ok) return drawn;
    const { apiKey } = drawn.value;
    const { label } = order;
    const permissions = [...order.permissions];
    const settings = { apiKey, uid, label, permissions, ...terms.value };
    const command = { type: "set-api-key", actor: actorOf(order), ...settings } as const;
    const { requestId } = order;
    // At once: a busy engine must not say that it was made, and then not whether it is this key.
    const [reply, made] = await engine.executeAndQuery<"do-once", "api-key">(
      { type: "do-once", requestId, command },
      { type: "api-key", apiKey },
    );
    if (!reply.ok || !made.ok) {
      await this.#discard(apiKey);
      if (!reply.ok) return reply;
      const detail = "this request has made a key already; its secret was in the first response";
      return refuse("conflict", null, detail);
    }
    await secrets.activate(settings);
    return accept(drawn.value);
  }

  async #revoke(order: RevokeKey, signer: ApiKeyView): Promise<KeyOutcome> {
    const { engine } = this.#options;
    const { apiKey } = order;
    const found = await engine.query({ type: "api-key", apiKey });
    if (!found.ok) return found;
    const { permissions, uid } = found.value;
    // Somebody else's key does not exist.
    if (uid !== signer.uid) return refuse("unknown-api-key", "apiKey");
    if (permissions.includes("keys")) {
      return refuse("out-of-range", "apiKey", "only the operator revokes a key with keys");
    }
    const beyond = beyondOf(permissions, signer);
    if (beyond !== null) return beyondRefusal(beyond, "apiKey");
    const reply = await engine.execute({ type: "revoke-api-key", actor: actorOf(order), apiKey });
    if (!reply.ok) return reply;
    await this.#discard(apiKey);
    return accept({ apiKey, secret: "" });
  }

  /** The key is dead either way: secrets without settings give no access. */
  async #discard(apiKey: string): Promise<void> {
    try {
      await this.#options.secrets.discard(apiKey);
    } catch (error) {
      this.#options.onLeftover(apiKey, error as Error);
    }
  }
}

/** In the audit log. */
function actorOf({ signedBy }: KeyOrder): string {
  return `key:${signedBy}`;
}

type Terms = Pick<ApiKeyView, "ipAllowList" | "expiresAtMs">;

/** A new key is in no respect more than the one that signs. */
function termsWithin(
  order: Pick<CreateKey, "permissions" | "ipAllowList" | "expiresAtMs">,
  signer: ApiKeyView,
  nowMs: number,
): Accepted<Terms & { readonly ipAllowList: string[] }> | Refusal {
  const beyond = beyondOf(order.permissions, signer);
  if (beyond !== null) return beyondRefusal(beyond, "permissions");
  const ipAllowList = [...(order.ipAllowList ?? signer.ipAllowList)];
  const wrong = ipAllowList.find((range) => !isRange(range));
  if (wrong !== undefined) {
    const detail = `addresses or CIDR ranges, and "${wrong}" is neither`;
    return refuse("malformed", "ipAllowList", detail);
  }
  const isLimited = signer.ipAllowList.length > 0;
  const outside = ipAllowList.find((range) => !signer.ipAllowList.includes(range));
  if (isLimited && (ipAllowList.length === 0 || outside !== undefined)) {
    const detail = `only of ${signer.ipAllowList.join(", ")}, at least one`;
    return refuse("out-of-range", "ipAllowList", detail);
  }
  const { expiresAtMs = signer.expiresAtMs } = order;
  if (expiresAtMs !== null && expiresAtMs <= nowMs) {
    return refuse("out-of-range", "expiresAt", `after ${nowMs}`);
  }
  const latestMs = signer.expiresAtMs;
  if (latestMs !== null && (expiresAtMs === null || expiresAtMs > latestMs)) {
    return refuse("out-of-range", "expiresAt", `at most ${latestMs}, with the key that signs`);
  }
  return accept({ ipAllowList, expiresAtMs });
}

function beyondOf(permissions: readonly Permission[], signer: ApiKeyView): Permission | null {
  return permissions.find((permission) => !signer.permissions.includes(permission)) ?? null;
}

function beyondRefusal(permission: Permission, field: string) {
  return refuse("out-of-range", field, `the key that signs does not have ${permission}`);
}

function isRange(text: string): boolean {
  try {
    return new AddressRanges([text]) !== null;
  } catch {
    return false;
  }
}
