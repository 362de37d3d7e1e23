/**
 * Proves where a caller's word does not count: addresses in forwarding headers are believed from
 * trusted proxies alone, for allow-lists and for limits; the timestamp window follows the wall
 * clock and, in a sandbox, exchange time too; secrets are nowhere in the data folder or the log in
 * the clear.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { codeOf } from "../support/documented-answers.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import {
  issueKey,
  listStandardMarkets,
  openAccount,
  registerUser,
} from "../support/exchange-setup.ts";
import { type HttpAnswer, HttpConnection } from "../support/http-exchange.ts";
import { type Credentials, signedHeaders } from "../support/signed-client.ts";

const ASSETS = { method: "GET", path: "/api/v2/account/assets" };
const TICKER = { method: "GET", path: "/api/v2/market/ticker?symbol=BTCUSDT" };
const ELSEWHERE = "192.0.2.7";

function ask(
  exchange: ExchangeProcess,
  credentials: Credentials,
  { headers = {}, timestamp = String(Date.now()) }: { headers?: object; timestamp?: string } = {},
): Promise<HttpAnswer> {
  const connection = new HttpConnection(exchange.port);
  const signed = signedHeaders(credentials, ASSETS, timestamp);
  return connection.send({ ...ASSETS, headers: { ...signed, ...headers } }).finally(() => {
    connection.close();
  });
}

test("forwarding headers of a stranger are not believed", async (t) => {
  const exchange = await ExchangeProcess.start({ rateLimits: "standard", process: "shared" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const key = await issueKey(exchange, await registerUser(exchange), ["read"], [ELSEWHERE]);
  for (const headers of [
    {},
    { "X-Forwarded-For": ELSEWHERE },
    { "X-Forwarded-For": `${ELSEWHERE}, 127.0.0.1` },
    { "X-Real-IP": ELSEWHERE },
    { Forwarded: `for=${ELSEWHERE}` },
    { "CF-Connecting-IP": ELSEWHERE },
    { "True-Client-IP": ELSEWHERE },
  ]) {
    assert.equal(codeOf(await ask(exchange, key, { headers })), "40018", JSON.stringify(headers));
  }
  const connection = new HttpConnection(exchange.port, 40);
  t.after(() => connection.close());
  const statuses: number[] = [];
  for (let round = 0; round < 10 && !statuses.includes(429); round++) {
    const answers = Array.from({ length: 60 }, (_, i) =>
      connection.send({ ...TICKER, headers: { "X-Forwarded-For": `198.51.100.${i}` } }),
    );
    statuses.push(...(await Promise.all(answers)).map(({ status }) => status));
  }
  assert.ok(statuses.includes(429), "another address in a header evades the limit");
});

test("a proxy that is not among the trusted ones is not believed either", async (t) => {
  const flags = ["--trusted-proxies", "10.0.0.0/8"];
  const exchange = await ExchangeProcess.start({ flags, process: "shared" });
  t.after(() => exchange.stop());
  const key = await issueKey(exchange, await registerUser(exchange), ["read"], [ELSEWHERE]);
  const headers = { "X-Forwarded-For": `${ELSEWHERE}, 10.0.0.1` };
  assert.equal(codeOf(await ask(exchange, key, { headers })), "40018");
});

test("a trusted proxy speaks for the caller", async (t) => {
  const flags = ["--trusted-proxies", "127.0.0.1/32"];
  const exchange = await ExchangeProcess.start({ flags, process: "shared" });
  t.after(() => exchange.stop());
  const key = await issueKey(exchange, await registerUser(exchange), ["read"], [ELSEWHERE]);
  const code = async (forwardedFor: string): Promise<string | null> =>
    codeOf(await ask(exchange, key, { headers: { "X-Forwarded-For": forwardedFor } }));
  assert.equal(await code(ELSEWHERE), null);
  assert.equal(await code("192.0.2.8"), "40018");
  // The proxy appends; what stands before it is the caller's own claim.
  assert.equal(await code(`${ELSEWHERE}, 192.0.2.8`), "40018");
  assert.equal(await code(`192.0.2.8, ${ELSEWHERE}`), null);
  assert.equal(await code("not an address"), "40018");
});

test("the timestamp window: wall clock, and exchange time in a sandbox alone", async (t) => {
  const hour = 3_600_000;
  const exchange = await ExchangeProcess.start({ process: "shared" });
  t.after(() => exchange.stop());
  const { credentials } = await openAccount(exchange);
  const code = async (offsetMs: number): Promise<string | null> =>
    codeOf(await ask(exchange, credentials, { timestamp: String(Date.now() + offsetMs) }));
  assert.equal(await code(0), null);
  assert.equal(await code(hour), "40008");
  await exchange.operator.advanceClock(hour);
  assert.equal(await code(0), null);
  assert.equal(await code(hour), null);
  assert.equal(await code(hour / 2), "40008");
  assert.equal(await code(hour + 40_000), "40008");
  assert.equal(await code(-40_000), "40008");
});

test("secrets are nowhere in the clear", async (t) => {
  const exchange = await ExchangeProcess.start({ env: { RIALTO_LOG_LEVEL: "debug" } });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const { credentials, client } = await openAccount(exchange, { USDT: "100" });
  const passphrase = "an-unmistakable-passphrase";
  const other = await exchange.operator.call<Credentials>(
    "POST",
    `/operator/v1/users/${(await client.v3<{ uid: number }>("/api/v3/account")).uid}/api-keys`,
    { permissions: ["spot"], passphrase },
  );
  await ask(exchange, { ...other, secret: "wrong" });
  await exchange.operator.takeSnapshot();
  await exchange.kill("SIGTERM");
  const written = globSync("**/*", { cwd: exchange.dataFolder })
    .map((name) => join(exchange.dataFolder, name))
    .filter((file) => statSync(file).isFile());
  assert.ok(written.length > 4);
  for (const file of written) {
    const bytes = readFileSync(file);
    for (const secret of [credentials.secret, other.secret, passphrase]) {
      assert.equal(bytes.indexOf(secret), -1, file);
    }
    for (const { secret } of [credentials, other]) {
      assert.equal(bytes.indexOf(Buffer.from(secret, "hex")), -1, file);
    }
  }
  for (const secret of [credentials.secret, other.secret, passphrase]) {
    assert.ok(!exchange.output.includes(secret), "the log");
  }
  for (const name of ["master.key", "operator.token"]) {
    assert.equal(statSync(join(exchange.dataFolder, name)).mode & 0o777, 0o600, name);
  }
  await exchange.restart();
  assert.equal(codeOf(await ask(exchange, other)), null);
});
