/**
 * Proves that docs/reference/python.md works as printed, with the Python of the machine: its script
 * runs beside `examples/python/rialto_exchange.py`, and its tests run with the fixture, under
 * pytest where it is installed, else driven as pytest would.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../support/exchange-process.ts";
import { PROGRAM } from "../support/program.ts";
import { ROOT } from "../support/root.ts";
import { lacking } from "../support/tools.ts";

const run = promisify(execFile);
const PAGE = readFileSync(join(ROOT, "docs/reference/python.md"), "utf8");
const [SCRIPT = "", TESTS = ""] = [...PAGE.matchAll(/```python\n([\s\S]*?)```/g)].map(
  ([, block]) => block,
);
const PYTHON = { skip: lacking("python3") };

/** What pytest does with the page's tests: a fixture for each, closed in the end. */
const DRIVER = `
import sys, types
module = types.ModuleType("pytest")
module.fixture = lambda function: function
sys.modules["pytest"] = module
import test_bot
for name in dir(test_bot):
    if name.startswith("test_"):
        fixture = test_bot.exchange()
        getattr(test_bot, name)(next(fixture))
        fixture.close()
print("2 passed")
`;

function project(): { readonly cwd: string; readonly env: NodeJS.ProcessEnv } {
  const cwd = temporaryFolder();
  cpSync(join(ROOT, "examples/python/rialto_exchange.py"), join(cwd, "rialto_exchange.py"));
  writeFileSync(join(cwd, "first_trade.py"), SCRIPT);
  writeFileSync(join(cwd, "test_bot.py"), TESTS);
  writeFileSync(join(cwd, "driver.py"), DRIVER);
  const { npm_lifecycle_event: _npm, NODE_TEST_CONTEXT: _runner, ...outside } = process.env;
  const command = `${process.execPath} ${PROGRAM}`;
  return { cwd, env: { ...outside, RIALTO_COMMAND: command, PYTHONDONTWRITEBYTECODE: "1" } };
}

test("the script trades", PYTHON, async () => {
  const { stdout } = await run("python3", ["first_trade.py"], project());
  assert.equal(stdout, "FILLED\n");
});

test("the tests pass with the fixture", PYTHON, async () => {
  const place = project();
  const hasPytest = await run("python3", ["-c", "import pytest"], place).then(
    () => true,
    () => false,
  );
  const args = hasPytest ? ["-m", "pytest", "-q", "-p", "no:cacheprovider"] : ["driver.py"];
  const { stdout } = await run("python3", args, place);
  assert.match(stdout, /2 passed/);
});
