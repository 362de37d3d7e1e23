/** A value that changes outside of React; components see it once a frame at most. */
import { useSyncExternalStore } from "react";
import { scheduleDraw } from "./frame.ts";

/** What a component can look at. */
export interface Live<Value> {
  get(): Value;
  /** Returns how to stop. */
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

  /** The same object again tells nobody. */
  set(value: Value): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    scheduleDraw(this.#notify);
  }

  readonly #notify = (): void => {
    for (const listener of [...this.#listeners]) listener();
  };
}

/** The present value; the component is drawn again when it is another one. */
export function useLive<Value>(live: Live<Value>): Value {
  return useSyncExternalStore(live.subscribe, live.get);
}
