/**
 * The cost of a commission report at any depth: 1,000,000 commissions of one affiliate, written
 * straight into a history file, then pages of 200 from its start and its end through the reader
 * thread.
 */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NODE_PLATFORM } from "../src/platform/index.ts";
import { HistoryReader } from "../src/queries/index.ts";
import {
  historyPath,
  openHistoryDatabase,
  prepareHistoryFile,
  RowWriter,
} from "../src/store/index.ts";
import type { BenchRow } from "./report.ts";
import { scaled } from "./scale.ts";

const ROWS = scaled(1_000_000);
const ROWS_PER_TRANSACTION = 50_000;
const PAGE_SIZE = 200;
const AFFILIATE = 1_001;
const TRADERS = 1_000;
const ASSETS = ["USDT", "BTC"] as const;
const START_MS = Date.UTC(2026, 0, 1);
const STEP_MS = 1_000;
const QUESTIONS_EACH = scaled(100);

/** Writes `rows` commissions and queries pages of them; the rows are plain JSON. */
export async function runAffiliateBench(rows = ROWS): Promise<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "rialto-bench-"));
  try {
    await prepareHistoryFile(folder, console.error);
    const path = historyPath(folder);
    const startedMs = performance.now();
    fill(path, rows);
    const perSecond = Math.round((rows / (performance.now() - startedMs)) * 1_000);
    const written: BenchRow[] = [
      { name: "commissions written", value: rows, unit: "rows" },
      { name: "write rate", value: perSecond, unit: "rows/s" },
      { name: "file", value: Math.round(statSync(path).size / rows), unit: "bytes/row" },
    ];
    return [...written, ...(await queryAll(path, rows))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill(path: string, rows: number): void {
  const { db, connection } = openHistoryDatabase(path, { readOnly: false });
  const writer = new RowWriter(db, connection);
  for (let done = 0; done < rows; ) {
    connection.exec("begin immediate");
    for (const end = Math.min(rows, done + ROWS_PER_TRANSACTION); done < end; done++) {
      writer.insert("commissions", commission(done));
    }
    connection.exec("commit");
  }
  connection.close();
}

/** Every trader in turn, each with both coins, so that the position among them is computed. */
function commission(index: number) {
  const pair = index % (TRADERS * ASSETS.length);
  return {
    affiliate_uid: AFFILIATE,
    product: "contract" as const,
    ordinal: index + 1,
    trader_ordinal: Math.floor(index / (TRADERS * ASSETS.length)) * 2 + (index % 2) + 1,
    asset_ordinal: Math.floor(index / ASSETS.length) + 1,
    both_ordinal: Math.floor(index / (TRADERS * ASSETS.length)) + 1,
    commission_id: index + 1,
    reversed_id: 0,
    trader_uid: 10_000 + Math.floor(pair / ASSETS.length),
    symbol: "BTCUSDT",
    asset: ASSETS[index % ASSETS.length] ?? "USDT",
    trade_id: index + 1,
    maker: index % 2,
    via_uid: 0,
    via_rate_version: 0,
    notional: "1137.619",
    fee: "0.682571",
    rate: "0.1",
    rate_version: 1,
    capped: "0",
    amount: "0.068257",
    flags: "",
    usdt_value: "0.068257",
    time_ms: START_MS + index * STEP_MS,
    held: 0,
    waits_since_settlement: 0,
    reversed_since_settlement: -1,
  };
}

async function queryAll(path: string, rows: number): Promise<BenchRow[]> {
  const onFailure = (error: Error) => {
    throw error;
  };
  const progress = { appliedSequence: 0, onApplied: () => {} };
  const reader = new HistoryReader({ platform: NODE_PLATFORM, path, progress, onFailure });
  const lastMs = START_MS + rows * STEP_MS;
  const all = { fromMs: null, toMs: null };
  const bounded = { fromMs: START_MS + 1, toMs: lastMs - 5_000 };
  const ofAll = { traderUid: null, asset: null, time: all };
  const lastPage = Math.ceil(rows / PAGE_SIZE);
  const ofTrader = { traderUid: 10_000, asset: null, time: all };
  const questions = [
    ["page 1", 1, ofAll],
    [`page ${lastPage.toLocaleString("en-US")}`, lastPage, ofAll],
    ["page 1, both bounds given", 1, { ...ofAll, time: bounded }],
    [
      `page ${(lastPage - 1).toLocaleString("en-US")}, both bounds given`,
      lastPage - 1,
      {
        ...ofAll,
        time: bounded,
      },
    ],
    ["page 1 of a trader", 1, ofTrader],
    [
      "page 1 of a trader and a coin, both bounds",
      1,
      { ...ofTrader, asset: "USDT", time: bounded },
    ],
    ["page 1 of a coin", 1, { ...ofAll, asset: "BTC" }],
  ] as const;
  const answers: BenchRow[] = [];
  for (const [name, page, filters] of questions) {
    const times: number[] = [];
    let total = 0;
    for (let i = 0; i < QUESTIONS_EACH; i++) {
      const question = { affiliateUid: AFFILIATE, product: "contract", ...filters } as const;
      const startedMs = performance.now();
      const paged = { ...question, page: { page, pageSize: PAGE_SIZE } };
      const answered = await reader.query("commissions", paged, 0);
      times.push(performance.now() - startedMs);
      if ("answer" in answered) total = answered.answer.total;
    }
    const note = `of ${total.toLocaleString("en-US")} rows`;
    answers.push({ name, value: median(times), unit: "us", note });
  }
  await reader.close();
  return answers;
}

/** Microseconds. */
function median(timesMs: readonly number[]): number {
  const sorted = timesMs.toSorted((a, b) => a - b);
  return Math.round((sorted[sorted.length >> 1] ?? 0) * 1_000);
}
