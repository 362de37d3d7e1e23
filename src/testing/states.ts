/** The states of a test exchange: checkpoints, restores and resets. */
import type { OperatorCalls } from "./operator-calls.ts";

/** A state that an exchange can go back to. */
export interface Checkpoint {
  readonly name: string;
  /** The last command in it. */
  readonly sequence: number;
  readonly stateHash: string;
}

export class ExchangeStates {
  readonly #operator: OperatorCalls;
  #named = 0;

  constructor(operator: OperatorCalls) {
    this.#operator = operator;
  }

  /** Without a name it gets one that no other has. */
  async checkpoint(name?: string): Promise<Checkpoint> {
    if (name !== undefined) return await this.#make(name);
    const taken = new Set((await this.list()).map((checkpoint) => checkpoint.name));
    do this.#named++;
    while (taken.has(`checkpoint-${this.#named}`));
    return await this.#make(`checkpoint-${this.#named}`);
  }

  #make(name: string): Promise<Checkpoint> {
    return this.#operator.call("POST", "sandbox/checkpoints", { name });
  }

  async list(): Promise<readonly Checkpoint[]> {
    const path = "sandbox/checkpoints";
    const { items } = await this.#operator.call<{ readonly items: Checkpoint[] }>("GET", path);
    return items;
  }

  async restore(checkpoint: string | Pick<Checkpoint, "name">): Promise<void> {
    const name = typeof checkpoint === "string" ? checkpoint : checkpoint.name;
    await this.#operator.call("POST", "sandbox/restore", { name });
  }

  async reset(): Promise<void> {
    await this.#operator.call("POST", "sandbox/reset");
  }

  /** The present state is what `reset` goes back to. */
  async markReset(): Promise<void> {
    await this.#operator.call("PUT", "sandbox/reset");
  }
}
