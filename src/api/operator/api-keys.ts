/** API keys of users and their settings. */
import { Type } from "typebox";
import {
  ApiKey,
  Fields,
  IpAllowList,
  Label,
  Nullable,
  OptionalReason,
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
  summary: "Create an API key; only this response shows the secret",
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
  summary: "List the settings of all API keys, without secrets",
  query: PageAfterName,
  answer: PageOf(KeySettings, ApiKey),
});

export const listApiKeysOfUser = operatorRoute("listApiKeysOfUser", {
  tag: TAG,
  summary: "List the settings of a user's API keys, without secrets",
  params: Fields({ uid: Uid }),
  query: PageAfterName,
  answer: PageOf(KeySettings, ApiKey),
});

export const getApiKey = operatorRoute("getApiKey", {
  tag: TAG,
  summary: "Get the settings of an API key, without its secret",
  params: OneKey,
  answer: KeySettings,
});

export const updateApiKey = operatorRoute("updateApiKey", {
  tag: TAG,
  summary: "Change the settings of an API key at once; omitted fields keep their values",
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
  summary: "Revoke an API key; requests that arrive after the response are rejected",
  params: OneKey,
  query: Fields({ reason: OptionalReason }),
  answer: Fields({ apiKey: ApiKey, revoked: Type.Literal(true) }),
});
