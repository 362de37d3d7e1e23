/**
 * Signed, durable orders over HTTP, compared with a bare node:http server on the same machine in
 * the same run. Both servers are separate processes and the load comes from this one, so all share
 * the cores. All requests that wait for one sync share it, so the rate is measured with few and
 * with many connections. Latency is measured with many, because a client that waits for an answer
 * before its next order is due would itself be late.
 */
import { join } from "node:path";
import { percentile, runClosedLoop, runOpenLoop } from "./load.ts";
import { endProcess, OrderFixture, startProcess } from "./order-fixture.ts";
import { type BenchRow, median } from "./report.ts";

const FEW_CONNECTIONS = 64;
const MANY_CONNECTIONS = 256;
const WARM_UP = 10_000;
const MEASURED = 30_000;
const ROUNDS = 3;

export async function runHttpBench(): Promise<BenchRow[]> {
  const hello = await startProcess([join(import.meta.dirname, "hello-server.ts")]);
  const fixture = await OrderFixture.start();
  try {
    return await measure(hello.ready.port, fixture);
  } finally {
    await endProcess(hello.child);
    await fixture.stop();
  }
}

async function measure(helloPort: number, fixture: OrderFixture): Promise<BenchRow[]> {
  const { port } = fixture.ready;
  await runClosedLoop(helloPort, fixture.makeRequests(WARM_UP), FEW_CONNECTIONS);
  await runClosedLoop(port, fixture.makeRequests(WARM_UP), FEW_CONNECTIONS);
  const few = await measureRates(helloPort, fixture, FEW_CONNECTIONS);
  const many = await measureRates(helloPort, fixture, MANY_CONNECTIONS);
  const half = await runOpenLoop(
    port,
    fixture.makeRequests(MEASURED),
    MANY_CONNECTIONS,
    few.orders / 2,
  );
  return [
    ...rateRows(few, FEW_CONNECTIONS),
    ...rateRows(many, MANY_CONNECTIONS),
    {
      name: "order latency p50",
      value: percentile(half.latenciesMs, 0.5),
      unit: "ms",
      note: AT_HALF,
    },
    {
      name: "order latency p99",
      value: percentile(half.latenciesMs, 0.99),
      unit: "ms",
      note: AT_HALF,
    },
  ];
}

interface Rates {
  readonly hello: number;
  readonly orders: number;
}

/** Medians of alternating rounds, so that both run under the same conditions. */
async function measureRates(
  helloPort: number,
  fixture: OrderFixture,
  connections: number,
): Promise<Rates> {
  const helloRates: number[] = [];
  const orderRates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const forHello = fixture.makeRequests(MEASURED);
    helloRates.push((await runClosedLoop(helloPort, forHello, connections)).perSecond);
    const requests = fixture.makeRequests(MEASURED);
    const orders = await runClosedLoop(fixture.ready.port, requests, connections);
    if (orders.refused > 0) throw new Error(`${orders.refused} orders were refused`);
    orderRates.push(orders.perSecond);
  }
  return { hello: median(helloRates), orders: median(orderRates) };
}

function rateRows({ hello, orders }: Rates, connections: number): BenchRow[] {
  return [
    {
      name: `node:http hello, ${connections} connections`,
      value: Math.round(hello),
      unit: "requests/s",
    },
    {
      name: `signed durable orders, ${connections} connections`,
      value: Math.round(orders),
      unit: "orders/s",
      note: `${(orders / hello).toFixed(2)} of node:http hello`,
    },
  ];
}

const AT_HALF = `open loop at half of the rate of ${FEW_CONNECTIONS} connections`;
