/**
 * Proves the test kit under the runners that people use, in an empty project with the packed file:
 * the pages' examples pass under vitest and jest, and a test that fails there keeps its exchange.
 *
 * It installs both from the registry and takes a minute: `npm run test:long` runs it.
 */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test, { before, beforeEach } from "node:test";
import { temporaryFolder } from "../support/exchange-process.ts";
import { packAll } from "../support/packed-client.ts";
import { ROOT } from "../support/root.ts";

/** From outside of this project, so none of its dependencies. */
const RUNNERS = ["vitest@5.1.1", "jest@30.5.2", "@jest/globals@30.5.2"];
const PAGE = readFileSync(join(ROOT, "docs/reference/test-kit.md"), "utf8");
const EXAMPLES = [...PAGE.matchAll(/```js\n([\s\S]*?)```/g)].map(([, example]) => example ?? "");

/** Each way to name a failed test to the kit that the page does not show with its runner. */
const BY_CONTEXT = `
import { expect, test } from "vitest";
import { startExchange } from "rialto/testing";
test("vitest fails", async (context) => {
  const exchange = await startExchange({ test: context });
  await exchange.createUser();
  expect(1).toBe(2);
});
test("vitest passes", async (context) => {
  const exchange = await startExchange({ test: context });
  await exchange.createUser();
});
`;

let folder: string;
before(async () => {
  const { server } = await packAll();
  folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), '{"type":"module","private":true}');
  const args = ["install", "--prefer-offline", "--ignore-scripts", server.path, ...RUNNERS];
  execFileSync("npm", args, { cwd: folder, env: environment(), stdio: "pipe" });
});

beforeEach(() => rmSync(join(folder, "rialto-failures"), { recursive: true, force: true }));

function environment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _runner, npm_lifecycle_event: _npm, ...env } = process.env;
  const others = (env.PATH ?? "").split(":").filter((path) => !path.includes("node_modules"));
  return { ...env, PATH: [dirname(process.execPath), ...others].join(":"), CI: "1" };
}

function exampleOf(runner: string): string {
  const example = EXAMPLES.find((text) => text.includes(`from "${runner}"`));
  assert.ok(example !== undefined, `the page has an example for ${runner}`);
  return example;
}

/** The same with another expectation, which is wrong. */
function failing(example: string): string {
  const wrong = example.replace('toBe("5")', 'toBe("6")').replaceAll("arrives", "is wrong");
  assert.notEqual(wrong, example);
  return wrong;
}

function run(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const all = { ...environment(), ...env };
  return spawnSync("npx", args, { cwd: folder, env: all, encoding: "utf8" });
}

function isKept(name: string): boolean {
  return existsSync(join(folder, "rialto-failures", name, "state.rialto"));
}

test("vitest: the example passes, failures keep their exchange", () => {
  const example = exampleOf("vitest");
  writeFileSync(join(folder, "passing.test.js"), example);
  const passed = run(["vitest", "run", "passing"]);
  assert.equal(passed.status, 0, passed.stdout + passed.stderr);
  writeFileSync(join(folder, "failing.test.js"), failing(example));
  writeFileSync(join(folder, "context.test.js"), BY_CONTEXT);
  const failed = run(["vitest", "run", "failing", "context"]);
  assert.equal(failed.status, 1, failed.stdout + failed.stderr);
  assert.ok(isKept("a-deposit-is-wrong") && isKept("vitest-fails"));
  assert.ok(!isKept("vitest-passes"));
});

test("jest: the example passes, a failure keeps its exchange", () => {
  const env = { NODE_OPTIONS: "--experimental-vm-modules" };
  const example = exampleOf("@jest/globals");
  writeFileSync(join(folder, "jest-passing.spec.js"), example);
  const passed = run(["jest", "--testMatch", "**/jest-passing.spec.js"], env);
  assert.equal(passed.status, 0, passed.stdout + passed.stderr);
  writeFileSync(join(folder, "jest-failing.spec.js"), failing(example));
  const failed = run(["jest", "--testMatch", "**/jest-failing.spec.js"], env);
  assert.equal(failed.status, 1, failed.stdout + failed.stderr);
  assert.ok(isKept("a-deposit-is-wrong"));
});
