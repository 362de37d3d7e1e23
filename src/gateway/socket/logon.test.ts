/**
 * Proves who may do what on a socket, and when it ends: the checks of a logon in their order, each
 * with the code of the header that carries the same; a logon is good for once; and what becomes of
 * a session when its key is revoked, expires, or may do less.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { keyRecord } from "../../../test/support/gateway.ts";
import {
  KEY,
  OTHER_KEY,
  otherKeyRecord,
  serveTrading,
  type TradingServer,
} from "../../../test/support/trading-server.ts";
import {
  type LogonParams,
  logonParams,
  type SocketAnswer,
  TradingSocket,
} from "../../../test/support/trading-socket.ts";
import { SOCKET_METHODS } from "../../api/socket-routes.ts";
import { createRateLimits } from "../http/rate-limit.ts";

const logonAt = ({ clock }: TradingServer, key = KEY) => logonParams(key, String(clock.wall++));

function whyNot({ error }: SocketAnswer): readonly [code: number | undefined, field: string] {
  return [error?.code, /: (\w+)(?: \([^)]*\))?$/.exec(error?.msg ?? "")?.[1] ?? ""];
}

/** Ways to break a logon, in the order of the checks: what is checked first comes first. */
const BROKEN: readonly (readonly [
  change: (logon: LogonParams, wallMs: number) => object,
  code: number,
  field: string,
])[] = [
  [() => ({ apiKey: undefined }), -1040, "apiKey"],
  [() => ({ apiKey: "" }), -1040, "apiKey"],
  [() => ({ signature: null }), -1041, "signature"],
  [() => ({ timestamp: undefined }), -1042, "timestamp"],
  [() => ({ passphrase: "" }), -1048, "passphrase"],
  [() => ({ timestamp: "1760000000" }), -1043, "timestamp"],
  [() => ({ timestamp: "1.76e12" }), -1043, "timestamp"],
  [(_, wallMs) => ({ timestamp: String(wallMs - 30_100) }), -1046, "timestamp"],
  [(_, wallMs) => ({ timestamp: String(wallMs + 30_100) }), -1046, "timestamp"],
  [() => ({ apiKey: "rialto_0" }), -1044, "apiKey"],
  [({ timestamp }) => ({ timestamp: String(Number(timestamp) - 1) }), -1047, "signature"],
  [() => ({ signature: "x" }), -1047, "signature"],
  // The low byte of its first character is that of the right one.
  [
    ({ signature }) => ({
      signature: String.fromCharCode(signature.charCodeAt(0) + 256) + signature.slice(1),
    }),
    -1047,
    "signature",
  ],
  [() => ({ passphrase: "guess" }), -1049, "passphrase"],
];

test("a logon is checked like the headers of a request, and names the parameter", async (t) => {
  const server = await serveTrading(t);
  const client = await TradingSocket.open(server.port);
  const nobody = await client.ask("session.status");
  for (const [change, code, field] of BROKEN) {
    const logon = logonAt(server);
    const params = { ...logon, ...change(logon, server.clock.wall) };
    assert.deepEqual(whyNot(await client.ask("session.logon", params)), [code, field]);
    assert.deepEqual((await client.ask("session.status")).result, nobody.result);
  }
  for (const field of ["apiKey", "signature", "timestamp", "passphrase"]) {
    const params = { ...logonAt(server), [field]: 7 };
    assert.deepEqual(whyNot(await client.ask("session.logon", params)), [-1142, field]);
  }
  assert.equal((await client.ask("session.logon", logonAt(server))).status, 200);
});

test("of two mistakes the one that is checked first is told", async (t) => {
  const server = await serveTrading(t);
  const client = await TradingSocket.open(server.port);
  for (const [index, [first, code, field]] of BROKEN.entries()) {
    for (const [second, , otherField] of BROKEN.slice(index + 1)) {
      if (otherField === field) continue;
      const logon = logonAt(server);
      const { wall } = server.clock;
      const params = { ...logon, ...second(logon, wall), ...first(logon, wall) };
      // Whatever else is changed, the signature no longer fits; that comes after what it covers.
      const answer = whyNot(await client.ask("session.logon", params));
      const expected = code === -1049 ? [-1047, -1049] : [code];
      assert.ok(expected.includes(answer[0] ?? 0), `${field}, ${otherField}: ${answer}`);
    }
  }
});

test("a logon is good for once, on whichever connection", async (t) => {
  const server = await serveTrading(t);
  const [one, other] = [
    await TradingSocket.open(server.port),
    await TradingSocket.open(server.port),
  ];
  const logon = logonAt(server);
  assert.equal((await one.ask("session.logon", logon)).status, 200);
  for (const client of [other, one]) {
    const answer = await client.ask("session.logon", logon);
    assert.deepEqual(whyNot(answer), [-1047, "signature"]);
  }
  const [session, none] = [await one.ask("session.status"), await other.ask("session.status")];
  assert.equal((session.result as { apiKey: string }).apiKey, KEY.apiKey);
  assert.equal((none.result as { apiKey: null }).apiKey, null);
  server.clock.wall = Number(logon.timestamp) + 30_000;
  assert.deepEqual(whyNot(await other.ask("session.logon", logon)), [-1047, "signature"]);
  server.clock.wall = Number(logon.timestamp) + 30_001;
  assert.deepEqual(whyNot(await other.ask("session.logon", logon)), [-1046, "timestamp"]);
});

test("a later logon replaces the key, and a refused one changes nothing", async (t) => {
  const server = await serveTrading(t);
  server.keys.set(OTHER_KEY.apiKey, otherKeyRecord({ permissions: ["contract"] }));
  const client = await TradingSocket.open(server.port);
  const status = async () => (await client.ask("session.status")).result;
  const connectedSince = server.clock.exchange;
  const nobody = { apiKey: null, permissions: [], connectedSince, authorizedSince: null };
  assert.deepEqual(await status(), nobody);
  server.clock.exchange += 5;
  const first = {
    ...nobody,
    apiKey: KEY.apiKey,
    permissions: ["spot"],
    authorizedSince: connectedSince + 5,
  };
  assert.deepEqual((await client.ask("session.logon", logonAt(server))).result, first);
  const broken = { ...logonAt(server, OTHER_KEY), passphrase: "guess" };
  assert.deepEqual(whyNot(await client.ask("session.logon", broken)), [-1049, "passphrase"]);
  assert.deepEqual(await status(), first);
  server.clock.exchange += 5;
  const second = {
    ...nobody,
    apiKey: OTHER_KEY.apiKey,
    permissions: ["contract"],
    authorizedSince: connectedSince + 10,
  };
  assert.deepEqual((await client.ask("session.logon", logonAt(server, OTHER_KEY))).result, second);
  assert.equal((await client.ask("order.cancel", { orderId: 7 })).error?.code, -1052);
});

test("before a logon nothing is open but the time, ping and the session", async (t) => {
  const server = await serveTrading(t);
  const client = await TradingSocket.open(server.port);
  for (const { name } of SOCKET_METHODS) {
    const { status, error } = await client.ask(name);
    const isOpen = name === "time" || name === "ping";
    assert.deepEqual([status, error?.code], isOpen ? [200, undefined] : [401, -1040], name);
  }
  assert.equal((await client.ask("session.status")).status, 200);
});

test("fewer permissions refuse, and more permissions open, on the same connection", async (t) => {
  const server = await serveTrading(t);
  const client = await TradingSocket.open(server.port);
  await client.ask("session.logon", logonAt(server));
  const codes: (number | null)[] = [];
  for (const permissions of [["spot"], ["read"], ["contract"], ["spot"]] as const) {
    server.keys.set(KEY.apiKey, keyRecord({ permissions }));
    codes.push(await client.code("order.cancel", { orderId: 7 }));
  }
  assert.deepEqual(codes, [null, -1052, -1052, null]);
});

const ENDS: Readonly<Record<string, (server: TradingServer) => void>> = {
  revoked: ({ keys }) => keys.delete(KEY.apiKey),
  expired: ({ clock, keys }) => {
    keys.set(KEY.apiKey, keyRecord({ expiresAtMs: clock.exchange + 10 }));
    clock.exchange += 10;
  },
  "not for this address any more": ({ keys }) => {
    keys.set(KEY.apiKey, keyRecord({ ipAllowList: ["198.51.100.0/24"] }));
  },
};

for (const [what, endKey] of Object.entries(ENDS)) {
  test(`a key that is ${what} ends its connections with 1008, and no others`, async (t) => {
    const server = await serveTrading(t);
    const clients: TradingSocket[] = [];
    for (let i = 0; i < 2; i++) {
      const client = await TradingSocket.open(server.port);
      await client.ask("session.logon", logonAt(server));
      clients.push(client);
    }
    const [speaking, silent] = clients as [TradingSocket, TradingSocket];
    const other = await TradingSocket.open(server.port);
    await other.ask("session.logon", logonAt(server, OTHER_KEY));
    endKey(server);
    const calls = server.engine.scripted.calls;
    void speaking.ask("order.cancel", { orderId: 7 }).catch(() => undefined);
    const closed = { code: 1008, reason: "the API key has ended" };
    assert.deepEqual(await speaking.closed, closed);
    assert.equal(server.engine.scripted.calls, calls, "it was not carried out");
    assert.deepEqual(await silent.closed, closed);
    assert.equal((await other.ask("order.cancel", { orderId: 7 })).status, 200);
  });
}

test("logons of a user, and failures of an address, are limited", async (t) => {
  const server = await serveTrading(t, { limits: createRateLimits(Buffer.from("hash key")) });
  const client = await TradingSocket.open(server.port);
  for (let i = 0; i < 10; i++) {
    assert.equal((await client.ask("session.logon", logonAt(server))).status, 200);
  }
  const eleventh = await client.ask("session.logon", logonAt(server));
  assert.deepEqual([eleventh.status, eleventh.error?.retryAfterMs], [429, 100]);
  const statuses = new Map<number, number>();
  const broken = ["nonsense", "session.logon", "order.place"] as const;
  const stranger = await TradingSocket.open(server.port);
  for (let i = 0; i < 600; i++) {
    const { status } = await stranger.ask(broken[i % broken.length]);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  assert.equal(statuses.get(429), 100, JSON.stringify([...statuses]));
});
