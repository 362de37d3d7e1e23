/**
 * A program that replays a recording into nothing, as `rialto replay` does into an exchange, and
 * prints its messages and the most memory that it had: a process of its own is measured alone.
 */
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import { findTapeFiles, Replayer, type ReplayTarget } from "../../src/tapes/index.ts";

const NO_FILLS = { testerFills: 0, testerQuantity: "0", slippage: "0" };

const NOWHERE: ReplayTarget = {
  begin: async () => undefined,
  apply: async () => ({ ...NO_FILLS, impossible: [], books: [] }),
  end: async () => NO_FILLS,
  clock: async () => ({ time: 0, speed: 1, run: null }),
  setClock: async () => undefined,
};

const replayer = new Replayer({
  target: NOWHERE,
  files: await findTapeFiles(process.argv.slice(2), null),
  market: { symbol: "AAPLUSDT", tickSize: "0.01", stepSize: "1" },
  queue: "pessimistic",
  pace: { kind: "fast" },
  tapeTime: false,
  expect: null,
  platform: NODE_PLATFORM,
  onProgress: () => undefined,
  isInterrupted: () => false,
});
const { messages } = await replayer.run();
const { maxRSS } = process.resourceUsage();
console.log(JSON.stringify({ messages, residentBytes: maxRSS * 1_024 }));
