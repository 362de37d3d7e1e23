/**
 * API keys on a node: what the log says of a key comes in force here, whichever node an operator
 * has asked, with its secrets from PostgreSQL, where they are before the log says anything.
 */
import type { Engine } from "../../engine/index.ts";
import { type KeyVault, UnusableSecrets } from "../../keys/index.ts";
import type { Scheduler } from "../../platform/index.ts";
import type { Command } from "../../protocol/index.ts";

const RETRY_MS = 200;

export class FollowedKeys {
  readonly #engine: Engine;
  readonly #vault: KeyVault;
  readonly #scheduler: Scheduler;
  /** Changes happen one after the other. */
  #changes: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(engine: Engine, vault: KeyVault, scheduler: Scheduler) {
    this.#engine = engine;
    this.#vault = vault;
    this.#scheduler = scheduler;
  }

  /** Resolves when all that was applied so far is in force. */
  get inForce(): Promise<void> {
    return this.#changes;
  }

  /** A command was applied. */
  applied(command: Command): void {
    const apiKey = keyIn(command);
    if (apiKey === null) return;
    const found = this.#engine.query({ type: "api-key", apiKey }, this.#engine.timestampMs);
    const settings = found.ok ? found.value : null;
    this.#changes = this.#changes.then(async () => {
      while (!this.#isOver) {
        try {
          await this.#vault.follow(apiKey, settings as Parameters<KeyVault["follow"]>[1]);
          return;
        } catch (error) {
          // Of another master key: it cannot sign here.
          if (error instanceof UnusableSecrets) return;
        }
        await new Promise<void>((resolve) => {
          this.#scheduler.after(RETRY_MS, resolve, "background");
        });
      }
    });
  }

  /** This node ends. */
  stop(): void {
    this.#isOver = true;
  }
}

/** The API key that a command is about; null for any other command. */
function keyIn(command: Command): string | null {
  const { type } = command;
  if (type === "do-for-reason" || type === "do-once") return keyIn(command.command);
  const isOfKey = type === "set-api-key" || type === "revoke-api-key";
  return isOfKey ? command.apiKey : null;
}
