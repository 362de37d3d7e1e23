/** The cluster: who leads, how far each node is, which PostgreSQL counts; and giving the lead. */
import { type ReactElement, useMemo } from "react";
import type { GetClusterAnswer } from "../../../client/index.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Figure, Figures } from "../../components/figures.tsx";
import { Notice, Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { Badge } from "../components/badge.tsx";
import { ConfirmButton } from "../components/confirm-button.tsx";
import { countText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { mayCall } from "../components/may-call.ts";
import { useOperator } from "../session/operator-session.tsx";
import { clusterWarnings } from "./cluster-warnings.ts";

const REFRESH_MS = 1_000;

type NodeRow = GetClusterAnswer["nodes"][number];
type PostgresRow = GetClusterAnswer["postgres"][number];

export function ClusterPage(): ReactElement {
  const { client } = useOperator();
  const query = useQuery("cluster", (signal) => client.getCluster({ signal }), REFRESH_MS);
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Cluster</h1>
      <QueryView what="the cluster" query={query}>
        {(cluster) => <Cluster cluster={cluster} onChange={query.refresh} />}
      </QueryView>
    </div>
  );
}

interface ClusterProps {
  readonly cluster: GetClusterAnswer;
  readonly onChange: () => void;
}

function Cluster({ cluster, onChange }: ClusterProps): ReactElement {
  const { client, role } = useOperator();
  const { epoch, generation, leader, nodes, postgres, quorum } = cluster;
  const mayPromote = mayCall(role, "promoteNode");
  const columns = useMemo(() => {
    const promote = async (node: string): Promise<string> => {
      const promoted = await client.promoteNode({ node });
      return `${promoted.leader} leads, in epoch ${promoted.epoch}`;
    };
    return nodeColumns(mayPromote ? promote : null, onChange);
  }, [client, mayPromote, onChange]);
  const warnings = clusterWarnings(cluster);
  return (
    <>
      {warnings.length === 0 ? null : (
        <Panel label="Warnings">
          {warnings.map((warning) => (
            <Notice key={warning} kind="error">
              {warning}
            </Notice>
          ))}
        </Panel>
      )}
      <Panel title="Cluster">
        <Figures label="Cluster" shape="line">
          <Figure name="Leader">{leader ?? "none"}</Figure>
          <Figure name="Quorum">{quorum ? "yes" : "no"}</Figure>
          <Figure name="Generation" note="grows with each change of PostgreSQL's members">
            {countText(generation)}
          </Figure>
          <Figure name="Epoch" note="grows with each takeover">
            {countText(epoch)}
          </Figure>
        </Figures>
      </Panel>
      <Panel title="Nodes" flush>
        <DataTable
          label="Nodes"
          columns={columns}
          rows={nodes}
          rowKey={({ node }) => node}
          empty="No nodes."
        />
      </Panel>
      <Panel title="PostgreSQL" flush>
        <DataTable
          label="PostgreSQL"
          columns={POSTGRES_COLUMNS}
          rows={postgres}
          rowKey={({ name }) => name}
          empty="No nodes of PostgreSQL."
        />
      </Panel>
    </>
  );
}

/** `promote` is null for roles that may not. */
function nodeColumns(
  promote: ((node: string) => Promise<string>) | null,
  onChange: () => void,
): readonly Column<NodeRow>[] {
  const columns: Column<NodeRow>[] = [
    { id: "node", header: "Node", cell: ({ node }) => node },
    { id: "role", header: "Role", cell: ({ role }) => <Badge tone={toneOf(role)}>{role}</Badge> },
    {
      id: "sequence",
      header: "Sequence",
      align: "right",
      cell: ({ appliedSequence }) => countText(appliedSequence),
    },
    {
      id: "lag",
      header: "Lag",
      align: "right",
      cell: ({ lagMs, role }) => (role === "down" ? "–" : `${countText(lagMs)} ms`),
    },
    {
      id: "confirmed",
      header: "Confirmed",
      cell: ({ confirmed }) => <YesNo is={confirmed} />,
    },
    { id: "rules", header: "Rules", align: "right", cell: ({ rules }) => rules },
    { id: "version", header: "Version", cell: ({ version }) => version },
    {
      id: "url",
      header: "URL",
      cell: ({ url }) => (
        <span className={layout.clip} title={url}>
          {url}
        </span>
      ),
    },
  ];
  if (promote === null) return columns;
  const actions: Column<NodeRow> = {
    id: "actions",
    header: <span className="visually-hidden">Actions</span>,
    pinned: true,
    cell: ({ node, role }) =>
      role === "follower" ? (
        <ConfirmButton
          label={`Promote ${node}`}
          title={`Give the lead to ${node}?`}
          consequence={
            <p>
              The present leader answers what it has taken, hands over and follows. Orders wait for
              about a second.
            </p>
          }
          confirm={`Promote ${node}`}
          act={() => promote(node)}
          onDone={onChange}
        >
          Promote
        </ConfirmButton>
      ) : null,
  };
  return [...columns, actions];
}

const POSTGRES_COLUMNS: readonly Column<PostgresRow>[] = [
  { id: "name", header: "PostgreSQL", cell: ({ name }) => name },
  { id: "role", header: "Role", cell: ({ role }) => <Badge tone={toneOf(role)}>{role}</Badge> },
  {
    id: "timeline",
    header: "Timeline",
    align: "right",
    cell: ({ timeline }) => (timeline === null ? "–" : countText(timeline)),
  },
  { id: "sync", header: "Counts for commits", cell: ({ sync }) => <YesNo is={sync} /> },
];

function YesNo({ is }: { readonly is: boolean }): ReactElement {
  return <Badge tone={is ? "good" : "bad"}>{is ? "yes" : "no"}</Badge>;
}

function toneOf(role: NodeRow["role"] | PostgresRow["role"]): "good" | "bad" | "plain" {
  if (role === "down") return "bad";
  return role === "leader" || role === "primary" ? "good" : "plain";
}
