/** The public side of an exchange: one gateway beside the engine, or several in threads. */
import { availableParallelism } from "node:os";
import type { TrafficAnswer, TrafficCall } from "../../faults/index.ts";
import type { RateLimits } from "../../gateway/http/rate-limit.ts";
import type { KeyDesk } from "../../gateway/key-desk.ts";
import type { KeyVault } from "../../keys/index.ts";
import type { Network, Platform } from "../../platform/index.ts";
import { EngineClient, type EnginePort } from "../../protocol/index.ts";
import type { DemoAccount } from "../../sandbox/index.ts";
import type { Config } from "../config.ts";
import type { History } from "../history.ts";
import type { Log } from "../log.ts";
import type { NodeView } from "../node-view.ts";
import {
  type PublicConfig,
  PublicServer,
  resetSharedCounts,
  type SharedCounts,
} from "../public-server.ts";
import type { NotReady } from "../readiness.ts";
import { TrafficMetrics } from "../traffic-metrics.ts";

export interface Gateways {
  /** 0 beside the engine. */
  readonly threads: number;
  /** Open stream connections. */
  readonly streams: number;
  /** Answered requests; counts on and wraps around. */
  readonly requests: number;
  /** Resolves with the bound port; rejects with the error of the system. */
  listen(port: number): Promise<number>;
  /** For the console. */
  showOperatorPort(port: number): void;
  /** Durable events, in order. */
  publish(chunk: Uint8Array): void;
  /** Asks every gateway about a sandbox's traffic. */
  callTraffic(call: TrafficCall): Promise<readonly TrafficAnswer[]>;
  /** What each gateway counted, for `renderSum`. */
  count(): Promise<readonly object[]>;
  /**
   * The exchange has the state of an earlier moment, and its history is in the file at `path`.
   * Resolves when every gateway serves that.
   */
  restored(path: string): Promise<void>;
  /** Stops taking requests; resolves when those that were taken are answered. */
  close(): Promise<void>;
}

/** What all gateways have in common. */
export interface GatewayOptions {
  readonly config: PublicConfig & Pick<Config, "logLevel">;
  readonly platform: Platform;
  readonly engine: EnginePort;
  readonly keys: KeyVault;
  readonly keyDesk: KeyDesk;
  readonly history: History;
  readonly notReadyBecause: () => NotReady | null;
  /** The metrics of the process. */
  readonly renderMetrics: () => Promise<string>;
  readonly counts: SharedCounts;
  /** For the console. */
  readonly demoAccounts: readonly DemoAccount[];
  readonly log: Log;
  /** A broken invariant or a dead thread: the process must end. */
  readonly onFatal: (error: Error) => void;
}

const AUTO_MAX = 8;

/**
 * The engine and the journal have a core each, the gateways the others; where connections cannot be
 * shared between threads, there is one gateway beside the engine.
 */
export function gatewayCount(
  configured: Config["gateways"],
  network: Pick<Network, "sharesPorts">,
  cores = availableParallelism(),
): number {
  if (configured !== "auto") return configured;
  return network.sharesPorts ? Math.max(0, Math.min(cores - 2, AUTO_MAX)) : 0;
}

/** `--gateways 0`: the gateway runs in the engine's thread. */
export class InlineGateway implements Gateways {
  readonly threads = 0;
  readonly #server: PublicServer;
  readonly #host: string;
  readonly #metrics = new TrafficMetrics("gateway-0", () => this.#requests++);
  readonly #counts: SharedCounts;
  #operatorPort: number | null = null;
  #requests = 0;

  constructor(
    options: GatewayOptions & {
      readonly exchangeMs: () => number;
      /** Null for an exchange on one machine. */
      readonly node: NodeView | null;
      /** For whoever signs. */
      readonly signed: EnginePort;
      /** Those of the cluster; its own if absent. */
      readonly limits?: RateLimits;
    },
  ) {
    const { config, counts, engine, history, keys, signed } = options;
    this.#host = config.host;
    this.#counts = counts;
    this.#server = new PublicServer({
      ...options,
      engine: new EngineClient(engine),
      signedEngine: new EngineClient(signed),
      history: history.reader,
      keys: keys.directory,
      metrics: this.#metrics,
      operatorPort: () => this.#operatorPort,
    });
  }

  get streams(): number {
    return this.#server.streams;
  }

  get requests(): number {
    return this.#requests;
  }

  listen(port: number): Promise<number> {
    return this.#server.listen({ host: this.#host, port });
  }

  showOperatorPort(port: number): void {
    this.#operatorPort = port;
  }

  publish(chunk: Uint8Array): void {
    this.#server.publish(chunk);
  }

  async callTraffic(call: TrafficCall): Promise<readonly TrafficAnswer[]> {
    return [await this.#server.callTraffic(call, () => true)];
  }

  async count(): Promise<readonly object[]> {
    return [await this.#metrics.count(this.#server.connections)];
  }

  async restored(): Promise<void> {
    resetSharedCounts(this.#counts);
    this.#server.restored();
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
