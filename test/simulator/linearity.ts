/**
 * Whether what clients did and were told is one story in real time: each answer fits the state
 * after one command between its request and its answer, and whoever asks later sees no less. The
 * journal has put the writes in order, so that the earliest fitting command is always the best.
 */
import { hold } from "./breach.ts";

/** Something that a client was answered. */
export interface Observation {
  readonly what: string;
  /** When it was asked and when it was answered, in turns of the simulation. */
  readonly asked: number;
  readonly answered: number;
  /** Commands after which what it is about was another, in order. */
  readonly changes: () => readonly number[];
  /** Whether it fits the state after this command. */
  readonly fits: (sequence: number) => boolean;
  /** The last command that the answer says it shows or has carried out. */
  readonly shown?: number | undefined;
  /**
   * `write`: it is this very command, which nobody can have seen before. `message`: it may tell of
   * the past, but nobody who asks afterwards sees less.
   */
  readonly kind: "read" | "write" | "message";
}

interface Placed {
  readonly answered: number;
  readonly sequence: number;
}

export class Linearity {
  #open: Observation[] = [];
  /** What everybody has seen. */
  #floor = 0;
  #turn = 0;
  checked = 0;

  turn(): number {
    return ++this.#turn;
  }

  observe(observation: Observation): void {
    this.#open.push(observation);
  }

  /** Of all that was answered; nobody waits for an answer now. */
  check(): void {
    const placed: Placed[] = [];
    const observations = this.#open.sort((one, other) => one.asked - other.asked);
    this.#open = [];
    for (const observation of observations) {
      const { answered, asked, changes, fits, kind, shown, what } = observation;
      let floor = this.#floor;
      for (const before of placed) {
        if (before.answered < asked) floor = Math.max(floor, before.sequence);
      }
      const sequence = placeOf(observation, floor);
      const detail = () => `${what}: nothing fits after command ${floor}, changes ${changes()}`;
      hold(sequence !== null, "all answers are one story in real time", detail);
      const isShown = shown === undefined || (kind === "write" ? sequence <= shown : fits(shown));
      const both = () => `${what}: it is of command ${sequence}, and says ${shown}`;
      hold(isShown, "an answer names the command that it shows", both);
      placed.push({ answered, sequence });
      this.checked++;
    }
    for (const { sequence } of placed) this.#floor = Math.max(this.#floor, sequence);
  }
}

/** The earliest command that fits. */
function placeOf({ changes, fits, kind }: Observation, floor: number): number | null {
  const least = kind === "message" ? 0 : kind === "write" ? floor + 1 : floor;
  if (kind === "read" && fits(floor)) return floor;
  return changes().find((sequence) => sequence >= least && fits(sequence)) ?? null;
}
