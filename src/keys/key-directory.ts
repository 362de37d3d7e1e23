/**
 * The keys that may sign, in memory. A key is live when both halves exist, its secrets and its
 * settings. Every lookup sees the last change. Gateways in other threads have replicas.
 */
import type { MessagePort } from "node:worker_threads";
import { KeyReplicas } from "./key-replicas.ts";
import { type KeySecrets, type KeySettings, type LiveKey, toLiveKey } from "./live-key.ts";

export class KeyDirectory {
  readonly #live = new Map<string, LiveKey>();
  /** Of the live keys, in the form in which replicas get them. */
  readonly #secrets = new Map<string, KeySecrets>();
  readonly #replicas = new KeyReplicas();

  get size(): number {
    return this.#live.size;
  }

  /** The same object until the key changes; null for an unknown or revoked key. */
  find(apiKey: string): LiveKey | null {
    return this.#live.get(apiKey) ?? null;
  }

  names(): readonly string[] {
    return [...this.#live.keys()];
  }

  set(secrets: KeySecrets, settings: KeySettings): void {
    const { apiKey } = settings;
    const key = toLiveKey(secrets, settings);
    this.#live.set(apiKey, key);
    this.#secrets.set(apiKey, secrets);
    this.#replicas.set(secrets, key);
  }

  delete(apiKey: string): void {
    this.#live.delete(apiKey);
    this.#secrets.delete(apiKey);
    this.#replicas.delete(apiKey);
  }

  /** The other end of `port` is for `openKeyReplica`: it gets all keys and every change. */
  addReplica(port: MessagePort): void {
    this.#replicas.add(port, this.#live, this.#secrets);
  }

  /** Resolves when every replica has applied all changes so far: at once when there is none. */
  published(): Promise<void> {
    return this.#replicas.confirmed();
  }
}
