/** The feeds of all accounts with subscribers in one product, by user. */
import type { Product } from "../../domain/index.ts";
import type { Event } from "../../protocol/index.ts";
import type { Instruments } from "../channels/instruments.ts";
import type { FeedPorts } from "../channels/ports.ts";
import type { AccountFeed } from "./account-feed.ts";
import { ContractAccount } from "./contract-account.ts";
import { SpotAccount } from "./spot-account.ts";

const LOAD_TRIES = 5;

export class Accounts {
  readonly #product: Product;
  readonly #instruments: Instruments;
  readonly #ports: FeedPorts;
  readonly #feeds = new Map<number, AccountFeed>();
  /** Feeds that received an event of the current command. */
  readonly #dirty = new Set<AccountFeed>();

  constructor(product: Product, instruments: Instruments, ports: FeedPorts) {
    this.#product = product;
    this.#instruments = instruments;
    this.#ports = ports;
  }

  /** The feed of a user, ready; null when the exchange is too busy. */
  async feed(uid: number): Promise<AccountFeed | null> {
    for (let tries = 0; tries < LOAD_TRIES; tries++) {
      let feed = this.#feeds.get(uid);
      if (feed === undefined) {
        feed = this.#newFeed(uid);
        this.#feeds.set(uid, feed);
      }
      if (await feed.ready()) return feed;
      if (this.#feeds.get(uid) === feed) this.#feeds.delete(uid);
    }
    return null;
  }

  get isListening(): boolean {
    return this.#feeds.size > 0;
  }

  on(event: Event, sequence: number, timestampMs: number): void {
    if (this.#feeds.size === 0) return;
    const [one, other] = this.#product === "spot" ? spotUids(event) : contractUids(event);
    this.#tell(one, event, sequence, timestampMs);
    if (other !== one) this.#tell(other, event, sequence, timestampMs);
  }

  endCommand(): void {
    if (this.#dirty.size === 0) return;
    for (const feed of this.#dirty) feed.endCommand();
    this.#dirty.clear();
  }

  /** Removes feeds that have no subscribers any more. */
  dropIdle(): void {
    for (const [uid, feed] of this.#feeds) {
      if (!feed.isIdle) continue;
      feed.stop();
      this.#feeds.delete(uid);
    }
  }

  /** Removes all feeds, because they missed events or are no longer needed. */
  clear(): void {
    for (const feed of this.#feeds.values()) feed.stop();
    this.#feeds.clear();
    this.#dirty.clear();
  }

  #tell(uid: number, event: Event, sequence: number, timestampMs: number): void {
    const feed = uid === 0 ? undefined : this.#feeds.get(uid);
    if (feed === undefined) return;
    feed.on(event, sequence, timestampMs);
    this.#dirty.add(feed);
  }

  #newFeed(uid: number): AccountFeed {
    return this.#product === "spot"
      ? new SpotAccount(uid, this.#instruments, this.#ports)
      : new ContractAccount(uid, this.#instruments, this.#ports);
  }
}

type Uids = readonly [one: number, other: number];

const NOBODY: Uids = [0, 0];

/** The user that a spot event concerns; 0 for none. */
function spotUids(event: Event): Uids {
  switch (event.type) {
    case "spot-trade":
      return [event.makerUid, event.takerUid];
    case "spot-order-opened":
    case "spot-order-amended":
    case "spot-order-ended":
    case "fee-rates-set":
    case "withdrawal-changed":
    case "deposit-changed":
      return [event.uid, 0];
    case "funds-moved":
      return event.from === "spot" || event.to === "spot" ? [event.uid, 0] : NOBODY;
    case "commissions-settled":
    case "commission-reversed":
      return [event.affiliateUid, 0];
    case "internal-withdrawal-made":
      return [event.uid, event.toUid];
    default:
      return NOBODY;
  }
}

/** The same for contracts. */
function contractUids(event: Event): Uids {
  switch (event.type) {
    case "contract-trade":
      return [event.maker.uid, event.taker.uid];
    case "contract-order-opened":
    case "contract-order-amended":
    case "contract-order-ended":
    case "algo-order-changed":
    case "contract-settings-changed":
    case "position-margin-moved":
    case "auto-append-set":
    case "funding-moved":
    case "liquidation-started":
    case "liquidation-settled":
    case "liquidation-finished":
    case "position-opened":
    case "position-closed":
    case "fee-rates-set":
      return [event.uid, 0];
    case "funds-moved":
      return event.from === "contract" || event.to === "contract" ? [event.uid, 0] : NOBODY;
    default:
      return NOBODY;
  }
}
