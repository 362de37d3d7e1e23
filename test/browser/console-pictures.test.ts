/**
 * The pictures of the console in docs/pictures: every page in both themes, and the README shows
 * each of them.
 *
 *     RIALTO_WRITE_PICTURES=1 npm test -- test/browser/console-pictures.test.ts
 *
 * takes them anew, from a demo exchange that has been traded on.
 */
import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { TestBrowser } from "../support/browser.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";

const ROOT = join(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "docs/pictures");
const THEMES = ["light", "dark"] as const;
const SIZE = { width: 1440, height: 900 } as const;
/** So that updates have come and what was opened is drawn. */
const SETTLE_MS = 4_000;

type Theme = (typeof THEMES)[number];

interface Picture {
  readonly name: string;
  /** From the start page to what is shown. */
  readonly prepare: (page: Page) => Promise<void>;
}

async function signIn(page: Page, account: string): Promise<void> {
  await page.getByRole("button", { name: account }).first().click();
  await page.getByRole("button", { name: /^Account / }).waitFor();
}

async function open(page: Page, link: string): Promise<void> {
  await page.getByRole("link", { name: link, exact: true }).first().click();
}

const PICTURES: readonly Picture[] = [
  { name: "start", prepare: () => Promise.resolve() },
  {
    name: "spot",
    prepare: async (page) => {
      await signIn(page, "Trader 1001");
      await open(page, "Spot");
      await page.getByRole("tab", { name: "Order history" }).click();
    },
  },
  {
    name: "contract",
    prepare: async (page) => {
      await signIn(page, "Trader 1001");
      await open(page, "Contracts");
    },
  },
  {
    name: "affiliate",
    prepare: async (page) => {
      await signIn(page, "Affiliate 3001");
      await open(page, "Affiliate");
    },
  },
];

/** Pages of the operator, by what leads there. */
const OPERATOR_PICTURES = [
  { name: "operator-health", link: "Health" },
  { name: "operator-risk", link: "Risk" },
] as const;

function fileOf(name: string, theme: Theme): string {
  return join(FOLDER, `${name}-${theme}.png`);
}

async function take(page: Page, name: string, theme: Theme): Promise<void> {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(SETTLE_MS);
  await page.screenshot({ path: fileOf(name, theme) });
}

async function takeAll(): Promise<void> {
  const exchange = await ExchangeProcess.start({
    profile: "demo",
    rateLimits: "standard",
    sandbox: false,
  });
  const browser = await TestBrowser.launch();
  try {
    for (const colorScheme of THEMES) {
      for (const { name, prepare } of PICTURES) {
        const visit = await browser.visit(exchange.baseUrl, { ...SIZE, colorScheme });
        await visit.page.goto(`${exchange.baseUrl}/`);
        await prepare(visit.page);
        await take(visit.page, name, colorScheme);
        await visit.close();
      }
      const origin = `http://127.0.0.1:${exchange.operatorPort}`;
      const visit = await browser.visit(origin, { ...SIZE, colorScheme });
      await visit.page.goto(`${origin}/`);
      const { operatorToken } = JSON.parse(exchange.readyLine) as { operatorToken: string };
      await visit.page.getByLabel("Operator token").fill(operatorToken);
      await visit.page.getByRole("button", { name: "Sign in" }).click();
      for (const { name, link } of OPERATOR_PICTURES) {
        await open(visit.page, link);
        await take(visit.page, name, colorScheme);
      }
      await visit.close();
    }
  } finally {
    await browser.close();
    await exchange.stop();
  }
}

if (process.env.RIALTO_WRITE_PICTURES === "1") await takeAll();

test("there is a picture of every page in both themes, and the README shows it", () => {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const names = [...PICTURES, ...OPERATOR_PICTURES].map(({ name }) => name);
  const expected = names.flatMap((name) => THEMES.map((theme) => fileOf(name, theme)));
  for (const file of expected) {
    assert.ok(existsSync(file), file);
    assert.ok(readme.includes(file.slice(ROOT.length + 1)), `${file} in the README`);
  }
  assert.deepEqual(globSync(join(FOLDER, "*")).sort(), expected.sort(), "no picture of the past");
});
