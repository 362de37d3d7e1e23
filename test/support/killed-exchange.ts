/** What suites do to an exchange that they kill. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ExchangeProcess } from "./exchange-process.ts";
import { NoAnswer } from "./http-exchange.ts";
import { PROGRAM } from "./program.ts";

/** Acts again and again until the process is gone; any other surprise is a failure. */
export async function untilGone(act: () => Promise<void>): Promise<void> {
  try {
    for (;;) await act();
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
  }
}

/** Kills it, builds the history anew from the journal, and starts it again. */
export async function rebuildHistory(exchange: ExchangeProcess): Promise<void> {
  await exchange.kill("SIGKILL");
  const flags = ["projections", "rebuild", "--data-dir", exchange.dataFolder];
  await promisify(execFile)(process.execPath, [PROGRAM, ...flags]);
  await exchange.restart();
}
