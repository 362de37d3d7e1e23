/**
 * The private channels of one account in one product. Orders and fills come from durable events,
 * one message per command; balances and positions are then queried from the engine, and only
 * changed rows are sent.
 *
 * Open orders are queried first. Events that arrive in the meantime are held, and those that the
 * response already includes are skipped.
 */

import type { AccountKind } from "../../api/channel-names.ts";
import type { Event } from "../../protocol/index.ts";
import type { Named } from "../channels/dialect.ts";
import type { FeedPorts } from "../channels/ports.ts";
import { Throttle } from "../channels/throttle.ts";
import type { Subscriber, Topic } from "../channels/topic.ts";
import type { AccountCause } from "../channels/updates.ts";
import { PrivatePublisher } from "./private-publisher.ts";

const HELD_MAX = 10_000;

interface HeldEvent {
  readonly event: Event;
  readonly sequence: number;
  readonly timestampMs: number;
}

/** Entries of messages, by symbol: clients apply the market of the first entry to all. */
export class EntriesBySymbol {
  readonly #lists = new Map<string, object[]>();

  add(symbol: string, entry: object): void {
    const list = this.#lists.get(symbol);
    if (list === undefined) this.#lists.set(symbol, [entry]);
    else list.push(entry);
  }

  get isEmpty(): boolean {
    return this.#lists.size === 0;
  }

  get lists(): Iterable<readonly object[]> {
    return this.#lists.values();
  }
}

export abstract class AccountFeed {
  readonly uid: number;
  protected readonly ports: FeedPorts;
  readonly #balances: Throttle;
  readonly #publishers = new Map<AccountKind, PrivatePublisher>();
  #held: HeldEvent[] | null = [];
  #tooMuchHeld = false;
  #loading: Promise<boolean> | null = null;
  #loadedSequence = 0;
  #balanceCause: AccountCause = "OrderUpdate";
  /** Sequence of the events taken since the last end of a command; 0 for none. */
  #timestampMs = 0;

  constructor(uid: number, ports: FeedPorts) {
    this.uid = uid;
    this.ports = ports;
    this.#balances = this.pace(() => this.#showBalances());
  }

  /** False when the exchange is too busy; the feed must then be discarded. */
  ready(): Promise<boolean> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  /** Nobody is subscribed, and nobody waits for it to be ready. */
  get isIdle(): boolean {
    if (this.#held !== null) return false;
    return this.#publishers.values().every((publisher) => publisher.isEmpty);
  }

  subscribe({ channel, encoder }: Named<AccountKind>, subscriber: Subscriber): Topic {
    return this.publisher(channel).subscribe(encoder, subscriber);
  }

  on(event: Event, sequence: number, timestampMs: number): void {
    if (this.#held === null) {
      this.#take(event, sequence, timestampMs);
    } else if (this.#held.length < HELD_MAX) {
      this.#held.push({ event, sequence, timestampMs });
    } else this.#tooMuchHeld = true;
  }

  /** All events of the current command have been taken. */
  endCommand(): void {
    if (this.#timestampMs === 0) return;
    this.flush(this.#timestampMs);
    this.#timestampMs = 0;
  }

  stop(): void {
    this.#balances.stop();
  }

  /** Queries the state that precedes the events; returns the sequence of the open orders. */
  protected abstract load(): Promise<number | null>;
  /** Takes an event that concerns the account. */
  protected abstract apply(event: Event, timestampMs: number, sequence: number): void;
  /** Sends what the command's events changed. */
  protected abstract flush(timestampMs: number): void;
  /** The balance rows that differ from those sent; null when the exchange is too busy. */
  protected abstract changedBalances(): Promise<ChangedBalances | null>;

  protected publisher(kind: AccountKind): PrivatePublisher {
    let publisher = this.#publishers.get(kind);
    if (publisher === undefined) {
      publisher = new PrivatePublisher(kind, this.#loadedSequence);
      this.#publishers.set(kind, publisher);
    }
    return publisher;
  }

  protected pace(task: () => Promise<boolean>): Throttle {
    const { activity, periodMs, clock, scheduler, onFatal } = this.ports;
    return new Throttle({ periodMs: () => periodMs, clock, scheduler, task, onFatal, activity });
  }

  protected balanceChanged(cause: AccountCause): void {
    this.#balanceCause = cause;
    this.#balances.request();
  }

  async #load(): Promise<boolean> {
    const sequence = await this.load();
    if (sequence === null || this.#tooMuchHeld) return false;
    this.#loadedSequence = sequence;
    const held = this.#held ?? [];
    this.#held = null;
    let last = sequence;
    for (const { event, sequence: at, timestampMs } of held) {
      if (at !== last) this.endCommand();
      last = at;
      this.#take(event, at, timestampMs);
    }
    return true;
  }

  #take(event: Event, sequence: number, timestampMs: number): void {
    if (sequence <= this.#loadedSequence) return;
    this.#timestampMs = timestampMs;
    this.apply(event, timestampMs, sequence);
  }

  async #showBalances(): Promise<boolean> {
    const cause = this.#balanceCause;
    this.#balanceCause = "OrderUpdate";
    const changed = await this.changedBalances();
    if (changed === null) {
      this.#balanceCause = cause;
      return false;
    }
    if (changed.rows.length > 0) {
      this.publisher("account").push([changed.rows], changed.timestampMs, cause);
    }
    return true;
  }
}

export interface ChangedBalances {
  readonly rows: readonly object[];
  readonly timestampMs: number;
}
