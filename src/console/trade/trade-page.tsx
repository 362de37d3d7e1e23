/** The trade page: chart, order book, tape, order form and account of a market. */
import { type ReactElement, useEffect } from "react";
import { Link } from "wouter";
import { marketChanges } from "../activity/market-watch.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Notice } from "../components/panel.tsx";
import { useLive } from "../data/live-value.ts";
import { useQuery } from "../data/query.ts";
import { useSession } from "../session/session.tsx";
import { AccountTabs } from "./account-tabs.tsx";
import { MarketProvider } from "./market.tsx";
import { MarketHeader } from "./market-header.tsx";
import { fetchMarkets, type Product } from "./market-rules.ts";
import { MarketView } from "./market-view.tsx";
import { OrderPanel } from "./order-panel.tsx";
import { Panels } from "./panels.tsx";

/** A halt is shown within it, before anybody presses the button. */
const MARKETS_INTERVAL_MS = 10_000;

export interface TradePageProps {
  readonly product: Product;
  readonly symbol: string;
}

export function TradePage({ product, symbol }: TradePageProps): ReactElement {
  const { client } = useSession();
  const { answer, error, refresh } = useQuery(
    product,
    (signal) => fetchMarkets(client, product, signal),
    MARKETS_INTERVAL_MS,
    useLive(marketChanges),
  );
  useEffect(() => {
    document.title = `${symbol} ${product} – Rialto`;
  }, [product, symbol]);
  if (answer === null) {
    if (error === null) return <Notice kind="loading">Loading markets…</Notice>;
    return <FailureNotice what="markets" error={error} onRetry={refresh} />;
  }
  const rules = answer.find((market) => market.symbol === symbol);
  if (rules === undefined) return <UnknownMarket product={product} first={answer[0]?.symbol} />;
  return (
    <MarketProvider rules={rules} markets={answer} refreshMarkets={refresh}>
      <Panels>
        <MarketHeader />
        <MarketView />
        <OrderPanel />
        <AccountTabs />
      </Panels>
    </MarketProvider>
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
        No {product} market is listed yet. The operator lists markets in the operator console.
      </Notice>
    );
  }
  return (
    <Notice kind="empty">
      Market not found. <Link href={`/trade/${product}/${first}`}>Go to {first}</Link>
    </Notice>
  );
}
