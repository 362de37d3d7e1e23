/** Open positions: P&L, liquidation price, closing, take-profit and stop-loss. */
import { type ReactElement, useMemo, useState } from "react";
import type { Position } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { compare, dividedDown, times } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import styles from "./account.module.css";
import { useAccountQuery } from "./account-query.ts";
import { AverageCell, SignedCell } from "./cells.tsx";
import { CloseDialog } from "./close-dialog.tsx";
import { markOf } from "./close-estimate.ts";
import { entryPriceOf } from "./entry-price.ts";
import { PositionDialog } from "./position-dialog.tsx";
import { type Exits, exitsText, useExits } from "./position-exits.ts";
import { RowAction } from "./row-action.tsx";

/** P&L and liquidation prices move with the mark price. */
const INTERVAL_MS = 1_000;

export function Positions({ symbol }: { readonly symbol: string | null }): ReactElement {
  const { client } = useSession();
  const [editedId, setEditedId] = useState<number | null>(null);
  const query = useAccountQuery<readonly Position[]>(
    `positions ${symbol}`,
    (signal) =>
      symbol === null
        ? client.contract.positions({ signal })
        : client.contract.positionsOf({ symbol }, { signal }),
    INTERVAL_MS,
  );
  const [closedId, setClosedId] = useState<number | null>(null);
  const exits = useExits();
  const columns = useMemo(() => columnsOf(exits, setEditedId, setClosedId), [exits]);
  const positionOf = (id: number | null): Position | null =>
    query.answer?.find((position) => position.id === id) ?? null;
  const [edited, closed] = [positionOf(editedId), positionOf(closedId)];
  const closeAll = async (): Promise<string> => {
    const results = await client.contract.closePositions(symbol === null ? {} : { symbol });
    const failed = results.filter(({ success }) => !success);
    if (failed.length > 0)
      throw new Error(failed.map(({ errorMessage }) => errorMessage).join(" "));
    const { length } = results;
    const closed = length === 1 ? "1 position" : `${length} positions`;
    return `${closed} closed at market`;
  };
  return (
    <>
      <QueryTable
        label="Positions"
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        empty="No open positions."
        actions={
          <RowAction
            tone="danger"
            label="Close all positions in this list at market"
            confirm="Close all at market?"
            act={closeAll}
          >
            Close all
          </RowAction>
        }
      />
      {edited === null ? null : (
        <PositionDialog position={edited} onClose={() => setEditedId(null)} />
      )}
      {closed === null ? null : <CloseDialog position={closed} onClose={() => setClosedId(null)} />}
    </>
  );
}

function returnOf({ unrealizePnl, marginSize }: Position): string {
  if (compare(marginSize, "0") === 0) return "0";
  return dividedDown(times(unrealizePnl, "100"), marginSize, 2);
}

const FIGURE_COLUMNS: readonly Column<Position>[] = [
  { id: "symbol", header: "Market", cell: ({ symbol }) => <strong>{symbol}</strong> },
  {
    id: "side",
    header: "Side",
    cell: ({ side, leverage, marginType }) => (
      <span className={styles.side} data-side={side}>
        {side === "LONG" ? "Long" : "Short"} {leverage}×{" "}
        {marginType === "CROSSED" ? "cross" : "isolated"}
      </span>
    ),
  },
  { id: "size", header: "Size", align: "right", cell: ({ size }) => groupDecimal(size) },
  {
    id: "entry",
    header: "Entry price",
    align: "right",
    cell: (position) => <AverageCell symbol={position.symbol} price={entryPriceOf(position)} />,
  },
  {
    id: "mark",
    header: "Mark price",
    align: "right",
    cell: (position) => <AverageCell symbol={position.symbol} price={markOf(position)} />,
  },
  {
    id: "liquidation",
    header: "Liquidation price",
    align: "right",
    cell: ({ liquidatePrice }) =>
      compare(liquidatePrice, "0") === 0 ? "none" : groupDecimal(liquidatePrice),
  },
  {
    id: "margin",
    header: "Margin",
    align: "right",
    cell: ({ marginSize }) => groupDecimal(marginSize, 4),
  },
  {
    id: "profit",
    header: "Unrealised P&L",
    align: "right",
    cell: (position) => (
      <>
        <SignedCell text={position.unrealizePnl} />{" "}
        <span className={styles.dim}>({groupDecimal(returnOf(position), 2)}%)</span>
      </>
    ),
    compare: (left, right) => compare(left.unrealizePnl, right.unrealizePnl),
  },
  {
    id: "funding",
    header: "Funding paid",
    align: "right",
    cell: ({ fundingFee }) => groupDecimal(fundingFee),
  },
];

function columnsOf(
  exits: Exits,
  onEdit: (id: number) => void,
  onClose: (id: number) => void,
): readonly Column<Position>[] {
  return [
    ...FIGURE_COLUMNS,
    {
      id: "exits",
      header: "TP / SL",
      align: "right",
      cell: (position) => exitsText(exits, position),
    },
    {
      id: "actions",
      header: "",
      align: "right",
      pinned: true,
      cell: (position) => (
        <span className={styles.buttons}>
          <Button
            size="small"
            aria-label={`Edit TP/SL and margin of ${position.symbol} ${position.side}`}
            onClick={() => onEdit(position.id)}
          >
            TP/SL
          </Button>
          <Button
            size="small"
            aria-label={`Close ${position.symbol} ${position.side}`}
            onClick={() => onClose(position.id)}
          >
            Close
          </Button>
        </span>
      ),
    },
  ];
}
