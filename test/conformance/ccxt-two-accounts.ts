/**
 * Two accounts trade with each other through ccxt, at random. After every step both accounts'
 * balances, and at the end every order, fee and book level, must equal the plain model in
 * `spot-oracle.ts`.
 */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import ccxt from "ccxt";
import { exact, text } from "../support/exact.ts";
import { ETHUSDT } from "../support/exchange-setup.ts";
import { type Random, scaled } from "../support/random.ts";
import { type OracleRequest, SpotOracle } from "../support/spot-oracle.ts";
import { type CcxtFixture, ETH, type Trader } from "./ccxt-client.ts";

const STEPS = 60;
/** The course goes on past its steps until this many fills, so that no seed proves too little. */
const FILLS_MIN = 11;
const STEPS_MAX = 20 * STEPS;
const ASSETS = ["USDT", "ETH"];
const TIMES_IN_FORCE = ["GTC", "GTC", "GTC", "IOC", "FOK", "POST_ONLY"] as const;

interface Run {
  readonly traders: Readonly<Record<string, Trader>>;
  readonly oracle: SpotOracle;
  /** The exchange's id by the oracle's key. */
  readonly ids: Map<string, string>;
}

async function balances(trader: Trader): Promise<Map<string, { free: string; locked: string }>> {
  const { info } = await trader.ccxt.fetchBalance();
  const rows = info.balances as { asset: string; free: string; locked: string }[];
  return new Map(rows.map((row) => [row.asset, row]));
}

function randomRequest(random: Random, key: string, user: string): OracleRequest {
  const market = random.chance(0.15);
  const cents = random.integer(199_500, 200_500);
  return {
    key,
    user,
    side: random.chance(0.5) ? "BUY" : "SELL",
    price: market
      ? null
      : exact(`${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`),
    quantity: exact(`${random.integer(0, 2)}.${String(random.integer(1000, 9999))}`),
    timeInForce: market ? "IOC" : random.pick(TIMES_IN_FORCE),
  };
}

async function place(run: Run, request: OracleRequest): Promise<void> {
  const { ccxt: client } = run.traders[request.user] as Trader;
  const price = request.price === null ? undefined : Number(text(request.price));
  const sent = client.createOrder(
    ETH,
    request.price === null ? "market" : "limit",
    request.side === "BUY" ? "buy" : "sell",
    Number(text(request.quantity)),
    price,
    request.price === null ? {} : { timeInForce: request.timeInForce },
  );
  if (run.oracle.place(request) === null) {
    await assert.rejects(sent, ccxt.InsufficientFunds);
  } else {
    run.ids.set(request.key, (await sent).id as string);
  }
}

async function checkBalances(run: Run, step: string): Promise<void> {
  for (const [user, trader] of Object.entries(run.traders)) {
    const held = await balances(trader);
    for (const asset of ASSETS) {
      const { free, locked } = held.get(asset) ?? { free: "0", locked: "0" };
      assert.equal(free, text(run.oracle.available(user, asset)), `${step}: ${user} ${asset} free`);
      assert.equal(locked, text(run.oracle.frozen(user, asset)), `${step}: ${user} ${asset} used`);
    }
  }
}

async function checkOrders(run: Run): Promise<void> {
  for (const [key, id] of run.ids) {
    const expected = run.oracle.order(key);
    const trader = run.traders[expected.user] as Trader;
    const { info } = await trader.ccxt.fetchOrder(id, ETH);
    assert.equal(info.status, expected.status, key);
    assert.equal(info.executedQty, text(expected.filledBase), key);
    assert.equal(info.cummulativeQuoteQty, text(expected.filledQuote), key);
    const fills = await trader.ccxt.fetchOrderTrades(id, ETH);
    const fee = fills.reduce((total, fill) => total + exact(fill.info.commission), 0n);
    assert.equal(text(fee), text(expected.feeCharged), `${key}: fees`);
  }
}

export async function twoAccountTests(
  t: TestContext,
  fixture: CcxtFixture,
  random: Random,
): Promise<void> {
  await t.test("two accounts trade; balances are exact to the last unit", async () => {
    const run: Run = {
      traders: { alice: fixture.alice, bob: fixture.bob },
      ids: new Map(),
      oracle: new SpotOracle({
        base: "ETH",
        quote: "USDT",
        step: exact(ETHUSDT.stepSize),
        makerRate: exact(ETHUSDT.makerFeeRate),
        takerRate: exact(ETHUSDT.takerFeeRate),
      }),
    };
    for (const [user, trader] of Object.entries(run.traders)) {
      for (const [asset, { free, locked }] of await balances(trader)) {
        assert.equal(locked, "0");
        run.oracle.deposit(user, asset, exact(free));
      }
    }
    const wanted = (step: number): boolean =>
      step < scaled(STEPS) || (run.oracle.fills.length < FILLS_MIN && step < STEPS_MAX);
    for (let step = 0; wanted(step); step++) {
      const user = random.pick(["alice", "bob"]);
      const open = run.oracle.openOrders(user);
      if (open.length > 0 && random.chance(0.2)) {
        const { key } = random.pick(open);
        const trader = run.traders[user] as Trader;
        await trader.ccxt.cancelOrder(run.ids.get(key) as string, ETH);
        run.oracle.cancel(key);
      } else {
        await place(run, randomRequest(random, `order ${step}`, user));
      }
      await checkBalances(run, `step ${step}`);
    }
    assert.ok(run.oracle.fills.length >= FILLS_MIN, `only ${run.oracle.fills.length} fills`);
    await checkOrders(run);
    const book = await fixture.anonymous.fetchOrderBook(ETH, 200);
    const levels = (side: "BUY" | "SELL"): number[][] =>
      run.oracle.levels(side).map((level) => level.map((units) => Number(text(units))));
    assert.deepEqual(book.bids, levels("BUY"));
    assert.deepEqual(book.asks, levels("SELL"));
    const { ok, violations } = await fixture.exchange.operator.invariants();
    assert.equal(ok, true, violations.join("; "));
    t.diagnostic(`${run.ids.size} orders, ${run.oracle.fills.length} fills`);
  });
}
