/**
 * Proves in a real browser what traders do on the chart: indicators, drawings and chart types that
 * a reload keeps; orders, stops and positions as lines that are dragged, moved by keys, cancelled
 * and added; all of it at three widths, in both themes, for keyboard and screen reader.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import { browserMissing, TestBrowser, type Visit, type VisitOptions } from "../support/browser.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { auditPage } from "../support/page-audit.ts";
import { SignedClient } from "../support/signed-client.ts";

const missing = browserMissing();
const DESK: VisitOptions = { width: 1440 };
const SYMBOL = "BTCUSDT";

let exchange: ExchangeProcess;
let browser: TestBrowser;
let trader: SignedClient;

before(async () => {
  if (missing !== null) return;
  exchange = await ExchangeProcess.start({ profile: "demo", sandbox: true });
  browser = await TestBrowser.launch();
  const [keys] = exchange.demo;
  assert.ok(keys !== undefined);
  trader = new SignedClient(exchange.port, keys);
});

after(async () => {
  if (missing !== null) return;
  await browser.close();
  await exchange.stop();
});

/** A test with a window of its own, signed in on a market's page. */
function walk(
  name: string,
  options: VisitOptions & { readonly product: "spot" | "contract" },
  body: (visit: Visit) => Promise<void>,
): void {
  test(name, { skip: missing ?? false }, async () => {
    const visit = await browser.visit(exchange.baseUrl, options);
    try {
      await open(visit.page, options.product);
      await body(visit);
    } finally {
      await visit.close();
    }
  });
}

async function open(page: Page, product: "spot" | "contract"): Promise<void> {
  await page.goto(`${exchange.baseUrl}/`);
  await page.getByRole("button", { name: "Trader 1001" }).first().click();
  await page.getByRole("button", { name: /Account 1001/ }).waitFor();
  const name = product === "spot" ? "Spot" : "Contracts";
  await page.getByRole("link", { name, exact: true }).click();
  await ready(page);
}

/** The chart has candles. */
async function ready(page: Page): Promise<void> {
  await page
    .getByText(/^Streams: Live/)
    .first()
    .waitFor();
  const legend = page.locator("dl").filter({ hasText: "Vol (BTC)" });
  await legend.getByText(/^\d/).first().waitFor();
}

const chartOf = (page: Page): Locator => page.getByRole("region", { name: /^Chart of / });

async function lastPrice(product: "spot" | "contract"): Promise<number> {
  const path =
    product === "spot"
      ? `/api/v3/market/ticker/price?symbol=${SYMBOL}`
      : `/capi/v3/market/symbolPrice?symbol=${SYMBOL}&priceType=MARK`;
  const answer = await trader.v3<{ price: string } | { price: string }[]>(path);
  return Number((Array.isArray(answer) ? answer[0] : answer)?.price);
}

interface OpenOrder {
  readonly orderId: number | string;
  readonly price: string;
  readonly origQty: string;
}

async function openOrders(product: "spot" | "contract"): Promise<readonly OpenOrder[]> {
  const path = product === "spot" ? "/api/v3/openOrders" : "/capi/v3/openOrders";
  return await trader.v3<OpenOrder[]>(`${path}?symbol=${SYMBOL}`);
}

/** Waits until something that is asked again and again holds. */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return;
    await setTimeout(50);
  }
  assert.fail(`it never came: ${what}`);
}

/** Drags an element up or down. */
async function drag(page: Page, handle: Locator, byPixels: number): Promise<void> {
  const box = await handle.boundingBox();
  assert.ok(box !== null, "a handle to drag");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + byPixels / 2, { steps: 4 });
  await page.mouse.move(x, y + byPixels, { steps: 4 });
  await page.mouse.up();
}

async function placeLimit(page: Page, price: number, quantity: string): Promise<void> {
  const form = page.getByRole("form", { name: "Order" });
  await form.getByLabel("Price", { exact: true }).fill(price.toFixed(1));
  await form.getByLabel("Quantity", { exact: true }).fill(quantity);
  await form.getByRole("button", { name: /^Buy / }).click();
}

walk(
  "indicators, drawings and a chart type are kept",
  { ...DESK, product: "spot" },
  async (visit) => {
    const { page } = visit;
    const kept = async (): Promise<Record<string, unknown>> =>
      JSON.parse(
        String(await page.evaluate(`localStorage.getItem("rialto.chart.spot.${SYMBOL}") ?? "{}"`)),
      );
    await page.getByRole("button", { name: /^Indicators/ }).click();
    const dialog = page.getByRole("dialog", { name: "Indicators" });
    for (const name of [/\(MA\)/, /\(EMA\)/, /\(VWAP\)/, /\(BOLL\)/, /^RSI/, /^MACD/]) {
      await dialog.getByRole("checkbox", { name }).click();
    }
    const period = dialog.getByLabel("RSI: Period");
    await period.fill("9");
    await period.press("Enter");
    await auditPage(visit);
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Indicators (7)" }).waitFor();

    const box = await chartOf(page).boundingBox();
    assert.ok(box !== null);
    const at = (x: number, y: number) => ({ position: { x: box.width * x, y: box.height * y } });
    const tools: [name: string, points: number][] = [
      ["Trend line", 2],
      ["Ray", 2],
      ["Horizontal line", 1],
      ["Rectangle", 2],
      ["Fibonacci retracement", 2],
      ["Text", 1],
    ];
    for (const [i, [name, points]] of tools.entries()) {
      const tool = page.getByRole("button", { name, exact: true });
      await tool.click();
      assert.equal(await tool.getAttribute("aria-pressed"), "true");
      await chartOf(page).click(at(0.1 + i * 0.08, 0.1 + i * 0.03));
      if (points === 2) await chartOf(page).click(at(0.2 + i * 0.08, 0.2 + i * 0.03));
    }
    await page
      .getByRole("dialog", { name: "Text on the chart" })
      .getByLabel("Text")
      .fill("support");
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: "Chart type" }).selectOption("hollow");
    await until("six drawings", async () => ((await kept()).drawings as unknown[]).length === 6);
    await visit.screenshot("chart-studies-1440-light");

    const before = await kept();
    await page.reload();
    await ready(page);
    assert.deepEqual(await kept(), before);
    assert.equal(await page.getByRole("combobox", { name: "Chart type" }).inputValue(), "hollow");
    await page.getByRole("button", { name: "Remove all drawings" }).click();
    await until("no drawing", async () => ((await kept()).drawings as unknown[]).length === 0);
    visit.assertClean();
  },
);

walk(
  "an order is a line: dragged, moved by keys, cancelled",
  { ...DESK, product: "spot" },
  async (visit) => {
    const { page } = visit;
    const last = await lastPrice("spot");
    await placeLimit(page, last * 0.9995, "0.012");
    const grip = page.getByRole("button", { name: /^Buy 0.012 at / });
    await grip.waitFor();
    const [placed] = await openOrders("spot");
    assert.ok(placed !== undefined);
    await drag(page, grip, 30);
    const question = page.getByRole("dialog", { name: "Move order" });
    await question
      .getByText(/^Move your order to buy 0.012 BTC from [\d,.]+ to [\d,.]+\?$/)
      .waitFor();
    await auditPage(visit);
    await question.getByRole("button", { name: /^Keep / }).click();
    assert.equal((await openOrders("spot"))[0]?.price, placed.price, "a no changes nothing");

    await drag(page, grip, 30);
    await question.getByRole("button", { name: /^Move to / }).click();
    await page.getByText(/^Buy 0.012: moved to /).waitFor();
    const [moved] = await openOrders("spot");
    assert.equal(moved?.orderId, placed.orderId, "amended, not placed again");
    assert.ok(Number(moved?.price) < Number(placed.price), "dragged down");

    await until("the line is there", async () =>
      ((await grip.getAttribute("aria-label")) ?? "")
        .replaceAll(",", "")
        .includes(String(Number(moved?.price))),
    );
    await grip.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await question.getByRole("button", { name: /^Move to / }).click();
    await until("two ticks lower", async () => {
      const [now] = await openOrders("spot");
      return Math.round((Number(moved?.price) - Number(now?.price)) * 100) === 2;
    });
    await page.getByRole("button", { name: /^Cancel Buy 0.012 at / }).click();
    await page.getByText(/^Buy 0.012 at [\d,.]+ cancelled$/).waitFor();
    await grip.waitFor({ state: "detached" });
    visit.assertClean();
  },
);

walk("the + sets the price of the order form", { ...DESK, product: "spot" }, async (visit) => {
  const { page } = visit;
  const box = await chartOf(page).boundingBox();
  assert.ok(box !== null);
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.3);
  await page.getByRole("button", { name: "Add at this price" }).click();
  const heading = (await page.getByRole("heading", { name: /^At / }).textContent()) ?? "";
  await auditPage(visit);
  await page.getByRole("button", { name: "Use as order price" }).click();
  const price = page.getByRole("form", { name: "Order" }).getByLabel("Price", { exact: true });
  assert.equal(Number(await price.inputValue()), Number(heading.slice(3).replaceAll(",", "")));
  visit.assertClean();
});
