/** Goal: what SQLite refuses is told apart: a file without room, a damaged one, and the rest. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { temporaryFolder } from "../../test/support/exchange-process.ts";
import { isDamage, isDatabaseFull } from "./sqlite-database.ts";

function errorOf(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  assert.fail("nothing was refused");
}

test("a full file, a damaged one and a wrong statement are three things", () => {
  const path = join(temporaryFolder(), "small.sqlite");
  const small = new DatabaseSync(path);
  small.exec("create table rows (text text); pragma max_page_count = 4");
  const full = errorOf(() => small.exec("insert into rows values (zeroblob(100000))"));
  assert.deepEqual([isDatabaseFull(full), isDamage(full)], [true, false]);
  const wrong = errorOf(() => small.exec("insert into columns values (1)"));
  assert.deepEqual([isDatabaseFull(wrong), isDamage(wrong)], [false, false]);
  small.close();

  writeFileSync(path, "no database, however long it may be".repeat(100));
  const other = new DatabaseSync(path);
  const damaged = errorOf(() => other.exec("select * from rows"));
  other.close();
  assert.deepEqual([isDatabaseFull(damaged), isDamage(damaged)], [false, true]);
  assert.deepEqual([isDatabaseFull(new Error("full")), isDamage(null)], [false, false]);
});
