/**
 * Proves what surrounds the endpoints: unknown paths and methods in their family's form, pages,
 * what no framework may answer by itself, large bodies, broken invariants, and garbage on a real
 * socket.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import test, { type TestContext } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import {
  fakeGateway,
  ORDER,
  placeOrderRequest,
  send,
  signedHeaders,
} from "../../../test/support/gateway.ts";
import { PAGES } from "../../api/pages.ts";
import { pathsOf, ROUTES } from "../../api/routes.ts";
import { InvariantViolation } from "../../domain/index.ts";
import { ENDPOINTS } from "../endpoints.ts";
import { createRateLimits, POOL_WEIGHT } from "./rate-limit.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"] as const;

test("every route of the table has one endpoint", () => {
  const answered = ENDPOINTS.map(({ route }) => route.id).sort();
  assert.deepEqual(answered, ROUTES.map(({ id }) => id).sort());
});

test("the path of a stream says that it is one, in the form of its product", async () => {
  const { app } = fakeGateway();
  for (const url of ["/v3/ws/public", "/contract/v3/ws/private?x=1"]) {
    const get = await app.inject({ method: "GET", url });
    assert.deepEqual([get.statusCode, get.headers.upgrade], [426, "websocket"]);
    assert.deepEqual(Object.keys(get.json()), ["code", "msg"]);
    const post = await app.inject({ method: "POST", url });
    assert.deepEqual([post.statusCode, post.headers.allow], [405, "GET"]);
  }
  await app.close();
});

test("another method is 405 with Allow, an unknown path 404, by family", async () => {
  const { app, engine } = fakeGateway();
  const allowed = new Map<string, Set<string>>();
  for (const route of ROUTES) {
    for (const path of pathsOf(route)) {
      allowed.set(path, (allowed.get(path) ?? new Set()).add(route.method));
    }
  }
  for (const [url, methods] of allowed) {
    for (const method of METHODS.filter((candidate) => !methods.has(candidate))) {
      const response = await app.inject({ method: method as "GET", url, payload: "{" });
      assert.equal(response.statusCode, 405, `${method} ${url}`);
      assert.deepEqual(new Set(String(response.headers.allow).split(", ")), methods);
      if (method === "HEAD") continue;
      assert.equal(response.json().code, url.startsWith("/api/v2/") ? "40404" : -1150);
    }
  }
  const unknown = ["/", "/api/v2", "/api/v2/trade/orders/", "/api/v2/trade/ORDERS", "/x?a=1"];
  for (const url of unknown) {
    const response = await app.inject({ method: "POST", url });
    assert.deepEqual([response.statusCode, response.json().code], [404, "40404"], url);
  }
  for (const url of ["/api/v3/nope", "/capi/v3/nope", "/api/v3"]) {
    const response = await app.inject({ method: "DELETE", url });
    assert.deepEqual([response.statusCode, response.json().code], [404, -1150], url);
  }
  const bad = [await app.inject("/api/v2/%zz"), await app.inject("/api/v3/%zz")];
  assert.deepEqual(
    bad.map((response) => [response.statusCode, response.json().code]),
    [
      [400, "40017"],
      [400, -1140],
    ],
  );
  assert.equal(engine.calls, 0);
});

test("health, metrics and the OpenAPI document", async () => {
  const { app } = fakeGateway();
  const live = await app.inject("/health/live");
  assert.deepEqual([live.statusCode, live.json()], [200, { status: "live" }]);
  const ready = await app.inject("/health/ready");
  assert.deepEqual([ready.statusCode, ready.json()], [200, { status: "ready" }]);
  const metrics = await app.inject("/metrics");
  assert.deepEqual([metrics.statusCode, metrics.json().code], [404, "40404"], "not asked for");
  const open = fakeGateway({ publicMetrics: true });
  const shown = await open.app.inject("/metrics");
  assert.equal(shown.body, "rialto_up 1\n");
  assert.equal(shown.headers["content-type"], "text/plain; version=0.0.4");
  const openApi = await app.inject("/openapi.json");
  assert.equal(openApi.json().openapi, "3.1.0");
});

test("the reference page loads from this server alone, whatever headers say", async () => {
  const { app } = fakeGateway();
  const redirect = await app.inject({ url: "/docs", headers: { host: "[evil" } });
  assert.deepEqual([redirect.statusCode, redirect.headers.location], [301, "/docs/"]);
  for (const url of ["/docs/", "/docs/signing"]) {
    const page = await app.inject({ url, headers: { host: "[evil" } });
    assert.equal(page.statusCode, 200);
    assert.doesNotMatch(page.body, /(?:src|href)="(?!\/|#)/);
    assert.doesNotMatch(page.body, /<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
    const policy = String(page.headers["content-security-policy"]);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.doesNotMatch(policy, /https?:|\*|unsafe/);
  }
  await app.close();
});

test("a lost address below /docs is a page to browsers, an error to programs", async () => {
  const { app } = fakeGateway();
  for (const url of ["/docs/none", "/docs/..%2Fpackage.json", "/docs/none.html"]) {
    const shown = await app.inject({ url, headers: { accept: "text/html,*/*;q=0.8" } });
    assert.equal(shown.statusCode, 404);
    assert.match(shown.body, /<h1>Page not found<\/h1>/);
    const told = await app.inject({ url });
    assert.deepEqual([told.statusCode, told.json().code], [404, "40404"]);
  }
  await app.close();
});

const STORED = ["/openapi.json", "/docs/spot-v3-trading", "/docs/search.json"];

test("large pages come compressed, and not again to a client that has them", async () => {
  const { app } = fakeGateway();
  for (const url of STORED) {
    const plain = await app.inject(url);
    assert.equal(plain.headers["content-encoding"], undefined);
    for (const [asked, coding, decode] of [
      ["gzip, deflate, br", "br", brotliDecompressSync],
      ["GZIP;q=0.5, br;q=0", "gzip", gunzipSync],
      ["*", "br", brotliDecompressSync],
      ["br;q=0, *", "gzip", gunzipSync],
    ] as const) {
      const coded = await app.inject({ url, headers: { "accept-encoding": asked } });
      assert.equal(coded.headers["content-encoding"], coding, asked);
      assert.deepEqual(decode(coded.rawPayload), plain.rawPayload);
      assert.ok(coded.rawPayload.length < plain.rawPayload.length / 3);
      assert.equal(coded.headers.vary, "Accept-Encoding");
      assert.notEqual(coded.headers.etag, plain.headers.etag);
      const known = { "accept-encoding": asked, "if-none-match": `"x", W/${coded.headers.etag}` };
      const again = await app.inject({ url, headers: known });
      assert.deepEqual([again.statusCode, again.body], [304, ""]);
      assert.equal(again.headers.etag, coded.headers.etag);
    }
    for (const asked of ["identity", "", "deflate, br;q=0, gzip;q=0"]) {
      const headers = { "accept-encoding": asked, "if-none-match": '"other"' };
      const answer = await app.inject({ url, headers });
      assert.deepEqual([answer.statusCode, answer.headers["content-encoding"]], [200, undefined]);
    }
  }
  await app.close();
});

test("pages take of a pool of their address, each of its own", async () => {
  const { app, clock } = fakeGateway(
    { publicMetrics: true },
    createRateLimits(Buffer.from("hash key")),
  );
  for (const { path, weight } of Object.values(PAGES)) {
    // A client that has the page requests it in the same way.
    const headers = { "if-none-match": "*" };
    const url = path.replace(":page", "signing");
    const ask = (remoteAddress: string) => app.inject({ url, remoteAddress, headers });
    for (let taken = 0; taken + weight <= POOL_WEIGHT; taken += weight) {
      const { statusCode } = await ask("192.0.2.1");
      assert.ok([200, 301, 304].includes(statusCode), path);
    }
    const refused = await ask("192.0.2.1");
    assert.deepEqual([refused.statusCode, refused.json().code], [429, "429"], path);
    assert.equal(refused.headers["retry-after"], "1");
    assert.notEqual((await ask("192.0.2.2")).statusCode, 429, "another address");
    clock.monotonic += 10_000;
    assert.notEqual((await ask("192.0.2.1")).statusCode, 429, "later");
  }
  await app.close();
});

test("a body of 16 KiB is read, a larger one refused after the headers", async () => {
  const { app, engine } = fakeGateway();
  const padded = (length: number) => {
    const body = JSON.stringify({ ...ORDER, padding: "" });
    return `${body.slice(0, -2)}${"x".repeat(length - body.length)}"}`;
  };
  const request = (length: number) => ({ ...placeOrderRequest(), body: padded(length) });
  assert.equal((await send(app, request(16_384))).json().code, "00000");
  for (const length of [16_385, 1_000_000]) {
    const response = await send(app, request(length));
    assert.deepEqual([response.statusCode, response.json().code], [400, "40017"]);
    const unsigned = await send(app, request(length), { "access-sign": undefined });
    assert.equal(unsigned.json().code, "40002");
  }
  assert.equal(engine.calls, 1);
});

test("a broken invariant ends the process instead of becoming an answer", async (t) => {
  const gateway = fakeGateway();
  const port = await listen(t, gateway.app);
  const broken = new InvariantViolation("broken");
  gateway.engine.answer = () => {
    throw broken;
  };
  const request = placeOrderRequest();
  const socket = connect(port, "127.0.0.1");
  socket.write(rawRequest(request.url, String(request.body), signedHeaders(request)));
  while (gateway.fatal.length === 0) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(gateway.fatal, [broken]);
  assert.equal(socket.bytesRead, 0);
  socket.destroy();
});

function rawRequest(url: string, body: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...headers, "content-length": String(body.length) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return `POST ${url} HTTP/1.1\r\n${head}\r\n${body}`;
}

async function listen(t: TestContext, app: ReturnType<typeof fakeGateway>["app"]): Promise<number> {
  await app.listen({ port: 0, host: "127.0.0.1" });
  t.after(() => app.close());
  return (app.server.address() as AddressInfo).port;
}

/** Everything that the server says until it closes the connection. */
async function exchangeBytes(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  socket.on("error", () => {});
  socket.end(bytes);
  await once(socket, "close");
  return received;
}

test("bytes that are no request get one answer in the form of the API", async (t) => {
  const { app, engine } = fakeGateway();
  const port = await listen(t, app);
  const get = "GET /api/v3/ping HTTP/1.1\r\n";
  const cases: readonly (readonly [what: string, bytes: string, status: number, code: string])[] = [
    ["garbage", "\0\x01garbage\r\n\r\n", 400, '"code":"40017"'],
    ["bad version", "GET / HTTP/9.9\r\n\r\n", 400, '"code":"40017"'],
    ["large header", `${get}a: ${"x".repeat(40_000)}\r\n\r\n`, 431, '"code":-1140'],
    [
      "two lengths",
      `POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
      400,
      "40017",
    ],
    [
      "length and chunks",
      `POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
      400,
      "40017",
    ],
    ["no host", `${get}Connection: close\r\n\r\n`, 200, "{}"],
    ["an expectation", `${get}Expect: miracles\r\n\r\n`, 400, '"code":-1140'],
    ["CONNECT", "CONNECT a:1 HTTP/1.1\r\n\r\n", 405, '"code":"40404"'],
    ["an upgrade", `${get}Connection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`, 200, "{}"],
    ["another method", "PROPFIND /api/v3/ping HTTP/1.1\r\nConnection: close\r\n\r\n", 405, "-1150"],
    [
      "absolute target",
      "GET http://x/api/v3/ping HTTP/1.1\r\nConnection: close\r\n\r\n",
      200,
      "{}",
    ],
  ];
  for (const [what, bytes, status, code] of cases) {
    const received = await exchangeBytes(port, bytes);
    assert.ok(received.startsWith(`HTTP/1.1 ${status} `), `${what}: ${received.slice(0, 300)}`);
    assert.ok(received.includes(code), `${what}: ${received.slice(-300)}`);
    assert.equal(received.match(/HTTP\/1\.1/g)?.length, 1, what);
    assert.match(received, /\r\nX-USED-WEIGHT-10S: \d+\r\n/, what);
  }
  assert.equal(engine.calls, 0);
});

test("a signed order on a socket, its body in many packets", async (t) => {
  const { app, engine } = fakeGateway();
  const port = await listen(t, app);
  const request = placeOrderRequest();
  const bytes = rawRequest(request.url, String(request.body), {
    ...signedHeaders(request),
    Connection: "close",
  });
  const socket = connect(port, "127.0.0.1").setNoDelay(true);
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  for (let at = 0; at < bytes.length; at += 97) {
    socket.write(bytes.slice(at, at + 97));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await once(socket, "close");
  assert.match(received, /^HTTP\/1\.1 200 OK\r\n/);
  assert.equal(engine.commands.length, 1);
});

test("the connection goes on after a body that was too large", async (t) => {
  const { app } = fakeGateway();
  const port = await listen(t, app);
  const body = "x".repeat(100_000);
  const request = { ...placeOrderRequest(), body };
  const large = rawRequest(request.url, body, signedHeaders(request));
  const next = "GET /api/v3/ping HTTP/1.1\r\nConnection: close\r\n\r\n";
  const received = await exchangeBytes(port, large + next);
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  assert.deepEqual(statuses, ["400", "200"]);
});
