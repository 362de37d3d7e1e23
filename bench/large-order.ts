/**
 * What one order that fills 10,000 resting ones costs everybody else: other users send a steady
 * number of orders, in an open loop, and one large order comes in between. Counted is the second
 * in which it comes; without it the same second is measured too.
 */
import { percentile, runClosedLoop, runOpenLoop } from "./load.ts";
import { measureOrders } from "./measured-load.ts";
import { OrderFixture } from "./order-fixture.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";

const RESTING = 10_000;
const WARM_UP = scaled(20_000);
const ROUNDS = scaled(5);
/** Of other users; a small part of what any machine can do. */
const PER_SECOND = 1_000;
const OTHERS = PER_SECOND;
const CONNECTIONS = 64;
const SENT_AFTER_MS = 100;

export async function runLargeOrderBench(): Promise<BenchRow[]> {
  const fixture = await OrderFixture.start();
  try {
    await measureOrders(fixture, WARM_UP, CONNECTIONS);
    const without: number[] = [];
    const others: number[] = [];
    const own: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      without.push(await p99OfOthers(fixture));
      const ladder = fixture.makeLadder(RESTING);
      const { refused } = await runClosedLoop(fixture.ready.port, ladder, CONNECTIONS);
      if (refused > 0) throw new Error(`${refused} orders were refused`);
      const sweep = sweepLater(fixture);
      others.push(await p99OfOthers(fixture));
      own.push(await sweep);
    }
    const note = `${PER_SECOND} orders a second; ${median(without).toFixed(1)} ms without it`;
    return [
      targetRow("largeFill", median(others), note),
      { name: "answer to the order that fills 10,000", value: median(own), unit: "ms" },
    ];
  } finally {
    await fixture.stop();
  }
}

async function p99OfOthers(fixture: OrderFixture): Promise<number> {
  const requests = fixture.makeRequests(OTHERS);
  const result = await runOpenLoop(fixture.ready.port, requests, CONNECTIONS, PER_SECOND);
  if (result.refused > 0) throw new Error(`${result.refused} orders were refused`);
  return percentile(result.latenciesMs, 0.99);
}

/** Resolves with the milliseconds until the large order was answered. */
async function sweepLater(fixture: OrderFixture): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, SENT_AFTER_MS));
  const result = await runClosedLoop(fixture.ready.port, [fixture.makeSweep(RESTING)], 1);
  if (result.refused > 0) throw new Error("the large order was refused");
  return result.latenciesMs[0] as number;
}
