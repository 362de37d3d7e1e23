/**
 * Proves in a real browser what a trader does with the order form, the positions and the layout:
 * a size in every unit, exits by return, leverage with its limits, a large market order that asks
 * first, a halted market that says so, a hedge that is explained, panels that stay as they were
 * put, keys that never act while somebody types, and all of it on a phone's width.
 */
import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import type { Visit, VisitOptions } from "../support/browser.ts";
import { anotherThan, choose, formOf, openTrading, signIn } from "../support/console-walk.ts";
import { DEMO, DemoSite } from "../support/demo-site.ts";
import { auditPage } from "../support/page-audit.ts";

const DESK: VisitOptions = { width: 1440 };
const PHONE: VisitOptions = { width: 390, height: 844 };
const FINGER_PX = 44;

// The demo's trader has a position with a stop already.
const site = new DemoSite(DEMO, ({ trader }) => trader.post("/capi/v3/closePositions", {}));

/** A test with a window of its own, in a market. */
function walk(
  name: string,
  options: VisitOptions,
  product: "Spot" | "Contracts",
  body: (page: Page, visit: Visit) => Promise<void>,
): void {
  site.walk(name, options, async (visit) => {
    await signIn(visit, site.exchange.baseUrl);
    await openTrading(visit.page, product);
    await body(visit.page, visit);
  });
}

const figureOf = (page: Page, name: string): Locator =>
  formOf(page).locator("dl").getByText(name, { exact: true }).locator("..").locator("dd");

/** The first number of a text. */
const numberIn = (text: string | null): number =>
  Number(/[\d,.]*\d/.exec(text ?? "")?.[0].replaceAll(",", ""));

walk("a size in every unit, and the most", DESK, "Contracts", async (page, visit) => {
  const form = formOf(page);
  const quantity = form.getByLabel("Quantity", { exact: true });
  const unit = form.getByLabel("Unit of the quantity");
  await form.getByLabel("Price", { exact: true }).fill("80000");
  await page.getByRole("button", { name: /^(Cross|Isolated) / }).click();
  const dialog = page.getByRole("dialog", { name: "Margin mode and leverage" });
  await dialog.getByRole("textbox").fill("20");
  await dialog.getByText("Maximum position").waitFor();
  await auditPage(visit);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });

  await quantity.fill("0.05");
  await unit.selectOption("QUOTE");
  assert.equal(await quantity.inputValue(), "4000.00".replace(/\.?0+$/, ""));
  await quantity.fill("4099");
  await form.getByText("= 0.051 BTC").waitFor();
  await unit.selectOption("COST");
  const cost = numberIn(await figureOf(page, "Cost (margin and fee)").textContent());
  const typed = Number(await quantity.inputValue());
  // One is rounded, the other is cut.
  assert.ok(Math.abs(typed - cost) < 0.02, `${typed} is the cost that is shown, ${cost}`);

  await form.getByRole("button", { name: /^Max / }).click();
  const available = numberIn(await figureOf(page, "Available").textContent());
  const most = numberIn(await figureOf(page, "Cost (margin and fee)").textContent());
  assert.ok(most <= available && most > available * 0.99, `${most} of ${available}`);
  await form.getByRole("button", { name: "25%" }).click();
  const quarter = numberIn(await figureOf(page, "Cost (margin and fee)").textContent());
  assert.ok(Math.abs(quarter * 4 - most) < most * 0.02, `${quarter} is a quarter of ${most}`);
  await page.reload();
  await formOf(page).waitFor();
  assert.equal(await unit.inputValue(), "COST", "the unit is kept");
  await unit.selectOption("BASE");
});

walk(
  "exits by return, on the mark price, and on the right side",
  DESK,
  "Contracts",
  async (page) => {
    const form = formOf(page);
    await form.getByLabel("Price", { exact: true }).fill("80000");
    await form.getByLabel("Quantity", { exact: true }).fill("0.01");
    await form.getByText("Take-profit / stop-loss").click();
    await form.getByLabel("Take-profit", { exact: true }).fill("70000");
    await form.getByText("The take-profit of a long must be above 80,000.").waitFor();
    await choose(form, "ROI %");
    await form.getByLabel("Take-profit", { exact: true }).fill("50");
    await form.getByLabel("Stop-loss", { exact: true }).fill("25");
    // 50 % of the margin is 2.5 % of the price at 20×.
    await form.getByText("82,000 · +20.00 USDT").waitFor();
    await form.getByText("79,000 · -10.00 USDT").waitFor();
    await form.getByLabel("Trigger by").selectOption("MARK_PRICE");
    await form.getByRole("button", { name: "Buy to open long" }).click();
    await page.getByText("Limit buy placed at 80,000").waitFor();
    await page.getByRole("tab", { name: "Conditional orders" }).click();
    const waiting = page.getByRole("region", { name: "Conditional orders" }).getByRole("row");
    await waiting.filter({ hasText: "mark 82,000.0" }).waitFor();
    await waiting.filter({ hasText: "mark 79,000.0" }).waitFor();
    // Twice, as a single key is pressed by mistake.
    await page.locator("body").click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("C");
    await page.getByText("Press C again to cancel all open orders in BTCUSDT").waitFor();
    await page.keyboard.press("C");
    await page.getByText(/^\d+ orders? cancelled$/).waitFor();
  },
);

walk("a large market order asks first", DESK, "Spot", async (page, visit) => {
  const form = formOf(page);
  await choose(form, "Market");
  await choose(form, "Sell");
  await form.getByRole("button", { name: /^Market orders: ask from 5,000 USDT$/ }).click();
  await page.getByLabel("Ask before market orders from").fill("100");
  await page.getByRole("button", { name: "Close" }).click();
  await form.getByLabel("Quantity", { exact: true }).fill("0.002");
  await form.getByText("Est. average price").waitFor();
  await form.getByRole("button", { name: "Sell BTC" }).click();
  const asked = page.getByRole("dialog", { name: "Sell BTCUSDT at market?" });
  await asked.getByText("Slippage against the best price").waitFor();
  await auditPage(visit);
  await page.keyboard.press("Escape");
  assert.equal(await form.getByLabel("Quantity", { exact: true }).inputValue(), "0.002");
  await form.getByRole("button", { name: "Sell BTC" }).click();
  await asked.getByRole("button", { name: "Sell at market" }).click();
  await page.getByText(/^Sold 0.002 BTC at /).waitFor();
  visit.assertClean();
});

walk("a halted market says so before the click", DESK, "Contracts", async (page, visit) => {
  const set = (state: string): Promise<unknown> =>
    site.exchange.operator.call("PATCH", "/operator/v1/markets/contract/BTCUSDT", { state });
  const form = formOf(page);
  await form.getByLabel("Price", { exact: true }).fill("80000");
  await form.getByLabel("Quantity", { exact: true }).fill("0.01");
  await set("halted");
  try {
    // Whoever is faster than the page is told at once, and the page with them.
    await form.getByRole("button", { name: "Buy to open long" }).click();
    await form.getByRole("button", { name: "BTCUSDT is halted" }).waitFor();
    await form.getByText(/accepts no new orders now/).waitFor();
    await page.getByText("Halted", { exact: true }).first().waitFor();
    await auditPage(visit);
  } finally {
    await set("trading");
  }
  await form.getByRole("button", { name: "Buy to open long" }).waitFor();
  assert.equal(await form.getByRole("alert").count(), 0, "nothing is left of the refusal");
});

walk(
  "a hedged cross account is told about its liquidation",
  DESK,
  "Contracts",
  async (page, visit) => {
    const symbol = "ETHUSDT";
    const crossed = await site.trader.post("/capi/v3/account/marginType", {
      symbol,
      marginType: "CROSSED",
    });
    assert.equal(crossed.status, 200, crossed.text);
    const market = { symbol, type: "MARKET", quantity: "0.5" };
    for (const [side, positionSide] of [
      ["BUY", "LONG"],
      ["SELL", "SHORT"],
    ] as const) {
      const newClientOrderId = `hedge-${positionSide}`;
      const placed = await site.trader.post("/capi/v3/order", {
        ...market,
        side,
        positionSide,
        newClientOrderId,
      });
      assert.equal(placed.status, 200, placed.text);
    }
    const explain = page.getByRole("button", {
      name: /explain the liquidation price of ETHUSDT LONG$/,
    });
    assert.match((await explain.textContent()) ?? "", /^none/);
    await explain.click();
    const dialog = page.getByRole("dialog", { name: "Liquidation price of ETHUSDT long" });
    await dialog.getByText(/offset each other: what one loses, the other gains/).waitFor();
    await dialog.getByText("Account maintenance margin, with closing fees").waitFor();
    await auditPage(visit);
    await page.keyboard.press("Escape");
    const row = page.getByRole("region", { name: "Positions" }).getByRole("row");
    await row
      .filter({ hasText: "Long" })
      .getByText(/^\(-?[\d.]+%\)$/)
      .waitFor();
    await site.trader.post("/capi/v3/closePositions", { symbol });
    visit.assertClean();
  },
);

walk(
  "panels are resized, chosen and kept; tables say how they are sorted",
  DESK,
  "Contracts",
  async (page, visit) => {
    const line = page.getByRole("separator", { name: "Resize: order book and trades" });
    const sizeOf = async (): Promise<number> => Number(await line.getAttribute("aria-valuenow"));
    const first = await sizeOf();
    await line.focus();
    await page.keyboard.press("ArrowLeft");
    assert.equal(await sizeOf(), first + 16);
    const box = await line.boundingBox();
    assert.ok(box !== null);
    await page.mouse.move(box.x + 3, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + 63, box.y + 90, { steps: 3 });
    await page.mouse.up();
    assert.equal(await sizeOf(), first + 16 - 60);
    const choice = page.getByLabel("Layout");
    assert.equal(await choice.inputValue(), "own");
    await page.reload();
    await line.waitFor();
    assert.equal(await sizeOf(), first + 16 - 60, "kept");
    const heightOf = async (): Promise<number> =>
      (await page.getByRole("region", { name: "Chart", exact: true }).boundingBox())?.height ?? 0;
    await choice.selectOption("account");
    const low = await heightOf();
    await choice.selectOption("chart");
    assert.ok((await heightOf()) > low + 200, "the chart is taller");
    await auditPage(visit);
    await page.getByRole("tab", { name: "Trades" }).last().click();
    const sortedTime = (sort: string): Promise<void> =>
      page
        .getByRole("columnheader", { name: /^Time/ })
        .and(page.locator(`[aria-sort=${sort}]`))
        .waitFor();
    await sortedTime("descending");
    await page
      .getByRole("columnheader", { name: /^Value/ })
      .getByRole("button")
      .click();
    await sortedTime("none");
    visit.assertClean();
  },
);

walk(
  "keys trade where that is wanted, and never while somebody types",
  DESK,
  "Contracts",
  async (page) => {
    const form = formOf(page);
    const quantity = form.getByLabel("Quantity", { exact: true });
    await quantity.waitFor();
    await anotherThan("", () => form.getByLabel("Price", { exact: true }).inputValue());
    await page.locator("body").click({ position: { x: 5, y: 5 } });
    await page.keyboard.press("s");
    await form.getByRole("button", { name: "Sell to open short" }).waitFor();
    await page.keyboard.press("2");
    assert.ok(Number(await anotherThan("", () => quantity.inputValue())) > 0, "half");
    await page.keyboard.press("q");
    await page.keyboard.type("b1");
    await form.getByRole("button", { name: "Sell to open short" }).waitFor();
    await quantity.fill("0.01");
    await quantity.blur();
    await page.keyboard.press("m");
    await page.keyboard.press("B");
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    assert.equal(await help.getByText("Buy with the form as it is").count(), 0, "off at first");
    await help.getByText("Keys that place orders").click();
    await help.getByText("Buy with the form as it is").waitFor();
    await page.keyboard.press("Escape");
    await help.waitFor({ state: "hidden" });
    await form.getByRole("button", { name: "Sell to open short" }).waitFor();
    await page.keyboard.press("B");
    // A refusal or a question says why nothing was bought.
    const told = page
      .getByText(/^(Bought .* BTC|Market buy|Order \d+) /)
      .or(page.getByRole("alert"))
      .or(page.getByRole("dialog"))
      .first();
    await told.waitFor();
    assert.match((await told.textContent()) ?? "", /^Bought 0.01 BTC at /);
    await page.keyboard.press("x");
    const closing = page.getByRole("dialog", { name: "Close BTCUSDT long" });
    await closing.getByRole("button", { name: "Close at market" }).click();
    await page.getByText("No open positions.").waitFor();
  },
);

walk("a phone: a sheet, cards, targets for fingers", PHONE, "Contracts", async (page, visit) => {
  await page.getByRole("button", { name: "Buy", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Order in BTCUSDT" });
  const form = sheet.getByRole("form", { name: "Order" });
  await choose(form, "Market");
  await form.getByLabel("Quantity", { exact: true }).fill("0.01");
  await auditPage(visit);
  await visit.screenshot("console-phone-sheet");
  const submit = form.getByRole("button", { name: "Buy to open long" });
  await sheet.getByRole("button", { name: "Close" }).click();
  await page.getByRole("tab", { name: "Book" }).click();
  // A tap on a price of the book is for a limit order.
  const prices = page.getByRole("tabpanel", { name: "Book" }).getByText(/^\d+,\d{3}\.\d$/);
  // The fifth is there once the book is.
  await prices.nth(4).click();
  await form.getByLabel("Price", { exact: true }).waitFor();
  await choose(form, "Market");
  const place = await submit.boundingBox();
  assert.ok(place !== null && place.y + place.height <= 844, "in view without scrolling");
  await submit.click();
  await sheet.waitFor({ state: "hidden" });
  await page.getByText(/^Bought 0.01 BTC at /).waitFor();
  const card = page.getByRole("region", { name: "Positions" }).getByRole("listitem");
  await card.getByText("Margin ratio").waitFor();
  assert.deepEqual(await smallTargets(page), []);
  await page.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
  const close = await card.getByRole("button", { name: "Close BTCUSDT LONG" }).boundingBox();
  const bar = await page.getByRole("button", { name: "Sell", exact: true }).boundingBox();
  assert.ok(close !== null && bar !== null && close.y + close.height <= bar.y, "above the bar");
  await auditPage(visit);
  await card.getByRole("button", { name: "Close BTCUSDT LONG" }).click();
  await page.getByRole("button", { name: "Close at market" }).click();
  await page.getByText("No open positions.").waitFor();
  visit.assertClean();
});

/** What is pressed in the account's cards and the pinned bar, and is too small for a finger. */
async function smallTargets(page: Page): Promise<string[]> {
  const small: string[] = [];
  const buttons = page.getByRole("region", { name: "Your account" }).getByRole("button");
  for (const button of [...(await buttons.all()), page.getByRole("button", { name: "Sell" })]) {
    const box = await button.first().boundingBox();
    if (box !== null && Math.min(box.width, box.height) < FINGER_PX)
      small.push(`${await button.first().textContent()} ${box.width}×${box.height}`);
  }
  return small;
}

walk("a tablet", { width: 820, height: 1100 }, "Contracts", async (page, visit) => {
  await formOf(page).getByRole("button", { name: /^Max / }).waitFor();
  await auditPage(visit);
  await visit.screenshot("console-contracts-820-light");
  visit.assertClean();
});
