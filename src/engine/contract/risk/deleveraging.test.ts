/**
 * Goal: who is deleveraged, in which order and for how much; and netting, the other way in which
 * positions are closed outside of the book. Method: the rank of every victim is computed by hand
 * from its profit and its leverage; accounts of each special kind stand among ordinary ones.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RiskFixture, usdt } from "../../../../test/support/engine/risk-fixture.ts";
import type { MarginType } from "../../../domain/index.ts";
import { CONTRACT_AVAILABLE, CONTRACT_POSITION_MARGIN } from "../../ledger/ledger.ts";
import type { User } from "../../state.ts";
import { beginTaker } from "../orders/matching.ts";
import { systemOrderTerms } from "../orders/place-order.ts";
import { LONG, type Position } from "../state/contract-market.ts";
import { deleverage } from "./deleveraging.ts";
import { netSymbol } from "./netting.ts";

const LOTS = 200;

/** A LONG of user 1, with SHORTs of others on the other side; the mark is 59000. */
class Queue {
  readonly fixture = new RiskFixture();
  readonly position: Position;

  constructor() {
    this.fixture.price("59000");
    const { fixture } = this;
    const pair = [fixture.user(1, "900000"), fixture.user(99, "900000")] as const;
    [this.position] = fixture.pair(pair, "ISOLATED", 60000, LOTS / 1000, 20);
  }

  /** A SHORT of another user against somebody who does not matter. */
  short(
    uid: number,
    marginType: MarginType,
    price: number,
    leverage: number,
    funds = "0",
  ): Position {
    const { fixture } = this;
    const margin = ((price * LOTS) / 1000 / leverage).toFixed(8);
    const holder = fixture.user(uid, marginType === "ISOLATED" && funds === "0" ? margin : funds);
    const longs = fixture.user(uid + 1000, "900000");
    return fixture.pair([longs, holder], marginType, price, LOTS / 1000, leverage)[1];
  }

  /** Makes the LONG large enough, and has the other side take it over at a price. */
  take(lots: number, priceTicks = 570_000): { readonly taken: number; readonly victims: string[] } {
    const { fixture, position } = this;
    const { owner } = position;
    const { account } = owner;
    const marginMinor = (position.marginMinor * BigInt(lots)) / BigInt(LOTS);
    const [from, to] = [account.base + CONTRACT_AVAILABLE, account.base + CONTRACT_POSITION_MARGIN];
    if (marginMinor > position.marginMinor)
      fixture.ledger.move(from, to, marginMinor - position.marginMinor);
    position.marginMinor = marginMinor;
    position.sizeLots = lots;
    position.openValueMinor = (position.openValueMinor * BigInt(lots)) / BigInt(LOTS);
    owner.sideLots[LONG] = lots;
    const terms = systemOrderTerms(
      fixture.state,
      owner,
      LONG,
      lots,
      "liquidation",
      position.positionId,
    );
    const taker = beginTaker(fixture, terms);
    const bankruptcyNum = position.openValueMinor - position.marginMinor;
    const bankruptcyDen = BigInt(lots) * fixture.market.rules.minorPerTickLot;
    taker.liquidation = { bankruptcyNum, bankruptcyDen, marginType: "ISOLATED" };
    fixture.events = [];
    const taken = deleverage(fixture, taker, position, lots, priceTicks);
    const trades = fixture.events.filter((event) => event.type === "contract-trade");
    return {
      taken,
      victims: trades.map(({ maker, quantityLots }) => `${maker.uid}: ${quantityLots}`),
    };
  }
}

test("ranks by profit times leverage, losses by loss over leverage, equals by id", () => {
  const queue = new Queue();
  // r × L, with L = 59000 / (margin + profit): 0.4470, 0.2892 twice, and 0.4303.
  queue.short(2, "ISOLATED", 60000, 50);
  queue.short(3, "ISOLATED", 60000, 25);
  queue.short(4, "ISOLATED", 60000, 25);
  queue.short(5, "ISOLATED", 60600, 30);
  // r / L: -0.000555 and -0.0000468.
  queue.short(6, "ISOLATED", 58000, 20);
  queue.short(7, "ISOLATED", 58000, 50);
  // The loss has used up the margin: before all others.
  queue.short(8, "ISOLATED", 57500, 50, "900000");
  const { taken, victims } = queue.take(8 * LOTS);
  assert.equal(taken, 8 * LOTS);
  // User 99 opened at 60000 with leverage 20: 0.2458.
  const ranked = [8, 2, 5, 3, 4, 99, 7, 6].map((uid) => `${uid}: ${LOTS}`);
  assert.deepEqual(victims, ranked);
});

test("a part of a position is enough when that is all that is left to close", () => {
  const queue = new Queue();
  queue.short(2, "ISOLATED", 60000, 50);
  const { victims } = queue.take(LOTS);
  assert.deepEqual(victims, [`2: ${LOTS}`]);
});

test("the user's own position comes last, however high it ranks", () => {
  const queue = new Queue();
  const { fixture } = queue;
  const [own] = [queue.position.owner.account.user];
  fixture.pair([fixture.user(500, "900000"), own], "ISOLATED", 61000, LOTS / 1000, 50);
  const { victims } = queue.take(2 * LOTS);
  assert.deepEqual(victims, [`99: ${LOTS}`, `1: ${LOTS}`]);
});

test("a hedged cross account gives up what is not hedged, and ranks by its whole equity", () => {
  const queue = new Queue();
  const { fixture } = queue;
  const short = queue.short(2, "CROSSED", 60000, 50, "1000");
  const hedger = short.owner.account.user;
  // 0.05 on the other side leave 0.15; E = 1000 + 150, so L is 11800 / 1150 and ranks before 99.
  fixture.pair([hedger, fixture.user(600, "900000")], "CROSSED", 60000, 0.05, 50);
  const { victims } = queue.take(2 * LOTS);
  assert.deepEqual(victims.slice(0, 2), [`99: ${LOTS}`, "2: 150"]);
});

test("who cannot bear the price is left out", () => {
  const queue = new Queue();
  // At 59700 the loss is 740 of a margin of 235.84, and there is no cash.
  const poor = queue.short(2, "ISOLATED", 56000, 100);
  // An account of cross positions pays with its equity, here 50 less than nothing at that price.
  const cross = queue.short(3, "CROSSED", 56000, 100, "690");
  const { taken, victims } = queue.take(2 * LOTS, 597_000);
  assert.equal(taken, LOTS);
  assert.deepEqual(victims, [`99: ${LOTS}`]);
  assert.equal(poor.sizeLots + cross.sizeLots, 2 * LOTS);
});

/** A cross SHORT of 1000 in all, of which a resting order has frozen 790. */
function shortWithAnOrder(): { readonly queue: Queue; readonly holder: User } {
  const queue = new Queue();
  const holder = queue.short(3, "CROSSED", 59000, 100, "1000").owner.account.user;
  queue.fixture.order(holder, "SELL", "SHORT", "1.2", "61000");
  assert.equal(queue.fixture.cash(holder), usdt("209.44"));
  return { queue, holder };
}

test("the last cross position is not closed into a debt in cash, whatever is frozen", () => {
  // At 62000 it loses 600: the equity is 400 then, and the cash 390.56 less than nothing.
  const { queue } = shortWithAnOrder();
  assert.deepEqual(queue.take(2 * LOTS, 620_000), { taken: LOTS, victims: [`99: ${LOTS}`] });
});

test("cash may fall below zero while a part of the position stays", () => {
  const { queue, holder } = shortWithAnOrder();
  const { victims } = queue.take(LOTS + 100, 620_000);
  assert.deepEqual(victims, [`99: ${LOTS}`, "3: 100"]);
  assert.equal(queue.fixture.cash(holder), usdt("-90.56"));
});

test("cash may fall below zero while another cross position stays", () => {
  const { queue, holder } = shortWithAnOrder();
  const { fixture } = queue;
  const eth = fixture.list({ symbol: "ETHUSDT", baseAsset: "ETH" });
  fixture.price("3000", eth);
  fixture.pair([holder, fixture.user(700, "1000")], "CROSSED", 3000, 0.1, 20, eth);
  const { victims } = queue.take(2 * LOTS, 620_000);
  assert.deepEqual(victims, [`99: ${LOTS}`, `3: ${LOTS}`]);
});

test("the last cross position is closed for exactly its cash, and not for a unit more", () => {
  for (const [taken, ...victims] of [
    [2 * LOTS, `99: ${LOTS}`, `3: ${LOTS}`],
    [LOTS, `99: ${LOTS}`],
  ] as const) {
    const { queue, holder } = shortWithAnOrder();
    const { fixture } = queue;
    // At 60000 it loses 200 of 209.44.
    const restMinor = usdt("9.44") + (taken === LOTS ? 1n : 0n);
    const { base } = fixture.owner(holder).account;
    fixture.ledger.move(base + CONTRACT_AVAILABLE, fixture.houseAccount("external"), restMinor);
    assert.deepEqual(queue.take(2 * LOTS, 600_000), { taken, victims });
  }
});

test("resting closes of a victim that no longer fit end, the newest first", () => {
  const queue = new Queue();
  const { fixture } = queue;
  const short = queue.short(2, "ISOLATED", 60100, 20, "900000");
  const { user } = short.owner.account;
  fixture.run();
  fixture.order(user, "BUY", "SHORT", "0.1", "57000");
  fixture.order(user, "BUY", "SHORT", "0.1", "57001");
  queue.take(LOTS / 2);
  const ended = fixture.events.filter((event) => event.type === "contract-order-ended");
  assert.deepEqual(
    ended.map(({ origin, reason, priceTicks }) => `${origin} ${reason} ${priceTicks}`),
    ["adl filled 0", "user position-closed 570010"],
  );
});

test("netting closes both sides against each other at the mark, without fees", () => {
  const fixture = new RiskFixture();
  const [hedger, other] = [fixture.user(1, "50000"), fixture.user(2, "50000")];
  fixture.price("60000");
  fixture.pair([hedger, other], "CROSSED", 60000, 1, 20);
  fixture.price("61000");
  fixture.pair([other, hedger], "CROSSED", 61000, 0.4, 20);
  fixture.price("61500");
  const owner = fixture.owner(hedger);
  fixture.events = [];
  assert.equal(netSymbol(fixture, owner), true);
  const [trade] = fixture.events.filter((event) => event.type === "contract-trade");
  assert.equal(trade?.kind, "netting");
  assert.equal(trade?.priceTicks, 615_000);
  assert.equal(trade?.quantityLots, 400);
  assert.equal(trade?.maker.realizedPnlMinor, usdt("600"));
  assert.equal(trade?.taker.realizedPnlMinor, usdt("-200"));
  assert.equal(trade?.maker.feeMinor, 0n);
  assert.equal(trade?.taker.feeMinor, 0n);
  assert.deepEqual(owner.sideLots, [600, 0]);
  assert.equal(fixture.wallet(hedger), usdt("50400"));
  assert.equal(fixture.market.lastTicks, 0);
  assert.equal(netSymbol(fixture, owner), false);
  fixture.run();
});
