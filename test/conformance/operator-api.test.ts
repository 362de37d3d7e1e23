/**
 * Proves the operator API from outside: the exact shapes of its calls, idempotent movements of
 * funds, which listings are rejected, its errors, the GET counterpart of every write, and that the
 * audit log contains all of it.
 */
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { exact, sum } from "../support/exact.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { BTCUSDT, listAssets, listMarket, PASSPHRASE } from "../support/exchange-setup.ts";
import { SignedClient } from "../support/signed-client.ts";
import { assertShape } from "../support/wire-shape.ts";

type Refusals = readonly (readonly [what: string, change: object, status: number])[];

class OperatorCaller {
  readonly exchange: ExchangeProcess;

  constructor(exchange: ExchangeProcess) {
    this.exchange = exchange;
  }

  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.exchange.operator.call(method, `/operator/v1/${path}`, body);
  }

  async refused(method: string, path: string, body: unknown, status: number): Promise<string> {
    const answer = await this.exchange.operator.send(method, `/operator/v1/${path}`, body);
    assert.equal(
      answer.status,
      status,
      `${method} ${path} ${JSON.stringify(body)}: ${answer.text}`,
    );
    const { error } = answer.body as { error: Record<string, unknown> };
    assert.equal(typeof error.code, "string", answer.text);
    assert.equal(typeof error.message, "string", answer.text);
    assert.ok(["code", "message", "field"].every((name) => name === "field" || name in error));
    return String(error.code);
  }

  async user(): Promise<number> {
    return (await this.call<{ uid: number }>("POST", "users", {})).uid;
  }
}

async function users(t: TestContext, api: OperatorCaller): Promise<void> {
  await t.test("users: registration, invitation, settings", async () => {
    const inviter = await api.call<{ uid: number; inviteCode: string }>("POST", "users", {});
    assertShape(inviter, { uid: "integer", inviteCode: "string" });
    const invited = await api.call<{ uid: number }>("POST", "users", {
      inviteCode: inviter.inviteCode,
      kyc: true,
    });
    const twin = await api.call<Record<string, unknown>>("GET", `users/${invited.uid}`);
    assert.equal(twin.uid, invited.uid);
    assert.equal(twin.inviterUid, inviter.uid);
    assert.equal(twin.kyc, true);
    assert.equal(twin.state, "active");
    assert.equal(twin.selfTradePrevention, "NONE");
    const own = await api.call<{ uid: number }>("POST", "users", { uid: 777_000 });
    assert.equal(own.uid, 777_000);
    await api.refused("POST", "users", { uid: 777_000 }, 409);
    await api.refused("POST", "users", { inviteCode: "NOSUCHCODE" }, 400);
    await api.refused("PATCH", "users/999999", { kyc: true }, 404);
    await api.refused("PATCH", `users/${own.uid}`, { state: "asleep" }, 400);
    const list = await api.call<{ items: { uid: number }[] }>("GET", "users?limit=2");
    assert.equal(list.items.length, 2);
  });

  await t.test("API keys: shown once, changed and revoked at once", async () => {
    const uid = await api.user();
    const body = { label: "bot", permissions: ["read", "spot"], passphrase: PASSPHRASE };
    const key = await api.call<{ apiKey: string; secret: string; passphrase: string }>(
      "POST",
      `users/${uid}/api-keys`,
      body,
    );
    assertShape(key, { apiKey: "string", secret: "string", passphrase: "string" });
    assert.match(key.apiKey, /^rialto_[0-9a-f]{32}$/);
    const twin = await api.exchange.operator.send("GET", `/operator/v1/api-keys/${key.apiKey}`);
    assert.equal(twin.status, 200, twin.text);
    assert.ok(!twin.text.includes(key.secret) && !twin.text.includes(PASSPHRASE), twin.text);
    // Keys that older versions issued are as good as new ones.
    await api.refused("GET", `api-keys/weex_${"0".repeat(32)}`, undefined, 404);
    const client = new SignedClient(api.exchange.port, key);
    assert.equal((await client.get("/api/v2/account/assets")).status, 200);
    const past = { expiresAt: 1_000_000_000_000 };
    await api.refused("PATCH", `api-keys/${key.apiKey}`, past, 400);
    const { time } = await api.call<{ time: number }>("GET", "status");
    await api.call("PATCH", `api-keys/${key.apiKey}`, { expiresAt: time + 60_000 });
    assert.equal((await client.get("/api/v2/account/assets")).status, 200);
    await api.exchange.operator.advanceClock(61_000);
    const expired = await client.get("/api/v2/account/assets");
    assert.equal((expired.body as { code: string }).code, "40006", expired.text);
    await api.call("DELETE", `api-keys/${key.apiKey}`);
    await api.refused("DELETE", `api-keys/${key.apiKey}`, undefined, 404);
    client.close();
    const keys = `users/${uid}/api-keys`;
    await api.refused("POST", keys, { ...body, permissions: ["root"] }, 400);
    await api.refused("POST", keys, { permissions: ["read"] }, 400);
    await api.refused("POST", keys, { ...body, ipAllowList: ["not an address"] }, 400);
    await api.refused("POST", "users/999999/api-keys", body, 404);
  });
}

async function funds(t: TestContext, api: OperatorCaller): Promise<void> {
  await t.test("deposits, withdrawals and transfers are idempotent by their id", async () => {
    const uid = await api.user();
    const deposit = { id: "d-1", account: "spot", asset: "USDT", amount: "100.5" };
    const first = await api.call("POST", `users/${uid}/deposits`, deposit);
    assert.deepEqual(first, { id: "d-1", balance: "100.5" });
    const hash = await api.exchange.operator.stateHash();
    assert.deepEqual(await api.call("POST", `users/${uid}/deposits`, deposit), first);
    const other = { ...deposit, amount: "100.6" };
    await api.refused("POST", `users/${uid}/deposits`, other, 409);
    assert.equal(await api.exchange.operator.stateHash(), hash);

    const withdrawal = { id: "w-1", account: "spot", asset: "USDT", amount: "0.5" };
    const withdrawn = await api.call("POST", `users/${uid}/withdrawals`, withdrawal);
    assert.deepEqual(withdrawn, { id: "w-1", balance: "100" });
    const tooMuch = { ...withdrawal, id: "w-2", amount: "100.00000001" };
    await api.refused("POST", `users/${uid}/withdrawals`, tooMuch, 409);

    const transfer = { id: "t-1", from: "spot", to: "contract", asset: "USDT", amount: "40" };
    await api.call("POST", `users/${uid}/transfers`, transfer);
    await api.call("POST", `users/${uid}/transfers`, transfer);
    await api.refused(
      "POST",
      `users/${uid}/transfers`,
      { ...transfer, id: "t-2", to: "spot" },
      400,
    );
    const balances = await api.call("GET", `users/${uid}/balances`);
    assert.match(JSON.stringify(balances), /"available":"60"/);
    for (const twin of ["deposits/d-1", "withdrawals/w-1", "transfers/t-1"]) {
      const { id } = await api.call<{ id: string }>("GET", `users/${uid}/${twin}`);
      assert.equal(id, twin.split("/")[1]);
    }
    const malformed: Refusals = [
      ["exponent", { amount: "1e3" }, 400],
      ["zero", { amount: "0" }, 400],
      ["negative", { amount: "-1" }, 400],
      ["finer than the asset", { amount: "0.000000001" }, 400],
      ["unknown asset", { asset: "NOPE" }, 400],
      ["unknown account", { account: "savings" }, 400],
      ["no id", { id: undefined }, 400],
      ["number", { amount: 5 }, 400],
    ];
    for (const [what, change, status] of malformed) {
      const body = { ...deposit, id: `m-${what.length}`, ...change };
      await api.refused("POST", `users/${uid}/deposits`, body, status);
    }
    await api.refused("POST", "users/999999/deposits", { ...deposit, id: "x" }, 404);
  });

  await t.test("insurance fund", async () => {
    const fund = "insurance/USDT";
    const first = await api.call("POST", `${fund}/deposits`, { id: "i-1", amount: "1000" });
    assert.deepEqual(first, { id: "i-1", balance: "1000" });
    assert.deepEqual(
      await api.call("POST", `${fund}/deposits`, { id: "i-1", amount: "1000" }),
      first,
    );
    await api.refused("POST", `${fund}/withdrawals`, { id: "i-2", amount: "1000.01" }, 409);
    const { totals } = await api.exchange.operator.invariants();
    assert.equal(totals.USDT?.insurance, "1000");
    assert.equal(sum(Object.values(totals.USDT ?? {}).map(exact)), 0n);
  });
}

async function listings(t: TestContext, api: OperatorCaller): Promise<void> {
  await t.test("assets and markets: twins, states, what listing refuses", async () => {
    await listAssets(api.exchange);
    await listMarket(api.exchange, "BTCUSDT", BTCUSDT);
    const twin = await api.call<Record<string, unknown>>("GET", "markets/spot/BTCUSDT");
    for (const [name, value] of Object.entries(BTCUSDT)) {
      const read = twin[name];
      if (/^\d/.test(value)) assert.equal(exact(String(read)), exact(value), name);
      else assert.equal(read, value, name);
    }
    assert.equal(twin.maxOpenOrders, 200);
    const changed = await api.call<{ state: string }>("PATCH", "markets/spot/BTCUSDT", {
      state: "halted",
    });
    assert.equal(changed.state, "halted");
    await api.call("PATCH", "markets/spot/BTCUSDT", { state: "trading" });
    const refusals: Refusals = [
      ["tick × step finer than USDT", { tickSize: "0.00001", stepSize: "0.00001" }, 400],
      ["fee above 10 %", { takerFeeRate: "0.11" }, 400],
      ["tick of zero", { tickSize: "0" }, 400],
      ["unknown asset", { baseAsset: "NOPE" }, 400],
      ["unknown state", { state: "open" }, 400],
      ["sizes above 2^53 lots", { maxTradeAmount: "999999999999" }, 400],
      ["fee as a number", { makerFeeRate: 0.001 }, 400],
      ["no step", { stepSize: undefined }, 400],
    ];
    for (const [, change, status] of refusals) {
      const rules = { ...BTCUSDT, baseAsset: "ETH", ...change };
      await api.refused("PUT", "markets/spot/ETHUSDT", rules, status);
    }
    await api.refused("PATCH", "markets/spot/NOPEUSDT", { state: "halted" }, 404);
    await api.refused("GET", "markets/spot/NOPEUSDT", undefined, 404);
    assert.deepEqual(await api.call("GET", "assets/ETH"), {
      asset: "ETH",
      coinId: 3,
      name: "Ether",
      scale: 8,
    });
  });

  await t.test("ticks change with an empty book alone, a scale never after a posting", async () => {
    const uid = await api.user();
    const funds = { id: "tick-1", account: "spot", asset: "USDT", amount: "1000" };
    await api.call("POST", `users/${uid}/deposits`, funds);
    const key = await api.call<{ apiKey: string; secret: string; passphrase: string }>(
      "POST",
      `users/${uid}/api-keys`,
      { permissions: ["spot"], passphrase: PASSPHRASE },
    );
    const client = new SignedClient(api.exchange.port, key);
    await client.placed({
      symbol: "BTCUSDT",
      side: "buy",
      orderType: "limit",
      force: "normal",
      price: "20000.01",
      quantity: "0.01",
      clientOrderId: "in-the-way",
    });
    const coarser = { ...BTCUSDT, tickSize: "0.1" };
    await api.refused("PUT", "markets/spot/BTCUSDT", coarser, 409);
    await client.cancelled({ symbol: "BTCUSDT", clientOid: "in-the-way" });
    await api.call("PUT", "markets/spot/BTCUSDT", coarser);
    const { tickSize } = await api.call<{ tickSize: string }>("GET", "markets/spot/BTCUSDT");
    assert.equal(tickSize, "0.1");
    const asset = { coinId: 2, name: "Tether", scale: 6 };
    await api.refused("PUT", "assets/USDT", asset, 409);
    client.close();
  });
}

async function feeRates(t: TestContext, api: OperatorCaller): Promise<void> {
  await t.test("a user's own fee rates hold for orders placed afterwards", async () => {
    const uid = await api.user();
    const rates = { product: "spot", symbol: "BTCUSDT", makerFeeRate: "0", takerFeeRate: "0.0004" };
    await api.call("PUT", `users/${uid}/fee-rates`, rates);
    const { items } = await api.call<{ items: object[] }>("GET", `users/${uid}/fee-rates`);
    assert.deepEqual(items, [rates]);
    await api.refused("PUT", `users/${uid}/fee-rates`, { ...rates, takerFeeRate: "0.2" }, 400);
  });
}

async function overview(t: TestContext, api: OperatorCaller): Promise<void> {
  await t.test("status, snapshots, audit, health, unknown calls", async () => {
    const invariants = await api.exchange.operator.invariants();
    const { ok, sequence, stateHash, violations, totals, ...rest } = invariants;
    assert.deepEqual([ok, violations, rest], [true, [], {}]);
    assert.ok(Number.isSafeInteger(sequence) && /^[0-9a-f]{64}$/.test(stateHash));
    assert.ok("external" in (totals.USDT ?? {}) && "spot.available" in (totals.USDT ?? {}));
    const status = await api.call<{ sequence: number; users: number }>("GET", "status");
    assert.ok(status.sequence >= sequence && status.users >= 5);
    const made = await api.call<{ sequence: number }>("POST", "snapshots", {});
    const twin = await api.call<{ sequence: number }>("GET", `snapshots/${made.sequence}`);
    assert.equal(twin.sequence, made.sequence);
    const audit = await api.call<{ items: { action: string; actor: string }[] }>(
      "GET",
      "audit?limit=200",
    );
    const actions = new Set(audit.items.map(({ action }) => action));
    for (const action of ["user-registered", "funds-moved", "spot-market-set", "api-key-set"]) {
      assert.ok(actions.has(action), [...actions].join(" "));
    }
    assert.ok(audit.items.every(({ actor }) => actor.length > 0));
    assert.ok(!JSON.stringify(audit).includes(PASSPHRASE));
    for (const path of ["/health/live", "/health/ready", "/metrics"]) {
      assert.equal((await api.exchange.operator.send("GET", path)).status, 200, path);
    }
    await api.refused("GET", "nothing", undefined, 404);
    await api.refused("DELETE", "invariants", undefined, 404);
  });
}

test("the operator API", async (t) => {
  const exchange = await ExchangeProcess.start({ process: "shared", threads: "many" });
  t.after(() => exchange.stop());
  const api = new OperatorCaller(exchange);
  await users(t, api);
  await funds(t, api);
  await listings(t, api);
  await feeRates(t, api);
  await overview(t, api);
});
