/** The candle chart with volume, the user's lines and a legend. */
import { type KeyboardEvent, type ReactElement, useEffect, useMemo, useRef, useState } from "react";
import type { PriceType } from "../../../client/index.ts";
import type { CandleInterval } from "../../../domain/index.ts";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Notice } from "../../components/panel.tsx";
import { useLive } from "../../data/live-value.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import { usePick } from "../pick.ts";
import { CandleChart } from "./candle-chart.ts";
import { CandleFeed } from "./candle-feed.ts";
import { CandleLegend, LegendRenderer } from "./candle-legend.tsx";
import styles from "./chart.module.css";
import { chartTime } from "./chart-time.ts";

export interface CandleViewProps {
  readonly interval: CandleInterval;
  readonly priceType: PriceType;
}

export function CandleView({ interval, priceType }: CandleViewProps): ReactElement {
  const { streams, rules, lines } = useMarket();
  const { client } = useSession();
  const { product, symbol, baseAsset, priceDecimals } = rules;
  const pick = usePick();
  const host = useRef<HTMLDivElement>(null);
  const legend = useRef<HTMLDListElement>(null);
  const [chart, setChart] = useState<CandleChart | null>(null);
  const [feed, setFeed] = useState<CandleFeed | null>(null);
  const time = useMemo(() => chartTime(interval, -new Date().getTimezoneOffset()), [interval]);

  useEffect(() => {
    if (host.current === null || legend.current === null) return;
    const renderer = new LegendRenderer(legend.current, priceDecimals);
    const made = new CandleChart({
      host: host.current,
      priceDecimals,
      onLook: (candle) => renderer.draw(candle),
      onPick: pick,
    });
    setChart(made);
    return () => made.close();
  }, [priceDecimals, pick]);

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

  useEffect(() => {
    if (chart === null) return;
    const draw = (): void => {
      chart.lines = lines.get();
    };
    draw();
    return lines.subscribe(draw);
  }, [chart, lines]);

  const press = (event: KeyboardEvent): void => {
    if (!event.ctrlKey && !event.metaKey && chart?.press(event.key) === true)
      event.preventDefault();
  };
  return (
    <>
      <div className={styles.canvas}>
        <CandleLegend host={legend} baseAsset={baseAsset} />
        <section
          ref={host}
          className={styles.host}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll and zoom it
          tabIndex={0}
          aria-label={`Chart of ${symbol}, ${interval}: arrow keys scroll, plus and minus zoom`}
          onKeyDown={press}
        />
        {feed === null ? null : <Phase feed={feed} />}
      </div>
      <Foot clock={time.label} />
    </>
  );
}

function Phase({ feed }: { readonly feed: CandleFeed }): ReactElement | null {
  const { name, error } = useLive(feed.phase);
  if (name === "live") return null;
  return (
    <div className={styles.cover}>
      {error !== null ? (
        <FailureNotice what="candles" error={error} onRetry={feed.refresh} />
      ) : name === "empty" ? (
        <Notice kind="empty">No candles yet: nothing has traded in this market.</Notice>
      ) : (
        <Notice kind="loading">Loading candles…</Notice>
      )}
    </div>
  );
}

/** The notice required by the chart library's licence, and the time zone of the axis. */
function Foot({ clock }: { readonly clock: string }): ReactElement {
  return (
    <p className={styles.foot}>
      <span>
        TradingView Lightweight Charts™ Copyright (c) 2026 TradingView, Inc.{" "}
        <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer">
          https://www.tradingview.com/
        </a>
      </span>
      <span>Times in {clock}</span>
    </p>
  );
}
