/**
 * Line charts as one SVG: small panels side by side, each with labelled axes and its values
 * written at the points. The picture brings its own background, light or dark as the reader's
 * system is, and a description with all values for those who do not see it.
 */

export interface Series {
  readonly name: string;
  readonly tone: "main" | "second" | "muted";
  /** One for each tick of the x axis; null where nothing was measured. */
  readonly values: readonly (number | null)[];
}

export interface Panel {
  readonly title: string;
  /** What the x axis counts; its ticks are evenly spaced. */
  readonly xLabel: string;
  readonly xTicks: readonly string[];
  /** The unit of the y axis, which begins at zero. */
  readonly yLabel: string;
  readonly series: readonly Series[];
}

export interface Chart {
  readonly title: string;
  readonly subtitle: string;
  readonly panels: readonly Panel[];
}

const COLUMNS = 2;
const PANEL = { width: 440, height: 270 } as const;
const HEAD_HEIGHT = 62;
const MARGIN = { left: 58, right: 22, top: 58, bottom: 48 } as const;
const EDGE = 12;
/** Room for the label above the highest point. */
const HEADROOM = 1.12;
const TICKS_MAX = 5;
/** Points that are closer above each other than this would have their values overlap. */
const CROWDED = 24;

const STYLE = `
svg { --paper: #ffffff; --ink: #1c2330; --soft: #5b6675; --grid: #e3e7ed;
  --main: #1f5fd0; --second: #b4440c; --muted: #6b7686; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #12161d; --ink: #e8ecf2; --soft: #a3adbb; --grid: #2a313c;
    --main: #7aa9ff; --second: #ff9e64; --muted: #97a2b2; }
}
.paper { fill: var(--paper); }
text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.heading { font-size: 17px; font-weight: 600; }
.name { font-size: 13px; font-weight: 600; }
.soft { fill: var(--soft); }
.value { stroke: var(--paper); stroke-width: 4px; paint-order: stroke; }
.grid { stroke: var(--grid); }
.axis { stroke: var(--soft); }
polyline { fill: none; stroke-width: 2; }
polyline.main { stroke: var(--main); }
polyline.second { stroke: var(--second); }
polyline.muted { stroke: var(--muted); stroke-dasharray: 5 4; }
circle.main, text.main, tspan.main { fill: var(--main); }
circle.second, text.second, tspan.second { fill: var(--second); }
circle.muted, text.muted, tspan.muted { fill: var(--muted); }
`;

export function renderChart(chart: Chart): string {
  const rows = Math.ceil(chart.panels.length / COLUMNS);
  const width = COLUMNS * PANEL.width + 2 * EDGE;
  const height = HEAD_HEIGHT + rows * PANEL.height + EDGE;
  const panels = chart.panels.map((panel, index) => {
    const x = EDGE + (index % COLUMNS) * PANEL.width;
    const y = HEAD_HEIGHT + Math.floor(index / COLUMNS) * PANEL.height;
    return `<g transform="translate(${x} ${y})">\n${renderPanel(panel)}\n</g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" ` +
      `width="${width}" height="${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escapeXml(chart.title)}</title>`,
    `<desc id="desc">${escapeXml(describeChart(chart))}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" width="${width}" height="${height}" rx="8"/>`,
    textAt(EDGE + 14, 30, chart.title, "heading"),
    textAt(EDGE + 14, 50, chart.subtitle, "soft"),
    ...panels,
    "</svg>\n",
  ].join("\n");
}

/** All values in words. */
function describeChart({ subtitle, panels }: Chart): string {
  const sentences = panels.flatMap(({ title, xTicks, xLabel, yLabel, series }) =>
    series.map(({ name, values }) => {
      const points = values.flatMap((value, index) =>
        value === null ? [] : [`${formatValue(value)} at ${xTicks[index]}`],
      );
      return `${title}, ${name}, ${yLabel} by ${xLabel}: ${points.join(", ")}.`;
    }),
  );
  return [`${subtitle}.`, ...sentences].join(" ");
}

interface Scale {
  readonly x: (index: number) => number;
  readonly y: (value: number) => number;
}

function renderPanel(panel: Panel): string {
  const ticks = yTicks(highestOf(panel) * HEADROOM);
  const inner = {
    width: PANEL.width - MARGIN.left - MARGIN.right,
    height: PANEL.height - MARGIN.top - MARGIN.bottom,
  };
  const bottom = MARGIN.top + inner.height;
  const step = inner.width / panel.xTicks.length;
  const highest = ticks.at(-1) as number;
  const scale: Scale = {
    x: (index) => round(MARGIN.left + (index + 0.5) * step),
    y: (value) => round(bottom - (value / highest) * inner.height),
  };
  const right = MARGIN.left + inner.width;
  return [
    textAt(MARGIN.left, 18, panel.title, "name"),
    textAt(MARGIN.left, MARGIN.top - 10, panel.yLabel, "soft"),
    legend(panel.series, right),
    ...ticks.flatMap((tick) => [
      line(MARGIN.left, scale.y(tick), right, scale.y(tick), tick === 0 ? "axis" : "grid"),
      textAt(MARGIN.left - 8, scale.y(tick) + 4, formatTick(tick), "soft", "end"),
    ]),
    ...panel.xTicks.map((label, index) =>
      textAt(scale.x(index), bottom + 18, label, "soft", "middle"),
    ),
    textAt(MARGIN.left + inner.width / 2, bottom + 38, panel.xLabel, "soft", "middle"),
    ...panel.series.map((series) => renderSeries(series, panel.series, scale)),
  ].join("\n");
}

/** Names of the series, up to the right edge. */
function legend(series: readonly Series[], right: number): string {
  const names = series.map(
    ({ name, tone }) => `<tspan class="${tone}" dx="12">● ${escapeXml(name)}</tspan>`,
  );
  return `<text x="${right}" y="18" text-anchor="end">${names.join("")}</text>`;
}

/** A value stands above its point, or beside it where another series is close above. */
function renderSeries(series: Series, all: readonly Series[], scale: Scale): string {
  const { tone, values } = series;
  const points = values.flatMap((value, index) => {
    if (value === null) return [];
    const [x, y] = [scale.x(index), scale.y(value)];
    const isCrowded = all.some((other) => {
      const above = other === series ? null : (other.values[index] ?? null);
      return above !== null && above >= value && y - scale.y(above) < CROWDED;
    });
    return [{ x, y, label: formatValue(value), isCrowded }];
  });
  const path = points.map(({ x, y }) => `${x},${y}`).join(" ");
  return [
    ...(points.length > 1 ? [`<polyline class="${tone}" points="${path}"/>`] : []),
    ...points.map(({ x, y }) => `<circle class="${tone}" cx="${x}" cy="${y}" r="3.5"/>`),
    ...points.map(({ x, y, label, isCrowded }) =>
      isCrowded
        ? textAt(x + 8, round(y + 4), label, `value ${tone}`)
        : textAt(x, round(y - 9), label, `value ${tone}`, "middle"),
    ),
  ].join("\n");
}

function highestOf({ series }: Panel): number {
  return Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
}

/** From zero to at least `highest`, in steps of 1, 2 or 5 of some power of ten. */
export function yTicks(highest: number): number[] {
  const least = (highest > 0 ? highest : 1) / TICKS_MAX;
  const power = 10 ** Math.floor(Math.log10(least));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= least) ?? 10) * power;
  const count = Math.ceil((highest > 0 ? highest : 1) / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

function formatTick(value: number): string {
  return value >= 1_000 ? `${value / 1_000} k` : String(value);
}

/** Three digits: "15.5 k", "7.23". */
export function formatValue(value: number): string {
  const [shown, unit] = value >= 1_000 ? [value / 1_000, " k"] : [value, ""];
  const digits = shown >= 99.95 ? 0 : shown >= 9.995 ? 1 : 2;
  return `${shown.toFixed(digits)}${unit}`;
}

function textAt(x: number, y: number, text: string, style: string, anchor = "start"): string {
  const content = escapeXml(text);
  return `<text x="${x}" y="${y}" class="${style}" text-anchor="${anchor}">${content}</text>`;
}

function line(x1: number, y1: number, x2: number, y2: number, style: string): string {
  return `<line class="${style}" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
