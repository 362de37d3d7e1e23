/**
 * Sends keys to the replicas of gateways in other threads: first a copy of all, then every change,
 * in order. Secrets travel as `KeyObject`s from memory to memory of this process.
 */
import type { MessagePort } from "node:worker_threads";
import type { KeySecrets, KeySettings } from "./live-key.ts";

export interface KeyCopy {
  readonly secrets: KeySecrets;
  readonly settings: KeySettings;
}

/** What a replica is sent. It answers `confirm` with the number, having applied all before it. */
export type ReplicaMessage =
  | { readonly type: "set"; readonly keys: readonly KeyCopy[] }
  | { readonly type: "delete"; readonly apiKey: string }
  | { readonly type: "complete" }
  | { readonly type: "confirm"; readonly number: number };

const KEYS_PER_MESSAGE = 1_000;

function plainSettings(key: KeySettings): KeySettings {
  const { apiKey, uid, permissions, ipAllowList, expiresAtMs } = key;
  return { apiKey, uid, permissions, ipAllowList, expiresAtMs };
}

export class KeyReplicas {
  readonly #replicas = new Set<Replica>();
  #number = 0;

  add(
    port: MessagePort,
    live: ReadonlyMap<string, KeySettings>,
    secretsOf: ReadonlyMap<string, KeySecrets>,
  ): void {
    const replica = new Replica(port);
    this.#replicas.add(replica);
    // A thread that has ended accepts no key.
    port.once("close", () => {
      this.#replicas.delete(replica);
      replica.end();
    });
    let keys: KeyCopy[] = [];
    for (const [apiKey, secrets] of secretsOf) {
      keys.push({ secrets, settings: plainSettings(live.get(apiKey) as KeySettings) });
      if (keys.length < KEYS_PER_MESSAGE) continue;
      replica.send({ type: "set", keys });
      keys = [];
    }
    replica.send({ type: "set", keys });
    replica.send({ type: "complete" });
  }

  set(secrets: KeySecrets, settings: KeySettings): void {
    if (this.#replicas.size === 0) return;
    this.#publish({ type: "set", keys: [{ secrets, settings: plainSettings(settings) }] });
  }

  delete(apiKey: string): void {
    this.#publish({ type: "delete", apiKey });
  }

  async confirmed(): Promise<void> {
    const number = ++this.#number;
    await Promise.all([...this.#replicas].map((replica) => replica.confirmed(number)));
  }

  #publish(message: ReplicaMessage): void {
    for (const replica of this.#replicas) replica.send(message);
  }
}

class Replica {
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, () => void>();

  constructor(port: MessagePort) {
    this.#port = port;
    port.on("message", (number: number) => {
      this.#waiting.get(number)?.();
      this.#waiting.delete(number);
    });
    // It keeps no process alive.
    port.unref();
  }

  send(message: ReplicaMessage): void {
    this.#port.postMessage(message);
  }

  confirmed(number: number): Promise<void> {
    this.send({ type: "confirm", number });
    return new Promise((resolve) => this.#waiting.set(number, resolve));
  }

  end(): void {
    for (const resolve of this.#waiting.values()) resolve();
    this.#waiting.clear();
  }
}
