/**
 * Proves that a wrong command line about markets on demand is refused before anything is asked of
 * an exchange. docs/reference/sandbox-markets.md is run elsewhere.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { CommanderError } from "commander";
import { CommandFailed } from "./failure.ts";
import { createProgram } from "./program.ts";

/** Nothing listens there; the token is one. */
const NOWHERE = ["--operator-url", "http://127.0.0.1:65534", "--token", "t"];

async function failureOf(...args: readonly string[]): Promise<unknown> {
  try {
    await createProgram(true).parseAsync(["sandbox", ...args], { from: "user" });
  } catch (error) {
    return error;
  }
  return null;
}

test("what cannot be read is a wrong use", async () => {
  for (const wrong of [
    ["book", "BTCUSDT", "--bids", "99"],
    ["book", "BTCUSDT", "--asks", "99@1@2"],
    ["book", "BTCUSDT", "--product", "futures"],
    ["price", "BTCUSDT"],
    ["price", "BTCUSDT", "100", "--in", "soon"],
    ["price", "BTCUSDT", "100", "--path", "spiral"],
    ["price", "BTCUSDT", "100", "--volatility", "2"],
    ["price", "BTCUSDT", "100", "--seed", "-1"],
    ["liquidity", "BTCUSDT", "loose"],
    ["liquidity", "BTCUSDT", "one-sided", "--side", "left"],
    ["trigger", "meteor"],
    ["trigger", "liquidate", "--uid", "0"],
    ["trigger"],
  ]) {
    assert.ok((await failureOf(...wrong)) instanceof CommanderError, wrong.join(" "));
  }
  const both = await failureOf("book", "BTCUSDT", "--bids", "99@1", "--clear", ...NOWHERE);
  assert.ok(both instanceof CommandFailed);
  assert.deepEqual([both.code, both.exitCode], ["usage", 2]);
});

test("a rate below zero and a price are read, and the exchange is asked", async () => {
  for (const right of [
    ["funding", "BTCUSDT", "-0.01"],
    ["price", "BTCUSDT", "none", "--mark"],
    ["book", "BTCUSDT", "--bids", "99@1, 98@2", "--asks", ""],
  ]) {
    const failure = await failureOf(...right, ...NOWHERE);
    assert.ok(failure instanceof CommandFailed, right.join(" "));
    assert.equal(failure.code, "unreachable");
  }
});
