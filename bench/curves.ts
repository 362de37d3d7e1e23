/**
 * `npm run bench -- plot`: rate and latency over the number of connections and of gateways, drawn
 * into docs/reference/speed.svg. Short runs draw into bench/results, because their figures mean
 * little.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { dirname, join } from "node:path";
import { percentile, runOpenLoop } from "./load.ts";
import { measureOrders, Yardstick } from "./measured-load.ts";
import { hasGateways, OrderFixture } from "./order-fixture.ts";
import { type Panel, renderChart } from "./plot.ts";
import type { BenchRow } from "./report.ts";
import { SCALE, scaled } from "./scale.ts";

const CONNECTIONS = [1, 4, 16, 64, 256, 1_024] as const;
const GATEWAYS = [0, 1, 2, 4] as const;
const MANY_CONNECTIONS = 1_024;
const WARM_UP = scaled(20_000);
const MEASURED = scaled(30_000);
/** With this many, a run of all requests takes a few seconds; with fewer there are fewer. */
const FULL_CONNECTIONS = 64;
const LEAST_SHARE = 0.1;

interface Point {
  readonly hello: number;
  readonly orders: number;
  readonly p99Ms: number;
}

export async function runCurveBench(): Promise<BenchRow[]> {
  const hello = await Yardstick.start();
  try {
    await hello.get(WARM_UP, FULL_CONNECTIONS);
    const overConnections = await withExchange(0, async (fixture) => {
      const points: Point[] = [];
      for (const count of CONNECTIONS) points.push(await measure(hello, fixture, count));
      return points;
    });
    const overGateways: (Point | null)[] = [];
    for (const gateways of GATEWAYS) {
      const isPossible = gateways === 0 || hasGateways();
      const measureMany = (fixture: OrderFixture) => measure(hello, fixture, MANY_CONNECTIONS);
      overGateways.push(isPossible ? await withExchange(gateways, measureMany) : null);
    }
    const path = draw(overConnections, overGateways);
    process.stderr.write(`drawn into ${path}\n`);
    return [
      ...CONNECTIONS.flatMap((count, at) => rowsOf(`${count} connections`, overConnections[at])),
      ...GATEWAYS.flatMap((count, at) => rowsOf(`${count} gateways`, overGateways[at] ?? null)),
    ];
  } finally {
    await hello.stop();
  }
}

async function withExchange<Result>(
  gateways: number,
  work: (fixture: OrderFixture) => Promise<Result>,
): Promise<Result> {
  const fixture = await OrderFixture.start(gateways);
  try {
    await measureOrders(fixture, WARM_UP, FULL_CONNECTIONS);
    return await work(fixture);
  } finally {
    await fixture.stop();
  }
}

async function measure(
  hello: Yardstick,
  fixture: OrderFixture,
  connections: number,
): Promise<Point> {
  const share = Math.min(1, Math.max(LEAST_SHARE, connections / FULL_CONNECTIONS));
  const count = Math.max(connections, Math.round(MEASURED * share));
  const { perSecond: helloRate } = await hello.get(count, connections);
  const { perSecond } = await measureOrders(fixture, count, connections);
  const requests = fixture.makeRequests(count);
  const half = await runOpenLoop(fixture.ready.port, requests, connections, perSecond / 2);
  if (half.refused > 0) throw new Error(`${half.refused} orders were refused`);
  return { hello: helloRate, orders: perSecond, p99Ms: percentile(half.latenciesMs, 0.99) };
}

function draw(overConnections: readonly Point[], overGateways: readonly (Point | null)[]): string {
  const machine = `${cpus()[0]?.model ?? "unknown processor"}, ${availableParallelism()} cores`;
  const connections = { xLabel: "connections", xTicks: CONNECTIONS.map(String) };
  const many = `gateways, with ${MANY_CONNECTIONS.toLocaleString("en-US")} connections`;
  const gateways = { xLabel: many, xTicks: GATEWAYS.map(String) };
  const svg = renderChart({
    title: "Signed, durable orders over HTTP",
    subtitle: `${machine}, Node ${process.versions.node}, load generator on the same machine`,
    panels: [
      { ...connections, ...ratePanel("Rate, no gateways", overConnections) },
      { ...gateways, ...ratePanel("Rate by gateways", overGateways) },
      { ...connections, ...latencyPanel("Latency, no gateways", overConnections) },
      { ...gateways, ...latencyPanel("Latency by gateways", overGateways) },
    ],
  });
  const path = join(import.meta.dirname, SCALE < 1 ? "results" : "../docs/reference", "speed.svg");
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, svg);
  return path;
}

type Drawn = Omit<Panel, "xLabel" | "xTicks">;

function ratePanel(title: string, points: readonly (Point | null)[]): Drawn {
  const hello = points.map((point) => point?.hello ?? null);
  const orders = points.map((point) => point?.orders ?? null);
  return {
    title,
    yLabel: "per second",
    series: [
      { name: "hello GET", tone: "muted", values: hello },
      { name: "orders", tone: "main", values: orders },
    ],
  };
}

function latencyPanel(title: string, points: readonly (Point | null)[]): Drawn {
  const values = points.map((point) => point?.p99Ms ?? null);
  return { title, yLabel: "ms", series: [{ name: "p99 at half load", tone: "second", values }] };
}

function rowsOf(name: string, point: Point | null | undefined): BenchRow[] {
  if (point === null || point === undefined) {
    const note = "skipped: this exchange has no --gateways";
    return [{ name: `orders, ${name}`, value: null, unit: "orders/s", note }];
  }
  const note = `${(point.orders / point.hello).toFixed(2)} of hello GET`;
  return [
    { name: `orders, ${name}`, value: Math.round(point.orders), unit: "orders/s", note },
    { name: `p99 at half load, ${name}`, value: point.p99Ms, unit: "ms" },
  ];
}
