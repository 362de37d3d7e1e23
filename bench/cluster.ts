/**
 * A cluster on one machine: three nodes over three of PostgreSQL, as `rialto cluster demo` runs
 * them, beside an exchange with a journal in files. All of them and the load share the cores, so
 * reads are compared by processor time where there are few.
 */
import { availableParallelism } from "node:os";
import { setTimeout } from "node:timers/promises";
import { ClusterFixture, type ClusterNode } from "./cluster-fixture.ts";
import { percentile, runClosedLoop } from "./load.ts";
import { type MeasuredLoad, measureOrders, wholeUs } from "./measured-load.ts";
import { OrderFixture } from "./order-fixture.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";
import { describeThreads } from "./thread-times.ts";

const CONNECTIONS = 256;
const WARM_UP = scaled(40_000);
const MEASURED = scaled(20_000);
const READS = scaled(12_000);
const ROUNDS = 5;
const TAKEOVERS = Math.max(3, scaled(20));
const LAG_PAUSE_MS = 20;
/** A core for each node, the primary's, the load's and one for the rest. */
const CORES_FOR_RATES = 6;

export async function runClusterBench(): Promise<BenchRow[]> {
  const file = await OrderFixture.start();
  const cluster = await ClusterFixture.start();
  try {
    return [
      ...(await compareOrders(file, cluster)),
      ...(await compareReads(cluster)),
      ...(await measureTakeovers(cluster)),
    ];
  } finally {
    await cluster.stop();
    await file.stop();
  }
}

interface Round {
  readonly file: MeasuredLoad;
  readonly quorum: MeasuredLoad;
  readonly postgresUs: number;
}

/** In turns, so that both run under the same conditions. */
async function compareOrders(file: OrderFixture, cluster: ClusterFixture): Promise<BenchRow[]> {
  const { orders } = cluster;
  await measureOrders(file, WARM_UP, CONNECTIONS);
  await measureOrders(orders, WARM_UP, CONNECTIONS);
  const rounds: Round[] = [];
  const lagsMs: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const ofFile = await measureOrders(file, MEASURED, CONNECTIONS);
    const before = cluster.postgresSeconds();
    const watched = watchLag(cluster);
    const quorum = await measureOrders(orders, MEASURED, CONNECTIONS);
    lagsMs.push(...(await watched()));
    const postgresUs = ((cluster.postgresSeconds() - before) / MEASURED) * 1e6;
    rounds.push({ file: ofFile, quorum, postgresUs });
  }
  const lags = Float64Array.from(lagsMs);
  const of = (figure: (round: Round) => number): number => median(rounds.map(figure));
  const last = rounds.at(-1) as Round;
  const p50 = (load: MeasuredLoad): number => percentile(load.latenciesMs, 0.5);
  return [
    rate(
      "orders, journal in files",
      of(({ file: load }) => load.perSecond),
      last.file,
    ),
    rate(
      "orders, journal with a quorum",
      of(({ quorum }) => quorum.perSecond),
      last.quorum,
    ),
    targetRow(
      "quorumOrders",
      of(({ file: one, quorum }) => quorum.perSecond / one.perSecond),
      `p50 ${of(({ file: one }) => p50(one)).toFixed(1)} and ` +
        `${of(({ quorum }) => p50(quorum)).toFixed(1)} ms`,
    ),
    {
      name: "the leader, processor time of an order",
      value: of(({ quorum }) => wholeUs(quorum)),
      unit: "us/order",
      note: `${of(({ file: one }) => wholeUs(one)).toFixed(1)} us with files`,
    },
    {
      name: "the three of PostgreSQL, processor time of an order",
      value: of(({ postgresUs }) => postgresUs),
      unit: "us/order",
    },
    {
      name: "lag of the followers under that load, p50",
      value: percentile(lags, 0.5),
      unit: "ms",
      note: `p99 ${percentile(lags, 0.99).toFixed(0)} ms, of ${lags.length} looks`,
    },
  ];
}

function rate(name: string, perSecond: number, { threadsUs }: MeasuredLoad): BenchRow {
  return {
    name: `${name}, ${CONNECTIONS} connections`,
    value: Math.round(perSecond),
    unit: "orders/s",
    note: describeThreads(threadsUs),
  };
}

/** How old the state of the followers may be, by their own word, until the result is called. */
function watchLag({ nodes, orders }: ClusterFixture): () => Promise<readonly number[]> {
  let isOver = false;
  const lagsMs: number[] = [];
  const watching = (async (): Promise<void> => {
    while (!isOver) {
      for (const { port } of nodes) {
        if (port === orders.ready.port) continue;
        const answer = await fetch(`http://127.0.0.1:${port}/health/ready`);
        lagsMs.push(((await answer.json()) as { lagMs: number }).lagMs);
      }
      await setTimeout(LAG_PAUSE_MS);
    }
  })();
  return async () => {
    isOver = true;
    await watching;
    return lagsMs;
  };
}

interface Reading {
  readonly perSecond: number;
  /** Processor time of each node for one of all reads. */
  readonly nodesUs: readonly number[];
}

async function compareReads(cluster: ClusterFixture): Promise<BenchRow[]> {
  const { nodes, orders } = cluster;
  const [leader] = nodes.filter(({ port }) => port === orders.ready.port) as [ClusterNode];
  // Those that follow have answered nothing yet.
  await read(cluster, nodes, WARM_UP);
  const rounds: { readonly one: Reading; readonly three: Reading }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ one: await read(cluster, [leader]), three: await read(cluster, nodes) });
  }
  const of = (figure: (round: (typeof rounds)[number]) => number): number =>
    median(rounds.map(figure));
  const busiest = ({ nodesUs }: Reading): number => Math.max(...nodesUs);
  const byRates = availableParallelism() >= CORES_FOR_RATES;
  const ratio = of(({ one, three }) =>
    byRates ? three.perSecond / one.perSecond : busiest(one) / busiest(three),
  );
  const note = byRates
    ? "by rates"
    : `by processor time: ${of(({ one }) => busiest(one)).toFixed(1)} us at one node, ` +
      `busiest of three ${of(({ three }) => busiest(three)).toFixed(1)}`;
  return [
    reads(
      "signed reads, the leader alone",
      of(({ one }) => one.perSecond),
    ),
    reads(
      "signed reads, three nodes",
      of(({ three }) => three.perSecond),
    ),
    targetRow("threeNodesRead", ratio, note),
  ];
}

function reads(name: string, perSecond: number): BenchRow {
  return { name, value: Math.round(perSecond), unit: "requests/s" };
}

/** Each node answers its share, all at the same time. */
async function read(
  cluster: ClusterFixture,
  nodes: readonly ClusterNode[],
  reads = READS,
): Promise<Reading> {
  const count = Math.ceil(reads / nodes.length);
  const before = cluster.nodeSeconds();
  const startedMs = performance.now();
  const results = await Promise.all(
    nodes.map(({ port }) => {
      const requests = cluster.orders.makeReads(count);
      return runClosedLoop(port, requests, Math.ceil(CONNECTIONS / nodes.length));
    }),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  const refused = results.reduce((sum, result) => sum + result.refused, 0);
  if (refused > 0) throw new Error(`${refused} reads were refused`);
  const total = count * nodes.length;
  const after = cluster.nodeSeconds();
  const nodesUs = after.map((time, index) => ((time - (before[index] as number)) / total) * 1e6);
  return { perSecond: total / seconds, nodesUs };
}

/** From the kill of the leader to the answer to an order that another node holds meanwhile. */
async function measureTakeovers(cluster: ClusterFixture): Promise<BenchRow[]> {
  const timesMs: number[] = [];
  for (let round = 0; round < TAKEOVERS; round++) timesMs.push(await cluster.takeOver());
  const times = Float64Array.from(timesMs);
  const note =
    `${TAKEOVERS} kills; p50 ${percentile(times, 0.5).toFixed(0)} ms, ` +
    `longest ${Math.max(...timesMs).toFixed(0)} ms`;
  return [targetRow("takeover", percentile(times, 0.95) / 1000, note)];
}
