/**
 * Proves what is kept of a failed test: under node:test by the test's context, in any other runner
 * by a call. The kept state opens with what the test had done; a passed test keeps nothing; of an
 * exchange that has ended the data folder is kept.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";
import { startExchange, type TestExchange } from "./index.ts";

const KIT = join(import.meta.dirname, "index.ts");
const folder = mkdtempSync(join(tmpdir(), "rialto-kept-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const TESTS = `
import assert from "node:assert/strict";
import test from "node:test";
import { startExchange } from ${JSON.stringify(KIT)};
test("it fails: 7/8", async (t) => {
  await using exchange = await startExchange({ test: t });
  await exchange.createUser({ uid: 7 });
  assert.equal(7, 8);
});
test("it passes", async (t) => {
  await using exchange = await startExchange({ test: t });
  await exchange.createUser({ uid: 8 });
});
`;

async function hasUser(exchange: TestExchange, uid: number): Promise<boolean> {
  const path = "users?limit=1000";
  const { items } = await exchange.operator.call<{ items: { uid: number }[] }>("GET", path);
  return items.some((user) => user.uid === uid);
}

test("a failed test of node:test keeps its exchange, a passed one does not", async () => {
  writeFileSync(join(folder, "some.test.mjs"), TESTS);
  const { NODE_TEST_CONTEXT: _runner, ...env } = process.env;
  const args = ["--test-reporter=tap", "some.test.mjs"];
  const { stderr, stdout } = spawnSync(process.execPath, args, {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  assert.match(stdout, /^# pass 1\n# fail 1$/m);
  const kept = join(folder, "rialto-failures/it-fails-7-8");
  assert.ok(stderr.includes(`rialto: The exchange of "it fails: 7/8" is kept in ${kept}.\n`));
  const state = join(kept, "state.rialto");
  assert.ok(stderr.includes(`npx rialto start --sandbox --from ${state} --data-dir `));
  assert.equal(statSync(state).mode & 0o077, 0);
  assert.ok(existsSync(join(kept, "log.txt")));
  assert.equal(existsSync(join(folder, "rialto-failures/it-passes")), false);
  await using opened = await startExchange({ from: state });
  assert.ok(await hasUser(opened, 7));
});

test("a call keeps it in any runner; what has ended is kept as its folder", async () => {
  process.env.RIALTO_KEEP_FOLDER = join(folder, "elsewhere");
  try {
    await using exchange = await startExchange({ spot: ["BTCUSDT"] });
    await exchange.createUser({ uid: 9 });
    await (await fetch(`${exchange.url}/api/v3/ping`)).arrayBuffer();
    const failing = exchange.keepIfFails("fails", () => Promise.reject(new Error("it failed")));
    await assert.rejects(failing, /^Error: it failed$/);
    const kept = join(folder, "elsewhere/fails");
    assert.match(readFileSync(join(kept, "requests.json"), "utf8"), /"GET \/api\/v3\/ping"/);
    await exchange.kill();
    const ended = await exchange.keep("fails");
    assert.equal(ended, `${kept}-2`);
    assert.equal(existsSync(join(ended, "state.rialto")), false);
    await using opened = await startExchange({ dataFolder: join(ended, "data") });
    assert.ok(await hasUser(opened, 9));
  } finally {
    delete process.env.RIALTO_KEEP_FOLDER;
  }
});
