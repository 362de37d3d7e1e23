/** Realised P&L, fees and funding of the contract wallet by day: a plot and its numbers. */
import { type ReactElement, useMemo, useState } from "react";
import uPlot from "uplot";
import { type Column, DataTable } from "../components/data-table.tsx";
import { Notice, Panel } from "../components/panel.tsx";
import { Plot, type PlotOptions, plotAxis } from "../components/plot.tsx";
import { QueryView } from "../components/query-view.tsx";
import { useQuery } from "../data/query.ts";
import { rangeOf, utcDay } from "../data/utc.ts";
import { plus } from "../decimals/arithmetic.ts";
import { groupDecimal, MONEY_DECIMALS, signed, toneOf } from "../decimals/format.ts";
import { useSession } from "../session/session.tsx";
import { themeColor } from "../shell/theme.tsx";
import { fetchIncome } from "./account-history.ts";
import styles from "./account-page.module.css";
import { QUOTE } from "./equity.ts";
import { type RealisedDay, realisedDays } from "./realised-days.ts";

const DAYS = 30;

export function RealisedPanel(): ReactElement {
  const { client, apiKey } = useSession();
  const query = useQuery(apiKey === null ? null : `realised ${apiKey}`, async () => {
    const { serverTime } = await client.spot.serverTime();
    const today = utcDay(serverTime);
    const { rows, isCut } = await fetchIncome(client, rangeOf(today, DAYS));
    return { days: realisedDays(rows, QUOTE, today, DAYS), isCut };
  });
  return (
    <Panel title={`Contracts: P&L, fees and funding by day (UTC), ${QUOTE}`}>
      <QueryView what="your P&L" query={query}>
        {({ days, isCut }) => (
          <>
            {isCut ? (
              <Notice kind="empty" slim>
                Only the newest entries are counted: there are too many. Export the wallet for all.
              </Notice>
            ) : null}
            <RealisedChart days={days} />
            <DataTable
              label="P&L by day"
              columns={COLUMNS}
              rows={days.filter(isBusy).toReversed()}
              rowKey={({ date }) => date}
              empty={<Notice kind="empty">Nothing was realised in these {DAYS} days.</Notice>}
            />
          </>
        )}
      </QueryView>
    </Panel>
  );
}

const netOf = ({ realised, fees, funding }: RealisedDay): string =>
  plus(realised, plus(fees, funding));

const isBusy = ({ realised, fees, funding }: RealisedDay): boolean =>
  [realised, fees, funding].some((text) => toneOf(text) !== "plain");

function RealisedChart({ days }: { readonly days: readonly RealisedDay[] }): ReactElement {
  const [index, setIndex] = useState<number | null>(null);
  const columns = useMemo<uPlot.AlignedData>(() => {
    const nets = days.map((day) => Number(netOf(day)));
    const [gains, losses] = [
      nets.map((net) => Math.max(net, 0)),
      nets.map((net) => Math.min(net, 0)),
    ];
    return [days.map(({ date }) => Date.parse(date) / 1_000), gains, losses];
  }, [days]);
  const day = (index === null ? undefined : days[index]) ?? days.at(-1);
  return (
    <>
      {day === undefined ? null : (
        <p className={styles.hint}>
          {day.date}: net {signed(groupDecimal(netOf(day), MONEY_DECIMALS))} {QUOTE}
        </p>
      )}
      <Plot
        label={`Net P&L over ${days.length} days; see the table for the numbers`}
        className={styles.plot}
        options={realisedPlot}
        columns={columns}
        onIndex={setIndex}
      />
    </>
  );
}

const BAR_SHARE = 0.62;
const BAR_WIDTH_MAX = 32;
const AXIS_WIDTH = 64;
const HALF_DAY_S = 43_200;
const DAY_TEXT = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });

function realisedPlot(): PlotOptions {
  const axis = plotAxis();
  return {
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    // The first and the last bar stand whole.
    scales: {
      x: { time: true, range: (_, min, max) => [min - HALF_DAY_S, max + HALF_DAY_S] },
      y: {},
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_, seconds) => seconds.map((second) => DAY_TEXT.format(second * 1_000)),
      },
      { ...axis, size: AXIS_WIDTH, grid: { stroke: themeColor("--line"), width: 1 } },
    ],
    series: [{}, barsIn(themeColor("--buy")), barsIn(themeColor("--sell"))],
  };
}

function barsIn(color: string): uPlot.Series {
  const paths = uPlot.paths.bars?.({
    size: [BAR_SHARE, BAR_WIDTH_MAX],
  }) as uPlot.Series.PathBuilder;
  return { fill: color, stroke: color, width: 0, paths, points: { show: false } };
}

function money(
  id: string,
  header: string,
  read: (day: RealisedDay) => string,
): Column<RealisedDay> {
  return {
    id,
    header,
    align: "right",
    cell: (day) => (
      <span className={styles.amount} data-tone={toneOf(read(day))}>
        {signed(groupDecimal(read(day), MONEY_DECIMALS))}
      </span>
    ),
  };
}

const COLUMNS: readonly Column<RealisedDay>[] = [
  { id: "date", header: "Day", cell: ({ date }) => date },
  money("realised", "Realised P&L", ({ realised }) => realised),
  money("fees", "Fees", ({ fees }) => fees),
  money("funding", "Funding", ({ funding }) => funding),
  money("net", "Net", netOf),
];
