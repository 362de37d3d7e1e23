/**
 * Samples the process every two seconds and keeps five minutes; older ones are those that the
 * exchange keeps.
 */
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
import {
  type HealthSample,
  type TrendSample,
  toHealthSample,
  toTrendSamples,
} from "./health-sample.ts";

const INTERVAL_MS = 2_000;
const SAMPLES_MAX = 150;
const KEPT_INTERVAL_MS = 60_000;
const SHOWN_MS = 1_800_000;

export interface HealthFeed {
  /** Oldest first; empty before the first sample. */
  readonly samples: readonly HealthSample[];
  /** The last half hour, oldest first. */
  readonly trend: readonly TrendSample[];
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
  const kept = useQuery(
    "health-samples",
    async (signal) => toTrendSamples(await client.listHealthSamples({ signal }), Date.now()),
    KEPT_INTERVAL_MS,
  ).answer;
  const trend = useMemo(() => joined(kept ?? [], samples), [kept, samples]);
  const feed = useMemo(
    () => ({ samples, trend, error, refresh }),
    [samples, trend, error, refresh],
  );
  return <HealthContext value={feed}>{children}</HealthContext>;
}

export function useHealth(): HealthFeed {
  const feed = useContext(HealthContext);
  if (feed === null) throw new Error("useHealth is for components inside HealthProvider");
  return feed;
}

function joined(
  kept: readonly TrendSample[],
  samples: readonly HealthSample[],
): readonly TrendSample[] {
  const firstMs = samples[0]?.takenMs ?? Number.POSITIVE_INFINITY;
  const lastMs = samples.at(-1)?.takenMs ?? kept.at(-1)?.takenMs ?? 0;
  const older = kept.filter(({ takenMs }) => takenMs < firstMs);
  return [...older, ...samples].filter(({ takenMs }) => takenMs > lastMs - SHOWN_MS);
}
