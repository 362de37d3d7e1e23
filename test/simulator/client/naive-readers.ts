/** What whoever reads a channel of a client by a loop or a listener is due; events are numbers. */

export type Heard = number | "failed" | "ended";

export interface NaiveReader {
  readonly due: Heard[];
  /** Events that nobody has asked for. */
  readonly waiting: number;
  push(number: number): void;
  /** The channel is closed. */
  end(): void;
  /** Its reader goes; what waited. */
  leave(): readonly number[];
}

/** What a channel keeps for a loop that is behind: the newest, or all up to a number. */
export interface Keeping {
  readonly most: number;
  readonly isWhole: boolean;
}

/** Also of those who have not come: whoever reads first goes on with what waits for them. */
export class NaiveLoop implements NaiveReader {
  readonly due: Heard[] = [];
  readonly #keeping: Keeping;
  #waiting: number[] = [];
  #wanted = 0;
  #end: "failed" | "ended" | null = null;

  constructor(keeping: Keeping) {
    this.#keeping = keeping;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  push(number: number): void {
    if (this.#end !== null) return;
    if (this.#wanted > 0) {
      this.#wanted--;
      this.due.push(number);
      return;
    }
    this.#waiting.push(number);
    if (this.#waiting.length <= this.#keeping.most) return;
    if (this.#keeping.isWhole) {
      this.#waiting.pop();
      this.#end = "failed";
    } else this.#waiting.shift();
  }

  want(count: number): void {
    const [now, later] = [this.#waiting.slice(0, count), this.#waiting.slice(count)];
    this.#waiting = later;
    this.due.push(...now);
    for (let left = count - now.length; left > 0; left--) {
      if (this.#end === null) this.#wanted++;
      else {
        this.due.push(this.#end);
        this.#end = "ended";
      }
    }
  }

  end(): void {
    this.#end ??= "ended";
    for (; this.#wanted > 0; this.#wanted--) this.due.push("ended");
  }

  /** One that had failed still says so. */
  leave(): readonly number[] {
    this.end();
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }
}

export class NaiveListener implements NaiveReader {
  readonly due: Heard[] = [];
  readonly waiting = 0;
  #isOver = false;

  push(number: number): void {
    if (!this.#isOver) this.due.push(number);
  }

  end(): void {
    if (!this.#isOver) this.due.push("ended");
    this.#isOver = true;
  }

  leave(): readonly number[] {
    this.#isOver = true;
    return [];
  }
}
