/**
 * Goal: the programme behind `npm test` counts what passed and failed, never passes over a failure,
 * and ends what hangs together with everything that it started.
 * Method: the real programme over test files written into a temporary folder.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";

const PROGRAMME = join(import.meta.dirname, "run.ts");

const FILES = {
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
  "crashes.test.ts": "throw new Error('at import');",
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

function runFiles(context: TestContext, names: readonly (keyof typeof FILES)[], seconds: number) {
  const folder = mkdtempSync(join(tmpdir(), "rialto-runner-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of names) writeFileSync(join(folder, name), FILES[name]);
  const paths = names.filter((name) => name.endsWith(".test.ts")).map((name) => join(folder, name));
  const result = spawnSync(process.execPath, [PROGRAMME, ...paths], {
    encoding: "utf8",
    env: { ...process.env, RIALTO_TEST_SUITE_SECONDS: String(seconds) },
  });
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

test("a failing hook and a file that does not load are failures", (context) => {
  for (const name of ["hook.test.ts", "crashes.test.ts"] as const) {
    const { status, lastLine } = runFiles(context, [name], 60);
    assert.match(lastLine ?? "", /^\d+ passed, [1-9]\d* failed$/);
    assert.equal(status, 1);
  }
});

test("a hanging file fails and takes its processes with it", async (context) => {
  const { folder, status, stdout, lastLine } = runFiles(context, ["hangs.test.ts"], 10);
  assert.equal(lastLine, "0 passed, 1 failed", stdout);
  assert.equal(status, 1);
  assert.match(stdout, /hangs\.test\.ts {2}not finished/);
  const pid = Number(readFileSync(join(folder, "child.txt"), "utf8"));
  for (let attempt = 0; isRunning(pid); attempt++) {
    assert.ok(attempt < 500, `process ${pid} outlived its suite`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
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
