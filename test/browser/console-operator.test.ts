/**
 * Proves in a real browser what an operator needs at once: a user is found by an order's id, with
 * the positions and orders that the user has; a halt asks for a reason, which the audit tells as a
 * sentence and finds with its filters; charts begin with what the exchange kept; and traders are
 * told of the halt, of funding, of deleveraging and of a clock that jumps.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Visit } from "../support/browser.ts";
import { DemoSite } from "../support/demo-site.ts";
import { auditWholePage } from "../support/page-audit.ts";
import { waitUntil } from "../support/wait-until.ts";

const V1 = "/operator/v1";

const site = new DemoSite();

function walk(name: string, width: number, body: (visit: Visit) => Promise<void>): void {
  const origin = () => site.operatorOrigin;
  const walked = async (visit: Visit) => {
    await visit.page.goto(`${origin()}/`);
    await site.signInOperator(visit.page);
    await body(visit);
  };
  site.walk(`${name}, ${width} pixels`, { width }, walked, origin);
}

function until(count: number, read: () => Promise<number>): Promise<void> {
  return waitUntil(`there are ${count}`, async () => (await read()) === count);
}

for (const width of [1440, 820, 390]) {
  const id = `find-me-${width}`;
  walk("a user is found by an order's id, with orders and positions", width, async (visit) => {
    const { page } = visit;
    const order = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
    const { bids } = await site.trader.v3<{ bids: string[][] }>(
      "/api/v3/market/depth?symbol=BTCUSDT&limit=15",
    );
    const price = (Number(bids[0]?.[0]) * 0.95).toFixed(0);
    const resting = { ...order, quantity: "0.01", price, newClientOrderId: id };
    const placed = await site.trader.post("/api/v3/order", resting);
    assert.equal(placed.status, 200, placed.text);
    const open = { symbol: "BTCUSDT", side: "BUY", positionSide: "LONG", type: "MARKET" };
    const held = { ...open, quantity: "0.01", newClientOrderId: `held-${width}` };
    assert.equal((await site.trader.post("/capi/v3/order", held)).status, 200);
    await page.getByRole("link", { name: "Users", exact: true }).click();
    await page.getByLabel("Find a user, API key or order").fill(id);
    await page.getByRole("button", { name: "Search" }).click();
    const results = page.getByRole("region", { name: "Search results" });
    await results.getByText("Open order").waitFor();
    await auditWholePage(visit);
    await visit.screenshot(`desk-search-${width}`);
    await results.getByRole("link", { name: "1001" }).click();
    const orders = page.getByRole("region", { name: "Open orders" });
    await orders.getByText(id).waitFor();
    const positions = page.getByRole("region", { name: "Positions" });
    await positions.getByText("Long", { exact: false }).first().waitFor();
    await page.locator("label", { hasText: "Ended, contracts" }).click();
    const ended = page.getByRole("region", { name: "Ended orders" });
    await ended.getByText(`held-${width}`).waitFor();
    await auditWholePage(visit);
    await visit.screenshot(`desk-user-${width}`);
    await page.getByRole("link", { name: "← All users" }).click();
    await page.getByLabel("Find a user, API key or order").fill("nothing-has-this");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByText("Nothing has the ID “nothing-has-this”.").waitFor();
    visit.assertClean();
  });

  walk("a halt has a reason, and the audit finds it", width, async (visit) => {
    const { page } = visit;
    const reason = `upgrade ${width}`;
    await page.getByRole("link", { name: "Markets", exact: true }).click();
    await page.getByRole("row").filter({ hasText: "ETHUSDT" }).first().waitFor();
    // The list hears of the halt while the next dialog is open.
    const heard = Promise.withResolvers<void>();
    await page.route(/\/markets\/spot\?/, async (route) => {
      await heard.promise;
      await route.continue();
    });
    const change = async (state: string, button: string, why: string): Promise<void> => {
      const rows = page.getByRole("row").filter({ hasText: "ETHUSDT" });
      await rows.getByRole("button", { name: /state/i }).first().click();
      const dialog = page.getByRole("dialog");
      await dialog.locator("label", { hasText: new RegExp(`^${state}$`) }).click();
      const submit = dialog.getByRole("button", { name: button });
      if (state === "Halted") assert.ok(await submit.isDisabled(), "a halt needs a reason");
      await dialog.getByLabel(/^Reason/).fill(why);
      if (state === "Trading") {
        assert.ok(await submit.isDisabled(), "it seems to trade");
        heard.resolve();
      }
      await submit.click();
      await dialog.waitFor({ state: "detached" });
    };
    await change("Halted", "Halt market", reason);
    await change("Trading", "Resume trading", "");
    await page.getByRole("link", { name: "Audit", exact: true }).click();
    const log = page.getByRole("region", { name: "Audit log" });
    await log.getByText(`halted spot ETHUSDT: ${reason}`).waitFor();
    await page.getByLabel("Text").fill(reason.toUpperCase());
    await until(2, () => log.getByRole("row").count());
    await page.getByLabel("Action").selectOption({ label: "User registered" });
    await page.getByText("No actions match these filters.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await page.getByLabel("User", { exact: true }).fill("1001");
    await log
      .getByText(/user 1001/)
      .first()
      .waitFor();
    await page.getByLabel("User", { exact: true }).fill("x");
    await page.getByText("A UID is a whole number above 0.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await auditWholePage(visit);
    await visit.screenshot(`desk-audit-${width}`);
    visit.assertClean();
  });
}

walk("a filter finds what is pages away", 1440, async (visit) => {
  const { page } = visit;
  for (let i = 0; i < 120; i++) await site.exchange.operator.call("POST", `${V1}/users`, {});
  await page.getByRole("link", { name: "Audit", exact: true }).click();
  const log = page.getByRole("region", { name: "Audit log" });
  await log.getByText("registered user", { exact: false }).first().waitFor();
  assert.equal(await log.getByText("upgrade 1440").count(), 0, "it is not on the first page");
  await page.getByLabel("Market").fill("ethusdt");
  await log.getByText("halted spot ETHUSDT: upgrade 1440").waitFor();
  visit.assertClean();
});

walk("charts begin with what the exchange kept", 1440, async (visit) => {
  const { page } = visit;
  await page.getByText("Throughput, last 30 minutes").waitFor();
  // Nothing is collected first: the exchange has been running for more than two samples.
  await page.getByText("Collecting data…").first().waitFor({ state: "detached", timeout: 8_000 });
  await auditWholePage(visit);
  await visit.screenshot("desk-health");
  visit.assertClean();
});

test("traders are told of what happens to markets and positions", {
  skip: site.skip,
}, async () => {
  const visit = await site.browser.visit(site.exchange.baseUrl, { width: 1440 });
  try {
    const { page } = visit;
    await page.goto(`${site.exchange.baseUrl}/`);
    await page.getByRole("button", { name: "Trader 1001" }).first().click();
    await page.getByRole("button", { name: /Account 1001/ }).waitFor();
    const state = (to: string) =>
      site.exchange.operator.call("PATCH", `${V1}/markets/contract/BTCUSDT`, { state: to });
    // The first look is what later ones are compared with.
    await page.waitForResponse(/market\/apiTradingSymbols/);
    await page.waitForResponse(/market\/apiTradingSymbols/);
    await state("halted");
    await page.getByText("BTCUSDT contract is halted: new orders are rejected").waitFor();
    await state("trading");
    await page.getByText("BTCUSDT contract accepts orders again").waitFor();
    const open = { symbol: "BTCUSDT", side: "BUY", positionSide: "LONG", type: "MARKET" };
    const held = { ...open, quantity: "0.02", newClientOrderId: "told" };
    assert.equal((await site.trader.post("/capi/v3/order", held)).status, 200);
    const trigger = (scenario: string) =>
      site.exchange.operator.call("POST", `${V1}/sandbox/trigger`, { scenario, ...TRADER });
    await page.getByRole("link", { name: "Contracts", exact: true }).click();
    await page
      .getByText(/^Streams: Live/)
      .first()
      .waitFor();
    await trigger("funding-spike");
    await page
      .getByText(/^Funding (paid|received): [\d.,]+ USDT on BTCUSDT$/)
      .first()
      .waitFor();
    await page
      .getByText(/^Exchange time jumped forward by /)
      .first()
      .waitFor();
    await trigger("adl");
    await page
      .getByText(/^ADL: sold [\d.,]+ BTCUSDT at /)
      .first()
      .waitFor();
    await page.getByRole("button", { name: /^Activity/ }).click();
    const list = page.getByRole("dialog", { name: "Activity" }).getByRole("list");
    for (const told of [/^Funding/, /^ADL/, /jumped forward/, /contract is halted/]) {
      await list.getByText(told).first().waitFor();
    }
    await auditWholePage(visit);
    await visit.screenshot("desk-activity");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "Account", exact: true }).click();
    const funding = page.getByRole("region", { name: "Funding payments" });
    await funding.getByRole("cell", { name: "BTCUSDT" }).first().waitFor();
    const fees = page.getByRole("region", { name: "Fee rates" });
    await fees.getByRole("cell", { name: "BTCUSDT contract" }).waitFor();
    const apiKey = site.exchange.demo[0]?.apiKey ?? "";
    await page.locator(`code[title="${apiKey}"]`).waitFor();
    await auditWholePage(visit);
    await visit.screenshot("desk-account");
  } finally {
    await visit.close();
  }
});

const TRADER = { uid: 1001, symbol: "BTCUSDT" };
