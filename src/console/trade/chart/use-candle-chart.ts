/** Opens the chart of a market on an element, and its feed. */
import { type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import { usePick } from "../pick.ts";
import { CandleChart } from "./candle-chart.ts";
import { CandleFeed } from "./candle-feed.ts";
import { LegendRenderer } from "./candle-legend.tsx";
import type { ChartSetup } from "./chart-setup.ts";
import { chartTime } from "./chart-time.ts";
import type { Drawing, Tool } from "./drawings.ts";

export interface ChartHandlers {
  readonly onDrawings: (drawings: readonly Drawing[]) => void;
  readonly onTool: (tool: Tool | null) => void;
  readonly onText: (id: string) => void;
  /** Prices may be elsewhere on the screen. */
  readonly onDrawn: () => void;
}

export interface OpenChart {
  readonly host: RefObject<HTMLDivElement | null>;
  readonly legend: RefObject<HTMLDListElement | null>;
  readonly chart: CandleChart | null;
  readonly feed: CandleFeed | null;
  /** Of the time axis. */
  readonly clock: string;
}

export function useCandleChart(setup: ChartSetup, handlers: ChartHandlers): OpenChart {
  const { rules } = useMarket();
  const { symbol, priceDecimals, quantityDecimals } = rules;
  const pick = usePick();
  const host = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLDListElement>(null);
  const latest = useRef(handlers);
  latest.current = handlers;
  const first = useRef(setup);
  const [chart, setChart] = useState<CandleChart | null>(null);
  first.current = setup;

  useEffect(() => {
    if (host.current === null || legend.current === null) return;
    const renderer = new LegendRenderer(legend.current, priceDecimals);
    const made = new CandleChart({
      host: host.current,
      symbol,
      priceDecimals,
      quantityDecimals,
      onLook: (candle, fills) => renderer.draw(candle, fills),
      onPick: pick,
      onDrawn: () => latest.current.onDrawn(),
      onDrawings: (drawings) => latest.current.onDrawings(drawings),
      onTool: (tool) => latest.current.onTool(tool),
      onText: (id) => latest.current.onText(id),
    });
    made.drawings.show(first.current.drawings);
    setChart(made);
    return () => made.close();
  }, [symbol, priceDecimals, quantityDecimals, pick]);

  const { style, scale, indicators } = setup;
  useEffect(() => {
    if (chart === null) return;
    chart.style = style;
    chart.scale = scale;
    chart.indicators = indicators;
  }, [chart, style, scale, indicators]);

  useFills(chart, setup.marksFills);
  const { feed, clock } = useFeed(chart, setup);
  return { host, legend, chart, feed, clock };
}

/** Marks of the user's fills, and the time that a table asks for. */
function useFills(chart: CandleChart | null, isOn: boolean): void {
  const { fills, shownTime } = useMarket();
  useEffect(() => {
    if (chart === null) return;
    const show = (): void => {
      chart.fills = isOn ? fills.get() : [];
    };
    show();
    return fills.subscribe(show);
  }, [chart, fills, isOn]);
  useEffect(() => {
    if (chart === null) return;
    return shownTime.subscribe(() => {
      const wish = shownTime.get();
      if (wish !== null) chart.showTime(wish.ms);
    });
  }, [chart, shownTime]);
}

function useFeed(
  chart: CandleChart | null,
  { interval, priceType }: ChartSetup,
): { readonly feed: CandleFeed | null; readonly clock: string } {
  const { streams, rules } = useMarket();
  const { client } = useSession();
  const { product, symbol } = rules;
  const [feed, setFeed] = useState<CandleFeed | null>(null);
  const time = useMemo(() => {
    const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
    return chartTime(interval, { timeZone, offsetMinutes: -new Date().getTimezoneOffset() });
  }, [interval]);
  useEffect(() => {
    if (chart === null) return;
    const opened = new CandleFeed({
      client,
      streams,
      subject: { product, symbol, interval, priceType },
      onChange: (fromTime) => chart.changed(fromTime),
    });
    chart.show(opened, time);
    setFeed(opened);
    return () => opened.close();
  }, [chart, client, streams, product, symbol, interval, priceType, time]);
  return { feed, clock: time.label };
}
