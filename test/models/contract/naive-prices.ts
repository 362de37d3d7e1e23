/**
 * Index, mark, premium and funding of the reference exchange of contracts. Time passes second by
 * second: every second is sampled, every minute measured, every slot settled, whether anything
 * changed or not; only seconds that must all be alike, without a sample, are passed over.
 */
import type { CommandOf } from "../../../src/protocol/index.ts";
import { exact, greatest, least, sum, text } from "../../support/exact.ts";
import { accepted, type NaiveOutcome } from "../naive-accounts.ts";
import { impactPrice, type NaiveQuote } from "./impact-price.ts";
import type { NaiveContractMarket } from "./naive-contract-state.ts";
import { NaiveFunding, PREMIUM_ONE, RATE_UNIT } from "./naive-funding.ts";
import { Refusal } from "./naive-positions.ts";
import { clamp, down, halfUp, nearest, ONE } from "./rounding.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** What counts for the mark, and what counts for an index out of a spot book. */
const WINDOW_SECONDS = 30;
const WINDOW_MS = WINDOW_SECONDS * SECOND_MS;
const SPOT_SECONDS = 15;
/** So many samples keep an index from a spot book alive; the first takes all of them. */
const SPOT_SAMPLES_MIN = 8;
/** The most by which an index from a spot book moves in a second. */
const SPOT_STEP = exact("0.002");
/** Exchange time that may have passed since a slot that was missed and is still settled. */
const LATE_SLOT_MS = 600_000;
/** Of an index and a mark. */
const PRICE_TICKS_MAX = 2n ** 42n;
/** A spot book that has changed since the restart, but was not sampled yet. */
const CHANGED_BOOK = "changed";
const WIDEST_SPREAD = 50n;
const HALF_PERCENT = exact("0.005");

export abstract class NaivePrices extends NaiveFunding {
  /** Grows with every change of a mark and every deposit to the insurance fund. */
  protected liquidity = 0;
  /** Exchange time of the last command that changed anything: after a stop no more is known. */
  recordedMs = 0;
  /** Exchange time up to which everything that is due has happened. */
  #timedMs = 0;
  readonly #lastSeen = new Map<string, bigint | null>();
  #seenAt = 0;

  protected abstract runRisk(): void;

  protected setIndex(command: CommandOf<"set-index-price">): NaiveOutcome {
    const market = this.market(command.symbol);
    if (!/^(0|[1-9]\d{0,17})(\.\d{1,18})?$/.test(command.price)) throw new Refusal("malformed");
    const price = nearest(exact(command.price), 1n, market.rules.tick);
    if (price === 0n) throw new Refusal("out-of-range");
    if (price > PRICE_TICKS_MAX * market.rules.tick) throw new Refusal("out-of-range");
    const { indexPrice: last, rules } = market;
    const step = price > last ? price - last : last - price;
    const isFar = step * ONE > last * rules.indexStepLimit;
    if (last > 0n && isFar && command.force !== true && !this.isStale(market)) {
      throw new Refusal("index-step-too-large");
    }
    if (last > 0n && isFar) this.note(`index: a far step, ${command.force ? "forced" : "stale"}`);
    market.indexSource = "operator";
    market.staleBook = null;
    market.indexMs = this.nowMs;
    this.emit({ type: "index-price-set", symbol: market.symbol, index: text(price) });
    this.#setPrices(market, price);
    return accepted(null, []);
  }

  protected pinMark({ symbol, price }: CommandOf<"pin-mark-price">): NaiveOutcome {
    const market = this.market(symbol);
    const pinned = price === null ? 0n : exact(price);
    if (pinned % market.rules.tick !== 0n) throw new Refusal("off-tick");
    if (price !== null && pinned === 0n) throw new Refusal("out-of-range");
    if (pinned > PRICE_TICKS_MAX * market.rules.tick) throw new Refusal("out-of-range");
    if (pinned === market.pinned) return accepted(null, []);
    market.pinned = pinned;
    this.emit({ type: "mark-price-pinned", symbol, mark: text(pinned) });
    return accepted(null, []);
  }

  isFresh(market: NaiveContractMarket): boolean {
    return market.pinned > 0n || (market.indexPrice > 0n && !this.isStale(market));
  }

  protected isStale({ indexMs, indexPrice, pinned, rules }: NaiveContractMarket): boolean {
    if (indexPrice === 0n || pinned > 0n || rules.staleMs === 0) return false;
    return this.nowMs - indexMs > rules.staleMs;
  }

  /** Neither a stale index nor samples of too short a time stop its liquidations. */
  protected isReliable(market: NaiveContractMarket): boolean {
    if (market.pinned > 0n) return true;
    if (this.isStale(market)) this.note("liquidation: waits for an index");
    else if (this.nowMs < market.liquidatesFromMs) this.note("liquidation: waits for samples");
    return this.isFresh(market) && this.nowMs >= market.liquidatesFromMs;
  }

  /** Sets the index and brings the mark up to date. */
  #setPrices(market: NaiveContractMarket, indexPrice: bigint): void {
    const mark = this.#markOf({ ...market, indexPrice });
    const changed = indexPrice !== market.indexPrice || mark !== market.mark;
    if (mark !== market.mark) this.liquidity++;
    market.indexPrice = indexPrice;
    market.mark = mark;
    const { symbol } = market;
    if (!changed) return;
    const prices = { index: text(indexPrice), mark: text(mark) };
    this.emit({ type: "contract-prices-changed", symbol, ...prices });
  }

  protected refreshMark(market: NaiveContractMarket): void {
    this.#setPrices(market, market.indexPrice);
  }

  #markOf(market: NaiveContractMarket): bigint {
    const { indexPrice: index, pinned, rules } = market;
    if (pinned > 0n) return pinned;
    if (index === 0n) return 0n;
    // Most seconds of a long time: the mean is nothing.
    if (market.samples.length === 0) return index;
    // Each is of both sides together; a second without one counts as nothing.
    const total = sum(market.samples.map((sample) => sample.basis));
    const mean = nearest(total, 2n * BigInt(WINDOW_SECONDS), rules.tick);
    const most = down(index * this.#basisMost(market), ONE, rules.tick);
    if (mean > most || mean < -most) this.note("mark: at its bound");
    return index + clamp(mean, -most, most);
  }

  /** Half of what the dearest leverage of any tier leaves above maintenance, to 10^-8. */
  #basisMost({ rules }: NaiveContractMarket): bigint {
    const margins = rules.tiers.map((tier) => {
      const leverage = BigInt(Math.min(rules.maxLeverage, tier.maxLeverage));
      const spare = down(ONE, leverage, RATE_UNIT) - tier.rate - rules.taker;
      return down(spare, 2n, RATE_UNIT);
    });
    return greatest(0n, margins.reduce(least, HALF_PERCENT));
  }

  /** While nothing happens a book says the same every second. */
  #seen(book: string, look: () => bigint | null): bigint | null {
    if (this.#seenAt !== this.log.length) this.#lastSeen.clear();
    this.#seenAt = this.log.length;
    const known = this.#lastSeen.get(book);
    const sum = known === undefined ? look() : known;
    this.#lastSeen.set(book, sum);
    return sum;
  }

  /** What impact orders on both sides would pay on average, added; null without the depth. */
  #impactSum(
    bids: readonly NaiveQuote[],
    asks: readonly NaiveQuote[],
    { rules }: NaiveContractMarket,
  ): bigint | null {
    const bid = impactPrice(bids, rules.impactNotional);
    const ask = impactPrice(asks, rules.impactNotional);
    if (bid === null || ask === null) return null;
    const [bidPart, queryPart] = [bid.n * ask.d, ask.n * bid.d];
    // Sides that are more than a fiftieth of their middle apart say nothing.
    if (WIDEST_SPREAD * (queryPart - bidPart) * 2n > bidPart + queryPart) {
      this.note("book: deep, but too wide");
      return null;
    }
    return nearest(bidPart + queryPart, bid.d * ask.d, rules.tick);
  }

  protected startTimers(market: NaiveContractMarket): void {
    market.nextSlotMs = nextMultiple(this.nowMs, market.rules.intervalMs);
  }

  /** Everything that is due until a moment, in order of time. */
  protected passTime(toMs: number): void {
    this.#lastSeen.clear();
    let ms = nextMultiple(this.#timedMs, SECOND_MS);
    while (ms <= toMs) {
      const begun = this.log.length;
      this.#endCountdowns(ms - 1);
      this.nowMs = ms;
      const before = this.log.length;
      for (const market of this.contracts.values()) this.#second(market);
      if (ms % MINUTE_MS === 0) {
        for (const market of this.contracts.values()) this.#minute(market);
      }
      for (const market of this.contracts.values()) {
        if (market.nextSlotMs === ms) this.#slot(market);
      }
      if (this.log.length > before) {
        this.log.splice(before, 0, { type: "timer-fired", timestampMs: ms });
      }
      const isQuiet = this.log.length === begun && this.#isSteady(ms);
      const next = isQuiet ? this.#nextTimerMs(ms) : ms + SECOND_MS;
      if (isQuiet) this.#passOver(Math.min(next, nextMultiple(toMs, SECOND_MS)) - SECOND_MS - ms);
      ms = next;
    }
    this.#endCountdowns(toMs);
    this.#timedMs = toMs;
    this.nowMs = toMs;
  }

  /** Whether a second in which nothing happened is followed by another one like it. */
  #isSteady(ms: number): boolean {
    return [...this.contracts.values()].every((market) => {
      const { indexSource, liquidatesFromMs, pendingSlotMs, samples, spotMids } = market;
      const bases = samples.map(({ basis }) => basis);
      const mids = indexSource === "operator" ? [] : spotMids.map(({ mid }) => mid);
      const isKnown = isAlike(bases, WINDOW_SECONDS) && isAlike(mids, SPOT_SECONDS);
      return isKnown && pendingSlotMs === 0 && liquidatesFromMs < ms;
    });
  }

  /** Seconds in each of which the same is sampled as in the one before. */
  #passOver(forMs: number): void {
    for (const market of this.contracts.values()) {
      if (market.indexSource === "spot" && market.spotMids.length > 0) market.indexMs += forMs;
      market.samples = market.samples.map(({ basis, ms }) => ({ basis, ms: ms + forMs }));
      market.spotMids = market.spotMids.map(({ mid, ms }) => ({ mid, ms: ms + forMs }));
    }
  }

  /** The next second that may differ: of a full minute, or behind the next countdown. */
  #nextTimerMs(ms: number): number {
    const minuteMs = nextMultiple(ms, MINUTE_MS);
    const due = this.nextSwitch(minuteMs);
    if (due === null) return minuteMs;
    return Math.min(minuteMs, nextMultiple(due.firesAtMs, SECOND_MS));
  }

  /** They end behind whatever else is due at their time. */
  #endCountdowns(untilMs: number): void {
    for (let due = this.nextSwitch(untilMs); due !== null; due = this.nextSwitch(untilMs)) {
      this.nowMs = due.firesAtMs;
      this.log.push({ type: "timer-fired", timestampMs: due.firesAtMs });
      this.log.push(...this.endCountdown(due));
      this.noticeSpotBooks();
      this.runRisk();
    }
  }

  /** Time before the first market has no effects but on countdowns. */
  protected skipTime(toMs: number): void {
    this.#endCountdowns(toMs);
    this.#timedMs = toMs;
  }

  #second(market: NaiveContractMarket): void {
    const now = this.nowMs;
    const wasReliable = this.isFresh(market) && now - 1 >= market.liquidatesFromMs;
    const index = this.#spotIndex(market) ?? market.indexPrice;
    const both = this.#seen(`contract ${market.symbol}`, () =>
      this.#impactSum(this.contractSide(market, "BUY"), this.contractSide(market, "SELL"), market),
    );
    market.samples = market.samples.filter(({ ms }) => ms > now - WINDOW_MS);
    if (both !== null && index > 0n) market.samples.push({ ms: now, basis: both - 2n * index });
    else if (market.samples.length > 0) this.note("mark: a second without a sample");
    const before = this.log.length;
    this.#setPrices(market, index);
    const awakens = !wasReliable && this.isReliable(market);
    const settles = market.pendingSlotMs > 0 && this.isFresh(market);
    if (this.log.length > before || settles || awakens) this.runRisk();
  }

  /** The median of what the spot book said in the last 15 seconds, while it says enough. */
  #spotIndex(market: NaiveContractMarket): bigint | null {
    const spot = this.markets.get(market.symbol);
    const { base, quote, tick } = market.rules;
    const isTwin = spot?.rules.base.asset === base.asset && spot.rules.quote.asset === quote.asset;
    if (spot === undefined || !isTwin || market.indexSource === "operator") return null;
    market.spotMids = market.spotMids.filter(
      ({ ms }) => ms > this.nowMs - SPOT_SECONDS * SECOND_MS,
    );
    const look = () => this.#impactSum(this.sideOf(spot, "BUY"), this.sideOf(spot, "SELL"), market);
    // Of a book that does not trade nobody knows a price.
    const both = spot.state === "trading" ? this.#seen(`spot ${market.symbol}`, look) : null;
    const isOld = market.staleBook !== null && market.staleBook !== CHANGED_BOOK;
    if (both !== null && !isOld) {
      market.staleBook = null;
      market.spotMids.push({ ms: this.nowMs, mid: both });
    }
    const last = market.indexPrice;
    if (market.spotMids.length < (last === 0n ? SPOT_SECONDS : SPOT_SAMPLES_MIN)) {
      if (market.spotMids.length > 0) this.note("index: too few samples");
      return null;
    }
    market.indexSource = "spot";
    market.indexMs = this.nowMs;
    const mids = market.spotMids.map((sample) => sample.mid).sort((a, b) => (a < b ? -1 : 1));
    const middle = mids.length >> 1;
    const one = mids[middle] as bigint;
    const other = mids.length % 2 === 1 ? one : (mids[middle - 1] as bigint);
    const median = nearest(one + other, 4n, tick);
    if (last === 0n) return median;
    const step = greatest(tick, down(last * SPOT_STEP, ONE, tick));
    if (median > last + step || median < last - step) this.note("index: at its step");
    return clamp(median, last - step, last + step);
  }

  #minute(market: NaiveContractMarket): void {
    if (market.indexPrice === 0n) return;
    const premium = this.#premium(market);
    market.premiums.push({ ms: this.nowMs, premium });
  }

  /** How far the price of an impact order is beyond the index, in 10^-12 of the index. */
  #premium(market: NaiveContractMarket): bigint {
    const { indexPrice: index } = market;
    const { impactNotional } = market.rules;
    const bid = impactPrice(this.contractSide(market, "BUY"), impactNotional);
    const ask = impactPrice(this.contractSide(market, "SELL"), impactNotional);
    // n/d − index, and index − n/d, each at least 0.
    const above = bid === null ? 0n : greatest(0n, bid.n - index * bid.d);
    const below = ask === null ? 0n : greatest(0n, index * ask.d - ask.n);
    const d = (bid?.d ?? 1n) * (ask?.d ?? 1n);
    const n = above * (ask?.d ?? 1n) - below * (bid?.d ?? 1n);
    return halfUp(n * PREMIUM_ONE, d * index);
  }

  /** What settling may come to: before a minute has been measured, the premium of this moment. */
  forecastRate(market: NaiveContractMarket): bigint {
    if (market.premiums.length > 0 || market.indexPrice === 0n) return this.fundingRate(market);
    const premiums = [{ ms: this.nowMs, premium: this.#premium(market) }];
    return this.fundingRate({ ...market, premiums });
  }

  #slot(market: NaiveContractMarket): void {
    const slotMs = market.nextSlotMs;
    market.nextSlotMs += market.rules.intervalMs;
    // One that still waits is overtaken.
    market.pendingSlotMs = 0;
    this.settleSlot(market, slotMs);
    this.runRisk();
  }

  /** A slot that was missed is settled by the first fresh mark. */
  protected settlePending(market: NaiveContractMarket): void {
    if (market.pendingSlotMs === 0 || !this.isFresh(market)) return;
    const slotMs = market.pendingSlotMs;
    market.pendingSlotMs = 0;
    this.settleSlot(market, slotMs);
  }

  /** Another spot book than the one at the restart is a source of prices again. */
  protected noticeSpotBooks(): void {
    for (const market of this.contracts.values()) {
      if (market.staleBook === null) continue;
      if (market.staleBook !== this.#spotBook(market.symbol)) market.staleBook = CHANGED_BOOK;
    }
  }

  #spotBook(symbol: string): string | null {
    const spot = this.markets.get(symbol);
    if (spot === undefined) return null;
    return spot.resting
      .map(({ orderId, filled, price, quantity }) => `${orderId} ${filled} ${price} ${quantity}`)
      .join();
  }

  /**
   * The exchange was down: a slot just missed waits for a fresh mark. The last sample of the mark
   * stands for a short while; after a longer one there have to be new ones before anything is
   * liquidated. What the spot book said is forgotten.
   */
  protected resume(): NaiveOutcome {
    for (const market of this.contracts.values()) {
      const recordedMs = this.recordedMs;
      market.premiums = market.premiums.filter(({ ms }) => ms <= recordedMs);
      market.spotMids = [];
      this.#bridgeSamples(market);
      market.staleBook = market.indexSource === "operator" ? null : this.#spotBook(market.symbol);
      const { intervalMs } = market.rules;
      if (this.nowMs - market.pendingSlotMs > LATE_SLOT_MS) market.pendingSlotMs = 0;
      if (market.nextSlotMs > this.nowMs) continue;
      const last = this.nowMs - (this.nowMs % intervalMs);
      market.pendingSlotMs = this.nowMs - last <= LATE_SLOT_MS ? last : 0;
      market.nextSlotMs = last + intervalMs;
      if (market.pendingSlotMs === 0) market.premiums = [];
      else if (market.premiums.length > 0) this.note("restart: premiums of a late slot");
    }
    this.postponeSwitches(this.nowMs);
    this.#timedMs = this.nowMs;
    if (this.contracts.size > 0) this.emit({ type: "resumed" });
    return accepted(null, []);
  }

  /** Nobody knows more of the time before a restart than what was recorded last. */
  #bridgeSamples(market: NaiveContractMarket): void {
    const lastMs = secondOf(this.recordedMs);
    const nowMs = secondOf(this.nowMs);
    if (market.indexSource === "spot") market.indexMs = Math.min(market.indexMs, lastMs);
    const samples = market.samples.filter(({ ms }) => ms <= lastMs);
    const last = samples.at(-1);
    if (nowMs - lastMs > WINDOW_MS) {
      market.samples = [];
      market.liquidatesFromMs = nowMs + WINDOW_MS;
      this.note("restart: after a long gap");
      return;
    }
    for (let ms = lastMs + SECOND_MS; ms <= nowMs; ms += SECOND_MS) {
      if (last?.ms === lastMs) samples.push({ ms, basis: last.basis });
    }
    if (last?.ms === lastMs && nowMs > lastMs) this.note("restart: the last sample stands");
    market.samples = samples.filter(({ ms }) => ms > nowMs - WINDOW_MS);
  }
}

/** Nothing, or the same in each second of a window. */
function isAlike(said: readonly bigint[], seconds: number): boolean {
  return said.length === 0 || (said.length === seconds && new Set(said).size === 1);
}

function secondOf(ms: number): number {
  return ms - (ms % SECOND_MS);
}

function nextMultiple(ms: number, interval: number): number {
  return (Math.floor(ms / interval) + 1) * interval;
}
