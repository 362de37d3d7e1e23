/** What waits for a second operator, to be approved or rejected by another one. */
import { type ReactElement, useMemo } from "react";
import type { ListProposalsAnswer, OperatorClient } from "../../../client/index.ts";
import type { Decision } from "../../../domain/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { ConfirmButton } from "../components/confirm-button.tsx";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

type Proposal = ListProposalsAnswer["items"][number];

const REFRESH_MS = 5_000;

export interface ProposalsPanelProps {
  readonly onDecided: () => void;
}

export function ProposalsPanel({ onDecided }: ProposalsPanelProps): ReactElement {
  const { client } = useOperator();
  const query = useQuery(
    "proposals",
    (signal) => client.listProposals({ state: "waiting" }, { signal }),
    REFRESH_MS,
  );
  const { refresh } = query;
  const columns = useMemo(() => {
    const onDone = (): void => {
      refresh();
      onDecided();
    };
    return columnsOf(client, onDone);
  }, [client, refresh, onDecided]);
  return (
    <Panel title="Waiting for a second operator" flush>
      <QueryTable
        label="Waiting for a second operator"
        query={query}
        columns={columns}
        rowKey={({ proposalId }) => proposalId}
        empty="No proposals awaiting a second operator."
      />
    </Panel>
  );
}

function columnsOf(client: OperatorClient, onDone: () => void): readonly Column<Proposal>[] {
  return [
    { id: "id", header: "Proposal", cell: ({ proposalId }) => proposalId },
    { id: "what", header: "What", cell: ({ what }) => what },
    { id: "proposer", header: "Proposed by", cell: ({ proposer }) => proposer },
    { id: "expires", header: "Expires", cell: ({ expires }) => utcTime(expires) },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: (proposal) => (
        <span className={layout.rowActions}>
          <DecideButton client={client} proposal={proposal} decision="approved" onDone={onDone} />
          <DecideButton client={client} proposal={proposal} decision="rejected" onDone={onDone} />
        </span>
      ),
    },
  ];
}

interface DecideButtonProps {
  readonly client: OperatorClient;
  readonly proposal: Proposal;
  readonly decision: Decision;
  readonly onDone: () => void;
}

function DecideButton({ client, proposal, decision, onDone }: DecideButtonProps): ReactElement {
  const { proposalId, what, proposer } = proposal;
  const isApproval = decision === "approved";
  const verb = isApproval ? "Approve" : "Reject";
  const outcome = isApproval ? "It is done at once." : "Nothing is done.";
  const decide = async (note: string): Promise<string> => {
    await client.decideProposal({ proposalId, decision, note });
    return `Proposal ${proposalId} is ${decision}`;
  };
  return (
    <ConfirmButton
      {...(isApproval ? {} : { tone: "danger" as const })}
      asksReason={isApproval ? "optional" : true}
      label={`${verb} proposal ${proposalId}`}
      title={`${verb} proposal ${proposalId}`}
      consequence={`${proposer} wants to ${what}. ${outcome}`}
      confirm={verb}
      act={decide}
      onDone={onDone}
    >
      {verb}
    </ConfirmButton>
  );
}
