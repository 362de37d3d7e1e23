/**
 * The effect of a match on its two sides in the reference exchange of contracts: fees, margins,
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
import { direction, down, ONE, type Ratio, up } from "./rounding.ts";

/** What an order takes out of one position. */
interface ClosedPart {
  readonly position: NaivePosition;
  readonly size: bigint;
  readonly openValue: bigint;
  readonly released: bigint;
  readonly realised: bigint;
}

const HOUR_MS = 3_600_000;

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
  protected feeOf(order: NaiveContractOrder, value: bigint, isMaker: boolean): bigint {
    const { scale } = this.market(order.symbol).rules.quote;
    const rate = isMaker ? order.makerRate : order.takerRate;
    return roundedUp(order.exactFee + value * rate, scale) - order.feeCharged;
  }

  #chargeFee(order: NaiveContractOrder, value: bigint, isMaker: boolean): bigint {
    const fee = this.feeOf(order, value, isMaker);
    order.exactFee += value * (isMaker ? order.makerRate : order.takerRate);
    order.feeCharged += fee;
    return fee;
  }

  /** First in, first out, unless the order names a position. */
  protected partsOf(order: NaiveContractOrder, price: bigint, quantity: bigint): ClosedPart[] {
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
    const position = this.positionFor(order);
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

  protected positionFor(order: NaiveContractOrder): NaivePosition {
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
      ...{ cumFundingFee: 0n, cumLiquidateFee: 0n, insured: 0n, heldAt: -1 },
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
    const parts = this.partsOf(order, price, quantity);
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
    const [part] = this.partsOf(order, price, quantity);
    if (part === undefined) throw new Error("the reference liquidates no position");
    const { position, realised } = part;
    let { released } = part;
    const { n, d } = this.bankrupt;
    const better = direction(order.positionSide) * (price * d - n);
    let residue = down(better * quantity, d * ONE, unit);
    const fund = this.drawable(this.market(symbol));
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
    const worse = this.slippage(position, price);
    position.insured += fee + greatest(0n, up(worse.n * quantity, worse.d * ONE, unit));
    this.#pay(uid, asset, realised - fee);
    this.addHouse("fees", asset, fee);
    const side = this.#side(order, position.id, fee, realised);
    this.#pay(uid, asset, paid);
    const walletAfterFix = text(this.wallet(uid, asset));
    this.#pay(uid, asset, -liquidationFee);
    this.#draw(this.market(symbol), paid);
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

  /** How much worse than bankruptcy price and mark, whichever is worse, a price is. */
  protected slippage({ side, symbol }: NaivePosition, price: bigint): Ratio {
    const { n, d } = this.bankrupt;
    const marked = this.market(symbol).mark * d;
    const worst = side === "LONG" ? least(n, marked) : greatest(n, marked);
    return { n: direction(side) * (worst - price * d), d };
  }

  /** What the fund may still pay for a market in this hour. */
  protected drawable(market: NaiveContractMarket): bigint {
    const { drawLimit, quote } = market.rules;
    const fund = this.house("insurance", quote.asset);
    if (drawLimit === null) return fund;
    const { base, paid } = this.#drawOf(market);
    const limit = down(base * drawLimit, ONE, this.unitOf(market.symbol));
    return greatest(0n, least(fund, limit - paid));
  }

  /** Of this hour; with nothing paid in it yet, on what the fund has now. */
  #drawOf({ draw, rules }: NaiveContractMarket) {
    const hour = Math.floor(this.nowMs / HOUR_MS);
    if (draw?.hour === hour) return draw;
    return { hour, base: this.house("insurance", rules.quote.asset), paid: 0n };
  }

  #draw(market: NaiveContractMarket, paid: bigint): void {
    if (paid === 0n) return;
    const draw = this.#drawOf(market);
    market.draw = { ...draw, paid: draw.paid + paid };
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
