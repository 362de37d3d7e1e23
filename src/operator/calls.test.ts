/**
 * Proves each call against the real engine: written values can be read back, a repeated id returns
 * the first answer, refusals have the right status and field, and every list can be paged through.
 * Answers are checked against the served OpenAPI document. A call that no test makes fails the
 * suite.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { isTestedElsewhere, OperatorFixture } from "../../test/support/operator-fixture.ts";

let operator: OperatorFixture;

const get = <Answer>(path: string) => operator.call<Answer>("GET", `/operator/v1/${path}`);
const post = <Answer>(path: string, body?: unknown) =>
  operator.call<Answer>("POST", `/operator/v1/${path}`, body);
const put = <Answer>(path: string, body: unknown) =>
  operator.call<Answer>("PUT", `/operator/v1/${path}`, body);
const patch = <Answer>(path: string, body: unknown) =>
  operator.call<Answer>("PATCH", `/operator/v1/${path}`, body);
const refused = (method: string, path: string, body?: unknown) =>
  operator.refusal(method, `/operator/v1/${path}`, body);

before(async () => {
  operator = new OperatorFixture();
  await put("assets/BTC", { coinId: 1, name: "Bitcoin", scale: 8 });
  await put("assets/USDT", { coinId: 2, name: "Tether", scale: 8 });
});
after(() => operator.close());

interface User {
  readonly uid: number;
  readonly inviteCode: string;
}

interface List<Item> {
  readonly items: readonly Item[];
  readonly next: number | string | null;
}

/** Reads a list in pages of two; every page but the last must be full. */
async function walk<Item>(path: string): Promise<Item[]> {
  const items: Item[] = [];
  let after = "";
  for (;;) {
    const page = await get<List<Item>>(`${path}?limit=2${after}`);
    items.push(...page.items);
    if (page.next === null) return items;
    assert.equal(page.items.length, 2);
    after = `&after=${page.next}`;
  }
}

const registerUser = (body: object = {}) => post<User>("users", body);

test("users: registered, invited, changed, listed", async () => {
  const inviter = await registerUser();
  assert.match(inviter.inviteCode, /^[2-9A-HJ-NP-Z]{10}$/);
  const invited = await registerUser({ uid: 777, inviteCode: inviter.inviteCode, kyc: true });
  assert.equal(invited.uid, 777);
  const user = {
    uid: 777,
    inviteCode: invited.inviteCode,
    inviterUid: inviter.uid,
    kyc: true,
    state: "active",
    house: false,
    selfTradePrevention: "NONE",
    registeredAt: operator.exchange.wallMs,
  };
  assert.deepEqual(await get("users/777"), user);
  assert.deepEqual(await patch("users/777", { state: "frozen" }), { ...user, state: "frozen" });
  const changes = { kyc: false, selfTradePrevention: "EXPIRE_MAKER" };
  const changed = { ...user, state: "frozen", ...changes };
  assert.deepEqual(await patch("users/777", changes), changed);
  const uids = (await walk<User>("users")).map(({ uid }) => uid);
  assert.deepEqual(
    uids,
    uids.toSorted((one, other) => one - other),
  );
  assert.ok(uids.includes(777) && uids.includes(inviter.uid));

  assert.deepEqual(await refused("POST", "users", { uid: 777 }), [409, "conflict", "uid"]);
  const unknownCode = await refused("POST", "users", { inviteCode: "NOBODY" });
  assert.deepEqual(unknownCode, [400, "unknown-invite-code", "inviteCode"]);
  assert.deepEqual(await refused("GET", "users/99"), [404, "unknown-user", "uid"]);
  assert.deepEqual(await refused("PATCH", "users/99", { kyc: true }), [404, "unknown-user", "uid"]);
  assert.deepEqual(await refused("PATCH", "users/777", {}), [400, "malformed", undefined]);
});

test("a drawn invite code that is taken is drawn again", async () => {
  const { inviteCode } = await registerUser();
  const before = operator.exchange.commands.length;
  let taken = 2;
  operator.exchange.beforeCommand = (command) => {
    if (command.type === "register-user" && taken-- > 0) Object.assign(command, { inviteCode });
  };
  const user = await registerUser();
  operator.exchange.beforeCommand = () => undefined;
  assert.notEqual(user.inviteCode, inviteCode);
  assert.equal(operator.exchange.commands.length - before, 3);
});

test("deposits and withdrawals: once per id, read back, listed, in the totals", async () => {
  const { uid } = await registerUser();
  const deposit = { id: "d-1", account: "spot", asset: "USDT", amount: "100.5" };
  const path = `users/${uid}/deposits`;
  assert.deepEqual(await post(path, deposit), { id: "d-1", balance: "100.5" });
  const second = { id: "d/2 =".replace(" ", "#"), account: "contract", asset: "USDT", amount: "7" };
  await post(path, second);
  await post(path, { ...deposit, id: "d-3", amount: "1" });
  assert.deepEqual(await post(path, deposit), { id: "d-1", balance: "100.5" });
  const time = operator.exchange.wallMs;
  assert.deepEqual(await get(`${path}/d-1`), { ...deposit, balance: "100.5", time });
  const secondPath = `${path}/${encodeURIComponent(second.id)}`;
  assert.deepEqual(await get(secondPath), { ...second, balance: "7", time });
  assert.deepEqual(await walk(path), [
    { ...deposit, time },
    { ...second, time },
    { ...deposit, id: "d-3", amount: "1", time },
  ]);
  for (const other of [{ amount: "100.4" }, { account: "contract" }, { asset: "BTC" }]) {
    const conflict = await refused("POST", path, { ...deposit, ...other });
    assert.deepEqual(conflict, [409, "conflict", "id"]);
  }

  const withdrawal = { id: "d-1", account: "spot", asset: "USDT", amount: "1.5" };
  const withdrawals = `users/${uid}/withdrawals`;
  assert.deepEqual(await post(withdrawals, withdrawal), { id: "d-1", balance: "100" });
  assert.deepEqual(await get(`${withdrawals}/d-1`), { ...withdrawal, balance: "100", time });
  assert.deepEqual(await walk(withdrawals), [{ ...withdrawal, time }]);
  const tooMuch = await refused("POST", withdrawals, { ...withdrawal, id: "w-2", amount: "101" });
  assert.deepEqual(tooMuch, [409, "insufficient-balance", "amount"]);

  const { spot, contract } = await get<{ spot: { asset: string }[]; contract: object[] }>(
    `users/${uid}/balances`,
  );
  assert.deepEqual(contract, [], "one row for each margin asset of a listed contract");
  const balance = { asset: "USDT", available: "100", frozen: "0", equity: "100" };
  assert.deepEqual(
    spot.find(({ asset }) => asset === "USDT"),
    balance,
  );
  const { totals } = await get<{ totals: Record<string, Record<string, string>> }>("invariants");
  assert.equal(totals.USDT?.external, "-107");
});

test("funds: what cannot be is refused with the field as it was sent", async () => {
  const { uid } = await registerUser();
  const path = `users/${uid}/deposits`;
  const deposit = { id: "x", account: "spot", asset: "USDT", amount: "1" };
  const cases = [
    [{ ...deposit, amount: "0" }, 400, "out-of-range", "amount"],
    [{ ...deposit, amount: "0.000000001" }, 400, "excess-precision", "amount"],
    [{ ...deposit, amount: "1." }, 400, "malformed", "amount"],
    [{ ...deposit, amount: 1 }, 400, "malformed", "amount"],
    [{ ...deposit, asset: "DOGE" }, 400, "unknown-asset", "asset"],
    [{ ...deposit, account: "margin" }, 400, "malformed", "account"],
    [{ ...deposit, id: "two words" }, 400, "malformed", "id"],
  ] as const;
  for (const [body, ...expected] of cases) {
    assert.deepEqual(await refused("POST", path, body), expected, JSON.stringify(body));
  }
  assert.deepEqual(await refused("POST", "users/99/deposits", deposit), [
    404,
    "unknown-user",
    "uid",
  ]);
  for (const kind of ["deposits", "withdrawals", "transfers"]) {
    const missing = await refused("GET", `users/${uid}/${kind}/never`);
    assert.deepEqual(missing, [404, "unknown-movement", "id"]);
    assert.deepEqual(await refused("GET", `users/99/${kind}`), [404, "unknown-user", "uid"]);
  }
});

test("transfers: between the accounts of one user, once per id", async () => {
  const { uid } = await registerUser();
  await post(`users/${uid}/deposits`, { id: "d", account: "spot", asset: "BTC", amount: "2" });
  const path = `users/${uid}/transfers`;
  const there = { id: "t-1", from: "spot", to: "contract", asset: "BTC", amount: "1.5" };
  const back = { ...there, id: "t-2", from: "contract", to: "spot", amount: "0.5" };
  assert.deepEqual(await post(path, there), { id: "t-1", balance: "1.5" });
  assert.deepEqual(await post(path, back), { id: "t-2", balance: "1" });
  assert.deepEqual(await post(path, there), { id: "t-1", balance: "1.5" });
  const time = operator.exchange.wallMs;
  assert.deepEqual(await get(`${path}/t-2`), { ...back, balance: "1", time });
  assert.deepEqual(await walk(path), [
    { ...there, time },
    { ...back, time },
  ]);
  assert.deepEqual(await refused("POST", path, { ...there, amount: "1" }), [409, "conflict", "id"]);
  const same = await refused("POST", path, { ...there, id: "t-3", to: "spot" });
  assert.deepEqual(same, [400, "malformed", "to"]);
});

test("insurance: fed, drained, read back, listed", async () => {
  const deposits = "insurance/USDT/deposits";
  const withdrawals = "insurance/USDT/withdrawals";
  assert.deepEqual(await get("insurance/USDT"), { asset: "USDT", balance: "0" });
  assert.deepEqual(await post(deposits, { id: "i-1", amount: "50" }), { id: "i-1", balance: "50" });
  assert.deepEqual(await post(deposits, { id: "i-1", amount: "50" }), { id: "i-1", balance: "50" });
  const drained = await post(withdrawals, { id: "i-1", amount: "20" });
  assert.deepEqual(drained, { id: "i-1", balance: "30" });
  assert.deepEqual(await get("insurance/USDT"), { asset: "USDT", balance: "30" });
  const time = operator.exchange.wallMs;
  const first = { id: "i-1", asset: "USDT", amount: "50", time };
  assert.deepEqual(await get(`${deposits}/i-1`), { ...first, balance: "50" });
  assert.deepEqual(await walk(deposits), [first]);
  const second = { ...first, amount: "20" };
  assert.deepEqual(await get(`${withdrawals}/i-1`), { ...second, balance: "30" });
  assert.deepEqual(await walk(withdrawals), [second]);

  const other = await refused("POST", deposits, { id: "i-1", amount: "51" });
  assert.deepEqual(other, [409, "conflict", "id"]);
  const elsewhere = await refused("GET", "insurance/BTC/deposits/i-1");
  assert.deepEqual(elsewhere, [404, "unknown-movement", "id"]);
  const tooMuch = await refused("POST", withdrawals, { id: "i-2", amount: "31" });
  assert.deepEqual(tooMuch, [409, "insufficient-balance", "amount"]);
  for (const path of ["insurance/DOGE", "insurance/DOGE/deposits"]) {
    assert.deepEqual(await refused("GET", path), [404, "unknown-asset", "asset"]);
  }
});

test("assets: listed, changed, fixed in scale once used", async () => {
  const eth = { coinId: 3, name: "Ether", scale: 18 };
  assert.deepEqual(await put("assets/ETH", eth), { asset: "ETH", ...eth });
  const renamed = { ...eth, name: "Ethereum", scale: 8 };
  assert.deepEqual(await put("assets/ETH", renamed), { asset: "ETH", ...renamed });
  assert.deepEqual(await get("assets/ETH"), { asset: "ETH", ...renamed });
  const names = (await walk<{ asset: string }>("assets")).map(({ asset }) => asset);
  assert.deepEqual(names, ["BTC", "ETH", "USDT"]);
  assert.deepEqual(await refused("GET", "assets/DOGE"), [404, "unknown-asset", "asset"]);
  const taken = await refused("PUT", "assets/SOL", { ...eth, coinId: 1 });
  assert.deepEqual(taken, [409, "conflict", "coinId"]);
  const tooFine = await refused("PUT", "assets/SOL", { ...eth, coinId: 9, scale: 19 });
  assert.deepEqual(tooFine, [400, "malformed", "scale"]);
  const { uid } = await registerUser();
  await post(`users/${uid}/deposits`, { id: "e", account: "spot", asset: "ETH", amount: "1" });
  const rescaled = await refused("PUT", "assets/ETH", { ...renamed, scale: 6 });
  assert.deepEqual(rescaled, [409, "conflict", "scale"]);
});

const RULES = {
  baseAsset: "BTC",
  quoteAsset: "USDT",
  tickSize: "0.01",
  stepSize: "0.00001",
  minTradeAmount: "0.0001",
  maxTradeAmount: "9000",
  minNotional: "1",
  makerFeeRate: "0.0005",
  takerFeeRate: "0.0015",
  buyLimitPriceRatio: "0.5",
  sellLimitPriceRatio: "0.25",
  maxOpenOrders: 50,
  state: "trading",
};

test("spot markets: listed whole, changed in part without losing the rest", async () => {
  const path = "markets/spot/BTCUSDT";
  const market = { symbol: "BTCUSDT", ...RULES };
  assert.deepEqual(await put(path, RULES), market);
  assert.deepEqual(await get(path), market);
  const halted = { ...market, state: "halted" };
  assert.deepEqual(await patch(path, { state: "halted" }), halted);
  const { baseAsset, quoteAsset, tickSize, stepSize } = RULES;
  const needed = { baseAsset, quoteAsset, tickSize, stepSize };
  const cheaper = await put(path, { ...needed, makerFeeRate: "0" });
  assert.deepEqual(cheaper, { ...halted, makerFeeRate: "0" });
  await put("markets/spot/BTCUSD2", RULES);
  await put("markets/spot/BTCUSD1", RULES);
  const symbols = (await walk<{ symbol: string }>("markets/spot")).map(({ symbol }) => symbol);
  assert.deepEqual(symbols, ["BTCUSD1", "BTCUSD2", "BTCUSDT"]);
});

test("spot markets: a new one has defaults for all but assets, tick and step", async () => {
  const needed = { baseAsset: "BTC", quoteAsset: "USDT", tickSize: "0.1", stepSize: "0.0005" };
  assert.deepEqual(await put("markets/spot/DEFAULTS", needed), {
    symbol: "DEFAULTS",
    ...needed,
    minTradeAmount: "0.0005",
    maxTradeAmount: "500000",
    minNotional: "0",
    makerFeeRate: "0.001",
    takerFeeRate: "0.001",
    buyLimitPriceRatio: "0.1",
    sellLimitPriceRatio: "0.1",
    maxOpenOrders: 200,
    state: "trading",
  });
});

test("spot markets: rules that could not be kept are refused by their field", async () => {
  const cases = [
    [{ tickSize: "0" }, 400, "malformed", "tickSize"],
    [{ stepSize: "0" }, 400, "malformed", "stepSize"],
    [{ tickSize: "0.00000001" }, 400, "excess-precision", "tickSize"],
    [{ stepSize: "0.000000001" }, 400, "excess-precision", "stepSize"],
    [{ minTradeAmount: "0.000001" }, 400, "off-step", "minTradeAmount"],
    [{ maxTradeAmount: "0.00009" }, 400, "out-of-range", "maxTradeAmount"],
    [{ maxTradeAmount: "900719925474" }, 400, "out-of-range", "maxTradeAmount"],
    [{ makerFeeRate: "0.11" }, 400, "out-of-range", "makerFeeRate"],
    [{ takerFeeRate: "-0.1" }, 400, "malformed", "takerFeeRate"],
    [{ sellLimitPriceRatio: "1" }, 400, "out-of-range", "sellLimitPriceRatio"],
    [{ maxOpenOrders: 0 }, 400, "out-of-range", "maxOpenOrders"],
    [{ state: "open" }, 400, "malformed", "state"],
    [{ baseAsset: "DOGE" }, 400, "unknown-asset", "baseAsset"],
    [{ quoteAsset: "BTC" }, 400, "malformed", "quoteAsset"],
  ] as const;
  for (const [change, ...expected] of cases) {
    const refusal = await refused("PUT", "markets/spot/NEWONE", { ...RULES, ...change });
    assert.deepEqual(refusal, expected, JSON.stringify(change));
  }
  const unknown = [404, "unknown-symbol", "symbol"];
  assert.deepEqual(await refused("GET", "markets/spot/NEWONE"), unknown);
  assert.deepEqual(await refused("PATCH", "markets/spot/NEWONE", { state: "halted" }), unknown);
  const malformed = await refused("PUT", "markets/spot/btcusdt", RULES);
  assert.deepEqual(malformed, [400, "malformed", "symbol"]);
});

test("spot markets: a change of rules never undoes a halt that came in between", async () => {
  const path = "markets/spot/RACE";
  await put(path, RULES);
  const { baseAsset, quoteAsset, tickSize, stepSize } = RULES;
  const needed = { baseAsset, quoteAsset, tickSize, stepSize };
  for (let round = 0; round < 10; round++) {
    await patch(path, { state: "trading" });
    const changes = [put(path, { ...needed, minNotional: "2" }), patch(path, { state: "halted" })];
    await Promise.all(round % 2 === 0 ? changes : changes.reverse());
    assert.equal((await get<{ state: string }>(path)).state, "halted");
  }
});

test("fee rates of a user: per product and per symbol, read back", async () => {
  await put("markets/spot/FEES", RULES);
  const { uid } = await registerUser();
  const path = `users/${uid}/fee-rates`;
  assert.deepEqual(await get(path), { items: [] });
  const all = { product: "spot", makerFeeRate: "0", takerFeeRate: "0.0004" };
  const one = { product: "spot", symbol: "FEES", makerFeeRate: "0.0001", takerFeeRate: "0.1" };
  assert.deepEqual(await put(path, all), { ...all, symbol: null });
  assert.deepEqual(await put(path, one), one);
  assert.deepEqual(await get(path), { items: [{ ...all, symbol: null }, one] });
  assert.deepEqual(await refused("PUT", path, { ...one, symbol: "NONE" }), [
    400,
    "unknown-symbol",
    "symbol",
  ]);
  const tooHigh = await refused("PUT", path, { ...all, takerFeeRate: "0.2" });
  assert.deepEqual(tooHigh, [400, "out-of-range", "takerFeeRate"]);
  assert.deepEqual(await refused("PUT", "users/99/fee-rates", all), [404, "unknown-user", "uid"]);
});

test("invariants have exactly their five fields, and time alone changes none", async () => {
  const before = await get<Record<string, unknown>>("invariants");
  assert.deepEqual(Object.keys(before), ["ok", "sequence", "stateHash", "violations", "totals"]);
  assert.equal(before.ok, true);
  assert.deepEqual(before.violations, []);
  assert.match(before.stateHash as string, /^[0-9a-f]{64}$/);
  operator.exchange.wallMs += 1000;
  assert.deepEqual(await get("invariants"), before);
});

test("status tells sequence, time and counts", async () => {
  const before = await get<{ users: number; sequence: number }>("status");
  await registerUser();
  const after = await get<{ users: number; sequence: number; process: object }>("status");
  assert.equal(after.users, before.users + 1);
  assert.equal(after.sequence, before.sequence + 1);
  assert.deepEqual(after.process, { version: "1.2.3", queueDepth: 0 });
});

test("snapshots: made, listed, read", async () => {
  const made = { sequence: 20, createdAt: 1_760_000_000_020 };
  assert.deepEqual(await post("snapshots"), made);
  assert.deepEqual(await post("snapshots", {}), made);
  const sequences = (await walk<{ sequence: number }>("snapshots")).map((row) => row.sequence);
  assert.deepEqual(sequences, [10, 20]);
  assert.deepEqual(await get("snapshots/20"), made);
  assert.deepEqual(await refused("GET", "snapshots/15"), [404, "unknown-id", "sequence"]);
});

test("the audit tells who did what, oldest first", async () => {
  const before = (await walk<{ id: number }>("audit")).at(-1)?.id ?? 0;
  await operator.send("POST", "/operator/v1/users", '{"uid":4242}', { "x-operator": "ann" });
  await patch("users/4242", { state: "frozen" });
  const { items } = await get<List<{ actor: string; action: string; details: { uid: number } }>>(
    `audit?after=${before}`,
  );
  assert.deepEqual(
    items.map(({ actor, action, details }) => [actor, action, details.uid]),
    [
      ["ann", "user-registered", 4242],
      ["operator", "user-updated", 4242],
    ],
  );
});

test("API keys: created, read, changed in part, revoked", async () => {
  const { uid } = await registerUser();
  const request = { label: "bot", permissions: ["read", "spot"], passphrase: "correct7horse" };
  const path = `users/${uid}/api-keys`;
  const created = await post<{ apiKey: string; secret: string }>(path, request);
  const { apiKey } = created;
  assert.deepEqual(Object.keys(created), ["apiKey", "secret", "passphrase"]);
  const settings = {
    apiKey,
    uid,
    label: "bot",
    permissions: ["read", "spot"],
    ipAllowList: [] as string[],
    expiresAt: null as number | null,
  };
  assert.deepEqual(await get(`api-keys/${apiKey}`), settings);
  const other = await post<{ apiKey: string }>(path, {
    ...request,
    ipAllowList: ["::1", "10.0.0.0/8"],
  });
  const own = await walk<{ apiKey: string }>(path);
  assert.deepEqual(
    own.map((key) => key.apiKey),
    [apiKey, other.apiKey].sort(),
  );
  assert.ok((await walk<{ apiKey: string }>("api-keys")).some((key) => key.apiKey === apiKey));

  const expiresAt = (await get<{ time: number }>("status")).time + 1000;
  const changed = { ...settings, permissions: ["read"], expiresAt };
  assert.deepEqual(
    await patch(`api-keys/${apiKey}`, { permissions: ["read"], expiresAt }),
    changed,
  );
  assert.equal(operator.keys.directory.find(apiKey)?.expiresAtMs, expiresAt);
  const relabelled = { ...changed, label: "", expiresAt: null };
  assert.deepEqual(await patch(`api-keys/${apiKey}`, { label: "", expiresAt: null }), relabelled);

  const revoked = await operator.call("DELETE", `/operator/v1/api-keys/${apiKey}`);
  assert.deepEqual(revoked, { apiKey, revoked: true });
  assert.equal(operator.keys.directory.find(apiKey), null);
  const unknown = [404, "unknown-api-key", "apiKey"];
  assert.deepEqual(await refused("GET", `api-keys/${apiKey}`), unknown);
  assert.deepEqual(await refused("DELETE", `api-keys/${apiKey}`), unknown);
  assert.deepEqual(await refused("PATCH", `api-keys/${apiKey}`, { label: "x" }), unknown);
});

test("API keys: what cannot be is refused with its field", async () => {
  const { uid } = await registerUser();
  const path = `users/${uid}/api-keys`;
  const request = { permissions: ["read"], passphrase: "correct7horse" };
  const ranges = ["10.0.0.0/33", "10.0.0", "10.0.0.0/08", "fe80::1%eth0", "::/129", "example.com"];
  for (const range of ranges) {
    const refusal = await refused("POST", path, { ...request, ipAllowList: ["10.0.0.1", range] });
    assert.deepEqual(refusal, [400, "malformed", "ipAllowList"], range);
  }
  const { apiKey } = await post<{ apiKey: string }>(path, request);
  const past = await refused("PATCH", `api-keys/${apiKey}`, { expiresAt: 1 });
  assert.deepEqual(past, [400, "out-of-range", "expiresAt"]);
  assert.deepEqual(await refused("PATCH", `api-keys/${apiKey}`, {}), [400, "malformed", undefined]);
  const unknownUser = await refused("POST", "users/99/api-keys", request);
  assert.deepEqual(unknownUser, [404, "unknown-user", "uid"]);
  assert.deepEqual(await refused("GET", "users/99/api-keys"), [404, "unknown-user", "uid"]);
});

test("every documented call was made", async () => {
  const documented = (await operator.documented()).filter((call) => !isTestedElsewhere(call));
  const all = documented.map(({ operation }) => operation.operationId);
  const missing = all.filter((id) => !operator.answeredCalls.has(id));
  assert.deepEqual(missing, []);
  assert.equal(new Set(all).size, all.length);
});
