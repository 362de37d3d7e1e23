/**
 * Proves that the operator API takes its token alone, on every call of its table, and that no
 * input makes it fail: bodies that are no JSON object, values of the wrong type and absurd values
 * are each answered in the API's form with a 4xx, and what cannot be read changes nothing.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { ExchangeProcess } from "../support/exchange-process.ts";
import {
  BTCUSDT,
  ETHUSDT,
  issueKey,
  listStandardMarkets,
  PASSPHRASE,
} from "../support/exchange-setup.ts";
import { type HttpAnswer, HttpConnection } from "../support/http-exchange.ts";
import { scaled, seededRandom } from "../support/random.ts";
import { BODY_TEXTS, TEXTS, VALUES } from "./mutations.ts";

const random = seededRandom("hostile/operator-api");
const ROUNDS = 12;

interface Call {
  readonly id: string;
  readonly method: string;
  readonly path: string;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
}

type Names = Readonly<Record<string, string>>;

/** A valid body for every call that takes one; a new call without one fails below. */
const BODIES: Readonly<Record<string, object>> = {
  registerUser: { kyc: true },
  promoteNode: { node: "n1" },
  startDemoProcess: { name: "n1" },
  updateUser: {
    ...{ kyc: false, state: "active", house: false, selfTradePrevention: "NONE" },
    reason: "looked at",
  },
  setFeeRates: { product: "spot", symbol: "BTCUSDT", makerFeeRate: "0.001", takerFeeRate: "0.001" },
  createApiKey: { label: "x", permissions: ["read"], passphrase: PASSPHRASE, ipAllowList: [] },
  updateApiKey: { label: "y", permissions: ["read"], ipAllowList: ["127.0.0.1"] },
  addOperator: { name: "ann", role: "viewer" },
  setApprovalRule: { action: "deposits", asset: "ETH", above: "1000000" },
  decideProposal: { decision: "approved", note: "x" },
  updateOperator: { role: "risk", expiresAt: null },
  makeDeposit: { id: "d", account: "spot", asset: "USDT", amount: "1" },
  makeWithdrawal: { id: "w", account: "spot", asset: "USDT", amount: "1" },
  makeTransfer: { id: "t", from: "spot", to: "contract", asset: "USDT", amount: "1" },
  setWithdrawalRules: { minAmount: "1", addressHoldMs: 0, keyHoldMs: 0, dailyLimit: "100" },
  addWithdrawalAddress: { asset: "ETH", network: "main", address: "a", memo: "7", label: "x" },
  setDepositRules: { confirmations: 2 },
  reportDeposit: {
    ...{ network: "main", transactionId: "0x1", outputIndex: 0, uid: 1, asset: "ETH" },
    ...{ amount: "1", confirmations: 0 },
  },
  requestWithdrawal: { id: "w", uid: 1, addressId: 1, amount: "1" },
  setWithdrawalState: { id: "s", state: "approved", note: "x" },
  makeInsuranceDeposit: { id: "i", amount: "1" },
  makeInsuranceWithdrawal: { id: "j", amount: "1" },
  setAsset: { coinId: 3, name: "Ether", scale: 8 },
  setSpotMarket: ETHUSDT,
  setSpotMarketState: { state: "trading", reason: "upgrade done" },
  beginReplay: { symbol: "BTCUSDT", base: "1", quote: "1" },
  applyRecorded: { messages: [{ kind: "remove", id: "1" }], levels: 1 },
  setContractMarket: {
    baseAsset: "ETH",
    quoteAsset: "USDT",
    tickSize: "0.01",
    stepSize: "0.001",
    tiers: [{ maxNotional: "1000000", maintenanceMarginRate: "0.005", maxLeverage: 100 }],
    interestRate: "-0.0001",
    maxLeverage: 50,
    state: "trading",
  },
  setContractMarketState: { state: "trading", reason: "upgrade done" },
  setIndexPrice: { price: "3000" },
  pinMarkPrice: { price: "3000" },
  setAffiliate: { spotRate: "0.3", futuresRate: "0.4", parentUid: 1 },
  setAffiliatePolicy: {
    capPerReferral30d: "1000",
    holdSelfReferral: true,
    holdWashTrades: true,
    washTradeShare: "0.5",
  },
  releaseCommission: { reason: "looked at" },
  reverseCommission: { reason: "charged back" },
  settleCommissions: { reason: "now" },
  compareCommissionRates: {
    rates: [{ uid: 1, spotRate: "0.1", futuresRate: "0.1" }],
    startTime: 0,
    endTime: 1,
  },
  advanceClock: { ms: 1 },
  setClock: { setMs: 1 },
  makeCheckpoint: { name: "before" },
  restoreCheckpoint: { name: "none" },
  makeBook: { bids: [["99", "1"]], asks: [["101", "1"]] },
  movePrice: { to: "100", inMs: 0, path: "jump", seed: 1 },
  setLiquidity: { model: "one-sided", depth: "100", spread: "0.01", side: "asks" },
  triggerScenario: { scenario: "flash-crash", symbol: "ETHUSDT" },
  setFundingRate: { rate: "-0.01" },
  createWebhook: { url: "http://127.0.0.1:9/", kinds: ["halts"] },
  reportCustodyBalances: { balances: [{ asset: "USDT", amount: "1" }] },
  updateWebhook: { paused: true },
  redeliverWebhookEvent: { number: 1 },
  renewWebhookSecret: { after: 0 },
  setFault: { match: {}, when: { next: 1 }, seed: 1, expiresMs: 1, fault: { kind: "duplicate" } },
};
/** Their body is nothing. */
const BODILESS = new Set([
  ...["revokeApiKey", "makeSnapshot", "removeFault", "clearFaults"],
  ...["removeWithdrawalAddress", "dropDeposit"],
  ...["removeCheckpoint", "resetExchange", "markResetState", "clearBook", "endReplay"],
  ...["rotateToken", "removeOperator", "removeWebhook", "testWebhook"],
]);

/** Every call that the API's own document names. */
async function callsOf(exchange: ExchangeProcess): Promise<Call[]> {
  const { paths } = await exchange.operator.call<OpenApi>("GET", "/operator/v1/openapi.json");
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
    })),
  );
}

function pathOf(template: string, names: Names): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? "none");
}

function assertOperatorAnswer(answer: HttpAnswer, what: string): void {
  assert.ok(answer.status < 500, `${what}: ${answer.status} ${answer.text}`);
  if (answer.status < 300) return;
  const { error } = (answer.body ?? {}) as { error?: Record<string, unknown> };
  assert.equal(typeof error?.code, "string", `${what}: ${answer.text}`);
  assert.equal(typeof error?.message, "string", `${what}: ${answer.text}`);
}

class Sender {
  readonly calls: readonly Call[];
  readonly names: Names;
  readonly #connection: HttpConnection;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(calls: readonly Call[], names: Names, connection: HttpConnection, token: string) {
    this.calls = calls;
    this.names = names;
    this.#connection = connection;
    this.#headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  }

  send(
    method: string,
    path: string,
    body: string | Buffer | null,
    headers = this.#headers,
  ): Promise<HttpAnswer> {
    return this.#connection.send({ method, path, headers, body });
  }
}

async function tokenTests(t: TestContext, sender: Sender): Promise<void> {
  const { calls, names } = sender;
  await t.test(`${calls.length} calls × wrong tokens`, async () => {
    assert.ok(calls.length > 40);
    let addresses = 0;
    for (const { method, path, id } of calls) {
      const body = id in BODIES ? JSON.stringify(BODIES[id]) : null;
      for (const authorization of ["", "Bearer", "Bearer x", `Bearer ${"0".repeat(64)}`]) {
        // Each of another address, as behind a proxy, because an address has to wait soon.
        addresses++;
        const headers: Record<string, string> = {
          Authorization: authorization,
          "X-Forwarded-For": `198.51.${addresses >> 8}.${addresses & 255}`,
        };
        if (body !== null) headers["Content-Type"] = "application/json";
        const answer = await sender.send(method, pathOf(path, names), body, headers);
        assert.equal(answer.status, 401, `${id} with "${authorization}": ${answer.text}`);
        assertOperatorAnswer(answer, id);
      }
    }
  });
}

async function bodyTests(t: TestContext, sender: Sender): Promise<number> {
  const { calls, names } = sender;
  let sent = 0;
  const writes = calls.filter(({ method, id }) => method !== "GET" && !BODILESS.has(id));
  await t.test("every call that takes a body has a valid one here", () => {
    const ids = writes.map(({ id }) => id).sort();
    assert.deepEqual(ids, Object.keys(BODIES).sort());
  });
  await t.test("bodies that are no JSON object", async () => {
    for (const { method, path, id } of writes) {
      const valid = JSON.stringify(BODIES[id]);
      for (const change of BODY_TEXTS) {
        const answer = await sender.send(method, pathOf(path, names), change(valid, random));
        assertOperatorAnswer(answer, id);
        assert.ok(answer.status >= 400, `${id}: ${change.toString()} was accepted`);
        sent++;
      }
    }
  });
  return sent;
}

/**
 * Some odd values are right, and these calls get none: the assets are those of all other calls,
 * samples of a market that has an index (a moved price may be one) are dropped by a restart, so its
 * state would not stay, and a restore would take back what the others did.
 */
const NO_ODD_VALUES = new Set(["setAsset", "setIndexPrice", "movePrice", "restoreCheckpoint"]);

/** Values that may happen to be right are allowed to succeed: the exchange must only stay sound. */
async function valueTests(t: TestContext, sender: Sender): Promise<number> {
  const { calls, names } = sender;
  let sent = 0;
  await t.test("fields of any type and value", async () => {
    for (let round = 0; round < scaled(ROUNDS); round++) {
      for (const { method, path, id } of calls) {
        const body = BODIES[id];
        if (body === undefined || NO_ODD_VALUES.has(id)) continue;
        for (const field of Object.keys(body)) {
          const value = random.pick(random.chance(0.5) ? VALUES : TEXTS);
          const text = JSON.stringify({ ...body, [field]: value });
          const answer = await sender.send(method, pathOf(path, names), text);
          assertOperatorAnswer(answer, `${id} ${text.slice(0, 300)}`);
          sent++;
        }
      }
    }
  });
  await t.test("paths with any name in them, and any page", async () => {
    for (const { method, path, id } of calls.filter((call) => call.method === "GET")) {
      for (const text of TEXTS.filter((candidate) => candidate.length < 1000)) {
        const odd = encodeURIComponent(text);
        const named = Object.fromEntries(Object.keys(names).map((name) => [name, odd]));
        for (const target of [
          pathOf(path, named),
          `${pathOf(path, names)}?after=${odd}&limit=${odd}`,
        ]) {
          assertOperatorAnswer(await sender.send(method, target, null), `${id} ${target}`);
          sent++;
        }
      }
    }
  });
  return sent;
}

test("operator API under bad input", async (t) => {
  const token = "0123456789abcdef0123456789abcdef";
  const exchange = await ExchangeProcess.start({
    env: { RIALTO_OPERATOR_TOKEN: token },
    flags: ["--trusted-proxies", "127.0.0.1/32"],
  });
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const { uid } = await exchange.operator.call<{ uid: number }>("POST", "/operator/v1/users", {});
  const { apiKey } = await issueKey(exchange, uid);
  const names = {
    uid: String(uid),
    apiKey,
    asset: "ETH",
    symbol: "ETHUSDT",
    id: "x",
    sequence: "1",
    text: "7",
    commissionId: "1",
    withdrawalId: "1",
    addressId: "1",
    depositId: "1",
    network: "main",
  };
  const connection = new HttpConnection(exchange.operatorPort, 4);
  t.after(() => connection.close());
  const sender = new Sender(await callsOf(exchange), names, connection, token);

  const before = await exchange.operator.stateHash();
  await tokenTests(t, sender);
  const malformed = await bodyTests(t, sender);
  assert.equal(await exchange.operator.stateHash(), before, "a malformed body changed the state");
  const odd = await valueTests(t, sender);
  t.diagnostic(`${malformed} malformed bodies, ${odd} odd values`);

  await t.test("absurd jumps of the clock are refused", async () => {
    for (const ms of [Number.MAX_SAFE_INTEGER, 2 ** 52, 8.64e15]) {
      const path = "/operator/v1/sandbox/clock/advance";
      const answer = await sender.send("POST", path, JSON.stringify({ ms }));
      assert.equal(answer.status, 400, `${ms}: ${answer.text}`);
    }
  });
  await t.test("the exchange is sound, and starts again from what was journaled", async () => {
    assert.equal(exchange.exit, null, exchange.output);
    const { ok, violations, stateHash } = await exchange.operator.invariants();
    assert.equal(ok, true, violations.join("; "));
    await exchange.kill("SIGKILL");
    await exchange.restart();
    assert.equal(await exchange.operator.stateHash(), stateHash);
    await exchange.operator.call("PUT", "/operator/v1/markets/spot/BTCUSDT", BTCUSDT);
  });
});

test("guesses over real sockets: their address waits, and the log has no token", async (t) => {
  const token = "0123456789abcdef0123456789abcdef";
  const exchange = await ExchangeProcess.start({
    env: { RIALTO_OPERATOR_TOKEN: token },
    flags: ["--trusted-proxies", "127.0.0.1/32", "--operator-host", "0.0.0.0"],
  });
  t.after(() => exchange.stop());
  const connection = new HttpConnection(exchange.operatorPort, 8);
  t.after(() => connection.close());
  const ask = (given: string, address: string): Promise<HttpAnswer> => {
    const headers = { Authorization: `Bearer ${given}`, "X-Forwarded-For": address };
    return connection.send({ method: "GET", path: "/operator/v1/status", headers });
  };
  const guesses = Array.from({ length: 300 }, (_, i) => ask(`guess-of-${i}-${token}`, "192.0.2.1"));
  const answers = await Promise.all(guesses);
  const refused = answers.filter(({ status }) => status === 401).length;
  const waiting = answers.filter(({ status }) => status === 429);
  // One more for every six seconds that this takes.
  assert.ok(refused >= 10 && refused < 100, `${refused} were looked at`);
  assert.equal(refused + waiting.length, answers.length);
  for (const answer of waiting) {
    assertOperatorAnswer(answer, "a guess");
    assert.ok(Number(answer.headers["retry-after"]) >= 1);
  }
  assert.equal((await ask(token, "192.0.2.2")).status, 200);
  assert.match(exchange.output, /192\.0\.2\.1.*a wrong operator token/);
  assert.ok(!exchange.output.includes("guess-of"), "the log");
  assert.match(exchange.output, /operator API is reachable beyond this machine.*without TLS/);
});

test("a token that can be guessed stops the start", async () => {
  const env = { RIALTO_OPERATOR_TOKEN: "letmein" };
  await assert.rejects(ExchangeProcess.start({ env }), /openssl rand -hex 32/);
});
