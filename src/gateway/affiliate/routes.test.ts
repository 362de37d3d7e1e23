/**
 * Proves what the affiliate route table promises: limits, who may call, one endpoint for each
 * route, the three envelopes of v2 and the bare answers of v3, and refusals in the form and codes
 * of the path's family, through the gateway.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { TSchema } from "typebox";
import { AFFILIATE_ENGINE, AFFILIATE_HISTORY } from "../../../test/support/affiliate-fixture.ts";
import { CALLER_UID } from "../../../test/support/endpoint-call.ts";
import { DOUBLE_TIME_MS, ExchangeDouble } from "../../../test/support/exchange-double.ts";
import {
  createGatewayDouble,
  DOUBLE_CREDENTIALS,
  type Gateway,
} from "../../../test/support/gateway-double.ts";
import { signedHeaders } from "../../../test/support/signed-client.ts";
import { AFFILIATE_ROUTES } from "../../api/affiliate/routes.ts";
import { type Permission, reject } from "../../domain/index.ts";
import { ENDPOINTS } from "../endpoints.ts";

const V2 = "/api/v2/rebate/affiliate";
const V3 = "/api/v3/rebate/affiliate";

/** Requests a second, or weight per address and per user; the same in both versions. */
const LIMITS: Readonly<Record<string, string>> = {
  "GET getAffiliateCommission": "10/s",
  "GET getChannelUserTradeAndAsset": "10/s",
  "GET getAffiliateUIDs": "10/s",
  "POST querySubChannelTransactions": "10/10",
  "GET querySubChannelTransactions": "10/10",
  "POST internalWithdrawal": "100/100",
  "GET getInternalWithdrawalStatus": "100/100",
  "GET profile": "20/20",
  "GET commissionDays": "20/20",
  "GET explainCommission": "20/20",
  "GET statement": "20/20",
  "GET statementHeads": "20/20",
};

test("every call in both versions, with the limits of the specification", () => {
  for (const [family, base] of [
    ["v2", V2],
    ["v3", V3],
  ] as const) {
    const routes = AFFILIATE_ROUTES.filter((route) => route.family === family);
    const table = routes.map(({ method, path, limit }) => {
      assert.ok(path.startsWith(`${base}/`), path);
      const name = `${method} ${path.slice(base.length + 1)}`;
      const text = limit.kind === "rate" ? `${limit.perSecond}/s` : `${limit.ip}/${limit.uid}`;
      return [name, text] as const;
    });
    const { "GET querySubChannelTransactions": byGet, ...both } = LIMITS;
    assert.deepEqual(Object.fromEntries(table), family === "v2" ? both : { ...both, ...LIMITS });
    assert.ok(byGet !== undefined);
  }
});

test("reads need `read` or `affiliate`, paying `affiliate`", () => {
  for (const { path, access } of AFFILIATE_ROUTES) {
    const isPayment = path.endsWith("/internalWithdrawal");
    assert.deepEqual(access?.anyOf, isPayment ? ["affiliate"] : ["read", "affiliate"], path);
  }
});

test("each route has its endpoint, and no v3 answer a top-level `msg`", () => {
  const answered = new Set<unknown>(ENDPOINTS.map(({ route }) => route));
  for (const route of AFFILIATE_ROUTES) assert.ok(answered.has(route), route.id);
  assert.equal(new Set(AFFILIATE_ROUTES.map(({ id }) => id)).size, AFFILIATE_ROUTES.length);
  for (const { answer, family } of AFFILIATE_ROUTES) {
    const { properties = {} } = answer as TSchema & { readonly properties?: object };
    assert.ok(family === "v2" || !Object.hasOwn(properties, "msg"));
  }
});

interface Sent {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(gateway: Gateway, url: string, body?: object): Promise<Sent> {
  const method = body === undefined ? "GET" : "POST";
  const payload = JSON.stringify(body);
  const request = body === undefined ? { method, path: url } : { method, path: url, body: payload };
  const headers: Record<string, string> = { ...signedHeaders(DOUBLE_CREDENTIALS, request) };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const sent = body === undefined ? {} : { payload };
  const answer = await gateway.inject({ method, url, headers, ...sent });
  return { status: answer.statusCode, body: answer.json() };
}

function open(permissions: readonly Permission[] = ["affiliate"], engine = AFFILIATE_ENGINE) {
  const exchange = new ExchangeDouble(engine, AFFILIATE_HISTORY);
  return createGatewayDouble(exchange, CALLER_UID, permissions);
}

const PAYMENT = { toUserId: 31, coin: "USDT", amount: "1" };
const SUB = { productType: "SPOT" };

test("v2 answers in its three envelopes, v3 bare", async () => {
  const gateway = open();
  const shapes: readonly (readonly [path: string, names: readonly string[], body?: object])[] = [
    [`${V2}/getAffiliateCommission`, ["code", "data", "timestamp"]],
    [`${V2}/getChannelUserTradeAndAsset`, ["code", "data", "timestamp"]],
    [`${V2}/explainCommission?commissionId=12`, ["code", "data", "timestamp"]],
    [`${V2}/statementHeads`, ["code", "data", "timestamp"]],
    [`${V2}/profile`, ["code", "data", "timestamp"]],
    [`${V2}/commissionDays`, ["code", "data", "timestamp"]],
    [`${V2}/getAffiliateUIDs`, ["code", "list", "timestamp", "total"]],
    [`${V2}/getInternalWithdrawalStatus`, ["code", "list", "timestamp", "total"]],
    [`${V2}/internalWithdrawal`, ["code", "id", "timestamp"], PAYMENT],
    [`${V2}/querySubChannelTransactions`, ["code", "data", "msg", "requestTime"], SUB],
    [`${V3}/getAffiliateCommission`, ["channelCommissionInfoItems", "pageSize", "pages", "total"]],
    [`${V3}/getChannelUserTradeAndAsset`, ["pageSize", "pages", "records", "total"]],
    [`${V3}/getAffiliateUIDs`, ["channelUserInfoItemList", "pageSize", "pages", "total"]],
    [`${V3}/internalWithdrawal`, ["id"], PAYMENT],
    [`${V3}/querySubChannelTransactions`, ["current", "pages", "records", "size", "total"], SUB],
    [
      `${V3}/querySubChannelTransactions?productType=SPOT`,
      ["current", "pages", "records", "size", "total"],
    ],
  ];
  for (const [url, names, sent] of shapes) {
    const { status, body } = await send(gateway, url, sent);
    assert.equal(status, 200, `${url}: ${JSON.stringify(body)}`);
    assert.deepEqual(Object.keys(body).sort(), names, url);
    if (names.includes("timestamp")) {
      assert.deepEqual([body.code, body.timestamp], ["200", DOUBLE_TIME_MS]);
    }
    if (names.includes("msg")) assert.deepEqual([body.code, body.msg], ["00000", "success"]);
  }
  await gateway.close();
});

const V2_REFUSAL = ["code", "msg", "requestTime", "data"];

test("refusals take the family's form; of v2 with a timestamp where success has one", async () => {
  const gateway = open();
  const long = "startTime=0&endTime=7776000001";
  const cases: readonly (readonly [url: string, v2: string, v3: number, field: string])[] = [
    ["getAffiliateCommission?page=0", "40020", -1140, "page"],
    ["getAffiliateCommission?pageSize=0", "40020", -1140, "pageSize"],
    ["getAffiliateUIDs?pageSize=201", "40020", -1140, "pageSize"],
    ["getAffiliateCommission?productType=spot", "40020", -1142, "productType"],
    ["getAffiliateCommission?startTime=2&endTime=1", "40017", -1171, "startTime"],
    [`getAffiliateCommission?${long}`, "40017", -1170, "endTime"],
    [`getChannelUserTradeAndAsset?${long}`, "40017", -1170, "endTime"],
    ["getAffiliateCommission?coin=NOPE", "40034", -1142, "coin"],
    ["explainCommission?commissionId=13", "40034", -1142, "commissionId"],
    ["explainCommission", "40019", -1141, "commissionId"],
    ["getInternalWithdrawalStatus?fromAccountType=FUND", "40020", -1142, "fromAccountType"],
    ["commissionDays?from=2025-02-30", "40020", -1142, "from"],
    ["commissionDays?from=2025-10-08&to=2025-10-07", "40017", -1171, "from"],
    ["commissionDays?from=2025-01-01&to=2025-04-03", "40017", -1170, "to"],
    ["statement?from=2025-10-08&to=2999-01-01", "40020", -1140, "to"],
  ];
  for (const [path, v2, v3, field] of cases) {
    const one = await send(gateway, `${V2}/${path}`);
    assert.deepEqual(Object.keys(one.body), [...V2_REFUSAL, "timestamp"], path);
    assert.equal(one.body.timestamp, one.body.requestTime, path);
    assert.deepEqual([one.status, one.body.code, one.body.data], [400, v2, null], path);
    const other = await send(gateway, `${V3}/${path}`);
    assert.deepEqual(Object.keys(other.body), ["code", "msg"], path);
    assert.deepEqual([other.status, other.body.code], [400, v3], path);
    for (const { body } of [one, other])
      assert.match(String(body.msg), new RegExp(`: ${field} \\(|: ${field}$`));
  }
  const sub = await send(gateway, `${V2}/querySubChannelTransactions`, { ...SUB, pageNum: 0 });
  assert.deepEqual(Object.keys(sub.body), V2_REFUSAL, "success has no timestamp there");
  await gateway.close();
});

test("no affiliate: 40014 and -1052, as a key without the permission", async () => {
  const none = { ...AFFILIATE_ENGINE, affiliate: () => reject("not-an-affiliate", "uid") };
  for (const gateway of [open(["affiliate"], none), open(["spot", "contract"])]) {
    const v2 = await send(gateway, `${V2}/getAffiliateUIDs`);
    assert.deepEqual([v2.status, v2.body.code], [400, "40014"]);
    const v3 = await send(gateway, `${V3}/getAffiliateUIDs`);
    assert.deepEqual([v3.status, v3.body.code], [403, -1052]);
    await gateway.close();
  }
  const reader = open(["read"]);
  assert.equal((await send(reader, `${V2}/getAffiliateUIDs`)).status, 200);
  assert.equal((await send(reader, `${V2}/internalWithdrawal`, PAYMENT)).body.code, "40014");
  await reader.close();
});
