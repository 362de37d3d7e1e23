/**
 * A file of a schema version has the same tables, columns and indexes for good: older files are
 * opened by their version alone. Raise `SCHEMA_VERSION` with every change, then add its hash.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { createHistorySchema, openHistoryDatabase, SCHEMA_VERSION } from "./index.ts";

const HASHES: Readonly<Record<number, string>> = {
  10: "c868876508f99de1dafe76f77186a6f9e01dc0d6945cad90dd3ef625b1af94d5",
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
