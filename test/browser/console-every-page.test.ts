/**
 * Proves of every page of both consoles that axe finds nothing at all and nothing is wider than its
 * window, in both themes and at three widths; and that each of them recovers by itself from an
 * exchange that is killed and comes back: no error is left standing.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import type { Visit, VisitOptions } from "../support/browser.ts";
import { DemoSite } from "../support/demo-site.ts";
import { auditWholePage } from "../support/page-audit.ts";
import { isLongRun } from "../support/random.ts";

const site = new DemoSite();

const EXCHANGE_PAGES = [
  "/",
  "/trade/spot/BTCUSDT",
  "/trade/contract/BTCUSDT",
  "/account",
  "/affiliate",
  "/no-such-page",
];
/** Those that the navigation does not have; the others are read from it. */
const MORE_OPERATOR_PAGES = ["#/users/1001"];

async function signInTrader(page: Page): Promise<void> {
  await page.goto(`${site.exchange.baseUrl}/`);
  await page.getByRole("button", { name: "Affiliate 3001" }).first().click();
  await page.getByRole("button", { name: /Account 3001/ }).waitFor();
}

async function signInOperator(page: Page): Promise<void> {
  await page.goto(`${site.operatorOrigin}/`);
  await site.signInOperator(page);
}

async function operatorPages(page: Page): Promise<readonly string[]> {
  const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  const pages = await links.evaluateAll((all) =>
    all.map((link) => link.getAttribute("href") ?? ""),
  );
  assert.ok(pages.length >= 13, `${pages}`);
  return [...pages, ...MORE_OPERATOR_PAGES];
}

/** Nothing is loading any more. */
async function loaded(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).first().waitFor({ state: "attached" });
  await page
    .getByText(/^Loading.*…/)
    .first()
    .waitFor({ state: "detached" });
}

const SHAPES: readonly VisitOptions[] = [
  { width: 1440, colorScheme: "dark" },
  { width: 820, colorScheme: "light" },
  { width: 390, colorScheme: "light" },
];
/** In the long run. */
const MORE_SHAPES: readonly VisitOptions[] = [
  { width: 1440, colorScheme: "light" },
  { width: 820, colorScheme: "dark" },
  { width: 390, colorScheme: "dark" },
];

for (const shape of isLongRun() ? [...SHAPES, ...MORE_SHAPES] : SHAPES) {
  const name = `${shape.width}-${shape.colorScheme}`;
  test(`every page of the exchange, ${name}`, { skip: site.skip }, async () => {
    const visit = await site.browser.visit(site.exchange.baseUrl, shape);
    try {
      await signInTrader(visit.page);
      for (const path of EXCHANGE_PAGES) {
        await visit.page.goto(`${site.exchange.baseUrl}${path}`);
        await loaded(visit.page);
        await auditWholePage(visit);
        await visit.screenshot(`every${path.replaceAll("/", "-")}-${name}`);
      }
    } finally {
      await visit.close();
    }
  });

  test(`every page of the operator, ${name}`, { skip: site.skip }, async () => {
    const visit = await site.browser.visit(site.operatorOrigin, shape);
    try {
      await visit.page.goto(`${site.operatorOrigin}/`);
      await visit.page.getByLabel("Operator token").waitFor();
      await auditWholePage(visit);
      await signInOperator(visit.page);
      for (const path of await operatorPages(visit.page)) {
        await visit.page.goto(`${site.operatorOrigin}/${path}`);
        await loaded(visit.page);
        await auditWholePage(visit);
        await visit.screenshot(`every-operator-${path.replaceAll(/\W+/g, "-")}-${name}`);
      }
    } finally {
      await visit.close();
    }
  });
}

/** An error, or a sign that the page is not up to date. */
const TROUBLES = ["[role=alert]", "text=Reconnecting", "text=disconnected"];

async function troublesOf(page: Page): Promise<readonly string[]> {
  const texts = await Promise.all(TROUBLES.map((one) => page.locator(one).allInnerTexts()));
  return texts.flat();
}

/** Waits until every page is without trouble, or names those that are not. */
async function recovered(pages: ReadonlyMap<string, Page>): Promise<void> {
  const left = new Map<string, readonly string[]>();
  for (let tries = 0; tries < 120; tries++) {
    left.clear();
    for (const [name, page] of pages) {
      // Only a page that is seen asks again.
      await page.bringToFront();
      const troubles = await troublesOf(page);
      if (troubles.length > 0) left.set(name, troubles);
    }
    if (left.size === 0) return;
    await setTimeout(500);
  }
  assert.deepEqual([...left], [], "errors are left standing");
}

test("every page recovers when a killed exchange comes back", {
  skip: site.skip,
}, async () => {
  const visits = [
    await site.browser.visit(site.exchange.baseUrl, { width: 1440 }),
    await site.browser.visit(site.operatorOrigin, { width: 1440 }),
  ] as const;
  try {
    const [trader, operator] = visits;
    await signInTrader(trader.page);
    await signInOperator(operator.page);
    const pages = new Map<string, Page>();
    const open = async (visit: Visit, url: string): Promise<void> => {
      const page = await visit.newTab(url);
      await loaded(page);
      pages.set(url, page);
    };
    for (const path of EXCHANGE_PAGES) await open(trader, `${site.exchange.baseUrl}${path}`);
    for (const path of await operatorPages(operator.page)) {
      await open(operator, `${site.operatorOrigin}/${path}`);
    }
    await recovered(pages);
    const ports = ["--port", site.exchange.port, "--operator-port", site.exchange.operatorPort].map(
      String,
    );
    await site.exchange.kill("SIGKILL");
    const wall = pages.get(`${site.exchange.baseUrl}/trade/spot/BTCUSDT`);
    await wall?.bringToFront();
    await wall
      ?.getByText(/Reconnecting/)
      .first()
      .waitFor();
    await site.exchange.restart({ profile: "demo", sandbox: true, flags: ports });
    await recovered(pages);
  } finally {
    for (const visit of visits) await visit.close();
  }
});
