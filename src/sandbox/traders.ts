/**
 * The demo's makers and takers. They are outside the engine and send the same commands as any user;
 * their orders are journaled, so a replay needs no traders. They read their open orders from the
 * exchange and keep no state, so after a restart they continue at the market's price.
 */
import type { Product } from "../domain/index.ts";
import type { Platform, Timer } from "../platform/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import { seedSpotCommissions } from "./affiliate-seed.ts";
import { clientOrderIds } from "./client-order-ids.ts";
import { ContractTraders, type TradersOptions } from "./contract-traders.ts";
import { DEMO_MARKETS, type DemoMarket, TAKER_UID } from "./demo-profile.ts";
import { FINE_LADDER } from "./quotes.ts";
import { SeededRandom } from "./random.ts";
import { SpotSimulator } from "./spot-simulator.ts";
import { Takers } from "./takers.ts";

/**
 * Each turn trades one market: while the exchange is in use each market every second, with at most
 * sixteen commands, otherwise one market every four seconds with at most four.
 */
const COMMANDS_WATCHED = 16;
const COMMANDS_ALONE = 4;
const TURN_WATCHED_MS = 250;
const TURN_ALONE_MS = 4_000;
/** Share of turns in which a taker trades. */
const TAKE_PROBABILITY = 0.9;

interface TradedMarket {
  readonly market: DemoMarket;
  simulator: SpotSimulator;
  lastMs: number;
  /** Somebody else makes it. */
  isHeld: boolean;
}

export class Traders {
  readonly #engine: EngineClient;
  readonly #platform: Pick<Platform, "clock" | "scheduler">;
  readonly #isWatched: () => boolean;
  readonly #random: SeededRandom;
  readonly #nextClientOrderId: () => string;
  readonly #markets: TradedMarket[] = [];
  #takers: Takers | null = null;
  #turn = 0;
  #timer: Timer | null = null;
  #working: Promise<void> = Promise.resolve();
  #contracts: ContractTraders | null = null;
  #stopped = false;

  private constructor(options: TradersOptions) {
    this.#engine = options.engine;
    this.#platform = options.platform;
    this.#isWatched = options.isWatched;
    this.#random = new SeededRandom(options.seed);
    this.#nextClientOrderId = clientOrderIds("spot", options.seed);
  }

  /**
   * Places whole ladders in the books, then trades until `stop`. Contracts follow as soon as the
   * spot books have given them a price.
   */
  static async start(options: TradersOptions): Promise<Traders> {
    const traders = new Traders(options);
    await traders.#open();
    traders.#schedule();
    traders.#startContracts(options);
    return traders;
  }

  #startContracts(options: TradersOptions): void {
    this.#contracts = ContractTraders.start(options);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await Promise.all([this.#working, this.#contracts?.stop()]);
  }

  /** Resolves when a market is left alone. */
  async hold(product: Product, symbol: string): Promise<void> {
    if (product === "contract") return await this.#contracts?.hold(symbol);
    const traded = this.#find(symbol);
    if (traded !== undefined) traded.isHeld = true;
    await this.#working;
  }

  /** Makes the market again, at the price that it has by then. */
  release(product: Product, symbol: string): void {
    if (product === "contract") {
      this.#contracts?.release(symbol);
      return;
    }
    const traded = this.#find(symbol);
    if (traded === undefined || !traded.isHeld) return;
    this.#working = this.#working.then(async () => {
      traded.simulator = await this.#simulate(traded.market);
      traded.lastMs = this.#platform.clock.monotonicMs();
      traded.isHeld = false;
    });
  }

  #find(symbol: string): TradedMarket | undefined {
    return this.#markets.find(({ market }) => market.symbol === symbol);
  }

  #simulate(market: DemoMarket): Promise<SpotSimulator> {
    const options = {
      engine: this.#engine,
      random: this.#random,
      ladder: FINE_LADDER,
      nextClientOrderId: this.#nextClientOrderId,
    };
    return SpotSimulator.open(options, market, this.#random);
  }

  async #open(): Promise<void> {
    for (const market of DEMO_MARKETS) {
      const simulator = await this.#simulate(market);
      const lastMs = this.#platform.clock.monotonicMs();
      this.#markets.push({ market, simulator, lastMs, isHeld: false });
      await simulator.trade([TAKER_UID], FINE_LADDER.levels * 4);
    }
    await seedSpotCommissions(this.#engine);
    this.#takers = await Takers.find(this.#engine, this.#random);
  }

  #schedule(): void {
    const delayMs = this.#isWatched() ? TURN_WATCHED_MS : TURN_ALONE_MS;
    const turn = (): void => {
      this.#working = this.#working.then(() => this.#takeTurn());
    };
    this.#timer = this.#platform.scheduler.after(delayMs, turn, "background");
  }

  async #takeTurn(): Promise<void> {
    const traded = this.#markets[this.#turn++ % this.#markets.length] as TradedMarket;
    if (!traded.isHeld) await this.#trade(traded);
    if (!this.#stopped) this.#schedule();
  }

  async #trade(traded: TradedMarket): Promise<void> {
    const nowMs = this.#platform.clock.monotonicMs();
    traded.simulator.movePrice(nowMs - traded.lastMs);
    traded.lastMs = nowMs;
    const takes = this.#random.next() < TAKE_PROBABILITY;
    const takers = takes ? [this.#takers?.draw() ?? TAKER_UID] : [];
    const commands = this.#isWatched() ? COMMANDS_WATCHED : COMMANDS_ALONE;
    await traded.simulator.trade(takers, commands - takers.length);
  }
}
