/**
 * Proves that the token of the data folder is replaced without a restart: after `rialto operators
 * rotate-token` the running exchange rejects the old one with the next request and takes the new
 * one, operators keep theirs, and `kill -9` and a restart change nothing.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { promisify } from "node:util";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { HttpConnection } from "../support/http-exchange.ts";
import { PROGRAM } from "../support/program.ts";

test("the token of the data folder is rotated while the exchange runs", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  const path = "/operator/v1/caller";
  const statusOf = async (token: string): Promise<number> => {
    const connection = new HttpConnection(exchange.operatorPort, 1);
    const headers = { Authorization: `Bearer ${token}` };
    const { status } = await connection.send({ method: "GET", path, headers });
    connection.close();
    return status;
  };
  const file = join(exchange.dataFolder, "operator.token");
  const kept = (): string => readFileSync(file, "utf8").trim();
  const old = kept();
  const operator = { name: "ann", role: "viewer" };
  const operators = "/operator/v1/operators";
  const { token: ann } = await exchange.operator.call<{ token: string }>(
    ...(["POST", operators, operator] as const),
  );
  assert.equal(await statusOf(old), 200);
  const flags = ["operators", "rotate-token", "--data-dir", exchange.dataFolder, "--json"];
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, ...flags]);
  assert.deepEqual(JSON.parse(stdout), { path: file });
  assert.notEqual(kept(), old);
  for (let life = 1; life <= 2; life++) {
    assert.deepEqual(
      [await statusOf(old), await statusOf(kept()), await statusOf(ann)],
      [401, 200, 200],
    );
    if (life === 2) break;
    await exchange.kill("SIGKILL");
    await exchange.restart();
  }
});
