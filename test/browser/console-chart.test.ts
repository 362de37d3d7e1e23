/**
 * Proves in a real browser what traders do on the chart: indicators, drawings and chart types that
 * a reload keeps; orders, stops and positions as lines that are dragged, moved by keys, cancelled
 * and added; all of it at three widths, in both themes, for keyboard and screen reader.
 */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import type { Visit, VisitOptions } from "../support/browser.ts";
import { DemoSite } from "../support/demo-site.ts";
import { BTCUSDT, listMarket } from "../support/exchange-setup.ts";
import { auditPage } from "../support/page-audit.ts";
import { isLongRun } from "../support/random.ts";
import { SignedClient } from "../support/signed-client.ts";
import { waitUntil } from "../support/wait-until.ts";

const DESK: VisitOptions = { width: 1440 };
const SYMBOL = "BTCUSDT";
/** The library takes clicks in quicker succession for one. */
const NOT_A_DOUBLE_CLICK_MS = 600;

const site = new DemoSite();

/** A test with a window of its own, signed in on a market's page. */
function walk(
  name: string,
  options: VisitOptions & { readonly product: "spot" | "contract" },
  body: (visit: Visit) => Promise<void>,
): void {
  site.walk(name, options, async (visit) => {
    await open(visit.page, options.product);
    await body(visit);
  });
}

async function open(page: Page, product: "spot" | "contract"): Promise<void> {
  await page.goto(`${site.exchange.baseUrl}/`);
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
  const answer = await site.trader.v3<{ price: string } | { price: string }[]>(path);
  return Number((Array.isArray(answer) ? answer[0] : answer)?.price);
}

interface OpenOrder {
  readonly orderId: number | string;
  readonly price: string;
  readonly origQty: string;
}

async function openOrders(product: "spot" | "contract"): Promise<readonly OpenOrder[]> {
  const path = product === "spot" ? "/api/v3/openOrders" : "/capi/v3/openOrders";
  return await site.trader.v3<OpenOrder[]>(`${path}?symbol=${SYMBOL}`);
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
      for (let point = 0; point < points; point++) {
        await setTimeout(NOT_A_DOUBLE_CLICK_MS);
        await chartOf(page).click(at(0.1 + i * 0.08 + point * 0.1, 0.1 + i * 0.03 + point * 0.1));
      }
    }
    await page
      .getByRole("dialog", { name: "Text on the chart" })
      .getByLabel("Text")
      .fill("support");
    await page.keyboard.press("Enter");
    await page.getByRole("combobox", { name: "Chart type" }).selectOption("hollow");
    await page.getByRole("combobox", { name: "Price scale" }).selectOption("logarithm");
    await waitUntil(
      "six drawings",
      async () => ((await kept()).drawings as unknown[]).length === 6,
    );
    await visit.screenshot("chart-studies-1440-light");

    const before = await kept();
    await page.reload();
    await ready(page);
    assert.deepEqual(await kept(), before);
    assert.equal(await page.getByRole("combobox", { name: "Chart type" }).inputValue(), "hollow");
    await page.getByRole("button", { name: "Remove all drawings" }).click();
    await waitUntil("no drawing", async () => ((await kept()).drawings as unknown[]).length === 0);
    visit.assertClean();
  },
);

walk(
  "an order is a line: dragged, moved by keys, cancelled",
  { ...DESK, product: "spot" },
  async (visit) => {
    const { page } = visit;
    const last = await lastPrice("spot");
    await placeLimit(page, last * 0.997, "0.012");
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

    await waitUntil("the line is there", async () =>
      ((await grip.getAttribute("aria-label")) ?? "")
        .replaceAll(",", "")
        .includes(String(Number(moved?.price))),
    );
    await grip.focus();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await question.getByRole("button", { name: /^Move to / }).click();
    await waitUntil("two ticks lower", async () => {
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
  const picked = Number(heading.slice(3).replaceAll(",", ""));
  await waitUntil("the picked price", async () => Number(await price.inputValue()) === picked);

  // The same + sets an alert: a line that moves at once, by keys too.
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.3);
  await page.getByRole("button", { name: "Add at this price" }).click();
  await page.getByRole("button", { name: "Alert me at this price" }).click();
  const alert = page.getByRole("button", { name: /^Alert at / });
  await alert.focus();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.getByText(/^Alert: moved to /).waitFor();
  await page.getByRole("button", { name: /^Cancel Alert at / }).click();
  await alert.waitFor({ state: "detached" });
  visit.assertClean();
});

walk(
  "an alert is told once, and own trades are on the candles",
  { ...DESK, product: "spot" },
  async (visit) => {
    const { page } = visit;
    await page.keyboard.press("a");
    const list = page.getByRole("dialog", { name: "Lines on the chart" });
    await list.getByRole("textbox", { name: "Alert at" }).and(page.locator(":focus")).waitFor();
    const last = await lastPrice("spot");
    for (const price of [last + 0.01, last * 2]) {
      await page.keyboard.type(price.toFixed(2));
      await page.keyboard.press("Enter");
      await page.getByText(`Alert set at ${price.toLocaleString("en-US")}`.slice(0, 18)).waitFor();
    }
    await list.getByText("Alert", { exact: true }).last().waitFor();
    await auditPage(visit);
    // The market may have passed the price while it was typed: both ways, one of them reaches it.
    for (const side of ["SELL", "BUY"]) {
      const order = { symbol: SYMBOL, side, type: "MARKET", quantity: "0.05" };
      await site.trader.post("/api/v3/order", { ...order, newClientOrderId: `alert-${side}` });
    }
    await page.getByText(/^Price alert: BTCUSDT spot reached /).waitFor();
    await list.getByRole("button", { name: "Close" }).click();

    await page.getByRole("tab", { name: "Trades" }).press("Enter");
    await page.getByTitle("Show on the chart").first().press("Enter");
    const legend = page.locator("dl").filter({ hasText: "Vol (BTC)" });
    await legend.getByText(/^Bought 0.05 at [\d,.]+/).waitFor();
    await visit.screenshot("chart-trades-1440-light");
    // What is left is in the list of what happened, for all markets.
    await page.getByRole("button", { name: /^Activity/ }).click();
    await page
      .getByText(/^Price alert: BTCUSDT spot reached /)
      .last()
      .waitFor();
    await auditPage(visit);
    await page.getByRole("button", { name: /^Remove the alert: BTCUSDT spot at / }).click();
    await page.getByRole("region", { name: "Price alerts" }).waitFor({ state: "detached" });
    visit.assertClean();
  },
);

walk(
  "contracts: entry, take-profit, stop and liquidation are lines",
  { ...DESK, product: "contract" },
  async (visit) => {
    const { page } = visit;
    await site.trader.post("/capi/v3/closePositions", {});
    const opened = { symbol: SYMBOL, side: "BUY", positionSide: "LONG", type: "MARKET" };
    const placed = { ...opened, quantity: "0.02", newClientOrderId: "chart-open" };
    assert.equal((await site.trader.post("/capi/v3/order", placed)).status, 200);
    const entry = page.getByRole("button", { name: /^Long 0.02 · [+-][\d,.]+ USDT at / });
    await entry.waitFor();

    // The handle of the entry sets what ends the position, here below the price: a stop.
    const exit = page.getByRole("button", { name: /^TP\/SL \(.*\) of Long 0.02/ });
    await drag(page, exit, 45);
    const question = page.getByRole("dialog", { name: "Set stop-loss" });
    await question.getByText(/^Set a stop-loss for your long at [\d,.]+\?$/).waitFor();
    await question.getByText(/your whole position \(0.02 BTC now\) closes at market/).waitFor();
    await auditPage(visit);
    await question.getByRole("button", { name: "Set stop-loss" }).click();
    const stop = page.getByRole("button", { name: /^Stop-loss long all at / });
    await stop.waitFor();
    await visit.screenshot("chart-lines-1440-light");

    const triggers = () =>
      site.trader.v3<{ algoId: number; triggerPrice: string }[]>(
        `/capi/v3/openAlgoOrders?symbol=${SYMBOL}`,
      );
    const [before] = await triggers();
    await drag(page, stop, 25);
    const moving = page.getByRole("dialog", { name: "Move trigger" });
    await moving.getByText(/^Move the stop-loss of your long from [\d,.]+ to [\d,.]+ /).waitFor();
    await moving.getByRole("button", { name: /^Move to / }).click();
    await page.getByText(/^Stop-loss long all: moved to /).waitFor();
    const [after] = await triggers();
    assert.equal(after?.algoId, before?.algoId);
    assert.ok(Number(after?.triggerPrice) < Number(before?.triggerPrice));

    // The same from the list, by keyboard alone.
    await page.getByRole("button", { name: /^Lines \(/ }).press("Enter");
    const list = page.getByRole("dialog", { name: "Lines on the chart" });
    const target = (Math.floor((await lastPrice("contract")) * 1.03 * 10) / 10).toFixed(1);
    await list.getByRole("textbox", { name: /^TP\/SL at: Long 0.02/ }).fill(target);
    await page.keyboard.press("Enter");
    const taking = page.getByRole("dialog", { name: "Set take-profit" });
    await taking.getByRole("button", { name: "Set take-profit" }).press("Enter");
    await list.getByText(/^Take-profit long all/).waitFor();
    await auditPage(visit);
    for (const name of [/^Cancel Take-profit long all/, /^Cancel Stop-loss long all/]) {
      await list.getByRole("button", { name }).press("Enter");
      await list.getByRole("button", { name }).waitFor({ state: "detached" });
    }
    assert.deepEqual(await triggers(), []);
    await site.trader.post("/capi/v3/closePositions", {});
    await list.getByText(/^Long 0.02/).waitFor({ state: "detached" });
    visit.assertClean();
  },
);

walk("a label follows partial fills", { ...DESK, product: "spot" }, async (visit) => {
  const { page } = visit;
  const [buyer, seller] = site.exchange.demo;
  assert.ok(buyer !== undefined && seller !== undefined);
  // Nobody else trades there.
  const market = { ...BTCUSDT, quoteAsset: "ETH", minNotional: "0.001" };
  await listMarket(site.exchange, "BTCETH", market);
  for (const { uid } of [buyer, seller]) {
    for (const asset of ["BTC", "ETH"]) {
      const deposit = { id: `label-${asset}`, account: "spot", asset, amount: "1" };
      await site.exchange.operator.call("POST", `/operator/v1/users/${uid}/deposits`, deposit);
    }
  }
  await page.goto(`${site.exchange.baseUrl}/trade/spot/BTCETH`);
  await page
    .getByText(/^Streams: Live/)
    .first()
    .waitFor();
  const place = async (client: SignedClient, side: "BUY" | "SELL", quantity: string) => {
    const terms = { symbol: "BTCETH", type: "LIMIT", timeInForce: "GTC", price: "20" };
    const order = { ...terms, side, quantity, newClientOrderId: `label-${side}` };
    const placed = await client.post("/api/v3/order", order);
    assert.equal(placed.status, 200, placed.text);
  };
  await place(site.trader, "BUY", "0.01");
  const other = new SignedClient(site.exchange.port, seller);
  await place(other, "SELL", "0.004");
  await page.getByRole("button", { name: /^Buy 0.006 of 0.01 at / }).waitFor();
  await page.getByRole("button", { name: /^Cancel Buy 0.006 of 0.01 at / }).click();
  await page.getByText(/^Buy 0.006 of 0.01 at [\d,.]+ cancelled$/).waitFor();
  other.close();
  visit.assertClean();
});

const SHAPES = [
  { width: 1440, colorScheme: "light" },
  { width: 820, colorScheme: "dark" },
  { width: 390, colorScheme: "light" },
] as const;
/** In the long run. */
const MORE_SHAPES = [
  { width: 1440, colorScheme: "dark" },
  { width: 820, colorScheme: "light" },
  { width: 390, colorScheme: "dark" },
] as const;

for (const { width, colorScheme } of isLongRun() ? [...SHAPES, ...MORE_SHAPES] : SHAPES) {
  walk(
    `the chart at ${width} pixels, ${colorScheme}`,
    { width, colorScheme, product: "contract" },
    (visit) => seeChart(visit, width, colorScheme),
  );
}

/** A horizontal line; on a phone the tools are behind a button. */
async function drawAndRemove(page: Page): Promise<void> {
  const tool = page.getByRole("button", { name: "Horizontal line", exact: true });
  if (!(await tool.isVisible())) await page.getByRole("button", { name: "Draw" }).click();
  await tool.click();
  await setTimeout(NOT_A_DOUBLE_CLICK_MS);
  const box = await chartOf(page).boundingBox();
  assert.ok(box !== null);
  await chartOf(page).click({ position: { x: box.width / 2, y: box.height / 4 } });
  const key = `rialto.chart.contract.${SYMBOL}`;
  const count = () => page.evaluate(`JSON.parse(localStorage.getItem("${key}")).drawings.length`);
  await waitUntil("the drawing is kept", async () => (await count()) === 1);
  await page.getByRole("button", { name: "Remove all drawings" }).click();
  await waitUntil("it is gone", async () => (await count()) === 0);
}

async function seeChart(visit: Visit, width: number, colorScheme: string): Promise<void> {
  const { page } = visit;
  const price = ((await lastPrice("contract")) * 0.998).toFixed(1);
  const terms = { symbol: SYMBOL, side: "BUY", positionSide: "LONG", type: "LIMIT", price };
  const newClientOrderId = `wide-${width}-${colorScheme}`;
  const order = { ...terms, timeInForce: "GTC", quantity: "0.01", newClientOrderId };
  await site.trader.post("/capi/v3/order", order);
  const cancel = page.getByRole("button", { name: /^Cancel Buy 0.01 at / });
  await cancel.waitFor();
  if (width === 390) {
    const box = await cancel.boundingBox();
    assert.ok(box !== null && box.width >= 44 && box.height >= 44, JSON.stringify(box));
  }
  await drawAndRemove(page);
  await page.getByRole("button", { name: /^Indicators/ }).click();
  const indicators = page.getByRole("dialog", { name: "Indicators" });
  await indicators.getByRole("checkbox", { name: /\(MA\)/ }).click();
  await indicators.getByRole("checkbox", { name: /^RSI/ }).click();
  await indicators.getByRole("button", { name: "Close" }).click();
  await auditPage(visit);
  await visit.screenshot(`chart-${width}-${colorScheme}`);
  await page.getByRole("button", { name: "Fullscreen chart" }).click();
  const region = page.getByRole("region", { name: "Chart", exact: true });
  await waitUntil("the chart fills the window", async () => {
    const box = await region.boundingBox();
    return box?.width === width && box.height === (await page.evaluate("innerHeight"));
  });
  await visit.screenshot(`chart-full-${width}-${colorScheme}`);
  await auditPage(visit);
  await page.getByRole("button", { name: "Fullscreen chart" }).click();
  await waitUntil("the page is back", async () => (await region.boundingBox())?.y !== 0);
  await page.getByRole("button", { name: /^Lines \(/ }).click();
  const list = page.getByRole("dialog", { name: "Lines on the chart" });
  await auditPage(visit);
  await visit.screenshot(`chart-list-${width}-${colorScheme}`);
  const row = list.getByRole("button", { name: /^Cancel Buy 0.01 at / });
  await row.click();
  await row.waitFor({ state: "detached" });
  visit.assertClean();
}
