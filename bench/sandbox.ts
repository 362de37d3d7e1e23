/** What a sandbox costs those who test with it: starts, restores and jumps of the clock. */
import { startExchange, type TestExchange } from "../src/testing/index.ts";
import { type BenchRow, targetRow } from "./report.ts";
import { runFaultBench } from "./sandbox-faults.ts";
import { runRestoreBench } from "./sandbox-restore.ts";
import { runStartBench } from "./sandbox-start.ts";

const DAYS = 90;
const DAY_MS = 86_400_000;
const PAIRS = 10;

export async function runSandboxBench(): Promise<readonly BenchRow[]> {
  return [
    ...(await runStartBench()),
    ...(await runRestoreBench()),
    await measureClock(),
    ...(await runFaultBench()),
  ];
}

/** Funding three times a day of twenty positions, and every other timer. */
async function measureClock(): Promise<BenchRow> {
  await using exchange = await startExchange({ contracts: ["BTCUSDT"] });
  for (let i = 0; i < PAIRS; i++) await openPair(exchange);
  const begun = performance.now();
  await exchange.advanceClock(DAYS * DAY_MS);
  const seconds = (performance.now() - begun) / 1_000;
  return targetRow("clock", seconds, `${2 * PAIRS} open positions`);
}

async function openPair(exchange: TestExchange): Promise<void> {
  const terms = { symbol: "BTCUSDT", quantity: "0.1", price: "60000" } as const;
  for (const [side, positionSide] of [
    ["SELL", "SHORT"],
    ["BUY", "LONG"],
  ] as const) {
    const { contract } = await exchange.client(
      await exchange.createUser({ contract: { USDT: "1000000" } }),
    );
    await contract.placeOrder({ ...terms, side, positionSide, type: "LIMIT", timeInForce: "GTC" });
  }
}
