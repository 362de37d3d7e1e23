/** The stored snapshots, and a button to create one. */
import { type ReactElement, useMemo } from "react";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { FormError } from "../../components/form-error.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useMutation } from "../../data/mutation.ts";
import type { Query } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { countText, spanText } from "../components/format.ts";
import { useOperator } from "../session/operator-session.tsx";
import { ageMs, type Snapshot } from "./snapshots.ts";

const SNAPSHOT_TIMEOUT_MS = 120_000;

const NO_SNAPSHOTS =
  "No snapshots yet: a restart replays the whole journal. " +
  "The first one is created automatically as the journal grows.";

export interface SnapshotPanelProps {
  /** The current sequence. */
  readonly sequence: number;
  readonly query: Query<readonly Snapshot[]>;
}

export function SnapshotPanel({ sequence, query }: SnapshotPanelProps): ReactElement {
  const { client } = useOperator();
  const { busy, error, run } = useMutation();
  const make = async (): Promise<void> => {
    await run(async () => {
      const made = await client.makeSnapshot({ timeoutMs: SNAPSHOT_TIMEOUT_MS });
      return `Snapshot of sequence ${countText(made.sequence)} saved`;
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
          Create snapshot
        </Button>
      }
    >
      <FormError error={error} />
      <QueryTable
        label="Snapshots"
        query={query}
        columns={columns}
        rowKey={(row) => row.sequence}
        empty={NO_SNAPSHOTS}
      />
    </Panel>
  );
}

function columnsOf(present: number): readonly Column<Snapshot>[] {
  return [
    { id: "sequence", header: "Sequence", cell: (row) => countText(row.sequence) },
    { id: "time", header: "Created", cell: (row) => utcTime(row.createdAt) },
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
