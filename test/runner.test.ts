/**
 * Goal: the programme behind `npm test` counts what passed, failed and was not run, never passes
 * over a failure, ends what hangs together with everything that it started, and nothing that gets
 * on, however slowly.
 * Method: the real programme over test files written into a temporary folder; the bound alone with
 * a clock of the test.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { FileReport } from "./runner/file-report.ts";
import { ProgressBound } from "./runner/progress-bound.ts";
import { runTestFiles } from "./runner/run-test-files.ts";
import { summaryPage } from "./runner/summary-page.ts";
import { lacking, missingToolsOf } from "./support/tools.ts";

const PROGRAMME = join(import.meta.dirname, "run.ts");

const WAIT_UNTIL = join(import.meta.dirname, "support/wait-until.ts");

const FILES = {
  "waits.test.ts": `
    import test from "node:test";
    import { waitUntil } from "${WAIT_UNTIL}";
    test("waits", () => waitUntil("the moon is blue", async () => false));`,
  "waits-for-dead.test.ts": `
    import test from "node:test";
    import { waitUntil } from "${WAIT_UNTIL}";
    test("waits for work that fails", async () => {
      const work = new Promise((_, reject) => setTimeout(() => reject(new Error("broken")), 50));
      await waitUntil("the work is done", async () => false);
      await work;
    });`,
  "passes.test.ts": `
    import test from "node:test";
    test("one", () => {});
    test("group", async (context) => { await context.test("two", () => {}); });`,
  "fails.test.ts": `
    import test from "node:test";
    console.log("# RIALTO_TEST_SEED=4711");
    test("holds", () => {});
    test("breaks", () => { throw new Error("the reason"); });`,
  "hook.test.ts": `
    import { before, describe, it } from "node:test";
    describe("group", () => {
      before(() => { throw new Error("no ground"); });
      it("x", () => {});
    });`,
  "imports.test.ts": `
    import { more } from "./more.ts";
    more();`,
  "more.ts": `
    import test from "node:test";
    export function more() {
      test("holds", () => {});
      test("breaks", () => { throw new Error("far away"); });
    }`,
  "hooks.test.ts": `
    import test, { after, before } from "node:test";
    before(() => { globalThis.hooks = "before"; });
    test("has its hook", () => { if (globalThis.hooks !== "before") throw new Error("no hook"); });
    after(() => { globalThis.hooks = "after"; });`,
  "others-hooks.test.ts": `
    import test from "node:test";
    test("comes after", () => { if (globalThis.hooks !== "after") throw new Error("too early"); });
    test("imports", () => { console.log("# RIALTO_TEST_SEED=" + globalThis.hooks.length); });`,
  "ends.test.ts": `
    import test from "node:test";
    test("ends", () => process.exit(3));`,
  "late.test.ts": `
    import test from "node:test";
    test("is over", () => { setTimeout(() => { throw new Error("late"); }, 20); });
    test("waits", () => new Promise((resolve) => setTimeout(resolve, 100)));`,
  "stray.test.ts": `
    import test from "node:test";
    test("goes on", async () => { Promise.reject(new Error("stray")); await 1; });`,
  "none.test.ts": "export {};",
  "crashes.test.ts": "throw new Error('at import');",
  "skips.test.ts": `
    import test from "node:test";
    test("holds", () => {});
    test("needs a shell", { skip: "this machine has no fish, zsh" }, () => {});
    test("group", async (context) => {
      await context.test("needs a printer", { skip: "this machine has no printer" }, () => {});
    });`,
  "fails-aloud.test.ts": `
    import test from "node:test";
    test("counts", (context) => { context.diagnostic("12 looked at"); throw new Error("one"); });`,
  "slow.test.ts": `
    import test from "node:test";
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    test("a", () => wait(4_000));
    test("talks", async () => {
      for (let round = 0; round < 2; round++) {
        await wait(4_000);
        console.log("still at it");
      }
    });`,
  "hangs.test.ts": `
    import { spawn } from "node:child_process";
    import { writeFileSync } from "node:fs";
    import test from "node:test";
    test("hangs", async () => {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
      writeFileSync(import.meta.dirname + "/child.txt", String(child.pid));
      await new Promise(() => setInterval(() => {}, 1000));
    });`,
};

function temporaryFiles(context: TestContext, names: readonly (keyof typeof FILES)[]): string {
  const folder = mkdtempSync(join(tmpdir(), "rialto-runner-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of names) writeFileSync(join(folder, name), FILES[name]);
  return folder;
}

function runFiles(
  context: TestContext,
  names: readonly (keyof typeof FILES)[],
  seconds: number,
  mayLack?: string,
) {
  const folder = temporaryFiles(context, names);
  const paths = names.filter((name) => name.endsWith(".test.ts")).map((name) => join(folder, name));
  const { RIALTO_TEST_MAY_LACK: _, ...environment } = process.env;
  const env = {
    ...environment,
    RIALTO_TEST_SILENCE_SECONDS: String(seconds),
    ...(mayLack !== undefined && { RIALTO_TEST_MAY_LACK: mayLack }),
  };
  const result = spawnSync(process.execPath, [PROGRAMME, ...paths], { encoding: "utf8", env });
  const lastLine = result.stdout.trimEnd().split("\n").at(-1);
  return { folder, status: result.status, stdout: result.stdout, lastLine };
}

test("passing tests and their subtests are counted", (context) => {
  const { status, lastLine } = runFiles(context, ["passes.test.ts"], 60);
  assert.equal(lastLine, "3 passed, 0 failed");
  assert.equal(status, 0);
});

test("a failure shows its reason and the command that repeats it", (context) => {
  const { folder, status, stdout, lastLine } = runFiles(
    context,
    ["passes.test.ts", "fails.test.ts"],
    60,
  );
  assert.equal(lastLine, "4 passed, 1 failed");
  assert.equal(status, 1);
  assert.match(stdout, /Error: the reason/);
  const repeat = `RIALTO_TEST_SEED=4711 npm test -- ${join(folder, "fails.test.ts")}`;
  assert.equal(stdout.includes(repeat), true, stdout);
});

test("tests that an imported file declares count for the file that runs", (context) => {
  const { folder, stdout, lastLine } = runFiles(context, ["imports.test.ts", "more.ts"], 60);
  assert.equal(lastLine, "1 passed, 1 failed", stdout);
  assert.match(stdout, /Error: far away/);
  assert.equal(stdout.includes(`(${join(folder, "more.ts")}:5)`), true, stdout);
});

async function runTogether(context: TestContext, names: readonly (keyof typeof FILES)[]) {
  const folder = temporaryFiles(context, names);
  const [first, ...others] = names.map((name) => join(folder, name));
  const said: string[] = [];
  context.mock.method(console, "log", (line: string) => said.push(line));
  const bound = new ProgressBound(60_000, Number.POSITIVE_INFINITY, performance.now());
  const results = await runTestFiles([first as string, ...others], {}, bound);
  context.mock.restoreAll();
  return { results, counts: results.map(({ passed, failed }) => [passed, failed]), said };
}

test("files of one process have their own hooks, counts, failures and notes", async (context) => {
  const { results, counts, said } = await runTogether(context, [
    ...(["hooks.test.ts", "others-hooks.test.ts", "fails.test.ts", "crashes.test.ts"] as const),
    ...(["hook.test.ts", "skips.test.ts", "none.test.ts", "passes.test.ts"] as const),
  ]);
  assert.deepEqual(
    counts,
    [
      [1, 0],
      [2, 0],
      [1, 1],
      [0, 1],
      [0, 2],
      [2, 0],
      [0, 1],
      [3, 0],
    ],
    said.join("\n"),
  );
  assert.deepEqual(results[1]?.notes, ["RIALTO_TEST_SEED=5"]);
  assert.match(results[2]?.failure ?? "", /RIALTO_TEST_SEED=4711 npm test -- .*fails\.test\.ts/);
  assert.match(results[3]?.failure ?? "", /at import/);
  assert.equal(results[5]?.skips.length, 2);
  assert.match(results[6]?.failure ?? "", /has no tests/);
  assert.ok(results.every(({ processorSeconds }) => processorSeconds > 0));
});

test("a file that ends its process fails, and so do those that come after it", async (context) => {
  const names = ["passes.test.ts", "ends.test.ts", "fails.test.ts", "none.test.ts"] as const;
  const { results, counts } = await runTogether(context, names);
  // Those of the first may be lost with the process.
  assert.deepEqual(
    counts.slice(1).map(([, failed]) => failed),
    [1, 1, 1],
  );
  assert.match(results[1]?.failure ?? "", /ended with exit code 3/);
  assert.match(results[2]?.failure ?? "", /was not run to its end/);
});

test("what goes wrong after a test is a failure beside other files too", async (context) => {
  const { counts } = await runTogether(context, ["late.test.ts", "passes.test.ts"]);
  assert.equal(
    counts.flat().reduce((sum, count) => sum + count, 0),
    6,
  );
  assert.ok(counts.some(([, failed]) => failed === 1));
});

test("a stray rejection fails a file whose promises are not followed", (context) => {
  const folder = temporaryFiles(context, ["stray.test.ts", "passes.test.ts"]);
  const preload = join(import.meta.dirname, "runner/untracked-promises.ts");
  const statusOf = (name: keyof typeof FILES) =>
    spawnSync(process.execPath, [`--import=${preload}`, join(folder, name)]).status;
  assert.deepEqual([statusOf("stray.test.ts"), statusOf("passes.test.ts")], [1, 0]);
});

test("a failing hook and a file that does not load are failures", (context) => {
  for (const name of ["hook.test.ts", "crashes.test.ts"] as const) {
    const { status, lastLine } = runFiles(context, [name], 60);
    assert.match(lastLine ?? "", /^\d+ passed, [1-9]\d* failed$/);
    assert.equal(status, 1);
  }
});

test("what was not run is counted and told, and fails where all has to be run", (context) => {
  const names = ["skips.test.ts"] as const;
  const told = runFiles(context, names, 60);
  assert.equal(told.lastLine, "2 passed, 0 failed, 2 skipped");
  assert.equal(told.status, 0);
  assert.match(told.stdout, / {6}not run: needs a shell: this machine has no fish, zsh\n/);
  assert.match(told.stdout, / {6}not run: needs a printer: this machine has no printer\n/);
  for (const mayLack of ["", "fish", "fish,zsh"]) {
    const { status, stdout, lastLine } = runFiles(context, names, 60, mayLack);
    assert.equal(lastLine, "2 passed, 0 failed, 2 skipped");
    assert.equal(status, 1);
    assert.match(stdout, /These have to be run here.*\n(.*\n)* {2}needs a printer: /);
    assert.equal(/^ {2}needs a shell: /m.test(stdout), mayLack !== "fish,zsh", stdout);
  }
  const excused = runFiles(context, names, 60, "fish,zsh,printer");
  assert.equal(excused.lastLine, "2 passed, 0 failed, 2 skipped");
  assert.equal(excused.status, 0);
});

test("the reason of a skip names the tools, and only those that are missing", () => {
  assert.equal(lacking(), false);
  const none = ["a-tool-of-nobody", "nor-this"];
  const reason = lacking(...none) || "";
  assert.deepEqual(missingToolsOf(reason), none);
  assert.deepEqual(missingToolsOf("the browser runs elsewhere"), []);
});

test("a test's diagnostics stand beside its failure", (context) => {
  const { stdout } = runFiles(context, ["fails-aloud.test.ts"], 60);
  assert.match(stdout, /# 12 looked at/);
});

test("a file that gets on is not ended, though it takes longer than the bound", (context) => {
  const { status, stdout, lastLine } = runFiles(context, ["slow.test.ts"], 11);
  assert.equal(lastLine, "2 passed, 0 failed", stdout);
  assert.equal(status, 0);
});

test("the bound counts from the last sign of life, and to the end of the whole run", () => {
  const bound = new ProgressBound(1_000, 10_000, 0);
  assert.equal(bound.overrun(999), null);
  assert.match(bound.overrun(1_000) ?? "", /nothing was heard of it for 1\.0 s/);
  for (let nowMs = 0; nowMs < 10_000; nowMs += 999) {
    assert.equal(bound.overrun(nowMs), null);
    bound.heard("a line", nowMs);
  }
  assert.match(bound.overrun(10_000) ?? "", /too long/);
});

test("a file that says what it waits for is ended as silent, and so is a lost wait", (context) => {
  const waiting = runFiles(context, ["waits.test.ts"], 12);
  assert.equal(waiting.lastLine, "0 passed, 1 failed", waiting.stdout);
  assert.match(waiting.stdout, /for 12\.0 s, it waits until the moon is blue\n/);
  const failed = runFiles(context, ["waits-for-dead.test.ts"], 600);
  assert.equal(failed.lastLine, "0 passed, 1 failed", failed.stdout);
  assert.match(failed.stdout, /Error: broken/);
});

test("a hanging file fails and takes its processes with it", async (context) => {
  const { folder, status, stdout, lastLine } = runFiles(context, ["hangs.test.ts"], 10);
  assert.equal(lastLine, "0 passed, 1 failed", stdout);
  assert.equal(status, 1);
  assert.match(stdout, /ended: nothing was heard of it for 10\.0 s\n/);
  assert.match(stdout, /FAILED {2}.*hangs\.test\.ts/);
  const pid = Number(readFileSync(join(folder, "child.txt"), "utf8"));
  for (let attempt = 0; isRunning(pid); attempt++) {
    assert.ok(attempt < 500, `process ${pid} outlived its suite`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
});

test("a failure is repeated with the variables of its suite", () => {
  const report = new FileReport(join(import.meta.dirname, "a.test.ts"), { RIALTO_TEST_X: "1" });
  report.addOutput("# RIALTO_TEST_SEED=4711\n# 12 kills");
  report.addOutput("said by the exchange");
  report.addCrash("ended with exit code 3");
  assert.match(report.failureText(), /ended with exit code 3\n/);
  const repeat = "repeat with: RIALTO_TEST_X=1 RIALTO_TEST_SEED=4711 npm test -- test/a.test.ts";
  assert.ok(report.failureText().includes(repeat), report.failureText());
  assert.deepEqual(report.notes, ["RIALTO_TEST_SEED=4711", "12 kills"]);
});

test("the page of a long run has counts, seeds and the command that repeats a failure", () => {
  const job = { skips: [], durationMs: 1_500, processorSeconds: 1, failure: null, notes: [] };
  const results = [
    {
      name: "unit",
      jobs: [
        { ...job, name: "a.test.ts", passed: 2, failed: 0, notes: ["a: RIALTO_TEST_SEED=7"] },
        { ...job, name: "b.test.ts", passed: 1, failed: 1, failure: "repeat with: npm test -- b" },
      ],
    },
  ];
  const run = { startedAt: new Date(0), command: "npm run test:long", isOver: true };
  const page = summaryPage(results, run);
  assert.match(page, /^\| unit \| 2 \| 3 \| 1 \| 0 \| 3\.0 s \| 2\.0 s \|$/m);
  assert.match(page, /^### b\.test\.ts\n\n```\nrepeat with: npm test -- b\n```$/m);
  assert.match(page, /^- a\.test\.ts, 1\.5 s\n {2}- a: RIALTO_TEST_SEED=7$/m);
  assert.doesNotMatch(page, /not over|None\./);
  const early = summaryPage([], { ...run, isOver: false });
  assert.match(early, /not over/);
  assert.match(early, /None\./);
});

test("an argument that names nothing is a failure that lists the suites", () => {
  const result = spawnSync(process.execPath, [PROGRAMME, "nothing-here"], { encoding: "utf8" });
  assert.equal(result.status, 1);
  assert.match(result.stdout, /"nothing-here" is neither a suite \(static, unit/);
});

/** A killed child whose parent is gone may remain as a zombie, which does not run. */
function isRunning(pid: number): boolean {
  const path = `/proc/${pid}/stat`;
  if (!existsSync("/proc/self/stat")) return canBeSignalled(pid);
  return existsSync(path) && !/\) Z /.test(readFileSync(path, "utf8"));
}

function canBeSignalled(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
