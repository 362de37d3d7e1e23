/** The trade page: chart, book and tape of a market, order form, and what the user has there. */
import { type ReactElement, useEffect } from "react";
import { Link } from "wouter";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Notice } from "../components/panel.tsx";
import { usePolled } from "../data/query.ts";
import { useSession } from "../session/session.tsx";
import { AccountTabs } from "./account-tabs.tsx";
import { DeskProvider } from "./market.tsx";
import { MarketHeader } from "./market-header.tsx";
import { askMarkets, type Product } from "./market-rules.ts";
import { MarketView } from "./market-view.tsx";
import { OrderForm } from "./order-form.tsx";
import styles from "./trade-page.module.css";

/** Rules and states of markets change rarely. */
const MARKETS_INTERVAL_MS = 30_000;

export interface TradePageProps {
  readonly product: Product;
  readonly symbol: string;
}

export function TradePage({ product, symbol }: TradePageProps): ReactElement {
  const { client } = useSession();
  const { answer, error, refresh } = usePolled(
    product,
    (signal) => askMarkets(client, product, signal),
    MARKETS_INTERVAL_MS,
  );
  useEffect(() => {
    document.title = `${symbol} ${product} – Rialto`;
  }, [product, symbol]);
  if (answer === null) {
    if (error === null) return <Notice kind="loading">Reading the markets…</Notice>;
    return <FailureNotice what="The markets" error={error} onRetry={refresh} />;
  }
  const rules = answer.find((market) => market.symbol === symbol);
  if (rules === undefined) return <UnknownMarket product={product} first={answer[0]?.symbol} />;
  return (
    <DeskProvider rules={rules} markets={answer}>
      <div className={styles.page}>
        <MarketHeader />
        <MarketView />
        <OrderForm />
        <AccountTabs />
      </div>
    </DeskProvider>
  );
}

interface UnknownMarketProps {
  readonly product: Product;
  readonly first: string | undefined;
}

function UnknownMarket({ product, first }: UnknownMarketProps): ReactElement {
  if (first === undefined) {
    return (
      <Notice kind="empty">
        No {product} market is listed here yet. An operator lists one on the operator plane.
      </Notice>
    );
  }
  return (
    <Notice kind="empty">
      There is no such market. <Link href={`/trade/${product}/${first}`}>Go to {first}</Link>
    </Notice>
  );
}
