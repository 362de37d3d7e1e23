/**
 * The cost of subscribers for orders: signed, durable orders over HTTP without subscribers and with
 * a thousand subscribers of the same market, alternating in one run. Exchange, load and subscribers
 * are processes that share the cores, so the rate depends on this machine. The processor time per
 * order, of the trading thread and of the whole exchange, is what subscribers cost on any machine.
 */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { type LoadResult, percentile, runClosedLoop, runOpenLoop } from "./load.ts";
import { endProcess, OrderFixture } from "./order-fixture.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";
import type { SinkCount } from "./stream-sink.ts";
import { gauge, total } from "./thread-times.ts";

const SUBSCRIBERS = 1_000;
const CONNECTIONS = 64;
const WARM_UP = scaled(20_000);
const MEASURED = scaled(10_000, 5_000);
const ROUNDS = scaled(15);
const LATENCY_MEASURED = scaled(8_000);
const LATENCY_ROUNDS = 3;

interface Audience {
  readonly name: string;
  readonly subscribers: number;
  /** The extensions that subscribers offer. */
  readonly extensions: string;
}

const NOBODY: Audience = { name: "nobody listens", subscribers: 0, extensions: "" };
const BOTS: Audience = {
  name: "1,000 subscribers",
  subscribers: SUBSCRIBERS,
  // What browsers, Node and ccxt offer by default.
  extensions: "permessage-deflate; client_max_window_bits",
};
const PLAIN: Audience = {
  name: "1,000 without compression",
  subscribers: SUBSCRIBERS,
  extensions: "",
};
const AUDIENCES = [NOBODY, BOTS, PLAIN];

interface Measure {
  readonly perSecond: number;
  readonly tradingUs: number;
  readonly wholeUs: number;
  readonly framesPerSecond: number;
  readonly megabytesPerSecond: number;
  /** Updates dropped for slow subscribers, which get the state later. */
  readonly leftOut: number;
  readonly latenciesMs: Float64Array;
}

type Round = ReadonlyMap<Audience, Measure>;

interface Load {
  readonly orders: number;
  readonly run: (requests: readonly Buffer[]) => Promise<LoadResult>;
}

export async function runStreamBench(): Promise<BenchRow[]> {
  const fixture = await OrderFixture.start();
  try {
    const { port } = fixture.ready;
    await runClosedLoop(port, fixture.makeRequests(WARM_UP), CONNECTIONS);
    const rates = await inTurns(fixture, ROUNDS, {
      orders: MEASURED,
      run: (requests) => runClosedLoop(port, requests, CONNECTIONS),
    });
    const halfRate = median(rates.map((round) => of(round, NOBODY).perSecond)) / 2;
    const latencies = await inTurns(fixture, LATENCY_ROUNDS, {
      orders: LATENCY_MEASURED,
      run: (requests) => runOpenLoop(port, requests, 4 * CONNECTIONS, halfRate),
    });
    return [...rateRows(rates), ...latencyRows(latencies)];
  } finally {
    await fixture.stop();
  }
}

async function inTurns(fixture: OrderFixture, rounds: number, load: Load): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const measures = new Map<Audience, Measure>();
    // There and back again, so that no audience always follows the same other one.
    const order = round % 2 === 0 ? AUDIENCES : AUDIENCES.toReversed();
    for (const audience of order) measures.set(audience, await measure(fixture, load, audience));
    measured.push(measures);
  }
  return measured;
}

async function measure(fixture: OrderFixture, load: Load, audience: Audience): Promise<Measure> {
  const sink = audience.subscribers === 0 ? null : await Sink.open(fixture, audience);
  const requests = fixture.makeRequests(load.orders);
  const before = await readProcess(fixture);
  const countedBefore = (await sink?.count()) ?? NOTHING;
  const startedMs = performance.now();
  const { perSecond, latenciesMs, refused } = await load.run(requests);
  const seconds = (performance.now() - startedMs) / 1000;
  const after = await readProcess(fixture);
  const counted = (await sink?.count()) ?? NOTHING;
  await sink?.close();
  if (refused > 0) throw new Error(`${refused} orders were refused`);
  if (counted.ended > 0) throw new Error(`${counted.ended} subscribers were cut off`);
  return {
    perSecond,
    latenciesMs,
    tradingUs: ((after.tradingSeconds - before.tradingSeconds) / requests.length) * 1e6,
    wholeUs: ((after.wholeSeconds - before.wholeSeconds) / requests.length) * 1e6,
    framesPerSecond: (counted.frames - countedBefore.frames) / seconds,
    megabytesPerSecond: (counted.bytes - countedBefore.bytes) / seconds / 1e6,
    leftOut: after.conflated - before.conflated,
  };
}

interface ProcessFigures {
  readonly tradingSeconds: number;
  readonly wholeSeconds: number;
  readonly conflated: number;
}

async function readProcess(fixture: OrderFixture): Promise<ProcessFigures> {
  const { threads, metrics } = await fixture.figures();
  return {
    tradingSeconds: threads.get("engine") ?? 0,
    wholeSeconds: total(threads),
    conflated: gauge(metrics, "rialto_stream_conflated_total"),
  };
}

const NOTHING: SinkCount = { bytes: 0, frames: 0, ended: 0 };

/** The process of the subscribers. */
class Sink {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async open({ ready }: OrderFixture, audience: Audience): Promise<Sink> {
    const { subscribers, extensions } = audience;
    const args = [String(ready.port), String(subscribers), extensions];
    const sink = new Sink(fork(join(import.meta.dirname, "stream-sink.ts"), args));
    await sink.#next();
    return sink;
  }

  async count(): Promise<SinkCount> {
    const answer = this.#next();
    this.#child.send("count");
    return (await answer) as SinkCount;
  }

  close(): Promise<void> {
    return endProcess(this.#child);
  }

  #next(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const failed = (): void => reject(new Error("the process of the subscribers ended"));
      this.#child.once("exit", failed);
      this.#child.once("message", (message) => {
        this.#child.off("exit", failed);
        resolve(message);
      });
    });
  }
}

function of(measures: Round, audience: Audience): Measure {
  return measures.get(audience) as Measure;
}

/** Medians; a ratio is the median of the ratios within each round. */
function rateRows(rounds: readonly Round[]): BenchRow[] {
  const ratio = (audience: Audience, read: (measure: Measure) => number): number =>
    median(rounds.map((all) => read(of(all, audience)) / read(of(all, NOBODY))));
  const rows = (
    what: string,
    unit: string,
    read: (measure: Measure) => number,
    audiences: readonly Audience[] = AUDIENCES,
  ): BenchRow[] =>
    audiences.map((audience) => {
      const value = median(rounds.map((measures) => read(of(measures, audience))));
      const name = `${what}, ${audience.name}`;
      if (audience === NOBODY || !audiences.includes(NOBODY)) return { name, value, unit };
      return { name, value, unit, note: `${ratio(audience, read).toFixed(2)} of nobody` };
    });
  const listening = [BOTS, PLAIN];
  const rate = ({ perSecond }: Measure): number => Math.round(perSecond);
  const wholeTime = (audience: Audience): string => {
    const times = ratio(audience, ({ wholeUs }) => wholeUs);
    return `processor time of an order × ${times.toFixed(2)}`;
  };
  return [
    ...rows("orders", "orders/s", rate),
    targetRow("subscribers", ratio(BOTS, rate), wholeTime(BOTS)),
    targetRow("plainSubscribers", ratio(PLAIN, rate), wholeTime(PLAIN)),
    ...rows("trading thread", "us/order", ({ tradingUs }) => tradingUs),
    ...rows("whole exchange", "us/order", ({ wholeUs }) => wholeUs),
    ...rows("sent", "frames/s", ({ framesPerSecond }) => Math.round(framesPerSecond), listening),
    ...rows("sent", "MB/s", ({ megabytesPerSecond }) => megabytesPerSecond, listening),
    ...rows("left out for slow ones", "updates", ({ leftOut }) => leftOut, listening),
  ];
}

function latencyRows(rounds: readonly Round[]): BenchRow[] {
  const note = "open loop at half of the rate with nobody listening";
  return AUDIENCES.flatMap((audience) => {
    const all = rounds.flatMap((round) => [...of(round, audience).latenciesMs]);
    return [0.5, 0.99].map((share) => ({
      name: `order latency p${share * 100}, ${audience.name}`,
      value: percentile(Float64Array.from(all), share),
      unit: "ms",
      note,
    }));
  });
}
