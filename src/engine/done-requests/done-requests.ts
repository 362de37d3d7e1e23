/**
 * What users asked for by a signed request and got: a request that comes again, because its answer
 * was lost or because somebody captured it, gets the first answer and has no other effect. A
 * signature is good for a minute, so ten are remembered; and never more than there is room for.
 */

export interface DoneRequest {
  readonly uid: number;
  readonly requestId: string;
  /** JSON text. */
  readonly answer: string;
  /** Exchange time without what a sandbox put it forward by. */
  readonly doneMs: number;
}

export interface DoneRequestsOptions {
  readonly countMax?: number;
  readonly charactersMax?: number;
}

const KEPT_MS = 10 * 60_000;
const COUNT_MAX = 1_000_000;
/** Of all answers together. */
const CHARACTERS_MAX = 256 * 1024 * 1024;
/** A call that adds one drops up to so many, so the memory catches up and no call takes long. */
const DROPPED_PER_CALL = 4;

export class DoneRequests {
  readonly #countMax: number;
  readonly #charactersMax: number;
  /** In the order in which they were done. */
  readonly #byKey = new Map<string, DoneRequest>();
  #characters = 0;

  constructor({ countMax, charactersMax }: DoneRequestsOptions = {}) {
    this.#countMax = countMax ?? COUNT_MAX;
    this.#charactersMax = charactersMax ?? CHARACTERS_MAX;
  }

  get size(): number {
    return this.#byKey.size;
  }

  /** What was answered, or null; one that is too old counts as dropped whether or not it was. */
  find(uid: number, requestId: string, nowMs: number): string | null {
    const done = this.#byKey.get(keyOf(uid, requestId));
    return done === undefined || isExpired(done, nowMs) ? null : done.answer;
  }

  /** `find` at `doneMs` must not know it: that is the caller's check. */
  add(done: DoneRequest): void {
    this.#drop(keyOf(done.uid, done.requestId));
    this.restore(done);
    let dropped = 0;
    for (const [oldest, candidate] of this.#byKey) {
      const isFull = this.#byKey.size > this.#countMax || this.#characters > this.#charactersMax;
      const mayGo = dropped < DROPPED_PER_CALL && isExpired(candidate, done.doneMs);
      if (!isFull && !mayGo) break;
      this.#drop(oldest);
      dropped++;
    }
  }

  /** One of those that there were, in their order: none is dropped for it, however old they are. */
  restore(done: DoneRequest): void {
    this.#byKey.set(keyOf(done.uid, done.requestId), done);
    this.#characters += done.answer.length;
  }

  /** In the order in which they will be dropped. */
  all(): Iterable<DoneRequest> {
    return this.#byKey.values();
  }

  #drop(key: string): void {
    const done = this.#byKey.get(key);
    if (done === undefined) return;
    this.#characters -= done.answer.length;
    this.#byKey.delete(key);
  }
}

function keyOf(uid: number, requestId: string): string {
  return `${uid}|${requestId}`;
}

function isExpired({ doneMs }: DoneRequest, nowMs: number): boolean {
  return nowMs - doneMs > KEPT_MS;
}
