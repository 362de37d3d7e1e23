/**
 * The engine alone, including ledger, fees and events, at different depths of the book, and with
 * contracts listed beside the spot market; and the total memory of an open order.
 */
import assert from "node:assert/strict";
import { contractCommands } from "./contract-engine.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";
import { FedEngine, OrderFlow } from "./spot-engine.ts";

const MEASURED = scaled(300_000);
const ROUNDS = 3;
const SMALLEST = 1_000;
const DEPTHS = [SMALLEST, scaled(100_000), scaled(1_000_000)];
const MEMORY_ORDERS = scaled(1_000_000);
const PAIRS = 9;
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
    const rate = median(rates);
    if (depth === SMALLEST) atSmallest = rate;
    rows.push({
      name: `engine, ${depth} resting orders`,
      value: Math.round(rate),
      unit: "commands/s",
      note: `${(rate / atSmallest).toFixed(2)} of 1,000 resting`,
    });
  }
  rows.push(contractsListedRow());
  rows.push({ name: "memory per open order", value: bytes, unit: "bytes" });
  return rows;
}

/** The same spot orders in an engine that also lists a contract, and in one that does not. */
function contractsListedRow(): BenchRow {
  const [without, listed] = [[], contractCommands()].map((further) => {
    const fed = new FedEngine(further);
    const flow = new OrderFlow(1);
    for (let i = 0; i < SMALLEST; i++) fed.apply(flow.resting());
    return () => measure(fed, flow);
  }) as [() => number, () => number];
  const ratios: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    // Each of the two goes first in turn.
    const order = pair % 2 === 0 ? [without, listed] : [listed, without];
    const rates = new Map(order.map((run) => [run, run()]));
    ratios.push((rates.get(listed) as number) / (rates.get(without) as number));
  }
  return targetRow("spotWithContracts", median(ratios), `median of ${PAIRS} pairs`);
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
