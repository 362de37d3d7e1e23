/** Latencies of commits, of all requests, and of each route. */
import { type ReactElement, useState } from "react";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Segments } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { countText, latencyText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import styles from "./health.module.css";
import type { HealthSample } from "./health-sample.ts";
import { type Histogram, observations, quantile, quantileText, since } from "./histogram.ts";
import { HistogramChart } from "./histogram-chart.tsx";

const MINUTE_MS = 60_000;
const ROUTES_MAX = 12;

type Window = "minute" | "start";
const WINDOWS = [
  { value: "minute", text: "Last minute" },
  { value: "start", text: "Since start" },
] as const;

interface Row {
  readonly name: string;
  readonly histogram: Histogram;
}

export function LatencyPanel(props: { readonly samples: readonly HealthSample[] }): ReactElement {
  const [window, setWindow] = useState<Window>("minute");
  const { commit, requests, routes } = latenciesOf(props.samples, window);
  return (
    <Panel
      flush
      title="Latency"
      actions={<Segments label="Period" value={window} options={WINDOWS} onValue={setWindow} />}
    >
      <div className={styles.histograms}>
        <HistogramChart name="Commit to disk" histogram={commit} />
        <HistogramChart name="All requests" histogram={requests} />
      </div>
      <DataTable
        label="Latency by route"
        columns={COLUMNS}
        rows={routes}
        rowKey={({ name }) => name}
        empty={<p className={layout.note}>No requests in this period.</p>}
      />
    </Panel>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { id: "route", header: "Requests by route", cell: ({ name }) => name },
  {
    id: "count",
    header: "Count",
    align: "right",
    cell: ({ histogram }) => countText(observations(histogram)),
    compare: (one, other) => observations(one.histogram) - observations(other.histogram),
  },
  {
    id: "p50",
    header: "p50",
    align: "right",
    cell: ({ histogram }) => quantileText(histogram, 0.5, latencyText),
    compare: (one, other) => orderOf(one, 0.5) - orderOf(other, 0.5),
  },
  {
    id: "p99",
    header: "p99",
    align: "right",
    cell: ({ histogram }) => quantileText(histogram, 0.99, latencyText),
    compare: (one, other) => orderOf(one, 0.99) - orderOf(other, 0.99),
  },
];

function orderOf({ histogram }: Row, share: number): number {
  return quantile(histogram, share) ?? 0;
}

interface Latencies {
  readonly commit: Histogram;
  readonly requests: Histogram;
  /** Busiest first. */
  readonly routes: readonly Row[];
}

function latenciesOf(samples: readonly HealthSample[], window: Window): Latencies {
  const last = samples.at(-1);
  if (last === undefined) return { commit: [], requests: [], routes: [] };
  const first = samples.find(({ takenMs }) => takenMs >= last.takenMs - MINUTE_MS) ?? last;
  const cut = (now: Histogram, before: Histogram | undefined): Histogram =>
    window === "start" ? now : since(now, before ?? []);
  const routes = [...last.requestsByRoute]
    .map(([name, now]) => ({ name, histogram: cut(now, first.requestsByRoute.get(name)) }))
    .filter(({ histogram }) => observations(histogram) > 0)
    .sort((one, other) => observations(other.histogram) - observations(one.histogram))
    .slice(0, ROUTES_MAX);
  return {
    commit: cut(last.commit, first.commit),
    requests: cut(last.requests, first.requests),
    routes,
  };
}
