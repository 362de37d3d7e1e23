/**
 * Proves that only the owner can read the data folder, whatever the umask: after a start, while it
 * runs, after a kill, a snapshot, an orderly shutdown, a rebuild of the history and a repair of the
 * journal every file has mode 0600 and every folder 0700. The start tightens a restored copy with
 * wider modes, and says so; files that are not part of Rialto are left alone.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import test, { type TestContext } from "node:test";
import { ExchangeProcess, temporaryFolder } from "../support/exchange-process.ts";
import { PROGRAM } from "../support/program.ts";

const SECRETS = ["master.key", "operator.token"];

/** Paths below the folder and the folder itself, each with its mode. */
function modesOf(folder: string): Map<string, number> {
  const modes = new Map([[folder, statSync(folder).mode & 0o777]]);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined) modes.set(path, found.mode & 0o777);
  }
  return modes;
}

function assertPrivate(folder: string, when: string): void {
  const open = [...modesOf(folder)].filter(([path, mode]) => {
    return mode !== (statSync(path, { throwIfNoEntry: false })?.isDirectory() ? 0o700 : 0o600);
  });
  const listed = open.map(([path, mode]) => `${path.slice(folder.length)} ${mode.toString(8)}`);
  assert.deepEqual(listed, [], when);
}

function namesIn(folder: string): string[] {
  return [...modesOf(folder).keys()].map((path) => basename(path));
}

function runCommand(folder: string, ...args: string[]): void {
  const main = PROGRAM;
  const run = spawnSync(process.execPath, [main, ...args, "--data-dir", folder], {
    encoding: "utf8",
  });
  assert.equal(run.status, 0, run.stderr);
}

/** For this process and what it starts. */
function useUmask(context: TestContext, mask: number): void {
  const usual = process.umask(mask);
  context.after(() => process.umask(usual));
}

/** As `cp -r` and an archive without modes leave it. */
function restoreOpened(folder: string): string {
  const restored = join(temporaryFolder(), "restored");
  cpSync(folder, restored, { recursive: true });
  for (const [path] of modesOf(restored)) {
    const isSecret = SECRETS.includes(basename(path));
    if (!isSecret) chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  }
  return restored;
}

for (const { mask, profile } of [
  { mask: 0o000, profile: "demo" },
  { mask: 0o022, profile: "empty" },
] as const) {
  test(`umask ${mask.toString(8).padStart(3, "0")}, ${profile} profile`, async (context) => {
    useUmask(context, mask);
    const folder = join(temporaryFolder(), "data");
    const options = { profile, flags: ["--market-makers", "off"] };
    const exchange = await ExchangeProcess.start(options, folder);
    context.after(() => exchange.stop());
    await exchange.operator.call("POST", "/operator/v1/users", {});
    // Answered once the history has written what was done.
    await exchange.operator.call("GET", "/operator/v1/audit");
    assert.ok(namesIn(folder).some((name) => name.endsWith(".db-wal")));
    assertPrivate(folder, "while it runs");
    await exchange.operator.call("POST", "/operator/v1/snapshots");
    assertPrivate(folder, "after a snapshot");
    await exchange.kill("SIGKILL");
    assertPrivate(folder, "after a kill");
    runCommand(folder, "projections", "rebuild");
    assertPrivate(folder, "after a rebuild");
    await exchange.restart();
    const { sequence } = await exchange.operator.call<{ sequence: number }>(
      "GET",
      "/operator/v1/status",
    );
    await exchange.operator.call("POST", "/operator/v1/users", {});
    assert.equal((await exchange.kill("SIGTERM")).code, 0);
    assertPrivate(folder, "after an orderly end");
    runCommand(folder, "journal", "repair", "--drop-after", String(sequence), "--yes");
    assertPrivate(folder, "after a repair");
  });
}

test("a restored copy is closed by the start, which says so once", async (context) => {
  useUmask(context, 0o022);
  const first = await ExchangeProcess.start({ profile: "demo" }, join(temporaryFolder(), "data"));
  context.after(() => first.stop());
  await first.operator.call("POST", "/operator/v1/snapshots");
  await first.kill("SIGKILL");
  const restored = restoreOpened(first.dataFolder);
  const open = [...modesOf(restored)].filter(([, mode]) => (mode & 0o077) !== 0);
  const flags = ["--log-level", "warn"];
  const exchange = await ExchangeProcess.start({ profile: "demo", flags }, restored);
  context.after(() => exchange.stop());
  assertPrivate(restored, "after a restore");
  for (const [path] of open) assert.ok(exchange.output.includes(`"${path}"`), `${path} is told`);
  assert.match(exchange.output, /other users could read parts of the data folder; fixed/);
  await exchange.restart();
  assert.doesNotMatch(exchange.output, /others could look/);
});

test("what is no part of Rialto keeps its mode, and so does its folder", async (context) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "others"));
  writeFileSync(join(folder, "others/notes.txt"), "");
  const paths = [folder, join(folder, "others"), join(folder, "others/notes.txt")];
  for (const path of paths) chmodSync(path, 0o755);
  const exchange = await ExchangeProcess.start({}, folder);
  context.after(() => exchange.stop());
  for (const path of paths) assert.equal(statSync(path).mode & 0o777, 0o755);
});
