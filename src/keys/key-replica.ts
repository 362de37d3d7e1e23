/**
 * The keys that may sign, in another thread than the directory's. A change is visible here before
 * the operator's call that made it is answered.
 */
import type { MessagePort } from "node:worker_threads";
import type { ReplicaMessage } from "./key-replicas.ts";
import { type LiveKey, toLiveKey } from "./live-key.ts";

export interface KeyReplica {
  readonly size: number;
  /** The same object until the key changes; null for an unknown or revoked key. */
  find(apiKey: string): LiveKey | null;
}

/** `port` is the other end of the directory's. Resolves when all keys have arrived. */
export function openKeyReplica(port: MessagePort): Promise<KeyReplica> {
  const live = new Map<string, LiveKey>();
  const replica: KeyReplica = {
    get size() {
      return live.size;
    },
    find: (apiKey) => live.get(apiKey) ?? null,
  };
  return new Promise((resolve) => {
    port.on("message", (message: ReplicaMessage) => {
      switch (message.type) {
        case "set":
          for (const { secrets, settings } of message.keys) {
            live.set(settings.apiKey, toLiveKey(secrets, settings));
          }
          return;
        case "delete":
          live.delete(message.apiKey);
          return;
        case "complete":
          // From here on it keeps no thread alive.
          port.unref();
          resolve(replica);
          return;
        case "confirm":
          port.postMessage(message.number);
      }
    });
  });
}
