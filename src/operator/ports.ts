/** What the composition root passes to the operator API. */
import type { Readable } from "node:stream";
import type { Refusal } from "../api/errors.ts";
import type { OperatorReason } from "../api/operator/errors.ts";
import type { OperatorAnswer, OperatorBody } from "../api/operator/routes.ts";
import type { Product, Rejection, Result } from "../domain/index.ts";
import type { FaultRegistry } from "../faults/index.ts";
import type { Randomness } from "../platform/index.ts";
import type { ApiKeyView, EngineClient, Unavailable } from "../protocol/index.ts";
import type { HistoryPort } from "../queries/history-port.ts";

/** The secrets of API keys; the exchange has their settings. */
export interface KeyVault {
  /** Generates a key and makes its secrets durable. The key works after `activate`. */
  create(
    uid: number,
    passphrase: string,
  ): Promise<Result<{ readonly apiKey: string; readonly secret: string }>>;
  /** Applies settings that the exchange accepted; when done, every gateway uses them. */
  activate(settings: ApiKeyView): Promise<void>;
  /** Deletes the secrets; when done or failed, every gateway refuses the key. */
  discard(apiKey: string): Promise<void>;
}

export interface SnapshotView {
  readonly sequence: number;
  /** Wall clock. */
  readonly createdMs: number;
}

export interface Snapshots {
  /** Resolves when the snapshot is durable. Concurrent calls share one snapshot. */
  make(): Promise<
    | SnapshotView
    | { readonly ok: false; readonly unavailable: "disk-nearly-full" }
    | Refusal<OperatorReason>
  >;
  /** Newest first. */
  list(): Promise<readonly SnapshotView[]>;
}

export interface CheckpointView {
  readonly name: string;
  readonly sequence: number;
  readonly stateHash: string;
}

type StateOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | Refusal<OperatorReason>
  | { readonly ok: false; readonly unavailable: "disk-nearly-full" | "overloaded" };

/** The states of a sandbox. One call is done after the other. */
export interface States {
  /** In the order in which they were made. */
  list(): readonly CheckpointView[];
  checkpoint(name: string): Promise<StateOutcome<CheckpointView>>;
  remove(name: string): Promise<StateOutcome<CheckpointView>>;
  /** When done, every gateway serves the state of the checkpoint. */
  restore(name: string): Promise<StateOutcome<CheckpointView>>;
  /** The present state as the bytes of a file with working keys. */
  save(): Promise<StateOutcome<Readable>>;
  /** Goes back to the start, or to what was marked since. */
  reset(): Promise<StateOutcome<CheckpointView>>;
  /** The present state is what `reset` goes back to. */
  markStart(): Promise<StateOutcome<{ readonly sequence: number }>>;
}

export interface HouseBookView {
  readonly symbol: string;
  readonly product: Product;
  readonly bids: readonly (readonly string[])[];
  readonly asks: readonly (readonly string[])[];
  readonly lastPrice: string;
  readonly sequence: number;
}

export interface PriceMove {
  readonly symbol: string;
  readonly product: Product | null;
  /** Null when the mark moves. */
  readonly to: string | null;
  /** Undefined when the price moves; null unpins the mark. */
  readonly mark: string | null | undefined;
  readonly inMs: number;
  readonly path: "jump" | "linear" | "random-walk" | null;
  readonly volatility: number | null;
  readonly seed: number | null;
  readonly actor: string;
}

/** The house of a sandbox, which makes markets on demand. */
export interface House {
  makeBook(request: {
    readonly symbol: string;
    readonly product: Product | null;
    readonly bids: readonly (readonly string[])[];
    readonly asks: readonly (readonly string[])[];
    readonly actor: string;
  }): Promise<HouseOutcome<HouseBookView>>;
  book(symbol: string, product: Product | null): Promise<HouseOutcome<HouseBookView>>;
  clearBook(
    symbol: string,
    product: Product | null,
    actor: string,
  ): Promise<HouseOutcome<HouseBookView>>;
  timeMoved(): Promise<void>;
  movePrice(request: PriceMove): Promise<HouseOutcome<OperatorAnswer<"movePrice">>>;
  setLiquidity(request: {
    readonly symbol: string;
    readonly product: Product | null;
    readonly model: OperatorBody<"setLiquidity">["model"];
    readonly depth: string | null;
    readonly spread: string | null;
    readonly side: "bids" | "asks" | null;
    readonly actor: string;
  }): Promise<HouseOutcome<OperatorAnswer<"setLiquidity">>>;
  liquidity(
    symbol: string,
    product: Product | null,
  ): Promise<HouseOutcome<OperatorAnswer<"getLiquidity">>>;
  trigger(request: {
    readonly scenario: ScenarioName;
    readonly uid: number | null;
    readonly symbol: string | null;
    readonly product: Product | null;
    readonly actor: string;
  }): Promise<
    HouseOutcome<{
      readonly scenario: ScenarioName;
      readonly sequence: number;
      readonly did: readonly string[];
    }>
  >;
}

type ScenarioName = OperatorBody<"triggerScenario">["scenario"];

type HouseOutcome<Value> =
  | { readonly ok: true; readonly value: Value }
  | Rejection
  | (Unavailable & { readonly ok: false });

/** What happened, once it is durable. */
export interface DurableEvents {
  /** The history is so far behind that further changes may soon be refused. */
  readonly isBehind: boolean;
  /** Calls back with each chunk of events, before its commands are answered; returns the end. */
  listen(receive: (chunk: Uint8Array) => void): () => void;
}

/** See `Webhooks` in `src/webhooks`. */
export interface WebhookStatus {
  readonly hasSecret: boolean;
  readonly deliveredNumber: number;
  readonly lastNumber: number;
  readonly failures: number;
  /** Wall clock. */
  readonly failingSinceMs: number | null;
  readonly lastError: string | null;
}

export interface WebhookDelivery {
  readonly deliveryId: number;
  /** Wall clock. */
  readonly timeMs: number;
  readonly kind: "events" | "redelivery" | "test";
  readonly firstNumber: number;
  readonly lastNumber: number;
  readonly attempt: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

type FromSender<Value> = Promise<Value | (Unavailable & { readonly ok: false })>;

/** Whoever sends what webhooks are told; in a cluster it may be out of reach. */
export interface Webhooks {
  /** What is wrong with a URL, null if nothing is. */
  urlProblem(url: string): string | null;
  /** A new id and its secret; it works after `refresh`. */
  create(): FromSender<{ readonly webhookId: string; readonly secret: string }>;
  /** Signs from now on; a null position goes on where it was. */
  newSecret(webhookId: string, position: number | null): FromSender<{ readonly secret: string }>;
  /** Takes the settings that the exchange has now. */
  refresh(): Promise<void>;
  forget(webhookId: string): Promise<void>;
  status(webhookId: string): FromSender<WebhookStatus | null>;
  /** Those before one, newest first. */
  deliveries(
    webhookId: string,
    beforeId: number,
    limit: number,
  ): FromSender<readonly WebhookDelivery[]>;
  /** An event again, or with null a test: once, and out of turn. */
  send(
    webhookId: string,
    number: number | null,
  ): FromSender<WebhookDelivery | "no-secret" | "busy" | "unknown-number" | "unavailable">;
}

/** How the process did up to a moment; counts are since its start. */
export interface HealthSample {
  /** Wall clock. */
  readonly timeMs: number;
  readonly uptimeMs: number;
  /** Of the last durable command. */
  readonly sequence: number;
  readonly requests: number;
  /** Up to each bound, and in all. */
  readonly commits: readonly number[];
  readonly queueDepth: number;
  readonly historyLag: number;
  readonly historyBacklogBytes: number;
  readonly streamConnections: number;
  readonly residentBytes: number;
}

export interface ProcessMetrics {
  readonly contentType: string;
  render(): string | Promise<string>;
  samples(): {
    readonly nowMs: number;
    /** Of the durations of commits, in seconds. */
    readonly bounds: readonly number[];
    /** Oldest first. */
    readonly samples: readonly HealthSample[];
  };
}

export interface Health {
  /** Null when requests are accepted, otherwise the reason why not. */
  notReadyBecause(): string | null;
}

/** What one node of a cluster has at a time. */
export interface ChangeLock {
  /** Resolves with what releases it, or with null when it cannot be had within that time. */
  take(withinMs: number): Promise<(() => Promise<void>) | null>;
}

/** A node of a cluster. */
export interface ClusterNode {
  /** The state of this node, as far as it is. */
  readonly engine: EngineClient;
  /** The same at once, also without a quorum: for who may ask about the node itself. */
  readonly present: EngineClient;
  /** For the health page. */
  status(): object;
  /** All nodes, as this one sees them; also without a quorum, within two seconds. */
  cluster(): Promise<OperatorAnswer<"getCluster">>;
  /** Resolves when the node of this name leads, or does not. */
  promote(node: string): Promise<
    | { readonly ok: true; readonly leader: string; readonly epoch: number }
    | {
        readonly ok: false;
        readonly reason: "unknown-node" | "not-promoted";
        readonly why: string;
      }
  >;
  /** The supervisor of `rialto cluster demo`; null elsewhere. */
  readonly demo: {
    start(name: string): Promise<{
      readonly entry?: OperatorAnswer<"startDemoProcess">;
      readonly unknown?: string;
      readonly failure?: string;
    }>;
  } | null;
}

export interface OperatorLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface OperatorPorts {
  /** Of a cluster it is the whole one: what is asked sees all that was acknowledged before. */
  readonly engine: EngineClient;
  readonly history: HistoryPort;
  readonly keys: KeyVault;
  readonly randomness: Randomness;
  readonly snapshots: Snapshots;
  /** Calls about it are refused outside a sandbox. */
  readonly traffic: FaultRegistry;
  /** Null without `--sandbox`. */
  readonly states: States | null;
  /** Null without `--sandbox`. */
  readonly house: House | null;
  readonly events: DurableEvents;
  readonly webhooks: Webhooks;
  /** Version, queues and journal of the process: plain JSON without secrets. */
  readonly status: () => Readonly<Record<string, unknown>>;
  readonly metrics: ProcessMetrics;
  readonly health: Health;
  /** Null or absent for an exchange on one machine. */
  readonly node?: ClusterNode | null;
  readonly log: OperatorLog;
  /** Called on a broken invariant: the process must exit, and is healthy after a restart. */
  readonly onFatal: (error: Error) => void;
}
