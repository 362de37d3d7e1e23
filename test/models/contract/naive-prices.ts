/**
 * Index, mark, premium and funding of the reference exchange of contracts. Time passes second by
 * second: every second is sampled, every minute measured, every slot settled, whether anything
 * changed or not.
 */
import type { CommandOf } from "../../../src/protocol/index.ts";
import { exact, greatest, least, sum, text } from "../../support/exact.ts";
import { accepted, type NaiveOutcome } from "../naive-accounts.ts";
import { NaiveAmendments } from "./naive-amendments.ts";
import type { NaiveContractMarket, NaivePosition } from "./naive-contract-state.ts";
import { Refusal } from "./naive-positions.ts";
import { clamp, down, floorDivide, halfUp, nearest, ONE, up } from "./rounding.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const WINDOW_MS = 30_000;
/** Exchange time that may have passed since a slot that was missed and is still settled. */
const LATE_SLOT_MS = 600_000;
const PREMIUM_ONE = 10n ** 12n;
const RATE_UNIT = 10n ** 10n;
/** A spot book that has changed since the restart, but was not sampled yet. */
const CHANGED_BOOK = "changed";
const HALF_PERCENT = exact("0.005");

export abstract class NaivePrices extends NaiveAmendments {
  /** Grows with every change of a mark and every deposit to the insurance fund. */
  protected liquidity = 0;
  /** Exchange time up to which everything that is due has happened. */
  #timedMs = 0;

  protected abstract runRisk(): void;

  protected setIndex(command: CommandOf<"set-index-price">): NaiveOutcome {
    const market = this.market(command.symbol);
    if (!/^(0|[1-9]\d{0,17})(\.\d{1,18})?$/.test(command.price)) throw new Refusal("malformed");
    const price = nearest(exact(command.price), 1n, market.rules.tick);
    if (price === 0n) throw new Refusal("out-of-range");
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
    if (pinned === market.pinned) return accepted(null, []);
    market.pinned = pinned;
    this.emit({ type: "mark-price-pinned", symbol, mark: text(pinned) });
    return accepted(null, []);
  }

  isFresh(market: NaiveContractMarket): boolean {
    if (market.pinned > 0n) return true;
    if (market.staleBook !== null) return false;
    return market.indexPrice > 0n && this.nowMs - market.indexMs <= market.rules.staleMs;
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
    const basis = market.samples.map((sample) => sample.basis);
    if (index === 0n || basis.length === 0 || this.#mid(market) === null) return index;
    const mean = nearest(sum(basis), BigInt(basis.length), rules.tick);
    const most = down(index * (ONE + HALF_PERCENT), ONE, rules.tick);
    const least_ = up(index * (ONE - HALF_PERCENT), ONE, rules.tick);
    return clamp(index + mean, least_, most);
  }

  /** Twice the middle of a two-sided book; null of another. */
  #mid(market: NaiveContractMarket): bigint | null {
    const bid = this.contractSide(market, "BUY")[0];
    const ask = this.contractSide(market, "SELL")[0];
    return bid === undefined || ask === undefined ? null : bid.price + ask.price;
  }

  protected startTimers(market: NaiveContractMarket): void {
    market.nextSlotMs = nextMultiple(this.nowMs, market.rules.intervalMs);
  }

  /** Everything that is due until a moment, in order of time. */
  protected passTime(toMs: number): void {
    for (let ms = nextMultiple(this.#timedMs, SECOND_MS); ms <= toMs; ms += SECOND_MS) {
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
    }
    this.#endCountdowns(toMs);
    this.#timedMs = toMs;
    this.nowMs = toMs;
  }

  /** They end behind whatever else is due at their time. */
  #endCountdowns(untilMs: number): void {
    for (let due = this.nextSwitch(untilMs); due !== null; due = this.nextSwitch(untilMs)) {
      this.nowMs = due.firesAtMs;
      const events = this.endCountdown(due);
      this.log.push(...events);
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
    const mid = this.#mid(market);
    const index = this.#spotIndex(market) ?? market.indexPrice;
    market.samples = market.samples.filter(({ ms }) => ms > now - WINDOW_MS);
    if (mid !== null && index > 0n) {
      market.samples.push({ ms: now, basis: halfUp(mid - 2n * index, 2n) });
    }
    const before = this.log.length;
    this.#setPrices(market, index);
    if (this.log.length > before || market.pendingSlotMs > 0) this.runRisk();
  }

  /** The median of the spot market's mids of the last 30 seconds, while there are any. */
  #spotIndex(market: NaiveContractMarket): bigint | null {
    const spot = this.markets.get(market.symbol);
    const { base, quote, tick } = market.rules;
    const isTwin = spot?.rules.base.asset === base.asset && spot.rules.quote.asset === quote.asset;
    if (spot === undefined || !isTwin || market.indexSource === "operator") return null;
    const bid = this.sideOf(spot, "BUY")[0];
    const ask = this.sideOf(spot, "SELL")[0];
    market.spotMids = market.spotMids.filter(({ ms }) => ms > this.nowMs - WINDOW_MS);
    if (bid === undefined || ask === undefined) return null;
    if (market.staleBook !== null && market.staleBook !== CHANGED_BOOK) return null;
    market.staleBook = null;
    // Mids are kept as whole half ticks of the contract.
    const mid = nearest(bid.price + ask.price, 1n, tick);
    market.spotMids.push({ ms: this.nowMs, mid });
    market.indexSource = "spot";
    market.indexMs = this.nowMs;
    const mids = market.spotMids.map((sample) => sample.mid).sort((a, b) => (a < b ? -1 : 1));
    const middle = mids.length >> 1;
    const one = mids[middle] as bigint;
    const other = mids.length % 2 === 1 ? one : (mids[middle - 1] as bigint);
    return nearest(one + other, 4n, tick);
  }

  #minute(market: NaiveContractMarket): void {
    if (market.indexPrice === 0n) return;
    const premium = this.#premium(market);
    market.premiums.push(premium);
  }

  /** How far the price of an impact order is beyond the index, in 10^-12 of the index. */
  #premium(market: NaiveContractMarket): bigint {
    const { indexPrice: index } = market;
    const bid = this.#impactPrice(market, "BUY");
    const ask = this.#impactPrice(market, "SELL");
    // n/d − index, and index − n/d, each at least 0.
    const above = bid === null ? 0n : greatest(0n, bid.n - index * bid.d);
    const below = ask === null ? 0n : greatest(0n, index * ask.d - ask.n);
    const d = (bid?.d ?? 1n) * (ask?.d ?? 1n);
    const n = above * (ask?.d ?? 1n) - below * (bid?.d ?? 1n);
    return halfUp(n * PREMIUM_ONE, d * index);
  }

  /** The average price for the impact notional on a side; null without the depth. */
  #impactPrice(market: NaiveContractMarket, side: "BUY" | "SELL") {
    const { impactNotional } = market.rules;
    // Quantities here are quote × 10^18 / price: kept as one fraction of base, n/d.
    let left = impactNotional;
    let whole = 0n;
    for (const order of this.contractSide(market, side)) {
      const quantity = order.quantity - order.filled;
      const value = (order.price * quantity) / ONE;
      if (left <= value) {
        // base = whole + left × ONE / price; average = notional × ONE / base.
        return { n: impactNotional * ONE * order.price, d: whole * order.price + left * ONE };
      }
      whole += quantity;
      left -= value;
    }
    return null;
  }

  /** The rate that settling now would give. */
  fundingRate({ rules, premiums }: NaiveContractMarket): bigint {
    const samples = BigInt(premiums.length === 0 ? 1 : premiums.length);
    // In units of 10^-18 / samples.
    const average = sum(premiums) * (ONE / PREMIUM_ONE);
    const interest = rules.interest * samples;
    const inner = rules.innerClamp * samples;
    const rate = average + clamp(interest - average, -inner, inner);
    const capped = clamp(rate, -rules.rateCap * samples, rules.rateCap * samples);
    return nearest(capped, samples, RATE_UNIT);
  }

  #slot(market: NaiveContractMarket): void {
    const slotMs = market.nextSlotMs;
    market.nextSlotMs += market.rules.intervalMs;
    // One that still waits is overtaken.
    market.pendingSlotMs = 0;
    this.#settle(market, slotMs);
    this.runRisk();
  }

  /** A slot that was missed is settled by the first fresh mark. */
  protected settlePending(market: NaiveContractMarket): void {
    if (market.pendingSlotMs === 0 || !this.isFresh(market)) return;
    const slotMs = market.pendingSlotMs;
    market.pendingSlotMs = 0;
    this.#settle(market, slotMs);
  }

  #settle(market: NaiveContractMarket, slotMs: number): void {
    const { symbol, mark, rules, premiums } = market;
    // Without a price there is nothing to settle.
    if (mark === 0n) return;
    const rate = this.fundingRate(market);
    const { asset } = rules.quote;
    const unit = this.unitOf(symbol);
    const magnitude = rate < 0n ? -rate : rate;
    const payingSide = rate > 0n ? "LONG" : "SHORT";
    const own = this.positions.filter((position) => position.symbol === symbol && rate !== 0n);
    let collected = 0n;
    let waived = 0n;
    for (const position of own.filter(({ side }) => side === payingSide)) {
      const due = up(this.markValue(position) * magnitude, ONE, unit);
      const paid = greatest(0n, least(due, this.#mostPayable(position)));
      waived += due - paid;
      collected += paid;
      this.#moveFunding(position, -paid, slotMs);
    }
    const receivers = own.filter(({ side }) => side !== payingSide);
    const dues = sum(receivers.map((position) => this.markValue(position) * magnitude));
    let received = 0n;
    for (const position of receivers) {
      const due = this.markValue(position) * magnitude;
      const got = dues === 0n ? 0n : down(due * collected, dues, unit);
      received += got;
      this.#moveFunding(position, got, slotMs);
    }
    this.addHouse("rounding", asset, collected - received);
    market.lastRate = rate;
    market.premiums = [];
    this.emit({
      type: "funding-settled",
      ...{ symbol, slotMs, premiumSamples: premiums.length },
      rate: text(rate),
      index: text(market.indexPrice),
      mark: text(mark),
      collected: text(collected),
      received: text(received),
      rounding: text(collected - received),
      waived: text(waived),
    });
  }

  /** So much leaves the position, or its account, above maintenance and a buffer. */
  #mostPayable(position: NaivePosition): bigint {
    const { uid, symbol, marginType, margin } = position;
    const { asset } = this.market(symbol).rules.quote;
    const { buffer } = this.market(symbol).rules;
    const unit = this.unitOf(symbol);
    if (marginType === "ISOLATED") {
      const needed = this.markValue(position) * (this.maintenanceOf(position) + buffer);
      const spare = (margin + this.pnlOf(position)) * ONE - needed;
      return least(margin, floorDivide(spare, ONE * unit) * unit);
    }
    const needed = sum(
      this.crossPositions(uid, asset).map((other) => {
        const extra = this.market(other.symbol).rules.buffer;
        return this.markValue(other) * (this.maintenanceOf(other) + extra);
      }),
    );
    const spare = this.crossEquity(uid, asset) * ONE - needed;
    return least(this.cash(uid, asset), floorDivide(spare, ONE * unit) * unit);
  }

  #moveFunding(position: NaivePosition, delta: bigint, slotMs: number): void {
    if (delta === 0n) return;
    const { id, uid, symbol, side, marginType } = position;
    const { asset } = this.market(symbol).rules.quote;
    this.addEquity(uid, "contract", asset, delta);
    if (marginType === "ISOLATED") position.margin += delta;
    position.fundingFee -= delta;
    position.cumFundingFee -= delta;
    this.touch(position);
    this.emit({
      type: "funding-moved",
      ...{ symbol, uid, positionId: id, positionSide: side, asset, slotMs },
      delta: text(delta),
      wallet: text(this.wallet(uid, asset)),
    });
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

  /** The exchange was down: samples are forgotten, a slot just missed waits for a fresh mark. */
  protected resume(): NaiveOutcome {
    for (const market of this.contracts.values()) {
      market.premiums = [];
      market.samples = [];
      market.spotMids = [];
      market.staleBook = market.indexSource === "operator" ? null : this.#spotBook(market.symbol);
      const { intervalMs } = market.rules;
      if (this.nowMs - market.pendingSlotMs > LATE_SLOT_MS) market.pendingSlotMs = 0;
      if (market.nextSlotMs > this.nowMs) continue;
      const last = this.nowMs - (this.nowMs % intervalMs);
      market.pendingSlotMs = this.nowMs - last <= LATE_SLOT_MS ? last : 0;
      market.nextSlotMs = last + intervalMs;
    }
    this.postponeSwitches(this.nowMs);
    this.#timedMs = this.nowMs;
    if (this.contracts.size > 0) this.emit({ type: "resumed" });
    return accepted(null, []);
  }
}

function nextMultiple(ms: number, interval: number): number {
  return (Math.floor(ms / interval) + 1) * interval;
}
