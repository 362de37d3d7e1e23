/**
 * The replays that run: their accounts, and what other users traded meanwhile. They are no state of
 * the exchange: a restart ends them, and their orders stay in the book.
 */
import { formatDecimal, formatSteps, type Grid, invariant, parseGrid } from "../domain/index.ts";
import { type EventOf, eventFilter, readEvents, type SpotMarketView } from "../protocol/index.ts";
import { Mutex } from "./mutex.ts";
import type { DurableEvents } from "./ports.ts";

/** The oldest one ends when another begins. */
const REPLAYS_MAX = 10;
const TRADES = eventFilter(["spot-trade"]);

interface ReplayAccounts {
  /** Owns the recorded orders. */
  readonly makerUid: number;
  /** Executes them. */
  readonly takerUid: number;
}

export class RunningReplay {
  readonly symbol: string;
  readonly accounts: ReplayAccounts;
  /** Of the recording. */
  readonly name: string;
  messages = 0;
  /** In percent of the recording. */
  progress = 0;
  /** Messages are applied one call after the other. */
  readonly mutex = new Mutex();
  readonly #tick: Grid;
  readonly #step: Grid;
  readonly #unlisten: () => void;
  #orders = 0;
  #fills = 0;
  #filledLots = 0;
  /** In ticks times lots; above zero is worse for the users. */
  #slippage = 0n;
  /** Of the last recorded trade; 0 before it. */
  #recordedTicks = 0;

  constructor(
    market: SpotMarketView,
    accounts: ReplayAccounts,
    name: string,
    events: DurableEvents,
  ) {
    const tick = parseGrid(market.tickSize);
    const step = parseGrid(market.stepSize);
    invariant(tick !== null && step !== null, "a listed market has a grid");
    this.symbol = market.symbol;
    this.accounts = accounts;
    this.name = name;
    this.#tick = tick;
    this.#step = step;
    this.#unlisten = events.listen((chunk) => this.#read(chunk));
  }

  /** The id of an order that the recording does not name. */
  nextOrderId(): string {
    this.#orders++;
    return `#${this.#orders}`;
  }

  get fills() {
    const scale = this.#tick.scale + this.#step.scale;
    const unit = BigInt(this.#tick.step) * BigInt(this.#step.step);
    return {
      testerFills: this.#fills,
      testerQuantity: formatSteps(this.#filledLots, this.#step),
      slippage: formatDecimal(this.#slippage * unit, scale),
    };
  }

  end(): void {
    this.#unlisten();
  }

  #read(chunk: Uint8Array): void {
    for (const event of readEvents(chunk, TRADES)) {
      if (event.type === "spot-trade" && event.symbol === this.symbol) this.#count(event);
    }
  }

  #count(trade: EventOf<"spot-trade">): void {
    const { makerUid, takerUid, takerSide, priceTicks, quantityLots } = trade;
    const isMakerTester = this.#isTester(makerUid);
    const isTakerTester = this.#isTester(takerUid);
    if (!isMakerTester && !isTakerTester) {
      this.#recordedTicks = priceTicks;
      return;
    }
    this.#fills++;
    this.#filledLots += quantityLots;
    // Two testers: what one loses the other gains.
    if (isMakerTester === isTakerTester || this.#recordedTicks === 0) return;
    const isBuy = (takerSide === "BUY") === isTakerTester;
    const worse = isBuy ? priceTicks - this.#recordedTicks : this.#recordedTicks - priceTicks;
    this.#slippage += BigInt(worse) * BigInt(quantityLots);
  }

  #isTester(uid: number): boolean {
    return uid !== this.accounts.makerUid && uid !== this.accounts.takerUid;
  }
}

/** By the uid of the account that owns the recorded orders. */
export class RunningReplays {
  readonly #running = new Map<number, RunningReplay>();
  /** The clock follows the market: exchange time is that of the last recorded message. */
  moveTime = false;

  /** Oldest first. */
  all(): readonly (readonly [uid: number, replay: RunningReplay])[] {
    return [...this.#running];
  }

  find(uid: number): RunningReplay | null {
    return this.#running.get(uid) ?? null;
  }

  add(uid: number, replay: RunningReplay): void {
    const [oldest] = this.#running.keys();
    if (oldest !== undefined && this.#running.size >= REPLAYS_MAX) this.remove(oldest);
    this.#running.set(uid, replay);
  }

  remove(uid: number): void {
    this.#running.get(uid)?.end();
    this.#running.delete(uid);
  }
}
