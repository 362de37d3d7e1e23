/**
 * Signed, durable orders over HTTP, compared with a bare node:http server on the same machine in
 * the same run. Both servers are separate processes and the load comes from this one, so all share
 * the cores. All requests that wait for one sync share it, so the rate is measured with few and
 * with many connections. Latency is measured with many, because a client that waits for an answer
 * before its next order is due would itself be late.
 */
import { percentile, runOpenLoop } from "./load.ts";
import { type MeasuredLoad, measureOrders, wholeUs, Yardstick } from "./measured-load.ts";
import { OrderFixture } from "./order-fixture.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";
import { describeThreads } from "./thread-times.ts";

const FEW_CONNECTIONS = 64;
const MANY_CONNECTIONS = 256;
const WARM_UP = scaled(100_000);
const MEASURED = scaled(30_000);
const ROUNDS = 5;

export async function runHttpBench(): Promise<BenchRow[]> {
  const hello = await Yardstick.start();
  const fixture = await OrderFixture.start();
  try {
    return await measure(hello, fixture);
  } finally {
    await hello.stop();
    await fixture.stop();
  }
}

async function measure(hello: Yardstick, fixture: OrderFixture): Promise<BenchRow[]> {
  await hello.get(WARM_UP, FEW_CONNECTIONS);
  await hello.send(fixture.makeRequests(WARM_UP), FEW_CONNECTIONS);
  await measureOrders(fixture, WARM_UP, FEW_CONNECTIONS);
  const few = await measureRounds(hello, fixture, FEW_CONNECTIONS);
  const many = await measureRounds(hello, fixture, MANY_CONNECTIONS);
  const half = await runOpenLoop(
    fixture.ready.port,
    fixture.makeRequests(MEASURED),
    MANY_CONNECTIONS,
    median(few.map(({ orders }) => orders.perSecond)) / 2,
  );
  if (half.refused > 0) throw new Error(`${half.refused} orders were refused`);
  const note = `open loop at half of the rate of ${FEW_CONNECTIONS} connections`;
  return [
    ...rateRows(few, FEW_CONNECTIONS),
    ...rateRows(many, MANY_CONNECTIONS),
    targetRow(
      "ordersToHello",
      ratio(few, ({ get }) => get.perSecond),
    ),
    { name: "order latency p50", value: percentile(half.latenciesMs, 0.5), unit: "ms", note },
    targetRow("halfLoadP99", percentile(half.latenciesMs, 0.99), note),
  ];
}

/** Both yardsticks and the exchange, one after the other. */
interface Round {
  readonly get: MeasuredLoad;
  readonly post: MeasuredLoad;
  readonly orders: MeasuredLoad;
}

/** Alternating rounds, so that all run under the same conditions. */
async function measureRounds(
  hello: Yardstick,
  fixture: OrderFixture,
  connections: number,
): Promise<Round[]> {
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({
      get: await hello.get(MEASURED, connections),
      post: await hello.send(fixture.makeRequests(MEASURED), connections),
      orders: await measureOrders(fixture, MEASURED, connections),
    });
  }
  return rounds;
}

/** The median of the ratios within each round. */
function ratio(rounds: readonly Round[], yardstick: (round: Round) => number): number {
  return median(rounds.map((round) => round.orders.perSecond / yardstick(round)));
}

function rateRows(rounds: readonly Round[], connections: number): BenchRow[] {
  const toGet = ratio(rounds, ({ get }) => get.perSecond).toFixed(2);
  const toPost = ratio(rounds, ({ post }) => post.perSecond).toFixed(2);
  const { threadsUs } = (rounds.at(-1) as Round).orders;
  const rows = (
    name: string,
    read: (round: Round) => MeasuredLoad,
    rateNote = "",
    timeNote = "",
  ): BenchRow[] => {
    const of = (figure: (load: MeasuredLoad) => number): number =>
      median(rounds.map((round) => figure(read(round))));
    const rate = Math.round(of(({ perSecond }) => perSecond));
    const full = `${name}, ${connections} connections`;
    return [
      { name: full, value: rate, unit: "requests/s", note: rateNote },
      { name: `${full}, processor time`, value: of(wholeUs), unit: "us/request", note: timeNote },
    ];
  };
  return [
    ...rows("hello GET", ({ get }) => get),
    ...rows("hello POST", ({ post }) => post),
    ...rows(
      "signed durable orders",
      ({ orders }) => orders,
      `${toGet} of hello GET, ${toPost} of hello POST`,
      describeThreads(threadsUs),
    ),
    {
      name: `load generator, ${connections} connections`,
      value: median(rounds.map(({ orders }) => orders.generatorUs)),
      unit: "us/request",
      note: "on this machine too, and not part of the others",
    },
  ];
}
