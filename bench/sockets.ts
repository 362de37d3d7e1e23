/**
 * Orders over the trading WebSocket, 64 sockets with four in flight each, compared with a bare
 * node:http server that answers a GET with 64 connections in the same run.
 */
import { type MeasuredLoad, measureExchange, wholeUs, Yardstick } from "./measured-load.ts";
import { hasGateways, OrderFixture } from "./order-fixture.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";
import { hasTradingSocket, runSocketLoad } from "./socket-load.ts";
import { describeThreads } from "./thread-times.ts";

const SOCKETS = 64;
const IN_FLIGHT = 4;
const WARM_UP = scaled(150_000);
const MEASURED = scaled(40_000);
const ROUNDS = 5;
const NO_SOCKET = "skipped: this exchange has no /v3/ws/api";
const NO_GATEWAYS = "skipped: this exchange has no --gateways";

interface Round {
  readonly hello: MeasuredLoad;
  readonly orders: MeasuredLoad;
}

export async function runSocketBench(): Promise<BenchRow[]> {
  const hello = await Yardstick.start();
  try {
    await hello.get(WARM_UP, SOCKETS);
    const alone = await measure(hello, 0);
    if (alone === null) return [targetRow("socketToHello", null, NO_SOCKET)];
    const one = hasGateways() ? await measure(hello, 1) : null;
    return [
      ...rowsOf("no gateways", alone),
      ...(one === null ? [] : rowsOf("1 gateway", one)),
      one === null
        ? targetRow("socketToHello", null, NO_GATEWAYS)
        : targetRow("socketToHello", ratioOf(one)),
    ];
  } finally {
    await hello.stop();
  }
}

/** Null where there is no trading socket. */
async function measure(hello: Yardstick, gateways: number): Promise<Round[] | null> {
  const fixture = await OrderFixture.start(gateways);
  try {
    if (!(await hasTradingSocket(fixture.ready.port))) return null;
    await measureMessages(fixture, WARM_UP);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push({
        hello: await hello.get(MEASURED, SOCKETS),
        orders: await measureMessages(fixture, MEASURED),
      });
    }
    return rounds;
  } finally {
    await fixture.stop();
  }
}

function measureMessages(fixture: OrderFixture, count: number): Promise<MeasuredLoad> {
  const messages = fixture.makeMessages(count);
  const logons = Array.from({ length: SOCKETS }, (_, socket) => fixture.makeLogon(socket));
  return measureExchange(fixture, count, () =>
    runSocketLoad(fixture.ready.port, logons, messages, IN_FLIGHT),
  );
}

/** The median of the ratios within each round. */
function ratioOf(rounds: readonly Round[]): number {
  return median(rounds.map(({ hello, orders }) => orders.perSecond / hello.perSecond));
}

function rowsOf(name: string, rounds: readonly Round[]): BenchRow[] {
  const last = rounds.at(-1) as Round;
  const rate = median(rounds.map(({ orders }) => orders.perSecond));
  const generatorUs = median(rounds.map(({ orders }) => orders.generatorUs));
  return [
    {
      name: `orders over WebSocket, ${name}, ${SOCKETS} × ${IN_FLIGHT} in flight`,
      value: Math.round(rate),
      unit: "orders/s",
      note: `${ratioOf(rounds).toFixed(2)} of hello GET`,
    },
    {
      name: `the same, ${name}, processor time`,
      value: median(rounds.map(({ orders }) => wholeUs(orders))),
      unit: "us/order",
      note: describeThreads(last.orders.threadsUs),
    },
    { name: `the same, ${name}, load generator`, value: generatorUs, unit: "us/order" },
  ];
}
