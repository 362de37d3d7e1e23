/** Bugs that somebody has written down, each as a text of a file and what stands there with it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plant } from "../support/planted-text.ts";
import { ROOT } from "../support/root.ts";

interface WrittenPlant {
  readonly id: string;
  readonly file: string;
  readonly original: string;
  readonly replacement: string;
  readonly what: string;
}

export interface NamedPlant {
  readonly id: string;
  readonly what: string;
  /** As a command names it alone. */
  readonly name: string;
  readonly plant: Plant;
}

/** Of a file: all, or with "#" and ids behind its path only these. */
export function readPlants(named: string): NamedPlant[] {
  const [path = "", ids] = named.split("#");
  const written = JSON.parse(readFileSync(path, "utf8")) as WrittenPlant[];
  const wanted = ids === undefined ? null : new Set(ids.split(","));
  return written
    .filter(({ id }) => wanted === null || wanted.delete(id))
    .map(({ id, what, ...plant }) => ({
      id,
      name: `${path}#${id}`,
      what,
      plant: placed(id, plant),
    }));
}

function placed(id: string, { file, original, replacement }: Omit<WrittenPlant, "id" | "what">) {
  const source = readFileSync(join(ROOT, file), "utf8");
  const start = source.indexOf(original);
  const isOne = start >= 0 && source.indexOf(original, start + 1) < 0;
  if (!isOne) throw new Error(`plant ${id}: ${file} does not have its original exactly once`);
  return { file, start, end: start + original.length, original, replacement };
}
