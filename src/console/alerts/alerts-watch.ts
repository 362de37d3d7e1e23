/** Watches the markets that have alerts, on every page, and tells when a price is reached. */
import { useEffect, useRef } from "react";
import type { Product } from "../../domain/index.ts";
import { useActivity } from "../activity/activity-provider.tsx";
import { useLive } from "../data/live-value.ts";
import { groupDecimal } from "../decimals/format.ts";
import { useSession } from "../session/session.tsx";
import { ALERTS_KEY, PriceAlerts } from "./price-alerts.ts";

export const PRICE_ALERTS = new PriceAlerts(localStorage);

/** Renders nothing. */
export function AlertsWatch(): null {
  useEffect(() => {
    const onStorage = ({ key }: StorageEvent): void => {
      if (key === ALERTS_KEY) PRICE_ALERTS.reload();
    };
    addEventListener("storage", onStorage);
    return () => removeEventListener("storage", onStorage);
  }, []);
  const alerts = useLive(PRICE_ALERTS.live);
  useWatchedMarkets("spot", symbolsOf(alerts, "spot"));
  useWatchedMarkets("contract", symbolsOf(alerts, "contract"));
  return null;
}

/** As one text, so that it is the same while they are. */
function symbolsOf(
  alerts: readonly { readonly product: Product; readonly symbol: string }[],
  product: Product,
): string {
  const symbols = alerts.filter((alert) => alert.product === product).map(({ symbol }) => symbol);
  return [...new Set(symbols)].sort().join(" ");
}

function useWatchedMarkets(product: Product, symbols: string): void {
  const { client } = useSession();
  const { report } = useActivity();
  // The streams outlive a new `report`.
  const latest = useRef(report);
  latest.current = report;
  useEffect(() => {
    if (symbols === "") return;
    const streams = product === "spot" ? client.streams.spot() : client.streams.contract();
    const see = (symbol: string, price: string, atMs: number): void => {
      for (const alert of PRICE_ALERTS.reached({ product, symbol }, price)) {
        const text = `Price alert: ${symbol} ${product} reached ${groupDecimal(alert.price)}`;
        latest.current({ atMs, text, tone: "plain", isNews: true });
      }
    };
    for (const symbol of symbols.split(" ")) {
      // The ticker comes at once, also after an interruption; trades tell what is between two.
      streams.ticker(symbol).listen(({ lastPrice, time }) => {
        // "0" before the first trade.
        if (Number(lastPrice) > 0) see(symbol, lastPrice, time);
      });
      streams.trades(symbol).listen(({ price, time }) => see(symbol, price, time));
    }
    return () => streams.close();
  }, [client, product, symbols]);
}
