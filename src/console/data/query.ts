/** Fetches data for a component: when it mounts, at intervals, and on demand. */
import { useCallback, useEffect, useRef, useState } from "react";
import { retryWaitMs } from "./retry-wait.ts";

export interface Query<Answer> {
  /** The latest answer; null before the first. Kept while a later request fails. */
  readonly answer: Answer | null;
  /** Why the latest request failed; null if it succeeded. */
  readonly error: Error | null;
  /** Fetches now. */
  readonly refresh: () => void;
}

/**
 * Fetches on mount, when `key` changes, and every `intervalMs` while the page is visible (null:
 * once). A null `key` fetches nothing. Failures are retried as `retryWaitMs` says. A new `version`
 * fetches again and keeps the old answer until the new one arrives; a new `key` drops it.
 */
export function useQuery<Answer>(
  key: string | null,
  fetchAnswer: (signal: AbortSignal) => Promise<Answer>,
  intervalMs: number | null = null,
  version = 0,
): Query<Answer> {
  const [state, setState] = useState<State<Answer>>({ key, answer: null, error: null });
  const [round, setRound] = useState(0);
  const latest = useRef(fetchAnswer);
  latest.current = fetchAnswer;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round fetches again
  useEffect(() => {
    if (key === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    let failures = 0;
    /** Returns how long to wait before the next request; null ends the loop. */
    const run = async (): Promise<number | null> => {
      try {
        const answer = await latest.current(signal);
        failures = 0;
        if (!signal.aborted) setState({ key, answer, error: null });
        return intervalMs;
      } catch (reason) {
        if (signal.aborted) return null;
        failures++;
        const error = toError(reason);
        setState((before) => ({ ...(before.key === key ? before : EMPTY), key, error }));
        return retryWaitMs(error, failures, intervalMs);
      }
    };
    const loop = async (): Promise<void> => {
      let waitMs = await run();
      while (waitMs !== null && !signal.aborted) {
        await sleep(waitMs, signal);
        if (!signal.aborted && !document.hidden) waitMs = await run();
      }
    };
    void loop();
    return () => controller.abort();
  }, [key, round, intervalMs, version]);
  const refresh = useCallback(() => setRound((before) => before + 1), []);
  const { answer, error } = state.key === key ? state : EMPTY;
  return { answer, error, refresh };
}

interface State<Answer> {
  readonly key: string | null;
  readonly answer: Answer | null;
  readonly error: Error | null;
}

const EMPTY = { answer: null, error: null } as const;

export function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
