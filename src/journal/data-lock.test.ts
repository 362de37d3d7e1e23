/**
 * Proves that a data folder has one holder at a time, in one process and between processes, and
 * that the lock of a killed process is gone with it.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { lockDataFolder } from "./data-lock.ts";

async function withFolder(body: (folder: string) => Promise<void>): Promise<void> {
  const parent = mkdtempSync(join(tmpdir(), "rialto-lock-"));
  try {
    await body(join(parent, "data"));
  } finally {
    rmSync(parent, { recursive: true });
  }
}

function assertBusy(folder: string): void {
  const second = lockDataFolder(folder);
  assert.ok(!second.ok);
  assert.ok(second.message.includes(folder));
  assert.match(second.message, /--data-dir/);
}

test("a second holder is refused until the first releases", () =>
  withFolder(async (folder) => {
    const first = lockDataFolder(folder);
    assert.ok(first.ok);
    assertBusy(folder);
    assertBusy(folder);
    first.release();
    const again = lockDataFolder(folder);
    assert.ok(again.ok);
    again.release();
  }));

test("two folders do not know each other", () =>
  withFolder(async (folder) => {
    const locks = [lockDataFolder(join(folder, "a")), lockDataFolder(join(folder, "b"))];
    for (const lock of locks) {
      assert.ok(lock.ok);
      lock.release();
    }
  }));

/** The child drops all references to its lock and collects garbage, which must not release it. */
function startHolder(folder: string): ChildProcess {
  const module = JSON.stringify(new URL("./data-lock.ts", import.meta.url).href);
  const script =
    `import { lockDataFolder } from ${module};` +
    `const locked = lockDataFolder(${JSON.stringify(folder)}).ok;` +
    "setTimeout(() => { gc(); gc(); console.log(locked); }, 10);" +
    "setInterval(() => {}, 1000);";
  const args = ["--expose-gc", "--input-type=module-typescript", "--eval", script];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

test("another process is refused, and a killed one leaves no lock", () =>
  withFolder(async (folder) => {
    const child = startHolder(folder);
    const ended = once(child, "exit");
    try {
      const [said] = await once(child.stdout as NodeJS.ReadableStream, "data");
      assert.equal(String(said).trim(), "true");
      assertBusy(folder);
    } finally {
      child.kill("SIGKILL");
      await ended;
    }
    const lock = lockDataFolder(folder);
    assert.ok(lock.ok);
    lock.release();
    lock.release();
  }));
