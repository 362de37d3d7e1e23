/** The latest trades, coloured by the taker's side. */
import { type ReactElement, useEffect, useRef, useState } from "react";
import { FailureNotice } from "../../components/failure-notice.tsx";
import { Notice } from "../../components/panel.tsx";
import { useLive } from "../../data/live-value.ts";
import { useSession } from "../../session/session.tsx";
import rowStyles from "../dom/rows.module.css";
import { useMarket } from "../market.tsx";
import { usePick } from "../pick.ts";
import { LiveTape } from "./live-tape.ts";
import styles from "./trade-tape.module.css";

export function TradeTape(): ReactElement {
  const market = useMarket();
  const { client } = useSession();
  const { streams, rules } = market;
  const pick = usePick();
  const host = useRef<HTMLDivElement>(null);
  const [tape, setTape] = useState<LiveTape | null>(null);
  // Refetched rules do not change the market, and the streams belong to the client.
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above
  useEffect(() => {
    if (host.current === null) return;
    const api = rules.product === "spot" ? client.spot : client.contract;
    const live = new LiveTape({ host: host.current, market, api, onPick: pick });
    setTape(live);
    return () => live.close();
  }, [streams, rules.symbol]);
  return (
    <div className={styles.tape}>
      {tape === null ? null : <Phase tape={tape} />}
      <div ref={host} className={`${rowStyles.rows} ${styles.host}`} />
    </div>
  );
}

function Phase({ tape }: { readonly tape: LiveTape }): ReactElement | null {
  const { name, error } = useLive(tape.phase);
  if (error !== null) {
    return <FailureNotice what="trades" error={error} onRetry={tape.refresh} />;
  }
  if (name === "loading") return <Notice kind="loading">Loading trades…</Notice>;
  if (name === "empty") return <Notice kind="empty">No trades yet.</Notice>;
  return null;
}
