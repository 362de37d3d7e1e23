/** Questions about the user's own, asked again whenever something of theirs changed. */
import { useLive } from "../../data/live-value.ts";
import { type Polled, usePolled } from "../../data/query.ts";
import { useSession } from "../../session/session.tsx";
import { useDesk } from "../market.tsx";

/**
 * `name` tells questions apart. Asked when mounted, after each change, and every `intervalMs`;
 * never while nobody is signed in.
 */
export function useAccountQuery<Answer>(
  name: string,
  ask: (signal: AbortSignal) => Promise<Answer>,
  intervalMs: number | null = null,
): Polled<Answer> {
  const { apiKey } = useSession();
  const { rules, accountChanged } = useDesk();
  const version = useLive(accountChanged);
  const key = apiKey === null ? null : `${apiKey} ${rules.product} ${name}`;
  return usePolled(key, ask, intervalMs, version);
}
