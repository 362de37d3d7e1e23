/**
 * The engine alone, including ledger, fees and events, at different depths of the book; and the
 * total memory of an open order.
 */
import assert from "node:assert/strict";
import type { BenchRow } from "./report.ts";
import { FedEngine, OrderFlow } from "./spot-engine.ts";

const MEASURED = 300_000;
const ROUNDS = 3;
const DEPTHS = [1_000, 100_000, 1_000_000] as const;
const MEMORY_ORDERS = 1_000_000;
const GIVEN_BACK_MS = 500;

export function runEngineBench(): BenchRow[] {
  const rows: BenchRow[] = [];
  // First, while memory contains nothing else that could be freed during the measurement.
  const bytes = Math.round(bytesPerOrder());
  let atSmallest = 0;
  for (const depth of DEPTHS) {
    const fed = new FedEngine();
    const flow = new OrderFlow(1);
    for (let i = 0; i < depth; i++) fed.apply(flow.resting());
    const rates: number[] = [];
    for (let round = 0; round < ROUNDS; round++) rates.push(measure(fed, flow));
    const median = rates.sort((a, b) => a - b)[1] as number;
    if (depth === DEPTHS[0]) atSmallest = median;
    rows.push({
      name: `engine, ${depth} resting orders`,
      value: Math.round(median),
      unit: "commands/s",
      note: `${(median / atSmallest).toFixed(2)} of 1,000 resting`,
    });
  }
  rows.push({ name: "memory per open order", value: bytes, unit: "bytes" });
  return rows;
}

/**
 * Growth of the process's resident memory, without the commands that caused it. Arrays reserve room
 * for later entries; the system provides it when it is written to.
 */
function bytesPerOrder(): number {
  const flow = new OrderFlow(1);
  const fed = new FedEngine();
  const commands = Array.from({ length: MEMORY_ORDERS }, () => flow.resting());
  const acceptedBefore = fed.accepted;
  const before = memoryBytes();
  for (const command of commands) fed.apply(command);
  const bytes = memoryBytes() - before;
  assert.equal(fed.accepted - acceptedBefore, commands.length);
  return bytes / MEMORY_ORDERS;
}

function measure(fed: FedEngine, flow: OrderFlow): number {
  const commands = Array.from({ length: MEASURED }, () => flow.next());
  // The thread's own processor time, which other work on the machine does not distort.
  const before = process.threadCpuUsage();
  for (const command of commands) fed.apply(command);
  const { user, system } = process.threadCpuUsage(before);
  return (MEASURED / (user + system)) * 1_000_000;
}

function memoryBytes(): number {
  globalThis.gc?.();
  // Unreferenced arrays are freed on another thread.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, GIVEN_BACK_MS);
  globalThis.gc?.();
  return process.memoryUsage.rss();
}
