/** Queries about the user's account, refreshed after every change to it. */
import { useLive } from "../../data/live-value.ts";
import { type Query, useQuery } from "../../data/query.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";

/** `name` identifies the query. Fetches nothing while signed out. */
export function useAccountQuery<Answer>(
  name: string,
  fetchAnswer: (signal: AbortSignal) => Promise<Answer>,
  intervalMs: number | null = null,
): Query<Answer> {
  const { apiKey } = useSession();
  const { rules, accountVersion } = useMarket();
  const version = useLive(accountVersion);
  const key = apiKey === null ? null : `${apiKey} ${rules.product} ${name}`;
  return useQuery(key, fetchAnswer, intervalMs, version);
}
