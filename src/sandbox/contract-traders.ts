/**
 * The demo's makers and takers of contracts. They quote around the index, which follows the spot
 * market, and close what they hold before they open more. All their state is in the exchange, so
 * after a restart they continue at the market's price.
 */
import type { Platform, Scheduler, Timer } from "../platform/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import { seedContractCommissions } from "./affiliate-seed.ts";
import { clientOrderIds } from "./client-order-ids.ts";
import { seedContractTrades } from "./contract-seed.ts";
import { ContractSimulator } from "./contract-simulator.ts";
import { DEMO_CONTRACTS } from "./demo-profile.ts";
import { FINE_LADDER } from "./quotes.ts";
import { SeededRandom } from "./random.ts";

export interface TradersOptions {
  readonly engine: EngineClient;
  readonly platform: Pick<Platform, "clock" | "scheduler">;
  /** Whether anyone used the exchange recently; if not, the traders send few commands. */
  readonly isWatched: () => boolean;
  readonly seed: number;
}

/** As for spot: each market every second while the exchange is in use. */
const COMMANDS_WATCHED = 16;
const COMMANDS_ALONE = 4;
const TURN_WATCHED_MS = 500;
const TURN_ALONE_MS = 4_000;
/**
 * The first index comes fifteen seconds after the spot market is quoted; after a restart a fresh
 * one comes after eight.
 */
const FIRST_PRICE_POLL_MS = 200;
const FIRST_PRICE_POLLS_MAX = 100;
/** Share of turns in which a taker trades. */
const TAKE_PROBABILITY = 0.9;

export class ContractTraders {
  readonly #engine: EngineClient;
  readonly #scheduler: Scheduler;
  readonly #isWatched: () => boolean;
  readonly #random: SeededRandom;
  readonly #simulators: readonly ContractSimulator[];
  /** Markets whose whole ladders have been placed in this run. */
  readonly #quoted = new Set<string>();
  /** Markets that somebody else makes. */
  readonly #held = new Set<string>();
  #isSeeded = false;
  #turn = 0;
  #timer: Timer | null = null;
  #working: Promise<void> = Promise.resolve();
  #stopped = false;

  private constructor(options: TradersOptions) {
    this.#engine = options.engine;
    this.#scheduler = options.platform.scheduler;
    this.#isWatched = options.isWatched;
    this.#random = new SeededRandom(options.seed);
    const simulatorOptions = {
      engine: options.engine,
      random: this.#random,
      ladder: FINE_LADDER,
      nextClientOrderId: clientOrderIds("contract", options.seed),
    };
    this.#simulators = DEMO_CONTRACTS.map(
      (contract) => new ContractSimulator(simulatorOptions, contract),
    );
  }

  /** Starts trading as soon as there is a price, until `stop`. */
  static start(options: TradersOptions): ContractTraders {
    const traders = new ContractTraders(options);
    traders.#schedule();
    return traders;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#timer?.cancel();
    await this.#working;
  }

  /** Resolves when a market is left alone. */
  async hold(symbol: string): Promise<void> {
    this.#held.add(symbol);
    await this.#working;
  }

  release(symbol: string): void {
    this.#held.delete(symbol);
  }

  #schedule(): void {
    const isStarting =
      this.#quoted.size < this.#simulators.length && this.#turn < FIRST_PRICE_POLLS_MAX;
    const delayMs = this.#isWatched() ? TURN_WATCHED_MS : TURN_ALONE_MS;
    const turn = (): void => {
      this.#working = this.#takeTurn();
    };
    this.#timer = this.#scheduler.after(
      isStarting ? FIRST_PRICE_POLL_MS : delayMs,
      turn,
      "background",
    );
  }

  async #takeTurn(): Promise<void> {
    const simulator = this.#simulators[this.#turn++ % this.#simulators.length] as ContractSimulator;
    const price = this.#held.has(simulator.symbol) ? 0 : await simulator.price();
    if (price > 0) await this.#trade(simulator, price);
    if (!this.#isSeeded && this.#quoted.size === this.#simulators.length) {
      this.#isSeeded = true;
      await seedContractTrades(this.#engine);
      await seedContractCommissions(this.#engine);
    }
    if (!this.#stopped) this.#schedule();
  }

  async #trade(simulator: ContractSimulator, price: number): Promise<void> {
    if (!this.#quoted.has(simulator.symbol)) {
      await simulator.trade(price, 1, FINE_LADDER.levels * 4);
      this.#quoted.add(simulator.symbol);
      return;
    }
    const takers = this.#random.next() < TAKE_PROBABILITY ? 1 : 0;
    const commands = this.#isWatched() ? COMMANDS_WATCHED : COMMANDS_ALONE;
    await simulator.trade(price, takers, commands - takers);
  }
}
