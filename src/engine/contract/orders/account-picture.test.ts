/**
 * Proves that pictures tell the truth. Over random states, of users with isolated and cross,
 * combined and separated positions in two markets, each match is applied to pictures of both sides
 * and then settled: cash, order margin, positions, equity, maintenance and what is due agree to the
 * unit, and nothing is due that was not before. Matching on pictures says of each order whether it
 * would be filled whole, and an order that asks for that is filled so or changes nothing at all.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { openPair, setMark } from "../../../../test/support/engine/paired-positions.ts";
import { placeAtRandom, randomTrading } from "../../../../test/support/engine/random-trading.ts";
import {
  EXAMPLE_RULES,
  type TradingFixture,
} from "../../../../test/support/engine/trading-fixture.ts";
import { scaled, seededRandom } from "../../../../test/support/random.ts";
import { NONE } from "../../matching/slot.ts";
import { setAsset } from "../../spot/markets.ts";
import {
  availableBalanceMinor,
  crossEquityMinor,
  crossMaintenanceE8,
  isCrossDue,
  isPositionDue,
} from "../formulas/account-equity.ts";
import { setContractMarket } from "../markets.ts";
import { type ContractMarket, LONG, SHORT, type SymbolAccount } from "../state/contract-market.ts";
import type { ContractOrderRequest, ContractTaker } from "../state/order-terms.ts";
import { AccountPicture } from "./account-picture.ts";
import { type BookMatch, planMatch, settleMatch } from "./fill.ts";
import { makerCanSettle, takerCanSettle } from "./fill-checks.ts";
import { isFillableAtOnce } from "./fill-or-kill.ts";
import { beginTaker, finishTaker, isWithin } from "./matching.ts";
import { checkOrder } from "./place-order.ts";
import type { PositionFigures } from "./positions.ts";
import { endRestingOrder, openOrderSlots } from "./resting-orders.ts";

const random = seededRandom("engine/contract/account-picture");
const SIDES = [LONG, SHORT] as const;
const OTHER_TICKS = 10_000;

/** Some of the users hold cross positions in another market, which their equity counts. */
function openElsewhere(fixture: TradingFixture, owners: readonly SymbolAccount[]): ContractMarket {
  const { context, state } = fixture;
  setAsset(context, {
    ...{ type: "set-asset", actor: "test", asset: "ETH", coinId: 3, name: "ETH", scale: 8 },
  });
  const listed = { ...EXAMPLE_RULES, symbol: "ETHUSDT", baseAsset: "ETH" };
  assert.ok(setContractMarket(context, listed).ok);
  const market = state.contract.marketsBySymbol.get("ETHUSDT");
  assert.ok(market !== undefined);
  setMark(state, market, OTHER_TICKS);
  for (const [i, j] of [
    [0, 1],
    [2, 3],
  ] as const) {
    if (random.chance(0.4)) continue;
    const [one, other] = random.shuffle([owners[i], owners[j]]);
    assert.ok(one && other);
    openPair(state, {
      market,
      holders: [one.account.user, other.account.user],
      marginType: "CROSSED",
      priceTicks: OTHER_TICKS,
      lots: random.integer(1, 60),
      leverage: random.pick([10, 50, 100]),
      positionId: state.nextOrderId,
    });
    state.nextOrderId += 2;
  }
  return market;
}

function figuresOf(positions: readonly PositionFigures[]) {
  return positions.map(({ separatedOpenOrderId, sizeLots, openValueMinor, marginMinor }) => {
    return { separatedOpenOrderId, sizeLots, openValueMinor, marginMinor };
  });
}

/** A picture with fills applied, against the account in which they were settled. */
function compare(fixture: TradingFixture, picture: AccountPicture): void {
  const { ledger } = fixture.state;
  const { owner } = picture;
  const { account } = owner;
  assert.equal(picture.cashMinor, fixture.available(owner));
  assert.equal(picture.orderMarginMinor, fixture.orderMargin(owner));
  assert.deepEqual(picture.sideLots, owner.sideLots);
  assert.equal(picture.hasCrossPositions, account.crossPositions.length > 0);
  assert.equal(picture.crossEquityMinor, crossEquityMinor(ledger, account));
  assert.equal(picture.crossMaintenanceE8, crossMaintenanceE8(account));
  assert.equal(picture.availableBalanceMinor, availableBalanceMinor(ledger, account));
  assert.equal(picture.isCrossDue(), isCrossDue(ledger, account));
  for (const side of SIDES) {
    assert.deepEqual(figuresOf(picture.positions(side)), figuresOf(owner.positions[side]));
    const isSideDue = owner.marginType === "ISOLATED" && owner.positions[side].some(isPositionDue);
    assert.equal(picture.isDueAfterOpening(side), isSideDue || isCrossDue(ledger, account));
  }
}

function randomRequest(market: ContractMarket, owner: SymbolAccount): ContractOrderRequest {
  const positionSide = random.pick(["LONG", "SHORT"] as const);
  const heldLots = owner.sideLots[positionSide === "LONG" ? LONG : SHORT];
  const isClosing = heldLots > 0 && random.chance(0.5);
  const spread = Math.max(3, Math.round(market.mark.ticks * random.pick([0.001, 0.02, 0.2])));
  return {
    user: owner.account.user,
    market,
    side: (positionSide === "LONG") !== isClosing ? "BUY" : "SELL",
    positionSide,
    orderType: "LIMIT",
    timeInForce: random.pick(["GTC", "GTC", "IOC"]),
    price: null,
    priceTicks: Math.max(1, market.mark.ticks + random.integer(-spread, spread)),
    quantityLots: market.rules.minLots * random.integer(1, 40),
    quantity: "",
    clientOrderId: "",
    origin: "user",
    algoId: 0,
    targetPositionId: 0,
    attached: null,
  };
}

/** What a match changes, on pictures and for real. Returns what was seen, for the coverage. */
function settleAndCompare(fixture: TradingFixture, taker: ContractTaker, match: BookMatch): string {
  const { context, state } = fixture;
  const { ledger } = state;
  const sides = [match.maker, match.taker];
  const pictures = new Map<SymbolAccount, AccountPicture>();
  const wasDue = new Map<SymbolAccount, boolean>();
  for (const side of sides) {
    const picture = pictures.get(side.owner) ?? AccountPicture.of(ledger, side.owner);
    pictures.set(side.owner, picture);
    wasDue.set(side.owner, isCrossDue(ledger, side.owner.account));
    picture.apply(match, side);
  }
  settleMatch(context, taker, match);
  for (const picture of pictures.values()) compare(fixture, picture);
  for (const { owner, isClosing, positionSide } of sides) {
    const isDue = isCrossDue(ledger, owner.account);
    assert.ok(!isDue || (isClosing && wasDue.get(owner)), "nothing is due that was not");
    if (isClosing || owner.marginType === "CROSSED") continue;
    assert.ok(!owner.positions[positionSide].some(isPositionDue), "no isolated one either");
  }
  const { maker } = match;
  const what = (isClosing: boolean) => (isClosing ? "closes" : "opens");
  const { marginType, separatedType } = maker.owner;
  const whose = maker.owner === taker.owner ? "itself" : "another";
  const both = `${what(maker.isClosing)} ${what(match.taker.isClosing)}`;
  return `${marginType} ${separatedType} ${both} ${whose}`;
}

/** As `matchTaker`, looking at each match. */
function matchAndCompare(fixture: TradingFixture, taker: ContractTaker, seen: Set<string>): void {
  const { context, state } = fixture;
  const { orders } = state.contract;
  const { limitTicks, market, quantityLots, side } = taker.terms;
  while (taker.filledLots < quantityLots && taker.ended === null) {
    const slot = market.book.bestOrder(side === 0 ? 1 : 0);
    if (slot === NONE || !isWithin(side, orders.priceTicks(slot), limitTicks)) break;
    const lots = Math.min(orders.openLots(slot), quantityLots - taker.filledLots);
    const match = planMatch(context, taker, slot, lots);
    if (!makerCanSettle(context, match)) {
      seen.add(match.maker.isClosing ? "maker must not close" : "maker must not open");
      endRestingOrder(context, slot, "margin-not-enough");
    } else if (takerCanSettle(context, match)) {
      seen.add(settleAndCompare(fixture, taker, match));
    } else {
      seen.add(match.taker.isClosing ? "taker must not close" : "taker must not open");
      taker.ended = "margin-not-enough";
    }
  }
}

test("a picture after a match is the account after settling it", () => {
  const seen = new Set<string>();
  let wholly = 0;
  for (let run = 0; run < scaled(60); run++) {
    const { fixture, owners } = randomTrading(random);
    const elsewhere = openElsewhere(fixture, owners);
    const { context, market } = fixture;
    for (let i = 0; i < 300; i++) {
      const checked = checkOrder(context, randomRequest(market, random.pick(owners)));
      if (checked.ok) {
        const taker = beginTaker(context, checked.value);
        const isWhole = isFillableAtOnce(context, taker);
        matchAndCompare(fixture, taker, seen);
        assert.equal(taker.filledLots === taker.terms.quantityLots, isWhole);
        if (isWhole) wholly++;
        finishTaker(context, taker);
      }
      if (random.chance(0.1)) {
        const move = Math.ceil(market.mark.ticks * random.pick([0.001, 0.02, 0.1]));
        market.mark.ticks = Math.max(20, market.mark.ticks + random.integer(-move, move));
        elsewhere.mark.ticks = OTHER_TICKS + random.integer(-2_000, 2_000);
      }
    }
  }
  assert.ok(wholly > 0);
  for (const marginType of ["ISOLATED", "CROSSED"]) {
    for (const separatedType of ["COMBINED", "SEPARATED"]) {
      for (const what of ["opens opens", "opens closes", "closes opens", "closes closes"]) {
        for (const whose of ["itself", "another"]) {
          assert.ok(seen.has(`${marginType} ${separatedType} ${what} ${whose}`), what);
        }
      }
    }
  }
  for (const role of ["maker", "taker"]) {
    for (const what of ["open", "close"]) assert.ok(seen.has(`${role} must not ${what}`), what);
  }
});

/** Everything that an order may change, but for what it is told of itself. */
function everything(fixture: TradingFixture, owners: readonly SymbolAccount[]) {
  const { contract } = fixture.state;
  return owners.map((owner) => ({
    cash: fixture.available(owner),
    frozen: fixture.orderMargin(owner),
    positions: SIDES.map((side) => figuresOf(owner.positions[side])),
    orders: openOrderSlots(contract, owner.account.user.uid, () => true).map((slot) => {
      return [contract.orders.orderId(slot), contract.orders.openLots(slot)];
    }),
  }));
}

test("fill or kill fills whole, or changes nothing and cancels no maker", () => {
  const ends = new Set<string>();
  let skipped = 0;
  for (let run = 0; run < scaled(40); run++) {
    const { fixture, owners } = randomTrading(random);
    for (let i = 0; i < 300; i++) {
      const owner = random.pick(owners);
      const isFok = random.chance(0.5);
      const before = everything(fixture, owners);
      const sinceEvent = fixture.events.length;
      const placed = placeAtRandom(random, fixture, owner, isFok ? "FOK" : "GTC");
      const isMarket = fixture.events.slice(sinceEvent).some((event) => {
        return event.type === "contract-order-ended" && event.orderType === "MARKET";
      });
      if (!placed.ok || !isFok || isMarket) continue;
      const end = fixture.endOf(placed.value.orderId);
      ends.add(end);
      const emitted = fixture.events.slice(sinceEvent);
      if (end === "filled") {
        const unfit = emitted.filter((event) => {
          return event.type === "contract-order-ended" && event.reason === "margin-not-enough";
        });
        skipped += unfit.length;
        continue;
      }
      assert.equal(end, "not-fillable-at-once");
      assert.deepEqual(everything(fixture, owners), before);
      const types = emitted.map(({ type }) => type);
      assert.deepEqual(types, ["contract-order-ended"]);
      if (random.chance(0.2)) {
        const { mark } = fixture.market;
        const move = Math.ceil(mark.ticks * random.pick([0.001, 0.02, 0.1]));
        mark.ticks = Math.max(20, mark.ticks + random.integer(-move, move));
      }
    }
    fixture.check();
  }
  assert.deepEqual([...ends].sort(), ["filled", "not-fillable-at-once"]);
  assert.ok(skipped > 0, "makers that a fill did not fit were left out, and ended");
});
