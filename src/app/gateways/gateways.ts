/** The public side of an exchange: one gateway beside the engine, or several in threads. */
import type { Platform } from "../../platform/index.ts";
import type { EnginePort } from "../../protocol/index.ts";
import { EngineClient } from "../../protocol/index.ts";
import { PublicServer, type PublicServerOptions } from "../public-server.ts";
import { TrafficMetrics } from "../traffic-metrics.ts";
import type { GatewayThreads } from "./gateway-threads.ts";

export type Gateways = Pick<
  GatewayThreads,
  "listen" | "publish" | "tellOperatorPort" | "streams" | "requests" | "count" | "close"
>;

interface InlineGatewayOptions
  extends Omit<PublicServerOptions, "engine" | "operatorPort" | "metrics"> {
  readonly platform: Platform;
  readonly engine: EnginePort;
}

/** `--gateways 0`: the gateway runs in the engine's thread. */
export class InlineGateway implements Gateways {
  readonly #server: PublicServer;
  readonly #host: string;
  readonly #metrics: TrafficMetrics;
  #operatorPort: number | null = null;
  #requests = 0;

  constructor(options: InlineGatewayOptions) {
    this.#host = options.config.host;
    this.#metrics = new TrafficMetrics("gateway-0", () => this.#requests++);
    this.#server = new PublicServer({
      ...options,
      engine: new EngineClient(options.engine),
      metrics: this.#metrics,
      operatorPort: () => this.#operatorPort,
    });
  }

  listen(port: number): Promise<number> {
    return this.#server.listen({ host: this.#host, port });
  }

  tellOperatorPort(port: number): void {
    this.#operatorPort = port;
  }

  publish(chunk: Uint8Array): void {
    this.#server.publish(chunk);
  }

  get streams(): number {
    return this.#server.streams;
  }

  get requests(): number {
    return this.#requests;
  }

  async count(): Promise<readonly object[]> {
    return [await this.#metrics.count(this.#server.connections)];
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
