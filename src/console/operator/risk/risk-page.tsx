/** Insurance funds, open interest, and positions near liquidation. */
import { type ReactElement, useMemo, useState } from "react";
import { Link } from "wouter";
import type { ListOpenInterestAnswer, ListPositionsAnswer } from "../../../client/index.ts";
import type { Column } from "../../components/data-table.tsx";
import { Choice } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { QueryTable } from "../../components/query-view.tsx";
import { useQuery } from "../../data/query.ts";
import { times } from "../../decimals/arithmetic.ts";
import { groupDecimal, rateText, toneOf } from "../../decimals/format.ts";
import { Badge } from "../components/badge.tsx";
import layout from "../components/layout.module.css";
import { useOperator } from "../session/operator-session.tsx";
import { InsurancePanel } from "./insurance-panel.tsx";
import styles from "./risk-page.module.css";

type Interest = ListOpenInterestAnswer["items"][number];
type Position = ListPositionsAnswer["items"][number];

/** Each request scans all positions. */
const POSITIONS_INTERVAL_MS = 5_000;
const POSITIONS_LIMIT = 200;
const INTEREST_INTERVAL_MS = 2_000;
const LIMIT = 1_000;
const ALL = "";

export function RiskPage(): ReactElement {
  const { client } = useOperator();
  const query = useQuery(
    "open-interest",
    (signal) => client.listOpenInterest({ limit: LIMIT }, { signal }),
    INTEREST_INTERVAL_MS,
  );
  const symbols = useMemo(
    () => query.answer?.items.map(({ symbol }) => symbol) ?? [],
    [query.answer],
  );
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Risk</h1>
      <div className={layout.columns}>
        <InsurancePanel />
        <Panel title="Open interest" flush>
          <QueryTable
            label="Open interest"
            query={query}
            columns={INTEREST_COLUMNS}
            rowKey={({ symbol }) => symbol}
            empty="No contracts listed."
          />
        </Panel>
      </div>
      <PositionsPanel symbols={symbols} />
    </div>
  );
}

const INTEREST_COLUMNS: readonly Column<Interest>[] = [
  { id: "symbol", header: "Contract", cell: ({ symbol }) => <strong>{symbol}</strong> },
  {
    id: "size",
    header: "Open interest",
    align: "right",
    cell: ({ openInterest }) => groupDecimal(openInterest),
  },
  {
    id: "value",
    header: "Value at mark",
    align: "right",
    cell: ({ openInterest, markPrice }) => groupDecimal(times(openInterest, markPrice), 2),
  },
  {
    id: "mark",
    header: "Mark",
    align: "right",
    cell: ({ markPrice }) => groupDecimal(markPrice),
  },
  {
    id: "index",
    header: "Index",
    align: "right",
    cell: ({ indexPrice, isStale }) => (
      <>
        {groupDecimal(indexPrice)} {isStale ? <Badge tone="bad">stale</Badge> : null}
      </>
    ),
  },
];

function PositionsPanel({ symbols }: { readonly symbols: readonly string[] }): ReactElement {
  const { client } = useOperator();
  const [symbol, setSymbol] = useState(ALL);
  const query = useQuery(
    `positions ${symbol}`,
    (signal) =>
      client.listPositions(
        { limit: POSITIONS_LIMIT, ...(symbol === ALL ? {} : { symbol }) },
        { signal },
      ),
    POSITIONS_INTERVAL_MS,
  );
  const options = [
    { value: ALL, text: "All contracts" },
    ...symbols.map((value) => ({ value, text: value })),
  ];
  return (
    <Panel
      title="Positions, nearest to liquidation first"
      flush
      actions={
        <Choice
          label="Contract"
          showLabel={false}
          value={symbol}
          options={options}
          onValue={setSymbol}
        />
      }
    >
      <QueryTable
        label="Positions near liquidation"
        query={query}
        columns={POSITION_COLUMNS}
        rowKey={({ id }) => id}
        empty="No open positions."
      />
      {(query.answer?.items.length ?? 0) < POSITIONS_LIMIT ? null : (
        <p className={layout.note}>Showing the {POSITIONS_LIMIT} nearest to liquidation.</p>
      )}
    </Panel>
  );
}

const POSITION_COLUMNS: readonly Column<Position>[] = [
  {
    id: "distance",
    header: "To liquidation",
    align: "right",
    cell: ({ distance }) =>
      distance === null ? (
        <Badge tone="plain">none</Badge>
      ) : (
        <Badge tone={urgency(distance)}>{distanceText(distance)}</Badge>
      ),
  },
  { id: "uid", header: "User", cell: ({ uid }) => <Link href={`/users/${uid}`}>{uid}</Link> },
  { id: "symbol", header: "Contract", cell: ({ symbol }) => symbol },
  {
    id: "side",
    header: "Side",
    cell: ({ side, leverage }) => (
      <span className={styles.tone} data-tone={side === "LONG" ? "buy" : "sell"}>
        {side === "LONG" ? "Long" : "Short"} {leverage}×
      </span>
    ),
  },
  {
    id: "margin",
    header: "Margin",
    cell: ({ marginType }) => (marginType === "CROSSED" ? "Cross" : "Isolated"),
  },
  { id: "size", header: "Size", align: "right", cell: ({ size }) => groupDecimal(size) },
  {
    id: "value",
    header: "Value at mark",
    align: "right",
    cell: ({ value, marginAsset }) => `${groupDecimal(value, 2)} ${marginAsset}`,
  },
  {
    id: "mark",
    header: "Mark",
    align: "right",
    cell: ({ markPrice }) => groupDecimal(markPrice),
  },
  {
    id: "liquidation",
    header: "Liquidation",
    align: "right",
    cell: ({ liquidatePrice }) => (liquidatePrice === "0" ? "–" : groupDecimal(liquidatePrice)),
  },
  {
    id: "pnl",
    header: "Unrealised P&L",
    align: "right",
    cell: ({ unrealizePnl }) => (
      <span className={styles.tone} data-tone={toneOf(unrealizePnl)}>
        {groupDecimal(unrealizePnl, 2)}
      </span>
    ),
  },
];

/** Beyond ten times the mark the number is meaningless. */
function distanceText(distance: string): string {
  return Number(distance) >= 10 ? "over 1000%" : rateText(distance);
}

/** For the colour only. */
function urgency(distance: string): "bad" | "warn" | "good" {
  const share = Number(distance);
  if (share < 0.02) return "bad";
  return share < 0.1 ? "warn" : "good";
}
