/**
 * Goal: what crosses the engine's port arrives as it was sent, and nothing else is taken. Method:
 * submissions and answers of every kind there and back, then every cut of the bytes.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { encodeAnswers } from "../../test/support/engine-double.ts";
import { reject } from "../domain/index.ts";
import { MalformedBytes } from "./bytes.ts";
import {
  type Answer,
  decodeAnswers,
  decodeRequest,
  encodeRequest,
  RequestReader,
  type Submission,
  type Unavailable,
} from "./engine-port.ts";

const CANCEL = {
  type: "cancel-spot-order",
  uid: 7,
  symbol: "BTCUSDT",
  orderId: null,
  clientOrderId: "a-1",
} as const;
const LEVERAGE = {
  type: "set-leverage",
  uid: 7,
  symbol: "BTCUSDT",
  marginType: "CROSSED",
  crossLeverage: 20,
  isolatedLongLeverage: null,
  isolatedShortLeverage: null,
} as const;

const SUBMISSIONS: readonly Submission[] = [
  { kind: "command", command: CANCEL },
  { kind: "query", query: { type: "spot-depth", symbol: "ÆTH", levels: 15 } },
  { kind: "command", command: { type: "do-once", requestId: "r", command: LEVERAGE } },
  { kind: "command", command: CANCEL },
  { kind: "query", query: { type: "status" } },
  { kind: "command", command: { type: "resume" } },
];

const SETTINGS = {
  symbol: "BTCUSDT",
  marginType: "ISOLATED",
  separatedType: "SEPARATED",
  crossLeverage: 1,
  isolatedLongLeverage: 20,
  isolatedShortLeverage: 400,
} as const;
const CANCELLED = { orderId: 1, clientOrderId: "a-1", symbol: "BTCUSDT", bookVersion: 9 };
const at = { sequence: Number.MAX_SAFE_INTEGER, timestampMs: 1_760_000_000_000 };

const ANSWERS: readonly (Answer | Unavailable)[] = [
  { ...at, result: { ok: true, value: CANCELLED } },
  {
    ...at,
    result: { ok: true, value: { symbol: "ÆTH", version: 3, bids: [["1", "2"]], asks: [] } },
  },
  { ...at, result: { ok: true, value: SETTINGS } },
  { ...at, result: reject("order-not-found", "orderId", "it ended — “filled”") },
  { unavailable: "overloaded" },
  { ...at, result: { ok: true, value: null } },
];

test("requests and answers arrive as they were sent", () => {
  assert.deepEqual(decodeRequest(encodeRequest(SUBMISSIONS)), SUBMISSIONS);
  assert.deepEqual(decodeAnswers(SUBMISSIONS, encodeAnswers(SUBMISSIONS, ANSWERS)), ANSWERS);
  for (const unavailable of ["overloaded", "disk-nearly-full", "stopping"] as const) {
    const one = SUBMISSIONS.slice(0, 1);
    const answers = [{ unavailable }];
    assert.deepEqual(decodeAnswers(one, encodeAnswers(one, answers)), answers);
  }
});

test("the record of a command is what the journal keeps", () => {
  const reader = new RequestReader(encodeRequest(SUBMISSIONS.slice(0, 1)));
  assert.deepEqual(reader.command(), CANCEL);
  const again = new RequestReader(new Uint8Array([1, 0, ...reader.record]));
  assert.deepEqual(again.command(), CANCEL);
  assert.equal(again.left, 0);
});

test("bytes that end early or name an unknown kind are refused", () => {
  const request = encodeRequest(SUBMISSIONS);
  for (let end = 0; end < request.length; end++) {
    assert.throws(() => decodeRequest(request.subarray(0, end)), `cut at ${end}`);
  }
  assert.throws(() => decodeRequest(new Uint8Array([1, 2])), MalformedBytes);
});
