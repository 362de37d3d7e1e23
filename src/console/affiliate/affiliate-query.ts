/** Questions of the page: asked for who is signed in, and stated with the time of the answer. */
import { type Polled, usePolled } from "../live/polled.ts";
import { useSession } from "../session/session.tsx";

/** How fresh everything on the page is. */
export const LIVE_INTERVAL_MS = 5_000;

/** `name` tells questions apart, filters included; with null nothing is asked. */
export function useAffiliateQuery<Answer>(
  name: string | null,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Polled<Answer> {
  const { apiKey } = useSession();
  return usePolled(
    apiKey === null || name === null ? null : `${apiKey} affiliate ${name}`,
    ask,
    LIVE_INTERVAL_MS,
  );
}
