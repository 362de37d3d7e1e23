/**
 * Proves what each model of liquidity does when a user takes from it and when the price moves: on
 * the real engine, with looks and a clock that the test moves.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { DirectExchange } from "../../../test/support/direct-exchange.ts";
import { BTC_SPOT } from "../../../test/support/listings.ts";
import { NODE_PLATFORM, type Scheduler } from "../../platform/index.ts";
import type { Command, SpotDepthView } from "../../protocol/index.ts";
import { House } from "./house.ts";
import type { LiquidityModel } from "./liquidity-models.ts";

const ACTOR = "operator";
const SYMBOL = "BTCUSDT";
const USER = 7;

type Depth = Pick<SpotDepthView, "bids" | "asks">;

class Venue {
  readonly exchange = new DirectExchange();
  readonly house: House;
  #waiting: (() => void)[] = [];
  #orders = 0;

  constructor() {
    const after = (_delayMs: number, run: () => void) => {
      this.#waiting.push(run);
      return { cancel: () => undefined };
    };
    const scheduler: Scheduler = { ...NODE_PLATFORM.scheduler, after };
    this.house = new House({
      engine: this.exchange.client,
      platform: { ...NODE_PLATFORM, scheduler },
      makers: { hold: async () => undefined, release: () => undefined },
    });
  }

  async do(command: Command): Promise<void> {
    const reply = await this.exchange.client.execute(command as never);
    assert.ok((reply as { ok: boolean }).ok, JSON.stringify(reply));
  }

  static async open(model: LiquidityModel, terms: object = {}): Promise<Venue> {
    const venue = new Venue();
    const asset = { type: "set-asset", actor: ACTOR, scale: 8 } as const;
    await venue.do({ ...asset, asset: "BTC", coinId: 1, name: "Bitcoin" });
    await venue.do({ ...asset, asset: "USDT", coinId: 2, name: "Tether" });
    await venue.do({ type: "set-spot-market", actor: ACTOR, ...BTC_SPOT });
    const user = { actor: ACTOR, uid: USER, inviteCode: "USER", invitedWith: null, kyc: true };
    await venue.do({ type: "register-user", ...user });
    for (const asset of ["BTC", "USDT"]) {
      const funds = { requestId: asset, uid: USER, wallet: "spot", asset, amount: "100000000" };
      await venue.do({ type: "deposit-funds", actor: ACTOR, ...funds } as Command);
    }
    await venue.price("10000");
    const none = { product: null, depth: null, spread: null, side: null };
    const request = { symbol: SYMBOL, actor: ACTOR, model, ...none, ...terms };
    const set = await venue.house.setLiquidity(request);
    assert.ok(set.ok, JSON.stringify(set));
    return venue;
  }

  async price(to: string): Promise<void> {
    const at = { inMs: 0, path: null, volatility: null, seed: null, mark: undefined };
    const request = { symbol: SYMBOL, product: null, to, actor: ACTOR, ...at };
    assert.ok((await this.house.movePrice(request)).ok);
  }

  async take(side: "BUY" | "SELL", quantity: string, price: string): Promise<void> {
    this.#orders++;
    await this.do({
      type: "place-spot-order",
      ...{ uid: USER, symbol: SYMBOL, side, orderType: "LIMIT", timeInForce: "IOC" },
      ...{ price, quantity, quantityUnit: "base", clientOrderId: `take-${this.#orders}` },
    } as Command);
  }

  /** A look later. */
  async look(): Promise<Depth> {
    this.exchange.wallMs += 100;
    return await this.looks();
  }

  /** All looks that wait, until nothing is placed any more. */
  async looks(): Promise<Depth> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const run of waiting) run();
    while (this.#waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    return await this.depth();
  }

  async depth(): Promise<Depth> {
    const query = { type: "spot-depth", symbol: SYMBOL, levels: 100 } as const;
    const reply = await this.exchange.client.query(query);
    assert.ok(reply.ok);
    const { bids, asks } = reply.value;
    return { bids, asks };
  }
}

test("tight: ten levels a side for 20,000 each, 0.04 % apart, follows the price", async () => {
  const venue = await Venue.open("tight");
  const depth = await venue.depth();
  assert.deepEqual([depth.bids.length, depth.asks.length], [10, 10]);
  assert.deepEqual(depth.bids.slice(0, 2), [
    ["9998", "2"],
    ["9994", "2"],
  ]);
  assert.deepEqual(depth.asks[0], ["10002", "2"]);
  assert.deepEqual(await venue.look(), depth, "nothing happened, nothing changes");
  await venue.take("BUY", "0.5", "10002");
  assert.deepEqual(await venue.look(), depth, "a trade at the best price is filled up");
  await venue.take("BUY", "6.5", "10020");
  const higher = await venue.look();
  assert.deepEqual(higher.bids[0], ["10012", "1.997"], "after a trade at 10,014");
  await venue.price("20000");
  assert.deepEqual((await venue.look()).bids[0], ["19996", "1"]);
});

test("thin: three levels of little, or what is asked for", async () => {
  const thin = await (await Venue.open("thin")).depth();
  assert.deepEqual(thin.asks, [
    ["10025", "0.05"],
    ["10075", "0.05"],
    ["10125", "0.05"],
  ]);
  const own = await (await Venue.open("thin", { spread: "0.1", depth: "100" })).depth();
  assert.deepEqual(own.bids[0], ["9500", "0.01"]);
});

test("one-sided: bids unless asks are asked for", async () => {
  const bids = await (await Venue.open("one-sided")).depth();
  assert.deepEqual([bids.bids.length, bids.asks.length], [10, 0]);
  const asks = await (await Venue.open("one-sided", { side: "asks" })).depth();
  assert.deepEqual([asks.bids.length, asks.asks.length], [0, 10]);
});

test("vanishes on take: nothing for five seconds, then back", async () => {
  const venue = await Venue.open("vanishes-on-take");
  const depth = await venue.look();
  await venue.take("SELL", "0.001", "9998");
  assert.deepEqual(await venue.look(), { bids: [], asks: [] });
  venue.exchange.wallMs += 4_700;
  assert.deepEqual(await venue.look(), { bids: [], asks: [] });
  venue.exchange.wallMs += 200;
  const back = await venue.look();
  assert.equal(back.bids.length, depth.bids.length);
  await venue.price("11000");
  assert.equal((await venue.look()).bids.length, 10, "a price of the house takes nothing");
});

test("last look never: firm, whatever is taken is there again at its price", async () => {
  const venue = await Venue.open("last-look-never");
  const depth = await venue.depth();
  for (let round = 0; round < 3; round++) {
    await venue.take("BUY", "15", "10100");
    assert.deepEqual(await venue.look(), depth);
  }
});

test("while time stands still, quotes change when it is moved, at no other moment", async () => {
  const run = async (looks: number): Promise<readonly Command[]> => {
    const venue = await Venue.open("vanishes-on-take");
    const setClock = async (speedE3: number | null, aheadMs: number) => {
      const toMs = venue.exchange.wallMs + aheadMs;
      venue.exchange.wallMs = toMs;
      await venue.do({ type: "set-clock", actor: ACTOR, toMs, speedE3 });
      await venue.house.timeMoved();
    };
    await setClock(0, 1);
    const depth = await venue.depth();
    await venue.take("SELL", "0.5", "9998");
    const taken = await venue.depth();
    assert.deepEqual(taken.bids[0], ["9998", "1.5"]);
    for (let look = 0; look < looks; look++) assert.deepEqual(await venue.looks(), taken);
    await setClock(null, 1);
    assert.deepEqual(await venue.depth(), { bids: [], asks: [] });
    await setClock(null, 4_999);
    assert.deepEqual(await venue.depth(), { bids: [], asks: [] });
    await venue.price("10000");
    await setClock(null, 1);
    assert.deepEqual(await venue.depth(), depth);
    await venue.price("12000");
    assert.deepEqual((await venue.depth()).asks[0]?.[0], "12002.4", "at the end of the move");
    await venue.house.stop();
    return venue.exchange.commands;
  };
  assert.deepEqual(await run(5), await run(0), "the same requests are the same commands");
});

test("a book that is made or cleared ends it, and what is wrong is refused", async () => {
  const venue = await Venue.open("tight");
  const request = { symbol: SYMBOL, product: null, actor: ACTOR };
  const asks = [["10500", "1"]];
  assert.ok((await venue.house.makeBook({ ...request, bids: [], asks })).ok);
  assert.partialDeepStrictEqual(await venue.house.liquidity(SYMBOL, null), {
    value: { model: null, depth: null },
  });
  assert.deepEqual(await venue.depth(), { bids: [], asks });
  const none = { ...request, depth: null, spread: null, side: null };
  const refused = async (terms: object) => {
    const set = await venue.house.setLiquidity({ ...none, model: "tight", ...terms });
    return set.ok || "unavailable" in set ? null : [set.reason, set.field];
  };
  assert.deepEqual(await refused({ depth: "0" }), ["out-of-range", "depth"]);
  assert.deepEqual(await refused({ spread: "0.6" }), ["out-of-range", "spread"]);
  assert.deepEqual(await refused({ side: "asks" }), ["malformed", "side"]);
  assert.deepEqual(await refused({ symbol: "NOSUCH" }), ["unknown-symbol", "symbol"]);
  await venue.house.stop();
});
