/**
 * A client of the streams in a sandbox: its messages meet the fault rules. A channel's first
 * message, its whole state, is a message like any other; responses and pings are not.
 */
import type { SandboxTraffic, StreamFault } from "../../faults/index.ts";
import type { Topic } from "../channels/topic.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import type { DelayedOutbox } from "./delayed-outbox.ts";

export interface SandboxConnectionOptions extends ConnectionOptions {
  readonly outbox: DelayedOutbox;
  readonly traffic: SandboxTraffic;
  readonly address: string;
}

export class SandboxConnection extends Connection {
  readonly #outbox: DelayedOutbox;
  readonly #traffic: SandboxTraffic;
  readonly #party: { readonly uid: number; readonly apiKey: string; readonly address: string };
  /** Messages that are still left out, by channel. */
  readonly #gaps = new Map<string, number>();

  constructor(options: SandboxConnectionOptions) {
    super(options);
    this.#outbox = options.outbox;
    this.#traffic = options.traffic;
    this.#party = { ...options.caller, address: options.address };
  }

  override deliver(topic: Topic, frame: Buffer): void {
    const { streams } = this.#traffic.rules;
    if (this.#gaps.size > 0 && this.#isInGap(topic.name)) return;
    if (streams === null || this.#outbox.isFrozen) {
      super.deliver(topic, frame);
      return;
    }
    const hit = streams.meet(topic.name, this.#party);
    if (hit !== null && hit.delayMs > 0) this.#outbox.delay(hit.delayMs);
    this.#deliverWith(hit?.fault ?? null, topic, frame);
  }

  override close(): void {
    super.close();
    this.#outbox.forget();
  }

  #isInGap(channel: string): boolean {
    const left = this.#gaps.get(channel);
    if (left === undefined) return false;
    if (left === 1) this.#gaps.delete(channel);
    else this.#gaps.set(channel, left - 1);
    return true;
  }

  #deliverWith(fault: StreamFault | null, topic: Topic, frame: Buffer): void {
    switch (fault?.kind) {
      case "cut":
        this.cut();
        return;
      case "gap":
        if (fault.updates > 1) this.#gaps.set(topic.name, fault.updates - 1);
        return;
      case "freeze":
        this.#outbox.freeze(fault.ms);
        break;
      case "duplicate":
        super.deliver(topic, frame);
        break;
      default:
        break;
    }
    super.deliver(topic, frame);
  }
}
