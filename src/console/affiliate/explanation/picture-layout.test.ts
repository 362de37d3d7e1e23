/**
 * Proves that at any width boxes lie inside the picture and never over one another, that no sign of
 * a line is lost and none runs out of its box, and that every arrow goes down from its box to the
 * next.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../../../test/support/random.ts";
import type { Step } from "./explanation-steps.ts";
import { type Box, brokenLine, layOut, SIGN_WIDTH } from "./picture-layout.ts";

const random = seededRandom("explanation picture");

function step(id: string, lane: Step["lane"], after: readonly string[]): Step {
  const lines = Array.from({ length: random.integer(1, 5) }, () =>
    Array.from({ length: random.integer(1, 9) }, () => "x".repeat(random.integer(1, 24))).join(" "),
  );
  return { id, title: id, lines, tone: "plain", after, lane };
}

function isOver(one: Box, other: Box): boolean {
  const apart =
    one.x + one.width <= other.x ||
    other.x + other.width <= one.x ||
    one.y + one.height <= other.y ||
    other.y + other.height <= one.y;
  return !apart;
}

test("boxes and arrows at any width", () => {
  for (let round = 0; round < 200; round++) {
    const width = random.integer(200, 900);
    const steps = [
      step("fill", "left", []),
      step("fee", "left", ["fill"]),
      step("rate", "right", []),
      step("product", "both", ["fee", "rate"]),
      step("end", "both", ["product"]),
    ];
    const { boxes, arrows, height } = layOut(steps, width);
    for (const [i, box] of boxes.entries()) {
      assert.ok(box.x >= 0 && box.x + box.width <= width && box.y + box.height <= height);
      assert.ok(
        boxes.slice(i + 1).every((other) => !isOver(box, other)),
        `${width}: ${box.step.id}`,
      );
      assert.ok(box.lines.every((line) => line.length * SIGN_WIDTH <= box.width));
      const signs = (lines: readonly string[]) => lines.join("").replaceAll(" ", "");
      assert.equal(signs(box.lines), signs(box.step.lines));
    }
    assert.deepEqual(
      arrows.map(({ from, to }) => `${from}-${to}`),
      ["fill-fee", "fee-product", "rate-product", "product-end"],
    );
    for (const { from, to, path } of arrows) {
      const [before, box] = [from, to].map((id) => boxes.find((one) => one.step.id === id) as Box);
      assert.ok(before !== undefined && box !== undefined && before.y + before.height < box.y);
      assert.ok(path.startsWith(`M${before.x + before.width / 2} ${before.y + before.height}V`));
      assert.ok(path.endsWith(`V${box.y}`));
    }
  }
});

test("fill and rate stand side by side where there is room, else below one another", () => {
  const steps = [step("fill", "left", []), step("rate", "right", [])];
  const [wideFill, wideRate] = layOut(steps, 560).boxes;
  assert.ok(wideFill !== undefined && wideRate !== undefined);
  assert.equal(wideFill.y, wideRate.y);
  const [fill, rate] = layOut(steps, 320).boxes;
  assert.ok(fill !== undefined && rate !== undefined && rate.y > fill.y + fill.height);
  assert.deepEqual([fill.width, rate.width], [320, 320]);
});

test("lines break at blanks, and anywhere where there are none", () => {
  assert.deepEqual(brokenLine("fees → affiliate-payable: 1 USDT", 20), [
    "fees →",
    "affiliate-payable: 1",
    "USDT",
  ]);
  assert.deepEqual(brokenLine("123456789", 4), ["1234", "5678", "9"]);
  assert.deepEqual(brokenLine("", 4), [""]);
  assert.deepEqual(layOut([], 300).height, 0);
});
