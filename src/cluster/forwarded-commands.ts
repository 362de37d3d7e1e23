/**
 * Requests with commands on their way to the leader. Each is kept until it is answered, and looked
 * for in the log that this node follows: what a leader did before it died stands there, with the
 * same bytes, and its answer is what this node computed when it applied them. So after a takeover a
 * request is either answered from the log or was never done, and is sent again; nothing is done
 * twice, whatever it is.
 */
import {
  type Answer,
  ByteWriter,
  type Command,
  type EnginePort,
  type RequestPart,
  requestOf,
  writeAnswer,
} from "../protocol/index.ts";

export interface ForwardedRequest {
  readonly request: Uint8Array;
  readonly answered: (answer: Uint8Array) => void;
  readonly deadlineMs: number;
  /** What the leader counts it as; empty for nothing. */
  readonly charge: string;
  /** Whether a leader may have it, or have done it. */
  wasSent: boolean;
}

interface Kept extends ForwardedRequest {
  readonly id: number;
  readonly parts: readonly RequestPart[];
  /** Of each part the outcome, as it is written in an answer; null while it is not known. */
  readonly outcomes: (Uint8Array | null)[];
  /** Commands without an outcome. */
  unknown: number;
  /** Once it is answered: up to where what it did is in the log. */
  endSequence: number | null;
}

/** Where requests are sent. An answer comes back to `answered`, with the same id. */
export type SendRequest = (id: number, request: Uint8Array, charge: string) => void;

export class ForwardedCommands {
  readonly #local: EnginePort;
  readonly #kept = new Map<number, Kept>();
  /** Whose commands these are, by their bytes; the first of equal ones is done first. */
  readonly #byRecord = new Map<string, Kept[]>();
  /** A part of a request that was sent alone. */
  readonly #alone = new Map<number, { readonly of: Kept; readonly part: number }>();
  /** Answered ones whose commands this node has not applied yet: those are of nobody else. */
  readonly #ahead: Kept[] = [];
  readonly #sequence: () => number;
  #send: SendRequest | null = null;
  #lastId = 0;

  /** `local` answers queries; `sequence` is that of the last command that was applied here. */
  constructor(local: EnginePort, sequence: () => number) {
    this.#local = local;
    this.#sequence = sequence;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** `parts` are those of the request. */
  add(
    request: Uint8Array,
    parts: readonly RequestPart[],
    answered: (answer: Uint8Array) => void,
    deadlineMs: number,
    charge: string,
  ): void {
    const records = parts.filter(({ record }) => record !== null);
    const kept: Kept = {
      id: ++this.#lastId,
      request,
      answered,
      deadlineMs,
      charge,
      wasSent: false,
      parts,
      outcomes: parts.map(() => null),
      unknown: records.length,
      endSequence: null,
    };
    this.#kept.set(kept.id, kept);
    for (const { record } of records) {
      const key = keyOf(record as Uint8Array);
      const same = this.#byRecord.get(key);
      if (same === undefined) this.#byRecord.set(key, [kept]);
      else same.push(kept);
    }
    if (this.#send !== null) this.#dispatch(kept, this.#send);
  }

  /** What earlier leaders did is applied here: what is not known to be done is sent now. */
  linked(send: SendRequest): void {
    this.#send = send;
    for (const kept of [...this.#kept.values()]) {
      if (kept.unknown === 0) this.#answerFromLog(kept);
      else this.#dispatch(kept, send);
    }
  }

  unlinked(): void {
    this.#send = null;
    this.#alone.clear();
    for (const kept of [...this.#kept.values()]) {
      if (kept.unknown === 0) this.#answerFromLog(kept);
    }
  }

  /** A command of the log was applied here. */
  applied(command: Command, record: Uint8Array, answer: Answer): void {
    if (this.#byRecord.size === 0) return;
    const key = keyOf(record);
    for (const kept of this.#byRecord.get(key) ?? []) {
      const part = kept.parts.findIndex((each, index) => {
        const isOpen = kept.outcomes[index] === null && each.record !== null;
        return isOpen && keyOf(each.record as Uint8Array) === key;
      });
      if (part < 0 || !kept.wasSent) continue;
      const writer = new ByteWriter(64);
      writeAnswer(writer, command, answer);
      kept.outcomes[part] = writer.view();
      kept.unknown--;
      // While there is a leader it answers, also what it refused.
      const isOpen = kept.endSequence === null;
      if (isOpen && kept.unknown === 0 && this.#send === null) this.#answerFromLog(kept);
      return;
    }
  }

  /** Everything up to here was applied, whole commits. */
  appliedUpTo(sequence: number): void {
    while (this.#ahead[0] !== undefined && (this.#ahead[0].endSequence ?? 0) <= sequence) {
      this.#forgetRecords(this.#ahead.shift() as Kept);
    }
  }

  /** What a leader answered; what it did is in the log up to `sequence`. */
  answered(id: number, answer: Uint8Array, sequence: number): void {
    const alone = this.#alone.get(id);
    if (alone !== undefined) {
      this.#alone.delete(id);
      const { of, part } = alone;
      if (of.outcomes[part] !== null) return;
      of.outcomes[part] = answer;
      of.unknown--;
      if (of.unknown === 0 && this.#kept.has(of.id)) this.#answerFromLog(of);
      return;
    }
    const kept = this.#kept.get(id);
    if (kept === undefined) return;
    this.#kept.delete(id);
    kept.endSequence = sequence;
    if (sequence > this.#sequence()) this.#ahead.push(kept);
    else this.#forgetRecords(kept);
    kept.answered(answer);
  }

  /** The leader took none of the request, which is sent to the next one. */
  notTaken(id: number): void {
    this.#alone.delete(id);
    const kept = this.#kept.get(id);
    if (kept?.outcomes.every((outcome) => outcome === null)) {
      kept.wasSent = false;
    }
  }

  /** Those whose time is over and that are not in the log; they are not kept any longer. */
  expired(nowMs: number): readonly ForwardedRequest[] {
    const over: Kept[] = [];
    // They are kept in the order of their deadlines.
    for (const kept of this.#kept.values()) {
      if (kept.deadlineMs > nowMs) break;
      over.push(kept);
    }
    const lost = over.filter(({ unknown }) => unknown > 0);
    for (const kept of over) {
      if (kept.unknown === 0) this.#answerFromLog(kept);
      else this.#forget(kept);
    }
    return lost;
  }

  /** The next deadline, `Infinity` for none. */
  get nextDeadlineMs(): number {
    for (const { deadlineMs } of this.#kept.values()) return deadlineMs;
    return Number.POSITIVE_INFINITY;
  }

  #dispatch(kept: Kept, send: SendRequest): void {
    kept.wasSent = true;
    if (kept.outcomes.every((outcome) => outcome === null)) {
      send(kept.id, kept.request, kept.charge);
      return;
    }
    // A part of it was done, in one commit with the rest: what is not in the log was refused.
    for (const [part, each] of kept.parts.entries()) {
      if (each.record === null || kept.outcomes[part] !== null) continue;
      const id = ++this.#lastId;
      this.#alone.set(id, { of: kept, part });
      // All of it was counted when the rest was done.
      send(id, requestOf(each), "");
    }
  }

  /** All commands have outcomes; queries are answered now. */
  #answerFromLog(kept: Kept): void {
    this.#forget(kept);
    let waiting = 1;
    const done = (): void => {
      waiting--;
      if (waiting > 0) return;
      const answer = new ByteWriter(256);
      for (const outcome of kept.outcomes) answer.raw(outcome as Uint8Array);
      kept.answered(answer.view());
    };
    for (const [index, part] of kept.parts.entries()) {
      if (part.record !== null) continue;
      waiting++;
      this.#local.submit(requestOf(part), (outcome) => {
        kept.outcomes[index] = outcome.slice();
        done();
      });
    }
    done();
  }

  #forget(kept: Kept): void {
    this.#kept.delete(kept.id);
    this.#forgetRecords(kept);
  }

  #forgetRecords(kept: Kept): void {
    for (const { record } of kept.parts) {
      if (record === null) continue;
      const key = keyOf(record);
      const others = this.#byRecord.get(key)?.filter((other) => other !== kept) ?? [];
      if (others.length === 0) this.#byRecord.delete(key);
      else this.#byRecord.set(key, others);
    }
  }
}

const LATIN = new TextDecoder("latin1");

/** The same text for the same bytes. */
function keyOf(record: Uint8Array): string {
  return LATIN.decode(record);
}
