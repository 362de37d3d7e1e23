/** The client of an exchange: its calls by topic, and its streams. */
import { AffiliateClient } from "./affiliate.ts";
import { ApiCalls, type ApiOptions } from "./api-calls.ts";
import { ContractClient } from "./contract.ts";
import type { CallOptions } from "./retries.ts";
import { SpotClient } from "./spot.ts";
import { SpotV2Client } from "./spot-v2.ts";
import { type StreamOptions, Streams } from "./streams/streams.ts";

export interface RialtoClientOptions extends ApiOptions, StreamOptions {}

export class RialtoClient {
  readonly spot: SpotClient;
  readonly contract: ContractClient;
  readonly affiliate: AffiliateClient;
  readonly spotV2: SpotV2Client;
  readonly streams: Streams;
  readonly #calls: ApiCalls;

  constructor(options: RialtoClientOptions = {}) {
    this.#calls = new ApiCalls(options);
    this.spot = new SpotClient(this.#calls);
    this.contract = new ContractClient(this.#calls);
    this.affiliate = new AffiliateClient(this.#calls);
    this.spotV2 = new SpotV2Client(this.#calls);
    this.streams = new Streams(this.#calls, options);
  }

  /** Ends the connection of `transport: "websocket"`; streams end by themselves. */
  close(): void {
    this.#calls.close();
  }

  /**
   * Of the last command that answers over HTTP have shown or carried out; 0 before the first. A
   * client of another node of a cluster sees as much with the option `minSequence`.
   */
  get sequence(): number {
    return this.#calls.sequence;
  }

  /** How far the exchange's clock is ahead of this machine's, as last measured. */
  get timeOffsetMs(): number {
    return this.#calls.clock.offsetMs;
  }

  /** Measures it. Done automatically when the exchange rejects a timestamp. */
  syncTime(options?: CallOptions): Promise<void> {
    return this.#calls.syncTime(options);
  }
}
