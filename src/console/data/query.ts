/** What is asked for again and again: its last answer, or why there is none. */
import { useCallback, useEffect, useRef, useState } from "react";
import { retryWaitMs } from "./retry-wait.ts";

export interface Polled<Answer> {
  /** The last one that came; null before the first. Kept while a later question fails. */
  readonly answer: Answer | null;
  /** Why the last question failed; null when it did not. */
  readonly error: Error | null;
  readonly loading: boolean;
  /** Asks at once. */
  readonly refresh: () => void;
}

/**
 * Asks when mounted, when `key` changes, and every `intervalMs` (never while the page is hidden);
 * once alone when that is null. What failed is asked again as `retryWaitMs` says. With `key` null
 * nothing is asked. Another `version` asks again and keeps the answer until the new one is there;
 * another `key` does not keep it.
 */
export function usePolled<Answer>(
  key: string | null,
  ask: (signal: AbortSignal) => Promise<Answer>,
  intervalMs: number | null = null,
  version = 0,
): Polled<Answer> {
  const [state, setState] = useState<State<Answer>>({ key, answer: null, error: null });
  const [round, setRound] = useState(0);
  const latest = useRef(ask);
  latest.current = ask;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round asks again
  useEffect(() => {
    if (key === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    let failures = 0;
    /** Gives when to ask again. */
    const run = async (): Promise<number | null> => {
      try {
        const answer = await latest.current(signal);
        failures = 0;
        if (!signal.aborted) setState({ key, answer, error: null });
        return intervalMs;
      } catch (error) {
        if (signal.aborted) return null;
        failures++;
        const failure = error instanceof Error ? error : new Error(String(error));
        setState((before) => ({ ...(before.key === key ? before : EMPTY), key, error: failure }));
        return retryWaitMs(failure, failures, intervalMs);
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
  return { answer, error, loading: key !== null && answer === null && error === null, refresh };
}

interface State<Answer> {
  readonly key: string | null;
  readonly answer: Answer | null;
  readonly error: Error | null;
}

const EMPTY = { answer: null, error: null } as const;

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
