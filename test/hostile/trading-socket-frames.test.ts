/**
 * Proves what becomes of frames that are none: each way to break RFC 6455 ends the connection with
 * the code of that mistake and nothing is carried out, whether it comes before or after a message
 * that is whole; random bytes in place of frames never harm the server or its other connections;
 * and what the RFC allows, fragments and pings between them, is understood.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Random, scaled, seededRandom } from "../support/random.ts";
import { TradingSocket } from "../support/trading-socket.ts";

const random = seededRandom("hostile/trading-socket-frames");
const RANDOM_CONNECTIONS = 200;
/** Longer than the server's own patience. */
const PATIENCE_MS = 20_000;
const TEXT = 0x1;
const BINARY = 0x2;
const CLOSE = 0x8;
const PING = 0x9;
const FINAL = 0x80;

let exchange: ExchangeProcess;
before(async () => {
  exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
});
after(() => exchange.stop());

interface FrameOptions {
  /** The first byte, if not that of a final text frame. */
  readonly head?: number;
  readonly isMasked?: boolean;
  /** What the head says, if not the length of the payload. */
  readonly length?: number;
}

function frame(payload: string | Buffer, options: FrameOptions = {}): Buffer {
  const body = Buffer.from(payload);
  const { head = FINAL | TEXT, isMasked = true, length = body.length } = options;
  const mask = randomBytes(4);
  const size = Buffer.alloc(length < 126 ? 1 : length < 65_536 ? 3 : 9);
  if (length < 126) size[0] = length;
  else if (length < 65_536) {
    size[0] = 126;
    size.writeUInt16BE(length, 1);
  } else {
    size[0] = 127;
    size.writeBigUInt64BE(BigInt(length), 1);
  }
  if (!isMasked) return Buffer.concat([Buffer.of(head), size, body]);
  size[0] = (size[0] as number) | 0x80;
  for (let i = 0; i < body.length; i++) body[i] = (body[i] as number) ^ (mask[i % 4] as number);
  return Buffer.concat([Buffer.of(head), size, mask, body]);
}

interface Outcome {
  readonly texts: readonly string[];
  /** Null when it was cut without one. */
  readonly closeCode: number | null;
}

/** Frames of the server, which are short or of at most 64 KiB here. */
function readFrames(bytes: Buffer): Outcome {
  const texts: string[] = [];
  let closeCode: number | null = null;
  for (let at = 0; at + 2 <= bytes.length; ) {
    const opcode = (bytes[at] as number) & 0x0f;
    let length = bytes[at + 1] as number;
    at += 2;
    if (length === 126) {
      length = bytes.readUInt16BE(at);
      at += 2;
    }
    if (opcode === TEXT) texts.push(bytes.toString("utf8", at, at + length));
    if (opcode === CLOSE && length >= 2) closeCode = bytes.readUInt16BE(at);
    at += length;
  }
  return { texts, closeCode };
}

const HANDSHAKE =
  "GET /v3/ws/api HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
  "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

/**
 * Sends bytes behind a handshake, and `last` behind the first answer; resolves when the server has
 * ended the connection.
 */
function send(bytes: Buffer, last: Buffer | null = null): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(exchange.port, "127.0.0.1");
    let received = Buffer.alloc(0);
    const rest = [bytes, ...(last === null ? [] : [last])];
    let expected = 0;
    socket.write(HANDSHAKE);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      const head = received.indexOf("\r\n\r\n");
      if (head < 0 || received.length <= head + 3 + expected) return;
      expected = 1;
      socket.write(rest.shift() ?? Buffer.alloc(0));
    });
    socket.on("error", () => undefined);
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error("the server said nothing")));
    socket.on("close", () => {
      const end = received.indexOf("\r\n\r\n");
      if (end < 0) reject(new Error("no handshake"));
      else resolve(readFrames(received.subarray(end + 4)));
    });
  });
}

const ping = (id: number, change: object = {}): string =>
  JSON.stringify({ id, method: "ping", ...change });
const PONG = (id: number): string => JSON.stringify({ id, status: 200, result: {} });
const GOODBYE = frame(Buffer.from([0x03, 0xe8]), { head: FINAL | CLOSE });

const BROKEN: Readonly<Record<string, readonly [code: number, bytes: Buffer]>> = {
  "a frame without a mask": [1002, frame(ping(2), { isMasked: false })],
  "a reserved bit": [1002, frame(ping(2), { head: FINAL | 0x40 | TEXT })],
  "an unknown opcode": [1002, frame(ping(2), { head: FINAL | 0x3 })],
  "an unknown control opcode": [1002, frame("", { head: FINAL | 0xb })],
  "a fragmented ping": [1002, frame("", { head: PING })],
  "a long ping": [1002, frame("x".repeat(126), { head: FINAL | PING })],
  "a continuation of nothing": [1002, frame(ping(2), { head: FINAL })],
  "a new message within another": [1002, Buffer.concat([frame("{", { head: TEXT }), frame("}")])],
  "a close code that is none": [1002, frame(Buffer.from([0, 1]), { head: FINAL | CLOSE })],
  "binary data": [1003, frame(ping(2), { head: FINAL | BINARY })],
  "text that is not UTF-8": [1007, frame(Buffer.from([0x7b, 0xff, 0x7d]))],
  "a surrogate in UTF-8": [1007, frame(Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]))],
  "a message above 16 KiB": [1009, frame(ping(2, { padding: "x".repeat(16 * 1024) }))],
  "the announcement of one": [1009, frame("", { length: 2 ** 31 })],
  "fragments above 16 KiB": [
    1009,
    Buffer.concat([
      frame("x".repeat(10_000), { head: TEXT }),
      frame("x".repeat(10_000), { head: FINAL }),
    ]),
  ],
};

for (const [what, [code, bytes]] of Object.entries(BROKEN)) {
  test(`${what} ends the connection with ${code}`, async () => {
    assert.deepEqual(await send(bytes), { texts: [], closeCode: code });
    const between = Buffer.concat([frame(ping(1)), bytes, frame(ping(3))]);
    const outcome = await send(between);
    assert.equal(outcome.closeCode, code);
    assert.ok(!outcome.texts.some((text) => text.includes('"id":3')), outcome.texts.join());
  });
}

test("a message of 16 KiB is read", async () => {
  const padding = "x".repeat(16 * 1024 - ping(1, { padding: "" }).length);
  const outcome = await send(frame(ping(1, { padding })), GOODBYE);
  assert.deepEqual(outcome, { texts: [PONG(1)], closeCode: 1000 });
});

test("fragments are one message, with a ping between them", async () => {
  const text = ping(1);
  const parts = [
    frame(text.slice(0, 5), { head: TEXT }),
    frame("are you there", { head: FINAL | PING }),
    frame(text.slice(5, 9), { head: 0 }),
    frame(text.slice(9), { head: FINAL }),
  ];
  const outcome = await send(Buffer.concat(parts), GOODBYE);
  assert.deepEqual(outcome, { texts: [PONG(1)], closeCode: 1000 });
});

test("a message in too many fragments ends the connection", async () => {
  const parts = Array.from({ length: 100 }, (_, index) =>
    frame("x", { head: index === 0 ? TEXT : 0 }),
  );
  assert.equal((await send(Buffer.concat(parts))).closeCode, 1008);
});

function randomFrames(dice: Random): Buffer {
  const frames = Array.from({ length: dice.integer(1, 6) }, () => {
    const head = dice.chance(0.5) ? FINAL | TEXT : dice.integer(0, 255);
    const made = frame(ping(dice.integer(0, 9)), { head, isMasked: dice.chance(0.9) });
    for (let i = dice.integer(0, 3); i > 0; i--) {
      made[dice.integer(0, made.length - 1)] = dice.integer(0, 255);
    }
    return made.subarray(0, dice.chance(0.9) ? made.length : dice.integer(0, made.length));
  });
  // In the end more than a message may have, of which no byte begins a frame.
  return Buffer.concat([...frames, Buffer.alloc(70_000, 0xff)]);
}

test(`${scaled(RANDOM_CONNECTIONS)} connections with random frames`, async (t) => {
  const witness = await TradingSocket.open(exchange.port);
  const state = await exchange.operator.stateHash();
  const codes = new Map<number | null, number>();
  for (let i = 0; i < scaled(RANDOM_CONNECTIONS); i++) {
    const { closeCode } = await send(randomFrames(random));
    codes.set(closeCode, (codes.get(closeCode) ?? 0) + 1);
    assert.ok(closeCode === null || closeCode >= 1000, String(closeCode));
  }
  t.diagnostic([...codes].map(([code, count]) => `${code}: ${count}`).join(", "));
  assert.deepEqual((await witness.ask("ping")).result, {});
  assert.equal(await exchange.operator.stateHash(), state);
  await witness.close();
});
