/** Proves that what is kept of a planted bug is read back, and can be run as it stands. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { ROOT } from "../support/root.ts";
import { optionsText, readOptions } from "./command-line.ts";
import { PlantRepeats } from "./plant-repeats.ts";
import { readPlants } from "./plants.ts";

const PLANTS = join(ROOT, "test/simulator/plants.json");
const KEPT = join(ROOT, "test/simulator/plant-repeats.json");
/** Not found yet: what they need is in docs/reference/proof.md. */
const OPEN: ReadonlySet<string> = new Set(["u28", "x14"]);

test("a repeat is kept under its plant, and its options are those of the run", () => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-repeats-"));
  try {
    const file = join(folder, "repeats.json");
    const [without, silent] = [new Set(["kill", "restart"]), new Set(["t1"])];
    const options = optionsText(7, 12, { kept: [3, 4, 5, 12], without, silent });
    const repeats = new PlantRepeats(file);
    repeats.keep("b", { options, check: "one" });
    repeats.keep("a", { options, check: "two" });
    const read = new PlantRepeats(file);
    assert.deepEqual(read.of("b"), { options, check: "one" });
    assert.equal(read.of("c"), undefined);
    const { kept, seeds, steps, ...rest } = readOptions(options.split(" "));
    assert.deepEqual([seeds, steps, [...(kept ?? [])]], [[7], 12, [3, 4, 5, 12]]);
    assert.deepEqual([rest.without, rest.silent], [without, silent]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("every plant fits the sources, and has a repeat that can be run", () => {
  const repeats = new PlantRepeats(KEPT);
  for (const { id } of readPlants(PLANTS)) {
    if (OPEN.has(id)) continue;
    const repeat = repeats.of(id);
    assert.ok(repeat !== undefined, `${id} was never found`);
    const { seeds, steps } = readOptions(repeat.options.split(" "));
    assert.ok(seeds.length === 1 && steps !== null, id);
  }
});
