/**
 * Proves that each alarm sounds at what its rule says and not beside it, that samples of other
 * labels do not count, and that what needs a person now fails the diagnosis.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ALARMS, checkAlarms } from "./alarm-check.ts";

/** A value for which the comparison holds, and one for which it does not. */
function valuesOf(when: string): readonly [number, number] {
  const [, comparison, bound] = /(==|>|<) ([\d.]+)$/.exec(when) as unknown as string[];
  const number = Number(bound);
  if (comparison === "==") return [number, number + 1];
  return comparison === ">" ? [number + 1, number] : [number - 0.1, number];
}

for (const { name, severity, when } of ALARMS) {
  test(`${name} sounds when ${when}`, () => {
    const [, metric = "", label, values = ""] = /(rialto_\w+)(?:\{(\w+)=~?"([^"]+)"\})?/.exec(
      when,
    ) as unknown as string[];
    const [sounds, silent] = valuesOf(when);
    const labels = label === undefined ? [""] : values.split("|").map((one) => `${label}="${one}"`);
    for (const each of labels) {
      const sample = (value: number, set = each) =>
        `# TYPE ${metric} gauge\n${metric}${set && `{other="x",${set}}`} ${value}\n`;
      const found = checkAlarms(sample(sounds));
      assert.equal(found.outcome, severity === "page" ? "fail" : "warn");
      assert.match(found.finding, new RegExp(`^${name} \\(${metric}`));
      assert.doesNotMatch(checkAlarms(sample(silent)).finding, new RegExp(name));
      const another = label === undefined ? sample(sounds).replaceAll(metric, `${metric}_x`) : "";
      assert.equal(checkAlarms(another || sample(sounds, `${label}="z"`)).outcome, "ok");
    }
  });
}

test("nothing sounds where there is nothing", () => {
  assert.equal(checkAlarms("").outcome, "ok");
});
