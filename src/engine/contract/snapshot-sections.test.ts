/**
 * Goal: a restored state is the state: the same canonical form, and from then on the same answers,
 * events and timers as in the process that never stopped. Method: random contract traffic with
 * prices that jump, so that there are triggers, liquidations and funding, runs through one engine
 * that lives on and one that is put through a snapshot every few commands, under another key of its
 * hash tables; after each snapshot the full check. Then numbers that no traffic would come to. And:
 * a state without contracts has the sections that it had before there were any.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import test from "node:test";
import { EXAMPLE_RULES, TradingFixture } from "../../../test/support/engine/trading-fixture.ts";
import { HASH_KEY, OTHER_HASH_KEY } from "../../../test/support/hash-key.ts";
import { Random, scaled, seededRandom } from "../../../test/support/random.ts";
import {
  ALGO_ORDER_TYPES,
  type EndReason,
  POSITION_SIDES,
  SIDES,
  TIMES_IN_FORCE,
  WORKING_TYPES,
} from "../../domain/index.ts";
import {
  ByteWriter,
  type Command,
  type Event,
  type InvariantsView,
  readEvents,
} from "../../protocol/index.ts";
import { Engine } from "../engine.ts";
import { RULES_VERSION } from "../rules-version.ts";
import { restoreState, snapshotSections } from "../snapshot.ts";
import { contractMarketTexts } from "./markets.ts";
import { contractBookVersion } from "./state/contract-market.ts";

const seed = seededRandom("contract snapshots").seed;
const START_MS = Date.UTC(2026, 0, 1, 7, 59);
const UIDS = [1001, 1002, 1003, 1004, 1005];
const SYMBOLS = ["BTCUSDT", "ETHUSDT"] as const;
const CENTRE_TICKS = { BTCUSDT: 600_000, ETHUSDT: 300_000 } as const;

const sha256 = (parts: readonly Uint8Array[]): string => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

/** Two engines in step: what one does, the other must do. */
class Twins {
  readonly steady = Engine.create(sha256, HASH_KEY);
  restored = Engine.create(sha256, OTHER_HASH_KEY);
  sequence = 0;
  nowMs = START_MS;
  /** The latest positions: ids that are worth to be named. */
  positions: { readonly uid: number; readonly positionId: number }[] = [];
  /** The latest conditional orders. */
  conditionalOrders: { readonly uid: number; readonly algoId: number }[] = [];
  /** Types of events, and of what is worth to have happened. */
  readonly seen = new Set<string>();

  execute(command: Command): boolean {
    const before = new ByteWriter();
    const after = new ByteWriter();
    const sequence = this.sequence + 1;
    const result = this.steady.apply(command, sequence, this.nowMs, before);
    const other = this.restored.apply(command, sequence, this.nowMs, after);
    assert.deepEqual(other, result, JSON.stringify(command));
    const events = [...readEvents(before.toBytes())];
    if (Buffer.compare(before.toBytes(), after.toBytes()) !== 0) {
      assert.deepEqual([...readEvents(after.toBytes())], events, JSON.stringify(command));
    }
    if (events.length > 0) this.sequence = sequence;
    for (const event of events) this.#note(event);
    assert.equal(this.restored.hasUnfinishedRisk, this.steady.hasUnfinishedRisk);
    if (this.steady.hasUnfinishedRisk) {
      this.seen.add("slice");
      this.restart();
      this.execute({ type: "continue-risk" });
    }
    return result.ok;
  }

  /** Time goes on, with everything that is due on the way. */
  wait(byMs: number): void {
    this.nowMs += byMs;
    assert.equal(this.restored.nextDueMs, this.steady.nextDueMs);
    if (this.steady.nextDueMs <= this.nowMs) {
      this.execute({ type: "advance-time", toMs: this.nowMs });
    }
  }

  restart(): void {
    const sections = this.restored.snapshotSections();
    const { timestampMs } = this.restored;
    this.restored = Engine.restore(sections, timestampMs, sha256, HASH_KEY);
    assert.deepEqual(this.restored.snapshotSections(), sections);
    assert.equal(this.restored.stateHash(), this.steady.stateHash());
    for (const engine of [this.steady, this.restored]) {
      const answer = engine.query({ type: "invariants" }, this.nowMs);
      assert.ok(answer.ok);
      assert.deepEqual((answer.value as InvariantsView).violations, []);
    }
  }

  #note(event: Event): void {
    this.seen.add(event.type);
    if (event.type === "position-opened") {
      const { uid, positionId } = event;
      this.positions = [{ uid, positionId }, ...this.positions].slice(0, 20);
    }
    if (event.type === "algo-order-changed") {
      this.seen.add(`algo ${event.status}`);
      const { uid, algoId } = event;
      this.conditionalOrders = [{ uid, algoId }, ...this.conditionalOrders].slice(0, 20);
    }
    if (event.type === "contract-trade") this.seen.add(`trade ${event.kind}`);
    if (event.type === "contract-order-ended") this.seen.add(`end ${event.reason}`);
  }
}

function setUp(twins: Twins): void {
  const actor = "operator";
  const commands: Command[] = [
    { type: "adopt-rules", version: RULES_VERSION },
    ...["USDT", "BTC", "ETH"].map((asset, coinId): Command => {
      return { type: "set-asset", actor, asset, coinId, name: asset, scale: 8 };
    }),
    ...SYMBOLS.map((symbol): Command => {
      const baseAsset = symbol.slice(0, 3);
      const tiers = [
        { maxNotional: "60000", maintenanceMarginRate: "0.005", maxLeverage: 100 },
        { maxNotional: "150000", maintenanceMarginRate: "0.01", maxLeverage: 50 },
        { maxNotional: "10000000", maintenanceMarginRate: "0.02", maxLeverage: 20 },
      ];
      // Fees that seldom come to whole units, and slots that not every minute is.
      const fees = { makerFeeRate: "0.00013333", takerFeeRate: "0.00077777" };
      return { ...EXAMPLE_RULES, ...fees, symbol, baseAsset, tiers, fundingIntervalMinutes: 2 };
    }),
    ...UIDS.map((uid): Command => {
      const inviteCode = `invite-${uid}`;
      return { type: "register-user", actor, uid, inviteCode, invitedWith: null, kyc: false };
    }),
    ...UIDS.map((uid): Command => {
      const requestId = `deposit-${uid}`;
      const amount = uid === 1001 ? "1000000" : "6000";
      return {
        type: "deposit-funds",
        actor,
        requestId,
        uid,
        wallet: "contract",
        asset: "USDT",
        amount,
      };
    }),
    { type: "deposit-insurance", actor, requestId: "insurance", asset: "USDT", amount: "500" },
  ];
  for (const command of commands) assert.ok(twins.execute(command), JSON.stringify(command));
  for (const symbol of SYMBOLS) setIndex(twins, symbol, CENTRE_TICKS[symbol]);
}

function price(ticks: number): string {
  return `${Math.floor(ticks / 10)}.${ticks % 10}`;
}

function setIndex(twins: Twins, symbol: string, ticks: number): void {
  twins.execute({
    type: "set-index-price",
    actor: "operator",
    symbol,
    price: price(ticks),
    force: true,
  });
}

/** Around the centre, by at most so many per mille. */
function near(random: Random, symbol: keyof typeof CENTRE_TICKS, perMille: number): string {
  const centre = CENTRE_TICKS[symbol];
  const span = Math.floor((centre * perMille) / 1000);
  return price(centre + random.integer(-span, span));
}

let ids = 0;

function orderCommand(random: Random): Command {
  const symbol = random.pick(SYMBOLS);
  const isMarket = random.chance(0.15);
  const hasTriggers = random.chance(0.3);
  const side = random.pick(SIDES);
  const ticks = (perMille: number) => price(Math.floor((CENTRE_TICKS[symbol] * perMille) / 1000));
  const [high, low] = [ticks(random.integer(1010, 1060)), ticks(random.integer(940, 990))];
  return {
    type: "place-contract-order",
    uid: random.pick(UIDS),
    symbol,
    side,
    positionSide: random.pick(POSITION_SIDES),
    orderType: isMarket ? "MARKET" : "LIMIT",
    timeInForce: random.chance(0.8) ? "GTC" : random.pick(TIMES_IN_FORCE),
    price: isMarket ? "" : near(random, symbol, 12),
    quantity: `0.${random.integer(1, 900).toString().padStart(3, "0")}`,
    clientOrderId: `order-${++ids}`,
    tpTriggerPrice: hasTriggers ? (side === "BUY" ? high : low) : null,
    slTriggerPrice: hasTriggers && random.chance(0.7) ? (side === "BUY" ? low : high) : null,
    tpWorkingType: random.pick(WORKING_TYPES),
    slWorkingType: random.pick(WORKING_TYPES),
  };
}

function conditionalCommand(random: Random): Command {
  const symbol = random.pick(SYMBOLS);
  const orderType = random.pick(ALGO_ORDER_TYPES);
  const isTrailing = orderType === "TRAILING_STOP_MARKET";
  const hasPrice = orderType === "STOP" || orderType === "TAKE_PROFIT";
  const closePosition = random.chance(0.2);
  return {
    type: "place-algo-order",
    uid: random.pick(UIDS),
    symbol,
    side: random.pick(SIDES),
    positionSide: random.pick(POSITION_SIDES),
    orderType,
    quantity: closePosition ? "" : `0.${random.integer(1, 9)}`,
    closePosition,
    isTpSl: random.chance(0.3),
    triggerPrice: isTrailing ? "" : near(random, symbol, 40),
    price: hasPrice ? near(random, symbol, 30) : "",
    workingType: isTrailing ? "CONTRACT_PRICE" : random.pick(WORKING_TYPES),
    clientAlgoId: `algo-${++ids}`,
    presetTakeProfitPrice: random.chance(0.2) ? near(random, symbol, 50) : null,
    presetStopLossPrice: random.chance(0.2) ? near(random, symbol, 50) : null,
    tpWorkingType: random.pick(WORKING_TYPES),
    slWorkingType: random.pick(WORKING_TYPES),
    callbackRate: isTrailing ? `${random.integer(1, 3)}` : "",
    activationPrice: isTrailing && random.chance(0.5) ? near(random, symbol, 20) : null,
  };
}

function settingCommand(random: Random, twins: Twins): Command {
  const uid = random.pick(UIDS);
  const symbol = random.pick(SYMBOLS);
  const kind = random.next();
  if (kind < 0.3) {
    const crossLeverage = random.integer(5, 100);
    const isolatedLongLeverage = random.chance(0.5) ? random.integer(5, 100) : null;
    return {
      type: "set-leverage",
      uid,
      symbol,
      marginType: null,
      crossLeverage,
      isolatedLongLeverage,
      isolatedShortLeverage: isolatedLongLeverage,
    };
  }
  if (kind < 0.6) {
    const marginType = random.pick(["CROSSED", "ISOLATED", "ISOLATED"] as const);
    const separatedType = random.pick(["COMBINED", "SEPARATED", null] as const);
    return { type: "set-margin-type", uid, symbol, marginType, separatedType };
  }
  if (kind < 0.7) return { type: "close-positions", uid, symbol, positionId: null };
  const position = random.pick([...twins.positions, { uid, positionId: 1 }]);
  if (kind < 0.8) return { type: "set-auto-append-margin", ...position, enabled: true };
  const direction = random.pick(["add", "remove"] as const);
  return { type: "move-position-margin", ...position, amount: "1.5", direction };
}

function otherCommand(random: Random, twins: Twins): Command {
  const symbol = random.pick(SYMBOLS);
  const actor = "operator";
  const kind = random.next();
  const uid = random.pick(UIDS);
  if (kind < 0.5) {
    const perMille = random.pick([5, 20, 50, 80]);
    return {
      type: "set-index-price",
      actor,
      symbol,
      price: near(random, symbol, perMille),
      force: true,
    };
  }
  if (kind < 0.6) {
    const pinned = random.chance(0.4) ? near(random, symbol, 50) : null;
    return { type: "pin-mark-price", actor, symbol, price: pinned };
  }
  if (kind < 0.75) return { type: "cancel-all-contract-orders", uid, symbol };
  if (kind < 0.8) return { type: "cancel-all-algo-orders", uid, symbol: null };
  if (kind < 0.95) {
    return {
      type: "modify-algo-order",
      ...random.pick([...twins.conditionalOrders, { uid, algoId: 1 }]),
      triggerPrice: near(random, symbol, 40),
      executePrice: null,
      workingType: null,
    };
  }
  const state = random.pick(["trading", "trading", "trading", "cancel-only"] as const);
  return { type: "set-contract-market-state", actor, symbol, state };
}

function step(random: Random, twins: Twins): void {
  const kind = random.next();
  if (kind < 0.55) twins.execute(orderCommand(random));
  else if (kind < 0.7) twins.execute(conditionalCommand(random));
  else if (kind < 0.78) twins.execute(settingCommand(random, twins));
  else if (kind < 0.92) twins.execute(otherCommand(random, twins));
  else twins.wait(random.pick([1, 700, 1000, 5000, 31_000, 61_000]));
}

const WORTH_SEEING: readonly string[] = [
  "funding-settled",
  "liquidation-finished",
  "position-margin-moved",
  "trade liquidation",
  "trade adl",
  "algo NEW",
  "algo UNTRIGGERED",
  "algo TRIGGERED",
  "algo FILLED",
  "algo CANCELED",
  ...(["filled", "position-closed", "liquidation"] satisfies EndReason[]).map(
    (end) => `end ${end}`,
  ),
];

test("a restored state goes on like the one that it was taken of", () => {
  const random = new Random(seed);
  const seen = new Set<string>();
  // Long enough for what is rare; then as many more as asked for.
  const isAllSeen = (): boolean => WORTH_SEEING.every((what) => seen.has(what));
  for (let run = 0; run < scaled(3) || (run < 20 && !isAllSeen()); run++) {
    const twins = new Twins();
    setUp(twins);
    for (let i = 0; i < 700; i++) {
      step(random, twins);
      if (random.chance(0.03)) twins.restart();
    }
    twins.restart();
    for (const what of twins.seen) seen.add(what);
  }
  for (const what of WORTH_SEEING) assert.ok(seen.has(what), `no run has seen: ${what}`);
});

test("a cascade that was cut goes on in a restored state", () => {
  const twins = new Twins();
  setUp(twins);
  const none = { presetTakeProfitPrice: null, presetStopLossPrice: null, activationPrice: null };
  const types = { tpWorkingType: "CONTRACT_PRICE", slWorkingType: "CONTRACT_PRICE" } as const;
  for (let i = 0; i < 1000; i++) {
    const order: Command = {
      type: "place-algo-order",
      uid: UIDS[i % 5] as number,
      symbol: "BTCUSDT",
      side: "BUY",
      positionSide: "LONG",
      orderType: "STOP",
      quantity: "0.001",
      closePosition: false,
      isTpSl: false,
      triggerPrice: price(601_000 - (i % 7)),
      price: "60200.5",
      workingType: "MARK_PRICE",
      clientAlgoId: `algo-${++ids}`,
      ...none,
      ...types,
      callbackRate: "",
    };
    assert.ok(twins.execute(order));
  }
  // And one liquidation more, after all of the triggers.
  for (const side of SIDES) {
    const entry: Command = {
      type: "place-contract-order",
      uid: side === "BUY" ? 1001 : 1002,
      symbol: "BTCUSDT",
      side,
      positionSide: side === "BUY" ? "LONG" : "SHORT",
      orderType: "LIMIT",
      timeInForce: "GTC",
      price: "60000",
      quantity: "1",
      clientOrderId: `order-${++ids}`,
      tpTriggerPrice: null,
      slTriggerPrice: null,
      ...types,
    };
    assert.ok(twins.execute(entry));
  }
  setIndex(twins, "BTCUSDT", 670_000);
  assert.ok(twins.seen.has("slice"));
  assert.ok(twins.seen.has("algo TRIGGERED"));
  assert.ok(twins.seen.has("liquidation-finished"));
  twins.restart();
});

test("nothing of a market, an account or a position is left out", () => {
  const fixture = new TradingFixture();
  const owner = fixture.addUser(1001, "100000", "ISOLATED");
  fixture.setMark("60000");
  fixture.place(owner, "SELL SHORT", "0.5", "60000");
  fixture.place(owner, "BUY LONG", "0.5", "60000");
  const { contract } = fixture.state;
  let next = 1000;
  // Whatever is a number gets one of its own.
  const scramble = (part: object, except: readonly string[]): void => {
    for (const [name, value] of Object.entries(part)) {
      if (except.includes(name)) continue;
      const changed = typeof value === "bigint" ? BigInt(next++) : next++;
      if (typeof value === "bigint" || typeof value === "number") {
        Object.assign(part, { [name]: changed });
      } else if (typeof value === "boolean") Object.assign(part, { [name]: !value });
    }
  };
  const [position] = owner.positions[0];
  assert.ok(position !== undefined);
  scramble(position, ["positionId", "side", "riskSlot", "separatedOpenOrderId"]);
  const { market } = fixture;
  const { funding, indexPrice, insuranceDraws, mark, sampler } = market;
  for (const part of [funding, indexPrice, insuranceDraws, mark, sampler]) scramble(part, []);
  indexPrice.source = "spot";
  indexPrice.spotSamples.push({ atMs: next++, halfTicks: next++ });
  mark.samples.push({ atMs: next++, halfTicks: -next++ });
  market.lastTicks = next++;
  market.bookVersionBase += next++;
  owner.account.heldAtRevision = next++;
  owner.crossLeverage = 7;
  owner.isolatedLeverage[0] = 8;
  owner.separatedType = "SEPARATED";
  Object.assign(contract, { unfinishedRisk: true, timersToMs: next++, liquidityRevision: next++ });

  const limits = { insuranceSlippageE8: 1, insuranceDrawLimitE8: 0, indexStepLimitE8: 2 };
  market.rules = { ...market.rules, ...limits };

  const sections = snapshotSections(fixture.state);
  const restored = restoreState(sections, START_MS, HASH_KEY);
  const other = restored.contract.markets[0];
  assert.ok(other !== undefined);
  for (const name of ["funding", "indexPrice", "mark", "sampler", "lastTicks", "state"] as const) {
    assert.deepEqual(other[name], market[name], name);
  }
  assert.deepEqual(other.insuranceDraws, insuranceDraws);
  assert.equal(contractBookVersion(other), contractBookVersion(market));
  assert.deepEqual(contractMarketTexts(other), contractMarketTexts(market));
  const again = restored.contract.positions.get(position.positionId);
  assert.ok(again !== undefined);
  const bare = { owner: null, riskSlot: 0 };
  assert.deepEqual({ ...again, ...bare }, { ...position, ...bare });
  const { account, isolatedLeverage, crossLeverage, marginType, separatedType } = again.owner;
  assert.deepEqual(
    [account.heldAtRevision, isolatedLeverage, crossLeverage, marginType, separatedType],
    [owner.account.heldAtRevision, [8, 20], 7, "ISOLATED", "SEPARATED"],
  );
  const { unfinishedRisk, timersToMs, liquidityRevision } = restored.contract;
  assert.deepEqual(
    [unfinishedRisk, timersToMs, liquidityRevision],
    [true, contract.timersToMs, contract.liquidityRevision],
  );
  assert.deepEqual(snapshotSections(restored), sections);
});

test("a market has rows for its limits only where they are not the defaults", () => {
  const names = (limits: object): string[] => {
    const fixture = new TradingFixture();
    fixture.market.rules = { ...fixture.market.rules, ...limits };
    return snapshotSections(fixture.state).map(({ name }) => name);
  };
  const isWritten = (limits: object): boolean => names(limits).includes("contract-protection");
  assert.equal(isWritten({}), false);
  assert.ok(isWritten({ insuranceSlippageE8: 200_001 }));
  assert.ok(isWritten({ insuranceDrawLimitE8: 0 }));
  assert.ok(isWritten({ indexStepLimitE8: 9_999_999 }));
});

test("without contracts there are the sections that there were before", () => {
  const engine = Engine.create(sha256, HASH_KEY);
  const writer = new ByteWriter();
  engine.apply({ type: "adopt-rules", version: RULES_VERSION }, 1, START_MS, writer);
  const asset = { asset: "USDT", coinId: 1, name: "Tether", scale: 8 };
  engine.apply({ type: "set-asset", actor: "", ...asset }, 2, START_MS, writer);
  const names = engine.snapshotSections().map(({ name }) => name);
  assert.deepEqual(names, [
    "meta",
    "assets",
    "house-balances",
    "users",
    "user-fee-rates",
    "user-balances",
    "spot-markets",
    "spot-tickers",
    "client-orders",
    "spot-orders",
    "api-keys",
    "funds-movements",
  ]);
});
