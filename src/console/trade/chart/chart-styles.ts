/** The chart in the colours of the theme. */
import type { DeepPartial, Styles } from "klinecharts";
import { themeColor } from "../../shell/theme.tsx";
import type { CandleStyle } from "./chart-setup.ts";

const TYPES: Readonly<Record<CandleStyle, "candle_solid" | "candle_up_stroke" | "ohlc" | "area">> =
  {
    candles: "candle_solid",
    hollow: "candle_up_stroke",
    bars: "ohlc",
    line: "area",
    area: "area",
  };

const NO_FILL = "rgba(0, 0, 0, 0)";
const TEXT_SIZE = 11;
const LINE_COLORS = ["--accent", "--info", "--series-3", "--series-4", "--series-5"] as const;

export function chartStyles(style: CandleStyle): DeepPartial<Styles> {
  const [up, down] = [themeColor("--buy"), themeColor("--sell")];
  return {
    grid: gridStyles(),
    candle: candleStyles(style, up, down),
    indicator: indicatorStyles(up, down),
    xAxis: axisStyles(),
    yAxis: axisStyles(),
    separator: { color: themeColor("--line"), activeBackgroundColor: themeColor("--accent-soft") },
    crosshair: crosshairStyles(),
    overlay: overlayStyles(),
  };
}

function gridStyles(): DeepPartial<Styles["grid"]> {
  const line = { style: "solid", color: themeColor("--grid") } as const;
  return { horizontal: line, vertical: line };
}

function text(color: `--${string}`) {
  return { color: themeColor(color), size: TEXT_SIZE, family: themeColor("--sans") };
}

function candleStyles(style: CandleStyle, up: string, down: string): DeepPartial<Styles["candle"]> {
  const noChangeColor = themeColor("--text-dim");
  const info = themeColor("--info");
  const highLow = { color: noChangeColor, textSize: 10, textFamily: themeColor("--sans") };
  return {
    type: TYPES[style],
    bar: {
      upColor: up,
      downColor: down,
      noChangeColor,
      upBorderColor: up,
      downBorderColor: down,
      noChangeBorderColor: noChangeColor,
      upWickColor: up,
      downWickColor: down,
      noChangeWickColor: noChangeColor,
    },
    area: {
      lineSize: style === "line" ? 1.5 : 1,
      lineColor: info,
      backgroundColor:
        style === "line"
          ? NO_FILL
          : [
              { offset: 0, color: NO_FILL },
              { offset: 1, color: themeColor("--info-soft") },
            ],
      // It would draw every frame even when nothing changes.
      point: { show: false },
    },
    priceMark: {
      high: highLow,
      low: highLow,
      last: {
        upColor: themeColor("--buy-strong"),
        downColor: themeColor("--sell-strong"),
        noChangeColor,
        line: { size: 1, dashedValue: [2, 3] },
        text: { ...text("--text"), color: "#ffffff", paddingTop: 3, paddingBottom: 3 },
      },
    },
    // The legend above the chart has it.
    tooltip: { showRule: "none", offsetTop: 2 },
  };
}

function indicatorStyles(up: string, down: string): DeepPartial<Styles["indicator"]> {
  const colors = {
    upColor: themeColor("--buy-bar"),
    downColor: themeColor("--sell-bar"),
    noChangeColor: themeColor("--line-strong"),
  };
  const tooltipText = { ...text("--text-dim"), marginTop: 2, marginBottom: 2 };
  return {
    ohlc: { upColor: up, downColor: down },
    bars: [{ style: "fill", ...colors }],
    lines: LINE_COLORS.map((name) => ({ size: 1.25, color: themeColor(name) })),
    tooltip: { offsetTop: 2, title: tooltipText, legend: tooltipText },
  };
}

function axisStyles(): DeepPartial<Styles["xAxis"]> {
  const line = { color: themeColor("--line") };
  return { axisLine: line, tickLine: { show: false }, tickText: text("--text-dim") };
}

function crosshairStyles(): DeepPartial<Styles["crosshair"]> {
  const color = themeColor("--line-strong");
  const one = {
    line: { color, dashedValue: [3, 3] },
    text: { ...text("--panel"), backgroundColor: themeColor("--text-dim"), borderSize: 0 },
  };
  return { horizontal: one, vertical: one };
}

function overlayStyles(): DeepPartial<Styles["overlay"]> {
  const color = themeColor("--info");
  const soft = themeColor("--info-soft");
  return {
    point: { color, borderColor: soft, activeColor: color, activeBorderColor: soft },
    line: { color, size: 1.25 },
    rect: { color: soft, borderColor: color },
    text: { ...text("--text"), backgroundColor: themeColor("--raised"), borderColor: color },
  };
}
