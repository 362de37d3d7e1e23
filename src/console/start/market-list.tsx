/** The markets of a product with their last prices, once a second. */
import type { ReactElement } from "react";
import { Link } from "wouter";
import type { ContractTicker, RialtoClient, SpotTicker } from "../../client/index.ts";
import { type Column, DataTable } from "../components/data-table.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Notice, Panel } from "../components/panel.tsx";
import { usePolled } from "../data/query.ts";
import { groupDecimal, percentOf, signOf, toneOf } from "../decimals/format.ts";
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
        <FailureNotice what={title} error={error} onRetry={refresh} slim={answer !== null} />
      )}
      {answer === null ? (
        error === null && <Notice kind="loading">Asking for prices…</Notice>
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
    className: styles.market,
    cell: ({ symbol }) => (
      <Link href={`/trade/${product}/${symbol}`} className={styles.name}>
        {symbol}
      </Link>
    ),
    compare: (left, right) => left.symbol.localeCompare(right.symbol),
  };
}

/** A ticker does not name the asset that it counts in, but markets are called after it. */
const USUAL_QUOTE = "USDT";

/** Nothing was traded yet. */
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
