/**
 * Reads that see everything that was acknowledged before they came: the leader says how far that
 * is, and once this node has applied so much, its own copy answers. One question is on its way at a
 * time, for all reads that came before it was sent.
 */
import type { EnginePort } from "../protocol/index.ts";

export interface WaitingRead {
  readonly request: Uint8Array;
  readonly answered: (answer: Uint8Array) => void;
  readonly deadlineMs: number;
}

export interface ReadIndexOptions {
  /** This node's own copy of the state. */
  readonly local: EnginePort;
  /** Up to which command it has applied the log. */
  readonly sequence: () => number;
  /** Asks for the next commands without waiting. */
  readonly hurry: () => void;
  readonly expired: (read: WaitingRead) => void;
}

interface Reaching {
  readonly sequence: number;
  readonly reads: readonly WaitingRead[];
}

export class ReadIndex {
  readonly #options: ReadIndexOptions;
  /** Asks the leader; null without one. */
  #ask: (() => void) | null = null;
  /** Those that the question on its way does not cover. */
  #new: WaitingRead[] = [];
  /** Those that it covers; null when none is on its way. */
  #asked: WaitingRead[] | null = null;
  /** Those for which this node is not far enough yet, by sequence. */
  #reaching: Reaching[] = [];
  #size = 0;

  constructor(options: ReadIndexOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  add(read: WaitingRead): void {
    this.#new.push(read);
    this.#size++;
    this.#askNow();
  }

  /** A leader can be asked; `ask` sends the question. */
  linked(ask: () => void): void {
    this.#ask = ask;
    this.#askNow();
  }

  unlinked(): void {
    this.#ask = null;
    this.#new = [...(this.#asked ?? []), ...this.#new];
    this.#asked = null;
  }

  /** The answer to the question. */
  here(sequence: number): void {
    const reads = this.#asked;
    if (reads === null) return;
    this.#asked = null;
    if (sequence <= this.#options.sequence()) this.#answer(reads);
    else {
      const at = this.#reaching.findLastIndex((other) => other.sequence <= sequence) + 1;
      this.#reaching.splice(at, 0, { sequence, reads });
      this.#options.hurry();
    }
    this.#askNow();
  }

  /** This node has applied more of the log. */
  applied(): void {
    const sequence = this.#options.sequence();
    while (this.#reaching[0] !== undefined && this.#reaching[0].sequence <= sequence) {
      this.#answer((this.#reaching.shift() as Reaching).reads);
    }
    if (this.#reaching.length > 0) this.#options.hurry();
  }

  /** This node leads: its own state is what all reads wait for. */
  led(): void {
    this.unlinked();
    const reads = [...this.#reaching.flatMap((each) => each.reads), ...this.#new];
    this.#reaching = [];
    this.#new = [];
    this.#answer(reads);
  }

  /** Gives up those whose time is over. Returns the next deadline, `Infinity` for none. */
  expire(nowMs: number): number {
    let nextMs = Number.POSITIVE_INFINITY;
    const keep = (reads: readonly WaitingRead[]): WaitingRead[] => {
      const kept = reads.filter((read) => {
        const isOver = read.deadlineMs <= nowMs;
        if (isOver) this.#giveUp(read);
        else nextMs = Math.min(nextMs, read.deadlineMs);
        return !isOver;
      });
      return kept;
    };
    this.#new = keep(this.#new);
    if (this.#asked !== null) this.#asked = keep(this.#asked);
    this.#reaching = this.#reaching.map(({ reads, sequence }) => {
      return { sequence, reads: keep(reads) };
    });
    return nextMs;
  }

  #giveUp(read: WaitingRead): void {
    this.#size--;
    this.#options.expired(read);
  }

  #askNow(): void {
    if (this.#ask === null || this.#asked !== null || this.#new.length === 0) return;
    this.#asked = this.#new;
    this.#new = [];
    this.#ask();
  }

  #answer(reads: readonly WaitingRead[]): void {
    this.#size -= reads.length;
    for (const { request, answered } of reads) this.#options.local.submit(request, answered);
  }
}
