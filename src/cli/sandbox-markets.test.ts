/**
 * Proves the commands about markets on demand: what they print, and that a wrong command line ends
 * with 2 and a sentence. The page about them runs the rest.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import test, { after, before } from "node:test";
import { startExchange, type TestExchange } from "../testing/index.ts";

const MAIN = join(import.meta.dirname, "main.ts");

let exchange: TestExchange;
before(async () => {
  exchange = await startExchange({ spot: ["BTCUSDT"], contracts: ["ETHUSDT"] });
});
after(() => exchange.stop());

function run(...args: readonly string[]) {
  const env = {
    ...process.env,
    RIALTO_OPERATOR_URL: exchange.operatorUrl,
    RIALTO_OPERATOR_TOKEN: exchange.operatorToken,
  };
  const all = [MAIN, "sandbox", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, { env, encoding: "utf8" });
  return { status, stdout, stderr };
}

test("a book is made and shown as a table and as JSON", () => {
  const made = run("book", "BTCUSDT", "--bids", "99@1,98@2.5", "--asks", "101@3");
  const table = [
    "BTCUSDT (spot), last price 0",
    "side  price  quantity",
    "ask   101    3",
    "bid   99     1",
    "bid   98     2.5",
    "",
  ];
  assert.deepEqual(made, { status: 0, stdout: table.join("\n"), stderr: "" });
  const { bids, asks } = JSON.parse(run("book", "BTCUSDT", "--json").stdout);
  assert.deepEqual([bids[1], asks], [["98", "2.5"], [["101", "3"]]]);
  const refused = run("book", "BTCUSDT", "--bids", "99@1", "--asks", "99@1");
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /^rialto: .*asks must be above the best bid, 99/);
});

test("a wrong command line ends with 2", () => {
  for (const wrong of [
    ["book", "BTCUSDT", "--bids", "99"],
    ["book", "BTCUSDT", "--bids", "99@1", "--clear"],
    ["price", "BTCUSDT"],
    ["price", "BTCUSDT", "100", "--in", "soon"],
    ["price", "BTCUSDT", "100", "--path", "spiral"],
    ["price", "BTCUSDT", "100", "--volatility", "2"],
    ["trigger", "meteor"],
    ["trigger"],
  ]) {
    const { status, stdout, stderr } = run(...wrong);
    assert.deepEqual([status, stdout], [2, ""], wrong.join(" "));
    assert.match(stderr, /^rialto: /);
  }
});

test("a rate below zero is no option", () => {
  assert.match(run("funding", "ETHUSDT", "-0.01").stdout, /has the rate -0\.01; the last had 0\n$/);
});

test("a scenario tells what it did", () => {
  run("price", "ETHUSDT", "3000");
  const { status, stdout } = run("trigger", "flash-crash", "ETHUSDT");
  assert.equal(status, 0);
  assert.match(stdout, /^ETHUSDT \(contract\) fell from 3000 to 2700 in 5 trades/);
  const refused = run("trigger", "liquidate", "ETHUSDT", "--uid", "1");
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
});
