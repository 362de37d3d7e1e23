/** Replays of recorded markets: how far each is, and a stop. The command line brings them. */
import { type ReactElement, useMemo } from "react";
import type { ListReplaysAnswer, OperatorClient } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { ConfirmButton } from "../components/confirm-button.tsx";
import { countText } from "../components/format.ts";
import { useOperator } from "../session/operator-session.tsx";

const INTERVAL_MS = 1_000;
const COMMAND = "rialto replay book.csv.gz trades.csv.gz --symbol BTCUSDT";

type Replay = ListReplaysAnswer["items"][number];

export function ReplaysPanel(): ReactElement {
  const { client } = useOperator();
  const query = useQuery("replays", (signal) => client.listReplays({ signal }), INTERVAL_MS);
  const { refresh } = query;
  const columns = useMemo(() => columnsOf(client, refresh), [client, refresh]);
  return (
    <Panel title="Replays" flush>
      <QueryTable
        label="Replays"
        query={query}
        columns={columns}
        rowKey={({ uid }) => String(uid)}
        empty={
          <>
            No replay is running. Start one on the machine that has the files:{" "}
            <code>{COMMAND}</code>
          </>
        }
      />
    </Panel>
  );
}

function columnsOf(client: OperatorClient, onDone: () => void): readonly Column<Replay>[] {
  return [
    { id: "name", header: "Recording", cell: ({ name, uid }) => <strong>{name || uid}</strong> },
    { id: "symbol", header: "Market", cell: ({ symbol }) => symbol },
    {
      id: "progress",
      header: "Progress",
      align: "right",
      cell: ({ progress }) => `${Math.floor(progress)} %`,
    },
    {
      id: "messages",
      header: "Messages",
      align: "right",
      cell: ({ messages }) => countText(messages),
    },
    {
      id: "fills",
      header: "Users' fills",
      align: "right",
      cell: ({ testerFills }) => countText(testerFills),
    },
    { id: "quantity", header: "Filled", align: "right", cell: (row) => row.testerQuantity },
    { id: "slippage", header: "Slippage", align: "right", cell: ({ slippage }) => slippage },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: ({ uid, name }) => (
        <ConfirmButton
          label={`Stop the replay of ${name || uid}`}
          title={`Stop the replay of ${name || uid}`}
          consequence={CONSEQUENCE}
          confirm="Stop the replay"
          act={async () => {
            const { messages } = await client.endReplay({ uid });
            return `Replay stopped after ${countText(messages)} messages`;
          }}
          onDone={onDone}
        >
          Stop
        </ConfirmButton>
      ),
    },
  ];
}

const CONSEQUENCE =
  "No more messages are taken, and the command that brings them ends. Recorded orders stay in " +
  "the book; a reset or a checkpoint removes them.";
