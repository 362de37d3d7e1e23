/**
 * Goal: a tester gets exactly the book, the price and the funding rate that was asked for, orders
 * of users are touched by nothing but a price that reaches them, the ledger stays whole, and a
 * wrong request changes nothing and names its field. Method: the calls over the real engine; random
 * books against the depth that the exchange shows; the same seed twice on two exchanges.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { BTC_CONTRACT, BTC_SPOT } from "../../test/support/listings.ts";
import { isHouseCall, OperatorFixture, refusalOf } from "../../test/support/operator-fixture.ts";
import { type Random, scaled, seededRandom } from "../../test/support/random.ts";
import { RULES_VERSION } from "../engine/index.ts";
import type { SpotDepthView } from "../protocol/index.ts";

const random = seededRandom("operator/sandbox-markets");

type Row = readonly [string, string];

interface Book {
  readonly product: "spot" | "contract";
  readonly bids: readonly Row[];
  readonly asks: readonly Row[];
}

interface Moved {
  readonly price: string;
  readonly markPrice: string | null;
  readonly steps: number;
  readonly seed: number | null;
}

const USER = 7;
const open: OperatorFixture[] = [];
after(async () => {
  for (const fixture of open) await fixture.close();
});

/** With BTCUSDT on spot, and as a contract whose index the operator sets, when asked for. */
async function venue(contract = false, spot = true): Promise<OperatorFixture> {
  const fixture = new OperatorFixture();
  open.push(fixture);
  await fixture.exchange.client.execute({ type: "adopt-rules", version: RULES_VERSION });
  const put = (path: string, body: object) => fixture.call("PUT", `/operator/v1/${path}`, body);
  await put("assets/BTC", { coinId: 1, name: "Bitcoin", scale: 8 });
  await put("assets/USDT", { coinId: 2, name: "Tether", scale: 8 });
  const { symbol, ...spotRules } = BTC_SPOT;
  const ratios = { buyLimitPriceRatio: "0.1", sellLimitPriceRatio: "0.1", maxOpenOrders: 200 };
  if (spot) await put(`markets/spot/${symbol}`, { ...spotRules, ...ratios });
  if (contract) {
    const { symbol: _, ...contractRules } = BTC_CONTRACT;
    await put(`markets/contract/${symbol}`, { ...contractRules, indexStaleMs: 0 });
    await put(`index-prices/${symbol}`, { price: "60000" });
  }
  // The invite code is drawn otherwise, and is state.
  const user = { actor: "test", uid: USER, inviteCode: "USER7", invitedWith: null, kyc: true };
  await fixture.exchange.client.execute({ type: "register-user", ...user });
  for (const [asset, account] of [
    ["USDT", "spot"],
    ["BTC", "spot"],
    ["USDT", "contract"],
  ]) {
    const deposit = { id: `${asset}-${account}`, account, asset, amount: "1000000" };
    await fixture.call("POST", `/operator/v1/users/${USER}/deposits`, deposit);
  }
  return fixture;
}

const PATH = "/operator/v1/sandbox/markets/BTCUSDT";

async function depth(
  { exchange }: OperatorFixture,
  product: "spot" | "contract" = "spot",
): Promise<Pick<SpotDepthView, "bids" | "asks">> {
  const type = `${product}-depth` as const;
  const reply = await exchange.client.query({ type, symbol: "BTCUSDT", levels: 1_000 });
  assert.ok(reply.ok);
  const { bids, asks } = reply.value;
  return { bids, asks };
}

async function place(
  { exchange }: OperatorFixture,
  side: "BUY" | "SELL",
  price: string,
  quantity: string,
): Promise<number> {
  const reply = await exchange.client.execute({
    type: "place-spot-order",
    uid: USER,
    symbol: "BTCUSDT",
    side,
    orderType: "LIMIT",
    timeInForce: "GTC",
    price,
    quantity,
    quantityUnit: "base",
    clientOrderId: `user-${side}-${price}-${quantity}`,
  });
  assert.ok(reply.ok, JSON.stringify(reply));
  return reply.value.orderId;
}

async function openOrders({ exchange }: OperatorFixture) {
  const reply = await exchange.client.query({
    type: "spot-open-orders",
    uid: USER,
    symbol: "BTCUSDT",
  });
  assert.ok(reply.ok);
  return reply.value;
}

async function assertWhole(fixture: OperatorFixture): Promise<void> {
  const { ok, violations } = await fixture.call<{ ok: boolean; violations: string[] }>(
    "GET",
    "/operator/v1/invariants",
  );
  assert.ok(ok, violations.join("\n"));
}

/** So many levels a side around a price, in whole ticks of 0.1 and lots of 0.001. */
function randomBook(random: Random, centre: number, levelsMax: number): Book {
  const side = (sign: number): Row[] => {
    const rows: Row[] = [];
    let ticks = Math.round(centre * 10) + sign * random.integer(1, 40);
    for (let level = random.integer(0, levelsMax); level > 0; level--) {
      rows.push([decimal(ticks, 1), decimal(random.integer(1, 5_000), 3)]);
      ticks += sign * random.integer(1, 200);
    }
    return rows;
  };
  return { product: "spot", bids: side(-1), asks: side(1) };
}

function decimal(units: number, scale: number): string {
  return String(Number((units / 10 ** scale).toFixed(scale)));
}

function shuffled<Value>(random: Random, values: readonly Value[]): Value[] {
  return values
    .map((value) => ({ value, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ value }) => value);
}

test("random books are exactly what the exchange shows, orders of users beside them", async () => {
  const fixture = await venue(true);
  for (let round = 0; round < scaled(5); round++) {
    for (const product of ["spot", "contract"] as const) {
      const { bids, asks } = randomBook(random, 60_000, 40);
      const body = { product, bids: shuffled(random, bids), asks: shuffled(random, asks) };
      const made = await fixture.call<Book>("POST", `${PATH}/book`, body);
      assert.deepEqual([made.product, made.bids, made.asks], [product, bids, asks]);
      assert.deepEqual(await depth(fixture, product), { bids, asks });
      const read = await fixture.call<Book>("GET", `${PATH}/book?product=${product}`);
      assert.deepEqual([read.product, read.bids, read.asks], [product, bids, asks]);
    }
  }
  const own = await place(fixture, "BUY", "59000.5", "0.5");
  await fixture.call("POST", `${PATH}/book`, { bids: [["59900", "1"]], asks: [["60100", "2"]] });
  const bids = [
    ["59900", "1"],
    ["59000.5", "0.5"],
  ];
  assert.deepEqual(await depth(fixture), { bids, asks: [["60100", "2"]] });
  const same = { bids: [["59000.5", "3"]], asks: [] };
  await fixture.call("POST", `${PATH}/book`, same);
  assert.deepEqual(await depth(fixture), { bids: [["59000.5", "3.5"]], asks: [] });
  const cleared = await fixture.call<Book>("DELETE", `${PATH}/book`);
  assert.deepEqual([cleared.bids, cleared.asks], [[], []]);
  assert.deepEqual(
    (await openOrders(fixture)).map(({ orderId }) => orderId),
    [own],
  );
  await assertWhole(fixture);
});

test("a book over an order of a user fills it, and is whole again", async () => {
  const fixture = await venue();
  await place(fixture, "SELL", "60050", "0.4");
  await place(fixture, "SELL", "60300", "0.4");
  const book = { bids: [["60100", "1"]], asks: [["60200", "1"]] };
  const made = await fixture.call<Book>("POST", `${PATH}/book`, book);
  assert.deepEqual([made.bids, made.asks], [book.bids, book.asks]);
  assert.deepEqual(
    (await openOrders(fixture)).map(({ price }) => price),
    ["60300"],
  );
  assert.deepEqual((await depth(fixture)).bids, book.bids);
  await assertWhole(fixture);
});

test("a wrong book changes nothing, registers nobody and names its field", async () => {
  const fixture = await venue();
  await fixture.call("POST", `${PATH}/book`, { bids: [["99", "1"]], asks: [["101", "1"]] });
  await fixture.call("POST", `${PATH}/price`, { to: "100" });
  const hash = await fixture.stateHash();
  const before = await depth(fixture);
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => [decimal(500 + i, 1), "1"]);
  const wrong: readonly (readonly [body: object, code: string, field: string])[] = [
    [{ bids: [["100", "1"]], asks: [["100", "1"]] }, "malformed", "asks"],
    [{ bids: [["101", "1"]], asks: [["100", "1"]] }, "malformed", "asks"],
    [{ bids: [["99.05", "1"]], asks: [] }, "off-tick", "bids"],
    [{ bids: [], asks: [["101", "0.0005"]] }, "off-step", "asks"],
    [{ bids: [], asks: [["101", "0"]] }, "out-of-range", "asks"],
    [{ bids: [["0", "1"]], asks: [] }, "out-of-range", "bids"],
    [{ bids: [["1e1", "1"]], asks: [] }, "out-of-range", "bids"],
    [{ bids: [["-1", "1"]], asks: [] }, "out-of-range", "bids"],
    [{ bids: [["99", "10000000"]], asks: [] }, "out-of-range", "bids"],
    [
      {
        bids: [
          ["99", "1"],
          ["99", "2"],
        ],
        asks: [],
      },
      "malformed",
      "bids",
    ],
    [{ bids: many(201), asks: [] }, "out-of-range", "bids"],
    [{ bids: many(501), asks: [] }, "malformed", "bids"],
    [{ bids: [["99"]], asks: [] }, "malformed", "bids"],
    [{ bids: [["99", 1]], asks: [] }, "malformed", "bids"],
    [{ asks: [] }, "malformed", "bids"],
    [{ bids: [] }, "malformed", "asks"],
    [{ bids: [["120", "1"]], asks: [] }, "price-outside-band", "bids"],
    [{ bids: [], asks: [["80", "1"]] }, "price-outside-band", "asks"],
    [{ bids: [], asks: [], product: "futures" }, "malformed", "product"],
  ];
  for (const [body, code, field] of wrong) {
    const refused = await fixture.refusal("POST", `${PATH}/book`, body);
    assert.deepEqual(refused, [400, code, field], JSON.stringify(body).slice(0, 80));
  }
  const empty = { bids: [], asks: [] };
  assert.deepEqual(
    await fixture.refusal("POST", "/operator/v1/sandbox/markets/NOSUCH/book", empty),
    [404, "unknown-symbol", "symbol"],
  );
  assert.deepEqual(
    await fixture.refusal("POST", `${PATH}/book`, { ...empty, product: "contract" }),
    [404, "unknown-symbol", "symbol"],
  );
  assert.equal(await fixture.stateHash(), hash);
  assert.deepEqual(await depth(fixture), before);
});

const COARSE = {
  tickSize: "1",
  stepSize: "1",
  minTradeAmount: "1",
  maxTradeAmount: "9000000000000",
};

test("a book beyond what a ledger holds is refused", async () => {
  const fixture = await venue();
  const symbol = "HUGEUSDT";
  const { symbol: _, ...rules } = { ...BTC_SPOT, ...COARSE };
  await fixture.call("PUT", `/operator/v1/markets/spot/${symbol}`, rules);
  const body = { bids: [["9000000000000", "9000000000000"]], asks: [] };
  const path = `/operator/v1/sandbox/markets/${symbol}/book`;
  assert.deepEqual(await fixture.refusal("POST", path, body), [400, "out-of-range", undefined]);
  await assertWhole(fixture);
});

test("the price goes where it is asked to, and fills what it reaches", async () => {
  const fixture = await venue();
  const low = await place(fixture, "BUY", "40000", "0.5");
  const reached = await place(fixture, "BUY", "50000", "0.5");
  const passed = await place(fixture, "BUY", "55000", "0.25");
  const high = await place(fixture, "SELL", "90000", "0.5");
  await fixture.call("POST", `${PATH}/price`, { to: "60000" });
  const book = await depth(fixture);
  assert.equal(book.bids.length, 10 + 3);
  const moved = await fixture.call<Moved>("POST", `${PATH}/price`, { to: "50000" });
  assert.deepEqual(moved.price, "50000");
  const left = (await openOrders(fixture)).map(({ orderId }) => orderId);
  assert.deepEqual(left, [low, high], `${reached} and ${passed} are filled`);
  const shape = await depth(fixture);
  assert.equal(shape.bids.length, 10 + 1);
  assert.ok(Number(shape.bids[0]?.[0]) < 50_000 && Number(shape.bids[0]?.[0]) > 49_900);
  await assertWhole(fixture);
});

test("a book moves along with the price, and keeps its shape", async () => {
  const fixture = await venue();
  const book = {
    bids: [
      ["990", "1"],
      ["980", "2"],
    ],
    asks: [["1010", "3"]],
  };
  await fixture.call("POST", `${PATH}/book`, book);
  await fixture.call("POST", `${PATH}/price`, { to: "2000" });
  const bids = [
    ["1980", "1"],
    ["1960", "2"],
  ];
  assert.deepEqual(await depth(fixture), { bids, asks: [["2020", "3"]] });
});

test("a contract whose index is set goes along; the mark moves alone, and is let go", async () => {
  const fixture = await venue(true);
  const moved = await fixture.call<Moved>("POST", `${PATH}/price`, { to: "30000" });
  assert.deepEqual([moved.price, moved.markPrice], ["30000", "30000"]);
  const mark = await fixture.call<Moved>("POST", `${PATH}/price`, { mark: "20000" });
  assert.deepEqual([mark.price, mark.markPrice], ["30000", "20000"]);
  const unpinned = await fixture.call<Moved>("POST", `${PATH}/price`, { mark: null });
  assert.equal(unpinned.markPrice, "30000");
  const alone = await venue(true, false);
  const contract = await alone.call<Moved>("POST", `${PATH}/price`, { to: "66000" });
  assert.deepEqual([contract.price, contract.markPrice], ["66000", "66000"]);
  for (const one of [fixture, alone]) await assertWhole(one);
});

test("the same seed and requests give the same state; time that stands goes along", async () => {
  const hashes = new Map<number, string>();
  for (const seed of [5, 5, 6]) {
    const fixture = await venue(true);
    await fixture.call("POST", "/operator/v1/sandbox/clock", { freeze: true });
    const before = await fixture.call<{ time: number }>("GET", "/operator/v1/sandbox/clock");
    await place(fixture, "BUY", "59990", "0.5");
    await fixture.call("POST", `${PATH}/price`, { to: "60000" });
    const walk = { to: "61000", inMs: 4_000, path: "random-walk", volatility: 0.05, seed };
    const moved = await fixture.call<Moved>("POST", `${PATH}/price`, walk);
    assert.deepEqual([moved.price, moved.steps, moved.seed], ["61000", 20, seed]);
    const now = await fixture.call<{ time: number }>("GET", "/operator/v1/sandbox/clock");
    assert.equal(now.time - before.time, 4_000);
    const hash = await fixture.stateHash();
    assert.equal(hashes.get(seed) ?? hash, hash);
    hashes.set(seed, hash);
    await assertWhole(fixture);
  }
  assert.equal(new Set(hashes.values()).size, 2);
});

test("a linear move takes its time, and the next request ends it", async () => {
  const fixture = await venue();
  await fixture.call("POST", `${PATH}/price`, { to: "60000" });
  const moved = await fixture.call<Moved>("POST", `${PATH}/price`, { to: "60100", inMs: 300 });
  assert.deepEqual([moved.price, moved.steps, moved.seed], ["60100", 2, null]);
  const long = fixture.refusal("POST", `${PATH}/price`, { to: "70000", inMs: 200_000 });
  await fixture.call("POST", `${PATH}/price`, { to: "60200" });
  assert.deepEqual(await long, [409, "conflict", undefined]);
  const ticker = await fixture.exchange.client.query({
    type: "spot-book-tickers",
    symbol: "BTCUSDT",
  });
  assert.ok(ticker.ok && ticker.value[0]?.lastPrice === "60200");
});

test("a wrong price changes nothing and names its field", async () => {
  const fixture = await venue(true);
  await fixture.call("POST", `${PATH}/price`, { to: "60000" });
  const hash = await fixture.stateHash();
  const wrong: readonly (readonly [body: object, code: string, field: string])[] = [
    [{}, "malformed", "to"],
    [{ to: "60000", mark: "60000" }, "malformed", "mark"],
    [{ to: "60000.05" }, "off-tick", "to"],
    [{ to: "0" }, "out-of-range", "to"],
    [{ to: "-1" }, "malformed", "to"],
    [{ mark: "60000.05" }, "off-tick", "mark"],
    [{ mark: "0" }, "out-of-range", "mark"],
    [{ mark: null, inMs: 5 }, "malformed", "inMs"],
    [{ to: "1", inMs: 5, path: "jump" }, "malformed", "inMs"],
    [{ to: "1", path: "linear" }, "malformed", "inMs"],
    [{ to: "1", inMs: 600_000 }, "out-of-range", "inMs"],
    [{ to: "1", inMs: -1 }, "malformed", "inMs"],
    [{ to: "1", path: "spiral" }, "malformed", "path"],
    [{ to: "1", volatility: 0.5 }, "malformed", "volatility"],
    [{ to: "1", volatility: 2 }, "malformed", "volatility"],
    [{ to: "1", seed: 1.5 }, "malformed", "seed"],
  ];
  for (const [body, code, field] of wrong) {
    const refused = await fixture.refusal("POST", `${PATH}/price`, body);
    assert.deepEqual(refused, [400, code, field], JSON.stringify(body));
  }
  assert.equal(await fixture.stateHash(), hash);
});

test("the next funding has the given rate, and the one after it its own", async () => {
  const fixture = await venue(true);
  const set = (rate: unknown) => fixture.call("POST", `${PATH}/funding`, { rate });
  assert.partialDeepStrictEqual(await set("-0.0123"), { symbol: "BTCUSDT", rate: "-0.0123" });
  const slot = async () => {
    const prices = await fixture.exchange.client.query({
      type: "contract-prices",
      symbol: "BTCUSDT",
    });
    const toMs = prices.ok ? (prices.value[0]?.nextFundingMs ?? 0) : 0;
    fixture.exchange.wallMs = toMs;
    await fixture.exchange.client.execute({ type: "advance-time", toMs });
    const settled = fixture.exchange.events.filter(({ type }) => type === "funding-settled");
    return settled.at(-1);
  };
  assert.partialDeepStrictEqual(await slot(), { rateE8: -1_230_000n });
  assert.partialDeepStrictEqual(await slot(), { rateE8: 10_000n });
  await set("0.5");
  assert.partialDeepStrictEqual(await set(null), { rate: "0.0001", lastRate: "0.0001" });
  const now = await fixture.call("GET", `${PATH}/funding`);
  assert.partialDeepStrictEqual(now, { rate: "0.0001", lastRate: "0.0001" });
  const refused = (body: object) => fixture.refusal("POST", `${PATH}/funding`, body);
  assert.deepEqual(await refused({ rate: "1.1" }), [400, "out-of-range", "rate"]);
  assert.deepEqual(await refused({ rate: "0.000000001" }), [400, "excess-precision", "rate"]);
  assert.deepEqual(await refused({ rate: "x" }), [400, "malformed", "rate"]);
  assert.deepEqual(await refused({}), [400, "malformed", "rate"]);
});

test("without a sandbox every call is refused with a sentence", async () => {
  const real = new OperatorFixture(false);
  open.push(real);
  for (const { method, path } of (await real.documented()).filter(isHouseCall)) {
    const url = path.replace("{symbol}", "BTCUSDT");
    const answer = await real.send(method, url, method === "POST" ? "{}" : undefined);
    assert.deepEqual(refusalOf(answer), [409, "sandbox-only", undefined]);
    assert.ok(answer.text.includes("--sandbox"));
  }
  assert.deepEqual(real.exchange.commands, []);
});
