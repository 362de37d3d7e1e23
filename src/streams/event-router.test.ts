/**
 * Goal: a command with thousands of events neither holds up other work while the streams read it,
 * nor loses or repeats anything by being read in slices. Method: one order sweeps the resting
 * orders of others, on the real engine; turns of the event loop are counted until the streams have
 * its end, and what subscribers got is compared with the orders, whenever they subscribed.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { Listener, StreamFixture, SYMBOL, settle } from "../../test/support/stream-fixture.ts";
import type { Command } from "../protocol/index.ts";
import { V3_DIALECT } from "./v3/v3-dialect.ts";

const MAKERS = 2_000;
const TURNS_MAX = 1_000;

function order(uid: number, side: "BUY" | "SELL", quantity: string, id: string): Command {
  return {
    type: "place-spot-order",
    uid,
    symbol: SYMBOL,
    side,
    orderType: "LIMIT",
    timeInForce: "GTC",
    price: "1000",
    quantity,
    quantityUnit: "base",
    clientOrderId: id,
  };
}

class Sweep {
  readonly fixture: StreamFixture;
  readonly maker: number;
  readonly taker: number;

  private constructor(fixture: StreamFixture, maker: number, taker: number) {
    this.fixture = fixture;
    this.maker = maker;
    this.taker = taker;
  }

  static async prepare(): Promise<Sweep> {
    const fixture = await StreamFixture.open();
    const sweep = new Sweep(fixture, await fixture.user(), await fixture.user());
    for (let i = 0; i < MAKERS; i++) {
      await fixture.must(order(sweep.maker, "SELL", "0.01", `maker-${i}`));
    }
    await settle();
    return sweep;
  }

  listenToTrades(): Listener {
    const channel = V3_DIALECT.publicChannel("spot", `${SYMBOL}@trade`);
    assert.ok(channel !== null);
    const listener = new Listener();
    this.fixture.router.markets.spot.subscribe(channel, listener);
    return listener;
  }

  async listenToFills(uid: number): Promise<Listener> {
    const feed = await this.fixture.router.accounts.spot.feed(uid);
    const channel = V3_DIALECT.privateChannel("spot", "fill");
    assert.ok(feed !== null && channel !== null);
    const listener = new Listener();
    feed.subscribe(channel, listener);
    return listener;
  }

  /** One order that fills all others; not waiting for the streams. */
  run(): Promise<void> {
    return this.fixture.must(order(this.taker, "BUY", String(MAKERS / 100), "taker"));
  }
}

function entries(listener: Listener): readonly Readonly<Record<string, unknown>>[] {
  return listener.messages.flatMap(({ d }) => (Array.isArray(d) ? d : []));
}

test("other work is done between the slices of one command", async () => {
  const sweep = await Sweep.prepare();
  const fills = await sweep.listenToFills(sweep.maker);
  await sweep.run();
  let turns = 0;
  while (fills.messages.length === 0 && turns < TURNS_MAX) {
    await turn();
    turns++;
  }
  // 4,000 events in slices of a few hundred each.
  assert.ok(turns >= 4 && turns < TURNS_MAX, `${turns} turns`);
});

test("a command in slices is still one message, with every fill once", async () => {
  const sweep = await Sweep.prepare();
  const trades = sweep.listenToTrades();
  const fills = await sweep.listenToFills(sweep.maker);
  await sweep.run();
  await settle();
  assert.equal(entries(trades).length, MAKERS);
  assert.equal(fills.messages.length, 1);
  const ids = new Set(entries(fills).map(({ id }) => id));
  assert.equal(entries(fills).length, MAKERS);
  assert.equal(ids.size, MAKERS, "no fill twice");
});

test("who subscribes between two slices gets what comes after the command", async () => {
  const sweep = await Sweep.prepare();
  const first = await sweep.listenToFills(sweep.maker);
  await sweep.run();
  await turn();
  assert.equal(first.messages.length, 0, "the command is not read to its end");
  const late = await sweep.listenToFills(sweep.taker);
  await settle();
  assert.equal(late.messages.length, 0);
  await sweep.fixture.must(order(sweep.maker, "SELL", "0.01", "behind"));
  await sweep.fixture.must(order(sweep.taker, "BUY", "0.01", "last"));
  await settle();
  assert.equal(entries(first).length, MAKERS + 1);
  assert.equal(entries(late).length, 1);
});

test("nothing is left of a command in slices when the last client goes", async () => {
  const sweep = await Sweep.prepare();
  const fills = await sweep.listenToFills(sweep.maker);
  await sweep.run();
  await turn();
  sweep.fixture.router.sleep();
  await settle();
  assert.equal(fills.messages.length, 0);
  sweep.fixture.router.wake();
  assert.ok(await sweep.fixture.router.ready());
  const again = await sweep.listenToFills(sweep.maker);
  await sweep.fixture.must(order(sweep.maker, "SELL", "0.01", "behind"));
  await sweep.fixture.must(order(sweep.taker, "BUY", "0.01", "last"));
  await settle();
  assert.equal(entries(again).length, 1);
});
