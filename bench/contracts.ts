/**
 * Contracts: orders in the engine; an index move with many positions, none near its liquidation; a
 * funding slot with many positions; a cascade of liquidations; a snapshot.
 */
import assert from "node:assert/strict";
import type { Command } from "../src/protocol/index.ts";
import {
  ContractEngine,
  indexCommand,
  MAKER_UID,
  MID_TICKS,
  openingOrder,
  SLOT_MS,
} from "./contract-engine.ts";
import { type BenchRow, median } from "./report.ts";
import { scaled } from "./scale.ts";

const ORDERS = scaled(100_000);
const ROUNDS = 3;
const RESTING = 1_000;
const COUNTS = [1_000, scaled(10_000), scaled(100_000)];
const MOVES = scaled(2_000);
const CASCADE = 1_000;

export function runContractBench(): BenchRow[] {
  const rows: BenchRow[] = [orderRow()];
  for (const marginType of ["ISOLATED", "CROSSED"] as const) {
    let atSmallest = 0;
    for (const count of COUNTS) {
      const fed = new ContractEngine();
      fed.openPositions(count, marginType);
      assert.equal(fed.positionCount(), count + 2, "everybody has a position");
      const what = `${count} ${marginType.toLowerCase()} positions`;
      const tick = moveMicroseconds(fed, 1);
      if (count === COUNTS[0]) atSmallest = tick.median;
      const ratio = `${(tick.median / atSmallest).toFixed(2)} of 1,000 positions`;
      rows.push(row(`index ± 1 tick, ${what}`, tick, ratio));
      rows.push(row(`index ± 0.1 %, ${what}`, moveMicroseconds(fed, MID_TICKS / 1_000)));
      assert.equal(fed.positionCount(), count + 2, "nobody was liquidated");
      if (count === COUNTS[2]) rows.push(...largeRows(fed, what));
    }
  }
  rows.push(cascadeRow("1,000 liquidations into the book", true));
  rows.push(cascadeRow("1,000 liquidations into deleveraging", false));
  return rows;
}

/**
 * Half of the orders rest, three of ten are cancels, two of ten trade; the depth of the book stays
 * constant. Commands are made before they are measured.
 */
function orderRow(): BenchRow {
  const fed = new ContractEngine();
  fed.openPositions(100, "CROSSED");
  const next = contractFlow(fed);
  for (let i = 0; i < RESTING; i++) fed.apply(next(0));
  const accepted = fed.accepted;
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const commands = Array.from({ length: ORDERS }, () => next());
    const ms = ownMilliseconds(() => {
      for (const command of commands) fed.apply(command);
    });
    rates.push((ORDERS / ms) * 1_000);
  }
  const count = ROUNDS * ORDERS;
  return {
    name: "contract orders, one account on both sides, 1,000 resting",
    value: Math.round(median(rates)),
    unit: "commands/s",
    note: `${fed.accepted - accepted} of ${count} accepted`,
    target: "contractEngine",
  };
}

/** Makes the next command; of the given kind, or of a random one: below 0.5 an order that rests. */
function contractFlow(fed: ContractEngine): (kind?: number) => Command {
  const resting: string[] = [];
  let dice = 7;
  const random = (): number => {
    dice = (Math.imul(dice, 1_664_525) + 1_013_904_223) >>> 0;
    return dice / 4_294_967_296;
  };
  const place = (distanceTicks: number, clientOrderId = fed.nextClientOrderId()): Command => {
    const opensLong = random() < 0.5;
    const ticks = MID_TICKS + (opensLong ? -distanceTicks : distanceTicks);
    return openingOrder({ uid: MAKER_UID, opensLong, ticks, quantity: "0.002", clientOrderId });
  };
  return (kind = random()) => {
    if (kind >= 0.8) return place(-2);
    if (kind < 0.5) {
      const clientOrderId = fed.nextClientOrderId();
      resting.push(clientOrderId);
      return place(1 + Math.floor(random() * 500), clientOrderId);
    }
    const index = Math.floor(random() * resting.length);
    const clientOrderId = resting[index] ?? "";
    resting[index] = resting.at(-1) ?? "";
    resting.pop();
    return { type: "cancel-contract-order", uid: MAKER_UID, orderId: null, clientOrderId };
  };
}

interface Spread {
  readonly median: number;
  readonly p99: number;
}

/** Alternately up and down, so that the mark stays where it is. */
function moveMicroseconds(fed: ContractEngine, ticks: number): Spread {
  const times: number[] = [];
  for (let i = 0; i < MOVES; i++) {
    const command = indexCommand(MID_TICKS + (i % 2 === 0 ? ticks : -ticks));
    const startedMs = performance.now();
    fed.apply(command);
    times.push((performance.now() - startedMs) * 1_000);
  }
  assert.equal(Number(fed.markPrice()), (MID_TICKS - ticks) / 10, "the mark has moved");
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { median: at(0.5), p99: at(0.99) };
}

function row(name: string, { median, p99 }: Spread, comparison = ""): BenchRow {
  const tail = `p99 ${p99.toFixed(1)} us`;
  const note = comparison === "" ? tail : `${tail}; ${comparison}`;
  return { name, value: Number(median.toFixed(2)), unit: "us, median", note };
}

/** Work on every position, in the thread's own time. */
function largeRows(fed: ContractEngine, what: string): BenchRow[] {
  const slotMs = fed.nowMs + SLOT_MS;
  // Samples and premiums that are due before the slot are not included in its time.
  fed.advanceTo(slotMs - 1);
  const fundingMs = ownMilliseconds(() => fed.advanceTo(slotMs));
  let bytes = 0;
  const snapshotMs = ownMilliseconds(() => {
    for (const section of fed.engine.snapshotSections()) bytes += section.bytes.length;
  });
  return [
    { name: `funding slot, ${what}`, value: Math.round(fundingMs), unit: "ms" },
    {
      name: `snapshot, ${what}`,
      value: Math.round(snapshotMs),
      unit: "ms",
      note: `${(bytes / 1_000_000).toFixed(1)} MB`,
    },
  ];
}

/**
 * A fall through the liquidation prices of a thousand positions: into bids that take all, or into
 * none.
 */
function cascadeRow(name: string, hasBids: boolean): BenchRow {
  const fed = new ContractEngine();
  // Every other one is a LONG; without bids the SHORT ones are their counterparts.
  fed.openPositions(2 * CASCADE, "ISOLATED");
  const before = fed.positionCount();
  if (hasBids) {
    const terms = { uid: MAKER_UID, opensLong: true, ticks: MID_TICKS - 10, quantity: "10" };
    fed.apply(openingOrder({ ...terms, clientOrderId: fed.nextClientOrderId() }));
  }
  const tookMs = ownMilliseconds(() => fed.apply(indexCommand(MID_TICKS - 60_000)));
  return {
    name,
    value: Math.round(tookMs),
    unit: "ms",
    note: `${before - fed.positionCount()} positions ended`,
  };
}

/** The thread's own processor time, which other work on the machine does not distort. */
function ownMilliseconds(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
