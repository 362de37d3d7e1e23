/**
 * What walks through the trade page share: signing in, opening a market, and the parts of the page
 * that they read and press.
 */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import type { Visit } from "./browser.ts";

const TRADER = "Trader 1001";
/** Narrower, the form is in a sheet. */
const PHONE_WIDTH_MAX = 700;

export async function signIn({ page }: Visit, baseUrl: string): Promise<void> {
  await page.goto(`${baseUrl}/`);
  await page.getByRole("button", { name: TRADER }).first().click();
  await page.getByRole("button", { name: /Account 1001/ }).waitFor();
}

export async function openTrading(page: Page, product: "Spot" | "Contracts"): Promise<void> {
  await page.getByRole("link", { name: product, exact: true }).click();
  await liveOf(page).waitFor();
  const isPhone = (page.viewportSize()?.width ?? 0) <= PHONE_WIDTH_MAX;
  const shown = isPhone
    ? page.getByRole("button", { name: "Buy", exact: true })
    : formOf(page).getByLabel("Quantity", { exact: true });
  await shown.waitFor();
}

/** The state of the streams, with their latency once it is known. */
export const liveOf = (page: Page): Locator => page.getByText(/^Streams: Live/).first();

export const formOf = (page: Page): Locator => page.getByRole("form", { name: "Order" });

/** Chooses one of options that stand side by side. */
export async function choose(within: Locator, text: string): Promise<void> {
  await within.locator("label", { hasText: new RegExp(`^${text}$`) }).click();
}

/** Looks again and again until something else stands there; gives what does. */
export async function anotherThan(before: string, read: () => Promise<string>): Promise<string> {
  for (let looks = 0; looks < 600; looks++) {
    const text = await read();
    if (text !== before) return text;
    await setTimeout(50);
  }
  return assert.fail(`it stayed ${before}`);
}
