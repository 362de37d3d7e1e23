/** Puts the chosen indicators on the chart, in colours that do not repeat over the candles. */
import type { Chart, SmoothLineStyle } from "klinecharts";
import { INDICATORS, type IndicatorChoice } from "./indicators.ts";

/** The library's name of the pane of the candles. */
export const CANDLE_PANE = "candle_pane";

export function showIndicators(chart: Chart, choices: readonly IndicatorChoice[]): void {
  chart.removeIndicator({});
  const palette = chart.getStyles().indicator.lines;
  let used = 0;
  for (const { name, periods } of choices) {
    const isOverCandles = INDICATORS.find((kind) => kind.name === name)?.isOverCandles === true;
    const calcParams = [...periods];
    if (!isOverCandles) {
      chart.createIndicator({ name, calcParams });
      continue;
    }
    const lines = rotated(palette, used);
    chart.createIndicator({ name, calcParams, paneId: CANDLE_PANE, styles: { lines } }, true);
    used += name === "BOLL" ? 3 : periods.length;
  }
}

function rotated(palette: readonly SmoothLineStyle[], by: number): SmoothLineStyle[] {
  return palette.map((_, i) => palette[(i + by) % palette.length] as SmoothLineStyle);
}
