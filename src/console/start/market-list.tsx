/** The markets of a product with their latest prices. */
import type { ReactElement } from "react";
import { Link } from "wouter";
import type { Column } from "../components/data-table.tsx";
import { Panel } from "../components/panel.tsx";
import { QueryTable } from "../components/query-view.tsx";
import { type Ticker, useTickers } from "../data/tickers.ts";
import { groupDecimal, percentOf, signOf, toneOf } from "../decimals/format.ts";
import styles from "./market-list.module.css";

const INTERVAL_MS = 1_000;

export interface MarketListProps {
  readonly product: "spot" | "contract";
  readonly title: string;
}

export function MarketList({ product, title }: MarketListProps): ReactElement {
  const query = useTickers(product, INTERVAL_MS);
  return (
    <Panel title={title} flush>
      <QueryTable
        label={title}
        query={query}
        columns={COLUMNS[product]}
        rowKey={({ symbol }) => symbol}
        empty="No markets listed yet."
      />
    </Panel>
  );
}

function nameColumn(product: MarketListProps["product"]): Column<Ticker> {
  return {
    id: "symbol",
    header: "Market",
    className: styles.market,
    cell: ({ symbol }) => (
      <Link href={`/trade/${product}/${symbol}`} className={styles.name}>
        {symbol}
      </Link>
    ),
    compare: (left, right) => left.symbol.localeCompare(right.symbol),
  };
}

/** Tickers do not name the quote asset, but symbols end with it. */
const USUAL_QUOTE = "USDT";

/** No trade yet. */
const NEVER = "–";

function isTraded(price: string): boolean {
  return signOf(price) !== 0;
}

function priceOf(text: string): string {
  return isTraded(text) ? groupDecimal(text) : NEVER;
}

const FIGURE_COLUMNS: readonly Column<Ticker>[] = [
  {
    id: "last",
    header: "Last price",
    align: "right",
    className: styles.last,
    cell: ({ lastPrice }) => priceOf(lastPrice),
    compare: (left, right) => Number(left.lastPrice) - Number(right.lastPrice),
  },
  {
    id: "change",
    header: "24 h",
    align: "right",
    className: styles.day,
    cell: ({ priceChangePercent }) => (
      <span className={styles.change} data-tone={toneOf(priceChangePercent)}>
        {percentOf(priceChangePercent)}
      </span>
    ),
    compare: (left, right) => Number(left.priceChangePercent) - Number(right.priceChangePercent),
  },
  {
    id: "range",
    header: "24 h low – high",
    align: "right",
    className: styles.range,
    cell: ({ lowPrice, highPrice }) =>
      isTraded(lowPrice) ? `${groupDecimal(lowPrice)} – ${groupDecimal(highPrice)}` : NEVER,
  },
  {
    id: "volume",
    header: "24 h volume",
    align: "right",
    className: styles.volume,
    cell: ({ symbol, quoteVolume }) => (
      <>
        {groupDecimal(quoteVolume, 0)}
        {symbol.endsWith(USUAL_QUOTE) ? <span className={styles.unit}> {USUAL_QUOTE}</span> : null}
      </>
    ),
    compare: (left, right) => Number(left.quoteVolume) - Number(right.quoteVolume),
  },
];

const COLUMNS: Readonly<Record<MarketListProps["product"], readonly Column<Ticker>[]>> = {
  spot: [nameColumn("spot"), ...FIGURE_COLUMNS],
  contract: [nameColumn("contract"), ...FIGURE_COLUMNS],
};
