/**
 * API keys: calls of the operator plane. Made from the operator plane's own table of calls, to
 * which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { UsersCalls } from "./users.ts";

export type CreateApiKeyInput = {
  readonly uid: number;
  readonly label?: string;
  readonly permissions: readonly ("read" | "spot" | "contract" | "affiliate")[];
  readonly passphrase: string;
  readonly ipAllowList?: readonly string[];
};

export type CreateApiKeyAnswer = {
  readonly apiKey: string;
  readonly secret: string;
  readonly passphrase: string;
};

export type GetApiKeyInput = { readonly apiKey: string };

export type GetApiKeyAnswer = {
  readonly apiKey: string;
  readonly uid: number;
  readonly label: string;
  readonly permissions: readonly ("read" | "spot" | "contract" | "affiliate")[];
  readonly ipAllowList: readonly string[];
  readonly expiresAt: number | null;
};

export type UpdateApiKeyInput = {
  readonly apiKey: string;
  readonly label?: string;
  readonly permissions?: readonly ("read" | "spot" | "contract" | "affiliate")[];
  readonly ipAllowList?: readonly string[];
  readonly expiresAt?: number | null;
};

export type UpdateApiKeyAnswer = GetApiKeyAnswer;

export type RevokeApiKeyInput = { readonly apiKey: string };

export type RevokeApiKeyAnswer = { readonly apiKey: string; readonly revoked: true };

export type ListApiKeysOfUserInput = {
  readonly uid: number;
  readonly after?: string;
  readonly limit?: number;
};

export type ListApiKeysOfUserAnswer = {
  readonly items: readonly GetApiKeyAnswer[];
  readonly next: string | null;
};

export type ListApiKeysInput = { readonly after?: string; readonly limit?: number };

export type ListApiKeysAnswer = {
  readonly items: readonly GetApiKeyAnswer[];
  readonly next: string | null;
};

export abstract class ApiKeysCalls extends UsersCalls {
  /** Create an API key; the secret is shown in this answer and never again. */
  createApiKey(input: CreateApiKeyInput, options?: CallOptions): Promise<CreateApiKeyAnswer> {
    return this.call("POST", "/operator/v1/users/{uid}/api-keys", input, options);
  }

  /** The settings of a user's API keys, in order of the key; never their secrets. */
  listApiKeysOfUser(
    input: ListApiKeysOfUserInput,
    options?: CallOptions,
  ): Promise<ListApiKeysOfUserAnswer> {
    return this.call("GET", "/operator/v1/users/{uid}/api-keys", input, options);
  }

  /** The settings of all API keys, in order of the key; never their secrets. */
  listApiKeys(input: ListApiKeysInput = {}, options?: CallOptions): Promise<ListApiKeysAnswer> {
    return this.call("GET", "/operator/v1/api-keys", input, options);
  }

  /** The settings of an API key; never its secrets. */
  getApiKey(input: GetApiKeyInput, options?: CallOptions): Promise<GetApiKeyAnswer> {
    return this.call("GET", "/operator/v1/api-keys/{apiKey}", input, options);
  }

  /** Change the settings of an API key, in force with the answer; what is not given stays. */
  updateApiKey(input: UpdateApiKeyInput, options?: CallOptions): Promise<UpdateApiKeyAnswer> {
    return this.call("PATCH", "/operator/v1/api-keys/{apiKey}", input, options);
  }

  /** Revoke an API key: no request that arrives after the answer is let in with it. */
  revokeApiKey(input: RevokeApiKeyInput, options?: CallOptions): Promise<RevokeApiKeyAnswer> {
    return this.call("DELETE", "/operator/v1/api-keys/{apiKey}", input, options);
  }
}
