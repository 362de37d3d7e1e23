/**
 * The trade page in a real browser: how much it takes on the wire, how soon it can be used, and,
 * under updates faster than anyone could read, its frames per second and its memory. Browser and
 * page run on one core, exchange and load on the others, where the machine can separate them.
 * Frames per second count what else the machine does; the processor time of a frame does not.
 *
 * It takes about five minutes, and fails where a step takes longer than it may;
 * `RIALTO_BENCH_MINUTES=10` watches the memory for ten.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { CDPSession, Page } from "playwright-core";
import { RialtoClient } from "../src/client/index.ts";
import { TestBrowser, type Visit } from "../test/support/browser.ts";
import { type DemoAccount, ExchangeProcess } from "../test/support/exchange-process.ts";
import { measureLoads } from "./console-load.ts";
import { browserCpuMs, pinToCores } from "./cores.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { SCALE } from "./scale.ts";
import { TARGETS } from "./targets.ts";

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
/** Of a window, with what is read after it, on a machine that has other work. */
const WINDOW_MAX_MS = 60_000;
/** Of a fit: 1 − the squared cosine between frames and updates of all windows. */
const LIKENESS_MIN = 0.02;

interface Window {
  readonly framesPerSecond: number;
  /** Of a frame, with all that happened since the one before: the page's own thread. */
  readonly threadMs: number;
  /** The same of all processes of the browser, which draws without a graphics card. */
  readonly browserMs: number | null;
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
    const visit = await browser.visit(exchange.baseUrl, { width: 1440, bareSockets: true });
    const cores = pinToCores();
    say("waiting for the demo's history");
    await untilHistory(exchange);
    const loads = await measureLoads(browser, exchange.baseUrl, SYMBOL, say);
    const counted = countUpdates(visit.page);
    await openTradePage(visit, exchange.baseUrl);
    const devtools = await visit.page.context().newCDPSession(visit.page);
    // Processor time, which other programs do not make longer.
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    say(`orders begin; watching in ${WARM_UP_MS / 1000} s, for ${MINUTES} minutes`);
    load.start();
    await sleep(WARM_UP_MS);
    const windows: Window[] = [];
    const endMs = performance.now() + MINUTES * 60_000;
    do {
      const window = await inTime(measure(visit.page, devtools, counted));
      windows.push(window);
      say(progressOf(window, endMs));
    } while (performance.now() < endMs);
    visit.assertClean();
    return [...loads, ...rowsOf(windows, cores)];
  } finally {
    await load.stop();
    await browser.close();
    await exchange.stop();
  }
}

function say(text: string): void {
  process.stderr.write(`  ${text}\n`);
}

async function inTime(window: Promise<Window>): Promise<Window> {
  const waiting = new AbortController();
  const late = sleep(WINDOW_MAX_MS, undefined, { signal: waiting.signal }).then(() => {
    throw new Error(`the page gave no figures for ${WINDOW_MAX_MS / 1000} s`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([window, late]);
  } finally {
    waiting.abort();
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
  const [cpuBefore, threadBefore] = [browserCpuMs(), await threadMs(devtools)];
  const beginMs = performance.now();
  const gaps = await page.evaluate(frameGaps, WINDOW_MS);
  const seconds = (performance.now() - beginMs) / 1000;
  const [cpuAfter, threadAfter] = [browserCpuMs(), await threadMs(devtools)];
  const updatesPerSecond = (counted.updates - before) / seconds;
  const sorted = gaps.toSorted((a, b) => a - b);
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  const { nodes } = await devtools.send("Memory.getDOMCounters");
  return {
    framesPerSecond: (gaps.length / total) * 1000,
    threadMs: (threadAfter - threadBefore) / gaps.length,
    browserMs:
      cpuBefore === null || cpuAfter === null ? null : (cpuAfter - cpuBefore) / gaps.length,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    updatesPerSecond,
    heapBytes: usedSize,
    nodes,
  };
}

/** Processor time of the page's thread so far. */
async function threadMs(devtools: CDPSession): Promise<number> {
  const { metrics } = await devtools.send("Performance.getMetrics");
  return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1000;
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
  const { framesPerSecond, updatesPerSecond, heapBytes, threadMs, browserMs } = window;
  const leftSeconds = Math.max(0, Math.round((endMs - performance.now()) / 1000));
  return (
    `${framesPerSecond.toFixed(1)} frames/s with ${updatesPerSecond.toFixed(0)} updates/s, ` +
    `${threadMs.toFixed(1)} and ${browserMs?.toFixed(1) ?? "–"} ms a frame, ` +
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
  const { pageFrames, pageUpdates } = TARGETS;
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
    { name: "processor time of a frame, page", value: of((w) => w.threadMs), unit: "ms" },
    {
      name: "the same, all processes of the browser",
      value: windows[0]?.browserMs === null ? null : of((w) => w.browserMs ?? 0),
      unit: "ms",
      note: "draws without a graphics card",
    },
    {
      name: `a second with ${pageFrames.floor} frames and ${pageUpdates.floor} updates`,
      value: fullSecondMs(windows),
      unit: "ms",
      note: "processor time of the browser, fitted over all windows",
    },
    { name: "frames, slowest 10 s", value: slowest, unit: "frames/s", note },
    { name: "time between frames, p99", value: of((w) => w.p99Ms), unit: "ms", note },
    { name: `heap, first third ${over}`, value: heap(first), unit: "MB" },
    { name: `heap, last third ${over}`, value: heap(last), unit: "MB" },
    targetRow("pageHeap", heap(last) / heap(first), over),
    { name: "elements, at first", value: windows[0]?.nodes ?? 0, unit: "nodes" },
    { name: "elements, at the end", value: windows.at(-1)?.nodes ?? 0, unit: "nodes" },
  ];
}

/**
 * What a second at the targets costs, from windows that had fewer frames because the machine had
 * other work: each costs so much for a frame and so much for an update, by least squares. Null
 * where the windows are too much alike to tell one from the other.
 */
function fullSecondMs(windows: readonly Window[]): number | null {
  let [ff, fu, uu, fc, uc] = [0, 0, 0, 0, 0];
  for (const { framesPerSecond: f, updatesPerSecond: u, browserMs } of windows) {
    const costMs = (browserMs ?? Number.NaN) * f;
    ff += f * f;
    fu += f * u;
    uu += u * u;
    fc += f * costMs;
    uc += u * costMs;
  }
  const determinant = ff * uu - fu * fu;
  if (!(determinant > LIKENESS_MIN * ff * uu)) return null;
  const frameMs = (fc * uu - uc * fu) / determinant;
  const updateMs = (uc * ff - fc * fu) / determinant;
  const fullMs = frameMs * TARGETS.pageFrames.floor + updateMs * TARGETS.pageUpdates.floor;
  return Number.isNaN(fullMs) ? null : fullMs;
}

function megabytes(bytes: number): number {
  return bytes / 1e6;
}
