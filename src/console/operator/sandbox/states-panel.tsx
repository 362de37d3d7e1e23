/** States of the sandbox: keep one, go back to it, take one along as a file. */
import { type ReactElement, useMemo, useState } from "react";
import type { ListCheckpointsAnswer, OperatorClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Field } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useQuery } from "../../data/query.ts";
import { saveFile } from "../../data/save-file.ts";
import { ConfirmButton } from "../components/confirm-button.tsx";
import { countText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { MutationDialog } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";

const INTERVAL_MS = 2_000;
const HASH_SHOWN = 12;
const STATE_FILE = "state.rialto";

type Checkpoint = ListCheckpointsAnswer["items"][number];

const CONSEQUENCE =
  "Orders, balances, history, keys and exchange time go back for everyone. Connections stay " +
  "open, and streams start anew. Later changes remain only in the journal.";

export function StatesPanel(): ReactElement {
  const { client } = useOperator();
  const [isAdding, setIsAdding] = useState(false);
  const query = useQuery(
    "checkpoints",
    (signal) => client.listCheckpoints({ signal }),
    INTERVAL_MS,
  );
  const { refresh } = query;
  const columns = useMemo(() => columnsOf(client, refresh), [client, refresh]);
  const actions = (
    <span className={layout.rowActions}>
      <Button size="small" onClick={() => setIsAdding(true)}>
        Add checkpoint
      </Button>
      <ResetActions client={client} />
      <DownloadAction />
    </span>
  );
  return (
    <Panel title="States" flush actions={actions}>
      <QueryTable
        label="Checkpoints"
        query={query}
        columns={columns}
        rowKey={({ name }) => name}
        empty="No checkpoints. Add one to be able to go back to the current state."
      />
      {isAdding ? <CheckpointDialog onClose={() => setIsAdding(false)} onDone={refresh} /> : null}
    </Panel>
  );
}

function columnsOf(client: OperatorClient, onDone: () => void): readonly Column<Checkpoint>[] {
  return [
    { id: "name", header: "Name", cell: ({ name }) => <strong>{name}</strong> },
    {
      id: "sequence",
      header: "Sequence",
      align: "right",
      cell: ({ sequence }) => countText(sequence),
    },
    {
      id: "hash",
      header: "State hash",
      cell: ({ stateHash }) => <code title={stateHash}>{stateHash.slice(0, HASH_SHOWN)}…</code>,
    },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: ({ name }) => <RowActions name={name} client={client} onDone={onDone} />,
    },
  ];
}

interface RowActionsProps {
  readonly name: string;
  readonly client: OperatorClient;
  readonly onDone: () => void;
}

function RowActions({ name, client, onDone }: RowActionsProps): ReactElement {
  const { run, busy } = useMutation();
  const restore = async (): Promise<string> => {
    const { sequence } = await client.restoreCheckpoint({ name });
    return `Restored ${name}, at sequence ${countText(sequence)}`;
  };
  const remove = async (): Promise<string> => {
    await client.removeCheckpoint({ name });
    return `Checkpoint ${name} removed`;
  };
  return (
    <span className={layout.rowActions}>
      <ConfirmButton
        label={`Restore ${name}`}
        title={`Restore ${name}`}
        consequence={CONSEQUENCE}
        confirm={`Restore ${name}`}
        act={restore}
        onDone={onDone}
      >
        Restore
      </ConfirmButton>
      <Button
        size="small"
        busy={busy}
        aria-label={`Remove checkpoint ${name}`}
        onClick={() => void run(remove).then(onDone)}
      >
        Remove
      </Button>
    </span>
  );
}

function ResetActions({ client }: { readonly client: OperatorClient }): ReactElement {
  const { run, busy } = useMutation();
  const mark = async (): Promise<string> => {
    const { sequence } = await client.markResetState();
    return `A reset now goes back to sequence ${countText(sequence)}`;
  };
  const reset = async (): Promise<string> => {
    const { sequence } = await client.resetExchange();
    return `Reset to sequence ${countText(sequence)}`;
  };
  return (
    <>
      <Button size="small" busy={busy} onClick={() => void run(mark)}>
        Set reset state
      </Button>
      <ConfirmButton
        title="Reset the exchange"
        consequence={`Goes back to the start, or to the reset state you set. ${CONSEQUENCE}`}
        confirm="Reset the exchange"
        act={reset}
      >
        Reset
      </ConfirmButton>
    </>
  );
}

function DownloadAction(): ReactElement {
  const { readState } = useOperator();
  const { run, busy } = useMutation();
  const download = async (): Promise<string> => {
    saveFile(STATE_FILE, await readState());
    return `${STATE_FILE} has working API keys. Open: rialto start --sandbox --from ${STATE_FILE}`;
  };
  return (
    <Button size="small" busy={busy} onClick={() => void run(download)}>
      Download state
    </Button>
  );
}

interface CheckpointDialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function CheckpointDialog({ onClose, onDone }: CheckpointDialogProps): ReactElement {
  const { client } = useOperator();
  const [name, setName] = useState("");
  const add = async (): Promise<string> => {
    const { sequence } = await client.makeCheckpoint({ name });
    return `Checkpoint ${name} saved at sequence ${countText(sequence)}`;
  };
  return (
    <MutationDialog
      title="Add a checkpoint"
      submit="Add checkpoint"
      disabled={name === ""}
      act={add}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => (
        <Field
          label="Name"
          value={name}
          error={errorOf("name")}
          hint="Letters, digits, dots, hyphens and underscores."
          maxLength={64}
          onText={setName}
        />
      )}
    </MutationDialog>
  );
}
