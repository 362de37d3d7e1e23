/** Samples the process every two seconds and keeps five minutes. */
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
} from "react";
import { useQuery } from "../../data/query.ts";
import { useOperator } from "../session/operator-session.tsx";
import { type HealthSample, toHealthSample } from "./health-sample.ts";

const INTERVAL_MS = 2_000;
const SAMPLES_MAX = 150;

export interface HealthFeed {
  /** Oldest first; empty before the first sample. */
  readonly samples: readonly HealthSample[];
  /** Why the last sample failed. */
  readonly error: Error | null;
  readonly refresh: () => void;
}

const HealthContext = createContext<HealthFeed | null>(null);

export function HealthProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const { client, readMetrics } = useOperator();
  const [samples, setSamples] = useState<readonly HealthSample[]>([]);
  const { answer, error, refresh } = useQuery(
    "health",
    async (signal) => {
      // The next sample follows anyway.
      const status = await client.getStatus({ signal, attempts: 1 });
      return toHealthSample(status, await readMetrics(signal), Date.now());
    },
    INTERVAL_MS,
  );
  useEffect(() => {
    if (answer !== null) setSamples((before) => [...before.slice(1 - SAMPLES_MAX), answer]);
  }, [answer]);
  const feed = useMemo(() => ({ samples, error, refresh }), [samples, error, refresh]);
  return <HealthContext value={feed}>{children}</HealthContext>;
}

export function useHealth(): HealthFeed {
  const feed = useContext(HealthContext);
  if (feed === null) throw new Error("useHealth is for components inside HealthProvider");
  return feed;
}
