/**
 * Properties of the engine that no random comparison states by itself: fees do not depend on how an
 * order is split, ids are remembered as long as promised and no longer, an asset that was ever
 * posted keeps its scale, and an engine read from a snapshot answers as the one that wrote it.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { EventOf } from "../../src/protocol/index.ts";
import { exact, roundedUp, text, times } from "../support/exact.ts";
import { type Random, scaled, seededRandom } from "../support/random.ts";
import { eventsOf, LiveEngine } from "./live-engine.ts";

const random = seededRandom("engine properties");
const DAY_MS = 86_400_000;
const REMEMBERED_PER_ACCOUNT = 100_000;
const RATES = ["0.001", "0.1", "0.00000001", "0.00033333", "0.0999", "0.05000001"];

/** Random parts of a number of lots. */
function parts(of: Random, lots: number): number[] {
  const split: number[] = [];
  for (let left = lots; left > 0; ) {
    const part = of.integer(1, Math.min(left, 9));
    split.push(part);
    left -= part;
  }
  return split;
}

interface FeeFixture {
  readonly live: LiveEngine;
  readonly maker: number;
  readonly taker: number;
  readonly side: "BUY" | "SELL";
  readonly price: string;
  readonly quantity: (lots: number) => string;
}

function feeFixture(
  makerFeeRate: string,
  takerFeeRate: string,
): (side: "BUY" | "SELL") => FeeFixture {
  const price = text(exact("0.01") * BigInt(random.integer(1, 900)));
  return (side) => {
    const live = new LiveEngine();
    // Minor units that are as large as a lot and a tick-lot allow: every fee is rounded.
    live.listMarket({ makerFeeRate, takerFeeRate }, 3, 5);
    const quantity = (lots: number) => text(exact("0.001") * BigInt(lots));
    return { live, maker: live.fundedUser(), taker: live.fundedUser(), side, price, quantity };
  };
}

/** Fees in all of the makers and of the takers when orders of these lots meet. */
function fees(
  { live, maker, taker, side, price, quantity }: FeeFixture,
  makerLots: readonly number[],
  takerLots: readonly number[],
): { readonly maker: bigint; readonly taker: bigint; readonly trades: number } {
  const opposite = side === "BUY" ? "SELL" : "BUY";
  for (const lots of makerLots) live.must(live.order(maker, opposite, price, quantity(lots)));
  const trades: EventOf<"spot-trade">[] = [];
  for (const lots of takerLots) {
    const { events } = live.must(live.order(taker, side, price, quantity(lots)));
    trades.push(...eventsOf(events, "spot-trade"));
  }
  const sum = (of: (trade: EventOf<"spot-trade">) => bigint) =>
    trades.reduce((total, trade) => total + of(trade), 0n);
  return {
    maker: sum((trade) => trade.makerFeeMinor),
    taker: sum((trade) => trade.takerFeeMinor),
    trades: trades.length,
  };
}

test("splitting an order into fills keeps its fee, splitting it into orders adds units", () => {
  for (let i = 0; i < scaled(150); i++) {
    const makerRate = random.pick(RATES);
    const takerRate = random.pick(RATES);
    const open = feeFixture(makerRate, takerRate);
    const side = random.pick(["BUY", "SELL"] as const);
    const fixture = open(side);
    const lots = random.integer(1, 150);
    const split = parts(random, lots);
    const whole = fees(fixture, [lots], [lots]);
    const manyMakers = fees(open(side), split, [lots]);
    const manyTakers = fees(open(side), [lots], split);
    assert.equal(manyMakers.trades, split.length);
    assert.equal(manyMakers.taker, whole.taker);
    assert.equal(manyTakers.maker, whole.maker);
    const orders = BigInt(split.length);
    for (const [together, apart] of [
      [whole.maker, manyMakers.maker],
      [whole.taker, manyTakers.taker],
    ] as const) {
      assert.ok(together <= apart && apart < together + orders, `${together} became ${apart}`);
    }
    assertFee(whole, fixture, lots, makerRate, takerRate);
  }
});

/** The exact fee, rounded up once. */
function assertFee(
  whole: { readonly maker: bigint; readonly taker: bigint },
  { side, price, quantity }: FeeFixture,
  lots: number,
  makerRate: string,
  takerRate: string,
): void {
  const base = exact(quantity(lots));
  const quote = times(base, exact(price));
  const baseFee = roundedUp(base * exact(side === "BUY" ? takerRate : makerRate), 3);
  const quoteFee = roundedUp(quote * exact(side === "BUY" ? makerRate : takerRate), 5);
  const [takerFee, makerFee] = side === "BUY" ? [baseFee, quoteFee] : [quoteFee, baseFee];
  assert.equal(whole.taker, takerFee / 10n ** (side === "BUY" ? 15n : 13n));
  assert.equal(whole.maker, makerFee / 10n ** (side === "BUY" ? 13n : 15n));
}

test("an account's newest 100,000 ended orders are remembered, and none before them", () => {
  const live = new LiveEngine();
  live.listMarket();
  const uid = live.fundedUser();
  const other = live.fundedUser();
  const place = (owner: number, id: number) =>
    live.must(
      live.order(owner, "BUY", "", "0.001", {
        orderType: "MARKET",
        timeInForce: "IOC",
        clientOrderId: `id-${id}`,
      }),
    );
  const foreign = place(other, 0).value;
  const first = place(uid, 0).value;
  const orderIds = [first.orderId];
  for (let id = 1; id <= REMEMBERED_PER_ACCOUNT; id++) orderIds.push(place(uid, id).value.orderId);
  assert.deepEqual(place(other, 0).value, foreign);
  assert.equal(place(uid, 1).value.orderId, orderIds[1]);
  assert.equal(place(uid, REMEMBERED_PER_ACCOUNT).value.orderId, orderIds.at(-1));
  const again = place(uid, 0);
  assert.ok(again.value.orderId > (orderIds.at(-1) ?? 0), "the oldest was forgotten");
  assert.ok(place(uid, 1).value.orderId > again.value.orderId, "its successor is the oldest now");
});

test("an id is remembered while its order is open, and for 24 hours of exchange time", () => {
  for (const isRestarted of [false, true]) {
    const live = new LiveEngine();
    live.listMarket();
    const uid = live.fundedUser();
    const resting = live.order(uid, "BUY", "1", "1");
    const ioc = live.order(uid, "BUY", "1", "1", { timeInForce: "IOC" });
    const restingId = live.must(resting).value.orderId;
    const iocId = live.must(ioc).value.orderId;
    live.nowMs += DAY_MS;
    if (isRestarted) live.restart();
    assert.equal(live.must(ioc).value.orderId, iocId);
    assert.equal(live.must({ ...ioc, price: "1.000" }).value.orderId, iocId);
    const changed = live.execute({ ...ioc, quantity: "2" }).result;
    assert.equal(changed.ok || changed.reason, "duplicate-client-order-id");
    live.nowMs += 1;
    assert.notEqual(live.must({ ...ioc, quantity: "2" }).value.orderId, iocId);
    live.nowMs += 40 * DAY_MS;
    if (isRestarted) live.restart();
    assert.equal(live.must(resting).value.orderId, restingId);
  }
});

test("quantities at the edge of whole numbers stay exact", () => {
  const live = new LiveEngine();
  const most = String(Number.MAX_SAFE_INTEGER);
  const grid = { tickSize: "1", stepSize: "1", minTradeAmount: "1", maxTradeAmount: most };
  live.listMarket({ ...grid, makerFeeRate: "0.1", takerFeeRate: "0.09999999" }, 0, 0);
  const sellers = [0, 1, 2].map(() => live.fundedUser("10000000000000000"));
  const buyer = live.fundedUser("100000000000000000");
  for (const seller of sellers) live.must(live.order(seller, "SELL", "2", most));
  const depth = () => {
    const answer = live.engine.query(
      { type: "spot-depth", symbol: "ACOQUO", levels: 9 },
      live.nowMs,
    );
    return answer.ok && "asks" in answer.value ? answer.value.asks : null;
  };
  assert.deepEqual(depth(), [["2", String(3n * BigInt(most))]]);
  live.must(live.order(buyer, "BUY", "2", "7"));
  assert.deepEqual(depth(), [["2", String(3n * BigInt(most) - 7n)]]);
  const { events } = live.must(live.order(buyer, "BUY", "2", most));
  const lots = eventsOf(events, "spot-trade").map((trade) => trade.quantityLots);
  assert.deepEqual(lots, [Number.MAX_SAFE_INTEGER - 7, 7]);
  live.restart();
  assert.deepEqual(depth(), [["2", String(2n * BigInt(most) - 7n)]]);
  const invariants = live.engine.query({ type: "invariants" }, live.nowMs);
  assert.ok(invariants.ok && "violations" in invariants.value);
  assert.deepEqual(invariants.value.violations, []);
});

test("the scale of an asset is fixed once it was posted, also when all of it left", () => {
  const live = new LiveEngine();
  const asset = {
    type: "set-asset",
    actor: "operator",
    asset: "ACO",
    coinId: 1,
    name: "",
  } as const;
  live.must({ ...asset, scale: 4 });
  live.must({ ...asset, scale: 6 });
  const fund = { actor: "operator", asset: "ACO", amount: "5" } as const;
  const deposit = { type: "deposit-insurance", requestId: "in", ...fund } as const;
  const first = live.must(deposit).value;
  live.must({ type: "withdraw-insurance", requestId: "out", ...fund });
  const refusal = live.execute({ ...asset, scale: 2 }).result;
  assert.equal(refusal.ok || refusal.reason, "conflict");
  assert.deepEqual(live.must(deposit).value, first);
});

test("an engine read from a snapshot answers every question as the one that wrote it", () => {
  const live = new LiveEngine();
  live.listMarket();
  const uid = live.fundedUser();
  const rates = { actor: "operator", uid, makerFeeRate: "0.001", takerFeeRate: "0.002" };
  live.must({ type: "set-fee-rates", ...rates, product: "spot", symbol: "ACOQUO" });
  live.must({ type: "set-fee-rates", ...rates, product: "spot", symbol: null });
  live.must({ type: "set-fee-rates", ...rates, product: "contract", symbol: null });
  live.must(live.order(uid, "BUY", "1", "3"));
  live.must(live.order(uid, "SELL", "1", "1"));
  const answers = () =>
    [
      { type: "user", uid } as const,
      { type: "users", afterUid: 0, limit: 10 } as const,
      { type: "spot-depth", symbol: "ACOQUO", levels: 5 } as const,
      { type: "spot-tickers", symbol: null } as const,
      { type: "status" } as const,
      { type: "invariants" } as const,
    ].map((query) => live.engine.query(query, live.nowMs));
  const before = answers();
  live.restart();
  assert.deepEqual(answers(), before);
});
