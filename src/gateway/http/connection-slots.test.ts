/**
 * Proves who gets a connection: an address its share and no more, others whatever it does, trusted
 * proxies all, and few more while slots are scarce, when idle connections end sooner; that two
 * gateways count as one; that what a refused connection sends is not carried out; and over real
 * sockets that the refusal is read and a closed connection makes room.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { Duplex } from "node:stream";
import test, { type TestContext } from "node:test";
import { serve } from "../../../test/support/gateway.ts";
import {
  type ConnectionCounts,
  createConnectionCounts,
  openConnectionCounts,
} from "../../limits/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";
import { AddressRanges } from "./address.ts";
import { ConnectionSlots, clientNetwork } from "./connection-slots.ts";

const KEEP_ALIVE_MS = 75_000;
const PING = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

/** The server's end of a connection from any address. */
class FakeSocket extends Duplex {
  readonly remoteAddress: string;
  timeout = 0;
  answer = "";

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  setTimeout(ms: number): this {
    this.timeout = ms;
    return this;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.answer += chunk.toString("latin1");
    done();
  }
}

const counts = (total: number) => createConnectionCounts(total, Buffer.alloc(8, total));

interface Fixture {
  readonly server: Server;
  readonly slots: ConnectionSlots;
  readonly logged: object[];
  readonly carriedOut: string[];
  readonly clock: { nowMs: number };
  /** Connects; null when it was refused. */
  open(address: string): FakeSocket | null;
}

/** One gateway, of those that share `shared`. */
function fixture(perAddress: number | null, shared: number | ConnectionCounts): Fixture {
  const carriedOut: string[] = [];
  const logged: object[] = [];
  const clock = { nowMs: 0 };
  const refused = new Set<object>();
  const server = createServer((request, response) => {
    carriedOut.push(request.socket.remoteAddress ?? "");
    response.end();
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const log = (fields: object) => logged.push(fields);
  const slots = new ConnectionSlots(server, {
    scheduler: NODE_PLATFORM.scheduler,
    perAddress,
    counts: typeof shared === "number" ? counts(shared) : shared,
    trustedProxies: new AddressRanges(["10.0.0.0/8"]),
    keepAliveMs: KEEP_ALIVE_MS,
    monotonicMs: () => clock.nowMs,
    log: { info: log, warn: log, error: log },
    refuse: (socket) => {
      refused.add(socket);
      socket.end("refused");
    },
  });
  const open = (address: string): FakeSocket | null => {
    const socket = new FakeSocket(address);
    server.emit("connection", socket);
    return refused.has(socket) || socket.destroyed ? null : socket;
  };
  return { server, slots, logged, carriedOut, clock, open };
}

async function closed(socket: FakeSocket | null): Promise<void> {
  assert.ok(socket !== null);
  await new Promise((resolve) => socket.once("close", resolve).destroy());
}

test("an address gets its share, and one more when it gives one back", async () => {
  const { open } = fixture(3, 100);
  const held = [open("192.0.2.1"), open("192.0.2.1"), open("192.0.2.1")];
  assert.ok(held.every((socket) => socket !== null));
  assert.equal(open("192.0.2.1"), null);
  assert.equal(open("::ffff:192.0.2.1"), null, "the same address on an IPv6 socket");
  assert.notEqual(open("192.0.2.2"), null, "another one");
  await closed(held[1] ?? null);
  assert.notEqual(open("192.0.2.1"), null);
  assert.equal(open("192.0.2.1"), null);
});

test("an IPv6 client is its network of 64 bits", () => {
  const { open } = fixture(2, 100);
  assert.notEqual(open("2001:db8::1"), null);
  assert.notEqual(open("2001:db8:0:0:ffff::1"), null);
  assert.equal(open("2001:0db8::2"), null);
  assert.notEqual(open("2001:db8:0:1::1"), null);
  for (const [address, network] of [
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:DB8:1::", "2001:db8:1:0::/64"],
    ["192.0.2.1", "192.0.2.1"],
  ] as const) {
    assert.equal(clientNetwork(address), network);
  }
});

test("trusted proxies have no share, and no limit is none", () => {
  const proxied = fixture(1, 100);
  for (let i = 0; i < 70; i++) assert.notEqual(proxied.open("10.1.2.3"), null);
  const unlimited = fixture(null, 100);
  for (let i = 0; i < 100; i++) assert.notEqual(unlimited.open("192.0.2.1"), null);
  assert.equal(unlimited.open("192.0.2.1"), null, "but for the total");
});

test("what a refused connection sends is not carried out", async () => {
  const { open, carriedOut, server } = fixture(1, 100);
  const taken = open("192.0.2.1");
  const refused = new FakeSocket("192.0.2.1");
  server.emit("connection", refused);
  refused.push(PING);
  assert.ok(taken !== null);
  taken.push(PING);
  while (carriedOut.length === 0) await new Promise((resolve) => setImmediate(resolve));
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(carriedOut.length, 1);
  assert.equal(refused.answer, "refused");
});

test("the last quarter is for those who hold few, and idle connections end sooner", async () => {
  const { open, server, logged } = fixture(40, 100);
  const held: (FakeSocket | null)[] = [open("192.0.2.1"), open("192.0.2.1")];
  const [idle, busy] = held;
  assert.ok(idle != null && busy != null);
  idle.timeout = KEEP_ALIVE_MS;
  busy.timeout = 0;
  for (let i = 0; i < 38; i++) held.push(open("192.0.2.1"));
  for (let i = 0; i < 34; i++) held.push(open("192.0.2.2"));
  assert.equal(held.includes(null), false);
  assert.deepEqual([server.keepAliveTimeout, logged.length], [KEEP_ALIVE_MS, 0]);
  held.push(open("192.0.2.2"));
  assert.deepEqual([idle.timeout, busy.timeout, server.keepAliveTimeout], [5_000, 0, 5_000]);
  assert.equal(open("192.0.2.2"), null, "it holds more than a part of its share");
  for (let i = 0; i < 5; i++) assert.notEqual(open("192.0.2.3"), null, "a newcomer");
  assert.equal(open("192.0.2.3"), null);
  for (const socket of held.slice(0, 30)) await closed(socket ?? null);
  assert.equal(server.keepAliveTimeout, KEEP_ALIVE_MS);
  assert.notEqual(open("192.0.2.3"), null, "shares are whole again");
});

test("two gateways share slots, and the one without events follows within a second", async (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const shared = counts(100);
  const [one, other] = [fixture(40, shared), fixture(40, openConnectionCounts(shared.memory))];
  const idle = other.open("192.0.2.1");
  assert.ok(idle !== null);
  idle.timeout = KEEP_ALIVE_MS;
  const held = [idle];
  for (let i = 0; i < 39; i++) held.push(one.open("192.0.2.1") as FakeSocket);
  assert.equal(held.includes(null as never), false);
  assert.deepEqual([one.open("192.0.2.1"), other.open("192.0.2.1")], [null, null]);
  assert.deepEqual([one.slots.open, other.slots.open, shared.open], [39, 1, 40]);
  for (let i = 0; i < 35; i++) held.push(one.open("192.0.2.2") as FakeSocket);
  assert.equal(one.server.keepAliveTimeout, 5_000, "75 of 100 are taken");
  assert.deepEqual([other.server.keepAliveTimeout, idle.timeout], [KEEP_ALIVE_MS, KEEP_ALIVE_MS]);
  t.mock.timers.tick(1_000);
  assert.deepEqual([other.server.keepAliveTimeout, idle.timeout], [5_000, 5_000]);
  assert.equal(other.open("192.0.2.1"), null, "it holds more than a part of its share");
  for (const socket of held.slice(1, 17)) await closed(socket);
  assert.equal(one.server.keepAliveTimeout, KEEP_ALIVE_MS);
  t.mock.timers.tick(1_000);
  assert.equal(other.server.keepAliveTimeout, KEEP_ALIVE_MS);
  assert.deepEqual([one.logged.length, other.logged.length], [3, 1], "the change is logged once");
});

test("refusals are logged once a minute, with how many there were", () => {
  const { open, logged, clock } = fixture(1, 100);
  open("192.0.2.1");
  for (let i = 0; i < 5; i++) open("192.0.2.1");
  clock.nowMs = 60_000;
  open("192.0.2.1");
  assert.deepEqual(logged, [
    { address: "192.0.2.1", refused: 1 },
    { address: "192.0.2.1", refused: 5 },
  ]);
});

/** A connection with what it received until it ended; resolves when it is answered or ended. */
async function ask(t: TestContext, port: number): Promise<{ socket: Socket; received: string }> {
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  let received = "";
  socket.on("error", () => undefined);
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      resolve();
    });
    socket.on("close", () => resolve());
    socket.write("GET /api/v3/ping HTTP/1.1\r\nHost: x\r\n\r\n");
  });
  return { socket, received };
}

test("over real sockets: a share of idle ones, and a refusal that can be read", async (t) => {
  const limits = { rateLimits: "standard", connectionsPerAddress: 5 } as const;
  const { port } = await serve(t, limits);
  const held = await Promise.all(Array.from({ length: 5 }, () => ask(t, port)));
  for (const { received } of held) assert.match(received, /^HTTP\/1\.1 200 /);
  const { received } = await ask(t, port);
  assert.match(received, /^HTTP\/1\.1 429 /);
  assert.match(received, /\r\nRetry-After: 1\r\n/);
  assert.match(received, /at most 5 connections/);
  const [first] = held;
  first?.socket.destroy();
  let again = await ask(t, port);
  while (again.received.startsWith("HTTP/1.1 429")) again = await ask(t, port);
  assert.match(again.received, /^HTTP\/1\.1 200 /);
});
