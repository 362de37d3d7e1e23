/**
 * Proves that a visit notices what tests of pages rely on: a page that asks other hosts, fails in a
 * script, writes an error and breaks its content policy is caught in each, and one that does none
 * of it is clean.
 */
import assert from "node:assert/strict";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { browserMissing, TestBrowser } from "../support/browser.ts";

const POLICY = "default-src 'none'; script-src 'unsafe-inline'; img-src * data:; connect-src *";
const BAD_PAGE = `<!doctype html><title>bad</title><style>p { color: red }</style>
<img src="http://elsewhere.invalid/spy.png">
<script>
  new WebSocket("ws://elsewhere.invalid/feed");
  console.error("said aloud");
  setTimeout(() => { throw new Error("thrown away"); });
</script><p>bad</p>`;
const GOOD_PAGE = '<!doctype html><title>good</title><link rel="icon" href="data:,"><p>good</p>';

const missing = browserMissing();

let server: Server;
let origin: string;
let browser: TestBrowser;

before(async () => {
  if (missing !== null) return;
  server = createServer((request, response) => {
    const headers = { "Content-Type": "text/html", "Content-Security-Policy": POLICY };
    response.writeHead(200, headers).end(request.url === "/bad" ? BAD_PAGE : GOOD_PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  browser = await TestBrowser.launch();
});

after(async () => {
  if (missing !== null) return;
  await browser.close();
  server.close();
});

test("a bad page is caught in everything", { skip: missing ?? false }, async () => {
  const visit = await browser.visit(origin);
  await visit.page.goto(`${origin}/bad`);
  await visit.page.waitForLoadState("networkidle");
  const asked = [...visit.strayRequests].sort();
  assert.deepEqual(asked, ["http://elsewhere.invalid/spy.png", "ws://elsewhere.invalid/feed"]);
  const said = visit.complaints.join("\n");
  for (const words of ["said aloud", "thrown away", "content policy: style-src", "spy.png"]) {
    assert.ok(said.includes(words), `${words} in:\n${said}`);
  }
  assert.throws(() => visit.assertClean());
  await visit.close();
});

test("a good page is clean, and a new visit knows nothing of the one before", {
  skip: missing ?? false,
}, async () => {
  const first = await browser.visit(origin);
  await first.page.goto(origin);
  await first.page.evaluate("localStorage.setItem('seen', 'yes')");
  first.assertClean();
  await first.close();
  const second = await browser.visit(origin, { width: 400, colorScheme: "dark" });
  await second.page.goto(origin);
  assert.equal(await second.page.evaluate("localStorage.getItem('seen')"), null);
  assert.equal(await second.page.evaluate("innerWidth"), 400);
  assert.equal(await second.textOf(second.page.locator("p")), "good");
  second.assertClean();
  await second.close();
});
