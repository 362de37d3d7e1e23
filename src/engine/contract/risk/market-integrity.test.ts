/**
 * Goal: two accounts in one hand cannot take money out of the insurance fund by what they fill with
 * each other. Method: each way to do it is carried out whole, liquidations included: under the
 * rules before it pays, and under the present ones the fund keeps what it has and the pair wins
 * nothing.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { RiskFixture, usdt } from "../../../../test/support/engine/risk-fixture.ts";
import type {
  MarginType,
  OrderType,
  PositionSide,
  Side,
  TimeInForce,
} from "../../../domain/index.ts";
import {
  RULES_VERSION,
  RULES_WITH_CONTRACTS,
  RULES_WITH_MARKET_INTEGRITY,
} from "../../rules-version.ts";
import type { User } from "../../state.ts";
import { unrealizedMinor } from "../formulas/account-equity.ts";
import { placeContractOrder } from "../orders/place-order.ts";
import { LONG, SHORT } from "../state/contract-market.ts";

const FUND = usdt("100000");

/** A hand with two accounts, a fund, and the mark at 60,000. */
class Hand {
  readonly fixture = new RiskFixture();
  readonly attacker: User;
  readonly friend: User;
  readonly #before: bigint;
  #orders = 0;

  constructor(rulesVersion: number, funds: string, marginType: MarginType, leverage: number) {
    const { fixture } = this;
    fixture.state.rulesVersion = rulesVersion;
    this.attacker = fixture.user(1, funds);
    this.friend = fixture.user(2, "1000000");
    fixture.insure(FUND);
    const owner = fixture.owner(this.attacker);
    owner.marginType = marginType;
    owner.crossLeverage = leverage;
    owner.isolatedLeverage[LONG] = leverage;
    owner.isolatedLeverage[SHORT] = leverage;
    fixture.price("60000");
    this.#before = this.#wealth();
  }

  /** A market order without a price. Returns how it ended, or was refused. */
  order(user: User, intent: string, quantity: string, price: string | null = null): string {
    const { fixture } = this;
    const [side, positionSide] = intent.split(" ") as [Side, PositionSide];
    const form: [OrderType, TimeInForce] = price === null ? ["MARKET", "IOC"] : ["LIMIT", "GTC"];
    const clientOrderId = `hand-${++this.#orders}`;
    const placed = placeContractOrder(fixture, {
      type: "place-contract-order",
      uid: user.uid,
      symbol: "BTCUSDT",
      side,
      positionSide,
      orderType: form[0],
      timeInForce: form[1],
      price: price ?? "",
      quantity,
      clientOrderId,
      tpTriggerPrice: null,
      slTriggerPrice: null,
      tpWorkingType: "CONTRACT_PRICE",
      slWorkingType: "CONTRACT_PRICE",
    });
    fixture.run();
    if (!placed.ok) return placed.reason;
    const ended = fixture.emitted("contract-order-ended").find((event) => {
      return event.orderId === placed.value.orderId;
    });
    return ended?.reason ?? "resting";
  }

  /** What both accounts are worth at the mark. */
  #wealth(): bigint {
    let wealth = 0n;
    for (const user of [this.attacker, this.friend]) {
      wealth += this.fixture.wallet(user);
      for (const side of [LONG, SHORT] as const) {
        for (const position of this.fixture.owner(user).positions[side]) {
          wealth += unrealizedMinor(position);
        }
      }
    }
    return wealth;
  }

  get gainMinor(): bigint {
    return this.#wealth() - this.#before;
  }

  get fundLossMinor(): bigint {
    return FUND - this.fixture.house("insurance");
  }
}

/** It pays under older rules, and does not under the present ones. */
function bothWays(carryOut: (rulesVersion: number) => Hand): void {
  const before = carryOut(RULES_WITH_CONTRACTS);
  assert.ok(before.fundLossMinor > usdt("1000"), `${before.fundLossMinor}`);
  assert.ok(before.gainMinor > usdt("500"), `${before.gainMinor}`);
  for (let version = RULES_WITH_MARKET_INTEGRITY; version <= RULES_VERSION; version++) {
    const { fundLossMinor, gainMinor } = carryOut(version);
    assert.ok(fundLossMinor <= 0n, `the fund lost ${fundLossMinor}`);
    assert.ok(gainMinor <= 0n, `the pair won ${gainMinor}`);
  }
}

test("a market sell down a thin book does not open into a liquidation", () => {
  bothWays((version) => {
    const hand = new Hand(version, "7000", "ISOLATED", 100);
    const { attacker, friend } = hand;
    hand.order(friend, "BUY LONG", "0.001", "60000");
    hand.order(friend, "BUY LONG", "10", "57000");
    hand.order(friend, "SELL SHORT", "10", "60000.1");
    const end = hand.order(attacker, "SELL SHORT", "10");
    assert.equal(end, version < 3 ? "filled" : "insufficient-margin");
    return hand;
  });
});

test("an order that rests is looked at again when it fills", () => {
  bothWays((version) => {
    const hand = new Hand(version, "7000", "ISOLATED", 100);
    const { attacker, friend, fixture } = hand;
    hand.order(attacker, "BUY LONG", "10", "60000");
    fixture.price("58800");
    hand.order(friend, "BUY LONG", "10", "58000");
    const end = hand.order(friend, "SELL SHORT", "10", "60000");
    assert.equal(end, version < 3 ? "filled" : "resting");
    assert.equal(fixture.owner(attacker).openOrders, 0, "filled, or cancelled");
    return hand;
  });
});

test("resting orders of one cross account are not looked at one by one", () => {
  bothWays((version) => {
    const hand = new Hand(version, "7000", "CROSSED", 100);
    const { attacker, friend, fixture } = hand;
    for (let i = 0; i < 10; i++) hand.order(attacker, "BUY LONG", "1", "60000");
    fixture.price("58800");
    hand.order(friend, "BUY LONG", "10", "57500");
    hand.order(friend, "SELL SHORT", "10", "60000");
    const held = fixture.owner(attacker).positions[LONG][0]?.sizeLots ?? 0;
    // 7000 - 1200 a piece bear four of them: 2200 are left, and 4 × 341 needed.
    assert.equal(held, version < 3 ? 0 : 4_000);
    return hand;
  });
});

test("a cross account does not close a part of what it holds into a liquidation", () => {
  bothWays((version) => {
    const hand = new Hand(version, "6500", "CROSSED", 100);
    const { attacker, friend, fixture } = hand;
    fixture.pair([attacker, friend], "CROSSED", 60000, 10, 100);
    fixture.owner(friend).crossLeverage = 20;
    hand.order(friend, "BUY SHORT", "10", "57000");
    const end = hand.order(attacker, "SELL LONG", "2");
    assert.equal(end, version < 3 ? "filled" : "margin-not-enough");
    return hand;
  });
});

test("nor does it by an order that rests", () => {
  bothWays((version) => {
    const hand = new Hand(version, "6500", "CROSSED", 100);
    const { attacker, friend, fixture } = hand;
    fixture.pair([attacker, friend], "CROSSED", 60000, 10, 100);
    hand.order(attacker, "SELL LONG", "2", "57000");
    hand.order(friend, "BUY SHORT", "10", "57000");
    assert.equal(fixture.owner(attacker).openOrders, 0, "filled, or cancelled");
    return hand;
  });
});
