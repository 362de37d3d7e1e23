/** The text of `rialto journal inspect | verify | repair`; `--json` prints the values instead. */
import { basename } from "node:path";
import { commandType, type JournalInspection, type SegmentRow } from "./inspect.ts";
import type { DropPlan, DroppedBatch } from "./repair.ts";

/** Segments as a table, commands by type, and the damage. */
export function describeInspection(inspection: JournalInspection): string {
  const { segments, commands, ring } = inspection;
  const rows = [SEGMENT_COLUMNS, ...segments.map(segmentCells)];
  const parts = [table(rows)];
  const types = Object.entries(commands).sort(([, left], [, right]) => right - left);
  if (types.length > 0) {
    parts.push(table(types.map(([type, count]) => [type, counted(count)])));
  }
  const newest = ring.newestSequence ?? "none";
  parts.push(
    `header ring: ${ring.entries} entries, newest ${newest}, ${ring.damagedSlots} damaged`,
  );
  parts.push(describeVerdict(inspection));
  return parts.join("\n\n");
}

/** The last lines of an inspection, and the whole of a verification. */
export function describeVerdict(inspection: JournalInspection): string {
  const { ok, damage, notes, batches, records, lastSequence, chainHash } = inspection;
  const lines = notes.map((note) => `note: ${note}`);
  for (const { message } of damage) lines.push(`DAMAGE: ${message}`);
  const size = `${counted(records)} commands in ${counted(batches)} batches`;
  lines.push(`${ok ? "whole" : "DAMAGED"}: ${size}, up to sequence ${lastSequence}`);
  if (ok) lines.push(`chain hash ${chainHash}`);
  return lines.join("\n");
}

/** What a repair drops, or dropped. */
export function describeDrop(plan: DropPlan): string {
  const { afterSequence, batches, droppedBatches, droppedRecords, unreadableBytes, cut } = plan;
  const lines = batches.map(describeDroppedBatch);
  const unlisted = droppedBatches - batches.length;
  if (unlisted > 0)
    lines.push(`… and ${unlisted} more batches, up to ${plan.lastReadableSequence}`);
  if (unreadableBytes > 0) lines.push(`${unreadableBytes} bytes that cannot be read`);
  for (const file of plan.removedFiles) lines.push(`the whole of ${file}`);
  if (cut !== null) lines.push(`${cut.file} from offset ${cut.offset} on`);
  lines.push(
    `${counted(droppedRecords)} readable commands in ${counted(droppedBatches)} batches ` +
      `after sequence ${afterSequence}`,
  );
  return lines.join("\n");
}

function describeDroppedBatch(batch: DroppedBatch): string {
  const { file, offset, firstSequence, lastSequence, timestampMs, records } = batch;
  const types = new Map<string, number>();
  for (const record of records) {
    const type = commandType(record);
    types.set(type, (types.get(type) ?? 0) + 1);
  }
  const what = [...types].map(([type, count]) => `${count} ${type}`).join(", ");
  const time = new Date(timestampMs).toISOString();
  const place = `${basename(file)}, offset ${offset}`;
  return `${firstSequence}–${lastSequence}  ${time}  ${what}  (${place})`;
}

const SEGMENT_COLUMNS = [
  "segment",
  "bytes",
  "first",
  "last",
  "batches",
  "commands",
  "from",
  "to",
  "epochs",
  "digests",
];

function segmentCells(row: SegmentRow): string[] {
  const epochs = row.firstEpoch === null ? "" : `${row.firstEpoch}–${row.lastEpoch}`;
  return [
    basename(row.file),
    String(row.fileBytes),
    String(row.firstSequence),
    String(row.lastSequence),
    String(row.batches),
    String(row.records),
    isoTime(row.firstTimestampMs),
    isoTime(row.lastTimestampMs),
    epochs,
    String(row.digests),
  ];
}

function counted(count: number): string {
  return count.toLocaleString("en-US");
}

function isoTime(timestampMs: number | null): string {
  return timestampMs === null ? "" : new Date(timestampMs).toISOString();
}

function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
