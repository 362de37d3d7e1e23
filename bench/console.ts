/**
 * The trade page in a real browser: how much it takes on the wire, how soon it can be used, and,
 * under updates faster than anyone could read, its frames per second and its memory. Browser and
 * page run on one core, exchange and load on the others, where the machine can separate them.
 *
 * It takes about four minutes; `RIALTO_BENCH_MINUTES=10` watches the memory for ten.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import { RialtoClient } from "../src/client/index.ts";
import { TestBrowser, type Visit } from "../test/support/browser.ts";
import { type DemoAccount, ExchangeProcess } from "../test/support/exchange-process.ts";
import { measureLoads } from "./console-load.ts";
import { pinToCores } from "./cores.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { SCALE } from "./scale.ts";

const MINUTES = Number(process.env.RIALTO_BENCH_MINUTES ?? 3 * SCALE);
/** Five channels of a spot page at this rate, and the account: well over 200 updates a second. */
const STREAM_INTERVAL_MS = 15;
const SYMBOL = "BTCUSDT";
/** Of both accounts together, alternating; half of them from the account that is signed in. */
const ORDERS_PER_SECOND = 60;
const QUANTITY = "0.001";
const HISTORY_TRIES = 300;
const WARM_UP_MS = 10_000;
const WINDOW_MS = 10_000;

interface Window {
  readonly framesPerSecond: number;
  /** The longest of the best 99 % of frames. */
  readonly p99Ms: number;
  readonly updatesPerSecond: number;
  readonly heapBytes: number;
  readonly nodes: number;
}

export async function runConsoleBench(): Promise<BenchRow[]> {
  const flags = ["--stream-interval", String(STREAM_INTERVAL_MS)];
  const exchange = await ExchangeProcess.start({ profile: "demo", flags });
  const browser = await TestBrowser.launch();
  const load = new Load(exchange);
  try {
    const visit = await browser.visit(exchange.baseUrl, { width: 1440 });
    const cores = pinToCores();
    await untilHistory(exchange);
    const loads = await measureLoads(browser, exchange.baseUrl, SYMBOL);
    const counted = countUpdates(visit.page);
    await openTradePage(visit, exchange.baseUrl);
    const devtools = await visit.page.context().newCDPSession(visit.page);
    load.start();
    await sleep(WARM_UP_MS);
    const windows: Window[] = [];
    const endMs = performance.now() + MINUTES * 60_000;
    do {
      const window = await measure(visit.page, devtools, counted);
      windows.push(window);
      process.stderr.write(`${progressOf(window, endMs)}\n`);
    } while (performance.now() < endMs);
    visit.assertClean();
    return [...loads, ...rowsOf(windows, cores)];
  } finally {
    await load.stop();
    await browser.close();
    await exchange.stop();
  }
}

/** The demo's past is written for a while after the start; charts wait for it. */
async function untilHistory({ baseUrl }: ExchangeProcess): Promise<void> {
  const { spot } = new RialtoClient({ baseUrl });
  for (let tries = 0; tries < HISTORY_TRIES; tries++) {
    try {
      await spot.klines({ symbol: SYMBOL, interval: "1m" });
      return;
    } catch {
      await sleep(1_000);
    }
  }
  throw new Error("the history did not catch up");
}

async function openTradePage({ page }: Visit, origin: string): Promise<void> {
  await page.goto(`${origin}/`);
  await page.getByRole("button", { name: "Trader 1001" }).first().click();
  await page.getByRole("button", { name: /Account 1001/ }).waitFor();
  await page.getByRole("link", { name: "Spot", exact: true }).click();
  await page.getByText("Live").first().waitFor();
}

/** Orders that trade at once, so that book, trades, ticker, candle and account all change. */
class Load {
  readonly #clients: readonly RialtoClient[];
  #isRunning = false;
  #ended: Promise<void> = Promise.resolve();

  constructor({ baseUrl, demo }: ExchangeProcess) {
    this.#clients = demo.slice(0, 2).map((account: DemoAccount) => {
      const { apiKey, secret, passphrase } = account;
      return new RialtoClient({ baseUrl, credentials: { apiKey, secret, passphrase } });
    });
  }

  start(): void {
    this.#isRunning = true;
    this.#ended = this.#run();
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await this.#ended;
  }

  async #run(): Promise<void> {
    const beginMs = performance.now();
    for (let order = 0; this.#isRunning; order++) {
      const dueMs = beginMs + (order * 1000) / ORDERS_PER_SECOND;
      await sleep(Math.max(0, dueMs - performance.now()));
      // Each account buys, then sells, so that neither runs out of funds.
      const client = this.#clients[order % 2] as RialtoClient;
      const side = order % 4 < 2 ? "BUY" : "SELL";
      await client.spot.placeOrder({ symbol: SYMBOL, side, type: "MARKET", quantity: QUANTITY });
    }
  }
}

interface Counted {
  updates: number;
}

function countUpdates(page: Page): Counted {
  const counted: Counted = { updates: 0 };
  page.on("websocket", (socket) => socket.on("framereceived", () => counted.updates++));
  return counted;
}

async function measure(page: Page, devtools: CDPSession, counted: Counted): Promise<Window> {
  const before = counted.updates;
  const beginMs = performance.now();
  const gaps = await page.evaluate(frameGaps, WINDOW_MS);
  const seconds = (performance.now() - beginMs) / 1000;
  const updatesPerSecond = (counted.updates - before) / seconds;
  const sorted = gaps.toSorted((a, b) => a - b);
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { nodes } = await devtools.send("Memory.getDOMCounters");
  return {
    framesPerSecond: (gaps.length / total) * 1000,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    updatesPerSecond,
    heapBytes: usedSize,
    nodes,
  };
}

/** Globals of the page in which the function below runs. */
declare function requestAnimationFrame(callback: (nowMs: number) => void): number;

/** Runs in the page: measures the times between its frames. */
function frameGaps(windowMs: number): Promise<number[]> {
  return new Promise((resolve) => {
    const gaps: number[] = [];
    let firstMs = 0;
    let lastMs = 0;
    const next = (nowMs: number): void => {
      if (firstMs === 0) firstMs = nowMs;
      else gaps.push(nowMs - lastMs);
      lastMs = nowMs;
      if (nowMs - firstMs >= windowMs) resolve(gaps);
      else requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}

function progressOf(window: Window, endMs: number): string {
  const { framesPerSecond, updatesPerSecond, heapBytes } = window;
  const leftSeconds = Math.max(0, Math.round((endMs - performance.now()) / 1000));
  return (
    `  ${framesPerSecond.toFixed(1)} frames/s with ${updatesPerSecond.toFixed(0)} updates/s, ` +
    `${megabytes(heapBytes).toFixed(1)} MB; ${leftSeconds} s left`
  );
}

function rowsOf(windows: readonly Window[], pinned: boolean): BenchRow[] {
  const third = Math.ceil(windows.length / 3);
  const [first, last] = [windows.slice(0, third), windows.slice(-third)];
  const of = (read: (window: Window) => number, among = windows): number => median(among.map(read));
  const note = pinned ? "browser and page on one core" : "cores shared with exchange and load";
  const slowest = Math.min(...windows.map(({ framesPerSecond }) => framesPerSecond));
  const heap = (among: readonly Window[]): number => megabytes(of((w) => w.heapBytes, among));
  const over = `of ${MINUTES} minutes`;
  return [
    targetRow(
      "pageUpdates",
      of((w) => w.updatesPerSecond),
    ),
    targetRow(
      "pageFrames",
      of((w) => w.framesPerSecond),
      note,
    ),
    { name: "frames, slowest 10 s", value: slowest, unit: "frames/s", note },
    { name: "time between frames, p99", value: of((w) => w.p99Ms), unit: "ms", note },
    { name: `heap, first third ${over}`, value: heap(first), unit: "MB" },
    { name: `heap, last third ${over}`, value: heap(last), unit: "MB" },
    targetRow("pageHeap", heap(last) / heap(first), over),
    { name: "elements, at first", value: windows[0]?.nodes ?? 0, unit: "nodes" },
    { name: "elements, at the end", value: windows.at(-1)?.nodes ?? 0, unit: "nodes" },
  ];
}

function megabytes(bytes: number): number {
  return bytes / 1e6;
}
