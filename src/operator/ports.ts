/** What the composition root passes to the operator API. */
import type { Result } from "../domain/index.ts";
import type { ApiKeyView, EngineClient } from "../protocol/index.ts";
import type { HistoryPort } from "../queries/history-port.ts";

/** The secrets of API keys; settings are the exchange's. */
export interface KeyVault {
  /** Draws a key and makes its secrets durable. It works from `activate` on. */
  create(
    uid: number,
    passphrase: string,
  ): Result<{ readonly apiKey: string; readonly secret: string }>;
  /** Settings that the exchange accepted; every gateway follows them on return. */
  activate(settings: ApiKeyView): void;
  /** Every gateway refuses the key on return; its secrets are forgotten. */
  discard(apiKey: string): void;
}

export interface SnapshotView {
  readonly sequence: number;
  /** Wall clock. */
  readonly createdMs: number;
}

export interface Snapshots {
  /** Resolves when the snapshot is durable. Calls while one is made share it. */
  make(): Promise<SnapshotView | { readonly ok: false; readonly unavailable: "disk-nearly-full" }>;
  /** Newest first. */
  list(): Promise<readonly SnapshotView[]>;
}

export interface MetricsPage {
  readonly contentType: string;
  render(): string | Promise<string>;
}

export interface Health {
  /** Null when requests are served; else what is being waited for. */
  notReadyBecause(): string | null;
}

export interface OperatorLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface OperatorPorts {
  readonly engine: EngineClient;
  readonly history: HistoryPort;
  readonly keys: KeyVault;
  readonly snapshots: Snapshots;
  /** Version, queues and journal of the process: plain JSON without secrets. */
  readonly status: () => Readonly<Record<string, unknown>>;
  readonly metrics: MetricsPage;
  readonly health: Health;
  readonly log: OperatorLog;
  /** On a broken invariant: the process must end, and is healthy after a restart. */
  readonly onFatal: (error: Error) => void;
}
