/**
 * Proves that docs/operating/in-ci.md works as printed: the files that it lists are created, and
 * every step of its GitHub job but the installation is run, in order, in a project folder with
 * Rialto below it. The GitLab job must have the same steps. A step is skipped on a machine without
 * the tool for it.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { temporaryFolder } from "../support/exchange-process.ts";
import { freePort } from "../support/free-port.ts";
import { lacking } from "../support/tools.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/operating/in-ci.md"), "utf8");
const run = promisify(execFile);

/** What stands between the fences behind a piece of text. */
function blockBehind(text: string): string {
  const behind = PAGE.slice(PAGE.indexOf(text));
  return /```\w+\n([\s\S]*?)```/.exec(behind)?.[1] as string;
}

/** By path, as the page says. */
function savedFiles(): ReadonlyMap<string, string> {
  const paths = [...PAGE.matchAll(/Save this as `([^`]+)`/g)].map((match) => match[1] as string);
  return new Map(paths.map((path) => [path, blockBehind(`Save this as \`${path}\``)]));
}

function stepsOfGitHub(): string[] {
  return [...blockBehind("## GitHub Actions").matchAll(/^ +- run: (.+)$/gm)].map(
    (match) => match[1] as string,
  );
}

function stepsOfGitLab(): string[] {
  const job = blockBehind("## GitLab CI");
  const section = (name: string) => new RegExp(`^  ${name}:\\n((?:    - .+\\n)+)`, "m").exec(job);
  return ["script", "after_script"].flatMap((name) =>
    [...(section(name)?.[1] ?? "").matchAll(/^ {4}- (.+)$/gm)].map((match) => match[1] as string),
  );
}

test("both jobs have the same steps, of files that the page has", () => {
  const steps = stepsOfGitHub().filter((step) => step !== "cat rialto.log");
  assert.deepEqual(stepsOfGitLab(), steps);
  const files = savedFiles();
  assert.equal(files.size, 5);
  for (const path of files.keys()) {
    assert.ok(
      steps.some((step) => step.split(" ").includes(path)),
      `nothing runs ${path}`,
    );
  }
});

test("the GitHub job, step by step", { skip: lacking("bash") }, async (context) => {
  const folder = projectFolder();
  const [port, operatorPort] = [await freePort(), await freePort()];
  // Neither npm, with which the starter would end, nor the runner of this test is outside.
  const { npm_lifecycle_event: _npm, NODE_TEST_CONTEXT: _runner, ...outside } = process.env;
  const env = {
    ...outside,
    RIALTO_DATA_DIR: "rialto-data",
    RIALTO_PORT: String(port),
    RIALTO_OPERATOR_PORT: String(operatorPort),
    RIALTO_URL: `http://127.0.0.1:${port}`,
    PATH: `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`,
  };
  assert.match(blockBehind("## GitHub Actions"), /RIALTO_DATA_DIR: rialto-data$/m);
  context.after(() => endLeftover(folder));
  const outputs = new Map<string, string>();
  for (const step of stepsOfGitHub().filter((one) => !one.startsWith("npm ci"))) {
    await context.test(step, { skip: lacking(...toolsOf(step)) }, async () => {
      const { stdout } = await run("bash", ["-e", "-c", step], { cwd: folder, env });
      outputs.set(step, stdout);
    });
  }
  assert.match(outputs.get("node --test trade.test.mjs") ?? "", /pass 1/);
  assert.match(outputs.get("node rialto/rialto.mjs invariants") ?? "", /all hold/);
  const python = outputs.get("python3 trade.py");
  if (python !== undefined) assert.match(python, /placed, found and cancelled/);
  const shell = outputs.get("bash trade.sh");
  if (shell !== undefined) assert.match(shell, /"code":"00000"/);
  // It was told to stop by the last but one step, and writes a snapshot at its end.
  for (let looks = 0; !existsSync(join(folder, "rialto-data/snapshots")); looks++) {
    assert.ok(looks < 1_000, "the exchange did not stop");
    await sleep(20);
  }
});

/** A project with the page's files, the packages that it would install, and Rialto. */
function projectFolder(): string {
  const folder = temporaryFolder();
  for (const [path, text] of savedFiles()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  symlinkSync(ROOT, join(folder, "rialto"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  return folder;
}

/** What a step needs that is no part of the shell. */
function toolsOf(step: string): string[] {
  if (step === "bash trade.sh") return ["curl", "openssl"];
  const [tool = ""] = step.split(" ");
  return tool === "kill" ? [] : [tool];
}

/** After a step that failed, the exchange still runs. */
function endLeftover(folder: string): void {
  const file = join(folder, "rialto.pid");
  if (!existsSync(file)) return;
  try {
    process.kill(Number(readFileSync(file, "utf8")), "SIGTERM");
  } catch {
    // It has ended, as it should.
  }
}
