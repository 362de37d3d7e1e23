/**
 * Goal: each scenario brings about the real thing by commands that users and operators have, says
 * what it did, leaves the ledger whole and the mark as it was; without a position or with a wrong
 * name it is refused and changes nothing. Method: the call over the real engine, and the events
 * that only a liquidation, a deleveraging or a funding emits.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { BTC_CONTRACT, BTC_SPOT } from "../../test/support/listings.ts";
import { OperatorFixture } from "../../test/support/operator-fixture.ts";
import { RULES_VERSION } from "../engine/index.ts";
import type { EventOf, PositionView } from "../protocol/index.ts";

type Side = "BUY" | "SELL";

interface Triggered {
  readonly scenario: string;
  readonly sequence: number;
  readonly did: readonly string[];
}

const [ALICE, BOB] = [7, 8] as const;
const SYMBOL = "BTCUSDT";
const TRIGGER = "/operator/v1/sandbox/trigger";
const open: OperatorFixture[] = [];
after(async () => {
  for (const fixture of open) await fixture.close();
});

let orders = 0;

class Venue extends OperatorFixture {
  static async create(rules: Partial<typeof BTC_CONTRACT> = {}): Promise<Venue> {
    const venue = new Venue();
    open.push(venue);
    await venue.exchange.client.execute({ type: "adopt-rules", version: RULES_VERSION });
    const put = (path: string, body: object) => venue.call("PUT", `/operator/v1/${path}`, body);
    await put("assets/BTC", { coinId: 1, name: "Bitcoin", scale: 8 });
    await put("assets/USDT", { coinId: 2, name: "Tether", scale: 8 });
    const { symbol: _, ...listing } = { ...BTC_CONTRACT, ...rules };
    await put(`markets/contract/${SYMBOL}`, { ...listing, indexStaleMs: 0 });
    await put(`index-prices/${SYMBOL}`, { price: "60000" });
    const deposit = { id: "fund", amount: "100000" };
    await venue.call("POST", "/operator/v1/insurance/USDT/deposits", deposit);
    return venue;
  }

  async user(uid: number, usdt: string): Promise<void> {
    await this.call("POST", "/operator/v1/users", { uid });
    const deposit = { id: "in", account: "contract", asset: "USDT", amount: usdt };
    await this.call("POST", `/operator/v1/users/${uid}/deposits`, deposit);
  }

  async isolate(uid: number, leverage: number): Promise<void> {
    const { client } = this.exchange;
    const marginType = "ISOLATED";
    await client.execute({
      type: "set-margin-type",
      ...{ uid, symbol: SYMBOL, marginType, separatedType: null },
    });
    await this.lever(uid, { isolatedLongLeverage: leverage, isolatedShortLeverage: leverage });
  }

  async lever(uid: number, leverages: object): Promise<void> {
    const none = { crossLeverage: null, isolatedLongLeverage: null, isolatedShortLeverage: null };
    const set = await this.exchange.client.execute({
      type: "set-leverage",
      ...{ uid, symbol: SYMBOL, marginType: null, ...none, ...leverages },
    });
    assert.ok(set.ok, JSON.stringify(set));
  }

  async order(uid: number, side: Side, quantity: string, price: string): Promise<void> {
    orders++;
    const placed = await this.exchange.client.execute({
      type: "place-contract-order",
      ...{ uid, symbol: SYMBOL, side, positionSide: side === "BUY" ? "LONG" : "SHORT" },
      ...{ orderType: "LIMIT", timeInForce: "GTC", price, quantity },
      clientOrderId: `order-${orders}`,
      ...{ tpTriggerPrice: null, slTriggerPrice: null },
      ...{ tpWorkingType: "CONTRACT_PRICE", slWorkingType: "CONTRACT_PRICE" },
    });
    assert.ok(placed.ok, JSON.stringify(placed));
  }

  /** Alice opens against Bob at 60,000. */
  async trade(side: Side, quantity: string): Promise<void> {
    await this.order(BOB, side === "BUY" ? "SELL" : "BUY", quantity, "60000");
    await this.order(ALICE, side, quantity, "60000");
  }

  async positions(uid: number): Promise<readonly PositionView[]> {
    const query = { type: "contract-positions", uid, symbol: SYMBOL } as const;
    const reply = await this.exchange.client.query(query);
    assert.ok(reply.ok);
    return reply.value;
  }

  async prices() {
    const reply = await this.exchange.client.query({ type: "contract-prices", symbol: SYMBOL });
    assert.ok(reply.ok && reply.value[0] !== undefined);
    return reply.value[0];
  }

  trigger(scenario: string, terms: object = { uid: ALICE }): Promise<Triggered> {
    return this.call("POST", TRIGGER, { scenario, ...terms });
  }

  trades(): readonly EventOf<"contract-trade">[] {
    return this.exchange.events.filter(({ type }) => type === "contract-trade") as never;
  }

  async assertWhole(): Promise<void> {
    const { ok, violations } = await this.call<{ ok: boolean; violations: string[] }>(
      "GET",
      "/operator/v1/invariants",
    );
    assert.ok(ok, violations.join("\n"));
    assert.equal((await this.prices()).isPinned, false);
    assert.equal((await this.prices()).markPrice, "60000");
  }
}

for (const side of ["BUY", "SELL"] as const) {
  for (const margin of ["isolated", "cross"] as const) {
    test(`${margin} ${side}: liquidated in the book, the fund is not needed`, async () => {
      const venue = await Venue.create();
      await venue.user(ALICE, "5000");
      await venue.user(BOB, "1000000");
      if (margin === "isolated") await venue.isolate(ALICE, 20);
      await venue.trade(side, "1");
      const insurance = async () => {
        const path = "/operator/v1/insurance/USDT";
        return (await venue.call<{ balance: string }>("GET", path)).balance;
      };
      const before = Number(await insurance());
      const { did, scenario } = await venue.trigger("liquidate");
      assert.equal(scenario, "liquidate");
      assert.deepEqual(await venue.positions(ALICE), []);
      assert.equal((await venue.positions(BOB)).length, 1);
      assert.match(did.join("; "), /of 1 BTC of uid 7 was liquidated/);
      assert.ok(Number(await insurance()) >= before, "the liquidation fee goes to the fund");
      const last = venue.trades().at(-1);
      assert.deepEqual([last?.kind, last?.maker.uid], ["liquidation", 990_001]);
      await venue.assertWhole();
    });
  }
}

for (const side of ["BUY", "SELL"] as const) {
  test(`a hedge that is larger on its ${side}: that position is liquidated`, async () => {
    const venue = await Venue.create();
    await venue.user(ALICE, "20000");
    await venue.user(BOB, "1000000");
    await venue.trade(side === "BUY" ? "SELL" : "BUY", "1");
    await venue.trade(side, "2");
    const { did } = await venue.trigger("liquidate");
    const larger = side === "BUY" ? "LONG" : "SHORT";
    assert.match(did.join("; "), new RegExp(`the ${larger} of 2 BTC of uid 7 was liquidated`));
    assert.ok((await venue.positions(ALICE)).every((position) => position.side !== larger));
    await venue.assertWhole();
  });
}

test("a stop that the mark reaches first closes the position, and the answer says so", async () => {
  const venue = await Venue.create();
  await venue.user(ALICE, "5000");
  await venue.user(BOB, "1000000");
  await venue.trade("BUY", "1");
  await venue.order(BOB, "BUY", "1", "59000");
  const stop = await venue.exchange.client.execute({
    type: "place-algo-order",
    ...{ uid: ALICE, symbol: SYMBOL, side: "SELL", positionSide: "LONG" },
    ...{ orderType: "STOP_MARKET", quantity: "", closePosition: true, isTpSl: true },
    ...{ triggerPrice: "58000", price: "", workingType: "MARK_PRICE", clientAlgoId: "stop" },
    ...{ presetTakeProfitPrice: null, presetStopLossPrice: null },
    ...{ tpWorkingType: "CONTRACT_PRICE", slWorkingType: "CONTRACT_PRICE" },
    ...{ callbackRate: "", activationPrice: null },
  });
  assert.ok(stop.ok, JSON.stringify(stop));
  const { did } = await venue.trigger("liquidate");
  assert.match(did.join("; "), /was closed first, by a conditional order/);
  assert.ok(venue.trades().every(({ kind }) => kind !== "liquidation"));
  await venue.assertWhole();
});

test("a position that its account covers whole has no price, and stays", async () => {
  const venue = await Venue.create();
  await venue.user(ALICE, "100000");
  await venue.user(BOB, "1000000");
  await venue.trade("BUY", "1");
  const hash = await venue.stateHash();
  const refused = await venue.refusal("POST", TRIGGER, { scenario: "liquidate", uid: ALICE });
  assert.deepEqual(refused, [409, "conflict", "uid"]);
  assert.equal(await venue.stateHash(), hash);
});

test("of a hedge the larger position is reduced by a step", async () => {
  const venue = await Venue.create();
  await venue.user(ALICE, "150000");
  await venue.user(BOB, "10000000");
  await venue.trade("SELL", "2");
  await venue.trade("BUY", "42");
  const { did } = await venue.trigger("partial-liquidation");
  assert.match(did.join("; "), /the LONG of 42 BTC of uid 7 was reduced to [\d.]+/);
  const sizes = (await venue.positions(ALICE)).map(({ side, size }) => [side, Number(size)]);
  assert.ok(
    sizes.some(([side, size]) => side === "LONG" && Number(size) < 42),
    `${sizes}`,
  );
  await venue.assertWhole();
});

test("a large cross position is reduced by a step, a small one is refused", async () => {
  const venue = await Venue.create();
  await venue.user(ALICE, "150000");
  await venue.user(BOB, "10000000");
  await venue.trade("BUY", "40");
  const { did } = await venue.trigger("partial-liquidation");
  const [left] = await venue.positions(ALICE);
  assert.ok(left !== undefined && Number(left.size) > 0 && Number(left.size) < 40);
  assert.match(did.join("; "), /was reduced to [\d.]+/);
  await venue.assertWhole();
  const small = await Venue.create();
  await small.user(ALICE, "5000");
  await small.user(BOB, "1000000");
  await small.trade("BUY", "1");
  const wanted = { scenario: "partial-liquidation", uid: ALICE };
  assert.deepEqual(await small.refusal("POST", TRIGGER, wanted), [409, "conflict", "uid"]);
});

for (const side of ["BUY", "SELL"] as const) {
  test(`${side}: deleveraged at a bankruptcy, and nobody else`, async () => {
    const venue = await Venue.create();
    await venue.user(ALICE, "20000");
    await venue.user(BOB, "1000000");
    await venue.trade(side, "2");
    const book = { bids: [["59900", "1"]], asks: [["60100", "1"]] };
    const path = `/operator/v1/sandbox/markets/${SYMBOL}/book`;
    await venue.call("POST", path, book);
    const { did } = await venue.trigger("adl");
    assert.deepEqual(await venue.positions(ALICE), [], did.join("; "));
    assert.equal((await venue.positions(BOB)).length, 1);
    const trade = venue.trades().find(({ kind }) => kind === "adl");
    assert.ok(trade !== undefined);
    assert.deepEqual([trade.maker.uid, trade.taker.uid], [ALICE, 990_002]);
    assert.partialDeepStrictEqual(await venue.call("GET", path), book);
    await venue.assertWhole();
  });
}

test("a crash fills what is on its way, and the price is back", async () => {
  const venue = await Venue.create();
  await venue.user(ALICE, "100000");
  await venue.order(ALICE, "BUY", "0.1", "57000");
  await venue.order(ALICE, "BUY", "0.1", "50000");
  await venue.call("POST", `/operator/v1/sandbox/markets/${SYMBOL}/price`, { to: "60000" });
  const { did } = await venue.trigger("flash-crash", { symbol: SYMBOL });
  assert.equal((await venue.positions(ALICE))[0]?.size, "0.1");
  const { lastPrice } = await venue.prices();
  assert.equal(lastPrice, "60000");
  assert.match(did[0] ?? "", /fell from 60000 to 54000/);
  await venue.assertWhole();
});

test("a funding rate at the cap, against the side of the user", async () => {
  for (const [side, rate] of [
    ["BUY", 750_000n],
    ["SELL", -750_000n],
  ] as const) {
    const venue = await Venue.create();
    await venue.user(ALICE, "20000");
    await venue.user(BOB, "1000000");
    await venue.trade(side, "1");
    const { nextFundingMs } = await venue.prices();
    const { did } = await venue.trigger("funding-spike");
    assert.match(did[0] ?? "", side === "BUY" ? / 0\.0075,/ : / -0\.0075,/);
    const toMs = (await venue.exchange.client.query({ type: "status" })) as { timestampMs: number };
    assert.equal(toMs.timestampMs, nextFundingMs);
    await venue.exchange.client.execute({ type: "advance-time", toMs: nextFundingMs });
    const settled = venue.exchange.events.find(({ type }) => type === "funding-settled");
    assert.partialDeepStrictEqual(settled, { rateE8: rate });
  }
});

test("an index that nobody feeds is stale, and opens nothing", async () => {
  const venue = await Venue.create();
  await venue.user(ALICE, "20000");
  await venue.call("PUT", `/operator/v1/sandbox/mark-prices/${SYMBOL}`, { price: "60000" });
  const { did } = await venue.trigger("index-stale", { symbol: SYMBOL });
  assert.equal((await venue.prices()).isStale, true, did.join("; "));
});

test("a halted market takes no orders, a delisted one has none and no positions", async () => {
  const venue = await Venue.create();
  const { symbol: _, ...spot } = BTC_SPOT;
  await venue.call("PUT", `/operator/v1/markets/spot/${SYMBOL}`, spot);
  await venue.user(ALICE, "20000");
  await venue.user(BOB, "1000000");
  await venue.trade("BUY", "2");
  await venue.order(ALICE, "BUY", "0.1", "59000");
  const { did } = await venue.trigger("delist", { symbol: SYMBOL });
  assert.deepEqual(await venue.positions(ALICE), [], did.join("; "));
  assert.deepEqual(await venue.positions(BOB), []);
  const depth = await venue.exchange.client.query({
    type: "contract-depth",
    symbol: SYMBOL,
    levels: 10,
  });
  assert.ok(depth.ok && depth.value.bids.length + depth.value.asks.length === 0);
  for (const product of ["spot", "contract"]) {
    const market = await venue.call("GET", `/operator/v1/markets/${product}/${SYMBOL}`);
    assert.partialDeepStrictEqual(market, { state: "halted" });
  }
  await venue.assertWhole();
  const other = await Venue.create();
  await other.trigger("halt", { symbol: SYMBOL });
  const halted = await other.call("GET", `/operator/v1/markets/contract/${SYMBOL}`);
  assert.partialDeepStrictEqual(halted, { state: "halted" });
});

test("what cannot be brought about is refused with the field, and changes nothing", async () => {
  const venue = await Venue.create();
  await venue.user(ALICE, "20000");
  const hash = await venue.stateHash();
  const refused = (body: object) => venue.refusal("POST", TRIGGER, body);
  const wrong: readonly (readonly [body: object, refusal: readonly unknown[]])[] = [
    [{ scenario: "meteor" }, [400, "malformed", "scenario"]],
    [{}, [400, "malformed", "scenario"]],
    [{ scenario: "liquidate" }, [400, "malformed", "uid"]],
    [{ scenario: "liquidate", uid: ALICE }, [409, "conflict", "uid"]],
    [{ scenario: "adl", uid: ALICE, symbol: SYMBOL }, [409, "conflict", "uid"]],
    [{ scenario: "partial-liquidation", uid: ALICE, symbol: SYMBOL }, [409, "conflict", "uid"]],
    [{ scenario: "liquidate", uid: 999 }, [400, "unknown-user", "uid"]],
    [{ scenario: "liquidate", uid: ALICE, symbol: "NOSUCH" }, [400, "unknown-symbol", "symbol"]],
    [{ scenario: "halt" }, [400, "malformed", "symbol"]],
    [{ scenario: "halt", symbol: "NOSUCH" }, [400, "unknown-symbol", "symbol"]],
    [{ scenario: "delist", symbol: "NOSUCH" }, [400, "unknown-symbol", "symbol"]],
    [{ scenario: "flash-crash", symbol: "NOSUCH" }, [400, "unknown-symbol", "symbol"]],
    [{ scenario: "index-stale", symbol: "NOSUCH" }, [400, "unknown-symbol", "symbol"]],
    [{ scenario: "funding-spike", symbol: "NOSUCH" }, [400, "unknown-symbol", "symbol"]],
  ];
  for (const [body, refusal] of wrong) {
    assert.deepEqual(await refused(body), refusal, JSON.stringify(body));
  }
  assert.equal(await venue.stateHash(), hash);
});
