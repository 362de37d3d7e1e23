/**
 * What the risk index has to look at, each once and in the order in which it came. The mark is a
 * field of what is looked at: a `Set` makes a new table whenever it is cleared, and these are
 * cleared after every fill.
 */

/** Whatever can be a suspect of one index. */
export interface Suspectable {
  isSuspect: boolean;
}

export class Suspects<Suspect extends Suspectable> {
  readonly #entries: Suspect[] = [];

  /** Whether something may have to be looked at. */
  get any(): boolean {
    return this.#entries.length > 0;
  }

  add(suspect: Suspect): void {
    if (suspect.isSuspect) return;
    suspect.isSuspect = true;
    this.#entries.push(suspect);
  }

  /** It has not to be looked at any more. */
  delete(suspect: Suspect): void {
    // Its place is passed over; added again, it has one more, of which the first counts.
    suspect.isSuspect = false;
  }

  /** Looks at each; whoever looks adds no other one. */
  take(look: (suspect: Suspect) => void): void {
    const entries = this.#entries;
    for (const suspect of entries) {
      if (!suspect.isSuspect) continue;
      suspect.isSuspect = false;
      look(suspect);
    }
    // Taken out one by one: a length of 0 would give the room of the array away.
    while (entries.length > 0) entries.pop();
  }
}
