/**
 * Proves in a real browser that the reference can be read and used: every page is listed, loads
 * from the exchange alone and leads nowhere but to what is there; calls have addresses, samples in
 * three languages, bounds and recorded answers; the search finds calls and codes; a call is sent
 * and signed from the page on a demo, and from no other; it holds at the widths of a phone, a
 * tablet and a desk in both themes; and it is light.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { examplesOf } from "../../src/api/reference/examples.ts";
import { SIGNED_EXAMPLES, SIGNING_PROGRAMS } from "../../src/api/reference/signing.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { browserMissing, TestBrowser, type Visit, type VisitOptions } from "../support/browser.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { auditPage } from "../support/page-audit.ts";

const missing = browserMissing();
/** Compressed, of a page with everything that it loads. */
const PAGE_BYTES_MAX = 60_000;

let demo: ExchangeProcess;
let empty: ExchangeProcess;
let browser: TestBrowser;

before(async () => {
  if (missing !== null) return;
  demo = await ExchangeProcess.start({ profile: "demo" });
  empty = await ExchangeProcess.start({ sandbox: false });
  browser = await TestBrowser.launch();
});

after(async () => {
  if (missing !== null) return;
  await browser.close();
  await Promise.all([demo.stop(), empty.stop()]);
});

/** A test with a page of its own. */
function pageTest(name: string, options: VisitOptions, body: (visit: Visit) => Promise<void>) {
  test(name, { skip: missing ?? false }, async () => {
    const visit = await browser.visit(demo.baseUrl, options);
    try {
      await body(visit);
      visit.assertClean();
    } finally {
      await visit.close();
    }
  });
}

async function openDocs({ page }: Visit, place = "", at = demo): Promise<void> {
  await page.goto(`${at.baseUrl}/docs/${place}`);
  await page.locator("#theme:not([hidden])").waitFor();
}

async function pagesOf(visit: Visit): Promise<readonly string[]> {
  await openDocs(visit);
  const links = await visit.page.locator("#contents li a").evaluateAll((found) =>
    // In the page, which has links that this program's types do not know.
    (found as unknown as readonly { pathname: string }[]).map(({ pathname }) => pathname),
  );
  return [...new Set(links)];
}

interface ReadPage {
  readonly ids: ReadonlySet<string>;
  readonly links: readonly string[];
  readonly html: string;
}

async function readPages(visit: Visit): Promise<ReadonlyMap<string, ReadPage>> {
  const read = new Map<string, ReadPage>();
  for (const path of await pagesOf(visit)) {
    const answer = await visit.page.request.get(demo.baseUrl + path);
    assert.equal(answer.status(), 200, path);
    const html = await answer.text();
    const found = (pattern: RegExp) => [...html.matchAll(pattern)].map(([, text = ""]) => text);
    const ids = found(/\sid="([^"]+)"/g);
    assert.equal(new Set(ids).size, ids.length, `${path}: two places of one name`);
    read.set(path, { ids: new Set(ids), links: found(/<a [^>]*href="([^"]+)"/g), html });
  }
  return read;
}

pageTest("every call and guide has an address, and every link leads to one", {}, async (visit) => {
  const pages = await readPages(visit);
  const lost: string[] = [];
  for (const [path, { links, html }] of pages) {
    const texts = html.replace(/<(pre|code)[\s\S]*?<\/\1>/g, "");
    assert.doesNotMatch(texts, /undefined|\[object |NaN|\]\(|`|\{\{|\*\*/, path);
    for (const link of links) {
      const [target = "", anchor] = link.split("#");
      if (target !== "" && !target.startsWith("/docs/")) continue;
      const there = pages.get(target === "" ? path : target);
      if (there === undefined || (anchor !== undefined && !there.ids.has(anchor))) {
        lost.push(`${path}: ${link}`);
      }
    }
  }
  assert.deepEqual(lost, []);
  const ids = new Set([...pages.values()].flatMap((page) => [...page.ids]));
  assert.deepEqual(
    ROUTES.filter(({ id }) => !ids.has(id)).map(({ id }) => id),
    [],
  );
  assert.ok(pages.size > 50, String(pages.size));
});

pageTest("a call shows bounds, limit, samples and recorded responses", {}, async (visit) => {
  const { page } = visit;
  await openDocs(visit, "spot-v3-trading#v3-place-order");
  const section = page.locator("#v3-place-order");
  const text = await visit.textOf(section);
  for (const shown of ["weight 2 (IP), 5 (UID)", "Permission: spot", "max length", "POST_ONLY"]) {
    assert.ok(text.includes(shown), `${shown} in:\n${text}`);
  }
  for (const { answer, title } of examplesOf({ id: "v3-place-order" })) {
    const details = section.locator("details", { hasText: title }).first();
    if ((await details.getAttribute("open")) === null) await details.locator("summary").click();
    const [value] = Object.values(answer as object).filter((one) => typeof one === "string");
    await details.getByText(String(value)).first().waitFor();
  }
  const code = section.locator(".samples pre:visible");
  assert.match(await visit.textOf(code), /openssl dgst -sha256/);
  await section.getByRole("tab", { name: "Python" }).click();
  assert.match(await visit.textOf(code), /import base64, hashlib/);
  assert.ok((await visit.textOf(code)).includes(demo.baseUrl), "the exchange that shows it");
  await page.keyboard.press("ArrowLeft");
  assert.match(await visit.textOf(code), /createHmac/);
  await openDocs(visit, "channels-spot-account");
  assert.match(await visit.textOf(page.locator("#fill pre:visible")), /new WebSocket/);
});

pageTest("the search finds calls and error codes, by keyboard", {}, async (visit) => {
  const { page } = visit;
  await openDocs(visit);
  await page.keyboard.press("/");
  await page.keyboard.type("change leverage");
  await page.getByRole("option", { name: /Change leverages of a market/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(/contract-v3-account#contract-leverage$/);
  await page.locator("#contract-leverage").getByText("isolatedLongLeverage").first().waitFor();
  await page.locator("#search").fill("40008");
  await page.getByRole("option", { name: /^40008/ }).click();
  await page.waitForURL(/errors#code-40008$/);
  await page.locator("#search").fill("no such thing");
  await page.getByText("Nothing found.").waitFor();
});

pageTest("calls are sent from the page, signed with a demo key", {}, async (visit) => {
  const { page } = visit;
  await openDocs(visit, "spot-v3-account");
  const form = page.locator("form#v3-account-try");
  await form.getByRole("button", { name: "Send" }).click();
  await form.getByText(/^HTTP 200 in/).waitFor();
  await form.getByText('"uid": 1001').waitFor();
  await openDocs(visit, "spot-v3-trading");
  const order = page.locator("form#v3-place-order-try");
  const body = { symbol: "BTCUSDT", side: "BUY", type: "LIMIT", quantity: "0.01", price: "88000" };
  await order.locator("textarea").fill(JSON.stringify(body));
  await order.locator("select").selectOption({ label: "Trader 1002" });
  await order.getByRole("button", { name: "Send" }).click();
  await order.getByText(/"orderId"/).waitFor();
  await order.locator("textarea").fill("{");
  await order.getByRole("button", { name: "Send" }).click();
  await order.getByText(/The body is not JSON/).waitFor();
  await auditPage(visit);
});

test("an exchange without demo keys offers nothing to send", {
  skip: missing ?? false,
}, async () => {
  const visit = await browser.visit(empty.baseUrl);
  try {
    const venue = visit.page.waitForResponse(/console\/venue/);
    await openDocs(visit, "spot-v3-trading", empty);
    await (await venue).finished();
    assert.equal(await visit.page.locator("form.try:visible").count(), 0);
    visit.assertClean();
  } finally {
    await visit.close();
  }
});

for (const width of [390, 820, 1440]) {
  for (const colorScheme of ["light", "dark"] as const) {
    pageTest(`${width} pixels, ${colorScheme}`, { width, colorScheme }, async (visit) => {
      const { page } = visit;
      for (const place of ["", "errors", "contract-v3-trading", "streams"]) {
        await openDocs(visit, place);
        const body = await page.evaluate<string>("getComputedStyle(document.body).backgroundColor");
        const brightness = Number(/\d+/.exec(body)?.[0] ?? "255");
        assert.equal(brightness > 127, colorScheme === "light", body);
        await auditPage(visit);
        await visit.screenshot(`docs-${place}-${width}-${colorScheme}`);
      }
      if (width < 900) {
        await page.getByRole("link", { name: "Contents" }).click();
        await page.locator("#contents").getByRole("link", { name: "Signing" }).click();
        await page.waitForURL(/\/docs\/signing$/);
      }
      await page.getByRole("button", { name: /Switch to the/ }).click();
      const theme = await page.evaluate<string>("document.documentElement.dataset.theme");
      assert.notEqual(theme, colorScheme);
    });
  }
}

pageTest("a page is light, and can be read without its script", {}, async (visit) => {
  const { page } = visit;
  const sizes: number[] = [];
  page.on("response", async (response) => {
    if (response.status() !== 200) return;
    const { responseBodySize } = await response.request().sizes();
    sizes.push(responseBodySize);
  });
  await openDocs(visit, "contract-v3-trading");
  await page.waitForLoadState("networkidle");
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.ok(bytes > 10_000 && bytes < PAGE_BYTES_MAX, `${bytes} bytes`);
  await page.route(/assets\/docs-.*\.js/, (route) => route.abort("blockedbyclient"));
  await page.goto(`${demo.baseUrl}/docs/spot-v3-trading`);
  assert.match(await visit.textOf(page.locator("#v3-place-order")), /createHmac[\s\S]*hashlib/);
  visit.complaints.length = 0;
});

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
