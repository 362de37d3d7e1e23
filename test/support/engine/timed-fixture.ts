/**
 * A bare engine whose commands come as the sequencer brings them, timers that are due first: for
 * tests of what the passing of time does. Books are filled with orders of nobody.
 */
import { accept, invariant, type MarketState, type Result } from "../../../src/domain/index.ts";
import { pinMarkPrice, setIndexPrice } from "../../../src/engine/contract/prices/prices.ts";
import { runRisk } from "../../../src/engine/contract/risk/risk-loop.ts";
import type { ContractMarket } from "../../../src/engine/contract/state/contract-market.ts";
import {
  advanceTime,
  continueRisk,
  nextDueMs,
  resume,
} from "../../../src/engine/contract/time/timers.ts";
import { setSpotMarket, setSpotMarketState } from "../../../src/engine/spot/markets.ts";
import { BTC_SPOT } from "../listings.ts";
import { ContractFixture } from "./contract-fixture.ts";
import { type Quote, quote } from "./quoted-book.ts";

/** Commands as the sequencer would bring them: timers that are due come first. */
export class TimedFixture extends ContractFixture {
  /** Commands that the passing of time has cost. */
  advances = 0;
  stepsMax = 1000;

  /** What is due happens, in as many commands as it takes. */
  advance(toMs: number): void {
    this.nowMs = toMs;
    if (nextDueMs(this.state) > toMs) return;
    this.advances++;
    this.#apply(() => advanceTime(this, { type: "advance-time", toMs }));
    while (this.state.contract.unfinishedRisk) this.#apply(() => continueRisk(this));
    invariant(this.nowMs === toMs, "time stands where it was advanced to");
    invariant(nextDueMs(this.state) > toMs, "nothing that is due is left");
  }

  command(atMs: number, apply: () => Result<unknown>): void {
    this.advance(atMs);
    this.#apply(apply);
    invariant(nextDueMs(this.state) > atMs, "what a command changes is due after it");
  }

  restart(downMs: number): void {
    this.nowMs += downMs;
    this.#apply(() => resume(this));
  }

  #apply(apply: () => Result<unknown>): void {
    const commandMs = this.nowMs;
    const emitted = this.events.length;
    this.sequence++;
    this.stepsLeft = this.stepsMax;
    invariant(apply().ok, "the command is taken");
    runRisk(this);
    invariant(this.nowMs === commandMs, "a timer's time ends with it");
    // As the engine: time goes on with the commands that changed something.
    if (this.events.length > emitted) this.state.timestampMs = commandMs;
  }

  setIndex(market: ContractMarket, price: string): Result<null> {
    return setIndexPrice(this, {
      type: "set-index-price",
      actor: "",
      symbol: market.symbol,
      price,
      force: true,
    });
  }

  pin(market: ContractMarket, price: string | null): Result<null> {
    return pinMarkPrice(this, { type: "pin-mark-price", actor: "", symbol: market.symbol, price });
  }

  quote(market: ContractMarket, bids: readonly Quote[], asks: readonly Quote[]): Result<null> {
    quote(market.book, this.state.contract.orders, bids, asks);
    this.state.contract.dirtyMarkets.add(market);
    return this.change();
  }

  /** Stands for the events of a command that changed something. */
  change(): Result<null> {
    this.emit({ type: "resumed", downMs: 0 });
    return accept(null);
  }

  listSpot(symbol: string, baseAsset: string): void {
    const listed = setSpotMarket(this, {
      type: "set-spot-market",
      actor: "",
      ...BTC_SPOT,
      ...{ symbol, baseAsset, tickSize: "0.5", maxTradeAmount: "1000" },
      ...{ makerFeeRate: "0", takerFeeRate: "0" },
      ...{ buyLimitPriceRatio: "1", sellLimitPriceRatio: "0.5", maxOpenOrders: 10 },
    });
    invariant(listed.ok, "a spot market can be listed");
  }

  setSpotState(market: ContractMarket, state: MarketState): Result<null> {
    const { symbol } = market;
    return setSpotMarketState(this, { type: "set-spot-market-state", actor: "", symbol, state });
  }

  quoteSpot(market: ContractMarket, bids: readonly Quote[], asks: readonly Quote[]): Result<null> {
    const spot = this.state.spotMarketsBySymbol.get(market.symbol);
    invariant(spot !== undefined, "the spot market is listed");
    quote(spot.book, this.state.orders, bids, asks);
    return this.change();
  }
}
