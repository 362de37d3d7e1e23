/** Proves that a folder with a journal is never taken for a new one, of another kind or venue. */
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { temporaryFolder } from "../../test/support/exchange-process.ts";
import { StartRefused } from "./config.ts";
import { openManifest } from "./data-folder-manifest.ts";

test("without its venue.json a journal is not started until somebody says what it is", () => {
  const folder = temporaryFolder();
  const file = join(folder, "venue.json");
  const { id } = openManifest(folder, true);
  mkdirSync(join(folder, "journal"));
  assert.equal(openManifest(folder, true).id, id, "the same venue at every start");
  rmSync(file);
  let advice = "";
  for (const isSandbox of [true, false]) {
    assert.throws(
      () => openManifest(folder, isSandbox),
      (error) => {
        assert.ok(error instanceof StartRefused);
        assert.match(error.message, /venue\.json is missing\. Restore venue\.json from a copy/);
        advice = error.message;
        return error.exitCode === 78;
      },
    );
  }
  const [written = ""] = /\{.*?\}/.exec(advice) ?? [];
  writeFileSync(file, written.replace("false", "true"));
  assert.throws(() => openManifest(folder, false), /was created with --sandbox/);
  assert.notEqual(openManifest(folder, true).id, id);
});
