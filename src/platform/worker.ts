/** Runs a body in the worker whose entry file calls this. */
import {
  parentPort,
  receiveMessageOnPort,
  type Transferable,
  workerData,
} from "node:worker_threads";
import { invariant } from "../domain/index.ts";
import { NODE_PLATFORM } from "./node-platform.ts";
import type { BodyPort, ThreadBody } from "./thread-body.ts";

export async function runInWorker(body: ThreadBody): Promise<void> {
  await body({
    port: workerPort(),
    data: workerData,
    platform: NODE_PLATFORM,
    pause: standStill,
    terminated: new AbortController().signal,
  });
}

function workerPort(): BodyPort {
  const port = parentPort;
  invariant(port !== null, "a worker was started by a thread");
  return {
    post: (message, transfer = []) => port.postMessage(message, transfer as Transferable[]),
    onMessage: (listener) => port.on("message", listener),
    take: () => receiveMessageOnPort(port)?.message,
    close: () => port.close(),
  };
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** Waking up for each message that arrives meanwhile would cost more than the pause saves. */
function standStill(delayMs: number): Promise<void> {
  Atomics.wait(sleeper, 0, 0, delayMs);
  return Promise.resolve();
}
