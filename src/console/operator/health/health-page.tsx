/** Whether the venue is well: rate, lags, queues, latencies, snapshots, and what it holds. */
import type { ReactElement, ReactNode } from "react";
import { Figure, Figures } from "../../components/figures.tsx";
import { Notice, Panel } from "../../components/panel.tsx";
import { QueryView } from "../../components/query-view.tsx";
import { bytesText, countText, latencyText, spanText, utcTime } from "../components/format.ts";
import layout from "../components/layout.module.css";
import styles from "./health.module.css";
import { useHealth } from "./health-feed.tsx";
import { commandsPerSecond, type HealthSample } from "./health-sample.ts";
import { quantile, since } from "./histogram.ts";
import { LatencyPanel } from "./latency-panel.tsx";
import { SnapshotPanel } from "./snapshot-panel.tsx";
import { ageMs, type Snapshot, useSnapshots } from "./snapshots.ts";
import { Sparkline } from "./sparkline.tsx";
import { TrendPanels } from "./trend-panels.tsx";

/** The rate that is shown is that of the last ten seconds. */
const RATE_SAMPLES = 6;

export function HealthPage(): ReactElement {
  const { samples, error, refresh } = useHealth();
  const snapshots = useSnapshots();
  const last = samples.at(-1) ?? null;
  return (
    <div className={layout.page}>
      <h1 className="visually-hidden">Health</h1>
      <QueryView what="The state of the process" query={{ answer: last, error, refresh }}>
        {(now) => (
          <>
            <Warnings now={now} />
            <Cards now={now} samples={samples} snapshots={snapshots.answer} />
            <TrendPanels samples={samples} />
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
        The disk of the journal is nearly full: new commands are refused until there is room.
      </Notice>
    </Panel>
  );
}

interface CardsProps {
  readonly now: HealthSample;
  readonly samples: readonly HealthSample[];
  /** Null before the first answer. */
  readonly snapshots: readonly Snapshot[] | null;
}

function Cards({ now, samples, snapshots }: CardsProps): ReactElement {
  const before = samples.at(-RATE_SAMPLES) ?? samples[0] ?? now;
  const rate = commandsPerSecond(before, now);
  const p99 = quantile(since(now.commit, before.commit), 0.99);
  const between = <Value,>(value: (one: HealthSample, other: HealthSample) => Value): Value[] =>
    samples.slice(1).map((sample, i) => value(samples[i] as HealthSample, sample));
  return (
    <div className={styles.cards}>
      <Card
        name="Sequence"
        value={countText(now.status.sequence)}
        note={rate === null ? "rate not known yet" : `${rate.toFixed(1)} commands a second`}
        values={between((one, other) => commandsPerSecond(one, other) ?? 0)}
      />
      <Card
        name="Commit p99"
        value={p99 === null ? "–" : latencyText(p99)}
        note={p99 === null ? "nothing was written in 10 s" : "of the last 10 s"}
        values={between((one, other) => quantile(since(other.commit, one.commit), 0.99) ?? 0)}
      />
      <Card
        name="Waiting commands"
        value={countText(now.queueDepth)}
        note="for the sequencer"
        values={samples.map(({ queueDepth }) => queueDepth)}
      />
      <Card
        name="Journal behind"
        value={countText(journalLag(now))}
        note="commands not on disk yet"
        values={samples.map(journalLag)}
      />
      <Card
        name="History behind"
        value={`${countText(now.historyLag)}`}
        note={`commands, ${bytesText(now.historyBacklogBytes)} on their way`}
        values={samples.map(({ historyLag }) => historyLag)}
      />
      <SnapshotCard now={now} snapshots={snapshots} />
      <Card
        name="Stream connections"
        value={countText(now.streamConnections)}
        note="open now"
        values={samples.map(({ streamConnections }) => streamConnections)}
      />
      <Card
        name="Memory"
        value={bytesText(now.residentBytes)}
        note={`resident; up for ${spanText(now.uptimeMs)}`}
        values={samples.map(({ residentBytes }) => residentBytes)}
      />
    </div>
  );
}

interface CardProps {
  readonly name: string;
  readonly value: ReactNode;
  readonly note: ReactNode;
  /** Of the last five minutes; none for what needs no line. */
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

/** Commands that were applied and are not known to be on disk. */
function journalLag({ status, durableSequence }: HealthSample): number {
  return Math.max(0, status.sequence - durableSequence);
}

function SnapshotCard({ now, snapshots }: Pick<CardsProps, "now" | "snapshots">): ReactElement {
  const newest = snapshots?.[0];
  if (newest === undefined) {
    const note = snapshots === null ? "being asked for" : "none yet: a restart reads everything";
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
    ["Ahead of the wall clock", spanText(status.clockOffsetMs)],
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
    ["Client order ids remembered", countText(status.rememberedClientOrderIds)],
  ];
  return (
    <Panel title="What the exchange holds">
      <Figures label="What the exchange holds" shape="rows">
        {rows.map(([name, text]) => (
          <Figure key={name} name={name}>
            {text}
          </Figure>
        ))}
      </Figures>
    </Panel>
  );
}
