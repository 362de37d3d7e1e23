/** Operators: who runs the exchange, in which role, and until when. */
import { type ReactElement, useMemo, useState } from "react";
import type { GetOperatorAnswer } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { ConfirmButton, given } from "../components/confirm-button.tsx";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { OperatorDialog } from "./operator-dialog.tsx";

const LIMIT = 1_000;

export function OperatorsPage(): ReactElement {
  const { client } = useOperator();
  /** Undefined while no dialog is open; null for a new operator. */
  const [edited, setEdited] = useState<GetOperatorAnswer | null | undefined>(undefined);
  const query = useQuery("operators", (signal) =>
    client.listOperators({ limit: LIMIT }, { signal }),
  );
  const { refresh } = query;
  const columns = useMemo(() => {
    const remove = async ({ name }: GetOperatorAnswer, reason: string): Promise<string> => {
      await client.removeOperator({ name, ...given(reason) });
      refresh();
      return `${name} removed`;
    };
    return columnsOf(setEdited, remove);
  }, [client, refresh]);
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Operators</h1>
      <Panel
        title="Operators"
        flush
        actions={
          <Button size="small" tone="accent" onClick={() => setEdited(null)}>
            Add an operator
          </Button>
        }
      >
        <QueryTable
          label="Operators"
          query={query}
          columns={columns}
          rowKey={({ name }) => name}
          empty="No operators yet. Everyone signs in with the data folder's token."
        />
        {edited === undefined ? null : (
          <OperatorDialog edited={edited} onClose={() => setEdited(undefined)} onDone={refresh} />
        )}
      </Panel>
    </div>
  );
}

function columnsOf(
  onEdit: (operator: GetOperatorAnswer) => void,
  remove: (operator: GetOperatorAnswer, reason: string) => Promise<string>,
): readonly Column<GetOperatorAnswer>[] {
  return [
    { id: "name", header: "Name", cell: ({ name }) => name },
    { id: "role", header: "Role", cell: ({ role }) => role },
    {
      id: "expires",
      header: "Expires",
      cell: ({ expiresAt }) => (expiresAt === null ? "never" : utcTime(expiresAt)),
    },
    { id: "added", header: "Added", cell: ({ addedAt }) => utcTime(addedAt) },
    {
      id: "removed",
      header: "Removed",
      cell: ({ removedAt }) => (removedAt === null ? "–" : utcTime(removedAt)),
    },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: (operator) =>
        operator.removedAt === null ? (
          <span className={layout.rowActions}>
            <Button
              size="small"
              aria-label={`Edit operator ${operator.name}`}
              onClick={() => onEdit(operator)}
            >
              Edit
            </Button>
            <ConfirmButton
              tone="danger"
              label={`Remove operator ${operator.name}`}
              title="Remove operator"
              consequence={`${operator.name}'s token stops working. The name is not reused.`}
              confirm={`Remove ${operator.name}`}
              asksReason="optional"
              act={(reason) => remove(operator, reason)}
            >
              Remove
            </ConfirmButton>
          </span>
        ) : null,
    },
  ];
}
