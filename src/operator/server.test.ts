/**
 * Proves what holds for every call of the operator API, generated from its own OpenAPI document:
 * without the token nothing is read; malformed input is refused with the name of the field and
 * changes nothing; failures and refusals have one form.
 */
import assert from "node:assert/strict";
import { connect } from "node:net";
import test, { after, before } from "node:test";
import { isDeepStrictEqual } from "node:util";
import {
  type DocumentedCall,
  isStateCall,
  type JsonSchema,
  OperatorFixture,
  OTHER_TWINS,
  refusalOf,
  TOKEN,
} from "../../test/support/operator-fixture.ts";
import { scaled, seededRandom } from "../../test/support/random.ts";
import { OPERATOR_CALLS } from "../api/operator/calls.ts";
import { InvariantViolation } from "../domain/index.ts";

const random = seededRandom("operator server");
const PROCESS_PATHS = ["/metrics", "/health/live", "/health/ready"].concat(
  ["openapi.json", "sandbox/state"].map((name) => `/operator/v1/${name}`),
);

let operator: OperatorFixture;
before(() => {
  operator = new OperatorFixture();
});
after(() => operator.close());

/** A valid-looking path for the call. */
function samplePath(call: DocumentedCall): string {
  return call.path
    .replace("{uid}", "1")
    .replace("{apiKey}", `rialto_${"0".repeat(32)}`)
    .replace("{asset}", "USDT")
    .replace("{webhookId}", `wh_${"0".repeat(16)}`)
    .replace("{symbol}", "BTCUSDT")
    .replace(/\{(name|id)\}/, "deposit-1")
    .replace(/\{(commissionId|withdrawalId|addressId|depositId|proposalId|network)\}/g, "1")
    .replace(/\{(text|sequence)\}/, "10");
}

test("every call of the table is answered", () => {
  for (const [id, { method, path }] of Object.entries(OPERATOR_CALLS)) {
    const url = path.replace(/\{(\w+)\}/g, ":$1");
    assert.ok(operator.app.hasRoute({ method, url }), id);
  }
});

/** Where it is read what these changed. */
const TWINS: Readonly<Record<string, string>> = {
  "/operator/v1/sandbox/clock/advance": "/operator/v1/sandbox/clock",
  "/operator/v1/sandbox/restore": "/operator/v1/sandbox/checkpoints",
  "/operator/v1/sandbox/reset": "/operator/v1/sandbox/checkpoints",
  "/operator/v1/sandbox/trigger": "/operator/v1/audit",
  "/operator/v1/operators/{name}/token": "/operator/v1/operators/{name}",
  ...OTHER_TWINS,
  "/operator/v1/sandbox/markets/{symbol}/price": "/operator/v1/sandbox/markets/{symbol}/book",
  "/operator/v1/sandbox/replays/{uid}/messages": "/operator/v1/sandbox/replays/{uid}",
};

test("the document has every call that the server answers", async () => {
  const calls = await operator.documented();
  const paths = new Set(calls.map(({ path }) => path));
  let routes = 0;
  for (const methods of operator.app
    .printRoutes({ commonPrefix: false })
    .matchAll(/\(([A-Z, ]+)\)/g)) {
    routes += (methods[1] as string).split(", ").length;
  }
  assert.equal(routes, calls.length + PROCESS_PATHS.length);
  for (const { method, path } of calls) {
    const url = path.replace(/\{(\w+)\}/g, ":$1");
    assert.ok(operator.app.hasRoute({ method: method as "GET", url }), `${method} ${path}`);
    // What was written can be read back, in a list or by its id. A query writes nothing.
    const isQuestion = path === "/operator/v1/commission-what-if";
    if (!isQuestion && (method === "PUT" || method === "POST")) {
      const twin = TWINS[path] ?? path;
      assert.ok(
        operator.app.hasRoute({ method: "GET", url: twin.replace(/\{(\w+)\}/g, ":$1") }),
        path,
      );
    }
  }
  assert.ok(paths.size > 20);
});

test("without the token every path is 401, whatever it is and holds", async () => {
  const targets = (await operator.documented()).map(
    (call) => [call.method, samplePath(call)] as const,
  );
  targets.push(...PROCESS_PATHS.map((path) => ["GET", path] as const));
  targets.push(["GET", "/"], ["GET", "/operator/v1/nothing"], ["POST", "/metrics"]);
  const wrong = [
    "",
    "Bearer",
    "Bearer ",
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Basic ${TOKEN}`,
    TOKEN,
  ];
  const hash = await operator.stateHash();
  for (const [method, path] of targets) {
    for (const authorization of wrong) {
      // Slow enough that the address does not have to wait.
      operator.nowMs += 6_000;
      const body = method === "GET" ? undefined : "{not even JSON";
      const answer = await operator.send(method, path, body, { authorization });
      assert.deepEqual(
        refusalOf(answer),
        [401, "unauthorized", "authorization"],
        `${method} ${path} ${authorization}`,
      );
      assert.equal(answer.headers["www-authenticate"], "Bearer");
    }
  }
  assert.equal(await operator.stateHash(), hash);
});

/** Values that are wrong for every field, or for all but texts of a certain form. */
const WRONG_VALUES: readonly unknown[] = [
  [[]],
  {},
  -1,
  1.5,
  1e300,
  "",
  " ",
  "\u0000",
  "x".repeat(200),
  "1e5",
  "+1",
  "١",
  ["read", "read"],
  ["nothing"],
];

/**
 * For a text field, its pattern decides which texts are wrong; few numbers may be fractions, and an
 * object whose fields are all optional may be empty.
 */
function isWrongFor(schema: JsonSchema, value: unknown): boolean {
  if (value === 1.5) return schema.type !== "number";
  const isEmptyObject = isDeepStrictEqual(value, {});
  if (isEmptyObject && schema.properties !== undefined && schema.required === undefined) {
    return false;
  }
  if (typeof value !== "string" || schema.pattern === undefined) return true;
  return !new RegExp(schema.pattern).test(value);
}

test("every field of every body is checked, and the refusal names it", async () => {
  const hash = await operator.stateHash();
  let tried = 0;
  for (const call of await operator.documented()) {
    const { bodySchema } = call;
    for (const [field, schema] of Object.entries(bodySchema?.properties ?? {})) {
      for (const value of WRONG_VALUES) {
        if (!isWrongFor(schema, value)) continue;
        const body = { ...sampleBody(bodySchema as JsonSchema), [field]: value };
        const answer = await operator.send(call.method, samplePath(call), JSON.stringify(body));
        const message = `${call.path} ${field}=${JSON.stringify(value)} ${answer.text}`;
        const [status, code, named = ""] = refusalOf(answer);
        // Of an object or a list, what is within it.
        const [whole] = named.split(/[.[]/);
        assert.deepEqual([status, code, whole], [400, "malformed", field], message);
        tried++;
      }
    }
  }
  assert.ok(tried > 400, `${tried} tried`);
  assert.equal(await operator.stateHash(), hash);
});

/** A valid value for every field. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  force: true,
  ...{ match: {}, when: {}, seed: 1 },
  ...{ bids: [], asks: [], inMs: 1, path: "random-walk", volatility: 0.5, scenario: "halt" },
  ...{ model: "one-sided", side: "bids", depth: "1", spread: "0.1" },
  ...{ expiresMs: 60_000, fault: { kind: "cut" } },
  ...{ messages: [{ kind: "remove", id: "1" }], levels: 5 },
  uid: 5,
  inviteCode: "ABCDEFGHJK",
  kyc: true,
  house: true,
  state: "trading",
  selfTradePrevention: "NONE",
  product: "spot",
  symbol: "BTCUSDT",
  label: "bot",
  permissions: ["read"],
  passphrase: "correct7horse",
  ipAllowList: ["10.0.0.0/8"],
  expiresAt: null,
  id: "d-1",
  account: "spot",
  ...{ from: "spot", to: "contract" },
  asset: "USDT",
  ...{ coinId: 7, name: "name", scale: 8, role: "viewer" },
  baseAsset: "BTC",
  quoteAsset: "USDT",
  maxOpenOrders: 10,
  tiers: [{ maxNotional: "1", maintenanceMarginRate: "0", maxLeverage: 1 }],
  ...{ pricePrecision: 1, quantityPrecision: 1 },
  ...{ minLeverage: 1, maxLeverage: 1, defaultLeverage: 1 },
  ...{ enabled: true, addressHoldMs: 1, keyHoldMs: 1, addressId: 1 },
  ...{ balances: [], asOf: 1, outputIndex: 1, confirmations: 1, number: 1, paused: true, after: 1 },
  ...{ action: "deposits", decision: "approved" },
  fundingIntervalMinutes: 60,
  indexStaleMs: 1,
  ms: 1,
  ...{ freeze: true, speed: 2.5 },
  setMs: 4_000_000_000_000,
  ...{ parentUid: 6, holdSelfReferral: true, holdWashTrades: true },
  ...{ url: "https://example.com/", kinds: ["halts"], accounts: [5] },
  rates: [{ uid: 5, spotRate: "0.1", futuresRate: "0.1" }],
  ...{ startTime: 1, endTime: 2, progress: 1 },
};

/** In the order of the schema, so that only the field under test is wrong. */
function sampleBody(schema: JsonSchema): Record<string, unknown> {
  const names = Object.keys(schema.properties ?? {});
  const body = Object.fromEntries(
    names.map((name) => [name, name in SAMPLES ? SAMPLES[name] : "1"]),
  );
  if ("selfTradePrevention" in body) body.state = "active";
  if ("freeze" in body) delete body.run;
  if ("note" in body && "state" in body) body.state = "approved";
  if ("inMs" in body) Object.assign(body, { to: "60000", mark: undefined });
  return body;
}

test("a missing field is named, an unknown one is refused with what is known", async () => {
  for (const call of await operator.documented()) {
    if (call.method === "GET") continue;
    const path = samplePath(call);
    const schema = call.bodySchema ?? {};
    for (const field of schema.required ?? []) {
      const { [field]: _, ...rest } = sampleBody(schema);
      const refusal = await operator.refusal(call.method, path, rest);
      assert.deepEqual(refusal, [400, "malformed", field], call.operation.operationId);
    }
    const body = { ...sampleBody(schema), ipAllowlist: ["10.0.0.0/8"] };
    const answer = await operator.send(call.method, path, JSON.stringify(body));
    assert.deepEqual(refusalOf(answer), [400, "malformed", "ipAllowlist"]);
    for (const known of Object.keys(schema.properties ?? {}))
      assert.ok(answer.text.includes(known));
  }
});

test("paths and queries are checked, and the refusal names the parameter", async () => {
  const wrongUids = ["0", "01", "-1", "1.0", "1e3", "abc", "9007199254740993", "%31%00", "１"];
  for (const uid of wrongUids) {
    const refusal = await operator.refusal("GET", `/operator/v1/users/${encodeURI(uid)}`);
    assert.deepEqual(refusal.slice(0, 2), [400, "malformed"], uid);
    assert.equal(refusal[2], "uid", uid);
  }
  const lists = (await operator.documented()).filter(({ operation }) =>
    operation.parameters.some(({ name }) => name === "limit"),
  );
  assert.ok(lists.length >= 10);
  for (const call of lists) {
    for (const limit of ["0", "1001", "-1", "1.5", "ten", "", "1e2", "00"]) {
      const refusal = await operator.refusal("GET", `${samplePath(call)}?limit=${limit}`);
      assert.deepEqual(refusal, [400, "malformed", "limit"], `${call.path} ${limit}`);
    }
    const twice = await operator.refusal("GET", `${samplePath(call)}?limit=1&limit=2`);
    assert.deepEqual(twice, [400, "malformed", "limit"]);
    const unknown = await operator.refusal("GET", `${samplePath(call)}?offset=1`);
    assert.deepEqual(unknown, [400, "malformed", "offset"]);
    const after = await operator.refusal("GET", `${samplePath(call)}?after=%22`);
    assert.deepEqual(after, [400, "malformed", "after"]);
  }
});

test("JSON that two readers could read differently is refused", async () => {
  const bodies: readonly (string | Buffer)[] = [
    '{"kyc":true,"kyc":false}',
    '{"kyc":true,"\\u006byc":false}',
    '{"__proto__":{"kyc":true}}',
    '{"constructor":1}',
    '{"prototype":1}',
    '{"kyc":{"__proto__":1}}',
    "\ufeff{}",
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
    "[]",
    "null",
    '"text"',
    "1",
    "{",
    "{}{}",
    "{'kyc':true}",
    "{kyc:true}",
    '{"kyc":NaN}',
    '{"kyc":true,}',
    `${'{"a":'.repeat(50)}1${"}".repeat(50)}`,
    " ",
  ];
  const hash = await operator.stateHash();
  for (const body of bodies) {
    const answer = await operator.send("POST", "/operator/v1/users", body);
    assert.deepEqual(refusalOf(answer), [400, "malformed", undefined], String(body));
  }
  assert.equal(await operator.stateHash(), hash);
});

test("random bodies never fail the server and never change the state", async () => {
  const hash = await operator.stateHash();
  const writes = (await operator.documented()).filter(({ method }) => method !== "GET");
  const pieces = ['{"', '"', ":", ",", "{", "}", "[", "]", "id", "amount", "1", "\\u0000", "null"];
  for (let i = 0; i < scaled(2000); i++) {
    const call = random.pick(writes);
    const length = random.integer(1, 12);
    let body = "{";
    for (let piece = 0; piece < length; piece++) body += random.pick(pieces);
    if (body === "{}") continue;
    const { status, text } = await operator.send(call.method, samplePath(call), body);
    assert.ok(status === 400 || status === 404, `${call.operation.operationId} ${body}: ${text}`);
  }
  assert.equal(await operator.stateHash(), hash);
  assert.deepEqual(
    operator.logged.filter((line) => line.includes('"error"')),
    [],
  );
});

test("bodies that are too large or not called JSON are refused", async () => {
  const large = `{"kyc":${" ".repeat(65 * 1024)}true}`;
  assert.deepEqual(refusalOf(await operator.send("POST", "/operator/v1/users", large)), [
    400,
    "body-too-large",
    undefined,
  ]);
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "nonsense"]) {
    const answer = await operator.send("POST", "/operator/v1/users", "{}", {
      "content-type": type,
    });
    assert.deepEqual(refusalOf(answer), [400, "unsupported-content-type", "content-type"], type);
  }
  const withCharset = { "content-type": "application/json; charset=utf-8" };
  assert.equal((await operator.send("POST", "/operator/v1/users", "{}", withCharset)).status, 200);
});

test("unknown paths and methods are 404, paths that are no URL are 400", async () => {
  const paths = [
    ["GET", "/"],
    ["GET", "/OPERATOR/v1/users"],
    ["DELETE", "/operator/v1/users/1"],
    ["HEAD", "/operator/v1/users"],
    ["PUT", "/operator/v1/markets/futures/BTCUSDT"],
    ["DELETE", "/operator/v1/index-prices/BTCUSDT"],
    ["DELETE", "/operator/v1/affiliates/1"],
    ["PATCH", "/operator/v1/affiliate-policy"],
    ["DELETE", "/operator/v1/sandbox/mark-prices/BTCUSDT"],
  ] as const;
  for (const [method, path] of paths) {
    const answer = await operator.send(method, path);
    assert.equal(answer.status, 404, path);
    if (method !== "HEAD") assert.equal(refusalOf(answer)[1], "unknown-path");
  }
  for (const path of ["/operator/v1/users/%zz", `/operator/v1/users/${"1".repeat(500)}`]) {
    assert.deepEqual((await operator.refusal("GET", path)).slice(0, 2), [400, "malformed"]);
  }
});

test("who asks is checked and carried into the command", async () => {
  const ask = (actor: string) =>
    operator.send("POST", "/operator/v1/users", "{}", { "x-operator": actor });
  for (const actor of ["", "two words", "x".repeat(65), "né", "a,b", 'quote"']) {
    assert.deepEqual(refusalOf(await ask(actor)), [400, "malformed", "X-Operator"], actor);
  }
  for (const actor of ["ann", "ann@desk.example", "bot:rebalance/1"]) {
    assert.equal((await ask(actor)).status, 200);
    assert.equal((operator.exchange.commands.at(-1) as { actor: string }).actor, actor);
  }
  await operator.call("POST", "/operator/v1/users", {});
  assert.equal((operator.exchange.commands.at(-1) as { actor: string }).actor, "operator");
});

test("an engine that takes nothing is 503 with Retry-After", async () => {
  for (const reason of ["overloaded", "disk-nearly-full", "stopping"] as const) {
    operator.exchange.engineUnavailable = reason;
    for (const call of await operator.documented()) {
      if (/\/(snapshots|caller|cluster|health-samples)/.test(call.path)) continue;
      // Faults are the gateways' own, and the states of a sandbox are not asked of the engine.
      if (/\/sandbox\/(faults|requests|replays)/.test(call.path) || isStateCall(call)) continue;
      const body = call.method === "GET" ? undefined : sampleBody(call.bodySchema ?? {});
      const answer = await operator.send(
        call.method,
        samplePath(call),
        body === undefined ? undefined : JSON.stringify(body),
      );
      assert.deepEqual(refusalOf(answer), [503, reason, undefined], call.operation.operationId);
      assert.equal(answer.headers["retry-after"], "1");
    }
  }
  operator.exchange.engineUnavailable = null;
  operator.exchange.historyUnavailable = "history-behind";
  assert.deepEqual(await operator.refusal("GET", "/operator/v1/audit"), [
    503,
    "history-behind",
    undefined,
  ]);
  operator.exchange.historyUnavailable = null;
});

test("a failure is told without its cause, and a broken invariant ends the process", async () => {
  const failing = new OperatorFixture();
  failing.exchange.beforeCommand = () => {
    throw new Error("canary of an inner failure");
  };
  const answer = await failing.send("POST", "/operator/v1/users", "{}");
  assert.deepEqual(refusalOf(answer), [500, "internal-error", undefined]);
  assert.equal(answer.text.includes("canary"), false);
  assert.ok(failing.logged.some((line) => line.includes("canary of an inner failure")));
  assert.deepEqual(failing.fatal, []);
  failing.exchange.beforeCommand = () => {
    throw new InvariantViolation("canary of a broken rule");
  };
  await failing.send("POST", "/operator/v1/users", "{}");
  assert.equal(failing.fatal.length, 1);
  await failing.close();
});

test("what is no HTTP gets a refusal and the port goes on", async () => {
  const listening = new OperatorFixture();
  await listening.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = listening.app.server.address() as { port: number };
  for (const bytes of ["garbage\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\0\0\0\0\r\n\r\n"]) {
    const text = await exchangeBytes(port, bytes);
    assert.match(text, /^HTTP\/1\.1 400 /);
    const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4)) as { error: object };
    assert.deepEqual(Object.keys(body), ["error"]);
  }
  const alive = await exchangeBytes(
    port,
    `GET /health/live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\n` +
      "connection: close\r\n\r\n",
  );
  assert.match(alive, /^HTTP\/1\.1 200 .*\{"status":"live"\}$/s);
  await listening.close();
});

/** Sends bytes and returns everything received until the other side closes. */
function exchangeBytes(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.on("data", (chunk) => {
      text += chunk.toString("utf8");
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}

test("what watches the process gets its pages", async () => {
  const metrics = await operator.send("GET", "/metrics");
  assert.deepEqual([metrics.status, metrics.text], [200, "rialto_up 1\n"]);
  assert.equal(metrics.headers["content-type"], "text/plain; version=0.0.4");
  const ready = await operator.send("GET", "/health/ready");
  assert.deepEqual([ready.status, ready.body], [200, { status: "ready" }]);
  operator.notReadyBecause = "history is being rebuilt";
  const waiting = await operator.send("GET", "/health/ready");
  assert.deepEqual(refusalOf(waiting), [503, "not-ready", undefined]);
  assert.ok(waiting.text.includes("history is being rebuilt"));
  operator.notReadyBecause = null;
});
