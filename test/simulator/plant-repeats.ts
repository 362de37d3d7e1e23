/**
 * How each planted bug is found with as little as possible: the options of one simulation, and the
 * check that it fails. They are good for the generators with which they were found.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";

export interface PlantRepeat {
  /** Of `npm run simulate`, without the plant. */
  readonly options: string;
  readonly check: string;
}

export class PlantRepeats {
  readonly #path: string;
  readonly #byId: Map<string, PlantRepeat>;

  constructor(path: string) {
    this.#path = path;
    const text = existsSync(path) ? readFileSync(path, "utf8") : "{}";
    this.#byId = new Map(Object.entries(JSON.parse(text) as Record<string, PlantRepeat>));
  }

  of(id: string): PlantRepeat | undefined {
    return this.#byId.get(id);
  }

  /** Also if the run that found it does not come to its end. */
  keep(id: string, repeat: PlantRepeat): void {
    this.#byId.set(id, repeat);
    const byId = Object.fromEntries([...this.#byId].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(this.#path, `${JSON.stringify(byId, null, 2)}\n`);
  }
}
