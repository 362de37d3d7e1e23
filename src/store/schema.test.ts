/**
 * A file of a schema version has the same tables, columns and indexes for good: older files are
 * opened by their version alone. Raise `SCHEMA_VERSION` with every change, then add its hash.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { createHistorySchema, openHistoryDatabase, SCHEMA_VERSION } from "./index.ts";

const HASHES: Readonly<Record<number, string>> = {
  9: "6e7939082c0044ded1e2b304202e102f0c18bc0457552c17233338f67b7c696c",
};

test("the schema is the one of its version", (context) => {
  const { connection } = openHistoryDatabase(":memory:", { readOnly: false });
  context.after(() => connection.close());
  createHistorySchema(connection);
  const schema = connection.prepare("select type, name, sql from sqlite_schema").all();
  const statistics = connection.prepare("select tbl, idx, stat from sqlite_stat1").all();
  const hash = createHash("sha256")
    .update(JSON.stringify([schema, statistics]))
    .digest("hex");
  assert.equal(hash, HASHES[SCHEMA_VERSION], "the schema changed: raise SCHEMA_VERSION");
});
