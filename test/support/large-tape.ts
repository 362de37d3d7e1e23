/**
 * Makes a recording by levels of any size, compressed, without having it in memory, and replays it
 * in a process of its own whose memory is measured.
 */
import { execFile } from "node:child_process";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip } from "node:zlib";
import { ROOT } from "./root.ts";

const run = promisify(execFile);
/** V8 gives up beyond it; the tape is larger. */
const HEAP_MB = 20;

const HEADING = "exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n";
const START_US = 1_700_000_000_000_000;
/** Levels of a side. */
const LEVELS = 400;
const BEST = { bid: 10_000, ask: 10_001 };
const ROWS_PER_MESSAGE = 8;
const PIECE_CHARACTERS = 512 * 1024;

export interface Measured {
  /** Of the tape, not compressed. */
  readonly bytes: number;
  /** That are in it. */
  readonly written: number;
  /** That were replayed. */
  readonly messages: number;
  /** At most, of the whole process. */
  readonly residentBytes: number;
}

/** Of a tape of at least so many bytes; it is deleted. */
export async function measureTape(bytes: number): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-large-tape-"));
  try {
    const path = join(folder, "book.csv.gz");
    const written = await writeTape(path, bytes);
    const { stdout } = await run(join(ROOT, "node_modules/.bin/node"), [
      `--max-old-space-size=${HEAP_MB}`,
      join(ROOT, "test/support/tape-memory.ts"),
      path,
    ]);
    const replayed = JSON.parse(stdout) as Pick<Measured, "messages" | "residentBytes">;
    return { bytes: written.bytes, written: written.messages, ...replayed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function writeTape(path: string, bytes: number) {
  const written = { messages: 1, bytes: 0 };
  const pieces = function* (): Generator<string> {
    let piece = HEADING + snapshot();
    for (let n = 0; written.bytes < bytes; n++) {
      const us = START_US + n * 500;
      for (let i = 0; i < ROWS_PER_MESSAGE; i++) piece += changeAt(us, n * ROWS_PER_MESSAGE + i);
      written.messages++;
      if (piece.length < PIECE_CHARACTERS) continue;
      written.bytes += piece.length;
      yield piece;
      piece = "";
    }
  };
  await pipeline(Readable.from(pieces()), createGzip({ level: 1 }), createWriteStream(path));
  return written;
}

function snapshot(): string {
  let rows = "";
  for (let i = 0; i < LEVELS; i++) {
    for (const side of ["bid", "ask"] as const) rows += row(START_US, true, side, i, 50);
  }
  return rows;
}

/** Any level of the book, near the best ones more often; now and then none is left of it. */
function changeAt(us: number, n: number): string {
  const mixed = Math.imul(n ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
  const level = (mixed % LEVELS) & (mixed >>> 20);
  const amount = (mixed >>> 9) % 17 === 0 ? 0 : ((mixed >>> 5) % 900) + 1;
  return row(us, false, mixed & 1 ? "bid" : "ask", level, amount);
}

function row(
  us: number,
  isSnapshot: boolean,
  side: "bid" | "ask",
  level: number,
  amount: number,
): string {
  const price = (BEST[side] + (side === "bid" ? -level : level)) / 100;
  return `binance,AAPLUSDT,${us},${us + 1_500},${isSnapshot},${side},${price},${amount}\n`;
}
