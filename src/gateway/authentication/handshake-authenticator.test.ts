/**
 * Proves that a key opens a private stream until it expires and not a millisecond longer, that
 * afterwards it counts as ended, and that one without an expiry lives until it is revoked.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import test from "node:test";
import {
  API_KEY,
  EXCHANGE_MS,
  keyRecord,
  PASSPHRASE,
  SECRET,
  WALL_MS,
} from "../../../test/support/gateway.ts";
import { STREAM_SIGNED_PATHS, streamPathOf } from "../../api/stream-paths.ts";
import { HandshakeAuthenticator } from "./handshake-authenticator.ts";
import type { KeyRecord } from "./key-directory.ts";

function handshake(): IncomingMessage {
  const sign = createHmac("sha256", SECRET)
    .update(`${WALL_MS}${STREAM_SIGNED_PATHS.v3}`)
    .digest("base64");
  const headers = {
    "access-key": API_KEY,
    "access-sign": sign,
    "access-timestamp": String(WALL_MS),
    "access-passphrase": PASSPHRASE,
  };
  return { headers } as unknown as IncomingMessage;
}

function authenticatorOf(record: KeyRecord) {
  const keys = new Map([[API_KEY, record]]);
  const clock = { exchange: EXCHANGE_MS };
  const authenticator = new HandshakeAuthenticator({
    keys: { find: (apiKey) => keys.get(apiKey) ?? null },
    clock: { wallMs: () => WALL_MS, exchangeMs: () => clock.exchange, monotonicMs: () => 0 },
    trustedProxies: [],
  });
  const path = streamPathOf("/v3/ws/private");
  assert.ok(path !== null);
  return {
    keys,
    clock,
    authenticator,
    opens: () => authenticator.identify(handshake(), path, "192.0.2.1"),
  };
}

test("a key that expires opens a stream until then, and is live until then", () => {
  const { clock, authenticator, opens } = authenticatorOf(
    keyRecord({ expiresAtMs: EXCHANGE_MS + 1_000 }),
  );
  assert.equal(authenticator.expiresAtMs(API_KEY), EXCHANGE_MS + 1_000);
  clock.exchange = EXCHANGE_MS + 999;
  assert.deepEqual([opens().ok, authenticator.isLive(API_KEY)], [true, true]);
  clock.exchange = EXCHANGE_MS + 1_000;
  const refused = opens();
  assert.ok(!refused.ok);
  assert.deepEqual([refused.reason, authenticator.isLive(API_KEY)], ["unknown-key", false]);
});

test("one without an expiry lives until it is revoked", () => {
  const { keys, clock, authenticator, opens } = authenticatorOf(keyRecord());
  clock.exchange = Number.MAX_SAFE_INTEGER;
  assert.deepEqual([opens().ok, authenticator.isLive(API_KEY)], [true, true]);
  assert.equal(authenticator.expiresAtMs(API_KEY), null);
  keys.clear();
  assert.deepEqual([opens().ok, authenticator.isLive(API_KEY)], [false, false]);
  assert.equal(authenticator.expiresAtMs(API_KEY), null);
});
