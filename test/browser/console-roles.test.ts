/**
 * Proves in a real browser what an affiliate and an operator come for: a commission is read down to
 * its ledger entries and its settlement, and its numbers are the interface's; a market is halted
 * and goes on, with the operator's token and not without; both pages for keyboard and screen
 * reader.
 */
import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { browserMissing, TestBrowser, type Visit } from "../support/browser.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { auditPage } from "../support/page-audit.ts";

const missing = browserMissing();

let exchange: ExchangeProcess;
let browser: TestBrowser;

before(async () => {
  if (missing !== null) return;
  exchange = await ExchangeProcess.start({ profile: "demo", sandbox: true });
  browser = await TestBrowser.launch();
});

after(async () => {
  if (missing !== null) return;
  await browser.close();
  await exchange.stop();
});

/** A test with a window of its own; on a machine without a browser it only says so. */
function walk(name: string, origin: () => string, body: (visit: Visit) => Promise<void>): void {
  test(name, async (context: TestContext) => {
    if (missing !== null) {
      context.diagnostic(`not run: ${missing}`);
      return;
    }
    const visit = await browser.visit(origin(), { width: 1440 });
    try {
      await visit.page.goto(`${origin()}/`);
      await body(visit);
    } finally {
      await visit.close();
    }
  });
}

const operatorOrigin = (): string => `http://127.0.0.1:${exchange.operatorPort}`;

walk(
  "a commission is read down to its ledger entries",
  () => exchange.baseUrl,
  async (visit) => {
    const { page } = visit;
    await page.getByRole("button", { name: "Affiliate 3001" }).first().click();
    await page.getByRole("button", { name: /Account 3001/ }).waitFor();
    await page.getByRole("link", { name: "Affiliate", exact: true }).click();
    const why = page.getByRole("button", { name: /^Why\? Explain commission/ }).last();
    await why.waitFor();
    await auditPage(visit);
    const id = /\d+/.exec(
      (await why.getAttribute("aria-label")) ?? (await why.textContent()) ?? "",
    );
    await why.click();
    const dialog = page.getByRole("dialog", { name: `Commission ${id?.[0]}` });
    const picture = (await dialog.getByRole("list").first().textContent()) ?? "";
    const path = `/operator/v1/commissions/${id?.[0]}`;
    const told = await exchange.operator.call<{ fee: string; rate: string; amount: string }>(
      "GET",
      path,
    );
    for (const number of [told.fee, told.rate, told.amount]) {
      assert.ok(picture.includes(number), `${number} in ${picture}`);
    }
    assert.match(picture, /fees → affiliate-payable/);
    visit.assertClean();
  },
);

walk("a market is halted and goes on", operatorOrigin, async (visit) => {
  const { page } = visit;
  const token = page.getByLabel("Operator token");
  await token.fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("This is not the token of this venue.").waitFor();
  visit.complaints.length = 0;
  const { operatorToken } = JSON.parse(exchange.readyLine) as { operatorToken: string };
  await token.fill(operatorToken);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("link", { name: "Markets" }).click();
  const stateOf = async (): Promise<string> =>
    (await exchange.operator.call<{ state: string }>("GET", "/operator/v1/markets/spot/SOLUSDT"))
      .state;
  for (const [choice, state] of [
    ["Halted", "halted"],
    ["Trading", "trading"],
  ] as const) {
    await page.getByRole("button", { name: "Change state of SOLUSDT, spot" }).click();
    const dialog = page.getByRole("dialog", { name: "State of SOLUSDT, spot" });
    await dialog.locator("label", { hasText: choice }).click();
    await dialog.getByRole("button").last().click();
    await dialog.waitFor({ state: "hidden" });
    assert.equal(await stateOf(), state);
  }
  await auditPage(visit);
  visit.assertClean();
});
