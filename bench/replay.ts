/**
 * How fast a recorded market is replayed as fast as possible: LOBSTER messages from a file, through
 * the command line and the operator API, journaled and in the history. The check of the file before
 * it and the start of the command are part of the time.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startExchange } from "../src/testing/index.ts";
import { Random } from "../test/support/random.ts";
import { makeTape, NaiveTapeBook, rowText, type TapeRow } from "../test/support/tape-maker.ts";
import { type BenchRow, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";

/** A part ends with an empty book, and is repeated. */
const PART = 5_000;
const PARTS = scaled(60, 2);
const TRADES = scaled(100_000, 10_000);
const SYMBOL = "BTCUSDT";
const MS_PER_S = 1_000;

export async function runReplayBench(): Promise<readonly BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-bench-replay-"));
  try {
    const random = new Random(20);
    const tape = join(folder, "tape.csv");
    const rows = lobsterRows(makeTape(random, PART));
    writeFileSync(tape, `${rows.join("\n")}\n`);
    const trades = join(folder, "trades.csv");
    writeFileSync(trades, `timestamp,price,quantity\n${tradeRows(TRADES).join("\n")}\n`);
    await using exchange = await startExchange({ spot: [SYMBOL] });
    const perSecond = async (path: string, count: number): Promise<number> => {
      const begun = performance.now();
      const { messages } = await exchange.replay(path, { symbol: SYMBOL });
      if (messages !== count) throw new Error(`${messages} of ${count} messages replayed`);
      return (count / (performance.now() - begun)) * MS_PER_S;
    };
    const lobster = await perSecond(tape, rows.length);
    await exchange.reset();
    return [
      targetRow("replay", lobster, `${rows.length} LOBSTER messages, check and start included`),
      { name: "replay of trades", value: await perSecond(trades, TRADES), unit: "trades/s" },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The part again and again, each time with ids and times of its own. */
function lobsterRows(part: readonly TapeRow[]): string[] {
  const book = new NaiveTapeBook();
  for (const row of part) book.apply(row);
  const lastTime = part.at(-1)?.time ?? "0";
  const closing = book.orders.map((order) => ({ ...order, type: 3, time: lastTime }));
  const whole = [...part, ...closing];
  const seconds = Math.ceil(Number(lastTime) - Number(part[0]?.time));
  return Array.from({ length: PARTS }, (_, n) =>
    whole.map((row) => {
      const time = (Number(row.time) + n * seconds).toFixed(6);
      return rowText({ ...row, id: `${n}${row.id.padStart(6, "0")}`, time });
    }),
  ).flat();
}

function tradeRows(count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const price = 100 + (i % 200) / 100;
    return `${1_700_000_000_000 + i * 20},${price.toFixed(2)},0.5`;
  });
}
