/** Proves which settings of PostgreSQL are refused, those of versions that no test runs as well. */
import assert from "node:assert/strict";
import test from "node:test";
import { oldNames, placeOf, wrongSetting } from "./primary.ts";

const GOOD = {
  version: 15,
  is_standby: false,
  standbys: "ANY 1 (n2_g1, n3_g1)",
  commits: "on",
  fsync: "on",
  pages: "on",
  has_log: true,
};

test("settings that lose acknowledged commits are refused, and only those", () => {
  for (const good of [GOOD, { ...GOOD, version: 18 }, { ...GOOD, commits: "remote_apply" }]) {
    assert.equal(wrongSetting(good), null);
  }
  assert.equal(
    wrongSetting({ ...GOOD, version: 14 }),
    "is PostgreSQL 14: Rialto needs 15 or later",
  );
  for (const commits of ["off", "local", "remote_write"]) {
    assert.match(wrongSetting({ ...GOOD, commits }) ?? "", /does not wait for standbys/);
  }
  assert.match(wrongSetting({ ...GOOD, fsync: "off" }) ?? "", /has fsync off/);
  assert.match(wrongSetting({ ...GOOD, pages: "off" }) ?? "", /has full_page_writes off/);
  assert.match(wrongSetting({ ...GOOD, standbys: "" }) ?? "", /has no synchronous standby/);
});

test("names of an older generation are refused, and names without one are not", () => {
  assert.equal(oldNames("ANY 1 (n2_g4, n3_g4)", 4), null);
  assert.equal(oldNames("ANY 1 (n2_g5, n3_g5)", 4), null, "a failover raises the log's last");
  assert.equal(oldNames("FIRST 1 (n2, n3)", 4), null, "as with Patroni");
  assert.match(oldNames("ANY 1 (n2_g4, n3_g3)", 4) ?? "", /^counts n3_g3, and .* generation 4/);
});

test("a message names the place of a server, and never its password", () => {
  assert.equal(placeOf("postgresql://rialto:secret@db1:6432/rialto"), "PostgreSQL at db1:6432");
  assert.equal(placeOf("postgresql://rialto:secret@db1/rialto"), "PostgreSQL at db1:5432");
  assert.equal(placeOf("secret"), "an address");
});
