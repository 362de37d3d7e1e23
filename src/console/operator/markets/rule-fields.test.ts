/** Proves what a form of rules sends: text and whole numbers, nothing that was left empty. */
import assert from "node:assert/strict";
import test from "node:test";
import { CONTRACT_FIELDS, changedRules, SPOT_FIELDS, toRules, toTexts } from "./rule-fields.ts";

const RULES = { symbol: "BTCUSDT", tickSize: "0.01", stepSize: "0.00001", maxOpenOrders: 200 };

test("rules become texts and the same rules again", () => {
  const texts = toTexts(SPOT_FIELDS, RULES);
  assert.equal(texts.maxOpenOrders, "200");
  assert.equal(texts.minNotional, "");
  assert.deepEqual(toRules(SPOT_FIELDS, texts), {
    tickSize: "0.01",
    stepSize: "0.00001",
    maxOpenOrders: 200,
  });
});

test("what is no whole number is left for the exchange to refuse", () => {
  const texts = { ...toTexts(SPOT_FIELDS, RULES), maxOpenOrders: "1.5", minNotional: " 5 " };
  const { maxOpenOrders, minNotional } = toRules(SPOT_FIELDS, texts);
  assert.deepEqual([maxOpenOrders, minNotional], ["1.5", "5"]);
});

test("a limit that may be none is shown, kept and taken back", () => {
  const none = toTexts(CONTRACT_FIELDS, { insuranceDrawLimit: null });
  assert.equal(none.insuranceDrawLimit, "none");
  assert.equal(toRules(CONTRACT_FIELDS, none).insuranceDrawLimit, null);
  const some = toTexts(CONTRACT_FIELDS, { insuranceDrawLimit: "0.1" });
  assert.equal(toRules(CONTRACT_FIELDS, some).insuranceDrawLimit, "0.1");
  // A new market gets the default.
  const fresh = toTexts(CONTRACT_FIELDS, null);
  assert.ok(!("insuranceDrawLimit" in toRules(CONTRACT_FIELDS, fresh)));
});

test("changes are named before and after", () => {
  const before = toTexts(SPOT_FIELDS, RULES);
  const after = { ...before, tickSize: "0.1", minNotional: "5", stepSize: "" };
  assert.deepEqual(changedRules(SPOT_FIELDS, before, after), [
    "Tick size: 0.01 → 0.1",
    "Min. order value: – → 5",
  ]);
});

test("no field stands twice in a form", () => {
  for (const fields of [SPOT_FIELDS, CONTRACT_FIELDS]) {
    const names = fields.map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
  }
});
