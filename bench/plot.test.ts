/**
 * Goal: a chart shows every value where it belongs, inside its frame, and says it in words too; the
 * picture is whole XML, whatever the texts are, and has colours for light and dark. Method: random
 * charts, whose SVG is taken apart again.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { scaled, seededRandom } from "../test/support/random.ts";
import { type Chart, formatValue, renderChart, yTicks } from "./plot.ts";

const CHARTS = scaled(50);
const random = seededRandom("plot");

function randomValue(): number | null {
  return random.chance(0.15) ? null : random.next() * 10 ** random.integer(-1, 6);
}

function randomChart(): Chart {
  const xTicks = Array.from({ length: random.integer(1, 8) }, (_, index) => String(4 ** index));
  const panels = Array.from({ length: random.integer(1, 5) }, (_, index) => ({
    title: `panel ${index} <&>`,
    xLabel: "connections",
    xTicks,
    yLabel: "per second",
    series: (["main", "second"] as const).map((tone) => ({
      name: `"${tone}" & more`,
      tone,
      values: xTicks.map(randomValue),
    })),
  }));
  return { title: "Rates <of> all", subtitle: "a machine & another", panels };
}

/** Throws unless every tag is closed by its own. Returns the names of all elements. */
function elementsOf(svg: string): string[] {
  const open: string[] = [];
  const names: string[] = [];
  assert.doesNotMatch(svg, /&(?!amp;|lt;|gt;|quot;)/);
  for (const [, closing, name = "", empty] of svg.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (closing === "/") assert.equal(open.pop(), name);
    else if (empty !== "/") open.push(name);
    if (closing !== "/") names.push(name);
  }
  assert.deepEqual(open, []);
  assert.equal(svg.replace(/<[^<>]*>/g, "").includes("<"), false);
  return names;
}

/** Circles of one tone in one panel, from left to right. */
function circlesOf(panel: string, tone: string): { readonly x: number; readonly y: number }[] {
  const circles = panel.matchAll(
    new RegExp(`<circle class="${tone}" cx="(\\S+)" cy="(\\S+)"`, "g"),
  );
  return [...circles].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
}

/** Heights of the lines of the grid, the one of zero first. */
function gridOf(panel: string): number[] {
  const lines = panel.matchAll(/<line class="(?:axis|grid)" x1="\S+" y1="(\S+)"/g);
  return [...lines].map(([, y]) => Number(y));
}

test("every value has its point, at its height between the lines of the grid", () => {
  for (let round = 0; round < CHARTS; round++) {
    const chart = randomChart();
    const svg = renderChart(chart);
    elementsOf(svg);
    const drawn = svg.split('<g transform="').slice(1);
    assert.equal(drawn.length, chart.panels.length);
    for (const [index, panel] of chart.panels.entries()) {
      const text = drawn[index] as string;
      const grid = gridOf(text);
      const [zero, top] = [grid[0] as number, grid.at(-1) as number];
      const values = panel.series.flatMap((series) => series.values);
      const highest = Math.max(0, ...values.map((value) => value ?? 0));
      for (const series of panel.series) {
        const shown = series.values.filter((value) => value !== null);
        const circles = circlesOf(text, series.tone);
        assert.equal(circles.length, shown.length);
        for (const [at, value] of shown.entries()) {
          const { y } = circles[at] as { readonly y: number };
          assert.ok(y <= zero && y >= top, "inside the frame");
          // Heights are rounded to tenths of a pixel.
          const expected = highest === 0 ? 0 : value / highest;
          const height = highest === 0 ? 0 : (zero - y) / (zero - heightOf(text, panel, highest));
          assert.ok(Math.abs(height - expected) < 0.002, `${height} for ${expected}`);
          assert.ok(svg.includes(`>${formatValue(value)}</text>`), "its value is written");
        }
      }
    }
  }
});

/** The y of the highest point of a panel. */
function heightOf(text: string, { series }: Chart["panels"][number], highest: number): number {
  const holder = series.find(({ values }) => values.includes(highest));
  const shown = holder?.values.filter((value) => value !== null) ?? [];
  return circlesOf(text, holder?.tone ?? "")[shown.indexOf(highest)]?.y ?? Number.NaN;
}

test("the description has every value, and both colour schemes have every colour", () => {
  const chart = randomChart();
  const svg = renderChart(chart);
  const description = /<desc[^>]*>([^<]*)<\/desc>/.exec(svg)?.[1] ?? "";
  for (const { xTicks, series } of chart.panels) {
    for (const { values } of series) {
      for (const [at, value] of values.entries()) {
        if (value === null) continue;
        assert.ok(description.includes(`${formatValue(value)} at ${xTicks[at]}`));
      }
    }
  }
  const style = /<style>([^<]*)<\/style>/.exec(svg)?.[1] ?? "";
  const [light = "", dark = ""] = style.split("prefers-color-scheme: dark");
  const used = [...style.matchAll(/var\((--[a-z]+)\)/g)].map(([, name = ""]) => name);
  assert.ok(used.length > 5);
  for (const name of used) {
    assert.ok(light.includes(`${name}: #`), name);
    assert.ok(dark.includes(`${name}: #`), name);
  }
});

test("ticks begin at zero, are even and reach the highest value without much beyond", () => {
  for (let round = 0; round < 20 * CHARTS; round++) {
    const highest = random.next() * 10 ** random.integer(-3, 7);
    const ticks = yTicks(highest);
    const [zero, step = 0] = ticks;
    const last = ticks.at(-1) as number;
    assert.equal(zero, 0);
    assert.ok(ticks.length >= 3 && ticks.length <= 6, String(ticks));
    assert.ok(
      last >= highest * (1 - 1e-9) && last < highest + step * (1 + 1e-9),
      `${highest}: ${ticks}`,
    );
    for (const [at, tick] of ticks.entries()) assert.ok(Math.abs(tick - at * step) < step * 1e-9);
  }
  assert.deepEqual(yTicks(72_000), [0, 20_000, 40_000, 60_000, 80_000]);
  assert.deepEqual(yTicks(0), [0, 0.2, 0.4, 0.6, 0.8, 1]);
});

test("values have three digits", () => {
  const values = [72_700, 15_500, 999.96, 99.96, 9.999, 0.5, 1_234_567];
  assert.deepEqual(values.map(formatValue), [
    "72.7 k",
    "15.5 k",
    "1000",
    "100",
    "10.0",
    "0.50",
    "1235 k",
  ]);
});
