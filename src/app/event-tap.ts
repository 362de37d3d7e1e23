/** Passes durable events on to whoever listens: the streams, and replays that count fills. */
import type { DurableEvents } from "../operator/index.ts";

export class EventTap implements DurableEvents {
  readonly #receivers = new Set<(chunk: Uint8Array) => void>();
  readonly #isBehind: () => boolean;

  constructor(isBehind: () => boolean) {
    this.#isBehind = isBehind;
  }

  get isBehind(): boolean {
    return this.#isBehind();
  }

  listen(receive: (chunk: Uint8Array) => void): () => void {
    this.#receivers.add(receive);
    return () => this.#receivers.delete(receive);
  }

  publish(chunk: Uint8Array): void {
    for (const receive of this.#receivers) receive(chunk);
  }
}
