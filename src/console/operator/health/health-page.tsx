/** The exchange's health: rate, lags, queues, latencies, snapshots and state. */
import type { ReactElement, ReactNode } from "react";
import { Figure, Figures } from "../../components/figures.tsx";
import { Notice, Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { utcTime } from "../../data/utc.ts";
import { bytesText, countText, latencyText, spanText } from "../components/format.ts";
import layout from "../components/layout.module.css";
import styles from "./health.module.css";
import { useHealth } from "./health-feed.tsx";
import { commandsPerSecond, type HealthSample, type TrendSample } from "./health-sample.ts";
import { quantile, since } from "./histogram.ts";
import { LatencyPanel } from "./latency-panel.tsx";
import { SnapshotPanel } from "./snapshot-panel.tsx";
import { ageMs, type Snapshot, useSnapshots } from "./snapshots.ts";
import { Sparkline } from "./sparkline.tsx";
import { TrendPanels } from "./trend-panels.tsx";

/** What the rate covers. */
const RATE_MS = 10_000;

export function HealthPage(): ReactElement {
  const { samples, trend, error, refresh } = useHealth();
  const snapshots = useSnapshots();
  const last = samples.at(-1) ?? null;
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Health</h1>
      <QueryView what="health data" query={{ answer: last, error, refresh }}>
        {(now) => (
          <>
            <Warnings now={now} />
            <Cards now={now} samples={samples} trend={trend} snapshots={snapshots.answer} />
            <TrendPanels samples={trend} />
            <div className={layout.columns}>
              <LatencyPanel samples={samples} />
              <div className={styles.stack}>
                <SnapshotPanel sequence={now.status.sequence} query={snapshots} />
                <Counts now={now} />
              </div>
            </div>
          </>
        )}
      </QueryView>
    </div>
  );
}

function Warnings({ now }: { readonly now: HealthSample }): ReactElement | null {
  if (!now.isJournalNearlyFull) return null;
  return (
    <Panel label="Warnings">
      <Notice kind="error">
        The journal disk is nearly full. New commands are rejected until space is freed.
      </Notice>
    </Panel>
  );
}

interface CardsProps {
  readonly now: HealthSample;
  readonly samples: readonly HealthSample[];
  readonly trend: readonly TrendSample[];
  /** Null before the first answer. */
  readonly snapshots: readonly Snapshot[] | null;
}

function Cards({ now, samples, trend, snapshots }: CardsProps): ReactElement {
  const before = trend.findLast(({ takenMs }) => takenMs <= now.takenMs - RATE_MS) ?? now;
  const rate = commandsPerSecond(before, now);
  const p99 = quantile(since(now.commit, before.commit), 0.99);
  const between = <Value,>(value: (one: TrendSample, other: TrendSample) => Value): Value[] =>
    trend.slice(1).map((sample, i) => value(trend[i] as TrendSample, sample));
  return (
    <div className={styles.cards}>
      <Card
        name="Sequence"
        value={countText(now.status.sequence)}
        note={rate === null ? "rate not available yet" : `${rate.toFixed(1)} commands/s`}
        values={between((one, other) => commandsPerSecond(one, other) ?? 0)}
      />
      <Card
        name="Commit p99"
        value={p99 === null ? "–" : latencyText(p99)}
        note={p99 === null ? "no writes in 10 s" : "last 10 s"}
        values={between((one, other) => quantile(since(other.commit, one.commit), 0.99) ?? 0)}
      />
      <Card
        name="Command queue"
        value={countText(now.queueDepth)}
        note="waiting for the sequencer"
        values={trend.map(({ queueDepth }) => queueDepth)}
      />
      <Card
        name="Journal lag"
        value={countText(journalLag(now))}
        note="commands not yet on disk"
        values={samples.map(journalLag)}
      />
      <Card
        name="History lag"
        value={`${countText(now.historyLag)}`}
        note={`commands, ${bytesText(now.historyBacklogBytes)} queued`}
        values={trend.map(({ historyLag }) => historyLag)}
      />
      <SnapshotCard now={now} snapshots={snapshots} />
      <Card
        name="Stream connections"
        value={countText(now.streamConnections)}
        note="open now"
        values={trend.map(({ streamConnections }) => streamConnections)}
      />
      <Card
        name="Memory"
        value={bytesText(now.residentBytes)}
        note={`resident; uptime ${spanText(now.uptimeMs)}`}
        values={trend.map(({ residentBytes }) => residentBytes)}
      />
    </div>
  );
}

interface CardProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly note: ReactNode;
  /** The last half hour, for a sparkline. */
  readonly values?: readonly number[];
}

function Card({ name, value, note, values }: CardProps): ReactElement {
  return (
    <section className={styles.card} aria-label={name}>
      <h2 className={styles.cardName}>{name}</h2>
      <div className={styles.cardValue}>{value}</div>
      <div className={styles.cardNote}>{note}</div>
      <Sparkline values={values ?? []} />
    </section>
  );
}

/** Commands applied but not yet confirmed on disk. */
function journalLag({ status, durableSequence }: HealthSample): number {
  return Math.max(0, status.sequence - durableSequence);
}

function SnapshotCard({ now, snapshots }: Pick<CardsProps, "now" | "snapshots">): ReactElement {
  const newest = snapshots?.[0];
  if (newest === undefined) {
    const note = snapshots === null ? "loading" : "none yet; a restart replays the whole journal";
    return <Card name="Snapshot age" value="–" note={note} />;
  }
  const commands = Math.max(0, now.status.sequence - newest.sequence);
  return (
    <Card
      name="Snapshot age"
      value={spanText(ageMs(newest))}
      note={`${countText(commands)} commands since`}
    />
  );
}

function Counts({ now }: { readonly now: HealthSample }): ReactElement {
  const { status } = now;
  const rows: readonly (readonly [string, string])[] = [
    ["Exchange time", utcTime(status.time)],
    ["Ahead of wall clock", spanText(status.clockOffsetMs)],
    ["Version, rules", `${now.version}, rules ${status.rulesVersion}`],
    ["Users", countText(status.users)],
    ["API keys", countText(status.apiKeys)],
    ["Markets", `${status.spotMarkets} spot, ${status.contractMarkets} contract`],
    [
      "Open orders",
      `${countText(status.openOrders)} spot, ${countText(status.contractOpenOrders)} contract`,
    ],
    ["Conditional orders", countText(status.algoOrders)],
    ["Open positions", countText(status.positions)],
    ["Client order IDs kept", countText(status.rememberedClientOrderIds)],
  ];
  return (
    <Panel title="Exchange state">
      <Figures label="Exchange state" shape="rows">
        {rows.map(([name, text]) => (
          <Figure key={name} name={name}>
            {text}
          </Figure>
        ))}
      </Figures>
    </Panel>
  );
}
