/** The demo's traders, which stop and start again when the exchange goes back to a checkpoint. */
import type { Product } from "../domain/index.ts";
import type { Platform } from "../platform/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import { Traders } from "../sandbox/index.ts";
import type { Config } from "./config.ts";
import type { Gateways } from "./gateways/gateways.ts";
import type { Sequencer } from "./sequencer.ts";

/** The exchange counts as watched while a stream is open, and for this long after a request. */
const WATCHED_MS = 30_000;

export interface DemoTradersOptions {
  readonly config: Config;
  readonly engine: EngineClient;
  readonly platform: Platform;
  readonly sequencer: Sequencer;
  readonly gateways: Gateways;
}

export class DemoTraders {
  readonly #options: DemoTradersOptions;
  #traders: Promise<Traders> | null = null;
  #requests = 0;
  #requestMs = Number.NEGATIVE_INFINITY;

  constructor(options: DemoTradersOptions) {
    this.#options = options;
  }

  /** Does nothing where none were asked for. */
  async start(): Promise<void> {
    const { config, engine, platform, sequencer } = this.#options;
    if (config.profile !== "demo" || config.marketMakers === "off") return;
    this.#traders = Traders.start({
      engine,
      platform,
      isWatched: () => this.#isWatched(),
      // A different seed at every start, because client order ids are derived from it.
      seed: sequencer.durableSequence,
    });
    await this.#traders;
  }

  #isWatched(): boolean {
    const { gateways, platform } = this.#options;
    const nowMs = platform.clock.monotonicMs();
    if (gateways.requests !== this.#requests) this.#requestMs = nowMs;
    this.#requests = gateways.requests;
    return gateways.streams > 0 || nowMs - this.#requestMs < WATCHED_MS;
  }

  /** Resolves when the traders send nothing more to a market, until they are released. */
  async hold(product: Product, symbol: string): Promise<void> {
    const traders = await this.#traders;
    await traders?.hold(product, symbol);
  }

  /** They continue at the market's price. */
  release(product: Product, symbol: string): void {
    void this.#traders?.then((traders) => traders.release(product, symbol));
  }

  async stop(): Promise<void> {
    const traders = await this.#traders;
    this.#traders = null;
    await traders?.stop();
  }
}
