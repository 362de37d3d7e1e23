/**
 * Passes durable events to the feeds. While nobody is connected events are skipped, and the markets
 * are queried again when the next client connects. One command may have tens of thousands of
 * events, so they are read in slices, and requests are answered between two of them.
 */

import type { Product } from "../domain/index.ts";
import {
  type Event,
  EventReader,
  type EventType,
  eventFilter,
  type RecordFilter,
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

/** Some hundreds of events, which take a millisecond or two. */
const SLICE_BYTES = 32 * 1024;
/** The part of what waits that a slice reads at least, so that the streams never fall behind. */
const SLICE_SHARE = 16;

/** The chunk that is being read, and the command that it is in. */
class Reading {
  readonly events: EventReader;
  readonly wanted: RecordFilter | null;
  sequence = 0;
  timestampMs = 0;

  /**
   * `wanted` holds for the whole chunk. Whoever subscribes in the middle of it queries the engine,
   * which has applied all of the chunk.
   */
  constructor(chunk: Uint8Array, wanted: RecordFilter | null) {
    this.events = new EventReader(chunk);
    this.wanted = wanted;
  }
}

export class EventRouter {
  readonly #ports: FeedPorts;
  readonly #onKeyChanged: (apiKey: string) => void;
  readonly instruments = new Instruments();
  readonly markets: ByProduct<MarketFeed>;
  readonly accounts: ByProduct<Accounts>;
  #chunks: Uint8Array[] = [];
  /** Bytes of the chunks, of the one that is being read without what was read. */
  #waitingBytes = 0;
  #reading: Reading | null = null;
  #isScheduled = false;
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

  /** All events were read. */
  get isIdle(): boolean {
    return this.#waitingBytes === 0;
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
    this.#waitingBytes = 0;
    this.#reading = null;
    for (const product of ["spot", "contract"] as const) {
      this.markets[product].stop();
      this.accounts[product].clear();
    }
  }

  /** The events so far do not lead to the present state: everything is asked for again. */
  beginAnew(): void {
    this.sleep();
    this.instruments.clear();
  }

  /** Takes durable events in order. They are read after the responses have gone out. */
  publish(chunk: Uint8Array): void {
    if (!this.#isAwake) return;
    // A copy: a later receiver transfers the bytes to another thread.
    this.#chunks.push(chunk.slice());
    this.#waitingBytes += chunk.length;
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#ports.scheduler.soon(() => {
      this.#isScheduled = false;
      try {
        this.#readSlice();
      } catch (error) {
        this.#ports.onFatal(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      if (this.#waitingBytes > 0) this.#schedule();
    });
  }

  #readSlice(): void {
    let bytesLeft = Math.max(SLICE_BYTES, this.#waitingBytes / SLICE_SHARE);
    while (bytesLeft > 0 && this.#waitingBytes > 0) {
      const bytes = this.#readSome(bytesLeft);
      bytesLeft -= bytes;
      // A key that ended may have closed the last connection, and then nothing waits.
      this.#waitingBytes = Math.max(0, this.#waitingBytes - bytes);
    }
  }

  /** Reads events of one chunk, and returns their bytes: about as many as asked for. */
  #readSome(bytesMax: number): number {
    this.#reading ??= new Reading(this.#chunks.shift() as Uint8Array, this.#wanted());
    const reading = this.#reading;
    const { events, wanted } = reading;
    const from = events.offset;
    while (!events.atEnd && events.offset - from < bytesMax) {
      const event = events.next(wanted);
      if (event !== null) this.#route(event, reading);
    }
    if (events.atEnd) {
      this.#endCommand();
      this.#reading = null;
    }
    return events.offset - from;
  }

  #route(event: Event, reading: Reading): void {
    if (event.type === "command-applied") {
      this.#endCommand();
      ({ sequence: reading.sequence, timestampMs: reading.timestampMs } = event);
      return;
    }
    if (event.type === "timer-fired") ({ timestampMs: reading.timestampMs } = event);
    this.#take(event, reading.sequence, reading.timestampMs);
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
      this.markets[product].on(event, sequence, timestampMs);
      this.accounts[product].on(event, sequence, timestampMs);
    }
  }

  #endCommand(): void {
    for (const product of ["spot", "contract"] as const) {
      this.markets[product].endCommand();
      this.accounts[product].endCommand();
    }
  }
}
