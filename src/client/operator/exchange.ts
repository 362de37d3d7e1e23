/**
 * Exchange: calls of the operator plane. Made from the operator plane's own table of calls, to
 * which a test holds it.
 */
import type { CallOptions } from "../http-calls.ts";
import { CommissionsCalls } from "./commissions.ts";

export type GetInvariantsAnswer = {
  readonly ok: boolean;
  readonly sequence: number;
  readonly stateHash: string;
  readonly violations: readonly string[];
  readonly totals: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export type GetStatusAnswer = {
  readonly sequence: number;
  readonly time: number;
  readonly rulesVersion: number;
  readonly clockOffsetMs: number;
  readonly users: number;
  readonly apiKeys: number;
  readonly spotMarkets: number;
  readonly openOrders: number;
  readonly rememberedClientOrderIds: number;
  readonly contractMarkets: number;
  readonly positions: number;
  readonly contractOpenOrders: number;
  readonly algoOrders: number;
  readonly process: Readonly<Record<string, unknown>>;
};

export type MakeSnapshotAnswer = { readonly sequence: number; readonly createdAt: number };

export type GetSnapshotInput = { readonly sequence: number };

export type GetSnapshotAnswer = { readonly sequence: number; readonly createdAt: number };

export type ListSnapshotsInput = { readonly after?: number; readonly limit?: number };

export type ListSnapshotsAnswer = {
  readonly items: readonly { readonly sequence: number; readonly createdAt: number }[];
  readonly next: number | null;
};

export type ListAuditInput = {
  readonly after?: number;
  readonly before?: number;
  readonly limit?: number;
};

export type ListAuditAnswer = {
  readonly items: readonly {
    readonly id: number;
    readonly sequence: number;
    readonly time: number;
    readonly actor: string;
    readonly action: string;
    readonly subject: string;
    readonly details: unknown;
  }[];
  readonly next: number | null;
};

export abstract class ExchangeCalls extends CommissionsCalls {
  /** What must always hold, checked now, and the totals per asset: they sum to zero. */
  getInvariants(options?: CallOptions): Promise<GetInvariantsAnswer> {
    return this.call("GET", "/operator/v1/invariants", {}, options);
  }

  /** Sequence, exchange time, counts, and what the process says of itself. */
  getStatus(options?: CallOptions): Promise<GetStatusAnswer> {
    return this.call("GET", "/operator/v1/status", {}, options);
  }

  /** Make a snapshot; answered when it is on stable storage. */
  makeSnapshot(options?: CallOptions): Promise<MakeSnapshotAnswer> {
    return this.call("POST", "/operator/v1/snapshots", {}, options);
  }

  /** The snapshots that are kept, oldest first. */
  listSnapshots(
    input: ListSnapshotsInput = {},
    options?: CallOptions,
  ): Promise<ListSnapshotsAnswer> {
    return this.call("GET", "/operator/v1/snapshots", input, options);
  }

  /** One snapshot by its sequence. */
  getSnapshot(input: GetSnapshotInput, options?: CallOptions): Promise<GetSnapshotAnswer> {
    return this.call("GET", "/operator/v1/snapshots/{sequence}", input, options);
  }

  /**
   * What was done over this plane and by whom, oldest first; with `before` newest first, and
   * `next` is then the `before` of the following page.
   */
  listAudit(input: ListAuditInput = {}, options?: CallOptions): Promise<ListAuditAnswer> {
    return this.call("GET", "/operator/v1/audit", input, options);
  }
}
