/** A copy of the history file, as an older one that somebody puts back; and older positions. */
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

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
    losePositions(dataFolder);
    for (const file of historyFiles(dataFolder)) rmSync(join(dataFolder, file));
    if (fate === "lost" || !existsSync(this.#folder)) return;
    for (const file of historyFiles(this.#folder)) {
      cpSync(join(this.#folder, file), join(dataFolder, file));
    }
  }
}

/** How far webhooks were told may be lost with the power: they are told again. */
function losePositions(dataFolder: string): void {
  const path = join(dataFolder, "webhooks.db");
  if (!existsSync(path)) return;
  const database = new DatabaseSync(path);
  database.exec(`UPDATE webhooks SET position = max(0, position - ${LOST})`);
  database.close();
}

const LOST = 2;

function historyFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith("history.db"));
}
