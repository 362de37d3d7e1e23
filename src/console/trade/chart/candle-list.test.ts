/** Proves that candles of REST and of the stream make one row, each time once, as told last. */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../../../../test/support/random.ts";
import { CANDLES_MAX, CandleList, type ChartCandle } from "./candle-list.ts";

const random = seededRandom("candle-list");

function candle(openTime: number, close = "1"): ChartCandle {
  return { openTime, open: "1", high: "9", low: "1", close, volume: "0" };
}

const timesOf = (list: CandleList): number[] => list.all.map(({ openTime }) => openTime);

test("any mixture of pages and events is in order, each time once, as told last", () => {
  for (let i = 0; i < scaled(200); i++) {
    const list = new CandleList();
    const last = new Map<number, string>();
    for (let step = 0; step < 30; step++) {
      const openTime = random.integer(0, 40) * 60;
      const close = String(step);
      // Of the newest candle the stream knows more than REST.
      const isKept = list.newest?.openTime === openTime;
      if (random.chance(0.5)) {
        list.put(candle(openTime, close));
        last.set(openTime, close);
      } else {
        list.merge([candle(openTime, close)]);
        if (!isKept) last.set(openTime, close);
      }
    }
    const times = [...last.keys()].sort((a, b) => a - b);
    assert.deepEqual(timesOf(list), times);
    for (const [time, close] of last) assert.equal(list.at(time)?.close, close);
  }
});

test("REST does not take back what the stream told of the open candle", () => {
  const list = new CandleList();
  list.put(candle(120, "stream"));
  list.merge([candle(60, "rest"), candle(120, "rest")]);
  assert.deepEqual(
    list.all.map(({ close }) => close),
    ["rest", "stream"],
  );
  list.put(candle(180));
  list.merge([candle(120, "final"), candle(180, "rest")]);
  assert.equal(list.at(120)?.close, "final");
});

test("from a time on, and at a time that no candle has", () => {
  const list = new CandleList();
  list.merge([candle(60), candle(120), candle(180)]);
  assert.deepEqual(
    list.from(100).map(({ openTime }) => openTime),
    [120, 180],
  );
  assert.equal(list.at(61), undefined);
  assert.equal(list.oldest?.openTime, 60);
});

test("beyond the bound the oldest go", () => {
  const list = new CandleList();
  list.merge(Array.from({ length: CANDLES_MAX + 5 }, (_, i) => candle(i)));
  assert.equal(list.all.length, CANDLES_MAX);
  assert.equal(list.oldest?.openTime, 5);
  list.put(candle(CANDLES_MAX + 5));
  assert.equal(list.all.length, CANDLES_MAX);
  assert.equal(list.oldest?.openTime, 6);
});
