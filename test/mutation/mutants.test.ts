/**
 * Goal: mutants are changes of code that compiles, and each kind of them is made. Method: a small
 * text with one place for each operator, and every file of the gate, whose mutants lie where they
 * say and change the text.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import test from "node:test";
import { planted } from "../support/planted-text.ts";
import { seededRandom } from "../support/random.ts";
import { ROOT } from "../support/root.ts";
import { mutantsOf } from "./mutants.ts";

const random = seededRandom("mutation/mutants");

const SOURCE = `
import { invariant } from "./here.ts";
const LIMIT = 10;
export function kept(value: bigint, open: boolean): bigint {
  invariant(value > 0n, "checked elsewhere");
  let sum = -value;
  if (open) sum += 2n;
  if (!open && sum <= value) tell("a" + sum);
  return sum * 3n > Math.floor(1) ? sum : value;
}
`;

test("each operator finds its places, and leaves what has no effect", () => {
  const found = mutantsOf("kept.ts", SOURCE).map(({ operator, original, replacement, line }) => {
    return `${line} ${operator}: ${original} → ${replacement}`;
  });
  assert.deepEqual(found, [
    "6 arithmetic: -value → value",
    "7 condition: open → !(open)",
    "7 assignment: += → -=",
    "7 constant: 2n → 3n",
    "8 logic: !open → open",
    "8 logic: && → ||",
    "8 comparison: <= → <",
    '8 statement: tell("a" + sum) → void 0',
    "9 arithmetic: * → +",
    "9 constant: 3n → 4n",
    "9 comparison: > → >=",
    "9 extreme: floor → ceil",
    "9 constant: 1 → 2",
  ]);
});

test("mutants of real files are other texts that compile", () => {
  for (const file of ["src/app/sequencer.ts", "src/engine/ledger/ledger.ts"]) {
    const source = readFileSync(join(ROOT, file), "utf8");
    const mutants = mutantsOf(file, source);
    assert.ok(mutants.length > 20, file);
    for (let i = 0; i < 20; i++) {
      const mutant = random.pick(mutants);
      const text = planted(source, mutant);
      assert.notEqual(text, source);
      assert.equal(text.slice(0, mutant.start).split("\n").length, mutant.line);
      stripTypeScriptTypes(text);
      assert.throws(() => planted(text, { ...mutant, original: `${mutant.original} ` }));
    }
  }
});
