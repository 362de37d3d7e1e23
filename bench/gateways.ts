/**
 * Orders over HTTP with the public servers on threads of their own: what an order costs the
 * engine's thread and a gateway's, and what more gateways bring. A machine with few cores cannot
 * run them all at once; the processor time of each says what they would do with a core each.
 */
import { availableParallelism } from "node:os";
import { holdConnections } from "./load.ts";
import { type MeasuredLoad, measureOrders, wholeUs, Yardstick } from "./measured-load.ts";
import { hasGateways, OrderFixture } from "./order-fixture.ts";
import { type BenchRow, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";
import { connectionsByGateway, describeThreads } from "./thread-times.ts";

const COUNTS = [0, 1, 2, 4] as const;
const MOST = 4;
const FEW_CONNECTIONS = 64;
const MANY_CONNECTIONS = 1_024;
const WARM_UP = scaled(100_000);
const MEASURED = scaled(40_000);
/** Beside the gateways: engine, journal, load generator. */
const OTHER_THREADS = 3;
const SPREAD_TRIES = 50;
const NO_GATEWAYS = "skipped: this exchange has no --gateways";

interface Measured {
  readonly gateways: number;
  readonly few: MeasuredLoad;
  readonly many: MeasuredLoad;
  /** Of the connections over the gateways; empty without any. */
  readonly spread: readonly number[];
}

export async function runGatewayBench(): Promise<BenchRow[]> {
  const hello = await Yardstick.start();
  try {
    await hello.get(WARM_UP, FEW_CONNECTIONS);
    const before = await hello.get(MEASURED, FEW_CONNECTIONS);
    const all: Measured[] = [];
    for (const gateways of hasGateways() ? COUNTS : [0]) all.push(await measure(gateways));
    const after = await hello.get(MEASURED, FEW_CONNECTIONS);
    const helloUs = (wholeUs(before) + wholeUs(after)) / 2;
    return [
      { name: "hello GET, processor time", value: helloUs, unit: "us/request" },
      ...all.flatMap(rowsOf),
      ...targetRows(all, helloUs),
    ];
  } finally {
    await hello.stop();
  }
}

async function measure(gateways: number): Promise<Measured> {
  const fixture = await OrderFixture.start(gateways);
  try {
    await measureOrders(fixture, WARM_UP, FEW_CONNECTIONS);
    const few = await measureOrders(fixture, MEASURED, FEW_CONNECTIONS);
    const many = await measureOrders(fixture, MEASURED, MANY_CONNECTIONS);
    return { gateways, few, many, spread: gateways === 0 ? [] : await spreadOf(fixture) };
  } finally {
    await fixture.stop();
  }
}

/** How many of many connections the kernel gives to each gateway. */
async function spreadOf(fixture: OrderFixture): Promise<number[]> {
  const release = await holdConnections(fixture.ready.port, MANY_CONNECTIONS);
  let spread: number[] = [];
  // Those that are not accepted yet are not counted yet.
  for (let tries = 0; tries < SPREAD_TRIES; tries++) {
    spread = [...connectionsByGateway((await fixture.figures()).metrics).values()];
    if (spread.reduce((sum, open) => sum + open, 0) >= MANY_CONNECTIONS) break;
  }
  release();
  return spread;
}

function rowsOf({ gateways, few, many, spread }: Measured): BenchRow[] {
  const name = gateways === 1 ? "1 gateway" : `${gateways} gateways`;
  const connections = spread.length === 0 ? "" : `connections ${spread.join(", ")}; `;
  return [
    { connections: FEW_CONNECTIONS, load: few, note: "" },
    { connections: MANY_CONNECTIONS, load: many, note: connections },
  ].map(({ connections, load, note }) => ({
    name: `orders, ${name}, ${connections.toLocaleString("en-US")} connections`,
    value: Math.round(load.perSecond),
    unit: "orders/s",
    note: note + describeThreads(load.threadsUs),
  }));
}

function targetRows(all: readonly Measured[], helloUs: number): BenchRow[] {
  const one = all.find(({ gateways }) => gateways === 1);
  const most = all.find(({ gateways }) => gateways === MOST);
  if (one === undefined || most === undefined) {
    const ids = ["engineCpu", "gatewayCpu", "fourGateways"] as const;
    return ids.map((id) => targetRow(id, null, NO_GATEWAYS));
  }
  const gatewayUs = gatewayTimes(one.few)[0] ?? Number.NaN;
  return [
    targetRow("engineCpu", one.few.threadsUs.get("engine") ?? null, "one gateway"),
    targetRow("gatewayCpu", gatewayUs / helloUs, `${gatewayUs.toFixed(1)} us an order`),
    fourGatewaysRow(one, most),
  ];
}

/** By rates where each thread has a core, else by what the busiest gateway has to do. */
function fourGatewaysRow(one: Measured, most: Measured): BenchRow {
  if (availableParallelism() >= MOST + OTHER_THREADS) {
    return targetRow("fourGateways", most.many.perSecond / one.many.perSecond, "by rates");
  }
  const ofOne = Math.max(...gatewayTimes(one.many));
  const ofMost = Math.max(...gatewayTimes(most.many));
  const note = `by processor time: ${ofOne.toFixed(1)} us, busiest of four ${ofMost.toFixed(1)}`;
  return targetRow("fourGateways", ofOne / ofMost, note);
}

/** Microseconds of each gateway for one of all orders. */
function gatewayTimes({ threadsUs }: MeasuredLoad): number[] {
  return [...threadsUs].filter(([name]) => name.startsWith("gateway-")).map(([, us]) => us);
}
