/**
 * Proves what a connection does with a slow, silent or greedy client, using a socket that reads
 * only on request: updates are dropped and later replaced by the whole state, or the client is
 * disconnected; no queue grows without bound.
 */
import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import test from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { WebSocket } from "ws";
import { NODE_PLATFORM } from "../../platform/index.ts";
import type { ChannelOpener } from "../channels/channel-opener.ts";
import type { MessageEncoder } from "../channels/dialect.ts";
import { type Subscriber, Topic } from "../channels/topic.ts";
import type { Update } from "../channels/updates.ts";
import { V3_DIALECT } from "../v3/v3-dialect.ts";
import { Connection } from "./connection.ts";
import { ConnectionLimits } from "./limits.ts";

/** A socket and its outbox. It does not read: everything posted waits. */
class DeafSocket extends EventEmitter {
  readonly sent: string[] = [];
  waitingBytes = 0;
  flushes = 0;
  dropped = false;
  closed: readonly [code: number, reason: string] | null = null;
  terminated = false;

  post(message: Buffer): void {
    assert.equal(this.dropped, false, "nothing is posted behind the end");
    this.sent.push(message.toString("utf8"));
    this.waitingBytes += message.length;
  }

  flush(): void {
    assert.equal(this.dropped, false, "what waits goes out before it is dropped");
    this.flushes++;
  }

  drop(): void {
    this.dropped = true;
  }

  close(code: number, reason: string): void {
    assert.equal(this.flushes, 1, "the close comes behind what was posted");
    this.closed = [code, reason];
  }

  terminate(): void {
    this.terminated = true;
  }
}

/** Stands for an update; the encoder below writes it unchanged. */
function update(message: object): Update {
  return message as Update;
}

const ENCODER = {
  dialect: "v3",
  showsContractPrices: false,
  encode: (message) => [JSON.stringify(message)],
} as const satisfies Omit<MessageEncoder, "name">;

/** The last update is its whole state. */
class LatestTopic extends Topic {
  readonly #source: { present: Update | null };

  constructor() {
    const source = { kind: "ticker" as const, conflates: true, present: null as Update | null };
    super(source, { ...ENCODER, name: "latest" });
    this.#source = source;
  }

  override publish(latest: Update): void {
    this.#source.present = latest;
    super.publish(latest);
  }
}

const EVERY = { kind: "trade", conflates: false, present: null } as const;

const NOW = { nowMs: 0 };

function setUp(isPrivate = false, isLimited = false) {
  const socket = new DeafSocket();
  const latest = new LatestTopic();
  const every = new Topic(EVERY, { ...ENCODER, name: "every" });
  const channels: ChannelOpener = {
    prepare: (names) =>
      Promise.resolve(
        names.includes("none") ? { reason: "invalid-parameter", message: "none" } : null,
      ),
    open: (name: string, subscriber: Subscriber) => {
      const topic = name === "latest" ? latest : every;
      topic.add(subscriber);
      return topic;
    },
    close: (topic, subscriber) => topic.remove(subscriber),
  };
  const counts = { conflated: 0, ended: [] as string[] };
  const connection = new Connection({
    socket: socket as unknown as WebSocket,
    outbox: socket,
    caller: { uid: 1, apiKey: "key" },
    isPrivate,
    dialect: V3_DIALECT,
    channels,
    limits: new ConnectionLimits(isLimited, 0),
    clock: { exchangeMs: () => 1_800_000_000_000, monotonicMs: () => NOW.nowMs },
    scheduler: NODE_PLATFORM.scheduler,
    metrics: {
      streamOpened: () => undefined,
      streamClosed: () => undefined,
      streamRefused: () => undefined,
      streamSent: () => undefined,
      streamEnded: (cause) => counts.ended.push(cause),
      streamConflated: () => counts.conflated++,
    },
    onFatal: (error) => {
      throw error;
    },
  });
  const ask = async (request: object): Promise<void> => {
    socket.emit("message", Buffer.from(JSON.stringify(request)), false);
    for (let turns = 0; turns < 5; turns++) await turn();
  };
  return { socket, latest, every, connection, counts, ask };
}

test("a slow client gets the last state later, not every update", async () => {
  const { socket, latest, connection, counts, ask } = setUp();
  await ask({ method: "SUBSCRIBE", params: ["latest"], id: 1 });
  socket.waitingBytes = 300_000;
  for (let value = 0; value < 10; value++) latest.publish(update({ value }));
  assert.deepEqual(socket.sent, ['{"result":true,"id":1}']);
  assert.equal(counts.conflated, 10);
  connection.catchUp();
  assert.equal(socket.sent.length, 1, "it has not read anything yet");
  // It reads again: an update now would not follow the last one it has.
  socket.waitingBytes = 100_000;
  latest.publish(update({ value: 10 }));
  connection.catchUp();
  assert.equal(socket.sent.length, 1, "it has not caught up yet");
  assert.equal(counts.conflated, 11);
  socket.waitingBytes = 0;
  connection.catchUp();
  assert.deepEqual(socket.sent.slice(1), ['{"value":10}']);
  assert.equal(connection.isLagging, false);
  latest.publish(update({ value: 11 }));
  assert.deepEqual(socket.sent.slice(2), ['{"value":11}']);
});

test("where nothing may be left out a slow client is cut off, within bounds", async () => {
  const { socket, every, counts, ask } = setUp();
  await ask({ method: "SUBSCRIBE", params: ["every"], id: 1 });
  for (let messages = 0; messages < 1000; messages++)
    every.publish(update({ filler: "x".repeat(10_000) }));
  assert.deepEqual(socket.closed, [1008, "too slow for every"]);
  assert.deepEqual(counts.ended, ["too-slow"]);
  assert.ok(socket.waitingBytes < 1024 * 1024 + 20_000);
  assert.ok(every.isEmpty, "nobody sends to it any more");
});

test("heartbeats: each its form, and five without an answer are the end", async () => {
  for (const isPrivate of [false, true]) {
    const { socket, connection, counts, ask } = setUp(isPrivate);
    connection.ping();
    const time = '"time":"1800000000000"';
    assert.deepEqual(socket.sent, [
      isPrivate ? `{"type":"ping",${time}}` : `{"event":"ping",${time}}`,
    ]);
    for (let pings = 0; pings < 20; pings++) {
      await ask({ method: "PONG", id: "p" });
      connection.ping();
    }
    assert.equal(socket.closed, null);
    // Only public clients wait for a response to theirs.
    assert.equal(socket.sent.includes('{"result":true,"id":"p"}'), !isPrivate);
    for (let pings = 0; pings < 5; pings++) connection.ping();
    assert.deepEqual(socket.closed, [1008, "no PONG to 5 pings"]);
    assert.deepEqual(counts.ended, ["no-pong"]);
  }
});

test("unsubscribed is unsubscribed; of a refused request nothing is opened", async () => {
  const { socket, latest, every, ask } = setUp();
  await ask({ method: "SUBSCRIBE", params: ["latest", "every"], id: "1" });
  await ask({ method: "UNSUBSCRIBE", params: ["every", "never opened"], id: "2" });
  assert.deepEqual([latest.isEmpty, every.isEmpty], [false, true]);
  await ask({ method: "SUBSCRIBE", params: ["every", "none"], id: "3" });
  assert.ok(every.isEmpty);
  assert.deepEqual(socket.sent.at(-1), '{"result":false,"id":"3","msg":"INVALID_ARGUMENT: none"}');
});

test("limits of a connection: operations an hour, channels, messages", async () => {
  const { socket, ask } = setUp(false, true);
  const refusals = (): number => socket.sent.filter((text) => text.includes("RATE_LIMITED")).length;
  for (let requests = 0; requests < 250; requests++) {
    NOW.nowMs += 100;
    await ask({ method: "UNSUBSCRIBE", params: ["x"], id: requests });
  }
  // 25 s have restored one and a half operations.
  assert.equal(refusals(), 250 - 241);
  NOW.nowMs += 3_600_000;
  const names = Array.from({ length: 100 }, (_, i) => `n${i}`);
  await ask({ method: "SUBSCRIBE", params: names, id: "all" });
  await ask({ method: "SUBSCRIBE", params: ["one more"], id: "more" });
  assert.match(socket.sent.at(-1) ?? "", /more than 100 channels/);
  for (let messages = 0; messages < 300; messages++) {
    if (socket.closed === null) await ask({ method: "PONG", id: messages });
  }
  assert.deepEqual(socket.closed, [1008, "too many messages"]);
});
