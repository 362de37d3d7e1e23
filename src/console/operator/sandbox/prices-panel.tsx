/** Pins mark prices and sets index prices. */
import { type ReactElement, useMemo, useState } from "react";
import type { OperatorClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Field } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useQuery } from "../../data/query.ts";
import { utcTime } from "../../data/utc.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { Badge } from "../components/badge.tsx";
import layout from "../components/layout.module.css";
import { MutationDialog } from "../components/mutation-form.tsx";
import { useOperator } from "../session/operator-session.tsx";

const INTERVAL_MS = 2_000;
/** More contracts than any exchange has. */
const LIMIT = 1_000;

interface PriceRow {
  readonly symbol: string;
  readonly markPrice: string;
  readonly isPinned: boolean;
  readonly indexPrice: string;
  readonly indexTime: number;
  readonly isStale: boolean;
}

type Kind = "mark" | "index";

export function PricesPanel(): ReactElement {
  const { client } = useOperator();
  const [edited, setEdited] = useState<{ row: PriceRow; kind: Kind } | null>(null);
  const query = useQuery("prices", (signal) => fetchPrices(client, signal), INTERVAL_MS);
  const { refresh } = query;
  const columns = useMemo(() => columnsOf(client, setEdited, refresh), [client, refresh]);
  return (
    <Panel title="Mark and index prices" flush>
      <QueryTable
        label="Contract prices"
        query={query}
        columns={columns}
        rowKey={({ symbol }) => symbol}
        empty="No contracts listed."
      />
      {edited === null ? null : (
        <PriceDialog {...edited} onClose={() => setEdited(null)} onDone={refresh} />
      )}
    </Panel>
  );
}

async function fetchPrices(client: OperatorClient, signal: AbortSignal): Promise<PriceRow[]> {
  const [marks, indices] = await Promise.all([
    client.listMarkPrices({ limit: LIMIT }, { signal }),
    client.listIndexPrices({ limit: LIMIT }, { signal }),
  ]);
  const indexBySymbol = new Map(indices.items.map((index) => [index.symbol, index]));
  return marks.items.map(({ symbol, price, markPrice }) => {
    const index = indexBySymbol.get(symbol);
    return {
      symbol,
      markPrice,
      isPinned: price !== null,
      indexPrice: index?.price ?? "0",
      indexTime: index?.time ?? 0,
      isStale: index?.isStale ?? true,
    };
  });
}

function columnsOf(
  client: OperatorClient,
  onEdit: (edited: { row: PriceRow; kind: Kind }) => void,
  onDone: () => void,
): readonly Column<PriceRow>[] {
  return [
    { id: "symbol", header: "Contract", cell: ({ symbol }) => <strong>{symbol}</strong> },
    {
      id: "mark",
      header: "Mark",
      align: "right",
      cell: ({ markPrice }) => groupDecimal(markPrice),
    },
    {
      id: "held",
      header: "Mark source",
      cell: ({ isPinned }) =>
        isPinned ? <Badge tone="warn">pinned</Badge> : <Badge tone="plain">calculated</Badge>,
    },
    {
      id: "index",
      header: "Index",
      align: "right",
      cell: ({ indexPrice }) => groupDecimal(indexPrice),
    },
    {
      id: "fresh",
      header: "Index updated",
      cell: ({ indexTime, isStale }) =>
        isStale ? <Badge tone="bad">stale</Badge> : utcTime(indexTime),
    },
    {
      id: "actions",
      header: <span className="visually-hidden">Actions</span>,
      align: "right",
      pinned: true,
      cell: (row) => (
        <span className={layout.rowActions}>
          <PinAction row={row} client={client} onEdit={onEdit} onDone={onDone} />
          <Button
            size="small"
            aria-label={`Set index of ${row.symbol}`}
            onClick={() => onEdit({ row, kind: "index" })}
          >
            Set index
          </Button>
        </span>
      ),
    },
  ];
}

interface PinActionProps {
  readonly row: PriceRow;
  readonly client: OperatorClient;
  readonly onEdit: (edited: { row: PriceRow; kind: Kind }) => void;
  readonly onDone: () => void;
}

function PinAction({ row, client, onEdit, onDone }: PinActionProps): ReactElement {
  const { run, busy } = useMutation();
  const { symbol, isPinned } = row;
  const unpin = async (): Promise<string> => {
    const { markPrice } = await client.pinMarkPrice({ symbol, price: null });
    return `Mark price of ${symbol} unpinned: ${groupDecimal(markPrice)}`;
  };
  return (
    <>
      {isPinned ? (
        <Button
          size="small"
          busy={busy}
          aria-label={`Unpin mark of ${symbol}`}
          onClick={() => void run(unpin).then(onDone)}
        >
          Unpin
        </Button>
      ) : null}
      <Button
        size="small"
        aria-label={`Pin mark of ${symbol}`}
        onClick={() => onEdit({ row, kind: "mark" })}
      >
        Pin mark
      </Button>
    </>
  );
}

interface PriceDialogProps {
  readonly row: PriceRow;
  readonly kind: Kind;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

const CONSEQUENCES = {
  mark:
    "The mark price stays at this value until you unpin it. " +
    "Triggers and liquidations run against it immediately.",
  index:
    "The index price no longer follows the spot market, and goes stale unless you keep " +
    "setting it. Triggers and liquidations run against it immediately.",
} as const;

function PriceDialog({ row, kind, onClose, onDone }: PriceDialogProps): ReactElement {
  const { client } = useOperator();
  const { symbol } = row;
  const [price, setPrice] = useState(kind === "mark" ? row.markPrice : row.indexPrice);
  const set = async (): Promise<string> => {
    if (kind === "mark") await client.pinMarkPrice({ symbol, price });
    else await client.setIndexPrice({ symbol, price });
    return `${kind === "mark" ? "Mark" : "Index"} price of ${symbol} set to ${groupDecimal(price)}`;
  };
  const title = kind === "mark" ? `Pin mark price of ${symbol}` : `Set index price of ${symbol}`;
  return (
    <MutationDialog
      title={title}
      submit={title}
      disabled={price === ""}
      act={set}
      onClose={onClose}
      onDone={onDone}
    >
      {(errorOf) => (
        <>
          <p>{CONSEQUENCES[kind]}</p>
          <Field
            label="Price"
            inputMode="decimal"
            value={price}
            error={errorOf("price")}
            onText={setPrice}
          />
        </>
      )}
    </MutationDialog>
  );
}
