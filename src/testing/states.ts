/** The states of a test exchange: checkpoints, restores and resets. */
import { join } from "node:path";
import type { OperatorCalls } from "./operator-calls.ts";

/** A state that an exchange can go back to. */
export interface Checkpoint {
  readonly name: string;
  /** The last command in it. */
  readonly sequence: number;
  readonly stateHash: string;
  /** Its folder: `startExchange({ from: checkpoint })` starts another exchange with a copy. */
  readonly folder: string;
}

type Listed = Omit<Checkpoint, "folder">;

export class ExchangeStates {
  readonly #operator: OperatorCalls;
  readonly #dataFolder: string;
  #named = 0;

  constructor(operator: OperatorCalls, dataFolder: string) {
    this.#operator = operator;
    this.#dataFolder = dataFolder;
  }

  /** Without a name, it gets a unique one. */
  async checkpoint(name?: string): Promise<Checkpoint> {
    if (name !== undefined) return await this.#make(name);
    const taken = new Set((await this.list()).map((checkpoint) => checkpoint.name));
    do this.#named++;
    while (taken.has(`checkpoint-${this.#named}`));
    return await this.#make(`checkpoint-${this.#named}`);
  }

  async #make(name: string): Promise<Checkpoint> {
    return this.#of(await this.#operator.call("POST", "sandbox/checkpoints", { name }));
  }

  #of(listed: Listed): Checkpoint {
    return { ...listed, folder: join(this.#dataFolder, "checkpoints", listed.name) };
  }

  async list(): Promise<readonly Checkpoint[]> {
    const path = "sandbox/checkpoints";
    const { items } = await this.#operator.call<{ readonly items: Listed[] }>("GET", path);
    return items.map((listed) => this.#of(listed));
  }

  async restore(checkpoint: string | Pick<Checkpoint, "name">): Promise<void> {
    const name = typeof checkpoint === "string" ? checkpoint : checkpoint.name;
    await this.#operator.call("POST", "sandbox/restore", { name });
  }

  async reset(): Promise<void> {
    await this.#operator.call("POST", "sandbox/reset");
  }

  /** Makes `reset` go back to the current state. */
  async markReset(): Promise<void> {
    await this.#operator.call("PUT", "sandbox/reset");
  }
}
