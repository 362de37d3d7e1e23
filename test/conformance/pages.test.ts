/**
 * Proves what the API's port serves beside the API: an OpenAPI 3.1 document with every route of the
 * table, a reference page that loads nothing from other hosts, and health; metrics are on the
 * operator's port, without secrets.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { pathsOf, ROUTES } from "../../src/api/routes.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import { type HttpAnswer, HttpConnection } from "../support/http-exchange.ts";

interface OpenApi {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** What a browser would fetch because of this page. */
function loadedBy(html: string): string[] {
  const links = html.matchAll(/<(?:script|link|img|iframe)[^>]+(?:src|href)=["']([^"']+)["']/g);
  return [...links].map(([, target]) => target ?? "");
}

test("pages beside the API", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const account = await openAccount(exchange, { USDT: "1000" });
  const connection = new HttpConnection(exchange.port);
  t.after(() => connection.close());
  const get = (path: string): Promise<HttpAnswer> => connection.send({ method: "GET", path });

  await t.test("/openapi.json has every route", async () => {
    const answer = await get("/openapi.json");
    assert.equal(answer.status, 200);
    const { openapi, paths } = answer.body as OpenApi;
    assert.match(openapi, /^3\.1\./);
    for (const route of ROUTES) {
      const described = pathsOf(route).some((path) => {
        const operations = paths[path] ?? {};
        return route.method.toLowerCase() in operations;
      });
      assert.ok(described, `${route.method} ${route.path}`);
    }
  });

  await t.test("/docs loads from this host alone", async () => {
    let page = await get("/docs");
    if (page.status >= 300 && page.status < 400) page = await get(String(page.headers.location));
    assert.equal(page.status, 200);
    const loaded = loadedBy(page.text);
    assert.ok(loaded.length > 0, page.text.slice(0, 500));
    for (const target of loaded) {
      assert.ok(!/^(https?:)?\/\//.test(target), target);
      if (target.startsWith("data:")) continue;
      const url = new URL(target, `${exchange.baseUrl}/docs/`);
      assert.equal((await get(url.pathname + url.search)).status, 200, target);
    }
  });

  await guideTests(t, connection);

  await t.test("health, and metrics for operators alone", async () => {
    await account.client.placed({
      symbol: "BTCUSDT",
      side: "buy",
      orderType: "limit",
      force: "normal",
      price: "20000",
      quantity: "0.01",
      clientOrderId: "measured",
    });
    assert.equal((await get("/health/live")).status, 200);
    assert.equal((await get("/health/ready")).status, 200);
    assert.equal((await get("/metrics")).status, 404);
    const text = await exchange.operator.metrics();
    for (const name of ["commands", "request_seconds", "commit_seconds", "queue_depth"]) {
      assert.match(text, new RegExp(`^rialto_${name}`, "m"));
    }
    const { apiKey, secret, passphrase } = account.credentials;
    for (const value of [apiKey, secret, passphrase]) assert.ok(!text.includes(value));
    for (const value of [secret, passphrase]) assert.ok(!exchange.output.includes(value), "log");
  });
});

async function guideTests(t: TestContext, connection: HttpConnection): Promise<void> {
  await t.test(
    "a guide that is not there: a page for browsers, an error for programs",
    async () => {
      const request = { method: "GET", path: "/docs/none" };
      const shown = await connection.send({ ...request, headers: { accept: "text/html" } });
      assert.equal(shown.status, 404);
      assert.match(shown.text, /<!doctype html>/i);
      const told = await connection.send(request);
      assert.deepEqual([told.status, typeof told.body], [404, "object"]);
    },
  );

  await t.test("the guide about speed has its picture", async () => {
    const { text } = await connection.send({ method: "GET", path: "/docs/speed" });
    const pictures = [...text.matchAll(/<img src="([^"]+)"/g)].map(([, path = ""]) => path);
    assert.deepEqual(pictures, ["/docs/speed.svg"]);
    const picture = await connection.send({ method: "GET", path: "/docs/speed.svg" });
    assert.equal(picture.status, 200);
    assert.equal(picture.headers["content-type"], "image/svg+xml");
    assert.match(String(picture.headers["content-security-policy"]), /^default-src 'none'/);
    assert.match(picture.text, /^<svg [^>]*role="img"[\s\S]*<title[\s\S]*<desc[\s\S]*<\/svg>$/m);
  });
}
