/**
 * Matching in the reference exchange of contracts, including trial matches: the state is saved, the
 * match is carried out, both sides are checked, and the saved state is restored.
 */
import type { MatchKind } from "../../../src/domain/index.ts";
import { least, sum, times } from "../../support/exact.ts";
import { NaiveContractFills } from "./naive-contract-fills.ts";
import type {
  NaiveContractMarket,
  NaiveContractOrder,
  NaiveOrderTerms,
} from "./naive-contract-state.ts";
import { compareRatios, direction, ONE, ratio, up } from "./rounding.ts";

/** A cross account as it stood: its equity over its maintenance, and whether it was due. */
interface CrossStanding {
  readonly isDue: boolean;
  readonly equity: bigint;
  readonly maintenance: bigint;
}

export abstract class NaiveMatching extends NaiveContractFills {
  /** Everything that opposes the order, best first, then in order of arrival. */
  opposing(market: NaiveContractMarket, side: "BUY" | "SELL"): NaiveContractOrder[] {
    return this.contractSide(market, side === "BUY" ? "SELL" : "BUY");
  }

  contractSide(market: NaiveContractMarket, side: "BUY" | "SELL"): NaiveContractOrder[] {
    const sign = side === "BUY" ? -1 : 1;
    return market.resting
      .filter((order) => order.side === side)
      .sort((one, other) => sign * compareRatios(ratio(one.price), ratio(other.price)));
  }

  crossing(market: NaiveContractMarket, side: "BUY" | "SELL", limit: bigint): NaiveContractOrder[] {
    return this.opposing(market, side).filter((maker) =>
      side === "BUY" ? maker.price <= limit : maker.price >= limit,
    );
  }

  /** Trades down to a price, at most so much; what it traded. */
  protected matchDown(taker: NaiveContractOrder, limit: bigint, most: bigint): bigint {
    const market = this.market(taker.symbol);
    let traded = 0n;
    while (traded < most && taker.endReason === null) {
      const maker = this.crossing(market, taker.side, limit)[0];
      if (maker === undefined) break;
      traded += this.meet(maker, taker, most - traded);
    }
    return traded;
  }

  /** One maker trades, or one of the two ends; what was traded. */
  protected meet(maker: NaiveContractOrder, taker: NaiveContractOrder, most: bigint): bigint {
    const kind = taker.origin === "liquidation" ? "liquidation" : "book";
    const quantity = least(most, maker.quantity - maker.filled);
    const unfit = this.#unfitSide(maker, taker, quantity, kind);
    if (unfit === maker) {
      this.endOrder(maker, "margin-not-enough");
    } else if (unfit === taker) {
      taker.endReason = "margin-not-enough";
    } else {
      this.market(taker.symbol).last = maker.price;
      this.settle(maker, taker, maker.price, quantity, kind);
      if (maker.filled === maker.quantity) this.endOrder(maker, "filled");
      return quantity;
    }
    return 0n;
  }

  /** Remembers everything that a match can change; what it returns puts all of it back. */
  protected picture(): () => void {
    const money = this.rememberMoney();
    const { active, nextOrderId, nextTradeId } = this;
    const positions = [...this.positions];
    const log = [...this.log];
    const waiting = this.conditionalOrders.filter(
      ({ status }) => status !== "FILLED" && status !== "CANCELED",
    );
    const markets = [...this.contracts.values()];
    const resting = markets.flatMap((market) => market.resting);
    const rows = [...positions, ...resting, ...waiting, ...markets, active].map((row) => {
      return { row, was: { ...row } };
    });
    return () => {
      money();
      for (const { row, was } of rows) if (row !== null) Object.assign(row, was);
      Object.assign(this, { active, nextOrderId, nextTradeId, positions });
      this.log = log;
    };
  }

  /** The side of a match that must not happen: the maker is looked at first. */
  #unfitSide(
    maker: NaiveContractOrder,
    taker: NaiveContractOrder,
    quantity: bigint,
    kind: MatchKind,
  ): NaiveContractOrder | null {
    const { price } = maker;
    const [makerBefore, takerBefore] = [this.#crossStanding(maker), this.#crossStanding(taker)];
    const putBack = this.picture();
    this.settle(maker, taker, price, quantity, kind);
    const isMakerSound = this.#isSound(maker, makerBefore);
    const isTakerSound = this.#isSound(taker, takerBefore);
    putBack();
    if (!this.#isBearable(maker, taker, price, quantity, true)) return maker;
    if (!isMakerSound) return this.#noted(maker, "maker", makerBefore);
    if (!this.#isBearable(taker, maker, price, quantity, false)) return taker;
    return isTakerSound ? null : this.#noted(taker, "taker", takerBefore);
  }

  #noted(order: NaiveContractOrder, role: string, { isDue }: CrossStanding): NaiveContractOrder {
    const waits = order.isClosing && isDue ? " of an account that waits" : "";
    this.note(`unsound: ${order.isClosing ? "closing" : "opening"} ${role}${waits}`);
    return order;
  }

  #crossStanding({ uid, symbol }: NaiveContractOrder): CrossStanding {
    const { asset } = this.market(symbol).rules.quote;
    return {
      isDue: this.isCrossDue(uid, asset),
      equity: this.crossEquity(uid, asset),
      maintenance: this.crossMaintenance(uid, asset),
    };
  }

  /** Whether the account may stand as it stands now, when it stood like that before the match. */
  #isSound(order: NaiveContractOrder, before: CrossStanding): boolean {
    if (order.origin === "liquidation") return true;
    if (!order.isClosing) return !this.#isDueWith(order);
    const after = this.#crossStanding(order);
    if (!after.isDue) return true;
    // One whose liquidation waits may close, but not so that less is left for what it still holds.
    if (before.isDue) this.note("closing side of an account that waits");
    const isThinned = after.equity * before.maintenance < before.equity * after.maintenance;
    return before.isDue && !isThinned;
  }

  /** The cross account, or what is isolated on the side of an opening order, is due now. */
  #isDueWith({ uid, symbol, positionSide }: NaiveOrderTerms): boolean {
    if (this.isCrossDue(uid, this.market(symbol).rules.quote.asset)) return true;
    return this.positionsOf(uid, symbol, positionSide).some(
      (position) => position.marginType === "ISOLATED" && this.isIsolatedDue(position),
    );
  }

  /**
   * Whether something would be due if an opening order were filled: at the worst price of what it
   * would meet now, whoever that is, and what would rest at its own.
   */
  protected isDueWhenFilled(order: NaiveContractOrder, limit: bigint, mayRest: boolean): boolean {
    const { quantity, side, symbol, timeInForce, uid } = order;
    const market = this.market(symbol);
    let touched = 0n;
    let worst = 0n;
    for (const maker of timeInForce === "POST_ONLY" ? [] : this.crossing(market, side, limit)) {
      if (touched === quantity) break;
      touched += least(quantity - touched, maker.quantity - maker.filled);
      worst = maker.price;
    }
    const rest = mayRest ? quantity - touched : 0n;
    if (touched + rest === 0n) return false;
    const unit = this.unitOf(symbol);
    const putBack = this.picture();
    const position = this.positionFor(order);
    const values = [times(touched, worst), times(rest, limit)];
    const value = sum(values);
    const fee = up(value * this.rates(uid, symbol).taker, ONE, unit);
    this.addEquity(uid, "contract", market.rules.quote.asset, -fee);
    position.size += touched + rest;
    position.openValue += value;
    if (position.marginType === "ISOLATED") {
      const leverage = BigInt(this.leverage(uid, symbol, order.positionSide));
      position.margin += sum(values.map((part) => up(part, leverage, unit)));
    }
    const isDue = this.#isDueWith(order);
    putBack();
    return isDue;
  }

  /** Whether an order that has to be filled whole would be. */
  protected fillsWhole(order: NaiveContractOrder, limit: bigint): boolean {
    const putBack = this.picture();
    this.matchDown(order, limit, order.quantity);
    const isWhole = order.filled === order.quantity;
    putBack();
    return isWhole;
  }

  /** Whether a closing order's fill leaves its account without debt; other fills always do. */
  #isBearable(
    order: NaiveContractOrder,
    other: NaiveContractOrder,
    price: bigint,
    quantity: bigint,
    isMaker: boolean,
  ): boolean {
    if (!order.isClosing || order.origin === "liquidation") return true;
    const { uid, symbol } = order;
    const { asset } = this.market(symbol).rules.quote;
    let gain = this.#gain(order, price, quantity, isMaker);
    const isSelf = other.uid === uid && other.isClosing && other.origin !== "liquidation";
    if (isSelf) gain += this.#gain(other, price, quantity, !isMaker);
    const isCross = this.settings(uid, symbol).marginType === "CROSSED";
    if (!isCross) return this.availableBalance(uid, asset) + gain >= 0n;
    if (other.uid === uid && !other.isClosing) {
      // What it opens at the price is worth the mark at once; the close must be bearable alone too.
      const d = direction(other.positionSide);
      const { mark } = this.market(symbol);
      const value = times(price, quantity);
      const opened = d * (times(mark, quantity) - value) - this.feeOf(other, value, !isMaker);
      const equity = this.crossEquity(uid, asset) + gain;
      return equity >= 0n && equity + opened >= 0n;
    }
    const spare = this.#crossSpare(order, isSelf ? 2n * quantity : quantity);
    return spare + gain >= 0n;
  }

  /** Whether an account can bear that a position is closed at a price without a fee. */
  protected canGiveUp(order: NaiveContractOrder, price: bigint, quantity: bigint): boolean {
    const { uid, symbol } = order;
    const { asset } = this.market(symbol).rules.quote;
    const isCross = this.settings(uid, symbol).marginType === "CROSSED";
    const funds = isCross ? this.#crossSpare(order, quantity) : this.availableBalance(uid, asset);
    const free = { ...order, makerRate: 0n, takerRate: 0n };
    return funds + this.#gain(free, price, quantity, false) >= 0n;
  }

  /**
   * What an account may lose: its equity, and with its last cross position no more than its cash,
   * which is below zero nowhere but beside cross profit.
   */
  #crossSpare({ uid, symbol }: NaiveContractOrder, closed: bigint): bigint {
    const { asset } = this.market(symbol).rules.quote;
    const equity = this.crossEquity(uid, asset);
    const others = this.crossPositions(uid, asset).some((position) => position.symbol !== symbol);
    const held = sum(this.positionsOf(uid, symbol).map(({ size }) => size));
    return others || held > closed ? equity : equity - this.orderMargin(uid, asset);
  }

  /** Of a closing fill: to the cash of an isolated account, to the equity of a cross account. */
  #gain(order: NaiveContractOrder, price: bigint, quantity: bigint, isMaker: boolean): bigint {
    const { uid, symbol, positionSide } = order;
    const fee = this.feeOf(order, times(price, quantity), isMaker);
    if (this.settings(uid, symbol).marginType === "CROSSED") {
      const { mark } = this.market(symbol);
      return direction(positionSide) * (times(price, quantity) - times(mark, quantity)) - fee;
    }
    const parts = this.partsOf(order, price, quantity);
    return sum(parts.map(({ released, realised }) => released + realised)) - fee;
  }
}
