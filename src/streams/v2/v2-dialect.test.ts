/**
 * Proves that v2 requests are accepted as documented: every spelling of a channel means the channel
 * that v3 has one name for, nothing else is a channel, and requests, responses and heartbeats have
 * the documented form.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { type Random, seededRandom } from "../../../test/support/random.ts";
import { CANDLE_INTERVALS, type Product } from "../../domain/index.ts";
import type { StreamRequest } from "../channels/dialect.ts";
import { V3_DIALECT } from "../v3/v3-dialect.ts";
import { V2_DIALECT } from "./v2-dialect.ts";

const random = seededRandom("streams/v2-dialect");

const LONG_INTERVALS = [
  ...[1, 5, 15, 30].map((minutes) => `MINUTE_${minutes}`),
  ...[1, 2, 4, 6, 8, 12].map((hours) => `HOUR_${hours}`),
  "DAY_1",
  "WEEK_1",
  "MONTH_1",
];

/** The same letters, each in random case. */
function anyCase(text: string, rng: Random): string {
  return [...text]
    .map((letter) => (rng.chance(0.5) ? letter.toLowerCase() : letter.toUpperCase()))
    .join("");
}

/** The v3 name of each channel that v2 writes with `symbol`. */
function channelsOf(product: Product, symbol: string): Map<string, string> {
  const names = new Map([
    [`ticker.${symbol}`, "BTCUSDT@ticker"],
    [`trades.${symbol}`, "BTCUSDT@trade"],
    [`depth.${symbol}.15`, "BTCUSDT@depth15"],
    [`depth.${symbol}.200`, "BTCUSDT@depth200"],
  ]);
  const prices = product === "spot" ? ["LAST_PRICE"] : ["LAST_PRICE", "MARK_PRICE"];
  for (const price of prices) {
    for (const [i, long] of LONG_INTERVALS.entries()) {
      const interval = String(CANDLE_INTERVALS[i]);
      const inV3 = `BTCUSDT@kline_${interval}_${price}`;
      names.set(`kline.${price}.${symbol}.${long}`, inV3);
      names.set(`kline.${price}.${symbol}.${interval}`, inV3);
    }
  }
  return names;
}

test("every way to write a channel is the channel of v3, told as it was written", () => {
  for (const [product, forms] of [
    ["spot", ["BTCUSDT", "BTCUSDT_SPBL"]],
    ["contract", ["BTCUSDT", "cmt_btcusdt"]],
  ] as const) {
    for (const form of forms) {
      for (const symbol of [form, anyCase(form, random), anyCase(form, random)]) {
        for (const [name, inV3] of channelsOf(product, symbol)) {
          const named = V2_DIALECT.publicChannel(product, name);
          assert.deepEqual(named?.channel, V3_DIALECT.publicChannel(product, inV3)?.channel, name);
          assert.equal(named?.encoder.name, name);
        }
      }
    }
  }
});

test("what is no channel", () => {
  const none = {
    spot: [
      "ticker.cmt_btcusdt",
      "kline.MARK_PRICE.BTCUSDT.MINUTE_1",
      "bookTicker.BTCUSDT",
      "ticker",
      "ticker.",
      "ticker.BTCUSDT.15",
      "Ticker.BTCUSDT",
      "trade.BTCUSDT",
      "depth.BTCUSDT",
      "depth.BTCUSDT.5",
      "depth.BTCUSDT.015",
      "depth.BTCUSDT.15.",
      "depth.BTC-USDT.15",
      "kline.BTCUSDT.MINUTE_1",
      "kline.LAST_PRICE.BTCUSDT.minute_1",
      "kline.LAST_PRICE.BTCUSDT.MINUTE_3",
      "kline.INDEX_PRICE.BTCUSDT.MINUTE_1",
      "kline.PRICE.BTCUSDT.5m_LAST",
      "BTCUSDT@ticker",
      "orders",
      "",
    ],
    contract: [
      "ticker.BTCUSDT_SPBL",
      "ticker.cmt_",
      "depth.cmt_cmt_btcusdt.15",
      "bookTicker.cmt_x",
    ],
  };
  for (const product of ["spot", "contract"] as const) {
    for (const name of none[product]) {
      assert.equal(V2_DIALECT.publicChannel(product, name), null, name);
    }
  }
});

test("private channels, with the names of public clients beside the documented ones", () => {
  const kindOf = (product: Product, name: string): string | undefined =>
    V2_DIALECT.privateChannel(product, name)?.channel;
  for (const product of ["spot", "contract"] as const) {
    for (const kind of ["account", "orders", "fill"]) assert.equal(kindOf(product, kind), kind);
    assert.equal(kindOf(product, "trade"), "fill");
    for (const name of ["Orders", "withdrawals", "deposits", "constructor", "ticker.BTCUSDT", ""]) {
      assert.equal(kindOf(product, name), undefined);
    }
  }
  for (const name of ["positions", "position"]) {
    assert.equal(kindOf("contract", name), "positions");
    assert.equal(kindOf("spot", name), undefined);
  }
});

function read(text: string): StreamRequest {
  return V2_DIALECT.readRequest(Buffer.from(text));
}

/** The response to a text that is not a request. */
function refusal(text: string): unknown {
  const request = read(text);
  assert.ok(request.kind === "invalid", text);
  const { problem: message } = request;
  return V2_DIALECT.refused(request, { reason: "invalid-parameter", message });
}

test("requests and their answers", () => {
  const channel = "depth.BTCUSDT_SPBL.15";
  for (const [event, answer] of [
    ["subscribe", "subscribed"],
    ["unsubscribe", "unsubscribed"],
  ] as const) {
    const request = read(JSON.stringify({ event, channel, other: 1 }));
    assert.deepEqual(request, { kind: event, echo: channel, names: [channel] });
    assert.deepEqual(V2_DIALECT.done(request), { event: answer, channel });
    for (const [reason, code] of [
      ["invalid-parameter", "40020"],
      ["unknown-symbol", "40034"],
      ["rate-limited", "429"],
      ["overloaded", "40015"],
    ] as const) {
      const error = { event: "error", channel, code, msg: "why" };
      assert.deepEqual(V2_DIALECT.refused(request, { reason, message: "why" }), error);
    }
  }
});

test("what is no request is answered with what is wrong", () => {
  const what = "event must be subscribe, unsubscribe, ping or pong";
  const which = "channel must be text of 1 to 64 characters";
  for (const [text, channel, msg] of [
    ['{"event":"list","channel":"orders"}', "orders", what],
    ['{"channel":"orders"}', "orders", what],
    ['{"method":"SUBSCRIBE","params":["BTCUSDT@ticker"],"id":1}', "", what],
    ['{"event":"subscribe"}', "", which],
    ['{"event":"subscribe","channel":""}', "", which],
    ['{"event":"subscribe","channel":["orders"]}', "", which],
    [`{"event":"unsubscribe","channel":"${"x".repeat(65)}"}`, "", which],
  ] as const) {
    assert.deepEqual(refusal(text), { event: "error", channel, code: "40020", msg });
  }
  for (const text of ["ping", "[]", "{", '{"event":"ping","event":"ping"}']) {
    const { channel, code } = refusal(text) as { channel: unknown; code: unknown };
    assert.deepEqual([channel, code], ["", "40020"]);
  }
});

test("heartbeats: both sides ask, and a pong repeats the time that it was sent", () => {
  const NOW = "1800000000000";
  const answer = (text: string): unknown => V2_DIALECT.alive(read(text), NOW, false);
  for (const isPrivate of [false, true]) {
    assert.deepEqual(V2_DIALECT.ping(NOW, isPrivate), { event: "ping", time: NOW });
  }
  assert.equal(answer('{"event":"pong","time":"1800000000000"}'), null);
  assert.equal(answer('{"event":"pong"}'), null);
  for (const [sent, back] of [
    ["1", 1],
    ['"1799999999999"', "1799999999999"],
    ["1.5", NOW],
    ["null", NOW],
    [`"${"1".repeat(33)}"`, NOW],
  ] as const) {
    assert.deepEqual(answer(`{"event":"ping","time":${sent}}`), { event: "pong", time: back });
  }
  assert.deepEqual(answer('{"event":"ping"}'), { event: "pong", time: NOW });
});
