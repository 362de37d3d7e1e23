/**
 * Proves over real sockets, with short ping intervals, that heartbeats keep a connection alive in
 * each dialect, that silence ends it, that a client's own ping counts as a heartbeat, and that a
 * connection ends when its key expires, is changed or is revoked, long before the next ping.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import test, { type TestContext } from "node:test";
import { StreamClient } from "../../test/support/stream-client.ts";
import { StreamClientV2 } from "../../test/support/stream-client-v2.ts";
import { StreamFixture } from "../../test/support/stream-fixture.ts";
import { accept } from "../domain/index.ts";
import { NODE_PLATFORM } from "../platform/index.ts";
import type { EndCause, StreamAuthenticator } from "./channels/ports.ts";
import { Streams } from "./streams.ts";
import { createAddressMemory } from "./transport/limits.ts";

const PRODUCTS = ["", "/contract"];
const ACCESS = ["public", "private"];

interface Served {
  readonly port: number;
  readonly ended: readonly EndCause[];
  readonly fixture: StreamFixture;
  readonly streams: Streams;
}

/** Streams of a venue behind a port; every handshake is the user's. */
async function serve(
  t: TestContext,
  authenticator: Partial<StreamAuthenticator> = {},
  pingMs = 20,
): Promise<Served> {
  const fixture = await StreamFixture.open();
  const uid = await fixture.user();
  const ended: EndCause[] = [];
  const streams = new Streams({
    addresses: createAddressMemory(Buffer.from("hash key")),
    engine: fixture.exchange.client,
    history: fixture.exchange.history,
    clock: { exchangeMs: () => fixture.exchange.wallMs, monotonicMs: () => performance.now() },
    platform: NODE_PLATFORM,
    authenticator: {
      addressOf: () => "address",
      identify: () => accept({ uid, apiKey: "key" }),
      isLive: () => true,
      expiresAtMs: () => null,
      refuse: (socket) => socket.destroy(),
      ...authenticator,
    },
    metrics: {
      streamOpened: () => undefined,
      streamClosed: () => undefined,
      streamRefused: () => undefined,
      streamSent: () => undefined,
      streamConflated: () => undefined,
      streamEnded: (cause) => ended.push(cause),
    },
    rateLimits: "off",
    periodMs: 100,
    isReady: () => true,
    onFatal: (error) => {
      throw error;
    },
    pingMs,
  });
  const server = createServer();
  streams.attach(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  fixture.exchange.onEvents = (chunk) => streams.publish(chunk);
  t.after(async () => {
    await streams.close();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, ended, fixture, streams };
}

for (const access of ACCESS) {
  for (const product of PRODUCTS) {
    test(`v2 ${product} ${access}: pings are answered, or the connection ends`, async (t) => {
      const { port, ended } = await serve(t);
      const path = `${product}/v2/ws/${access}`;
      const client = await StreamClientV2.open(port, path);
      await client.until(() => client.pings.length >= 10, "ten pings");
      const { length } = client.pings;
      client.answersPings = false;
      for (const { event, time, ...rest } of client.pings) {
        assert.deepEqual([event, typeof time, rest], ["ping", "string", {}]);
      }
      assert.deepEqual([client.replies, ended], [[], []], "a pong is not answered");
      const closed = await client.closed;
      assert.deepEqual(closed, { code: 1008, reason: "no PONG to 5 pings" });
      assert.ok(client.pings.length >= length + 5);
      assert.deepEqual(ended, ["no-pong"]);
    });
  }
  test(`v3 ${access}: the same`, async (t) => {
    const { port, ended } = await serve(t);
    const client = await StreamClient.open(port, `/v3/ws/${access}`);
    await client.until(() => client.pings.length >= 10, "ten pings");
    const { length } = client.pings;
    client.answersPings = false;
    assert.deepEqual(ended, []);
    assert.equal((await client.closed).code, 1008);
    assert.ok(client.pings.length >= length + 5);
  });
}

test("v2: who pings is alive, and is answered with the time that was sent", async (t) => {
  const { port, ended } = await serve(t);
  const client = await StreamClientV2.open(port, "/v2/ws/private");
  client.answersPings = false;
  for (let time = 1; time <= 10; time++) {
    const { length } = client.pings;
    await client.until(() => client.pings.length > length, "a ping");
    assert.deepEqual(await client.ask({ event: "ping", time }), { event: "pong", time });
  }
  assert.deepEqual(ended, []);
  assert.match(JSON.stringify(await client.ask({ event: "ping" })), /"time":"\d{13}"/);
  await client.closed;
  assert.deepEqual(ended, ["no-pong"]);
});

/** No ping comes while a test runs. */
const HOUR_MS = 3_600_000;

test("a connection ends when its key is changed or revoked, and no other one does", async (t) => {
  let apiKey = "";
  const identify = () => accept({ uid: 1, apiKey });
  const { port, ended, fixture } = await serve(t, { identify }, HOUR_MS);
  const uid = await fixture.user();
  const set = (key: string, label: string) => {
    const change = { type: "set-api-key", actor: "operator", apiKey: key, uid, label } as const;
    return fixture.must({ ...change, permissions: ["read"], ipAllowList: [], expiresAtMs: null });
  };
  const opened = async (key: string) => {
    await set(key, "before");
    apiKey = key;
    return StreamClient.open(port, "/v3/ws/private");
  };
  const changed = await opened("changed");
  const revoked = await opened("revoked");
  const another = await opened("another");
  assert.deepEqual(ended, []);
  await set("changed", "behind");
  await fixture.must({ type: "revoke-api-key", actor: "operator", apiKey: "revoked" });
  const closed = { code: 1008, reason: "the API key was changed or revoked" };
  assert.deepEqual([await changed.closed, await revoked.closed], [closed, closed]);
  assert.deepEqual(ended, ["key-ended", "key-ended"]);
  await another.close();
});

test("a connection ends when its key expires, and no other one does", async (t) => {
  const expiry = { atMs: 0 };
  const authenticator: Partial<StreamAuthenticator> = { expiresAtMs: () => expiry.atMs };
  const { port, ended, fixture } = await serve(t, authenticator, HOUR_MS);
  expiry.atMs = fixture.exchange.wallMs + HOUR_MS;
  const [v2, v3] = await Promise.all([
    StreamClientV2.open(port, "/v2/ws/private"),
    StreamClient.open(port, "/v3/ws/private"),
  ]);
  expiry.atMs += 1;
  const later = await StreamClient.open(port, "/v3/ws/private");
  const open = await StreamClient.open(port, "/v3/ws/public");
  fixture.exchange.wallMs += HOUR_MS;
  for (const client of [v2, v3]) {
    assert.deepEqual(await client.closed, { code: 1008, reason: "the API key has ended" });
  }
  assert.deepEqual(ended, ["key-ended", "key-ended"]);
  fixture.exchange.wallMs += 1;
  assert.equal((await later.closed).code, 1008);
  assert.equal(ended.length, 3, "a public one has no key");
  await open.close();
});

test("behind a restore it ends when its key expires in the state that is back", async (t) => {
  const ends = new Map<string, number>();
  let apiKey = "";
  const { port, ended, fixture, streams } = await serve(
    t,
    {
      identify: () => accept({ uid: 1, apiKey }),
      expiresAtMs: (key) => ends.get(key) ?? null,
    },
    HOUR_MS,
  );
  const endMs = fixture.exchange.wallMs + HOUR_MS;
  ends.set("before", endMs);
  apiKey = "before";
  const before = await StreamClient.open(port, "/v3/ws/private");
  apiKey = "behind";
  const behind = await StreamClient.open(port, "/v3/ws/private");
  ends.clear();
  ends.set("behind", endMs);
  streams.restored();
  fixture.exchange.wallMs = endMs;
  assert.equal((await behind.closed).reason, "the API key has ended");
  assert.deepEqual(ended, ["key-ended"]);
  await before.close();
});
