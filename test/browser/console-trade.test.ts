/**
 * Proves in a real browser that a newcomer can trade: the start page shows a live exchange and
 * signs in with one press; spot orders rest, fill and are cancelled, a leveraged position shows its
 * liquidation price and is liquidated there, a candle moves; a killed exchange is noticed and its
 * return too; stops, liquidations and fills are told. All of it for keyboard and screen reader.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import type { Visit, VisitOptions } from "../support/browser.ts";
import {
  anotherThan,
  choose,
  formOf,
  liveOf,
  openTrading,
  signIn,
} from "../support/console-walk.ts";
import { DemoSite } from "../support/demo-site.ts";
import { auditPage } from "../support/page-audit.ts";
import { SignedClient } from "../support/signed-client.ts";

const DESK: VisitOptions = { width: 1440 };

const site = new DemoSite();

/** Whether it can be seen within some seconds. */
async function appears(locator: Locator): Promise<boolean> {
  const seen = locator.waitFor({ timeout: 5_000 });
  return await seen.then(
    () => true,
    () => false,
  );
}

/** At once: a toast goes after some seconds, which a busy machine takes to draw a table. */
async function allSeen(page: Page, texts: readonly (string | RegExp)[], cause: Promise<unknown>) {
  const seen = texts.map((text) => page.getByText(text).first().waitFor());
  await Promise.all([...seen, cause]);
}

site.walk(
  "the start page shows a live exchange and signs in with one press",
  DESK,
  async (visit) => {
    const { page } = visit;
    await page.goto(`${site.exchange.baseUrl}/`);
    const spot = page.getByRole("region", { name: "Spot markets" });
    await spot.getByRole("link", { name: "BTCUSDT" }).waitFor();
    const [demo] = site.exchange.demo;
    const code = (await page.locator("pre").textContent()) ?? "";
    assert.ok(code.includes(demo?.apiKey ?? "none") && code.includes(site.exchange.baseUrl));
    await signIn(visit, site.exchange.baseUrl);
    const stored = await page.evaluate("JSON.stringify({ ...localStorage })");
    assert.doesNotMatch(
      String(stored),
      new RegExp(demo?.secret ?? "none"),
      "kept with the tab alone",
    );
    visit.assertClean();
  },
);

site.walk("an invite link says whom to give its code to, and nothing else", DESK, async (visit) => {
  const { page } = visit;
  const notice = page.getByRole("region", { name: "Invitation" });
  await page.goto(`${site.exchange.baseUrl}/?invite=demo3001&note=anything`);
  await notice.getByText("demo3001", { exact: true }).waitFor();
  await notice.getByText("inviteCode").waitFor();
  await notice.getByRole("button", { name: "Copy the invite code" }).waitFor();
  assert.equal(await page.getByText("anything").count(), 0);
  await auditPage(visit);
  await notice.getByRole("button", { name: "Dismiss the invitation" }).click();
  await notice.waitFor({ state: "detached" });
  await page.goto(`${site.exchange.baseUrl}/?invite=%3Cb%3Ewin%3C/b%3E`);
  await notice.getByText("This invite link is damaged").waitFor();
  assert.equal(await page.getByText("win").count(), 0);
  visit.assertClean();
});

site.walk(
  "the form offers a price, overwrites none, and says what an order did",
  DESK,
  async (visit) => {
    const { page } = visit;
    await signIn(visit, site.exchange.baseUrl);
    await openTrading(page, "Spot");
    const form = formOf(page);
    const price = form.getByLabel("Price", { exact: true });
    assert.ok(Number(await anotherThan("", () => price.inputValue())) > 0, "the last price");
    await price.fill("79000.5");
    await choose(formOf(page), "Market");
    await choose(formOf(page), "Limit");
    assert.equal(await price.inputValue(), "79000.5");
    await form.getByText(/below the last price/).waitFor();

    await form.getByLabel("Time in force").selectOption("FOK");
    await form.getByLabel("Quantity", { exact: true }).fill("0.001");
    await form.getByRole("button", { name: "Buy BTC" }).click();
    await page.getByText(/cancelled: could not be filled in full at 79,000.5/).waitFor();

    await form.getByRole("button", { name: "Use the best ask as the price" }).click();
    await anotherThan("79000.5", () => price.inputValue());
    await form.getByLabel("Quantity", { exact: true }).fill("900");
    await form.getByText("Available (insufficient)").waitFor();
    await form.getByRole("button", { name: "Buy BTC" }).click();
    await form.getByText(/Lower the quantity or cancel open orders/).waitFor();
    // Led to the field that is wrong.
    await form.locator("[name=quantity]:focus").waitFor();
  },
);

site.walk("spot: an order rests and is cancelled, another fills", DESK, async (visit) => {
  const { page } = visit;
  await signIn(visit, site.exchange.baseUrl);
  await openTrading(page, "Spot");
  const form = formOf(page);
  await form.getByLabel("Price", { exact: true }).fill("80000.001");
  await form.getByText("The price must be a multiple of 0.01").waitFor();
  await form.getByLabel("Price", { exact: true }).fill("80000");
  await form.getByLabel("Quantity", { exact: true }).fill("0.01");
  await form.getByRole("button", { name: "Buy BTC" }).click();
  const orders = page.getByRole("region", { name: "Open orders" });
  await orders.getByText("80,000").waitFor();
  await orders.getByRole("button", { name: /^Cancel order/ }).click();
  await page.getByText("No open orders.").waitFor();

  await choose(formOf(page), "Market");
  await form.getByLabel("Quantity", { exact: true }).fill("0.002");
  await form.getByRole("button", { name: "Buy BTC" }).click();
  await page.getByRole("tab", { name: "Trades", exact: true }).last().click();
  const trades = page.getByRole("region", { name: "Trades" }).last();
  await trades.getByText("Taker").first().waitFor();
  await page.getByRole("tab", { name: "Order history" }).click();
  await page.getByText("Filled", { exact: true }).first().waitFor();
  await page.getByText("Cancelled", { exact: true }).first().waitFor();
  visit.assertClean();
});

site.walk("contracts: 20x long, its liquidation price, and the end of it", DESK, async (visit) => {
  const { page } = visit;
  await signIn(visit, site.exchange.baseUrl);
  // The demo's trader has a position with a stop already.
  const [keys] = site.exchange.demo;
  assert.ok(keys !== undefined);
  await new SignedClient(site.exchange.port, keys).post("/capi/v3/closePositions", {});
  await openTrading(page, "Contracts");
  const form = formOf(page);
  await page.getByRole("button", { name: /^(Cross|Isolated) / }).click();
  const dialog = page.getByRole("dialog", { name: "Margin mode and leverage" });
  await dialog.locator("label", { hasText: "Isolated" }).click();
  await dialog.getByRole("textbox").fill("20");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Isolated 20×" }).waitFor();
  await choose(formOf(page), "Market");
  await form.getByLabel("Quantity", { exact: true }).fill("0.02");
  const estimate = form.locator("dl").getByText("Est. liquidation price").locator("..");
  await estimate.getByText(/^\d/).waitFor();
  await form.getByRole("button", { name: "Buy to open long" }).click();
  const positions = page.getByRole("region", { name: "Positions" });
  const row = positions.getByRole("row").filter({ hasText: "Long 20× isolated" });
  await row.waitFor();
  const cells = (await row.getByRole("cell").allInnerTexts()).map((text) => text.trim());
  const liquidation = Number((cells[5] ?? "").split(/\s/)[0]?.replaceAll(",", ""));
  const entry = Number((cells[3] ?? "").replaceAll(",", ""));
  assert.ok(liquidation > entry * 0.9 && liquidation < entry, `${liquidation} below ${entry}`);

  await row.getByRole("button", { name: "Close BTCUSDT LONG" }).click();
  const closing = page.getByRole("dialog", { name: "Close BTCUSDT long" });
  await closing.getByRole("button", { name: "Close 50%" }).click();
  await closing.getByText("Est. P&L before fees").locator("..").getByText(/USDT$/).waitFor();
  await auditPage(visit);
  await closing.getByRole("button", { name: "Close at market" }).click();
  await page.getByText(/^0.01 BTCUSDT closed at market$/).waitFor();
  await row.getByRole("cell", { name: "0.010", exact: true }).waitFor();

  const pin = (price: string | null): Promise<unknown> =>
    site.exchange.operator.call("PUT", "/operator/v1/sandbox/mark-prices/BTCUSDT", { price });
  const told = /^Liquidation: sold 0.01 BTCUSDT at [0-9,.]+/;
  await allSeen(page, [told, "No open positions."], pin((liquidation - 50).toFixed(1)));
  await pin(null);
  for (const tab of ["Order history", "Trades"]) {
    await page.getByRole("tab", { name: tab }).click();
    await page
      .getByRole("region", { name: tab })
      .getByRole("row")
      .nth(1)
      .getByRole("cell", { name: "Liquidation", exact: true })
      .waitFor();
  }

  await page.getByRole("tab", { name: "Positions" }).click();
  await form.getByLabel("Quantity", { exact: true }).fill("0.02");
  await form.getByRole("button", { name: "Buy to open long" }).click();
  await row.getByRole("button", { name: "Close BTCUSDT LONG" }).click();
  await closing.getByText(/^Reverse: then open a short/).click();
  await closing.getByRole("button", { name: "Close and open a short" }).click();
  const short = positions.getByRole("row").filter({ hasText: "Short 20× isolated" });
  await short.getByRole("cell", { name: "0.020", exact: true }).waitFor();
  assert.equal(await row.count(), 0);
  await short.getByRole("button", { name: "Close BTCUSDT SHORT" }).click();
  await page.getByRole("button", { name: "Close at market" }).click();
  await page.getByText("No open positions.").waitFor();
  visit.assertClean();
});

site.walk("a stop, a resting order and what was missed: nothing is silent", DESK, async (visit) => {
  const { page } = visit;
  await signIn(visit, site.exchange.baseUrl);
  const [mine, other] = site.exchange.demo.map(
    (keys) => new SignedClient(site.exchange.port, keys),
  );
  assert.ok(mine !== undefined && other !== undefined);
  const market = { symbol: "BTCUSDT", type: "MARKET", quantity: "0.02" };
  const opened = { ...market, side: "BUY", positionSide: "LONG", newClientOrderId: "silent-1" };
  // From now on nothing is missed.
  await anotherThan("false", async () =>
    String(await page.evaluate("Object.keys(localStorage).some((key) => /activity/.test(key))")),
  );
  await mine.post("/capi/v3/order", opened);
  await page.getByRole("button", { name: /^Activity, \d+ new$/ }).waitFor();
  const { price: mark } = await mine.v3<{ price: string }>(
    "/capi/v3/market/symbolPrice?symbol=BTCUSDT&priceType=MARK",
  );
  const price = (share: number) => (Math.floor(Number(mark) * share * 10) / 10).toFixed(1);
  const stop = { symbol: "BTCUSDT", positionSide: "LONG", quantity: "0.02" };
  const trigger = { triggerPrice: price(0.999), triggerPriceType: "MARK_PRICE" };
  const stopLoss = { ...stop, ...trigger, planType: "STOP_LOSS", clientAlgoId: "silent-2" };
  const placed = await mine.post("/capi/v3/placeTpSlOrder", stopLoss);
  assert.equal(placed.status, 200, placed.text);
  const pin = (to: string | null): Promise<unknown> =>
    site.exchange.operator.call("PUT", "/operator/v1/sandbox/mark-prices/BTCUSDT", { price: to });
  const told = [/^Stop triggered: BTCUSDT at /, /^Stop: sold 0.02 BTCUSDT at /];
  await allSeen(page, told, pin(price(0.998)));
  await pin(null);
  await openTrading(page, "Contracts");
  await page.getByRole("tab", { name: "Order history" }).click();
  const history = page.getByRole("region", { name: "Order history" }).getByRole("row").nth(1);
  await history.getByRole("cell", { name: "Stop", exact: true }).waitFor();

  const ask = { symbol: "ETHUSDT", side: "SELL", type: "LIMIT", timeInForce: "GTC" };
  const inside = async (): Promise<string> => {
    const book = await mine.v3<{ bids: string[][]; asks: string[][] }>(
      "/api/v3/market/depth?symbol=ETHUSDT&limit=15",
    );
    return String((Number(book.bids[0]?.[0]) + Number(book.asks[0]?.[0])) / 2).slice(0, 7);
  };
  const trade = async (id: string): Promise<void> => {
    const terms = { ...ask, quantity: "0.05", price: await inside() };
    const resting = await mine.post("/api/v3/order", { ...terms, newClientOrderId: id });
    assert.equal(resting.status, 200, resting.text);
    const taken = { ...terms, side: "BUY", newClientOrderId: id };
    await other.post("/api/v3/order", taken);
  };
  // Where the book has moved meanwhile, the order fills at once, which is not told.
  const sold = page.getByText(/^Sold 0.05 ETHUSDT at /);
  let isTold = false;
  for (let tries = 0; !isTold && tries < 20; tries++) {
    await trade(`silent-3-${tries}`);
    isTold = await appears(sold);
  }
  assert.ok(isTold, "a resting order that fills is told");

  await page.goto("about:blank");
  await trade("silent-4");
  await page.goto(`${site.exchange.baseUrl}/`);
  await page.getByText(/^While you were away: sold 0.05 ETHUSDT at /).waitFor();
  await page.getByRole("button", { name: /^Activity, \d+ new$/ }).click();
  const list = page.getByRole("dialog", { name: "Activity" }).getByRole("list");
  await list.getByText(/^While you were away: sold/).waitFor();
  await list.getByText(/^Stop: sold/).waitFor();
  await auditPage(visit);
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Activity", exact: true }).waitFor();
  visit.assertClean();
});

site.walk("the account: equity, a transfer, P&L by day, an export", DESK, async (visit) => {
  const { page } = visit;
  await signIn(visit, site.exchange.baseUrl);
  await page.getByRole("link", { name: "Account", exact: true }).click();
  const equity = page.getByLabel("Equity", { exact: true });
  await equity
    .getByText(/^[\d,.]+ USDT$/)
    .first()
    .waitFor();
  const transfer = page.getByRole("form", { name: "Transfer" });
  await transfer.getByLabel("Amount").fill("12.5");
  await transfer.getByRole("button", { name: "Transfer" }).click();
  await page.getByText("12.5 USDT moved").waitFor();
  const days = page.getByRole("region", { name: "P&L by day" }).getByRole("row");
  await days.nth(1).waitFor();
  const saving = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save CSV" }).click();
  const file = await saving;
  assert.match(file.suggestedFilename(), /^contract-trades-1001-.*\.csv$/);
  const lines = readFileSync(await file.path(), "utf8").split("\r\n");
  assert.match(lines[0] ?? "", /^id,orderId,symbol,/);
  assert.ok(
    lines.length > 2 && lines.every((line) => line === "" || line.split(",").length === 15),
  );
  await auditPage(visit);
  await makeAndRevokeKey(visit);
  visit.assertClean();
  await transfer.getByLabel("Amount").fill("900000000");
  await transfer.getByRole("button", { name: "Transfer" }).click();
  await transfer.getByRole("alert").waitFor();
});

/** A key that only reads: its secret is shown once, it signs, and it ends. */
async function makeAndRevokeKey(visit: Visit): Promise<void> {
  const { page } = visit;
  await page.getByRole("button", { name: "Create a key" }).click();
  const dialog = page.getByRole("dialog", { name: "Create an API key" });
  await dialog.getByLabel("Label").fill("tax report");
  await dialog.getByLabel("Passphrase").fill("tax-2026-read");
  await auditPage(visit);
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("The secret is shown only once.").waitFor();
  const [apiKey = "", secret = ""] = await dialog.locator("code").allTextContents();
  assert.match(secret, /^[0-9a-f]{64}$/);
  const made = { apiKey, secret, passphrase: "tax-2026-read" };
  const reader = new SignedClient(site.exchange.port, made);
  assert.equal((await reader.get("/api/v3/account")).status, 200);
  await auditPage(visit);
  await dialog.getByRole("button", { name: "I have saved them" }).click();
  const row = page.getByRole("row", { name: /tax report/ });
  assert.doesNotMatch((await row.textContent()) ?? "", new RegExp(secret));
  await row.getByRole("button", { name: /^Revoke key / }).click();
  const ending = page.getByRole("dialog", { name: "Revoke API key" });
  await auditPage(visit);
  await ending.getByRole("button", { name: "Revoke", exact: true }).click();
  await row.waitFor({ state: "detached" });
  assert.equal((await reader.get("/api/v3/account")).status, 401);
  reader.close();
}

site.walk("an address that leads nowhere says so", DESK, async (visit) => {
  const { page } = visit;
  await page.goto(`${site.exchange.baseUrl}/trade/margin/BTCUSDT`);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await auditPage(visit);
  await page.getByRole("link", { name: "Go to the start page" }).click();
  await page.getByRole("region", { name: "Spot markets" }).waitFor();
});

site.walk("a candle moves with a trade", DESK, async (visit) => {
  const { page } = visit;
  await signIn(visit, site.exchange.baseUrl);
  await openTrading(page, "Spot");
  const legend = page.getByText(/^Vol \(BTC\)/).first();
  await legend.waitFor();
  const before = (await legend.locator("..").textContent()) ?? "";
  await choose(formOf(page), "Market");
  await formOf(page).getByLabel("Quantity", { exact: true }).fill("0.003");
  await formOf(page).getByRole("button", { name: "Buy BTC" }).click();
  await anotherThan(before, async () => (await legend.locator("..").textContent()) ?? "");
  visit.assertClean();
});

site.walk("a killed exchange is noticed, and its return", DESK, async (visit) => {
  const { page } = visit;
  await signIn(visit, site.exchange.baseUrl);
  await openTrading(page, "Spot");
  const { port } = site.exchange;
  await site.exchange.kill("SIGKILL");
  await page
    .getByText(/Reconnecting/)
    .first()
    .waitFor();
  await site.exchange.restart({ profile: "demo", sandbox: true, flags: ["--port", String(port)] });
  await liveOf(page).waitFor();
  await page.getByRole("tab", { name: "Assets" }).click();
  await page.getByRole("region", { name: "Assets" }).getByText("USDT").waitFor();
});
