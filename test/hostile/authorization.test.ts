/**
 * Proves that no route can be used without the right to it. The matrix is made from the route
 * table: every route × every way in which credentials can be wrong, each with its exact code, in
 * the order of checks; permissions against every kind of key; and two accounts that try each
 * other's ids of orders, conditional orders and positions.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import type { Family } from "../../src/api/calls.ts";
import { makeAffiliate, registerInvitee } from "../support/affiliate-setup.ts";
import {
  BTC_CONTRACT,
  listContract,
  openContractAccount,
  setIndex,
} from "../support/contract-setup.ts";
import { assertDocumented, codeOf } from "../support/documented-answers.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import {
  type Account,
  issueKey,
  listStandardMarkets,
  openAccount,
  type Permission,
} from "../support/exchange-setup.ts";
import { type HttpAnswer, HttpConnection } from "../support/http-exchange.ts";
import {
  type Credentials,
  dataOf,
  type SignedHeaders,
  signedHeaders,
} from "../support/signed-client.ts";
import { INVITEE_UID } from "./affiliate-requests.ts";
import { contractIds } from "./contract-ids.ts";
import {
  allRouteCases,
  bodyOf,
  CONTRACT_ID_PLACES,
  ORDER_ID_PLACES,
  type RouteCase,
  routeCase,
  targetOf,
} from "./route-requests.ts";

interface Fixture {
  readonly exchange: ExchangeProcess;
  readonly connection: HttpConnection;
  readonly user: Account;
  readonly revoked: Credentials;
  readonly elsewhere: Credentials;
}

/** Both families of version 3 say the same about credentials. */
function codeFor(family: Family, v2: string, v3: string): string {
  return family === "v2" ? v2 : v3;
}

interface Attempt {
  readonly what: string;
  readonly v2: string;
  readonly v3: string;
  headers(signed: (with_: Partial<Credentials>, timestamp?: string) => SignedHeaders): object;
}

const CASES = allRouteCases();
const SETTLED_MS = 121_000;
const NO_ORDER = 987_654_321;
const NO_CLIENT_ID = "no-such-order";
const NAMES = ["ACCESS-KEY", "ACCESS-SIGN", "ACCESS-TIMESTAMP", "ACCESS-PASSPHRASE"] as const;
const MISSING: Readonly<Record<(typeof NAMES)[number], readonly [v2: string, v3: string]>> = {
  "ACCESS-KEY": ["40001", "-1040"],
  "ACCESS-SIGN": ["40002", "-1041"],
  "ACCESS-TIMESTAMP": ["40003", "-1042"],
  "ACCESS-PASSPHRASE": ["40011", "-1048"],
};

/** Behind the next second and minute of a changed book or index, nothing changes by time alone. */
async function settle(exchange: ExchangeProcess): Promise<void> {
  await exchange.operator.advanceClock(SETTLED_MS);
}

function attempt(what: string, v2: string, v3: string, headers: Attempt["headers"]): Attempt {
  return { what, v2, v3, headers };
}

function missingHeaders(): Attempt[] {
  return NAMES.flatMap((name) => {
    const [v2, v3] = MISSING[name];
    return [
      attempt(`no ${name}`, v2, v3, (signed) => {
        const { [name]: _, ...rest } = signed({});
        return rest;
      }),
      attempt(`empty ${name}`, v2, v3, (signed) => ({ ...signed({}), [name]: "" })),
    ];
  });
}

function badTimestamps(): Attempt[] {
  const forms = [
    "soon",
    "1700000000",
    "17000000000000",
    "1.7e12",
    "-1700000000000",
    "１７００００００００００0",
  ];
  const at = (offsetMs: number): string => String(Date.now() + offsetMs);
  return [
    ...forms.map((form) =>
      attempt(`timestamp ${form}`, "40005", "-1043", (signed) => ({
        ...signed({}, form),
        "ACCESS-TIMESTAMP": Buffer.from(form, "utf8").toString("latin1"),
      })),
    ),
    attempt("stale timestamp", "40008", "-1046", (signed) => signed({}, at(-31_000))),
    attempt("very old timestamp", "40008", "-1046", (signed) => signed({}, "1000000000000")),
    attempt("future timestamp", "40008", "-1046", (signed) => signed({}, at(+33_000))),
  ];
}

function badCredentials({ user, revoked, elsewhere }: Fixture): Attempt[] {
  const unknown = { apiKey: `rialto_${"0".repeat(32)}` };
  return [
    attempt("unknown key", "40006", "-1044", (signed) => signed(unknown)),
    attempt("key that is no key", "40006", "-1044", (signed) => signed({ apiKey: "x" })),
    attempt("revoked key", "40006", "-1044", (signed) => signed(revoked)),
    attempt("wrong secret", "40009", "-1047", (signed) => signed({ secret: "not-the-secret" })),
    attempt("garbage signature", "40009", "-1047", (signed) => ({
      ...signed({}),
      "ACCESS-SIGN": "!!!",
    })),
    attempt("hex signature", "40009", "-1047", (signed) => ({
      ...signed({}),
      "ACCESS-SIGN": Buffer.from(signed({})["ACCESS-SIGN"], "base64").toString("hex"),
    })),
    attempt("signature of another moment", "40009", "-1047", (signed) => ({
      ...signed({}, String(Date.now() - 1000)),
      "ACCESS-TIMESTAMP": String(Date.now()),
    })),
    attempt("wrong passphrase", "40012", "-1049", (signed) => signed({ passphrase: "guess" })),
    attempt("longer passphrase", "40012", "-1049", (signed) =>
      signed({ passphrase: `${user.credentials.passphrase}x` }),
    ),
    attempt("another address", "40018", "-1056", (signed) => signed(elsewhere)),
    // An earlier check wins over a later one.
    attempt("wrong secret and passphrase", "40009", "-1047", (signed) =>
      signed({ secret: "no", passphrase: "no" }),
    ),
    attempt("unknown key, stale", "40008", "-1046", (signed) => signed(unknown, "1000000000000")),
  ];
}

async function send(fixture: Fixture, entry: RouteCase, headers: object): Promise<HttpAnswer> {
  const body = bodyOf(entry);
  const all: Record<string, string> = { ...(headers as Record<string, string>) };
  if (body !== null) all["Content-Type"] = "application/json";
  const method = entry.route.method;
  return fixture.connection.send({ method, path: targetOf(entry), headers: all, body });
}

function signer(fixture: Fixture, entry: RouteCase) {
  return (change: Partial<Credentials>, timestamp?: string): SignedHeaders =>
    signedHeaders(
      { ...fixture.user.credentials, ...change },
      { method: entry.route.method, path: targetOf(entry), body: bodyOf(entry) },
      timestamp,
    );
}

function assertCode(answer: HttpAnswer, entry: RouteCase, expected: string, what: string): void {
  assert.equal(codeOf(answer), expected, `${entry.name}, ${what}: ${answer.text}`);
  assertDocumented(answer, entry.route.family);
}

async function credentialTests(t: TestContext, fixture: Fixture): Promise<void> {
  const attempts = [
    attempt("no headers at all", "40001", "-1040", () => ({})),
    ...missingHeaders(),
    ...badTimestamps(),
    ...badCredentials(fixture),
  ];
  const before = await fixture.exchange.operator.stateHash();
  for (const entry of CASES.filter(({ request }) => request.access !== null)) {
    await t.test(`${entry.name}: ${attempts.length} ways without the right to it`, async () => {
      assert.notEqual(entry.route.access, null, "the table says that it is public");
      for (const { what, headers, v2, v3 } of attempts) {
        const answer = await send(fixture, entry, headers(signer(fixture, entry)));
        assertCode(answer, entry, codeFor(entry.route.family, v2, v3), what);
      }
      const accepted = await send(fixture, entry, signer(fixture, entry)({}));
      assert.ok(accepted.status !== 401 && accepted.status !== 403, accepted.text);
    });
  }
  for (const entry of CASES.filter(({ request }) => request.access === null)) {
    await t.test(`${entry.name}: needs no signature`, async () => {
      assert.equal(entry.route.access, null, "the table asks for a permission");
      const answer = await send(fixture, entry, {});
      assert.equal(answer.status, 200, answer.text);
    });
  }
  await t.test("a body is part of what is signed", async () => {
    for (const entry of CASES.filter(({ request }) => request.body !== null)) {
      const headers = { ...signer(fixture, entry)({}), "Content-Type": "application/json" };
      const body = `${bodyOf(entry)} `;
      const path = targetOf(entry);
      const answer = await fixture.connection.send({
        method: entry.route.method,
        path,
        headers,
        body,
      });
      assertCode(answer, entry, codeFor(entry.route.family, "40009", "-1047"), "another body");
    }
  });
  await t.test("also the body of a GET, which nothing reads", async () => {
    const body = '{"a":1}';
    for (const { request, route, name } of CASES) {
      if (request.access === null || route.method !== "GET") continue;
      const path = targetOf(routeCase(name));
      const { method, family } = route;
      const headers = { "Content-Type": "application/json" };
      const signed = signedHeaders(fixture.user.credentials, { method, path, body });
      const sent = { method, path, body, headers: { ...headers, ...signed } };
      const answer = await fixture.connection.send(sent);
      const badSignature = codeFor(family, "40009", "-1047");
      assert.notEqual(codeOf(answer), badSignature, `${name}: ${answer.text}`);
    }
  });
  await t.test("a query is part of what is signed", async () => {
    for (const entry of CASES.filter(({ request }) => request.access !== null)) {
      const path = targetOf(entry);
      const headers = { ...signer(fixture, entry)({}), "Content-Type": "application/json" };
      const changed = path.includes("?") ? `${path}&a=1` : `${path}?a=1`;
      const body = bodyOf(entry);
      const request = { method: entry.route.method, path: changed, headers, body };
      const answer = await fixture.connection.send(request);
      assertCode(answer, entry, codeFor(entry.route.family, "40009", "-1047"), "another query");
    }
  });
  assert.equal(await fixture.exchange.operator.stateHash(), before);
}

async function permissionTests(t: TestContext, fixture: Fixture): Promise<void> {
  const kinds: readonly (readonly Permission[])[] = [
    ["read"],
    ["spot"],
    ["contract"],
    ["affiliate"],
    ["withdraw"],
    ["keys"],
    ["spot", "contract"],
    ["read", "contract", "affiliate"],
  ];
  for (const permissions of kinds) {
    await t.test(`a key with ${permissions.join(", ")}`, async () => {
      const key = await issueKey(fixture.exchange, fixture.user.uid, permissions);
      for (const entry of CASES) {
        const { access, wallet = "spot" } = entry.request;
        if (access === null) continue;
        const answer = await send(fixture, entry, signer(fixture, entry)(key));
        const denied = codeFor(entry.route.family, "40014", "-1052");
        const opensReads = access === "read" && permissions.includes("read");
        if (opensReads || permissions.includes(wallet)) {
          assert.notEqual(codeOf(answer), denied, `${entry.name}: ${answer.text}`);
        } else {
          assertCode(answer, entry, denied, "permission");
        }
      }
    });
  }

  await t.test("a change of a key holds for the next request", async () => {
    const key = await issueKey(fixture.exchange, fixture.user.uid, ["spot"]);
    const entry = routeCase("POST /api/v2/trade/orders");
    const path = `/operator/v1/api-keys/${key.apiKey}`;
    const code = async (): Promise<string | null> =>
      codeOf(await send(fixture, entry, signer(fixture, entry)(key)));
    assert.equal(await code(), "43012");
    await fixture.exchange.operator.call("PATCH", path, { permissions: ["read"] });
    assert.equal(await code(), "40014");
    await fixture.exchange.operator.call("PATCH", path, { ipAllowList: ["198.51.100.0/24"] });
    assert.equal(await code(), "40018");
    await fixture.exchange.operator.call("PATCH", path, {
      ipAllowList: ["127.0.0.1"],
      permissions: ["spot"],
    });
    assert.equal(await code(), "43012");
    await fixture.exchange.operator.call("DELETE", path);
    assert.equal(await code(), "40006");
  });
}

/** An answer without the id that was asked for, and without its time. */
function anonymised(answer: HttpAnswer, orderId: number, clientOrderId: string): string {
  const text = answer.text
    .replace(/"requestTime":\d+/, '"requestTime":0')
    .replace(new RegExp(`\\b${orderId}\\b`), "ID")
    .replace(clientOrderId, "CLIENT-ID");
  return `${answer.status} ${text}`;
}

async function strangerTests(t: TestContext, fixture: Fixture): Promise<void> {
  const owner = await openAccount(fixture.exchange, { USDT: "100000", BTC: "1" });
  const stranger = await openAccount(fixture.exchange, { USDT: "100000", BTC: "1" });
  const order = {
    symbol: "BTCUSDT",
    side: "buy",
    orderType: "limit",
    force: "normal",
    quantity: "0.01",
  };
  const open = await owner.client.placed({ ...order, price: "20000", clientOrderId: "mine-open" });
  const filled = await owner.client.placed({
    ...order,
    price: "25000",
    clientOrderId: "mine-full",
  });
  const seller = { ...order, side: "sell", price: "25000", clientOrderId: "other-side" };
  const other = await openAccount(fixture.exchange, { BTC: "1" });
  await other.client.placed(seller);
  await settle(fixture.exchange);
  const before = await fixture.exchange.operator.stateHash();

  for (const { route, request } of ORDER_ID_PLACES) {
    await t.test(`${route}: another user's order is no order`, async () => {
      for (const [id, clientId] of [
        [open, "mine-open"],
        [filled, "mine-full"],
      ] as const) {
        const theirs = request(id, clientId);
        const none = request(NO_ORDER, NO_CLIENT_ID);
        for (const [i, mine] of theirs.entries()) {
          const entry = routeCase(route, mine);
          const asked = { ...fixture, user: stranger };
          const answer = await send(asked, entry, signer(asked, entry)({}));
          const reference = routeCase(route, none[i]);
          const nothing = await send(asked, reference, signer(asked, reference)({}));
          assert.equal(
            anonymised(answer, id, clientId),
            anonymised(nothing, NO_ORDER, NO_CLIENT_ID),
            `${entry.name} ${clientId}`,
          );
        }
      }
    });
  }
  await t.test("lists hold one's own alone", async () => {
    for (const path of ["openOrders", "allOrders", "myTrades"]) {
      const query = { symbol: "BTCUSDT" };
      assert.deepEqual(await stranger.client.v3(`/api/v3/${path}`, query), [], path);
      const own = await owner.client.v3<unknown[]>(`/api/v3/${path}`, query);
      assert.ok(own.length > 0, path);
    }
    for (const name of ["open-orders", "history", "fills"]) {
      const rows = async ({ client }: Account): Promise<unknown[]> => {
        const answer = await client.post(`/api/v2/trade/${name}`, { symbol: "BTCUSDT" });
        return Object.values(dataOf<object>(answer, name)).filter(Array.isArray).flat();
      };
      assert.deepEqual(await rows(stranger), [], name);
      assert.ok((await rows(owner)).length > 0, name);
    }
  });
  assert.equal(await fixture.exchange.operator.stateHash(), before);
}

async function contractStrangerTests(t: TestContext, fixture: Fixture): Promise<void> {
  const owner = await openContractAccount(fixture.exchange, "100000");
  const stranger = await openContractAccount(fixture.exchange, "100000");
  const ids = await contractIds(fixture.exchange, owner);
  const asked = { ...fixture, user: stranger };
  await settle(fixture.exchange);
  const before = await fixture.exchange.operator.stateHash();
  for (const { route, of, request } of CONTRACT_ID_PLACES) {
    await t.test(`${route}: another user's ${of} is none`, async () => {
      const [id, clientId] = ids[of];
      const none = request(NO_ORDER, NO_CLIENT_ID);
      for (const [i, theirs] of request(id, clientId).entries()) {
        const entry = routeCase(route, theirs);
        const answer = await send(asked, entry, signer(asked, entry)({}));
        const reference = routeCase(route, none[i]);
        const nothing = await send(asked, reference, signer(asked, reference)({}));
        assert.equal(
          anonymised(answer, id, clientId),
          anonymised(nothing, NO_ORDER, NO_CLIENT_ID),
          entry.name,
        );
      }
    });
  }
  await t.test("contract lists hold one's own alone", async () => {
    for (const path of [
      "openOrders",
      "order/history",
      "userTrades",
      "openAlgoOrders",
      "account/position/allPosition",
    ]) {
      assert.deepEqual(await stranger.client.v3(`/capi/v3/${path}`), [], path);
      const own = await owner.client.v3<unknown[]>(`/capi/v3/${path}`);
      assert.ok(own.length > 0, path);
    }
  });
  assert.equal(await fixture.exchange.operator.stateHash(), before);
}

async function operatorTests(t: TestContext, { exchange }: Fixture): Promise<void> {
  await t.test("the operator API takes its token alone", async () => {
    const operatorApi = new HttpConnection(exchange.operatorPort);
    const path = "/operator/v1/invariants";
    for (const headers of [
      {},
      { Authorization: "" },
      { Authorization: "Bearer" },
      { Authorization: "Bearer wrong" },
      { Authorization: `Basic ${Buffer.from("operator:operator").toString("base64")}` },
    ]) {
      const answer = await operatorApi.send({ method: "GET", path, headers });
      assert.equal(answer.status, 401, answer.text);
      const { error } = answer.body as { error: { code: unknown; message: unknown } };
      assert.equal(typeof error.code, "string");
      assert.equal(typeof error.message, "string");
    }
    operatorApi.close();
    const outside = new HttpConnection(exchange.port);
    assert.equal((await outside.send({ method: "GET", path })).status, 404);
    outside.close();
  });
}

test("authorization matrix", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  await listContract(exchange, "BTCUSDT", BTC_CONTRACT);
  await setIndex(exchange, "BTCUSDT", "30000");
  await settle(exchange);
  const opened = await openAccount(exchange);
  await makeAffiliate(exchange, opened.uid);
  await registerInvitee(exchange, opened.uid, INVITEE_UID);
  const everything = await issueKey(exchange, opened.uid, [
    "read",
    "spot",
    "contract",
    "affiliate",
    "withdraw",
    "keys",
  ]);
  const user = { ...opened, credentials: everything };
  const revoked = await issueKey(exchange, user.uid);
  await exchange.operator.call("DELETE", `/operator/v1/api-keys/${revoked.apiKey}`);
  const elsewhere = await issueKey(exchange, user.uid, ["read", "spot"], ["192.0.2.7"]);
  const connection = new HttpConnection(exchange.port, 4);
  const fixture: Fixture = { exchange, connection, user, revoked, elsewhere };
  await credentialTests(t, fixture);
  await permissionTests(t, fixture);
  await strangerTests(t, fixture);
  await contractStrangerTests(t, fixture);
  await operatorTests(t, fixture);
  connection.close();
});
