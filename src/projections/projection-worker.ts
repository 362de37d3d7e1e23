/**
 * The thread that writes history. It writes all queued chunks, up to a bound, in one transaction
 * and reports each commit to the main thread: a lone chunk is written at once, under load many
 * together.
 */
import { setPriority } from "node:os";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { invariant } from "../domain/index.ts";
import { markIfDamaged, openHistoryDatabase } from "../store/index.ts";
import type { ToProjectionWorker, WorkerReport } from "./projection-writer.ts";
import { Projector } from "./projector.ts";

const EVENTS_PER_COMMIT = 20_000;
const COMMIT_AFTER_MS = 250;
/**
 * Time from one commit to the next. A lone chunk is written at once; under load a commit costs more
 * than the rows in it, so they share one.
 */
const COMMIT_INTERVAL_MS = 25;
/** Trading goes first on busy cores: history may lag, orders may not. */
const NICENESS = 10;

const { path } = workerData as { readonly path: string };
invariant(parentPort !== null, "the projection worker is started by ProjectionWriter");
const port = parentPort;
// On Linux this is the priority of the calling thread alone; elsewhere it would be the process's.
if (process.platform === "linux") setPriority(NICENESS);
const sleeper = new Int32Array(new SharedArrayBuffer(4));
let committedMs = Number.NEGATIVE_INFINITY;
const history = openHistoryDatabase(path, { readOnly: false });

try {
  const projector = await Projector.load(history);
  port.on("message", (message: ToProjectionWorker) => {
    try {
      writeWaiting(projector, message);
    } catch (error) {
      markIfDamaged(path, error);
      throw error;
    }
  });
} catch (error) {
  markIfDamaged(path, error);
  throw error;
}

/** Writes the message and those queued behind it. */
function writeWaiting(projector: Projector, first: ToProjectionWorker): void {
  let message: ToProjectionWorker | undefined = first;
  while (message?.kind === "chunk") message = writeTransaction(projector, message.chunk);
  if (message?.kind === "close") {
    history.connection.exec("pragma wal_checkpoint(truncate)");
    history.connection.close();
    port.close();
  }
}

/** Returns the message that it read but did not write, if any. */
function writeTransaction(projector: Projector, first: Uint8Array): ToProjectionWorker | undefined {
  const waitMs = committedMs + COMMIT_INTERVAL_MS - performance.now();
  if (waitMs > 0) Atomics.wait(sleeper, 0, 0, waitMs);
  const startedMs = performance.now();
  let bytes = first.byteLength;
  projector.begin();
  let events = projector.apply(first);
  let next: ToProjectionWorker | undefined;
  while (events < EVENTS_PER_COMMIT && performance.now() - startedMs < COMMIT_AFTER_MS) {
    next = receiveMessageOnPort(port)?.message as ToProjectionWorker | undefined;
    if (next?.kind !== "chunk") break;
    bytes += next.chunk.byteLength;
    events += projector.apply(next.chunk);
    next = undefined;
  }
  projector.commit();
  committedMs = performance.now();
  report({ appliedSequence: projector.appliedSequence, bytes });
  return next;
}

function report(message: WorkerReport): void {
  port.postMessage(message);
}
