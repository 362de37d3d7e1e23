/** A gateway's thread for the stress of shared rate limits: takes at random and reports. */
import { parentPort, workerData } from "node:worker_threads";
import type { Route } from "../../src/api/route.ts";
import { openRateLimits } from "../../src/gateway/http/rate-limit.ts";
import { Random } from "./random.ts";

export interface LimitsTask {
  readonly memory: SharedArrayBuffer;
  /** Cells: the time in milliseconds; how many threads are ready. */
  readonly clock: SharedArrayBuffer;
  readonly threads: number;
  readonly seed: number;
  readonly requests: number;
  readonly addresses: number;
  readonly users: number;
  /** How often a request lets a millisecond pass. */
  readonly passing: number;
  readonly route: Pick<Route, "id" | "limit" | "access" | "countsAsOrder">;
}

/** An admitted request. The limits were asked at a time from `fromMs` to `toMs`. */
export interface Admission {
  readonly fromMs: number;
  readonly toMs: number;
  readonly address: number;
  readonly uid: number;
}

const TIME = 0;
const READY = 1;

function run(task: LimitsTask): readonly Admission[] {
  const random = new Random(task.seed);
  const cells = new Int32Array(task.clock);
  const route = openRateLimits(task.memory).forRoute(task.route);
  const admitted: Admission[] = [];
  Atomics.add(cells, READY, 1);
  Atomics.notify(cells, READY);
  for (let ready = 0; ready < task.threads; ready = Atomics.load(cells, READY)) {
    if (ready > 0) Atomics.wait(cells, READY, ready);
  }
  for (let request = 0; request < task.requests; request++) {
    const address = random.integer(1, task.addresses);
    const uid = random.integer(1, task.users);
    const fromMs = Atomics.load(cells, TIME);
    const waitMs = route.takeUser(`192.0.2.${address}`, uid, fromMs);
    const toMs = Atomics.load(cells, TIME);
    if (waitMs === 0) admitted.push({ fromMs, toMs, address, uid });
    if (random.chance(task.passing)) Atomics.add(cells, TIME, 1);
  }
  return admitted;
}

parentPort?.postMessage(run(workerData as LimitsTask));
