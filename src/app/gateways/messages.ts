/** What the engine's thread and a gateway's tell each other, besides what is in the rings. */

import type { TrafficAnswer, TrafficCall } from "../../faults/index.ts";
import type { KeyOrder, KeyOutcome } from "../../gateway/key-desk.ts";
import type { DemoAccount } from "../../sandbox/index.ts";
import type { RingMemory } from "../../threads/index.ts";
import type { PublicConfig, SharedCounts } from "../public-server.ts";
import type { EngineRings } from "./engine-ring.ts";

/** What a gateway begins with. */
export interface GatewayData {
  /** `gateway-1` and so on. */
  readonly name: string;
  readonly config: PublicConfig;
  readonly logLevel: string;
  readonly historyPath: string;
  readonly demoAccounts: readonly DemoAccount[];
  readonly counts: SharedCounts;
  /** Brings all keys and their changes. */
  readonly keys: MessagePort;
  readonly rings: EngineRings;
  readonly events: RingMemory;
  readonly exchangeState: SharedArrayBuffer;
  readonly gatewayState: SharedArrayBuffer;
  /** How far the history is. */
  readonly appliedSequence: number;
}

/** Null: something is in a ring. */
export type ToGateway =
  | null
  | { readonly kind: "operator-port"; readonly port: number }
  | { readonly kind: "listen"; readonly port: number }
  /** The history has come so far. */
  | { readonly kind: "applied"; readonly sequence: number }
  /** The exchange went back: all events before are in the ring, the history is in this file. */
  | { readonly kind: "restored"; readonly historyPath: string; readonly appliedSequence: number }
  /** Asks for the gateway's metrics. */
  | { readonly kind: "count"; readonly id: number }
  /** Asks about a sandbox's traffic. */
  | { readonly kind: "traffic"; readonly id: number; readonly call: TrafficCall }
  /** The metrics of the process, which the gateway asked for. */
  | { readonly kind: "rendered"; readonly id: number; readonly text: string }
  /** Of an order of this id. */
  | { readonly kind: "key-outcome"; readonly id: number; readonly outcome: KeyOutcome }
  | { readonly kind: "stop" };

/** Null: something is in a ring. */
export type FromGateway =
  | null
  | { readonly kind: "listening"; readonly port: number }
  | { readonly kind: "cannot-listen"; readonly code: string; readonly message: string }
  /** It serves the restored state. */
  | { readonly kind: "restored" }
  | { readonly kind: "counted"; readonly id: number; readonly metrics: object }
  | { readonly kind: "traffic-answer"; readonly id: number; readonly answer: TrafficAnswer }
  | { readonly kind: "render"; readonly id: number }
  /** A user's key is to be made or revoked. */
  | { readonly kind: "key-order"; readonly id: number; readonly order: KeyOrder }
  /** A broken invariant: the process must end. */
  | { readonly kind: "failed"; readonly error: Error };
