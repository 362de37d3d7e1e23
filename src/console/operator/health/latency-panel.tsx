/** How long things take: how many observations fell into each bucket, and p50 and p99 of them. */
import { type ReactElement, useState } from "react";
import { Segments } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { countText, latencyText } from "../parts/format.ts";
import styles from "./health.module.css";
import type { HealthSample } from "./health-sample.ts";
import { bucketCounts, type Histogram, observations, quantile, since } from "./histogram.ts";

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

export function LatencyPanel({ samples }: { readonly samples: readonly HealthSample[] }) {
  const [window, setWindow] = useState<Window>("minute");
  const rows = rowsOf(samples, window);
  return (
    <Panel
      flush
      title="Latency"
      actions={<Segments label="Observed" value={window} options={WINDOWS} onValue={setWindow} />}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled by keyboard as well */}
      <section className={styles.scroll} aria-label="Latency by kind" tabIndex={0}>
        <table className={styles.latency}>
          <thead>
            <tr>
              <th scope="col">What</th>
              <th scope="col" data-align="right">
                Count
              </th>
              <th scope="col" data-align="right">
                p50
              </th>
              <th scope="col" data-align="right">
                p99
              </th>
              <th scope="col">Spread, 100 µs to 1 s</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <LatencyRow key={row.name} {...row} />
            ))}
          </tbody>
        </table>
      </section>
    </Panel>
  );
}

function LatencyRow({ name, histogram }: Row): ReactElement {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td data-align="right">{countText(observations(histogram))}</td>
      <td data-align="right">{quantileText(histogram, 0.5)}</td>
      <td data-align="right">{quantileText(histogram, 0.99)}</td>
      <td>
        <Bars histogram={histogram} />
      </td>
    </tr>
  );
}

/** One bar a bucket; the numbers beside it say the same. */
function Bars({ histogram }: { readonly histogram: Histogram }): ReactElement {
  const counts = bucketCounts(histogram);
  const highest = Math.max(...counts, 1);
  const width = 10;
  return (
    <svg
      className={styles.bars}
      viewBox={`0 0 ${counts.length * width} 24`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {counts.map((count, i) => {
        const height = count === 0 ? 1 : Math.max(2, (24 * count) / highest);
        const bound = histogram[i]?.bound ?? 0;
        return (
          <rect
            key={bound}
            x={i * width + 1}
            y={24 - height}
            width={width - 2}
            height={height}
            data-empty={count === 0 || undefined}
          />
        );
      })}
    </svg>
  );
}

function quantileText(histogram: Histogram, share: number): string {
  const seconds = quantile(histogram, share);
  if (seconds === null) return "–";
  const lastBound = histogram.at(-2)?.bound ?? 0;
  return `${seconds >= lastBound ? "≥ " : ""}${latencyText(seconds)}`;
}

/** Commits and requests first, then the routes that are asked most. */
function rowsOf(samples: readonly HealthSample[], window: Window): readonly Row[] {
  const last = samples.at(-1);
  if (last === undefined) return [];
  const first = samples.find(({ takenMs }) => takenMs >= last.takenMs - MINUTE_MS) ?? last;
  const cut = (now: Histogram, before: Histogram | undefined): Histogram =>
    window === "start" ? now : since(now, before ?? []);
  const routes = [...last.requestsByRoute]
    .map(([name, now]) => ({ name, histogram: cut(now, first.requestsByRoute.get(name)) }))
    .sort((one, other) => observations(other.histogram) - observations(one.histogram))
    .slice(0, ROUTES_MAX);
  return [
    { name: "Commit to disk", histogram: cut(last.commit, first.commit) },
    { name: "All requests", histogram: cut(last.requests, first.requests) },
    ...routes.filter(({ histogram }) => observations(histogram) > 0),
  ];
}
