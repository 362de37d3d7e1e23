/** Daily commission and volume, as chart or table. */
import { type ReactElement, useMemo, useState } from "react";
import type { AffiliateProfile, CommissionDay } from "../../../client/index.ts";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Segments } from "../../components/field.tsx";
import { Notice, Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import type { Query } from "../../data/query.ts";
import { compare } from "../../decimals/arithmetic.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { exchangeToday } from "../exchange-day.ts";
import { daysOfChart } from "./day-sums.ts";
import { DaysChart } from "./days-chart.tsx";
import styles from "./earnings-panel.module.css";

const RANGES = [
  { value: "7", text: "7 days" },
  { value: "30", text: "30 days" },
  { value: "90", text: "90 days" },
] as const;
const VIEWS = [
  { value: "chart", text: "Chart" },
  { value: "table", text: "Table" },
] as const;

export interface EarningsPanelProps {
  readonly profile: AffiliateProfile;
  readonly days: Query<readonly CommissionDay[]>;
}

export function EarningsPanel({ profile, days }: EarningsPanelProps): ReactElement {
  const [range, setRange] = useState<(typeof RANGES)[number]["value"]>("30");
  const [view, setView] = useState<(typeof VIEWS)[number]["value"]>("chart");
  const { answer } = days;
  const today = exchangeToday(profile);
  const shown = useMemo(
    () => daysOfChart(answer ?? [], today, Number(range)),
    [answer, today, range],
  );
  const first = shown[0]?.date ?? today;
  const rows = useMemo(
    () => (answer ?? []).filter(({ date }) => date >= first && date <= today).toReversed(),
    [answer, first, today],
  );
  const actions = (
    <>
      <Segments label="Period" value={range} options={RANGES} onValue={setRange} />
      <Segments label="View" value={view} options={VIEWS} onValue={setView} />
    </>
  );
  return (
    <Panel title="Commission and volume by day" actions={actions} flush>
      <QueryView what="daily figures" query={days}>
        {() =>
          view === "chart" ? (
            <DaysChart days={shown} />
          ) : (
            <div className={styles.table}>
              <DataTable
                label="Commission and volume by day"
                columns={COLUMNS}
                rows={rows}
                rowKey={({ date, productType, coin }) => `${date} ${productType} ${coin}`}
                empty={<Notice kind="empty">No commissions in this period.</Notice>}
              />
            </div>
          )
        }
      </QueryView>
    </Panel>
  );
}

const COLUMNS: readonly Column<CommissionDay>[] = [
  {
    id: "date",
    header: "Day (UTC)",
    cell: ({ date }) => date,
    compare: (left, right) => left.date.localeCompare(right.date),
  },
  {
    id: "product",
    header: "Product",
    cell: ({ productType }) => (productType === "SPOT" ? "Spot" : "Contracts"),
  },
  { id: "coin", header: "Coin", cell: ({ coin }) => coin },
  {
    id: "commissions",
    header: "Commissions",
    align: "right",
    cell: ({ commissions }) => groupDecimal(String(commissions)),
    compare: (left, right) => left.commissions - right.commissions,
  },
  {
    id: "commission",
    header: "Commission",
    align: "right",
    cell: ({ commission }) => groupDecimal(commission),
  },
  {
    id: "usdt",
    header: "In USDT",
    align: "right",
    cell: ({ commissionUsdt }) => groupDecimal(commissionUsdt),
    compare: (left, right) => compare(left.commissionUsdt, right.commissionUsdt),
  },
  {
    id: "volume",
    header: "Volume, USDT",
    align: "right",
    cell: ({ volumeUsdt }) => groupDecimal(volumeUsdt),
    compare: (left, right) => compare(left.volumeUsdt, right.volumeUsdt),
  },
];
