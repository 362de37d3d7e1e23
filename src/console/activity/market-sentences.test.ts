/** Proves which markets are told to be halted and resumed: those that changed, of their product. */
import assert from "node:assert/strict";
import test from "node:test";
import { marketSentences } from "./market-sentences.ts";

test("only what changed is told, of each product by itself", () => {
  const both = { spot: ["BTCUSDT", "ETHUSDT"], contract: ["BTCUSDT"] };
  assert.deepEqual(marketSentences(both, both), []);
  const halted = { spot: ["BTCUSDT", "ETHUSDT"], contract: [] };
  assert.deepEqual(marketSentences(both, halted), [
    "BTCUSDT contract is halted: new orders are rejected",
  ]);
  const other = { spot: ["ETHUSDT"], contract: ["BTCUSDT"] };
  assert.deepEqual(marketSentences(halted, other), [
    "BTCUSDT spot is halted: new orders are rejected",
    "BTCUSDT contract accepts orders again",
  ]);
});
