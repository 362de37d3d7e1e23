/**
 * The first look at a trade page by a browser that knows nothing of it: bytes on the wire, and the
 * time until its chart has candles, its book has prices and its form can be filled in.
 */
import type { Page } from "playwright-core";
import type { TestBrowser } from "../test/support/browser.ts";
import { browserCpuMs } from "./cores.ts";
import { type BenchRow, median, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";

const LOADS = scaled(7);

interface Load {
  readonly wireBytes: number;
  readonly usableMs: number;
  /** Of all processes of the browser; null where it cannot be read. */
  readonly cpuMs: number | null;
}

export async function measureLoads(
  browser: TestBrowser,
  origin: string,
  symbol: string,
  say: (text: string) => void,
): Promise<BenchRow[]> {
  // The first one also warms the exchange up.
  await load(browser, origin, symbol);
  const loads: Load[] = [];
  for (let i = 1; i <= LOADS; i++) {
    const each = await load(browser, origin, symbol);
    loads.push(each);
    say(`first load ${i} of ${LOADS}: usable after ${Math.round(each.usableMs)} ms`);
  }
  const usableMs = median(loads.map((each) => each.usableMs));
  const cpu = loads.flatMap(({ cpuMs }) => (cpuMs === null ? [] : [cpuMs]));
  const note = `median of ${LOADS} first loads`;
  return [
    targetRow("pageBytes", median(loads.map(({ wireBytes }) => wireBytes)) / 1000, note),
    targetRow("pageUsable", usableMs / 1000, note),
    {
      name: "the same, processor time of the browser",
      value: cpu.length === 0 ? null : median(cpu) / 1000,
      unit: "s",
      note,
    },
  ];
}

async function load(browser: TestBrowser, origin: string, symbol: string): Promise<Load> {
  const visit = await browser.visit(origin, { width: 1440, bareSockets: true });
  const { page } = visit;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Network.enable");
  let wireBytes = 0;
  devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
    wireBytes += encodedDataLength;
  });
  const cpuBefore = browserCpuMs();
  const beganMs = performance.now();
  await page.goto(`${origin}/trade/spot/${symbol}`, { waitUntil: "commit" });
  await usable(page);
  const usableMs = performance.now() - beganMs;
  const cpuAfter = browserCpuMs();
  visit.assertClean();
  await visit.close();
  const cpuMs = cpuBefore === null || cpuAfter === null ? null : cpuAfter - cpuBefore;
  return { wireBytes, usableMs, cpuMs };
}

async function usable(page: Page): Promise<void> {
  const legend = page.locator("dl").filter({ hasText: "Vol (" });
  const book = page.getByRole("region", { name: "Order book" });
  await Promise.all([
    legend.getByText(/^\d/).first().waitFor(),
    book.getByText(/^Spread [\d,]/).waitFor(),
    page.getByLabel("Quantity", { exact: true }).waitFor(),
  ]);
}
