/**
 * Runs two programs over shared memory in every order of their steps. The programs are the real
 * code: it is stopped before each access to shared memory by running it again from its beginning,
 * with the results that its earlier accesses had, up to the next one. A state is the memory, the
 * events under way and what each program has seen so far; each state is visited once. Where a
 * program says what its local state is, different pasts that lead to it count as one.
 */
import assert from "node:assert/strict";
import type { SharedWords } from "../../src/threads/index.ts";

/** Ends a run of a program before a step that is not its turn. */
class Stopped {}

/** What a program does with memory and events, one step each. */
export class Steps implements SharedWords {
  readonly #words: SharedWords;
  readonly #events: Int32Array;
  readonly #side: number;
  readonly #seen: readonly number[];
  #count = 0;
  /** The result of the new step, when it was taken. */
  taken: { readonly result: number; readonly label: string } | null = null;
  /** The local state that was reached after the new step and before the next one. */
  settled: string | null = null;
  readonly #loaded: number[] = [];
  readonly #stored: number[] = [];

  constructor(words: SharedWords, events: Int32Array, side: number, seen: readonly number[]) {
    this.#words = words;
    this.#events = events;
    this.#side = side;
    this.#seen = seen;
  }

  /** An access that the code under test leaves to the caller: bytes of a record. */
  step(label: string, access: () => number, isPossible = () => true): number {
    const index = this.#count++;
    if (index < this.#seen.length) return this.#seen[index] as number;
    if (this.taken !== null || !isPossible()) throw new Stopped();
    const result = access();
    this.taken = { result, label: `${label} = ${result}` };
    return result;
  }

  load(index: number): number {
    this.#loaded[index] = this.step(`load ${index}`, () => this.#words.load(index));
    return this.#loaded[index];
  }

  store(index: number, value: number): void {
    this.#stored[index] = value;
    this.step(`store ${index}`, () => {
      this.#words.store(index, value);
      return value;
    });
  }

  /**
   * Says that the program's local state follows from these numbers, and from what it last loaded
   * from and stored to the words at `indexes`.
   */
  settle(indexes: readonly number[], ...locals: readonly number[]): void {
    if (this.taken === null) return;
    const words = indexes.map((index) => `${this.#loaded[index]}/${this.#stored[index]}`);
    this.settled = `${this.#side}: ${words} ${locals}`;
  }

  exchange(index: number, value: number): number {
    return this.step(`exchange ${index}`, () => this.#words.exchange(index, value));
  }

  get(index: number): number {
    return this.step(`get ${index}`, () => this.#words.get(index));
  }

  set(index: number, value: number): void {
    this.step(`set ${index}`, () => {
      this.#words.set(index, value);
      return value;
    });
  }

  /** Sends an event to the other side. */
  send(): void {
    this.step("send", () => this.#addEvents(1 - this.#side, 1));
  }

  /** Waits for an event, and takes it. */
  receive(): void {
    const isThere = () => (this.#events[this.#side] as number) > 0;
    this.step("receive", () => this.#addEvents(this.#side, -1), isThere);
  }

  /** Takes an event if one is there. */
  poll(): boolean {
    return (
      this.step("poll", () => {
        if (this.#events[this.#side] === 0) return 0;
        this.#addEvents(this.#side, -1);
        return 1;
      }) === 1
    );
  }

  #addEvents(side: number, change: number): number {
    this.#events[side] = (this.#events[side] as number) + change;
    return this.#events[side] as number;
  }
}

/** Must do the same whenever its steps have the same results. */
export type Program = (steps: Steps) => void;

export interface TwoPrograms {
  /** All memory that both sides use, in the state to begin with. */
  readonly memory: Uint8Array;
  readonly words: SharedWords;
  readonly programs: readonly [Program, Program];
  /** Checks the memory in a state in which nothing can go on. */
  readonly atEnd: (ended: readonly boolean[]) => void;
}

/** What a program has seen: a chain, so that equal histories have one number. */
interface History {
  readonly id: number;
  readonly results: readonly number[];
  readonly next: Map<number, History>;
}

interface State {
  readonly memory: Uint8Array;
  readonly events: Int32Array;
  readonly histories: readonly [History, History];
  readonly before: State | null;
  readonly label: string;
}

export interface Exploration {
  readonly states: number;
  /** States in which nothing could go on. */
  readonly ends: number;
}

export class Explorer {
  readonly #model: TwoPrograms;
  readonly #statesMax: number;
  readonly #events = new Int32Array(2);
  readonly #visited = new Set<string>();
  readonly #open: State[] = [];
  readonly #settled = new Map<string, History>();
  #histories = 0;
  #ends = 0;

  constructor(model: TwoPrograms, statesMax: number) {
    this.#model = model;
    this.#statesMax = statesMax;
  }

  /** Throws at the first order of steps that breaks something, with these steps in the message. */
  run(): Exploration {
    const { memory } = this.#model;
    const histories = [this.#history([]), this.#history([])] as const;
    const events = new Int32Array(2);
    this.#add({ memory: memory.slice(), events, histories, before: null, label: "" });
    for (let state = this.#open.pop(); state !== undefined; state = this.#open.pop()) {
      this.#expand(state);
      assert.ok(this.#visited.size < this.#statesMax, "the model is too large");
    }
    return { states: this.#visited.size, ends: this.#ends };
  }

  #history(results: readonly number[]): History {
    return { id: this.#histories++, results, next: new Map() };
  }

  #expand(state: State): void {
    const ended = [false, false];
    let moves = 0;
    for (const side of [0, 1]) {
      const move = this.#move(state, side);
      if (move === "ended") ended[side] = true;
      else if (move !== "stuck") {
        moves++;
        this.#add(move);
      }
    }
    if (moves > 0) return;
    this.#ends++;
    this.#model.memory.set(state.memory);
    this.#explained(state, "at the end", () => this.#model.atEnd(ended));
  }

  /** One more step of one side. */
  #move(state: State, side: number): State | "ended" | "stuck" {
    const { memory, words, programs } = this.#model;
    memory.set(state.memory);
    this.#events.set(state.events);
    const history = state.histories[side] as History;
    const steps = new Steps(words, this.#events, side, history.results);
    let hasReturned = false;
    this.#explained(state, `in program ${side}`, () => {
      try {
        programs[side]?.(steps);
        hasReturned = true;
      } catch (error) {
        if (!(error instanceof Stopped)) throw error;
      }
    });
    if (steps.taken === null) return hasReturned ? "ended" : "stuck";
    const { result, label } = steps.taken;
    const longer = this.#after(history, result, steps.settled);
    const [first, second] = state.histories;
    return {
      memory: memory.slice(),
      events: this.#events.slice(),
      histories: side === 0 ? [longer, second] : [first, longer],
      before: state,
      label: `${side}: ${label}`,
    };
  }

  #after(history: History, result: number, settled: string | null): History {
    const known = history.next.get(result);
    if (known !== undefined) return known;
    let next = settled === null ? undefined : this.#settled.get(settled);
    next ??= this.#history([...history.results, result]);
    history.next.set(result, next);
    if (settled !== null) this.#settled.set(settled, next);
    return next;
  }

  #add(state: State): void {
    const [first, second] = state.histories;
    const bytes = Buffer.from(state.memory.buffer, state.memory.byteOffset, state.memory.length);
    const key = `${first.id} ${second.id} ${state.events} ${bytes.toString("latin1")}`;
    if (this.#visited.has(key)) return;
    this.#visited.add(key);
    this.#open.push(state);
  }

  #explained(state: State, where: string, check: () => void): void {
    try {
      check();
    } catch (error) {
      const steps: string[] = [];
      for (let at: State | null = state; at !== null; at = at.before) steps.push(at.label);
      const message = error instanceof Error ? error.message : String(error);
      throw new Error(`${where}: ${message}\n${steps.reverse().join("\n")}`, { cause: error });
    }
  }
}
