/**
 * Proves the bound of the key store: it is full at exactly its maximum, whether the rows were put
 * since it was opened or stood there before, and a removed row makes room again. The rows before
 * the last are written straight into the file, as they were sealed. And a backup that copies the
 * file delays a change, and does not make it fail.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { Worker } from "node:worker_threads";
import { NODE_PLATFORM } from "../platform/index.ts";
import { KEY_STORE_ROWS_MAX, KeyStore } from "./key-store.ts";
import { generateMasterKey } from "./master-key.ts";

const { randomness } = NODE_PLATFORM;

test("a store is full at its maximum, also after it was opened again", (context) => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-key-store-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "keys.db");
  const masterKeys = generateMasterKey(join(folder, "master.key"), randomness);
  const open = () => KeyStore.open(path, masterKeys, randomness);

  let store = open();
  store.put("first", 1, "secret", "passphrase");
  assert.equal(store.full, false);
  store.close();
  const database = new DatabaseSync(path);
  database
    .prepare(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) " +
        "INSERT INTO api_keys SELECT 'copy' || i, uid, master_key_version, iv, sealed_secret, " +
        "passphrase_digest FROM n, api_keys WHERE api_key = 'first'",
    )
    .run(KEY_STORE_ROWS_MAX - 2);
  database.close();

  store = open();
  assert.equal(store.full, false, "room for one");
  store.put("last", 1, "secret", "passphrase");
  assert.equal(store.full, true);
  store.close();
  store = open();
  assert.equal(store.full, true);
  store.remove("nobody's");
  assert.equal(store.full, true);
  store.remove("copy1");
  assert.equal(store.full, false);
  const again = store.sealed("first");
  store.replaceAll(again);
  for (const row of again) store.putSealed({ ...row });
  assert.deepEqual(store.sealed(), again, "one row, put twice, is one");
  store.close();
});

/** Reads the file for a moment, as a backup does. */
const READER = `
  const { parentPort, workerData } = require("node:worker_threads");
  const { DatabaseSync } = require("node:sqlite");
  const database = new DatabaseSync(workerData, { readOnly: true });
  database.exec("BEGIN");
  database.prepare("SELECT count(*) FROM api_keys").get();
  parentPort.postMessage("reads");
  setTimeout(() => database.close(), 200);
`;

test("a change waits while the file is copied", async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "rialto-key-store-"));
  context.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "keys.db");
  const store = KeyStore.open(
    path,
    generateMasterKey(join(folder, "master.key"), randomness),
    randomness,
  );
  const reader = new Worker(READER, { eval: true, workerData: path });
  await once(reader, "message");
  store.put("first", 1, "secret", "passphrase");
  assert.equal(store.sealed("first").length, 1);
  store.close();
  await once(reader, "exit");
});
