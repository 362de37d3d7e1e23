/** Fault rules: what goes wrong with requests and streams, and how often it happened. */
import { type ReactElement, useMemo, useState } from "react";
import type { ListFaultsAnswer, OperatorClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Choice, Field } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useQuery } from "../../data/query.ts";
import { type ErrorOf, MutationDialog } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";
import {
  FAULT_KINDS,
  type FaultDraft,
  type FaultKind,
  faultText,
  matchText,
  NEW_FAULT,
  ruleOf,
  WHENS,
  whenText,
} from "./fault-draft.ts";

const INTERVAL_MS = 2_000;

type Rule = ListFaultsAnswer["items"][number];

const KIND_OPTIONS = Object.entries(FAULT_KINDS).map(([kind, { text }]) => {
  return { value: kind as FaultKind, text };
});
const WHEN_OPTIONS = WHENS.map((value) => ({ value, text: value }));

export function FaultsPanel(): ReactElement {
  const { client } = useOperator();
  const [isAdding, setIsAdding] = useState(false);
  const query = useQuery("faults", (signal) => client.listFaults({ signal }), INTERVAL_MS);
  const { refresh } = query;
  const columns = useMemo(() => columnsOf(client, refresh), [client, refresh]);
  const add = (
    <Button size="small" onClick={() => setIsAdding(true)}>
      Add fault
    </Button>
  );
  return (
    <Panel title="Faults" flush actions={add}>
      <QueryTable
        label="Fault rules"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        empty="No fault rules. Requests and streams work normally."
      />
      {isAdding ? <FaultDialog onClose={() => setIsAdding(false)} onDone={refresh} /> : null}
    </Panel>
  );
}

function columnsOf(client: OperatorClient, onDone: () => void): readonly Column<Rule>[] {
  return [
    { id: "id", header: "Name", cell: ({ id }) => <strong>{id}</strong> },
    { id: "match", header: "Match", cell: matchText },
    { id: "when", header: "When", cell: whenText },
    { id: "fault", header: "Fault", cell: faultText },
    { id: "seed", header: "Seed", align: "right", cell: ({ seed }) => seed },
    { id: "hits", header: "Hits", align: "right", cell: ({ hits }) => hits },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: ({ id }) => <RemoveAction id={id} client={client} onDone={onDone} />,
    },
  ];
}

interface RemoveActionProps {
  readonly id: string;
  readonly client: OperatorClient;
  readonly onDone: () => void;
}

function RemoveAction({ id, client, onDone }: RemoveActionProps): ReactElement {
  const { run, busy } = useMutation();
  const remove = async (): Promise<string> => {
    const { hits } = await client.removeFault({ id });
    return `Fault ${id} removed after ${hits} hits`;
  };
  return (
    <Button
      size="small"
      busy={busy}
      aria-label={`Remove fault ${id}`}
      onClick={() => void run(remove).then(onDone)}
    >
      Remove
    </Button>
  );
}

interface FaultDialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function FaultDialog({ onClose, onDone }: FaultDialogProps): ReactElement {
  const { client } = useOperator();
  const [draft, setDraft] = useState(NEW_FAULT);
  const set = async (): Promise<string> => {
    const { id } = await client.setFault(ruleOf(draft));
    return `Fault ${id} is active`;
  };
  return (
    <MutationDialog
      title="Add a fault"
      submit="Add fault"
      disabled={draft.id === ""}
      act={set}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => (
        <FaultFields
          draft={draft}
          errorOf={errorOf}
          onChange={(change) => setDraft((before) => ({ ...before, ...change }))}
        />
      )}
    </MutationDialog>
  );
}

interface FaultFieldsProps {
  readonly draft: FaultDraft;
  readonly errorOf: ErrorOf;
  readonly onChange: (change: Partial<FaultDraft>) => void;
}

function FaultFields({ draft, errorOf, onChange }: FaultFieldsProps): ReactElement {
  const { id, kind, figure, when, count, uid, target } = draft;
  const { figure: figureName } = FAULT_KINDS[kind];
  return (
    <>
      <Field
        label="Name"
        value={id}
        error={errorOf("id")}
        hint="Replaces a rule with the same name."
        onText={(text) => onChange({ id: text })}
      />
      <Choice
        label="Fault"
        value={kind}
        options={KIND_OPTIONS}
        onValue={(value) => onChange({ kind: value })}
      />
      {figureName === null ? null : (
        <Field
          label={FIGURE_LABELS[figureName]}
          inputMode="numeric"
          value={figure}
          error={errorOf(`fault.${figureName}`)}
          onText={(text) => onChange({ figure: text })}
        />
      )}
      <Choice
        label="When"
        value={when}
        options={WHEN_OPTIONS}
        onValue={(value) => onChange({ when: value })}
      />
      {when === "always" ? null : (
        <Field
          label={when === "probability" ? "Probability" : "Count"}
          inputMode="decimal"
          value={count}
          error={errorOf(`when.${when}`)}
          onText={(text) => onChange({ count: text })}
        />
      )}
      <Field
        label="User"
        inputMode="numeric"
        value={uid}
        error={errorOf("match.uid")}
        hint="Empty for all users."
        onText={(text) => onChange({ uid: text.trim() })}
      />
      <Field
        label="Call or channel"
        value={target}
        error={errorOf("match.route") ?? errorOf("match.channel")}
        hint="POST /api/v3/order, GET *, order.place; or BTCUSDT@depth15, fill. Empty for all."
        onText={(text) => onChange({ target: text })}
      />
    </>
  );
}

const FIGURE_LABELS = { ms: "Milliseconds", status: "HTTP status", updates: "Updates" } as const;
