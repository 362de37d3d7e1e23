/** Puts the chosen indicators on the chart, in colours that do not repeat over the candles. */
import type { Chart, IndicatorCreate, IndicatorTooltipData, SmoothLineStyle } from "klinecharts";
import { groupDecimal } from "../../decimals/format.ts";
import { themeColor } from "../../shell/theme.tsx";
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
      chart.createIndicator({ name, calcParams, ...detailsOf(chart, name) });
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

const RSI_DECIMALS = 2;

function detailsOf(chart: Chart, name: IndicatorChoice["name"]): Omit<IndicatorCreate, "name"> {
  if (name === "RSI") return { precision: RSI_DECIMALS };
  if (name === "MACD") return { precision: chart.getSymbol()?.pricePrecision ?? RSI_DECIMALS };
  if (name === "VOL") return { createTooltipDataSource: volumeText };
  return {};
}

/** The library writes the volume in the pale colour of its bar. */
function volumeText({
  chart,
  crosshair,
}: {
  readonly chart: Chart;
  readonly crosshair: { readonly kLineData?: { readonly volume?: number } | null };
}): IndicatorTooltipData {
  const decimals = chart.getSymbol()?.volumePrecision ?? 0;
  const volume = groupDecimal((crosshair.kLineData?.volume ?? 0).toFixed(decimals));
  const title = { text: "Volume ", color: themeColor("--text-dim") };
  const value = { text: volume, color: themeColor("--text") };
  return { name: "", calcParamsText: "", features: [], legends: [{ title, value }] };
}
