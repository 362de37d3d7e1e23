/**
 * Proves the calls about contracts against the real engine: a market is listed with its defaults,
 * partly changed, and read back; prices are set, pinned and unpinned; invalid requests are refused
 * with their field. A call of this kind that no test makes fails the suite.
 */
import assert from "node:assert/strict";
import test, { after, before } from "node:test";
import { isContractCall, OperatorFixture, refusalOf } from "../../test/support/operator-fixture.ts";
import { RULES_VERSION } from "../engine/index.ts";

let operator: OperatorFixture;

const get = <Answer>(path: string) => operator.call<Answer>("GET", `/operator/v1/${path}`);
const put = <Answer>(path: string, body: unknown) =>
  operator.call<Answer>("PUT", `/operator/v1/${path}`, body);
const patch = <Answer>(path: string, body: unknown) =>
  operator.call<Answer>("PATCH", `/operator/v1/${path}`, body);
const post = <Answer>(path: string, body: unknown) =>
  operator.call<Answer>("POST", `/operator/v1/${path}`, body);
const refused = (method: string, path: string, body?: unknown) =>
  operator.refusal(method, `/operator/v1/${path}`, body);

before(async () => {
  operator = new OperatorFixture();
  await operator.exchange.client.execute({ type: "adopt-rules", version: RULES_VERSION });
  await put("assets/BTC", { coinId: 1, name: "Bitcoin", scale: 8 });
  await put("assets/USDT", { coinId: 2, name: "Tether", scale: 8 });
});
after(() => operator.close());

const TIERS = [
  { maxNotional: "50000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
  { maxNotional: "1000000", maintenanceMarginRate: "0.025", maxLeverage: 20 },
];
const NEEDED = {
  baseAsset: "BTC",
  quoteAsset: "USDT",
  tickSize: "0.1",
  stepSize: "0.0005",
  tiers: TIERS,
};
const DEFAULTS = {
  marginAsset: "USDT",
  pricePrecision: 1,
  quantityPrecision: 4,
  contractVal: "1",
  minOrderSize: "0.0005",
  maxOrderSize: "5000",
  maxPositionSize: "25000",
  marketOpenLimitSize: "5000",
  minLeverage: 1,
  maxLeverage: 100,
  defaultLeverage: 20,
  buyLimitPriceRatio: "0.05",
  sellLimitPriceRatio: "0.05",
  makerFeeRate: "0.0002",
  takerFeeRate: "0.0008",
  liquidateFeeRate: "0.01",
  interestRate: "0.0001",
  fundingInnerClamp: "0.0005",
  fundingRateCap: "0.0075",
  fundingBufferRate: "0.001",
  impactNotional: "10000",
  fundingIntervalMinutes: 480,
  indexStaleMs: 0,
  maxOpenOrders: 200,
  state: "trading",
  insuranceSlippage: "0.002",
  insuranceDrawLimit: null,
  indexStepLimit: "0.1",
};

/** A market's index fields before the first index price. */
const NO_INDEX = { indexSource: "none", indexAgeMs: null };

test("a new contract market has defaults for all but assets, tick, step and tiers", async () => {
  const market = { symbol: "BTCUSDT", ...NEEDED, ...DEFAULTS, ...NO_INDEX };
  assert.deepEqual(await put("markets/contract/BTCUSDT", NEEDED), market);
  assert.deepEqual(await get("markets/contract/BTCUSDT"), market);
  const small = { ...NEEDED, tiers: [{ ...TIERS[1], maxLeverage: 5 }], maxOrderSize: "10" };
  const other = await put("markets/contract/SMALL", small);
  const leverages = { maxLeverage: 5, defaultLeverage: 5, marketOpenLimitSize: "10" };
  const rules = { ...NEEDED, ...DEFAULTS, ...small, ...leverages };
  assert.deepEqual(other, { symbol: "SMALL", ...rules, ...NO_INDEX });
});

test("a market is changed in part without losing the rest", async () => {
  const path = "markets/contract/PARTS";
  const own = {
    ...DEFAULTS,
    pricePrecision: 0,
    interestRate: "-0.0001",
    maxLeverage: 50,
    fundingIntervalMinutes: 60,
    state: "cancel-only",
    insuranceDrawLimit: "0.25",
    insuranceSlippage: "0.01",
  };
  await put(path, { ...NEEDED, ...own });
  const market = { symbol: "PARTS", ...NEEDED, ...own, ...NO_INDEX };
  assert.deepEqual(await put(path, NEEDED), market, "what is not given stays");
  assert.deepEqual(await patch(path, { state: "halted" }), { ...market, state: "halted" });
  const dearer = await put(path, { ...NEEDED, takerFeeRate: "0.001" });
  assert.deepEqual(dearer, { ...market, takerFeeRate: "0.001", state: "halted" });
  const finer = await put<{ pricePrecision: number }>(path, { ...NEEDED, tickSize: "0.05" });
  assert.equal(finer.pricePrecision, 2, "the precision follows a new tick");
  const { insuranceDrawLimit } = await put<{ insuranceDrawLimit: string | null }>(path, {
    ...NEEDED,
    insuranceDrawLimit: null,
  });
  assert.equal(insuranceDrawLimit, null, "a limit is taken back");
  const { items } = await get<{ items: { symbol: string }[] }>("markets/contract?limit=2");
  assert.deepEqual(
    items.map(({ symbol }) => symbol),
    ["BTCUSDT", "PARTS"],
  );
  const rest = await get<{ items: { symbol: string }[] }>("markets/contract?after=PARTS");
  assert.deepEqual(
    rest.items.map(({ symbol }) => symbol),
    ["SMALL"],
  );
});

test("rules that could not be kept are refused by their field", async () => {
  const cases = [
    [{ tickSize: "0" }, 400, "malformed", "tickSize"],
    [{ stepSize: "0" }, 400, "malformed", "stepSize"],
    [{ tiers: [] }, 400, "malformed", "tiers"],
    [{ tiers: [TIERS[1], TIERS[0]] }, 400, "out-of-range", "tiers"],
    [{ tiers: undefined }, 400, "malformed", "tiers"],
    [{ marginAsset: "BTC" }, 400, "malformed", "marginAsset"],
    [{ baseAsset: "DOGE" }, 400, "unknown-asset", "baseAsset"],
    [{ minOrderSize: "0.0001" }, 400, "off-step", "minOrderSize"],
    [{ takerFeeRate: "0.11" }, 400, "out-of-range", "takerFeeRate"],
    [{ insuranceSlippage: "0.6" }, 400, "out-of-range", "insuranceSlippage"],
    [{ insuranceDrawLimit: "2" }, 400, "out-of-range", "insuranceDrawLimit"],
    [{ indexStepLimit: "0" }, 400, "out-of-range", "indexStepLimit"],
    [{ interestRate: "+1" }, 400, "malformed", "interestRate"],
    [{ fundingIntervalMinutes: 7 }, 400, "out-of-range", "fundingIntervalMinutes"],
    [{ maxLeverage: 1.5 }, 400, "malformed", "maxLeverage"],
    [{ state: "open" }, 400, "malformed", "state"],
    [{ leverage: 5 }, 400, "malformed", "leverage"],
  ] as const;
  for (const [change, ...expected] of cases) {
    const refusal = await refused("PUT", "markets/contract/NEWONE", { ...NEEDED, ...change });
    assert.deepEqual(refusal, expected, JSON.stringify(change));
  }
  const unknown = [404, "unknown-symbol", "symbol"];
  assert.deepEqual(await refused("GET", "markets/contract/NEWONE"), unknown);
  const halt = await refused("PATCH", "markets/contract/NEWONE", { state: "halted" });
  assert.deepEqual(halt, unknown);
});

test("the index is set, rounded to the tick, read back and listed", async () => {
  const path = "index-prices/BTCUSDT";
  await put("markets/contract/BTCUSDT", { ...NEEDED, indexStaleMs: 60_000 });
  const none = { symbol: "BTCUSDT", price: "0", time: 0, isStale: true };
  assert.deepEqual(await get(path), none);
  const set = { ...none, price: "60000.1", time: operator.exchange.wallMs, isStale: false };
  assert.deepEqual(await put(path, { price: "60000.05" }), set);
  operator.exchange.wallMs += 60_001;
  assert.deepEqual(await get(path), { ...set, isStale: true });
  const { indexSource, indexAgeMs } = await get<typeof NO_INDEX>("markets/contract/BTCUSDT");
  assert.deepEqual([indexSource, indexAgeMs], ["operator", 60_001]);
  const { items } = await get<{ items: object[] }>("index-prices");
  assert.deepEqual(items[0], { ...set, isStale: true });
  for (const [price, code] of [
    ["0", "out-of-range"],
    ["-1", "malformed"],
    ["1e5", "malformed"],
  ] as const) {
    assert.deepEqual(await refused("PUT", path, { price }), [400, code, "price"], price);
  }
  const unknown = [404, "unknown-symbol", "symbol"];
  assert.deepEqual(await refused("PUT", "index-prices/NEWONE", { price: "1" }), unknown);
  assert.deepEqual(await refused("GET", "index-prices/NEWONE"), unknown);
});

test("outside a sandbox a far price has to be meant, and a stale index warns of it", async () => {
  const live = new OperatorFixture(false);
  try {
    await live.exchange.client.execute({ type: "adopt-rules", version: RULES_VERSION });
    const call = (path: string, body: unknown) => live.call("PUT", `/operator/v1/${path}`, body);
    await call("assets/BTC", { coinId: 1, name: "Bitcoin", scale: 8 });
    await call("assets/USDT", { coinId: 2, name: "Tether", scale: 8 });
    const listed = await call("markets/contract/BTCUSDT", NEEDED);
    assert.equal((listed as typeof DEFAULTS).indexStaleMs, 60_000);
    const path = "index-prices/BTCUSDT";
    await call(path, { price: "60000" });
    const far = await live.send("PUT", `/operator/v1/${path}`, '{"price":"66000.1"}');
    assert.deepEqual(refusalOf(far), [400, "index-step-too-large", "price"]);
    assert.match(far.text, /at most 10 % from 60000; send force true/);
    await call(path, { price: "66000.1", force: true });
    const warned = () => live.logged.filter((line) => line.includes("stale index"));
    live.exchange.wallMs += 60_001;
    await call(path, { price: "66000" });
    assert.deepEqual(warned(), [], "near enough");
    live.exchange.wallMs += 60_001;
    await call(path, { price: "6600" });
    const [line = "{}", ...others] = warned();
    const { level, symbol, price, lastPrice } = JSON.parse(line);
    assert.deepEqual([level, symbol, price, lastPrice], ["warn", "BTCUSDT", "6600", "66000"]);
    assert.deepEqual(others, []);
  } finally {
    await live.close();
  }
});

test("a mark is pinned in a sandbox until it is let go", async () => {
  const path = "sandbox/mark-prices/BTCUSDT";
  await put("index-prices/BTCUSDT", { price: "60000" });
  const free = { symbol: "BTCUSDT", price: null, markPrice: "60000" };
  assert.deepEqual(await get(path), free);
  const pinned = { ...free, price: "57338.6", markPrice: "57338.6" };
  assert.deepEqual(await put(path, { price: "57338.6" }), pinned);
  await put("index-prices/BTCUSDT", { price: "61000" });
  assert.deepEqual(await get(path), pinned);
  const { items } = await get<{ items: object[] }>("sandbox/mark-prices");
  assert.deepEqual(items[0], pinned);
  assert.deepEqual(await put(path, { price: null }), { ...free, markPrice: "61000" });
  assert.deepEqual(await refused("PUT", path, { price: "1.05" }), [400, "off-tick", "price"]);
  assert.deepEqual(await refused("PUT", path, {}), [400, "malformed", "price"]);
  const unknown = await refused("PUT", "sandbox/mark-prices/NEWONE", { price: null });
  assert.deepEqual(unknown, [404, "unknown-symbol", "symbol"]);
});

test("marks are pinned in a sandbox only", async () => {
  const live = new OperatorFixture(false);
  try {
    const path = "/operator/v1/sandbox/mark-prices/BTCUSDT";
    const refusal = await live.refusal("PUT", path, { price: "1" });
    assert.deepEqual(refusal.slice(0, 2), [409, "sandbox-only"]);
  } finally {
    await live.close();
  }
});

test("balances of a user have a row for each margin asset", async () => {
  const { uid } = await post<{ uid: number }>("users", {});
  const deposit = { id: "c-1", account: "contract", asset: "USDT", amount: "12.5" };
  await post(`users/${uid}/deposits`, deposit);
  const { contract } = await get<{ contract: object[] }>(`users/${uid}/balances`);
  const row = { asset: "USDT", available: "12.5", orderMargin: "0", positionMargin: "0" };
  assert.deepEqual(contract, [{ ...row, balance: "12.5" }]);
});

test("fee rates of a contract are taken for listed ones", async () => {
  const { uid } = await post<{ uid: number }>("users", {});
  const path = `users/${uid}/fee-rates`;
  const rates = { product: "contract", makerFeeRate: "0", takerFeeRate: "0.0001" };
  const one = { ...rates, symbol: "BTCUSDT" };
  assert.deepEqual(await put(path, one), one);
  assert.deepEqual(await put(path, rates), { ...rates, symbol: null });
  const unknown = await refused("PUT", path, { ...rates, symbol: "NEWONE" });
  assert.deepEqual(unknown, [400, "unknown-symbol", "symbol"]);
});

test("status counts what contracts hold", async () => {
  const status = await get<Record<string, number>>("status");
  const { contractMarkets, positions, contractOpenOrders, algoOrders } = status;
  assert.deepEqual([contractMarkets, positions, contractOpenOrders, algoOrders], [3, 0, 0, 0]);
});

test("positions are listed nearest to liquidation first", async () => {
  await put("index-prices/BTCUSDT", { price: "60000" });
  const uids: number[] = [];
  for (const amount of ["100000", "7000"]) {
    const { uid } = await post<{ uid: number }>("users", {});
    const deposit = { id: `p-${uid}`, account: "contract", asset: "USDT", amount };
    await post(`users/${uid}/deposits`, deposit);
    uids.push(uid);
  }
  const [rich = 0, poor = 0] = uids;
  await open(rich, "SELL", "SHORT");
  await open(poor, "BUY", "LONG");
  const { items } = await get<{ items: Record<string, unknown>[] }>("positions");
  assert.deepEqual(
    items.map(({ uid, side, size, markPrice }) => [uid, side, size, markPrice]),
    [
      [poor, "LONG", "1", "60000"],
      [rich, "SHORT", "1", "60000"],
    ],
  );
  const nearest = await get<{ items: object[] }>("positions?symbol=BTCUSDT&limit=1");
  assert.deepEqual(nearest.items, items.slice(0, 1));
  assert.deepEqual(await get("positions?symbol=SMALL"), { items: [] });
  const unknown = await refused("GET", "positions?symbol=NEWONE");
  assert.deepEqual(unknown, [400, "unknown-symbol", "symbol"]);
  const tooMany = await refused("GET", "positions?limit=201");
  assert.deepEqual(tooMany, [400, "malformed", "limit"]);
  const open1 = await get<{ items: Record<string, unknown>[] }>("open-interest?limit=1");
  const { symbol, openInterest, isStale } = open1.items[0] ?? {};
  assert.deepEqual([symbol, openInterest, isStale], ["BTCUSDT", "1", false]);
});

async function open(uid: number, side: "BUY" | "SELL", positionSide: "LONG" | "SHORT") {
  const placed = await operator.exchange.client.execute({
    type: "place-contract-order",
    uid,
    symbol: "BTCUSDT",
    side,
    positionSide,
    orderType: "LIMIT",
    timeInForce: "GTC",
    price: "60000",
    quantity: "1",
    clientOrderId: `o-${uid}`,
    tpTriggerPrice: null,
    slTriggerPrice: null,
    tpWorkingType: "CONTRACT_PRICE",
    slWorkingType: "CONTRACT_PRICE",
  });
  assert.ok(placed.ok, JSON.stringify(placed));
}

test("every documented call about contracts was made", async () => {
  const documented = (await operator.documented()).filter(isContractCall);
  const all = documented.map(({ operation }) => operation.operationId);
  assert.equal(all.length, 12);
  assert.deepEqual(
    all.filter((id) => !operator.answeredCalls.has(id)),
    [],
  );
});
