/**
 * Proves what is remembered of backups: the last one of each target, so that one that fails is not
 * hidden by another; what an earlier version wrote; nothing of a target that is out of use; and
 * that `doctor` fails for the oldest one and says how many commands each lacks.
 */
import assert from "node:assert/strict";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { temporaryFolder } from "../../../test/support/exchange-process.ts";
import { checkBackup } from "../diagnosis/folder-checks.ts";
import { readBackupRecords, writeBackupRecord } from "./backup-record.ts";

const NOW_MS = 1_800_000_000_000;
const DAY_MS = 24 * 3_600_000;
const record = (target: string, sequence: number, agoMs = 0) => {
  return { target, sequence, madeMs: NOW_MS - agoMs };
};

test("the last backup of each target is remembered", () => {
  const folder = temporaryFolder();
  assert.deepEqual(readBackupRecords(folder), []);
  assert.deepEqual(readBackupRecords(join(folder, "gone")), []);
  writeBackupRecord(join(folder, "gone"), record("/a", 1));
  writeFileSync(join(folder, "backup.json"), JSON.stringify(record("/a", 5, 60_000)));
  assert.deepEqual(readBackupRecords(folder), [record("/a", 5, 60_000)]);
  writeBackupRecord(folder, record("/b", 6, 30_000));
  writeBackupRecord(folder, record("/a", 7));
  assert.deepEqual(readBackupRecords(folder), [record("/a", 7), record("/b", 6, 30_000)]);
  assert.equal(readdirSync(folder).length, 2, "the old file is gone");
  const [name = ""] = readdirSync(folder);
  writeFileSync(join(folder, name), "{");
  assert.equal(readBackupRecords(folder).length, 1);
});

test("one that was not made for a week is forgotten", () => {
  const folder = temporaryFolder();
  writeBackupRecord(folder, record("/old", 1, 8 * DAY_MS));
  writeBackupRecord(folder, record("/late", 2, 6 * DAY_MS));
  writeBackupRecord(folder, record("/new", 3));
  assert.deepEqual(
    readBackupRecords(folder).map(({ target }) => target),
    ["/new", "/late"],
  );
});

test("doctor looks at every target", () => {
  const folder = temporaryFolder();
  const check = (withinMs: number | null) => checkBackup(folder, withinMs, 12, NOW_MS);
  assert.equal(check(null).outcome, "ok");
  assert.equal(check(60_000).outcome, "fail");
  writeBackupRecord(folder, record("/quick", 10, 5_000));
  assert.equal(check(60_000).outcome, "ok");
  writeBackupRecord(folder, record("/stuck", 4, 3_600_000));
  const { finding, outcome } = check(60_000);
  assert.equal(outcome, "fail");
  assert.match(finding, /sequence 10 in \/quick, 2 commands behind; .*4 in \/stuck, 8 commands/);
  assert.equal(check(2 * 3_600_000).outcome, "ok");
  rmSync(folder, { recursive: true });
});
