/**
 * Passes durable events to the feeds. While nobody is connected events are skipped, and the markets
 * are queried again when the next client connects.
 */

import type { Product } from "../domain/index.ts";
import {
  type Event,
  type EventType,
  eventFilter,
  type RecordFilter,
  readEvents,
} from "../protocol/index.ts";
import { Instruments } from "./channels/instruments.ts";
import type { FeedPorts } from "./channels/ports.ts";
import { Accounts } from "./private/accounts.ts";
import { MARKET_EVENTS, MarketFeed, type MarketInterest } from "./public/market-feed.ts";

/** Read even without subscribers: times, listings, and keys whose connections must end. */
const ALWAYS_READ: readonly EventType[] = [
  "command-applied",
  "timer-fired",
  "asset-set",
  "spot-market-set",
  "contract-market-set",
  "api-key-set",
  "api-key-revoked",
];

/** Events that the feeds need about spot markets, then about contract markets. */
const FILTERS = byInterest((spot) =>
  byInterest((contract) =>
    eventFilter([...ALWAYS_READ, ...MARKET_EVENTS.spot[spot], ...MARKET_EVENTS.contract[contract]]),
  ),
);

function byInterest<Value>(
  of: (interest: MarketInterest) => Value,
): Readonly<Record<MarketInterest, Value>> {
  return {
    nothing: of("nothing"),
    trades: of("trades"),
    everything: of("everything"),
  };
}

type ByProduct<Value> = Readonly<Record<Product, Value>>;

export class EventRouter {
  readonly #ports: FeedPorts;
  readonly #onKeyChanged: (apiKey: string) => void;
  readonly instruments = new Instruments();
  readonly markets: ByProduct<MarketFeed>;
  readonly accounts: ByProduct<Accounts>;
  #chunks: Uint8Array[] = [];
  #isAwake = false;
  #ready: Promise<boolean> | null = null;

  constructor(ports: FeedPorts, onKeyChanged: (apiKey: string) => void) {
    this.#ports = ports;
    this.#onKeyChanged = onKeyChanged;
    const { instruments } = this;
    this.markets = {
      spot: new MarketFeed("spot", instruments, ports),
      contract: new MarketFeed("contract", instruments, ports),
    };
    this.accounts = {
      spot: new Accounts("spot", instruments, ports),
      contract: new Accounts("contract", instruments, ports),
    };
  }

  /** Whether the markets are known; false when the exchange is too busy to list them. */
  async ready(): Promise<boolean> {
    this.#ready ??= this.instruments.load(this.#ports);
    const loading = this.#ready;
    const isLoaded = await loading;
    if (!isLoaded && this.#ready === loading) this.#ready = null;
    return isLoaded;
  }

  /** Events are read from now on. */
  wake(): void {
    this.#isAwake = true;
  }

  /** The last client disconnected. */
  sleep(): void {
    this.#isAwake = false;
    this.#ready = null;
    this.#chunks = [];
    for (const product of ["spot", "contract"] as const) {
      this.markets[product].stop();
      this.accounts[product].clear();
    }
  }

  /** Takes durable events in order. They are read after the responses have gone out. */
  publish(chunk: Uint8Array): void {
    if (!this.#isAwake) return;
    // A copy: a later receiver transfers the bytes to another thread.
    this.#chunks.push(chunk.slice());
    if (this.#chunks.length === 1) this.#ports.scheduler.soon(() => this.#drain());
  }

  #drain(): void {
    const chunks = this.#chunks;
    this.#chunks = [];
    try {
      for (const chunk of chunks) this.#route(chunk);
    } catch (error) {
      this.#ports.onFatal(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #route(chunk: Uint8Array): void {
    let sequence = 0;
    let timestampMs = 0;
    for (const event of readEvents(chunk, this.#wanted())) {
      if (event.type === "command-applied") {
        this.#endCommand();
        ({ sequence, timestampMs } = event);
      } else {
        if (event.type === "timer-fired") ({ timestampMs } = event);
        this.#take(event, sequence, timestampMs);
      }
    }
    this.#endCommand();
  }

  /**
   * Which events of a chunk to read; null for all. Reading an unused event costs as much as a used
   * one.
   */
  #wanted(): RecordFilter | null {
    const { accounts, markets } = this;
    if (accounts.spot.isListening || accounts.contract.isListening) return null;
    return FILTERS[markets.spot.interest][markets.contract.interest];
  }

  #take(event: Event, sequence: number, timestampMs: number): void {
    this.instruments.apply(event);
    if (event.type === "api-key-revoked" || event.type === "api-key-set") {
      this.#onKeyChanged(event.apiKey);
    }
    for (const product of ["spot", "contract"] as const) {
      this.markets[product].on(event, timestampMs);
      this.accounts[product].on(event, sequence, timestampMs);
    }
  }

  #endCommand(): void {
    this.accounts.spot.endCommand();
    this.accounts.contract.endCommand();
  }
}
