/** Proves that stored sizes come back, within their limits, and that presets are recognised. */
import assert from "node:assert/strict";
import test from "node:test";
import { fitSize, type LayoutSizes, LIMITS, PRESETS, parseLayout, presetOf } from "./layout.ts";

test("damaged or missing sizes are those of the standard", () => {
  assert.deepEqual(parseLayout(null), PRESETS.standard);
  assert.deepEqual(parseLayout("x - 99999"), {
    ...PRESETS.standard,
    account: LIMITS.account[1],
  });
  assert.deepEqual(parseLayout("300 320 200"), { book: 300, form: 320, account: 200 });
});

test("each preset lies within the limits and is told apart from the user's sizes", () => {
  for (const [name, sizes] of Object.entries(PRESETS)) {
    assert.equal(presetOf(sizes), name);
    for (const [part, pixels] of Object.entries(sizes))
      assert.equal(fitSize(part as keyof LayoutSizes, pixels), pixels);
  }
  assert.equal(presetOf({ ...PRESETS.chart, form: 300 }), null);
});
