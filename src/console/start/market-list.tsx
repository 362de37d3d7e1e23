/** The markets of a product with their last prices, once a second. */
import type { ReactElement } from "react";
import { Link } from "wouter";
import type { ContractTicker, RialtoClient, SpotTicker } from "../../client/index.ts";
import { type Column, DataTable } from "../components/data-table.tsx";
import { groupDecimal, percentOf, toneOf } from "../components/decimal-text.ts";
import { Notice, Panel } from "../components/panel.tsx";
import { usePolled } from "../live/polled.ts";
import { useSession } from "../session/session.tsx";
import styles from "./market-list.module.css";

const INTERVAL_MS = 1_000;

type Ticker = SpotTicker | ContractTicker;

export interface MarketListProps {
  readonly product: "spot" | "contract";
  readonly title: string;
}

export function MarketList({ product, title }: MarketListProps): ReactElement {
  const { client } = useSession();
  const polled = usePolled(product, (signal) => askTickers(client, product, signal), INTERVAL_MS);
  const { answer, error, refresh } = polled;
  return (
    <Panel title={title} flush>
      {error === null ? null : (
        <Notice kind="disconnected" onRetry={refresh}>
          No prices at the moment: {error.message}
        </Notice>
      )}
      {answer === null ? (
        <Notice kind="loading">Asking for prices…</Notice>
      ) : (
        <DataTable
          label={title}
          columns={COLUMNS[product]}
          rows={answer}
          rowKey={({ symbol }) => symbol}
          empty={<Notice kind="empty">No market is listed yet.</Notice>}
        />
      )}
    </Panel>
  );
}

function askTickers(
  client: RialtoClient,
  product: MarketListProps["product"],
  signal: AbortSignal,
): Promise<readonly Ticker[]> {
  return product === "spot"
    ? client.spot.tickers({}, { signal })
    : client.contract.tickers({}, { signal });
}

function nameColumn(product: MarketListProps["product"]): Column<Ticker> {
  return {
    id: "symbol",
    header: "Market",
    cell: ({ symbol }) => (
      <Link href={`/trade/${product}/${symbol}`} className={styles.name}>
        {symbol}
      </Link>
    ),
    compare: (left, right) => left.symbol.localeCompare(right.symbol),
  };
}

const FIGURE_COLUMNS: readonly Column<Ticker>[] = [
  {
    id: "last",
    header: "Last price",
    align: "right",
    cell: ({ lastPrice }) => groupDecimal(lastPrice),
    compare: (left, right) => Number(left.lastPrice) - Number(right.lastPrice),
  },
  {
    id: "change",
    header: "24 h",
    align: "right",
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
    cell: ({ lowPrice, highPrice }) => `${groupDecimal(lowPrice)} – ${groupDecimal(highPrice)}`,
  },
  {
    id: "volume",
    header: "24 h volume",
    align: "right",
    cell: ({ quoteVolume }) => `${groupDecimal(quoteVolume, 0)} USDT`,
    compare: (left, right) => Number(left.quoteVolume) - Number(right.quoteVolume),
  },
];

const COLUMNS: Readonly<Record<MarketListProps["product"], readonly Column<Ticker>[]>> = {
  spot: [nameColumn("spot"), ...FIGURE_COLUMNS],
  contract: [nameColumn("contract"), ...FIGURE_COLUMNS],
};
