/** A value that changes outside of React; components see it at most once per frame. */
import { useSyncExternalStore } from "react";
import { scheduleDraw } from "./frame.ts";

/** The read side. */
export interface Live<Value> {
  get(): Value;
  /** Returns the unsubscribe function. */
  subscribe(listener: () => void): () => void;
}

export class LiveValue<Value> implements Live<Value> {
  readonly #listeners = new Set<() => void>();
  #value: Value;

  constructor(value: Value) {
    this.#value = value;
  }

  readonly get = (): Value => this.#value;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Setting the same value notifies nobody. */
  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    scheduleDraw(this.#notify);
  }

  readonly #notify = (): void => {
    for (const listener of [...this.#listeners]) listener();
  };
}

/** The current value; the component renders again when it changes. */
export function useLive<Value>(live: Live<Value>): Value {
  return useSyncExternalStore(live.subscribe, live.get);
}
