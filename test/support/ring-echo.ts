/**
 * The other side of the stress test of rings, in a thread of its own: sends every record back, in
 * order, and rests at random moments. Ends when the port closes.
 */
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import {
  RingInbox,
  type RingMemory,
  RingReader,
  RingWriter,
  recordSpace,
} from "../../src/threads/index.ts";
import { Random } from "./random.ts";

export interface RingEchoData {
  readonly inward: RingMemory;
  readonly outward: RingMemory;
  readonly budgetBytes: number;
  readonly seed: number;
}

const { inward, outward, budgetBytes, seed } = workerData as RingEchoData;
const port = parentPort as MessagePort;
const random = new Random(seed);
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const send = () => port.postMessage(null);
const reader = new RingReader(inward, send);
const writer = new RingWriter(outward, send);
/** Records that the full ring did not take, in order. */
let waiting: Uint8Array[] = [];

function echo(record: Uint8Array): void {
  if (random.chance(0.001)) Atomics.wait(sleeper, 0, 0, random.integer(0, 2));
  if (waiting.length > 0 || !writer.tryWrite(record)) waiting.push(record.slice());
}

/** Until nothing waits, or an event will come when there is space. */
function writeWaiting(): void {
  while (waiting.length > 0) {
    const [first] = waiting as [Uint8Array];
    if (writer.tryWrite(first)) waiting = waiting.slice(1);
    else if (writer.fallAsleep(() => writer.freeBytes >= recordSpace(first.length))) break;
  }
  writer.flush();
}

const inbox = new RingInbox({
  read() {
    writeWaiting();
    // Nothing is read while anything waits: so the other side's ring fills up.
    const freed = waiting.length === 0 ? reader.read(echo, budgetBytes) : 0;
    writeWaiting();
    return freed;
  },
  ring: { fallAsleep: () => waiting.length > 0 || reader.fallAsleep() },
  soon: (turn) => setImmediate(turn),
});
port.on("message", () => inbox.wake());
inbox.wake();
