/**
 * The reference exchange of contracts: one branch per command, settings and margins, and the loop
 * over everything due after each command. Written from the rules alone; it shares only the
 * vocabulary with the engine.
 */
import type { PositionSide, RejectReason } from "../../../src/domain/index.ts";
import type { Command, CommandOf } from "../../../src/protocol/index.ts";
import { least, text, times } from "../../support/exact.ts";
import { accepted, type NaiveEvent, type NaiveOutcome, refused } from "../naive-accounts.ts";
import { readMoney } from "../naive-rules.ts";
import { contractRulesReasons } from "./naive-contract-rules.ts";
import {
  type NaiveContractMarket,
  type NaiveContractRules,
  type NaivePosition,
  type NaiveSettings,
  readContractRules,
} from "./naive-contract-state.ts";
import { NaiveLiquidation } from "./naive-liquidation.ts";
import { Refusal } from "./naive-positions.ts";
import { up } from "./rounding.ts";

const LEVERAGES = [
  ["cross", "crossLeverage"],
  ["LONG", "isolatedLongLeverage"],
  ["SHORT", "isolatedShortLeverage"],
] as const;

export class NaiveContractExchange extends NaiveLiquidation {
  /** Carries out everything that is due until a moment; what happened then. */
  advance(toMs: number, sequence: number): readonly NaiveEvent[] {
    this.log = [];
    this.sequence = sequence;
    if (this.contracts.size === 0) this.skipTime(toMs);
    else this.passTime(toMs);
    return this.log;
  }

  /** Carries out a command as number `sequence`, with everything that follows from it. */
  carryOut(command: Command, nowMs: number, sequence: number): NaiveOutcome {
    this.nowMs = nowMs;
    this.sequence = sequence;
    this.log = [];
    try {
      const outcome = this.#apply(command, nowMs);
      if (!outcome.ok) return outcome;
      this.log.unshift(...outcome.events);
      this.noticeSpotBooks();
      if (this.log.length > 0) this.runRisk();
      return { ok: true, value: outcome.value, events: this.log };
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, reasons: error.reasons };
      throw error;
    }
  }

  #apply(command: Command, nowMs: number): NaiveOutcome {
    switch (command.type) {
      case "set-contract-market":
        return this.#setMarket(command);
      case "set-contract-market-state":
        return this.#setMarketState(command);
      case "set-index-price":
        return this.setIndex(command);
      case "pin-mark-price":
        return this.pinMark(command);
      case "set-funding-rate":
        return this.giveFundingRate(command);
      case "resume":
        return this.resume();
      case "amend-contract-order":
        return this.amendContract(command);
      case "place-contract-order":
        return this.placeContract(command);
      case "cancel-contract-order":
        return this.cancelContract(command);
      case "cancel-all-contract-orders":
        return this.cancelAllContract(command);
      case "close-positions":
        return this.closePositions(command);
      case "place-algo-order":
        return this.placeConditional(command);
      case "cancel-algo-order":
        return this.cancelConditional(command);
      case "cancel-all-algo-orders":
        return this.cancelAllConditional(command);
      case "modify-algo-order":
        return this.modifyConditional(command);
      case "set-leverage":
        return this.#setLeverage(command);
      case "set-margin-type":
        return this.#setMarginType(command);
      case "move-position-margin":
        return this.#moveMargin(command);
      case "set-auto-append-margin":
        return this.#setAutoAppend(command);
      default:
        return this.#applyElse(command, nowMs);
    }
  }

  #applyElse(command: Command, nowMs: number): NaiveOutcome {
    if (command.type !== "transfer-own-funds") {
      const outcome = this.apply(command, nowMs);
      const isDeposit = command.type === "deposit-insurance";
      if (isDeposit && outcome.ok && outcome.events.length > 0) this.liquidity++;
      return outcome;
    }
    return this.moveFunds(command);
  }

  protected override isListed(symbol: string, product: "spot" | "contract"): boolean {
    return product === "spot" ? super.isListed(symbol, product) : this.contracts.has(symbol);
  }

  #setMarket(command: CommandOf<"set-contract-market">): NaiveOutcome {
    const { symbol, state } = command;
    const present = this.contracts.get(symbol);
    const reasons = contractRulesReasons(command, this.assets);
    if (reasons.size > 0) return refused(...reasons);
    const rules = readContractRules(command, this.assets);
    if (present !== undefined) {
      if (this.#keepsGrid(present, rules)) return refused("conflict");
      if (present.state === "halted") this.releaseSwitches(this.nowMs);
      const isInterval = present.rules.intervalMs !== rules.intervalMs;
      present.rules = rules;
      present.state = state;
      if (isInterval) this.startTimers(present);
    } else {
      const market: NaiveContractMarket = {
        ...{ symbol, rules, state, last: 0n, indexPrice: 0n, indexMs: 0, indexSource: "none" },
        ...{
          spotMids: [],
          staleBook: null,
          pinned: 0n,
          mark: 0n,
          samples: [],
          liquidatesFromMs: 0,
          draw: null,
          premiums: [],
          lastRate: 0n,
          givenRate: null,
        },
        ...{ nextSlotMs: 0, pendingSlotMs: 0, resting: [] },
      };
      this.contracts.set(symbol, market);
      this.startTimers(market);
    }
    return accepted(null, [{ type: "contract-market-set" }]);
  }

  /** Ticks and lots change only while nobody waits, and ticks become finer. */
  #keepsGrid(market: NaiveContractMarket, { step, tick }: NaiveContractRules): boolean {
    const { indexPrice, last, mark, resting, rules, spotMids, symbol } = market;
    if (tick === rules.tick && step === rules.step) return false;
    const uids = [...this.users.keys()];
    const waits = uids.some((uid) => this.openConditionalOrders(uid, symbol).length > 0);
    const isHeld = this.positions.some((position) => position.symbol === symbol);
    const hasPrices = indexPrice > 0n || mark > 0n || last > 0n || spotMids.length > 0;
    const isCoarser = rules.tick % tick !== 0n && hasPrices;
    return resting.length > 0 || waits || (step !== rules.step && isHeld) || isCoarser;
  }

  #setMarketState({ symbol, state }: CommandOf<"set-contract-market-state">): NaiveOutcome {
    const market = this.market(symbol);
    if (market.state === "halted") this.releaseSwitches(this.nowMs);
    market.state = state;
    return accepted(null, [{ type: "contract-market-state-set" }]);
  }

  #setLeverage(command: CommandOf<"set-leverage">): NaiveOutcome {
    const { uid, symbol } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    const { rules } = this.market(symbol);
    const present = this.settings(uid, symbol);
    const wanted: NaiveSettings = { ...present };
    const reasons = new Set<RejectReason>();
    const asked = LEVERAGES.filter(([, field]) => command[field] !== null);
    if (asked.length === 0) reasons.add("malformed");
    if (command.marginType !== null && command.marginType !== present.marginType) {
      reasons.add("out-of-range");
    }
    for (const [name, field] of asked) {
      const leverage = command[field] as number;
      if (leverage < rules.minLeverage) reasons.add("out-of-range");
      wanted[name] = leverage;
      // What is set already stays, whatever the position has grown to.
      if (leverage === present[name]) continue;
      if (leverage > this.#mostLeverage(uid, symbol, name)) reasons.add("leverage-above-maximum");
    }
    const opens = this.openContractOrders(uid, symbol).filter((order) => !order.isClosing);
    const changes = LEVERAGES.some(([name]) => wanted[name] !== present[name]);
    if (changes && opens.length > 0) reasons.add("leverage-in-use");
    if (reasons.size > 0) return { ok: false, reasons };
    this.#changeLeverages(uid, symbol, present, wanted);
    return accepted({ symbol, ...settingsView(present) }, []);
  }

  #mostLeverage(uid: number, symbol: string, name: "cross" | PositionSide): number {
    const { rules, mark } = this.market(symbol);
    const isCross = this.settings(uid, symbol).marginType === "CROSSED";
    const held = (side: PositionSide) =>
      this.sideSize(uid, symbol, side) + this.restingSize(uid, symbol, side, false);
    let size = 0n;
    if (isCross && name === "cross") size = held("LONG") + held("SHORT");
    if (!isCross && name !== "cross") size = held(name);
    const tier = rules.tiers[this.tierIndex(symbol, times(mark, size))];
    return Math.min(rules.maxLeverage, tier?.maxLeverage ?? 0);
  }

  /** Lower leverage needs the margin that it stands for. */
  #changeLeverages(
    uid: number,
    symbol: string,
    present: NaiveSettings,
    wanted: NaiveSettings,
  ): void {
    const { asset } = this.market(symbol).rules.quote;
    const before = { ...present };
    Object.assign(present, wanted);
    const lacks = (position: NaivePosition) => {
      const leverage = wanted[position.side];
      const needed = up(this.markValue(position), BigInt(leverage), this.unitOf(symbol));
      const held = position.margin + least(0n, this.pnlOf(position));
      return leverage < before[position.side] && held < needed;
    };
    const positions = this.positionsOf(uid, symbol);
    const isCross = before.marginType === "CROSSED";
    const isShort = isCross
      ? wanted.cross < before.cross &&
        positions.length > 0 &&
        this.availableBeforeFloor(uid, asset) < 0n
      : positions.some(lacks);
    if (isShort) {
      Object.assign(present, before);
      throw new Refusal("insufficient-margin");
    }
    if (LEVERAGES.every(([name]) => before[name] === wanted[name])) return;
    this.#emitSettings(uid, symbol, present);
  }

  #emitSettings(uid: number, symbol: string, settings: NaiveSettings): void {
    this.keepSettings(uid, symbol, settings);
    this.emit({ type: "contract-settings-changed", symbol, uid, ...settingsView(settings) });
  }

  #setMarginType(command: CommandOf<"set-margin-type">): NaiveOutcome {
    const { uid, symbol, marginType } = command;
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    this.market(symbol);
    const settings = this.settings(uid, symbol);
    const separatedType = command.separatedType ?? settings.separatedType;
    if (marginType === settings.marginType && separatedType === settings.separatedType) {
      return accepted(null, []);
    }
    const inUse =
      this.openContractOrders(uid, symbol).length > 0 || this.positionsOf(uid, symbol).length > 0;
    if (inUse) throw new Refusal("margin-type-in-use");
    settings.marginType = marginType;
    settings.separatedType = separatedType;
    this.#emitSettings(uid, symbol, settings);
    return accepted(null, []);
  }

  #isolated(uid: number, positionId: number): NaivePosition {
    if (!this.users.has(uid)) throw new Refusal("unknown-user");
    const position = this.positionsOf(uid).find(({ id }) => id === positionId);
    if (position?.marginType !== "ISOLATED") throw new Refusal("failed-precondition");
    return position;
  }

  #moveMargin(command: CommandOf<"move-position-margin">): NaiveOutcome {
    const { uid, positionId } = command;
    const position = this.#isolated(uid, positionId);
    const { symbol, side } = position;
    const { asset, scale } = this.market(symbol).rules.quote;
    const reasons = new Set<RejectReason>();
    const amount = readMoney(command.amount, scale, reasons) ?? 0n;
    if (amount === 0n) reasons.add("out-of-range");
    if (reasons.size > 0) return { ok: false, reasons };
    const adds = command.direction === "add";
    if (adds && amount > this.availableBalance(uid, asset)) {
      throw new Refusal("insufficient-margin");
    }
    if (!adds) {
      const leverage = BigInt(this.leverage(uid, symbol, side));
      const needed = up(this.markValue(position), leverage, this.unitOf(symbol));
      const spare = position.margin + least(0n, this.pnlOf(position)) - needed;
      if (amount > spare) throw new Refusal("failed-precondition");
    }
    const delta = adds ? amount : -amount;
    position.margin += delta;
    if (this.isCrossDue(uid, asset) || (!adds && this.isIsolatedDue(position))) {
      position.margin -= delta;
      this.note(`refused: margin to ${command.direction} would make something due`);
      throw new Refusal(adds ? "insufficient-margin" : "failed-precondition");
    }
    this.touch(position);
    this.emit({
      type: "position-margin-moved",
      ...{ symbol, uid, positionId, positionSide: side, asset, cause: "user" },
      delta: text(delta),
      margin: text(position.margin),
      wallet: text(this.wallet(uid, asset)),
    });
    return accepted(null, []);
  }

  #setAutoAppend(command: CommandOf<"set-auto-append-margin">): NaiveOutcome {
    const { uid, positionId, enabled } = command;
    const position = this.#isolated(uid, positionId);
    if (position.autoAppend === enabled) return accepted(null, []);
    position.autoAppend = enabled;
    this.emit({ type: "auto-append-set", symbol: position.symbol, uid, positionId, enabled });
    return accepted(null, []);
  }
}

export function settingsView(settings: NaiveSettings) {
  const { marginType, separatedType } = settings;
  return {
    marginType,
    separatedType,
    crossLeverage: settings.cross,
    isolatedLongLeverage: settings.LONG,
    isolatedShortLeverage: settings.SHORT,
  };
}
