/** The stored snapshots, newest first. */
import { type Query, useQuery } from "../../data/query.ts";
import { useOperator } from "../session/operator-session.tsx";

const INTERVAL_MS = 10_000;

export interface Snapshot {
  readonly sequence: number;
  /** Wall clock, not exchange time. */
  readonly createdAt: number;
}

export function useSnapshots(): Query<readonly Snapshot[]> {
  const { client } = useOperator();
  return useQuery(
    "snapshots",
    async (signal) => {
      const { items } = await client.listSnapshots({}, { signal });
      return items.toSorted((one, other) => other.sequence - one.sequence);
    },
    INTERVAL_MS,
  );
}

export function ageMs({ createdAt }: Snapshot): number {
  return Math.max(0, Date.now() - createdAt);
}
