/**
 * Proves in a real browser that the reference can be read: it loads from the exchange alone and
 * without a complaint, lists every section, guide and call, shows a call with its bounds and its
 * recorded answers, finds one by a word, holds at the widths of a phone, a tablet and a desk, in
 * light and dark, and its signing program runs where it was read.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { examplesOf } from "../../src/api/reference/examples.ts";
import { SIGNED_EXAMPLES, SIGNING_PROGRAMS } from "../../src/api/reference/signing.ts";
import type { Route } from "../../src/api/route.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { browserMissing, TestBrowser, type Visit, type VisitOptions } from "../support/browser.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";

interface PageDocument {
  readonly tags: readonly { readonly name: string; readonly "x-displayName"?: string }[];
  readonly "x-tagGroups": readonly { readonly name: string; readonly tags: readonly string[] }[];
}

const missing = browserMissing();

let exchange: ExchangeProcess;
let browser: TestBrowser;

before(async () => {
  if (missing !== null) return;
  exchange = await ExchangeProcess.start();
  browser = await TestBrowser.launch();
});

after(async () => {
  if (missing !== null) return;
  await browser.close();
  await exchange.stop();
});

/** A test with a page of its own. */
function pageTest(name: string, options: VisitOptions, body: (visit: Visit) => Promise<void>) {
  test(name, { skip: missing ?? false }, async () => {
    const visit = await browser.visit(exchange.baseUrl, options);
    try {
      await body(visit);
      visit.assertClean();
    } finally {
      await visit.close();
    }
  });
}

async function openDocs({ page }: Visit, place = ""): Promise<void> {
  await page.goto(`${exchange.baseUrl}/docs/${place}`);
  await page.locator("h1").first().waitFor();
}

function slugOf(tag: string): string {
  return tag
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");
}

function placeOf({ tag, method, path }: Route): string {
  return `#tag/${slugOf(tag)}/${method}${path}`;
}

function routeOf(id: string): Route {
  const route = ROUTES.find((candidate) => candidate.id === id);
  assert.ok(route !== undefined, id);
  return route;
}

/** Of the first example with such a status, each value as the page shows it. */
function answerOf(route: Route, isMeant: (status: number) => boolean): Record<string, string> {
  const example = examplesOf(route).find(({ status }) => isMeant(status));
  assert.ok(example !== undefined, route.id);
  const entries = Object.entries(example.answer as object);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** The section of a call, once it is drawn. */
function sectionOf({ page }: Visit, route: Route) {
  const id = `api-1/${placeOf(route).slice(1)}`;
  return page.locator(`[id="${id}"]`).first();
}

pageTest("the list at the side has every section, guide and call", {}, async (visit) => {
  const { page } = visit;
  await openDocs(visit);
  const answer = await page.request.get(`${exchange.baseUrl}/docs/document.json`);
  const document = (await answer.json()) as PageDocument;
  const listed = document["x-tagGroups"].flatMap(({ tags }) => tags);
  assert.deepEqual([...listed].sort(), document.tags.map(({ name }) => name).sort());
  const aside = page.locator("aside").first();
  for (const { name } of document["x-tagGroups"]) await aside.getByText(name).first().waitFor();
  for (const { name, "x-displayName": shown = name } of document.tags) {
    const link = aside.locator(`a[href="#tag/${slugOf(name)}"]`);
    assert.equal(await visit.textOf(link), shown);
  }
  const closed = aside.locator("button[aria-expanded=false]");
  while ((await closed.count()) > 0) await closed.first().click();
  for (const route of ROUTES) {
    await aside.locator(`a[href="${placeOf(route)}"]`).waitFor({ state: "attached" });
  }
});

pageTest("a call shows bounds, limit, and a recorded response", {}, async (visit) => {
  const route = routeOf("v3-place-order");
  await openDocs(visit, placeOf(route));
  const section = sectionOf(visit, route);
  await section.getByText("newClientOrderId").first().waitFor();
  const text = await visit.textOf(section);
  for (const shown of ["weight 2 (IP), 5 (UID)", "Permission: spot", "max length", "POST_ONLY"]) {
    assert.ok(text.includes(shown), `${shown} in:\n${text}`);
  }
  await section.getByText(answerOf(route, (status) => status === 200).transactTime ?? "").waitFor();
  await section.getByRole("tab", { name: "4XX" }).click();
  await section.getByText(answerOf(route, (status) => status !== 200).msg ?? "").waitFor();
  await visit.screenshot("call");
});

pageTest("a call of each group is drawn without holes", {}, async (visit) => {
  await openDocs(visit);
  const groups = Map.groupBy(ROUTES, ({ tag }) => tag.split(": ", 1)[0]);
  for (const [, [route]] of groups) {
    if (route === undefined) continue;
    await visit.jump(placeOf(route));
    const section = sectionOf(visit, route);
    await section.getByText("Responses").first().waitFor();
    const text = await visit.textOf(section);
    assert.doesNotMatch(text, /undefined|\[object|NaN/, route.id);
    assert.ok(text.includes("Limit: "), route.id);
  }
});

pageTest("sections and guides are there to be read", {}, async (visit) => {
  const { page } = visit;
  await openDocs(visit);
  await page.getByRole("link", { name: "Signing" }).last().click();
  for (const [name, words] of [
    ["signing", SIGNED_EXAMPLES[0]?.signature ?? ""],
    ["limits", "/api/v3/order/batch"],
    ["values", "Unix milliseconds"],
    ["examples", "Alice"],
    ["errors", "Send Content-Type: application/json with every body."],
    ["streams", "depthSnapshot"],
    ["the-operator-api", "X-Operator"],
    ["liquidation", "maintenance"],
  ] as const) {
    await visit.jump(`#tag/${name}`);
    const section = page.locator(`[id="api-1/tag/${name}"]`).first();
    await section.getByText(words).first().waitFor();
    assert.doesNotMatch(await visit.textOf(section), /undefined|\[object|\]\(|mermaid/, name);
    await visit.screenshot(name);
  }
});

pageTest("search finds a call by a word and goes there", {}, async (visit) => {
  const { page } = visit;
  await openDocs(visit);
  await page
    .getByRole("button", { name: /search/i })
    .first()
    .click();
  await page.keyboard.type("leverage");
  const found = page.getByRole("option", { name: /Change leverages of a market/ });
  await found.waitFor();
  await visit.screenshot("search");
  await found.click();
  const route = routeOf("contract-leverage");
  await sectionOf(visit, route).getByText("isolatedLongLeverage").first().waitFor();
  assert.equal(decodeURIComponent(new URL(page.url()).hash), placeOf(route));
});

for (const width of [390, 820, 1600]) {
  for (const colorScheme of ["light", "dark"] as const) {
    pageTest(`${width} pixels, ${colorScheme}`, { width, colorScheme }, async (visit) => {
      const { page } = visit;
      await openDocs(visit, "#tag/errors");
      await page.getByText("40008").first().waitFor();
      const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
      assert.ok(wide <= width, `${wide} pixels are drawn on ${width}`);
      const body = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
      const brightness = Number(/\d+/.exec(body)?.[0] ?? "255");
      assert.equal(brightness > 127, colorScheme === "light", body);
      await visit.screenshot(`errors-${width}-${colorScheme}`);
      if (width > 1000) return;
      // The list is behind a button where there is no room for it.
      await page.getByRole("button", { name: /menu/i }).first().click();
      await page.getByText("Operator API").first().waitFor({ state: "attached" });
      await visit.screenshot(`menu-${width}-${colorScheme}`);
    });
  }
}

pageTest("the signing program runs in the page", {}, async (visit) => {
  const { page } = visit;
  await openDocs(visit);
  const program = SIGNING_PROGRAMS.find(({ source }) => source.includes("crypto.subtle"));
  assert.ok(program !== undefined);
  const lines = await page.evaluate(
    `(async () => {
      const lines = [];
      const console = { log: (line) => lines.push(line) };
      ${program.source}
      return lines;
    })()`,
  );
  const expected = SIGNED_EXAMPLES.map(({ signature }) => signature);
  assert.deepEqual(lines, expected);
});
