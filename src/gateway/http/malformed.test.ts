/**
 * Proves that no malformed request reaches the engine: requests that are valid but for one
 * generated fault of form are signed and sent to every route; each is refused with a 4xx and a code
 * of its family.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { fakeGateway, ORDER, type RequestToSign, send } from "../../../test/support/gateway.ts";
import { scaled, seededRandom } from "../../../test/support/random.ts";
import { ERRORS } from "../../api/errors.ts";
import type { Route } from "../../api/route.ts";
import { ROUTES } from "../../api/routes.ts";

const REQUESTS = 6_000;
const random = seededRandom("gateway/malformed");

const V3_ORDER = {
  symbol: "BTCUSDT",
  side: "BUY",
  type: "LIMIT",
  timeInForce: "GTC",
  price: "65000.1",
  quantity: "0.001",
  newClientOrderId: "c-1",
};
const CONTRACT_ORDER = { ...V3_ORDER, positionSide: "LONG", tpTriggerPrice: "70000" };
const ALGO_ORDER = {
  symbol: "BTCUSDT",
  side: "SELL",
  positionSide: "LONG",
  type: "STOP",
  quantity: "0.001",
  triggerPrice: "60000",
  price: "59990",
  clientAlgoId: "c-1",
};
const TP_SL_ORDER = {
  symbol: "BTCUSDT",
  clientAlgoId: "c-1",
  planType: "STOP_LOSS",
  triggerPrice: "60000",
  executePrice: "59990",
  quantity: "0.001",
  positionSide: "LONG",
  triggerPriceType: "MARK_PRICE",
};
const TRANSFER = {
  clientTransferId: "c-1",
  fromType: "SPOT",
  toType: "CONTRACT",
  coinName: "USDT",
  amount: "1",
};
const BODIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "/api/v2/trade/orders": ORDER,
  "/api/v2/trade/cancel-order": { symbol: "BTCUSDT", orderId: "7", clientOid: "c-1" },
  "/api/v3/order": V3_ORDER,
  "/api/v3/account/transfer": TRANSFER,
  "/capi/v3/order": CONTRACT_ORDER,
  "/capi/v3/algoOrder": ALGO_ORDER,
  "/capi/v3/placeTpSlOrder": TP_SL_ORDER,
};

/** Not a string that any field of the bodies above takes, and not empty. */
const BAD_TEXTS = [
  " ",
  " 1",
  "1 ",
  "-1",
  "+1",
  "1e3",
  "0x10",
  "01.5",
  "1.",
  ".5",
  "1,5",
  "１",
  "٣",
  "NaN",
  "1\u0000",
  "\u202e1",
  "1".repeat(400),
  `0.${"0".repeat(18)}1`,
  "😀",
  "'; --",
];
const BAD_VALUES = [true, false, -1, 1.5, 1e21, 2 ** 53, [], {}, ["1"], [null], { $gt: "" }];
const CLIENT_IDS = [
  "clientOrderId",
  "newClientOrderId",
  "clientOid",
  "clientAlgoId",
  "clientTransferId",
];
const BAD_CLIENT_IDS = [" ", "a b", "ä", "x".repeat(41), "a\n", "a\u0000", "😀", "a,b", "'"];
/** Take texts that are no amount, side or kind. */
const FREE_FIELDS = new Set(["symbol", "coinName", ...CLIENT_IDS]);

type Fault = (body: Readonly<Record<string, unknown>>) => string | Buffer;

function anyField(body: Readonly<Record<string, unknown>>): string {
  return random.pick(Object.keys(body).filter((name) => !FREE_FIELDS.has(name)));
}

const FAULTS: readonly Fault[] = [
  (body) => JSON.stringify({ ...body, [anyField(body)]: random.pick(BAD_TEXTS) }),
  (body) => JSON.stringify({ ...body, [random.pick(Object.keys(body))]: random.pick(BAD_VALUES) }),
  (body) => {
    const name = CLIENT_IDS.find((id) => id in body) ?? "";
    return JSON.stringify({ ...body, [name]: random.pick(BAD_CLIENT_IDS) });
  },
  (body) => JSON.stringify({ ...body, symbol: undefined }),
  (body) => JSON.stringify({ ...body, symbol: random.pick(["", null]) }),
  (body) => JSON.stringify(body).slice(0, -random.integer(1, 20)),
  (body) => `${JSON.stringify(body)}${random.pick(["x", ",", "}", "{}", "\0"])}`,
  (body) => `\ufeff${JSON.stringify(body)}`,
  (body) => `[${JSON.stringify(body)}]`,
  (body) => Buffer.from(JSON.stringify(body), "utf16le"),
  (body) => {
    const name = random.pick(Object.keys(body));
    return `{"${name}":${JSON.stringify(body[name])},${JSON.stringify(body).slice(1)}`;
  },
  (body) => {
    const key = random.pick(["__proto__", "constructor", "prototype", "\\u005f_proto__"]);
    const inside = `{"${key}":1}`;
    const member = random.pick([`"${key}":1`, `"deep":[${inside}]`, `"deep":{"a":${inside}}`]);
    return `{${member},${JSON.stringify(body).slice(1)}`;
  },
  (body) => `{"deep":${"[".repeat(9)}${"]".repeat(9)},${JSON.stringify(body).slice(1)}`,
  (body) => `{"bad":"\xff",${JSON.stringify(body).slice(1)}`.replace("\xff", "\n"),
  (body) => Buffer.from(`{"bad":"\xff",${JSON.stringify(body).slice(1)}`, "latin1"),
  (body) => JSON.stringify({ ...body, padding: "x".repeat(16_384) }),
];

const BAD_QUERIES = ["a=1&a=1", "a=%", "a=%zz", "%c3%28=1", "a=%ff", "__proto__=1", "constructor"];

function malformed(route: Route): RequestToSign {
  const body = BODIES[route.path];
  const isBodyFault = route.method === "POST" && body !== undefined && random.chance(0.8);
  if (isBodyFault) {
    const { method, path: url } = route;
    return { method, url, body: random.pick(FAULTS)(body) };
  }
  const url = `${route.path}?${random.pick(BAD_QUERIES)}`;
  return {
    method: route.method,
    url,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

const CODES = {
  v2: new Set(Object.values(ERRORS).map(({ v2 }) => `${v2.status} ${v2.code}`)),
  v3: new Set(Object.values(ERRORS).map(({ v3 }) => `${v3.status} ${v3.code}`)),
  capi: new Set(Object.values(ERRORS).map(({ capi }) => `${capi.status} ${capi.code}`)),
};

test(`${scaled(REQUESTS)} malformed requests never reach the engine`, async () => {
  const { app, engine, fatal } = fakeGateway();
  const withBody = ROUTES.filter(({ path, method }) => method === "POST" && path in BODIES);
  for (let i = 0; i < scaled(REQUESTS); i++) {
    const route = random.pick(random.chance(0.8) ? withBody : ROUTES);
    const request = malformed(route);
    const response = await send(app, request);
    const what = `${request.method} ${request.url} ${request.body}: ${response.body}`;
    assert.ok(response.statusCode >= 400 && response.statusCode < 500, what);
    const { code } = response.json();
    assert.equal(typeof code, route.family === "v2" ? "string" : "number", what);
    assert.ok(CODES[route.family].has(`${response.statusCode} ${code}`), what);
    assert.equal(engine.calls, 0, what);
  }
  assert.deepEqual(fatal, []);
});
