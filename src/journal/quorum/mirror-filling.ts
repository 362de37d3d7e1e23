/** Finds where a mirror ends in the log, and fetches what it lacks. */
import { DamagedJournal, refuse } from "../damage.ts";
import { sameBytes } from "../disk/fixed-width.ts";
import { BATCH_HEADER_BYTES, decodeBatch, decodeBatchHeader } from "../segments/batch-format.ts";
import type { ChainPosition } from "../segments/segment-scan.ts";
import { END, type LogRow, type LogRowWithBytes, lastRowThrough, rowsAfter } from "./log-table.ts";
import type { Mirror } from "./mirror.ts";
import type { PrimarySession } from "./primary-session.ts";

/**
 * The ordinal of the last row that the mirror has. Part of a row, which a crash left at its end, is
 * cut off. Rejects with `DamagedJournal` when the log lacks what the mirror has: everything in a
 * mirror was durable.
 */
export async function align(
  session: PrimarySession,
  mirror: Mirror,
  timeoutMs: number,
): Promise<number> {
  const { sequence, chainHash } = mirror.position;
  const [row] = (await session.query<LogRow>(lastRowThrough(sequence), timeoutMs)).rows;
  if (row === undefined) throw tooOld(sequence);
  const known = Number(row.last_sequence);
  if (known === sequence) {
    if (sameBytes(row.chain_hash, chainHash)) return Number(row.ordinal);
    throw missing(sequence, "the log has other commands");
  }
  const [end] = (await session.query<LogRow>(END, timeoutMs)).rows;
  if (end === undefined || Number(end.last_sequence) < sequence) {
    throw missing(sequence, `the log ends with sequence ${end?.last_sequence ?? 0}`);
  }
  await mirror.cutTo(known);
  if (!sameBytes(row.chain_hash, mirror.position.chainHash)) {
    throw missing(known, "the log has other commands");
  }
  return Number(row.ordinal);
}

/** Its oldest parts were dropped. */
function tooOld(sequence: number): DamagedJournal {
  const advice =
    "Begin with the files of another node: copy the folders journal and snapshots from its data " +
    "folder, or from a restored backup of it, into this one, which is empty";
  const file = "the log in PostgreSQL";
  const problem = `it begins after sequence ${sequence}, where this node's copy ends`;
  return new DamagedJournal(refuse("unusable", { file }, problem, advice));
}

function missing(sequence: number, problem: string): DamagedJournal {
  const advice =
    "Either PostgreSQL was restored or promoted without acknowledged commands, which this copy " +
    "has; or the copy is of another log. Move the data folder away to go on with the log as it is";
  const place = { file: "the log in PostgreSQL", sequence };
  return new DamagedJournal(refuse("damaged", place, problem, advice));
}

/** Copies the rows between two ordinals, each checked against the chain. */
export async function fill(
  session: PrimarySession,
  mirror: Mirror,
  { after, before }: { readonly after: number; readonly before: number },
  timeoutMs: number,
): Promise<void> {
  for (let ordinal = after; ordinal < before - 1; ) {
    const { rows } = await session.query<LogRowWithBytes>(rowsAfter(ordinal), timeoutMs);
    for (const row of rows) {
      if (Number(row.ordinal) >= before) return;
      ordinal++;
      if (Number(row.ordinal) !== ordinal) throw broken(row, `row ${ordinal} is missing`);
      if (row.bytes !== null)
        await mirror.write(row.bytes, checked(row, row.bytes, mirror.position));
    }
    if (rows.length === 0) throw new Error("the log became shorter while it was read");
  }
}

/** The position after a row's batches, which follow from the one before. */
function checked(row: LogRow, bytes: Buffer, before: ChainPosition): ChainPosition {
  let { chainHash, sequence } = before;
  for (let at = 0; at < bytes.length; ) {
    const header = decodeBatchHeader(bytes.subarray(at, at + BATCH_HEADER_BYTES));
    if (header === null) throw broken(row, "its bytes are no batches");
    const isNext = header.firstSequence === sequence + 1 && header.epoch === row.epoch;
    if (!isNext || !sameBytes(header.previousChainHash, chainHash)) {
      throw broken(row, "it does not follow from the row before it");
    }
    const batch = decodeBatch(header, bytes.subarray(at, at + header.byteLength));
    if (typeof batch === "string") throw broken(row, batch);
    chainHash = batch.chainHash;
    sequence = header.lastSequence;
    at += header.byteLength;
  }
  if (sequence !== Number(row.last_sequence) || !sameBytes(chainHash, row.chain_hash)) {
    throw broken(row, "its bytes do not end where it says");
  }
  return { chainHash: new Uint8Array(chainHash), sequence, epoch: row.epoch };
}

function broken(row: LogRow, problem: string): DamagedJournal {
  const file = `row ${row.ordinal} of rialto.log`;
  const advice = "Restore PostgreSQL from a copy, or fail over to a standby whose log is whole";
  return new DamagedJournal(refuse("damaged", { file }, problem, advice));
}
