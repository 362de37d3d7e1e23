/**
 * Goal: the full check is silent on a sound state, and notices when anything that it watches over
 * is off by as little as one. Method: a state with cross and isolated positions, resting orders and
 * conditional orders of every status is damaged in one place at a time.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { SYMBOL, TradingFixture } from "../../../test/support/engine/trading-fixture.ts";
import {
  CONTRACT_AVAILABLE,
  CONTRACT_ORDER_MARGIN,
  CONTRACT_POSITION_MARGIN,
} from "../ledger/ledger.ts";
import { checkInvariants } from "../views/invariants.ts";
import { placeConditionalOrder } from "./conditional/conditional-orders.ts";
import { checkContracts } from "./invariants.ts";
import { setIndexPrice } from "./prices/prices.ts";
import { runRisk } from "./risk/risk-loop.ts";
import {
  type ConditionalOrder,
  LONG,
  Position,
  SHORT,
  type SymbolAccount,
} from "./state/contract-market.ts";

/** Two who hold against each other, one cross and one isolated, with orders of every kind. */
class SoundFixture extends TradingFixture {
  readonly cross = this.addUser(1001, "100000");
  readonly isolated = this.addUser(1002, "100000", "ISOLATED");
  /** By status: NEW, UNTRIGGERED, TRIGGERED. */
  readonly rows: Record<string, ConditionalOrder> = {};

  constructor() {
    super();
    this.index("60000");
    this.place(this.cross, "BUY LONG", "1", "60000");
    this.place(this.isolated, "SELL SHORT", "1", "60000");
    this.place(this.cross, "BUY LONG", "0.2", "59000", { slTriggerPrice: "58000" });
    this.place(this.cross, "SELL LONG", "0.3", "62000");
    this.place(this.isolated, "SELL SHORT", "0.4", "61000");
    this.#conditional("59500", "61500");
    this.#conditional("59000", "");
    // The first one's child comes to rest above the market.
    this.index("59500");
    this.#end();
    this.index("60000");
    this.#end();
    for (const row of this.state.contract.triggerIndex.byId.values()) this.rows[row.status] = row;
  }

  index(price: string): void {
    const set = { type: "set-index-price", actor: "", symbol: SYMBOL, price, force: true } as const;
    assert.ok(setIndexPrice(this.context, set).ok);
  }

  row(status: string): ConditionalOrder {
    const row = this.rows[status];
    assert.ok(row !== undefined, status);
    return row;
  }

  violations(): string[] {
    const violations: string[] = [];
    checkContracts(this.state, violations);
    return violations;
  }

  #conditional(triggerPrice: string, price: string): void {
    const placed = placeConditionalOrder(this.context, {
      type: "place-algo-order",
      uid: this.cross.account.user.uid,
      symbol: SYMBOL,
      side: "SELL",
      positionSide: "LONG",
      orderType: price === "" ? "STOP_MARKET" : "STOP",
      quantity: "0.1",
      closePosition: false,
      isTpSl: false,
      triggerPrice,
      price,
      workingType: "MARK_PRICE",
      clientAlgoId: `algo${triggerPrice}${price}`,
      presetTakeProfitPrice: null,
      presetStopLossPrice: null,
      tpWorkingType: "CONTRACT_PRICE",
      slWorkingType: "CONTRACT_PRICE",
      callbackRate: "",
      activationPrice: null,
    });
    assert.ok(placed.ok, JSON.stringify(placed));
  }

  #end(): void {
    this.context.stepsLeft = 1000;
    runRisk(this.context);
    this.state.timestampMs = this.context.nowMs;
  }
}

type Damage = (fixture: SoundFixture) => void;

function give(
  owner: SymbolAccount,
  kind: number,
  amountMinor: bigint,
  fixture: SoundFixture,
): void {
  const account = owner.account.base + kind;
  const { ledger } = fixture.state;
  ledger.restore(account, ledger.balance(account) + amountMinor);
}

const DAMAGES: Record<string, Damage> = {
  "order margin too high": (fixture) => give(fixture.cross, CONTRACT_ORDER_MARGIN, 1n, fixture),
  "order margin too low": (fixture) => give(fixture.isolated, CONTRACT_ORDER_MARGIN, -1n, fixture),
  "position margin": (fixture) => give(fixture.isolated, CONTRACT_POSITION_MARGIN, 1n, fixture),
  "position margin of a cross account": (fixture) =>
    give(fixture.cross, CONTRACT_POSITION_MARGIN, 1n, fixture),
  "negative cash": (fixture) =>
    give(fixture.isolated, CONTRACT_AVAILABLE, -100_000n * 10n ** 8n, fixture),
  "negative equity": (fixture) =>
    give(fixture.cross, CONTRACT_AVAILABLE, -200_000n * 10n ** 8n, fixture),
  "running sum of margins": ({ isolated }) => {
    isolated.account.isolatedMarginMinor += 1n;
  },
  "margin of a position": (fixture) => {
    fixture.position(fixture.isolated, SHORT).marginMinor += 1n;
  },
  "size of a position": (fixture) => {
    fixture.position(fixture.cross, LONG).sizeLots -= 1;
  },
  "what a position was opened with": (fixture) => {
    fixture.position(fixture.cross, LONG).cumOpenLots += 1n;
  },
  "open value of a position": (fixture) => {
    fixture.position(fixture.cross, LONG).openValueMinor += 1n;
  },
  "size of a side": ({ cross }) => {
    cross.sideLots[LONG]++;
  },
  "lots about to open": ({ cross }) => {
    cross.restingOpenLots[LONG]++;
  },
  "lots about to close": ({ cross }) => {
    cross.restingCloseLots[LONG]++;
  },
  "open orders": ({ isolated }) => {
    isolated.openOrders++;
  },
  "conditional orders": ({ cross }) => {
    cross.conditionalOrders--;
  },
  "open lots of the market": ({ market }) => {
    market.openLots[SHORT] += 1n;
  },
  "open value of the market": ({ market }) => {
    market.openValueMinor[LONG] += 1n;
  },
  "positions of the market": ({ market }) => market.positions.clear(),
  "cross positions of the account": ({ cross }) => cross.account.crossPositions.pop(),
  "a position that is not known": (fixture) => {
    const { positionId } = fixture.position(fixture.cross, LONG);
    fixture.state.contract.positions.delete(positionId);
  },
  "two positions of a side": (fixture) => {
    const { cross, state } = fixture;
    const terms = { ...fixture.position(cross, LONG), owner: cross, sequence: 1, nowMs: 1 };
    const twin = Object.assign(new Position({ ...terms, positionId: 999 }), { sizeLots: 1 });
    cross.positions[LONG].push(twin);
    state.contract.positions.set(999, twin);
  },
  "another margin type": ({ isolated }) => {
    isolated.marginType = "CROSSED";
  },
  "profit in clearing": ({ state }) => {
    const clearing = state.ledger.houseAccount(0, "pnl-clearing");
    state.ledger.restore(clearing, state.ledger.balance(clearing) + 1n);
  },
  "funding in clearing": ({ state }) => {
    state.ledger.restore(state.ledger.houseAccount(0, "funding-clearing"), 1n);
  },
  "an order that the book does not have": ({ market, state }) => {
    const slot = state.contract.orders.firstOwn(1002);
    market.book.remove(slot);
  },
  "a waiting row that nobody watches": (fixture) =>
    fixture.state.contract.triggerIndex.unwatch(fixture.row("UNTRIGGERED")),
  "a row that waits too early": (fixture) =>
    fixture.state.contract.triggerIndex.watch(fixture.row("NEW")),
  "a row that was forgotten": (fixture) =>
    fixture.state.contract.triggerIndex.remove(fixture.row("UNTRIGGERED")),
  "a row at another trigger": (fixture) => {
    fixture.row("UNTRIGGERED").triggerTicks = 700_000;
  },
  "a row without its child": (fixture) => {
    fixture.row("TRIGGERED").actualOrderId = 999;
  },
  "a row that is over": (fixture) => {
    fixture.row("TRIGGERED").status = "FILLED";
  },
  "a mark that nobody saw": ({ market }) => {
    market.mark.ticks = 590_000;
  },
  "a position that is due": (fixture) => {
    fixture.index("200000");
  },
};

test("a sound state has no violations", () => {
  const fixture = new SoundFixture();
  assert.deepEqual(fixture.violations(), []);
  assert.deepEqual(Object.keys(fixture.rows).sort(), ["NEW", "TRIGGERED", "UNTRIGGERED"]);
});

for (const [name, damage] of Object.entries(DAMAGES)) {
  test(`notices: ${name}`, () => {
    const fixture = new SoundFixture();
    damage(fixture);
    assert.notDeepEqual(fixture.violations(), []);
  });
}

/** What is said of some of them, each of which several checks notice. */
const NAMED: Readonly<Record<string, RegExp>> = {
  "size of a position": /BTCUSDT: \d+ lots long against \d+ short/,
  "open lots of the market": /BTCUSDT: open lots are miscounted/,
  "open value of the market": /BTCUSDT: open value is miscounted/,
  "positions of the market": /BTCUSDT: positions are miscounted/,
};

for (const [name, violation] of Object.entries(NAMED)) {
  test(`says what is wrong: ${name}`, () => {
    const fixture = new SoundFixture();
    DAMAGES[name]?.(fixture);
    assert.match(fixture.violations().join("\n"), violation);
  });
}

test("an operator is told, with what is wrong elsewhere", () => {
  const fixture = new SoundFixture();
  fixture.isolated.openOrders++;
  const found = fixture.violations();
  assert.ok(found.length > 0);
  const { violations } = checkInvariants(fixture.state);
  for (const violation of found) assert.ok(violations.includes(violation), violation);
});
