/** What the tests of key replicas and their threads say to each other. */
import type { MessagePort } from "node:worker_threads";

/** States of a key: not answered yet, revoked and answered, or the number of its settings. */
export const CHANGING = 0;
export const DEAD = -1;

export interface ReplicaStart {
  readonly port: MessagePort;
  /** Of each key, in the order of their creation. */
  readonly states: SharedArrayBuffer;
  readonly known: readonly string[];
  readonly seed: number;
}

export type ReplicaOrder =
  | { readonly type: "look"; readonly apiKey: string; readonly secret: string }
  | { readonly type: "end" };

export interface ReplicaFindings {
  readonly wrong: readonly string[];
  readonly looks: number;
  readonly keys: readonly (readonly [string, object])[];
}
