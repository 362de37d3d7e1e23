/** The snapshots that are kept, how old the newest is, and a button that makes one. */
import { type ReactElement, useMemo } from "react";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { FormError } from "../../components/form-error.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useMutation } from "../../data/mutation.ts";
import type { Query } from "../../data/query.ts";
import { countText, spanText, utcTime } from "../components/format.ts";
import { useOperator } from "../session/operator-session.tsx";
import { ageMs, type Snapshot } from "./snapshots.ts";

const SNAPSHOT_TIMEOUT_MS = 120_000;

export interface SnapshotPanelProps {
  /** Of the exchange now. */
  readonly sequence: number;
  readonly query: Query<readonly Snapshot[]>;
}

export function SnapshotPanel({ sequence, query }: SnapshotPanelProps): ReactElement {
  const { client } = useOperator();
  const { busy, error, run } = useMutation();
  const make = async (): Promise<void> => {
    await run(async () => {
      const made = await client.makeSnapshot({ timeoutMs: SNAPSHOT_TIMEOUT_MS });
      return `A snapshot of sequence ${countText(made.sequence)} is on stable storage.`;
    });
    query.refresh();
  };
  const columns = useMemo(() => columnsOf(sequence), [sequence]);
  return (
    <Panel
      flush
      title="Snapshots"
      actions={
        <Button size="small" busy={busy} onClick={() => void make()}>
          Make one now
        </Button>
      }
    >
      <FormError error={error} />
      <QueryTable
        label="Snapshots"
        query={query}
        columns={columns}
        rowKey={(row) => row.sequence}
        empty="None yet: a restart reads the journal from its beginning. The first one is made by itself as the journal grows."
      />
    </Panel>
  );
}

function columnsOf(present: number): readonly Column<Snapshot>[] {
  return [
    { id: "sequence", header: "Sequence", cell: (row) => countText(row.sequence) },
    { id: "time", header: "Made", cell: (row) => utcTime(row.createdAt) },
    {
      id: "age",
      header: "Age",
      align: "right",
      cell: (row) => spanText(ageMs(row)),
    },
    {
      id: "behind",
      header: "Commands since",
      align: "right",
      cell: (row) => countText(Math.max(0, present - row.sequence)),
    },
  ];
}
