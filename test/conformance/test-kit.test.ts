/**
 * Proves that the examples of docs/reference/test-kit.md work as they stand, under `node --test` in
 * a project folder; only the name of the package is replaced by where it lies.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { temporaryFolder } from "../support/exchange-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const PAGE = readFileSync(join(ROOT, "docs/reference/test-kit.md"), "utf8");
const KIT = pathToFileURL(join(ROOT, "src/testing/index.ts")).href;
const run = promisify(execFile);

/** Those of other runners `test/long` runs. */
const EXAMPLES = [...PAGE.matchAll(/```js\n([\s\S]*?)```/g)]
  .map((match) => match[1] as string)
  .filter((example) => example.includes('from "node:test"'));

test("there are examples", () => {
  assert.equal(EXAMPLES.length, 4);
  assert.ok(EXAMPLES.every((example) => example.includes('from "rialto/testing"')));
});

for (const [index, example] of EXAMPLES.entries()) {
  test(`example ${index + 1} passes`, async () => {
    const folder = temporaryFolder();
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
    const path = join(folder, "example.test.mjs");
    writeFileSync(path, example.replace('"rialto/testing"', JSON.stringify(KIT)));
    const { NODE_TEST_CONTEXT: _runner, ...env } = process.env;
    const { stdout } = await run(process.execPath, ["--test", path], { cwd: folder, env });
    assert.match(stdout, /pass 1\b/);
    assert.match(stdout, /fail 0\b/);
  });
}
