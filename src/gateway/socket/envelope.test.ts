/**
 * Proves what a message is: ids come back as they were sent or the message is refused with null,
 * whatever else is in it; what is no message has the code of its mistake; and answers of any length
 * and alphabet are the frames that RFC 6455 describes.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { ERRORS, refuse } from "../../api/errors.ts";
import { answerText, readMessage, refusalText } from "./envelope.ts";
import { textFrames } from "./text-frames.ts";

const random = seededRandom("gateway/socket/envelope");
const bytes = (text: string): Buffer => Buffer.from(text);

function refusedOf(
  text: string | Buffer,
): readonly [id: string, code: number, field: string | null] {
  const read = readMessage(typeof text === "string" ? bytes(text) : text);
  assert.ok("refusal" in read, String(text));
  const { reason, field } = read.refusal;
  return [read.id, ERRORS[reason].v3.code, field];
}

const IDS: readonly unknown[] = [
  0,
  -1,
  1,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER,
  "a",
  "0",
  " ",
  "x".repeat(64),
  '"\\\n\u2028',
  "ü€😀",
  "\ud800",
];

test("an id comes back as it was sent", () => {
  for (const id of IDS) {
    const read = readMessage(bytes(JSON.stringify({ id, method: "ping" })));
    assert.ok("method" in read, String(id));
    assert.deepEqual(JSON.parse(answerText(read.id, "{}")), { id, status: 200, result: {} });
    const refusal = refuse("rate-limited");
    const refused = JSON.parse(refusalText(read.id, "v3", refusal, 1.2));
    const error = { code: -1003, msg: "Too many requests", retryAfterMs: 2 };
    assert.deepEqual(refused, { id, status: 429, error });
  }
});

test("a message whose id cannot be repeated is refused with null", () => {
  const wrong = ["null", "true", "1.5", "9007199254740992", "1e400", '""', "[]", "{}", "[1]"];
  for (const id of [...wrong, JSON.stringify("x".repeat(65))]) {
    assert.deepEqual(refusedOf(`{"id":${id},"method":"ping"}`), ["null", -1142, "id"], id);
  }
  assert.deepEqual(refusedOf('{"method":"ping"}'), ["null", -1142, "id"]);
});

test("what is no message is refused with the code of its mistake", () => {
  const noJson = ["", " ", "ping", "[]", "null", "7", '"ping"', '{"id":1', '{"id":1}x'];
  const repeated = ['{"id":1,"id":1,"method":"ping"}', '{"id":1,"method":"ping","\\u0069d":1}'];
  const forbidden = ['{"id":1,"method":"ping","__proto__":{}}', `{"a":${"[".repeat(50)}`];
  for (const text of [...noJson, ...repeated, ...forbidden]) {
    assert.deepEqual(refusedOf(text), ["null", -1135, null], text);
  }
  assert.deepEqual(refusedOf(Buffer.from([0x7b, 0xff, 0x7d])), ["null", -1135, null]);
  assert.deepEqual(refusedOf('{"id":"x"}'), ['"x"', -1141, "method"]);
  for (const method of ["7", "null", "{}", '["ping"]', "true"]) {
    assert.deepEqual(refusedOf(`{"id":2,"method":${method}}`), ["2", -1150, "method"], method);
  }
  for (const params of ["7", "null", "[]", '"x"', "true"]) {
    const text = `{"id":2,"method":"ping","params":${params}}`;
    assert.deepEqual(refusedOf(text), ["2", -1142, "params"], params);
  }
});

/** Frames of a server, read as the RFC says. */
function readFrames(frames: Buffer): string[] {
  const texts: string[] = [];
  for (let at = 0; at < frames.length; ) {
    assert.equal(frames[at], 0x81, "final, text, not compressed");
    let length = frames[at + 1] as number;
    at += 2;
    if (length === 126) {
      length = frames.readUInt16BE(at);
      assert.ok(length > 125, "the shortest form");
      at += 2;
    } else if (length === 127) {
      length = Number(frames.readBigUInt64BE(at));
      assert.ok(length > 65_535, "the shortest form");
      at += 8;
    }
    texts.push(frames.toString("utf8", at, at + length));
    at += length;
  }
  return texts;
}

test("answers are frames, one after the other", () => {
  const lengths = [0, 1, 124, 125, 126, 127, 65_534, 65_535, 65_536, 70_000];
  for (let round = 0; round < scaled(100); round++) {
    const texts = Array.from({ length: random.integer(1, 8) }, () =>
      random.pick(["a", "é", "€", "😀"]).repeat(random.pick(lengths)),
    );
    assert.deepEqual(readFrames(textFrames(texts)), texts);
  }
});
