/** Questions of the page: asked for who is signed in, and stated with the time of the answer. */
import type { CallOptions } from "../../client/index.ts";
import { type Query, useQuery } from "../data/query.ts";
import { useSession } from "../session/session.tsx";

/** How fresh everything on the page is. */
export const LIVE_INTERVAL_MS = 5_000;

/**
 * `name` tells questions apart, filters included; with null nothing is asked. A question that fails
 * is told at once, not tried again in silence: the next one follows by itself.
 */
export function useAffiliateQuery<Answer>(
  name: string | null,
  ask: (options: CallOptions) => Promise<Answer>,
): Query<Answer> {
  const { apiKey } = useSession();
  return useQuery(
    apiKey === null || name === null ? null : `${apiKey} affiliate ${name}`,
    (signal) => ask({ signal, attempts: 1 }),
    LIVE_INTERVAL_MS,
  );
}
