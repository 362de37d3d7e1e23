/** A copy of the history file, as an older one that somebody puts back. */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export class KeptHistory {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  keep(dataFolder: string): void {
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder);
    for (const file of historyFiles(dataFolder)) {
      cpSync(join(dataFolder, file), join(this.#folder, file));
    }
  }

  /** The history is gone, and the copy takes its place if it has to and there is one. */
  change(dataFolder: string, fate: "older" | "lost"): void {
    for (const file of historyFiles(dataFolder)) rmSync(join(dataFolder, file));
    if (fate === "lost" || !existsSync(this.#folder)) return;
    for (const file of historyFiles(this.#folder)) {
      cpSync(join(this.#folder, file), join(dataFolder, file));
    }
  }
}

function historyFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith("history.db"));
}
