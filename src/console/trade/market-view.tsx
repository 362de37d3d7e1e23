/** Candles or depth, the order book and the tape: side by side, or as tabs on a narrow screen. */
import { type ReactElement, useState } from "react";
import { useNarrow } from "../components/media.ts";
import { Panel } from "../components/panel.tsx";
import { type Tab, Tabs } from "../components/tabs.tsx";
import { OrderBook } from "./book/order-book.tsx";
import { CandleView } from "./chart/candle-view.tsx";
import { ChartControls } from "./chart/chart-controls.tsx";
import { useChartSetup } from "./chart/chart-setup.ts";
import { DepthView } from "./chart/depth-view.tsx";
import { useFullscreen } from "./chart/fullscreen.ts";
import { useMarket } from "./market.tsx";
import styles from "./market-view.module.css";
import { TradeTape } from "./tape/trade-tape.tsx";

type View = "candles" | "depth" | "book" | "tape";

const CHART_TABS: readonly Tab<View>[] = [
  { id: "candles", label: "Chart" },
  { id: "depth", label: "Depth" },
];
const ALL_TABS: readonly Tab<View>[] = [
  ...CHART_TABS,
  { id: "book", label: "Book" },
  { id: "tape", label: "Trades" },
];

export function MarketView(): ReactElement {
  const isNarrow = useNarrow();
  if (isNarrow) return <Views tabs={ALL_TABS} />;
  return (
    <>
      <Views tabs={CHART_TABS} />
      <div className={styles.side}>
        <Panel label="Order book" flush className={styles.book}>
          <OrderBook />
        </Panel>
        <Panel title="Trades" flush className={styles.tape}>
          <TradeTape />
        </Panel>
      </div>
    </>
  );
}

function Views({ tabs }: { readonly tabs: readonly Tab<View>[] }): ReactElement {
  const { product, symbol } = useMarket().rules;
  const [chosen, setChosen] = useState<View>("candles");
  const [setup, change] = useChartSetup(product, symbol);
  const [isFull, setFull] = useFullscreen();
  // The screen became wider.
  const view = tabs.some(({ id }) => id === chosen) ? chosen : "candles";
  const controls =
    view === "candles" ? (
      <ChartControls product={product} choice={setup} onChoice={change} />
    ) : undefined;
  return (
    <Panel label="Chart" flush className={`${styles.views} ${isFull ? styles.full : ""}`}>
      <Tabs
        label="Market views"
        tabs={tabs}
        selected={view}
        onSelect={setChosen}
        actions={controls}
      >
        {view === "candles" ? (
          <CandleView setup={setup} onSetup={change} isFull={isFull} onFull={setFull} />
        ) : null}
        {view === "depth" ? <DepthView /> : null}
        {view === "book" ? <OrderBook /> : null}
        {view === "tape" ? <TradeTape /> : null}
      </Tabs>
    </Panel>
  );
}
