/**
 * API keys. Secrets go to the key vault, settings to the exchange; the order in which both change
 * is what makes a key that was answered work and a key that was answered as revoked dead,
 * whenever a crash comes.
 */
import { Type } from "typebox";
import {
  ApiKey,
  Fields,
  IpAllowList,
  Label,
  Nullable,
  PageAfterName,
  PageOf,
  Passphrase,
  Permissions,
  TimestampMs,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

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

export const createApiKey = operatorRoute("createApiKey", {
  tag: TAG,
  summary: "Create an API key; the secret is shown in this answer and never again",
  params: Fields({ uid: Uid }),
  body: Fields({
    label: Type.Optional(Label),
    permissions: Permissions,
    passphrase: Passphrase,
    ipAllowList: Type.Optional(IpAllowList),
  }),
  answer: Fields({ apiKey: ApiKey, secret: Type.String(), passphrase: Passphrase }),
});

export const listApiKeys = operatorRoute("listApiKeys", {
  tag: TAG,
  summary: "The settings of all API keys, in order of the key; never their secrets",
  query: PageAfterName,
  answer: PageOf(KeySettings, ApiKey),
});

export const listApiKeysOfUser = operatorRoute("listApiKeysOfUser", {
  tag: TAG,
  summary: "The settings of a user's API keys, in order of the key; never their secrets",
  params: Fields({ uid: Uid }),
  query: PageAfterName,
  answer: PageOf(KeySettings, ApiKey),
});

export const getApiKey = operatorRoute("getApiKey", {
  tag: TAG,
  summary: "The settings of an API key; never its secrets",
  params: OneKey,
  answer: KeySettings,
});

export const updateApiKey = operatorRoute("updateApiKey", {
  tag: TAG,
  summary: "Change the settings of an API key, in force with the answer; what is not given stays",
  params: OneKey,
  body: Fields({
    label: Type.Optional(Label),
    permissions: Type.Optional(Permissions),
    ipAllowList: Type.Optional(IpAllowList),
    expiresAt: Type.Optional(Nullable(TimestampMs)),
  }),
  answer: KeySettings,
});

export const revokeApiKey = operatorRoute("revokeApiKey", {
  tag: TAG,
  summary: "Revoke an API key: no request that arrives after the answer is let in with it",
  params: OneKey,
  answer: Fields({ apiKey: ApiKey, revoked: Type.Literal(true) }),
});
