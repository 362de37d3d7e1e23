/** What the composition root gives the gateway, besides the exchange and the keys. */

export interface Clock {
  /** Milliseconds since the Unix epoch: what request timestamps are measured against. */
  wallMs(): number;
  /**
   * Exchange time: every time in an answer. Ahead of the wall clock in a sandbox, and for a while
   * wherever that was set back.
   */
  exchangeMs(): number;
  /** Never jumps: what rate limits are counted on. Any origin. */
  monotonicMs(): number;
}

/** A node of a cluster. */
export interface ClusterNode {
  /** For the health pages. */
  status(): object;
  /**
   * Null when this node knows which keys are in force. Otherwise resolves when it does, with null,
   * or after a while with why it does not.
   */
  whenSigningIn(): Promise<string | null> | null;
}

export interface GatewayLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface GatewayMetrics {
  /** `routeId` is an id of the route table, or "none" for a request that matched no route. */
  answered(routeId: string, status: number, durationMs: number): void;
  readonly contentType: string;
  render(): string | Promise<string>;
}

/** Which venue this is; a restored one is not the one that was backed up. */
export interface VenueMark {
  readonly id: string;
  /** The last command that was restored from a backup; null where nothing was. */
  readonly restoredSequence: number | null;
}
