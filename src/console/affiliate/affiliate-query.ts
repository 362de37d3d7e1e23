/** Queries of the affiliate page for the signed-in user. */
import type { CallOptions } from "../../client/index.ts";
import { type Query, useQuery } from "../data/query.ts";
import { useSession } from "../session/session.tsx";

export const LIVE_INTERVAL_MS = 5_000;

/**
 * `name` identifies the query with its filters; null fetches nothing. The client does not retry, so
 * failures show at once; the next poll follows anyway.
 */
export function useAffiliateQuery<Answer>(
  name: string | null,
  fetchAnswer: (options: CallOptions) => Promise<Answer>,
): Query<Answer> {
  const { apiKey } = useSession();
  return useQuery(
    apiKey === null || name === null ? null : `${apiKey} affiliate ${name}`,
    (signal) => fetchAnswer({ signal, attempts: 1 }),
    LIVE_INTERVAL_MS,
  );
}
