/**
 * Proves that lazy timers leave what timers of every second would. The engine's fire only where
 * something can change, the oracle fires every second, minute and slot, and after every step both
 * have the same prices, premiums and settlements: cut in slices, interrupted by restarts, with
 * books that come and go.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ContractFixture } from "../../../../test/support/engine/contract-fixture.ts";
import {
  NaiveMarket,
  NaiveTime,
  TICKS_PER_SPOT_TICK,
} from "../../../../test/support/engine/naive-time.ts";
import type { Quote } from "../../../../test/support/engine/quoted-book.ts";
import { TimedFixture } from "../../../../test/support/engine/timed-fixture.ts";
import { scaled, seededRandom } from "../../../../test/support/random.ts";
import { accept, type Result } from "../../../domain/index.ts";
import { forecastRateE8 } from "../prices/funding.ts";
import { premiumSoFar } from "../prices/premium.ts";
import { indexAtMs, isFresh, isMarkReliable } from "../prices/prices.ts";

const random = seededRandom("contract time");
const MINUTE_MS = 60_000;

const START_MS = new ContractFixture().nowMs;

/** Three markets: fed by a spot market, by the operator, and by a spot market until he comes. */
class Race {
  readonly engine = new TimedFixture();
  readonly naive = new NaiveTime();
  readonly seen = new Map<string, number>();

  constructor() {
    for (const [i, base] of ["BTC", "ETH", "SOL"].entries()) {
      const market = this.engine.list({
        symbol: `${base}USDT`,
        baseAsset: base,
        indexStaleMs: random.pick([0, 1_000, 5_000, 60_000]),
        fundingIntervalMinutes: random.pick([1, 5, 20]),
        interestRate: random.pick(["0.0001", "-0.0003", "0.01"]),
        impactNotional: random.pick(["1", "10000", "30000"]),
      });
      if (i !== 1) this.engine.listSpot(market.symbol, base);
      this.naive.markets.push(new NaiveMarket(market, i !== 1));
    }
    this.naive.nowMs = START_MS;
  }

  step(): void {
    const { engine, naive } = this;
    engine.stepsMax = random.pick([1, 2, 7, 1000]);
    if (random.chance(0.02)) this.#restart();
    const toMs = naive.nowMs + this.#pause();
    naive.advance(toMs);
    const one = random.pick(naive.markets);
    engine.command(toMs, () => this.#act(one, toMs));
    one.refresh();
    naive.settlePending(toMs);
    this.#compare();
  }

  #pause(): number {
    return random.pick([
      () => random.integer(0, 1500),
      () => 1000 - (this.naive.nowMs % 1000),
      () => MINUTE_MS - (this.naive.nowMs % MINUTE_MS),
      () => random.integer(1, 40) * 1000,
      () => random.integer(1, 400_000),
    ])();
  }

  #act(one: NaiveMarket, nowMs: number): Result<unknown> {
    const { engine } = this;
    const { market } = one;
    const act = random.integer(0, 12);
    if (act <= 2 && (market.index !== 2 || one.isOperators || random.chance(0.1))) {
      if (market.index === 0) return accept(null);
      this.#count("operator");
      const halfTicks = random.integer(199_900, 200_100);
      one.isOperators = true;
      one.index = Math.floor((halfTicks + 1) / 2);
      one.atMs = nowMs;
      one.blockedVersion = -1;
      one.spotSamples = [];
      return engine.setIndex(market, (halfTicks / 20).toFixed(2));
    }
    if (act <= 5) return this.#quoteSpot(one);
    if (act === 6) {
      const ticks = random.chance(0.5) ? 0 : random.integer(99_000, 101_000);
      one.pinned = ticks;
      this.#count(ticks === 0 ? "unpinned" : "pinned");
      return engine.pin(market, ticks === 0 ? null : (ticks / 10).toFixed(1));
    }
    if (act === 12) return this.#haltSpot(one);
    // Nothing at all: time alone passes.
    if (act === 7) return accept(null);
    return this.#quote(one);
  }

  /** Down for up to 25 minutes: no timer of that time fires. */
  #restart(): void {
    this.#count("restart");
    const { engine, naive } = this;
    // What came after the last command that changed something is part of the stop.
    engine.command(naive.nowMs, () => engine.change());
    engine.restart(random.pick([random.integer(0, 45_000), random.integer(0, 1_500_000)]));
    naive.resume(engine.nowMs);
    naive.settlePending(engine.nowMs);
  }

  #quote(one: NaiveMarket): Result<unknown> {
    const middle = one.index === 0 ? 100_000 : one.index + random.integer(-700, 700);
    const [bids, asks] = this.#levels(middle, 1);
    this.#change(one.book, bids, asks);
    return this.engine.quote(one.market, bids, asks);
  }

  #haltSpot(one: NaiveMarket): Result<unknown> {
    if (one.spot === null) return accept(null);
    one.isSpotTrading = !one.isSpotTrading;
    return this.engine.setSpotState(one.market, one.isSpotTrading ? "trading" : "halted");
  }

  #quoteSpot(one: NaiveMarket): Result<unknown> {
    if (one.spot === null) return accept(null);
    const move = random.pick([90, 2000]);
    const middle = 100_000 + random.integer(-move, move);
    const [bids, asks] = this.#levels(middle, TICKS_PER_SPOT_TICK);
    this.#change(one.spot, bids, asks);
    return this.engine.quoteSpot(one.market, bids, asks);
  }

  #change(
    book: { bids: readonly Quote[]; asks: readonly Quote[]; version: number },
    bids: readonly Quote[],
    asks: readonly Quote[],
  ): void {
    const changes = book.bids.length + book.asks.length + bids.length + asks.length;
    book.bids = bids;
    book.asks = asks;
    book.version += changes;
  }

  /** Up to three levels a side, sometimes none. */
  #levels(middle: number, tick: number): readonly [Quote[], Quote[]] {
    const side = (direction: 1 | -1): Quote[] =>
      Array.from({ length: random.integer(0, 3) }, (_, i): Quote => {
        const far = i === 2 && random.chance(0.2) ? Math.round(middle / tick / 20) : 0;
        const away = 1 + far + i * random.integer(1, 30);
        const ticks = Math.round(middle / tick) + direction * away;
        return [ticks, random.integer(1, 2000)];
      }).sort(([first], [second]) => direction * (first - second));
    return [side(-1), side(1)];
  }

  #compare(): void {
    const { engine, naive } = this;
    naive.nowMs = engine.nowMs;
    const { nowMs } = engine;
    for (const one of naive.markets) {
      const { market } = one;
      const { funding } = market;
      const label = `${market.symbol} at ${nowMs}`;
      const { sumE12, samples } = premiumSoFar(market, nowMs);
      assert.deepEqual(
        {
          index: market.indexPrice.ticks,
          mark: market.mark.ticks,
          atMs: indexAtMs(engine.state, market, nowMs),
          fresh: isFresh(engine.state, market, nowMs),
          reliable: isMarkReliable(engine.state, market, nowMs),
          samples,
          sumE12,
          nextSlotMs: funding.nextSlotMs,
          pendingSlotMs: funding.pendingSlotMs,
          lastSlotMs: funding.lastSlotMs,
          lastRateE8: funding.lastRateE8,
        },
        {
          index: one.index,
          mark: one.mark,
          atMs: one.atMs,
          fresh: one.isFresh(nowMs),
          reliable: one.mayLiquidate(nowMs),
          samples: one.premiums.length,
          sumE12: one.premiums.reduce((sum, premium) => sum + premium, 0n),
          nextSlotMs: one.nextSlotMs,
          pendingSlotMs: one.pendingSlotMs,
          lastSlotMs: one.lastSlotMs,
          lastRateE8: one.lastRateE8,
        },
        label,
      );
      const premiums =
        one.premiums.length > 0 || one.index === 0 ? one.premiums : [one.premiumE12()];
      assert.equal(forecastRateE8(engine.state, market, nowMs), one.rateE8(premiums), label);
      if (!one.isFresh(nowMs)) this.#count("stale");
      else if (!one.mayLiquidate(nowMs)) this.#count("waits");
      if (one.spotSamples.length > 0 && one.spotSamples.length < 8) this.#count("too few");
      if (one.mark !== one.index && one.pinned === 0) this.#count("basis");
    }
    const settled = engine.emitted("funding-settled").map((event) => ({
      symbol: event.symbol,
      slotMs: event.slotMs,
      rateE8: Number(event.rateE8),
      premiumSamples: event.premiumSamples,
      indexTicks: event.indexTicks,
      markTicks: event.markTicks,
    }));
    assert.deepEqual(settled, naive.settlements);
    for (const { rateE8 } of settled) this.#count(rateE8 > 0 ? "paid by longs" : "not by longs");
    naive.settlements = [];
  }

  #count(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
}

test("timers that fire only when something can change leave what all timers would", () => {
  const seen = new Set<string>();
  for (let round = 0; round < scaled(30); round++) {
    const race = new Race();
    for (let step = 0; step < 150; step++) race.step();
    for (const what of race.seen.keys()) seen.add(what);
  }
  const all = ["operator", "pinned", "unpinned", "restart", "stale", "waits", "too few", "basis"];
  for (const what of [...all, "paid by longs", "not by longs"]) assert.ok(seen.has(what), what);
});
