/**
 * Ends the process when a step never gives the event loop back, which nothing in the same thread
 * can notice: says which seed and step it was, and how to repeat it. It counts processor time, so
 * that a slow or busy machine does not matter.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** A step takes less than a second, a scene of many days up to half a minute. */
const PROCESSOR_MS_MAX = 120_000;

/** In a thread of its own: plain JavaScript, which needs nothing of the project. */
const BODY = `
const { workerData } = require("node:worker_threads");
const { writeSync } = require("node:fs");
const place = new Int32Array(workerData.place);
let seen = 0;
let sinceMs = 0;
setInterval(() => {
  const [seed, step, begun] = place;
  const { user, system } = process.cpuUsage();
  const usedMs = (user + system) / 1000;
  if (seen !== begun) {
    seen = begun;
    sinceMs = usedMs;
  }
  if (usedMs - sinceMs <= workerData.limitMs) return;
  writeSync(1, "\\nseed " + seed + ", step " + step + ": every step ends: " +
    "this one took more than " + workerData.limitMs / 1000 + " s of the processor\\n" +
    "\\nRepeat it with:\\n  npm run simulate -- --seed " + seed + " --until " + step + "\\n");
  process.kill(process.pid, "SIGKILL");
}, Math.min(1_000, workerData.limitMs / 4));
`;

export class Watchdog {
  readonly #place = new Int32Array(new SharedArrayBuffer(12));
  readonly #worker: Worker;
  /** It watches from now on. */
  readonly started: Promise<unknown>;

  constructor(limitMs = PROCESSOR_MS_MAX) {
    const workerData = { place: this.#place.buffer, limitMs };
    this.#worker = new Worker(BODY, { eval: true, execArgv: [], workerData });
    this.started = once(this.#worker, "online");
    this.#worker.unref();
  }

  /** This step, or another part of it, has begun. */
  see(seed: number, step: number): void {
    this.#place[0] = seed;
    this.#place[1] = step;
    Atomics.add(this.#place, 2, 1);
  }
}
