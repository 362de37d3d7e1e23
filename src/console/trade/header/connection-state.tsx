/** The state of the stream connection and its latency. */
import { type ReactElement, useEffect, useState, useSyncExternalStore } from "react";
import type { StreamState } from "../../../client/index.ts";
import type { TradeMarket } from "../market.tsx";
import styles from "./connection-state.module.css";

/** The streams measure latency without notifying. */
const LOOK_MS = 1_000;

export interface ConnectionStateProps {
  readonly streams: TradeMarket["streams"];
}

export function ConnectionState({ streams }: ConnectionStateProps): ReactElement {
  const state = useSyncExternalStore(
    (listener) => streams.onState(listener),
    () => streams.state,
  );
  const latencyMs = useLatency(streams);
  return (
    <div className={styles.connection} data-state={state.name} title={detailOf(state)}>
      <span className={styles.light} aria-hidden="true" />
      <span role="status">
        <span className="visually-hidden">Streams: </span>
        {inWords(state)}
      </span>
      {state.name === "live" && latencyMs !== null ? (
        <span className={styles.latency} title="Round-trip time to the exchange">
          {Math.max(1, Math.round(latencyMs))} ms
        </span>
      ) : null}
    </div>
  );
}

function detailOf({ attempt, reason }: StreamState): string | undefined {
  const parts = [reason, attempt > 1 ? `attempt ${attempt}` : null];
  return parts.filter((part) => part !== null).join(", ") || undefined;
}

function inWords({ name, reason }: StreamState): string {
  switch (name) {
    case "idle":
    case "connecting":
      return "Connecting…";
    case "live":
      return "Live";
    case "reconnecting":
      return "Reconnecting…";
    case "closed":
      return reason === null ? "Closed" : `Closed: ${reason}`;
  }
}

function useLatency(streams: TradeMarket["streams"]): number | null {
  const [latencyMs, setLatencyMs] = useState<number | null>(streams.latencyMs);
  useEffect(() => {
    const look = (): void => setLatencyMs(streams.latencyMs);
    look();
    const timer = setInterval(look, LOOK_MS);
    return () => clearInterval(timer);
  }, [streams]);
  return latencyMs;
}
