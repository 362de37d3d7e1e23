/** Runs a change on the exchange: whether it is in progress, how it failed, and its toast. */
import { useCallback, useRef, useState } from "react";
import { type Tone, useToast } from "../components/toast.tsx";
import { toError } from "./query.ts";

/** What to show afterwards: a success text, a text with its own tone, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: work without a message returns nothing
export type Message = string | { readonly text: string; readonly tone: Tone } | void;

export interface Mutation {
  readonly busy: boolean;
  /** Why the last run failed; null if it succeeded. */
  readonly error: Error | null;
  /** Resolves to whether `work` succeeded. */
  readonly run: (work: () => Promise<Message>) => Promise<boolean>;
  /** Clears the error. */
  readonly reset: () => void;
}

export function useMutation(onError?: (error: Error) => void): Mutation {
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const latest = useRef(onError);
  latest.current = onError;
  const reset = useCallback(() => setError(null), []);
  const run = useCallback(
    async (work: () => Promise<Message>): Promise<boolean> => {
      setBusy(true);
      setError(null);
      try {
        const message = await work();
        if (typeof message === "string") toast(message, "good");
        else if (message !== undefined) toast(message.text, message.tone);
        return true;
      } catch (reason) {
        const failure = toError(reason);
        setError(failure);
        latest.current?.(failure);
        return false;
      } finally {
        setBusy(false);
      }
    },
    [toast],
  );
  return { busy, error, run, reset };
}
