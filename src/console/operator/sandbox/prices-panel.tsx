/** Marks that are held by hand, and the index of each contract. */
import { type ReactElement, useMemo, useState } from "react";
import type { OperatorClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { FormError, fieldError } from "../../components/form-error.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useQuery } from "../../data/query.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { Badge } from "../components/badge.tsx";
import { utcTime } from "../components/format.ts";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";

const INTERVAL_MS = 2_000;
/** Contracts of a venue are few. */
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
    <Panel title="Marks and indices" flush>
      <QueryTable
        label="Prices of contracts"
        query={query}
        columns={columns}
        rowKey={({ symbol }) => symbol}
        empty="No contract is listed here."
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
      header: "Mark follows",
      cell: ({ isPinned }) =>
        isPinned ? <Badge tone="warn">held by hand</Badge> : <Badge tone="plain">its rule</Badge>,
    },
    {
      id: "index",
      header: "Index",
      align: "right",
      cell: ({ indexPrice }) => groupDecimal(indexPrice),
    },
    {
      id: "fresh",
      header: "Index set",
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
  const letGo = async (): Promise<string> => {
    const { markPrice } = await client.pinMarkPrice({ symbol, price: null });
    return `The mark of ${symbol} follows its rule again: ${groupDecimal(markPrice)}.`;
  };
  return (
    <>
      {isPinned ? (
        <Button
          size="small"
          busy={busy}
          aria-label={`Unpin mark of ${symbol}`}
          onClick={() => void run(letGo).then(onDone)}
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
    "The mark stays at this price until it is let go. Triggers fire and positions are " +
    "liquidated by it before the answer.",
  index:
    "From now on the index is what is set here, and no longer derived from the spot market. " +
    "Triggers fire and positions are liquidated before the answer; it grows stale unless it is " +
    "set again.",
} as const;

function PriceDialog({ row, kind, onClose, onDone }: PriceDialogProps): ReactElement {
  const { client } = useOperator();
  const { symbol } = row;
  const [price, setPrice] = useState(kind === "mark" ? row.markPrice : row.indexPrice);
  const { busy, error, run } = useMutation();
  const set = async (): Promise<string> => {
    if (kind === "mark") await client.pinMarkPrice({ symbol, price });
    else await client.setIndexPrice({ symbol, price });
    return `The ${kind} of ${symbol} is ${groupDecimal(price)}.`;
  };
  const submit = async (): Promise<void> => {
    if (!(await run(set))) return;
    onDone();
    onClose();
  };
  const title = kind === "mark" ? `Pin the mark of ${symbol}` : `Set the index of ${symbol}`;
  return (
    <Dialog title={title} open onClose={onClose}>
      <form
        className={layout.form}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p>{CONSEQUENCES[kind]}</p>
        <Field
          label="Price"
          inputMode="decimal"
          value={price}
          error={fieldError(error, "price")}
          onText={setPrice}
        />
        <FormError error={error} fields={["price"]} />
        <div className={layout.ends}>
          <Button onClick={onClose}>Leave it as it is</Button>
          <Button type="submit" tone="accent" busy={busy} disabled={price === ""}>
            {title}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
