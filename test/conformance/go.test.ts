/**
 * Proves that docs/reference/go.md works as printed, where the machine has Go: its test runs, with
 * an `npx` that starts this checkout, and `go vet` and `gofmt` have nothing to say.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { temporaryFolder } from "../support/exchange-process.ts";
import { PROGRAM } from "../support/program.ts";
import { ROOT } from "../support/root.ts";
import { lacking } from "../support/tools.ts";

const run = promisify(execFile);
const PAGE = readFileSync(join(ROOT, "docs/reference/go.md"), "utf8");
const [, CODE = ""] = /```go\n([\s\S]*?)```/.exec(PAGE) ?? [];

test("the page's test passes", { skip: lacking("go", "gofmt") }, async () => {
  const cwd = temporaryFolder();
  const bin = join(cwd, "bin");
  mkdirSync(bin);
  const main = PROGRAM;
  const npx = `#!/bin/sh\nshift\nexec ${process.execPath} ${main} "$@"\n`;
  writeFileSync(join(bin, "npx"), npx, { mode: 0o755 });
  writeFileSync(join(cwd, "go.mod"), "module bot\n\ngo 1.19\n");
  writeFileSync(join(cwd, "rialto_test.go"), CODE);
  const cache = { GOCACHE: join(cwd, "cache"), GOPATH: join(cwd, "path"), GOFLAGS: "-mod=mod" };
  const env = { ...process.env, ...cache, PATH: `${bin}:${process.env.PATH}` };
  const { stdout } = await run("go", ["test", "-v", "./..."], { cwd, env });
  assert.match(stdout, /--- PASS: TestAnOrderRests/);
  await run("go", ["vet", "./..."], { cwd, env });
  assert.equal((await run("gofmt", ["-l", "rialto_test.go"], { cwd, env })).stdout, "");
});
