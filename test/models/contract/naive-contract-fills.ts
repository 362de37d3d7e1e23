/**
 * What a match does to its two sides in the reference exchange of contracts: fees, margins,
 * realised profit, the positions' totals, and the money of a liquidation.
 */
import type { EndReason, MatchKind, PositionSide } from "../../../src/domain/index.ts";
import { greatest, least, roundedUp, sum, text, times } from "../../support/exact.ts";
import type {
  NaiveContractMarket,
  NaiveContractOrder,
  NaivePosition,
} from "./naive-contract-state.ts";
import { NaivePositions } from "./naive-positions.ts";
import { compareRatios, direction, down, ONE, type Ratio, ratio, up } from "./rounding.ts";

/** What an order takes out of one position. */
interface ClosedPart {
  readonly position: NaivePosition;
  readonly size: bigint;
  readonly openValue: bigint;
  readonly released: bigint;
  readonly realised: bigint;
}

interface Fill {
  readonly order: NaiveContractOrder;
  readonly price: bigint;
  readonly quantity: bigint;
  readonly value: bigint;
  readonly fee: bigint;
}

export abstract class NaiveContractFills extends NaivePositions {
  /** Of the position that is being liquidated. */
  protected bankrupt: Ratio = { n: 0n, d: 1n };

  /** What follows from fills for conditional orders. */
  protected abstract parentProgressed(order: NaiveContractOrder): void;
  protected abstract orderEnded(order: NaiveContractOrder): void;
  protected abstract sideEmptied(uid: number, symbol: string, side: PositionSide): void;

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
    const kind = taker.origin === "liquidation" ? "liquidation" : "book";
    let traded = 0n;
    while (traded < most && taker.endReason === null) {
      const maker = this.crossing(market, taker.side, limit)[0];
      if (maker === undefined) break;
      const quantity = least(most - traded, maker.quantity - maker.filled);
      if (!this.#isBearable(maker, taker, maker.price, quantity, true)) {
        this.endOrder(maker, "margin-not-enough");
      } else if (this.#isBearable(taker, maker, maker.price, quantity, false)) {
        market.last = maker.price;
        this.settle(maker, taker, maker.price, quantity, kind);
        traded += quantity;
        if (maker.filled === maker.quantity) this.endOrder(maker, "filled");
      } else {
        taker.endReason = "margin-not-enough";
      }
    }
    return traded;
  }

  /** Money and positions of a match; the maker's side first. */
  protected settle(
    maker: NaiveContractOrder,
    taker: NaiveContractOrder,
    price: bigint,
    quantity: bigint,
    kind: MatchKind,
  ): void {
    const market = this.market(taker.symbol);
    const value = times(price, quantity);
    const tradeId = this.nextTradeId++;
    const isFree = kind === "adl" || kind === "netting";
    const sides = [maker, taker].map((order) => {
      const fee = isFree ? 0n : this.#chargeFee(order, value, order === maker);
      const fill = { order, price, quantity, value, fee };
      const side = this.#fill(fill, tradeId);
      this.#removeEmptied(market.symbol);
      return side;
    });
    const longs = this.positions.filter((p) => p.symbol === market.symbol && p.side === "LONG");
    this.emit({
      type: "contract-trade",
      tradeId,
      symbol: market.symbol,
      kind,
      takerSide: taker.side,
      price: text(price),
      quantity: text(quantity),
      value: text(value),
      asset: market.rules.quote.asset,
      maker: sides[0],
      taker: sides[1],
      openInterest: text(sum(longs.map(({ size }) => size))),
    });
    for (const order of [maker, taker]) {
      const { uid, symbol, positionSide } = order;
      if (!order.isClosing) this.parentProgressed(order);
      // Of one account the one order may open again what the other closed.
      else if (this.sideSize(uid, symbol, positionSide) === 0n) {
        this.sideEmptied(uid, symbol, positionSide);
      }
    }
  }

  endOrder(order: NaiveContractOrder, reason: EndReason): void {
    const market = this.market(order.symbol);
    market.resting = market.resting.filter((resting) => resting !== order);
    if (this.active === order) this.active = null;
    order.endReason = reason;
    const { orderId, uid, symbol, clientOrderId, side, positionSide, orderType } = order;
    const { timeInForce, origin, algoId, createdMs } = order;
    this.emit({
      type: "contract-order-ended",
      ...{ orderId, uid, symbol, clientOrderId, side, positionSide, orderType },
      ...{ timeInForce, origin, algoId, createdMs, reason },
      price: text(order.price),
      quantity: text(order.quantity),
      filled: text(order.filled),
      filledValue: text(order.filledValue),
      status: reason === "filled" ? "FILLED" : "CANCELED",
    });
    this.orderEnded(order);
  }

  /** The fee of the order so far, rounded up, less that of its fills before. */
  #feeOf(order: NaiveContractOrder, value: bigint, isMaker: boolean): bigint {
    const { scale } = this.market(order.symbol).rules.quote;
    const rate = isMaker ? order.makerRate : order.takerRate;
    return roundedUp(order.exactFee + value * rate, scale) - order.feeCharged;
  }

  #chargeFee(order: NaiveContractOrder, value: bigint, isMaker: boolean): bigint {
    const fee = this.#feeOf(order, value, isMaker);
    order.exactFee += value * (isMaker ? order.makerRate : order.takerRate);
    order.feeCharged += fee;
    return fee;
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
      const opened = d * (times(mark, quantity) - value) - this.#feeOf(other, value, !isMaker);
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
    const fee = this.#feeOf(order, times(price, quantity), isMaker);
    if (this.settings(uid, symbol).marginType === "CROSSED") {
      const { mark } = this.market(symbol);
      return direction(positionSide) * (times(price, quantity) - times(mark, quantity)) - fee;
    }
    const parts = this.#partsOf(order, price, quantity);
    return sum(parts.map(({ released, realised }) => released + realised)) - fee;
  }

  /** First in, first out, unless the order names a position. */
  #partsOf(order: NaiveContractOrder, price: bigint, quantity: bigint): ClosedPart[] {
    const { uid, symbol, positionSide, targetPositionId } = order;
    const parts: ClosedPart[] = [];
    let left = quantity;
    for (const position of this.positionsOf(uid, symbol, positionSide)) {
      if (targetPositionId !== 0 && position.id !== targetPositionId) continue;
      const size = least(left, position.size);
      if (size === 0n) continue;
      const openValue = this.openValuePart(size, position);
      const realised = direction(positionSide) * (times(price, size) - openValue);
      const released = this.partOf(position.margin, size, position);
      parts.push({ position, size, openValue, released, realised });
      left -= size;
    }
    if (left > 0n) throw new Error(`the reference closes ${text(left)} that is not there`);
    return parts;
  }

  #fill(fill: Fill, tradeId: number): unknown {
    if (fill.order.origin === "liquidation") return this.#liquidate(fill, tradeId);
    return fill.order.isClosing ? this.#close(fill) : this.#open(fill);
  }

  #open({ order, quantity, value, fee }: Fill): unknown {
    const { uid, symbol } = order;
    const { asset } = this.market(symbol).rules.quote;
    const frozen = this.freezeOf(order);
    const free = greatest(0n, this.cash(uid, asset));
    this.#progress(order, quantity, value);
    const released = frozen - this.freezeOf(order);
    const position = this.#positionFor(order);
    this.#pay(uid, asset, -fee);
    this.addHouse("fees", asset, fee);
    if (position.marginType === "ISOLATED") {
      const margin = up(value, BigInt(order.leverage), this.unitOf(symbol));
      position.margin += least(margin, released - fee + free);
    }
    position.size += quantity;
    position.openValue += value;
    position.openFee += fee;
    position.cumOpenSize += quantity;
    position.cumOpenValue += value;
    position.cumOpenFee += fee;
    this.touch(position);
    return this.#side(order, position.id, fee, 0n);
  }

  #positionFor(order: NaiveContractOrder): NaivePosition {
    const { uid, symbol, positionSide: side } = order;
    const { marginType, separatedType } = this.settings(uid, symbol);
    const separatedOpenOrderId = separatedType === "SEPARATED" ? order.orderId : 0;
    const present = this.positionsOf(uid, symbol, side).find(
      (position) => position.separatedOpenOrderId === separatedOpenOrderId,
    );
    if (present !== undefined) return present;
    const id = this.nextOrderId++;
    const position: NaivePosition = {
      ...{ id, uid, symbol, side, marginType, separatedOpenOrderId },
      createdSequence: this.sequence,
      createdMs: this.nowMs,
      updatedSequence: this.sequence,
      updatedMs: this.nowMs,
      ...{ size: 0n, openValue: 0n, openFee: 0n, fundingFee: 0n, margin: 0n },
      autoAppend: false,
      ...{ cumOpenSize: 0n, cumOpenValue: 0n, cumOpenFee: 0n },
      ...{ cumCloseSize: 0n, cumCloseValue: 0n, cumCloseFee: 0n },
      ...{ cumFundingFee: 0n, cumLiquidateFee: 0n, heldAt: -1 },
    };
    this.positions.push(position);
    const { leverage } = order;
    const ids = { symbol, uid, positionId: id, positionSide: side };
    this.emit({ type: "position-opened", ...ids, marginType, separatedOpenOrderId, leverage });
    return position;
  }

  #close(fill: Fill): unknown {
    const { order, price, quantity, value, fee } = fill;
    const { uid, symbol } = order;
    const { asset } = this.market(symbol).rules.quote;
    const parts = this.#partsOf(order, price, quantity);
    this.#progress(order, quantity, value);
    let feeLeft = fee;
    for (const part of parts) {
      const isLast = part === parts.at(-1);
      const share = isLast ? feeLeft : down(fee * part.size, quantity, this.unitOf(symbol));
      feeLeft -= share;
      this.#reduce(part, price, share);
    }
    const realised = sum(parts.map((part) => part.realised));
    this.#pay(uid, asset, realised - fee);
    this.addHouse("fees", asset, fee);
    return this.#side(order, parts[0]?.position.id ?? 0, fee, realised);
  }

  #reduce({ position, size, openValue, released }: ClosedPart, price: bigint, fee: bigint): void {
    position.openFee -= this.partOf(position.openFee, size, position);
    position.fundingFee -= this.partOf(position.fundingFee, size, position);
    position.openValue -= openValue;
    position.margin -= released;
    position.size -= size;
    position.cumCloseSize += size;
    position.cumCloseValue += times(price, size);
    position.cumCloseFee += fee;
    this.touch(position);
  }

  /** What is left of the margin pays the fee, then the fund; what is missing the fund pays. */
  #liquidate({ order, price, quantity, value, fee: exactFee }: Fill, tradeId: number): unknown {
    const { uid, symbol } = order;
    const { rules } = this.market(symbol);
    const { asset } = rules.quote;
    const unit = this.unitOf(symbol);
    const [part] = this.#partsOf(order, price, quantity);
    if (part === undefined) throw new Error("the reference liquidates no position");
    const { position, realised } = part;
    let { released } = part;
    const { n, d } = this.bankrupt;
    const better = direction(order.positionSide) * (price * d - n);
    let residue = down(better * quantity, d * ONE, unit);
    const fund = this.house("insurance", asset);
    if (position.marginType === "ISOLATED") {
      // Rounding alone never leaves less than nothing, or less than the fund can pay.
      const lowest = better >= 0n ? 0n : -fund;
      released = greatest(released, lowest - realised);
      residue = released + realised;
    }
    const fee = least(exactFee, greatest(0n, residue) + fund);
    const paid = greatest(0n, fee - residue);
    const whole = up(value * rules.liquidateFee, ONE, unit);
    const liquidationFee = least(whole, greatest(0n, residue - fee));
    this.#progress(order, quantity, value);
    this.#reduce({ ...part, released }, price, fee);
    position.cumLiquidateFee += liquidationFee;
    this.#pay(uid, asset, realised - fee);
    this.addHouse("fees", asset, fee);
    const side = this.#side(order, position.id, fee, realised);
    this.#pay(uid, asset, paid);
    const walletAfterFix = text(this.wallet(uid, asset));
    this.#pay(uid, asset, -liquidationFee);
    this.addHouse("insurance", asset, liquidationFee - paid);
    this.emit({
      type: "liquidation-settled",
      ...{ symbol, uid, positionId: position.id, positionSide: position.side, asset, tradeId },
      residue: text(residue),
      fee: text(fee),
      liquidationFee: text(liquidationFee),
      insurancePaid: text(paid),
      walletAfterFix,
      wallet: text(this.wallet(uid, asset)),
      insurance: text(this.house("insurance", asset)),
    });
    return side;
  }

  #progress(order: NaiveContractOrder, quantity: bigint, value: bigint): void {
    order.filled += quantity;
    order.filledValue += value;
    order.updatedMs = this.nowMs;
  }

  #pay(uid: number, asset: string, amount: bigint): void {
    this.addEquity(uid, "contract", asset, amount);
  }

  #side(order: NaiveContractOrder, positionId: number, fee: bigint, realised: bigint): unknown {
    const { uid, orderId, positionSide, isClosing } = order;
    const { asset } = this.market(order.symbol).rules.quote;
    return {
      ...{ uid, orderId, positionSide, positionId, isClosing },
      fee: text(fee),
      realizedPnl: text(realised),
      wallet: text(this.wallet(uid, asset)),
    };
  }

  protected touch(position: NaivePosition): void {
    position.updatedMs = this.nowMs;
    position.updatedSequence = this.sequence;
  }

  #removeEmptied(symbol: string): void {
    const { asset } = this.market(symbol).rules.quote;
    for (const position of this.positions.filter(({ size }) => size === 0n)) {
      this.positions = this.positions.filter((other) => other !== position);
      const { id, uid, side, marginType, createdMs } = position;
      this.emit({
        type: "position-closed",
        ...{ symbol, uid, positionId: id, positionSide: side, marginType, asset },
        cumOpen: text(position.cumOpenSize),
        cumOpenValue: text(position.cumOpenValue),
        cumOpenFee: text(position.cumOpenFee),
        cumClose: text(position.cumCloseSize),
        cumCloseValue: text(position.cumCloseValue),
        cumCloseFee: text(position.cumCloseFee),
        cumFundingFee: text(position.cumFundingFee),
        cumLiquidateFee: text(position.cumLiquidateFee),
        openedMs: createdMs,
      });
    }
  }
}
