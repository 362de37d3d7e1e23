/** Open positions: P&L, liquidation price, closing, take-profit and stop-loss. */
import { type ReactElement, useEffect, useMemo, useState } from "react";
import type { RialtoClient } from "../../../client/index.ts";
import { Button } from "../../components/button.tsx";
import type { Column } from "../../components/data-table.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useToast } from "../../components/toast.tsx";
import { compare } from "../../decimals/arithmetic.ts";
import { groupDecimal, rateText } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";
import styles from "./account.module.css";
import { useAccountQuery } from "./account-query.ts";
import { byAmount, byText, PriceCell, QuantityCell, SignedCell } from "./cells.tsx";
import { CloseDialog } from "./close-dialog.tsx";
import { markOf } from "./close-estimate.ts";
import { entryPriceOf } from "./entry-price.ts";
import { LiquidationDialog } from "./liquidation-dialog.tsx";
import { PositionDialog } from "./position-dialog.tsx";
import { type Exits, exitsText, useExits } from "./position-exits.ts";
import { fetchPositions, type PositionRow, roeOf } from "./position-rows.ts";
import { RowAction } from "./row-action.tsx";

/** P&L and liquidation prices move with the mark price. */
const INTERVAL_MS = 1_000;

const NONE: readonly PositionRow[] = [];

export interface PositionsProps {
  readonly symbol: string | null;
  /** The user asked to close the position in this market. */
  readonly isClosing: boolean;
  /** The request was taken. */
  readonly onClosing: () => void;
}

export function Positions({ symbol, isClosing, onClosing }: PositionsProps): ReactElement {
  const { client } = useSession();
  const { markets } = useMarket();
  const [editedId, setEditedId] = useState<number | null>(null);
  const query = useAccountQuery(
    "positions",
    (signal) => fetchPositions(client, markets, signal),
    INTERVAL_MS,
  );
  const all = query.answer ?? NONE;
  const rows = useMemo(
    () => (symbol === null ? all : all.filter((position) => position.symbol === symbol)),
    [all, symbol],
  );
  const [closedId, setClosedId] = useState<number | null>(null);
  const [explainedId, setExplainedId] = useState<number | null>(null);
  const exits = useExits();
  const columns = useMemo(
    () => columnsOf(exits, { edit: setEditedId, close: setClosedId, explain: setExplainedId }),
    [exits],
  );
  const positionOf = (id: number | null): PositionRow | null =>
    all.find((position) => position.id === id) ?? null;
  const edited = positionOf(editedId);
  const closed = positionOf(closedId);
  const explained = positionOf(explainedId);
  useCloseRequest(isClosing, (id) => {
    onClosing();
    setClosedId(id);
  });
  return (
    <>
      <QueryTable
        label="Positions"
        cards
        query={{ ...query, answer: query.answer === null ? null : rows }}
        columns={columns}
        rowKey={({ id }) => id}
        empty="No open positions."
        actions={
          <RowAction
            tone="danger"
            label="Close all positions in this list at market"
            confirm="Close all at market?"
            act={() => closeAll(client, symbol)}
          >
            Close all
          </RowAction>
        }
      />
      {edited === null ? null : (
        <PositionDialog
          position={edited}
          exits={exitsText(exits, edited)}
          onClose={() => setEditedId(null)}
        />
      )}
      {closed === null ? null : <CloseDialog position={closed} onClose={() => setClosedId(null)} />}
      {explained === null ? null : (
        <LiquidationDialog position={explained} all={all} onClose={() => setExplainedId(null)} />
      )}
    </>
  );
}

async function closeAll(client: RialtoClient, symbol: string | null): Promise<string> {
  const results = await client.contract.closePositions(symbol === null ? {} : { symbol });
  const failed = results.filter(({ success }) => !success);
  if (failed.length > 0) throw new Error(failed.map(({ errorMessage }) => errorMessage).join(" "));
  const { length } = results;
  return `${length === 1 ? "1 position" : `${length} positions`} closed at market`;
}

/** Chooses the largest position of the market, once for each request. */
function useCloseRequest(isClosing: boolean, choose: (id: number | null) => void): void {
  const { client } = useSession();
  const { symbol } = useMarket().rules;
  const toast = useToast();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each request
  useEffect(() => {
    if (!isClosing) return;
    // The list may not have the latest fill yet.
    client.contract.positionsOf({ symbol }).then(
      (positions) => {
        const [largest] = positions.toSorted((left, right) => compare(right.size, left.size));
        if (largest === undefined) toast(`You have no position in ${symbol}`);
        choose(largest?.id ?? null);
      },
      (error: Error) => {
        toast(error.message, "bad");
        choose(null);
      },
    );
  }, [isClosing]);
}

const PRICE_COLUMNS: readonly Column<PositionRow>[] = [
  {
    id: "symbol",
    header: "Market",
    cell: ({ symbol }) => <strong>{symbol}</strong>,
    compare: byText(({ symbol }) => symbol),
  },
  {
    id: "side",
    header: "Side",
    cell: ({ side, leverage, marginType }) => (
      <span className={styles.side} data-side={side}>
        {side === "LONG" ? "Long" : "Short"} {leverage}×{" "}
        {marginType === "CROSSED" ? "cross" : "isolated"}
      </span>
    ),
    compare: byText(({ side }) => side),
  },
  {
    id: "size",
    header: "Size",
    align: "right",
    cell: ({ symbol, size }) => <QuantityCell symbol={symbol} quantity={size} />,
    compare: byAmount(({ size }) => size),
  },
  {
    id: "entry",
    header: "Entry price",
    align: "right",
    cell: (position) => <PriceCell symbol={position.symbol} price={entryPriceOf(position)} />,
  },
  {
    id: "mark",
    header: "Mark price",
    align: "right",
    cell: (position) => <PriceCell symbol={position.symbol} price={markOf(position)} />,
  },
];

const RESULT_COLUMNS: readonly Column<PositionRow>[] = [
  {
    id: "profit",
    header: "P&L (ROE)",
    align: "right",
    cell: (position) => (
      <>
        <SignedCell text={position.unrealizePnl} places={2} />{" "}
        <span className={styles.dim}>({groupDecimal(roeOf(position), 2)}%)</span>
      </>
    ),
    compare: byAmount(({ unrealizePnl }) => unrealizePnl),
  },
  {
    id: "margin",
    header: "Margin",
    align: "right",
    cell: ({ marginSize }) => groupDecimal(marginSize, 2),
    compare: byAmount(({ marginSize }) => marginSize),
  },
  {
    id: "ratio",
    header: "Margin ratio",
    align: "right",
    cell: ({ marginState: { ratio } }) => <RatioCell ratio={ratio} />,
    compare: byAmount(({ marginState }) => marginState.ratio ?? "0"),
  },
];

/** From here on a margin ratio is a warning. */
const RATIO_WARN = "0.8";

function RatioCell({ ratio }: { readonly ratio: string | null }): ReactElement {
  if (ratio === null) return <>–</>;
  const isHigh = compare(ratio, RATIO_WARN) >= 0;
  return <span className={isHigh ? styles.warn : undefined}>{rateText(ratio)}</span>;
}

interface Actions {
  readonly edit: (id: number) => void;
  readonly close: (id: number) => void;
  readonly explain: (id: number) => void;
}

function columnsOf(exits: Exits, actions: Actions): readonly Column<PositionRow>[] {
  return [
    ...PRICE_COLUMNS,
    {
      id: "liquidation",
      header: "Liquidation",
      align: "right",
      cell: ({ id, symbol, side, liquidatePrice }) => (
        <button type="button" className={styles.explained} onClick={() => actions.explain(id)}>
          {compare(liquidatePrice, "0") === 0 ? (
            "none"
          ) : (
            <PriceCell symbol={symbol} price={liquidatePrice} />
          )}
          <span className="visually-hidden">
            {" "}
            explain the liquidation price of {symbol} {side}
          </span>
        </button>
      ),
    },
    ...RESULT_COLUMNS,
    {
      id: "exits",
      header: "TP / SL",
      align: "right",
      cell: (position) => exitsText(exits, position),
    },
    {
      id: "funding",
      header: "Funding",
      align: "right",
      cell: ({ fundingFee }) => groupDecimal(fundingFee, 4),
      compare: byAmount(({ fundingFee }) => fundingFee),
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
            onClick={() => actions.edit(position.id)}
          >
            TP/SL
          </Button>
          <Button
            size="small"
            aria-label={`Close ${position.symbol} ${position.side}`}
            onClick={() => actions.close(position.id)}
          >
            Close
          </Button>
        </span>
      ),
    },
  ];
}
