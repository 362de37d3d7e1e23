/** Proves that a form becomes the rule that it shows, and a rule the text that says it. */
import assert from "node:assert/strict";
import test from "node:test";
import { faultText, matchText, NEW_FAULT, ruleOf, whenText } from "./fault-draft.ts";

const SET = { id: "x", seed: 1, expiresMs: null, hits: 0, match: {}, when: {} } as const;

test("a form is a rule", () => {
  assert.deepEqual(ruleOf({ ...NEW_FAULT, id: "lost", uid: "7", target: "POST /api/v3/order" }), {
    id: "lost",
    match: { uid: 7, route: "POST /api/v3/order" },
    when: { next: 1 },
    fault: { kind: "drop-answer" },
  });
  const gap = { ...NEW_FAULT, id: "gap", kind: "gap", figure: "3", when: "always" } as const;
  assert.deepEqual(ruleOf({ ...gap, target: "BTCUSDT@depth15" }), {
    id: "gap",
    match: { channel: "BTCUSDT@depth15" },
    when: {},
    fault: { kind: "gap", updates: 3 },
  });
  const delay = { ...NEW_FAULT, kind: "delay", figure: "200" } as const;
  assert.deepEqual(ruleOf({ ...delay, target: "fill" }).match, { channel: "fill" });
  assert.deepEqual(ruleOf({ ...delay, target: "GET *" }).match, { route: "GET *" });
  assert.deepEqual(ruleOf(delay).match, {});
});

test("a rule is told in words", () => {
  const rule = { ...SET, fault: { kind: "delay", ms: [50, 400], distribution: "pareto" } } as const;
  const told = { ...rule, fault: { ...rule.fault, ms: [50, 400] } };
  assert.equal(faultText(told), "Delay, ms 50 to 400, distribution pareto");
  assert.equal(matchText(told), "everything");
  assert.equal(whenText(told), "always");
  const match = { uid: 7, channel: "fill" };
  const once = { ...SET, match, when: { next: 1 }, fault: { kind: "cut" } } as const;
  assert.equal(matchText(once), "uid 7, fill");
  assert.equal(whenText(once), "next 1");
  assert.equal(faultText(once), "Stream: cut the connection");
});
