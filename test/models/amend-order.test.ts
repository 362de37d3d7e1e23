/**
 * Proves the rules of spot amendments by examples on the engine: who trades first afterwards, that
 * a rejection leaves no trace, that money and client order ids continue unchanged, and that all of
 * it survives a restart.
 */
import assert from "node:assert/strict";
import test from "node:test";
import type { CommandOf } from "../../src/protocol/index.ts";
import { eventsOf, LiveEngine } from "./live-engine.ts";

type Amend = CommandOf<"amend-spot-order">;

function amend(uid: number, orderId: number, terms: Partial<Amend>): Amend {
  return {
    type: "amend-spot-order",
    uid,
    symbol: null,
    orderId,
    clientOrderId: null,
    price: null,
    quantity: null,
    ...terms,
  };
}

/** Two sellers side by side at 10, and a buyer. */
function queue() {
  const live = new LiveEngine();
  live.listMarket();
  const [first, second, buyer] = [live.fundedUser(), live.fundedUser(), live.fundedUser()];
  const [one, other] = [first, second].map(
    (uid) => live.must(live.order(uid, "SELL", "10", "5")).value.orderId,
  ) as [number, number];
  const firstMaker = (): number | undefined => {
    const { events } = live.must(live.order(buyer, "BUY", "10", "1"));
    return eventsOf(events, "spot-trade")[0]?.makerOrderId;
  };
  return { live, first, second, buyer, one, other, firstMaker };
}

test("with less quantity alone an order keeps its place, also over a restart", () => {
  const { live, first, one, firstMaker } = queue();
  const { value, events } = live.must(amend(first, one, { quantity: "3" }));
  assert.deepEqual([value.keptPriority, value.quantity, value.status], [true, "3", "NEW"]);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["command-applied", "spot-order-amended"],
  );
  live.restart();
  assert.equal(firstMaker(), one);
});

test("with more quantity or another price it stands behind all others", () => {
  for (const terms of [{ quantity: "6" }, { price: "10.01" }]) {
    const { live, first, one, other, firstMaker } = queue();
    assert.equal(live.must(amend(first, one, terms)).value.keptPriority, false);
    // Back at the price, and with less again: a place that was lost stays lost.
    live.must(amend(first, one, { price: "10", quantity: "4" }));
    live.restart();
    assert.equal(firstMaker(), other);
  }
});

test("an amendment that is repeated, or says nothing new, changes nothing", () => {
  const { live, first, one } = queue();
  const command = amend(first, one, { price: "11", quantity: "7" });
  const { value } = live.must(command);
  live.nowMs += 1_000;
  const stateHash = live.engine.stateHash();
  const again = live.must(command);
  assert.deepEqual(again.events, []);
  assert.deepEqual(again.value, { ...value, keptPriority: true });
  assert.equal(live.engine.stateHash(), stateHash);
});

test("a form that is refused leaves the order as it was", () => {
  const { live, first, second, one, firstMaker } = queue();
  live.must(live.order(second, "BUY", "9", "1"));
  const postOnly = live.must(live.order(first, "SELL", "12", "1", { timeInForce: "POST_ONLY" }))
    .value.orderId;
  const refusals: [number, number, Partial<Amend>, string][] = [
    [first, one, { price: "10.001" }, "off-tick"],
    [first, one, { quantity: "0.0005" }, "off-step"],
    [first, one, { quantity: "1000001" }, "quantity-above-maximum"],
    [first, one, { quantity: "0" }, "quantity-below-minimum"],
    [first, one, { price: "0" }, "out-of-range"],
    [first, one, { price: "x" }, "malformed"],
    [second, one, { quantity: "1" }, "order-not-found"],
    [first, 999, { quantity: "1" }, "order-not-found"],
    [first, postOnly, { price: "9" }, "would-take"],
  ];
  const before = live.engine.snapshotSections();
  for (const [uid, orderId, terms, reason] of refusals) {
    const { result, events } = live.execute(amend(uid, orderId, terms));
    assert.equal(result.ok ? "accepted" : result.reason, reason);
    assert.deepEqual(events, []);
  }
  assert.deepEqual(live.engine.snapshotSections(), before);
  assert.equal(firstMaker(), one);
  const filled = live.execute(amend(first, one, { quantity: "1" })).result;
  assert.equal(filled.ok ? "accepted" : filled.reason, "out-of-range", "so much is filled already");
});

test("the old form pays for the new one, to the last unit", () => {
  const live = new LiveEngine();
  live.listMarket();
  const uid = live.fundedUser("100");
  const { orderId } = live.must(live.order(uid, "BUY", "10", "10")).value;
  assert.equal(live.must(amend(uid, orderId, { price: "20", quantity: "5" })).value.status, "NEW");
  const { result } = live.execute(amend(uid, orderId, { quantity: "5.001" }));
  assert.equal(result.ok ? "accepted" : result.reason, "insufficient-balance");
  live.must(amend(uid, orderId, { quantity: "2" }));
  live.must(live.order(uid, "BUY", "1", "60"));
});

test("an order that trades as it is amended goes on with its fills, fees and id", () => {
  const { live, first, buyer, one, other, firstMaker } = queue();
  assert.equal(firstMaker(), one);
  live.must(live.order(buyer, "BUY", "8", "2"));
  live.nowMs += 500;
  const { value, events } = live.must(amend(first, one, { price: "8", quantity: "4" }));
  assert.deepEqual([value.status, value.filledQuantity, value.quantity], ["NEW", "3", "4"]);
  const [amended] = eventsOf(events, "spot-order-amended");
  const [trade] = eventsOf(events, "spot-trade");
  const [opened] = eventsOf(events, "spot-order-opened");
  assert.deepEqual([amended?.filledLots, amended?.keptPriority], [1_000, false]);
  assert.deepEqual([trade?.takerOrderId, trade?.quantityLots], [one, 2_000]);
  assert.deepEqual([opened?.orderId, opened?.filledLots], [one, 3_000]);
  live.restart();
  const { events: ends } = live.must(live.order(buyer, "BUY", "8", "1"));
  const [ended] = eventsOf(ends, "spot-order-ended");
  assert.deepEqual(
    [ended?.orderId, ended?.status, ended?.filledLots, ended?.quantityLots],
    [one, "FILLED", 4_000, 4_000],
  );
  assert.equal(ended?.createdMs, amended?.createdMs);
  assert.equal(firstMaker(), other);
});

test("a repeated client order id answers the first order, whatever it has become", () => {
  const live = new LiveEngine();
  live.listMarket();
  const uid = live.fundedUser();
  const order = live.order(uid, "BUY", "10", "5");
  const placed = live.must(order);
  live.must(amend(uid, placed.value.orderId, { price: "9", quantity: "6" }));
  live.restart();
  const again = live.must(order);
  // The version of the book is the present one: the amendment took the order out and put it back.
  const bookVersion = placed.value.bookVersion + 2;
  assert.deepEqual(again, { value: { ...placed.value, bookVersion }, events: [] });
  const { result } = live.execute({ ...order, price: "9", quantity: "6" });
  assert.equal(result.ok ? "accepted" : result.reason, "duplicate-client-order-id");
});

test("only cancels are taken from who is frozen, and where nothing is traded", () => {
  const { live, first, one } = queue();
  const state = (to: "trading" | "cancel-only" | "halted") => {
    const body = { actor: "operator", symbol: "ACOQUO", state: to } as const;
    live.must({ type: "set-spot-market-state", ...body });
  };
  const refusal = () => {
    const { result } = live.execute(amend(first, one, { quantity: "1" }));
    return result.ok ? "accepted" : result.reason;
  };
  state("cancel-only");
  assert.equal(refusal(), "market-not-trading");
  state("trading");
  const unchanged = { kyc: null, selfTradePrevention: null } as const;
  const frozen = { actor: "operator", uid: first, state: "frozen", ...unchanged } as const;
  live.must({ type: "update-user", ...frozen });
  assert.equal(refusal(), "user-frozen");
});
