/** Load on an exchange, or on the yardstick beside it, with what each thread needed for it. */
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { type LoadResult, runClosedLoop } from "./load.ts";
import { endProcess, type OrderFixture, startProcess } from "./order-fixture.ts";
import { HAS_PROC, readThreadTimes, type ThreadTimes, total, usEach } from "./thread-times.ts";

export interface MeasuredLoad extends LoadResult {
  /** Microseconds of each thread for one request; empty where they cannot be told. */
  readonly threadsUs: ThreadTimes;
}

/** The bare server that rates and processor times are compared with. */
export class Yardstick {
  readonly #child: ChildProcess;
  readonly #port: number;

  private constructor(child: ChildProcess, port: number) {
    this.#child = child;
    this.#port = port;
  }

  static async start(): Promise<Yardstick> {
    const { child, ready } = await startProcess([join(import.meta.dirname, "hello-server.ts")]);
    return new Yardstick(child, ready.port);
  }

  stop(): Promise<void> {
    return endProcess(this.#child);
  }

  /** The plain GET, as most servers are measured. */
  get(count: number, connections: number): Promise<MeasuredLoad> {
    const request = Buffer.from("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    const requests = Array.from({ length: count }, () => request);
    return this.send(requests, connections);
  }

  /** Requests with a JSON body, which are answered with their `clientOrderId`. */
  async send(requests: readonly Buffer[], connections: number): Promise<MeasuredLoad> {
    const read = (): ThreadTimes =>
      HAS_PROC ? readThreadTimes(this.#child.pid as number, "hello") : new Map();
    const before = read();
    const result = await runClosedLoop(this.#port, requests, connections);
    return { ...result, threadsUs: usEach(before, read(), requests.length) };
  }
}

/** Signed orders in a closed loop. */
export function measureOrders(
  fixture: OrderFixture,
  count: number,
  connections: number,
): Promise<MeasuredLoad> {
  const requests = fixture.makeRequests(count);
  return measureExchange(fixture, count, () =>
    runClosedLoop(fixture.ready.port, requests, connections),
  );
}

/**
 * Any load of so many orders. Throws when one was refused. What the exchange still writes when the
 * last order is answered does not slow down what is measured next.
 */
export async function measureExchange<Result extends { readonly refused: number }>(
  fixture: OrderFixture,
  count: number,
  load: () => Promise<Result>,
): Promise<Result & { readonly threadsUs: ThreadTimes }> {
  const before = await fixture.figures();
  const result = await load();
  const after = await fixture.figures();
  await fixture.settled();
  if (result.refused > 0) throw new Error(`${result.refused} orders were refused`);
  return { ...result, threadsUs: usEach(before.threads, after.threads, count) };
}

/** Of all threads together. */
export function wholeUs({ threadsUs }: { readonly threadsUs: ThreadTimes }): number {
  return total(threadsUs);
}
