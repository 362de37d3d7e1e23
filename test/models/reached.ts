/** What the exchanges of a model have reached, of what their traffic is meant to reach. */
import type { TestContext } from "node:test";
import { Random } from "../support/random.ts";

export interface Exchanges {
  /** As many in any case, and more of them, up to the most, while something was not reached. */
  readonly least: number;
  readonly most: number;
}

export class Reached {
  readonly #needed: readonly string[];
  readonly #counts = new Map<string, number>();

  constructor(needed: readonly string[]) {
    this.#needed = needed;
  }

  get missing(): readonly string[] {
    return this.#needed.filter((needed) => !this.#counts.has(needed));
  }

  /** A test for each exchange: it says how often it reached what. */
  async run(
    context: TestContext,
    random: Random,
    { least, most }: Exchanges,
    runOne: (random: Random) => ReadonlyMap<string, number>,
  ): Promise<void> {
    for (let done = 0; done < least || (this.missing.length > 0 && done < most); done++) {
      const seed = random.integer(0, 2 ** 32 - 1);
      await context.test(`exchange ${done} (seed ${seed})`, () => {
        for (const [key, count] of runOne(new Random(seed))) {
          this.#counts.set(key, (this.#counts.get(key) ?? 0) + count);
        }
      });
    }
  }

  get text(): string {
    const counts = [...this.#counts].sort(([one], [other]) => (one < other ? -1 : 1));
    return counts.map(([key, count]) => `${key} ${count}`).join(", ");
  }
}
