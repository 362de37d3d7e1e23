/**
 * Proves in a real browser that what traders do on a wide screen works on a tablet's and a phone's
 * width too: an order with a stop, its lines, a position that is closed in part and liquidated, a
 * halt, the list of what happened, transfers, exports and keys. The walks at 1,440 pixels are in
 * the other files; here one window of each width does all of it, without loading a page twice.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import type { Visit } from "../support/browser.ts";
import { choose, openTrading, signIn } from "../support/console-walk.ts";
import { DemoSite } from "../support/demo-site.ts";
import { auditPage } from "../support/page-audit.ts";

const SHAPES = [
  { width: 820, height: 1180, colorScheme: "dark" },
  { width: 390, height: 844, colorScheme: "light" },
] as const;
const PHONE_WIDTH_MAX = 700;

const site = new DemoSite();

for (const shape of SHAPES) {
  site.walk(`a trader's day at ${shape.width} pixels`, shape, async (visit) => {
    // The demo's trader has a position with a stop already.
    await site.trader.post("/capi/v3/closePositions", {});
    await signIn(visit, site.exchange.baseUrl);
    await openTrading(visit.page, "Contracts");
    await orderAndItsLines(visit);
    await positionUntilLiquidation(visit);
    await haltIsShown(visit.page);
    await activityIsListed(visit);
    await accountPage(visit);
    visit.assertClean();
  });
}

const isPhone = (page: Page): boolean => (page.viewportSize()?.width ?? 0) <= PHONE_WIDTH_MAX;

/** The order form; on a phone it is in a sheet that a press on the pinned Buy opens. */
async function openForm(page: Page): Promise<Locator> {
  if (isPhone(page)) {
    await page.getByRole("button", { name: "Buy", exact: true }).click();
  }
  const form = page.getByRole("form", { name: "Order" });
  await form.getByLabel("Quantity", { exact: true }).waitFor();
  return form;
}

async function orderAndItsLines(visit: Visit): Promise<void> {
  const { page } = visit;
  const form = await openForm(page);
  const price = form.getByLabel("Price", { exact: true });
  await price.fill("80000");
  await form.getByLabel("Quantity", { exact: true }).fill("0.01");
  await form.getByText("Take-profit / stop-loss").click();
  await form.getByLabel("Stop-loss", { exact: true }).fill("79000");
  await form
    .getByText(/-10\.00 USDT/)
    .first()
    .waitFor();
  await auditPage(visit);
  await form.getByRole("button", { name: "Buy to open long" }).click();
  await page.getByText("Limit buy placed at 80,000").waitFor();

  await page.getByRole("button", { name: /^Lines \(/ }).click();
  const list = page.getByRole("dialog", { name: "Lines on the chart" });
  const order = list.getByRole("textbox", { name: "Move to: Buy 0.01" });
  await order.fill("80100");
  await order.press("Enter");
  const question = page.getByRole("dialog", { name: "Move order" });
  await question.getByText("Move your order to buy 0.01 BTC from 80,000 to 80,100?").waitFor();
  await question.getByRole("button", { name: /^Move to / }).click();
  const cancel = list.getByRole("button", { name: /^Cancel Buy 0.01 at 80,100/ });
  await cancel.click();
  await cancel.waitFor({ state: "detached" });
  await list.getByRole("button", { name: "Close" }).click();
}

async function positionUntilLiquidation(visit: Visit): Promise<void> {
  const { page } = visit;
  const form = await openForm(page);
  await choose(form, "Market");
  await form.getByLabel("Quantity", { exact: true }).fill("0.02");
  await form.getByRole("button", { name: "Buy to open long" }).click();
  await page.getByText(/^Bought 0.02 BTC at /).waitFor();
  const close = page.getByRole("button", { name: "Close BTCUSDT LONG" });
  await close.click();
  const closing = page.getByRole("dialog", { name: "Close BTCUSDT long" });
  await closing.getByRole("button", { name: "Close 50%" }).click();
  await closing.getByText("Est. P&L before fees").locator("..").getByText(/USDT$/).waitFor();
  await closing.getByRole("button", { name: "Close at market" }).click();
  await page.getByText(/^0.01 BTCUSDT closed at market$/).waitFor();

  await page.getByRole("button", { name: "Edit TP/SL and margin of BTCUSDT LONG" }).click();
  const exits = page.getByRole("dialog", { name: "BTCUSDT long" });
  await choose(exits, "Stop-loss");
  await exits.getByLabel("Trigger price").fill("70000");
  await exits.getByText(/^Estimated loss: /).waitFor();
  await auditPage(visit);
  await exits.getByRole("button", { name: "Set stop-loss" }).click();
  await page.getByText("Stop-loss set at 70000").waitFor();
  await page.getByText("– / 70,000").waitFor();

  const explain = page.getByRole("button", { name: /explain the liquidation price of BTCUSDT/ });
  const shown = /[\d,.]+/.exec((await explain.textContent()) ?? "")?.[0] ?? "";
  const liquidation = Number(shown.replaceAll(",", ""));
  const pin = (price: string | null): Promise<unknown> =>
    site.exchange.operator.call("PUT", "/operator/v1/sandbox/mark-prices/BTCUSDT", { price });
  // Toasts go by themselves: waited for before they come.
  const told = page.getByText(/^Liquidation: sold 0.01 BTCUSDT at [0-9,.]+/).waitFor();
  await Promise.all([told, pin((liquidation - 50).toFixed(1))]);
  await pin(null);
  await page.getByText("No open positions.").waitFor();
}

/** On the page and in the form at the same time as it is told. */
async function haltIsShown(page: Page): Promise<void> {
  const set = (state: string): Promise<unknown> =>
    site.exchange.operator.call("PATCH", "/operator/v1/markets/contract/BTCUSDT", { state });
  const told = page.getByText("BTCUSDT contract is halted: new orders are rejected").waitFor();
  await Promise.all([told, set("halted")]);
  try {
    await page.getByText("Halted", { exact: true }).waitFor();
    const form = await openForm(page);
    await form.getByRole("button", { name: "BTCUSDT is halted" }).waitFor();
  } finally {
    await set("trading");
  }
  const form = page.getByRole("form", { name: "Order" });
  await form.getByRole("button", { name: "Buy to open long" }).waitFor();
  await form.getByLabel("Quantity", { exact: true }).press("Escape");
  if (isPhone(page)) {
    await page.getByRole("dialog", { name: "Order in BTCUSDT" }).waitFor({ state: "hidden" });
  } else {
    const focused = await page.evaluate("document.activeElement?.tagName");
    assert.equal(focused, "BODY", "the field is left, so that keys work again");
  }
  assert.equal(await page.getByText("Halted", { exact: true }).count(), 0);
}

async function activityIsListed(visit: Visit): Promise<void> {
  const { page } = visit;
  await page.getByRole("button", { name: /^Activity/ }).click();
  const dialog = page.getByRole("dialog", { name: "Activity" });
  const list = dialog.getByRole("list");
  await list.getByText(/^Liquidation: sold 0.01 BTCUSDT at /).waitFor();
  await list.getByText("BTCUSDT contract accepts orders again").waitFor();
  await auditPage(visit);
  await dialog.getByRole("button", { name: "Close" }).click();
}

async function accountPage(visit: Visit): Promise<void> {
  const { page } = visit;
  await page.getByRole("link", { name: "Account", exact: true }).click();
  const transfer = page.getByRole("form", { name: "Transfer" });
  await transfer.getByLabel("Amount").fill("12.5");
  await transfer.getByRole("button", { name: "Transfer" }).click();
  await page.getByText("12.5 USDT moved").waitFor();
  await page.getByRole("region", { name: "P&L by day" }).getByRole("row").nth(1).waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save CSV" }).click();
  const lines = readFileSync(await (await saving).path(), "utf8").split("\r\n");
  assert.match(lines[0] ?? "", /^id,orderId,symbol,/);
  assert.ok(lines.length > 3, "what was traded is in it");
  await page.getByRole("button", { name: "Create a key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create an API key" });
  await dialog.getByLabel("Passphrase").waitFor();
  await auditPage(visit);
  await dialog.getByRole("button", { name: "Close" }).click();
  await auditPage(visit);
  await visit.screenshot(`console-account-${page.viewportSize()?.width}`);
}
