/**
 * Goal: the gate draws what a seed says whatever else changes, knows what a test comes to, judges
 * an area by its aim and by chance, and keeps verdicts as long as they say something. Method: its
 * parts, with mutants and counts of the test's own.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { type Candidate, candidates, drawn, isOfAreas } from "./candidates.ts";
import { CoveringTests } from "./covering-tests.ts";
import { EQUIVALENT } from "./equivalent.ts";
import type { Verdict } from "./mutant-run.ts";
import type { Mutant } from "./mutant-text.ts";
import { rangesOf, reachedOf } from "./reach.ts";
import { chanceOfAtMost, reportText, resultsOf } from "./report.ts";
import { VerdictFile } from "./verdict-file.ts";

const FILE = "src/keys/key-vault.ts";
const PLANT = pathToFileURL(join(import.meta.dirname, "../support/plant.ts")).href;

function mutantAt(start: number, file = FILE): Mutant {
  const change = { original: "<", replacement: "<=" };
  return { file, start, end: start + 1, line: start, operator: "comparison", ...change };
}

function verdict(kind: Verdict["kind"], mutant: Mutant): Verdict {
  const by = kind === "killed" ? "src/keys/key-vault.test.ts" : null;
  return { mutant, kind, by, tests: 1, seconds: 0.1 };
}

test("a change of some lines leaves the draw of the others alone", () => {
  const all = candidates(isOfAreas(["keys"]));
  assert.ok(all.length > 100, String(all.length));
  const before = drawn(all, 7, 30);
  assert.equal(before.length, 30);
  assert.notDeepEqual(drawn(all, 8, 30), before);
  const isTaken = (candidate: Candidate) => before.includes(candidate.mutant);
  const others = all.filter((candidate, i) => isTaken(candidate) || i % 2 === 0).reverse();
  assert.deepEqual(new Set(drawn(others, 7, 30)), new Set(before));
});

test("every mutant that is listed as equivalent exists, and has a reason", () => {
  for (const { file, line, change, reason } of EQUIVALENT) {
    assert.ok(reason.length > 20, `${file}: ${line}`);
    const listed = candidates((name) => name === file, []).filter(({ mutant, lineText }) => {
      return lineText.trim() === line && `${mutant.original} → ${mutant.replacement}` === change;
    });
    assert.ok(listed.length > 0, `${file}: no mutant ${change} in ${line}`);
  }
});

test("what was reached is what the innermost range counts", () => {
  const range = (startOffset: number, endOffset: number, count: number) => {
    return { startOffset, endOffset, count };
  };
  const module = { ranges: [range(0, 100, 1)] };
  const called = { ranges: [range(10, 40, 3), range(20, 30, 0)] };
  const uncalled = { ranges: [range(60, 80, 0)] };
  const reached = reachedOf({ url: "", functions: [module, called, uncalled] });
  const ranges = [
    [0, 20],
    [30, 60],
    [80, 100],
  ];
  assert.deepEqual(rangesOf(reached), ranges);
  assert.deepEqual(rangesOf(new Uint8Array(3)), []);
});

test("an area meets its aim, is below it by chance, or misses it", () => {
  const sizes = new Map([["keys", 170]]);
  const outcome = (killed: number, survived: number) => {
    const verdicts = Array.from({ length: killed + survived }, (_, i) =>
      verdict(i < killed ? "killed" : "survived", mutantAt(i)),
    );
    return resultsOf(verdicts, sizes)[0]?.outcome;
  };
  assert.equal(outcome(90, 10), "met");
  assert.equal(outcome(88, 12), "below");
  assert.equal(outcome(70, 30), "missed");
  assert.equal(outcome(152, 18), "missed", "all of them: no chance is left");
  assert.equal(outcome(153, 17), "met");
  assert.ok(Math.abs(chanceOfAtMost(1, 3, 0.5) - 0.5) < 1e-12);
  assert.ok(Math.abs(chanceOfAtMost(3, 3, 0.9) - 1) < 1e-12);
});

test("the report names what survived with its place, operator and change", () => {
  const verdicts = [verdict("survived", mutantAt(12)), verdict("killed", mutantAt(3))];
  const text = reportText(verdicts, new Map([["keys", 170]]));
  assert.match(text, /^keys +1 of 2 \(of 170\) +50\.0 % {2}aim 90 % {2}below$/m);
  assert.match(text, /^ {2}src\/keys\/key-vault\.ts:12 {2}comparison: < → <=$/m);
  assert.doesNotMatch(text, /:3 /);
});

test("what shows a mutant takes its tests with it when it is gone", () => {
  const gone = spawnSync(process.execPath, ["-e", ""]).pid;
  const start = (shownBy: number, script: string) => {
    const env = { ...process.env, RIALTO_MUTANT_SHOWN_BY: String(shownBy) };
    return spawnSync(process.execPath, ["--import", PLANT, "-e", script], { env }).status;
  };
  assert.equal(start(gone, "setTimeout(() => {}, 600_000)"), 1);
  assert.equal(start(process.pid, "setTimeout(() => {}, 1_500)"), 0);
});

test("verdicts of many runs add up, and count kills by test", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-verdicts-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "verdicts.jsonl");
  const covering = new CoveringTests();
  const first = new VerdictFile(path, covering);
  const killed = verdict("killed", mutantAt(1));
  const survived = verdict("survived", mutantAt(2));
  first.add(killed);
  new VerdictFile(path, covering).add(survived);
  const gone = { ...killed, mutant: mutantAt(3, "src/keys/gone.ts") };
  const changed = { ...killed, mutant: mutantAt(4) };
  appendFileSync(path, `${JSON.stringify({ verdict: gone, source: "1", tests: "2" })}\n`);
  appendFileSync(path, `${JSON.stringify({ verdict: changed, source: "1", tests: "2" })}\n`);
  const doubtful = { verdict: verdict("survived", mutantAt(5)), tests: "2" };
  const { source } = JSON.parse(readFileSync(path, "utf8").split("\n")[0] ?? "");
  appendFileSync(path, `${JSON.stringify({ ...doubtful, source })}\n`);
  const later = new VerdictFile(path, covering);
  assert.equal(later.of(mutantAt(5)), null, "its tests have changed since");
  assert.deepEqual(later.last(mutantAt(5)), doubtful.verdict, "but it counts until shown again");
  assert.deepEqual(later.of(killed.mutant), killed);
  assert.deepEqual(later.of(survived.mutant), survived);
  assert.equal(later.of(gone.mutant), null, "its file is gone");
  assert.equal(later.of(changed.mutant), null, "its file had another text");
  assert.equal(later.kills(FILE, "src/keys/key-vault.test.ts"), 1);
});
