/**
 * Proves that the console is served whole and guarded: every file that a page names is there,
 * compressed and cacheable, under a policy that allows no other host and nothing inline; keys of
 * demo accounts are shown under a name of this machine alone; the operator's page needs no token,
 * its calls do.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type HttpAnswer, HttpConnection } from "../support/http-exchange.ts";

const PAGES = ["/", "/trade/spot/BTCUSDT", "/trade/contract/BTCUSDT", "/account", "/affiliate"];
const UNKNOWN_PAGES = ["/none", "/trade/none", "/trade/spot/A/b", "/account/x", "/affiliate/x"];

function namedFiles(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, target]) => target ?? "");
}

function assertGuarded({ headers }: HttpAnswer): void {
  const policy = String(headers["content-security-policy"]);
  assert.match(policy, /^default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|https?:|\*/);
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["cache-control"], "no-cache");
}

type Get = (path: string, headers?: Record<string, string>) => Promise<HttpAnswer>;

/** To browsers by a page, to programs as ever. */
async function checkUnknownPages(get: Get): Promise<void> {
  for (const path of UNKNOWN_PAGES) {
    const shown = await get(path, { accept: "text/html,*/*;q=0.8" });
    assert.equal(shown.status, 404, path);
    assertGuarded(shown);
    assert.match(shown.text, /<!doctype html>/i);
    const told = await get(path, { accept: "*/*" });
    assert.deepEqual([told.status, typeof told.body], [404, "object"], path);
  }
  const api = await get("/api/v3/none", { accept: "text/html" });
  assert.deepEqual([api.status, typeof api.body], [404, "object"]);
}

test("the console for traders and affiliates", async (t) => {
  const exchange = await ExchangeProcess.start({ profile: "demo", process: "shared" });
  t.after(() => exchange.stop());
  const connection = new HttpConnection(exchange.port);
  t.after(() => connection.close());
  const get: Get = (path, headers = {}) => connection.send({ method: "GET", path, headers });

  await t.test("every page is the same guarded document, with nothing inline", async () => {
    const texts = new Set<string>();
    for (const path of PAGES) {
      const answer = await get(path);
      assert.equal(answer.status, 200, path);
      assertGuarded(answer);
      texts.add(answer.text);
    }
    assert.equal(texts.size, 1);
    const [html = ""] = texts;
    assert.doesNotMatch(html, /<script(?![^>]*\ssrc=)|<style|\son\w+=/);
  });

  await t.test("an unknown page is said to be one", () => checkUnknownPages(get));

  await t.test("every file that it names is there, compressed and kept by browsers", async () => {
    const files = namedFiles((await get("/")).text);
    assert.ok(files.length >= 3, files.join());
    for (const path of files) {
      const plain = await get(path);
      assert.equal(plain.status, 200, path);
      assert.match(String(plain.headers["cache-control"]), /immutable/);
      assert.equal(plain.headers["x-content-type-options"], "nosniff");
      if (plain.text.length < 2_000) continue;
      const compressed = await get(path, { "accept-encoding": "br" });
      assert.equal(compressed.headers["content-encoding"], "br", path);
    }
    assert.equal((await get("/console/assets/none.js")).status, 404);
    assert.equal((await get("/console/assets/../index.html")).status, 404);
  });

  await t.test("demo keys are for who is on this machine", async () => {
    const shown = async (host: string, headers: Record<string, string> = {}): Promise<number> => {
      const answer = await get("/console/venue", { host, ...headers });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers["access-control-allow-origin"], undefined);
      assert.equal(answer.headers["cache-control"], "no-store");
      const { demoAccounts, operatorPort } = answer.body as {
        demoAccounts: unknown[];
        operatorPort: number | null;
      };
      assert.equal(operatorPort === null, demoAccounts.length === 0);
      return demoAccounts.length;
    };
    const { port } = exchange;
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, "127.0.0.1"]) {
      assert.equal(await shown(host), 3, host);
    }
    for (const host of [`evil.example:${port}`, "127.0.0.1.evil.example", "10.0.0.1"]) {
      assert.equal(await shown(host), 0, host);
    }
    for (const name of FORWARDING_HEADERS) {
      for (const value of ["198.51.100.7", "1.1 proxy", ""]) {
        assert.equal(await shown(`127.0.0.1:${port}`, { [name]: value }), 0, `${name}: ${value}`);
      }
    }
  });
});

const FORWARDING_HEADERS = [
  "Forwarded",
  "Via",
  "X-Real-IP",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Forwarded-Proto",
  "x-forwarded-server",
];

test("with --demo-keys off nobody is shown a key", async (t) => {
  const env = { RIALTO_DEMO_KEYS: "off" };
  const exchange = await ExchangeProcess.start({ profile: "demo", env });
  t.after(() => exchange.stop());
  assert.equal(exchange.demo.length, 3, "the ready line of who starts it has them");
  const connection = new HttpConnection(exchange.port);
  t.after(() => connection.close());
  const answer = await connection.send({ method: "GET", path: "/console/venue" });
  assert.deepEqual((answer.body as { demoAccounts: unknown }).demoAccounts, []);
});

test("a venue without demo accounts shows no key", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  const connection = new HttpConnection(exchange.port);
  t.after(() => connection.close());
  const answer = await connection.send({ method: "GET", path: "/console/venue" });
  assert.deepEqual((answer.body as { demoAccounts: unknown }).demoAccounts, []);
});

test("the console for operators", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  const connection = new HttpConnection(exchange.operatorPort);
  t.after(() => connection.close());
  const page = await connection.send({ method: "GET", path: "/" });
  assert.equal(page.status, 200);
  assertGuarded(page);
  for (const path of namedFiles(page.text)) {
    assert.equal((await connection.send({ method: "GET", path })).status, 200, path);
  }
  for (const path of ["/operator/v1/status", "/metrics", "/operator/v1/none", "/none"]) {
    assert.equal((await connection.send({ method: "GET", path })).status, 401, path);
  }
});
