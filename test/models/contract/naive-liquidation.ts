/**
 * The effects of prices in the reference exchange of contracts: it searches all conditional orders,
 * all positions and all accounts, does the first thing that is due, and searches again.
 */
import type { PositionSide } from "../../../src/domain/index.ts";
import { greatest, least, sum, text } from "../../support/exact.ts";
import type { NaiveContractOrder, NaivePosition } from "./naive-contract-state.ts";
import { NaivePrices } from "./naive-prices.ts";
import { compareRatios, direction, down, ONE, type Ratio, up } from "./rounding.ts";

/** Somebody on the other side, how much of it can be taken, and its rank. */
interface Candidate {
  readonly position: NaivePosition;
  readonly most: bigint;
  /** Null ranks before all others. */
  readonly score: Ratio | null;
}

export abstract class NaiveLiquidation extends NaivePrices {
  /** By `<uid> <asset>`: liquidations of cross accounts that found nobody, as in a position. */
  readonly #heldAt = new Map<string, number>();

  protected override runRisk(): void {
    for (;;) {
      for (const market of this.contracts.values()) {
        this.refreshMark(market);
        this.settlePending(market);
      }
      const conditional = this.reachedConditional();
      if (conditional !== undefined) {
        this.fire(conditional);
        continue;
      }
      const position = this.#dueIsolated();
      if (position !== undefined) {
        if (!this.#autoAppend(position)) this.#liquidateIsolated(position);
        continue;
      }
      const account = this.#dueAccount();
      if (account === undefined) return;
      this.#liquidateCross(account.uid, account.asset);
    }
  }

  #dueIsolated(): NaivePosition | undefined {
    const rateOf = this.groupRates();
    return this.positions.find(
      (position) =>
        position.marginType === "ISOLATED" &&
        position.heldAt !== this.liquidity &&
        this.isIsolatedDue(position, rateOf(position)) &&
        this.#mayLiquidate(position.symbol),
    );
  }

  #dueAccount(): { readonly uid: number; readonly asset: string } | undefined {
    const uids = [...this.users.keys()].sort((one, other) => one - other);
    for (const uid of uids) {
      for (const asset of this.assets.keys()) {
        const isHeld = this.#heldAt.get(`${uid} ${asset}`) === this.liquidity;
        if (isHeld || !this.isCrossDue(uid, asset)) continue;
        const positions = this.crossPositions(uid, asset);
        if (positions.every(({ symbol }) => this.#mayLiquidate(symbol))) return { uid, asset };
      }
    }
    return undefined;
  }

  #mayLiquidate(symbol: string): boolean {
    const market = this.market(symbol);
    return market.state === "trading" && this.isReliable(market);
  }

  /** Tops the margin up to value/leverage where that keeps the position alive. */
  #autoAppend(position: NaivePosition): boolean {
    const { id, uid, symbol, side } = position;
    if (!position.autoAppend) return false;
    const { asset } = this.market(symbol).rules.quote;
    const value = this.markValue(position);
    const leverage = BigInt(this.leverage(uid, symbol, side));
    const needed = up(value, leverage, this.unitOf(symbol));
    const equity = position.margin + this.pnlOf(position);
    const added = least(this.availableBalance(uid, asset), needed - equity);
    if (added <= 0n || (equity + added) * ONE <= value * this.maintenanceOf(position)) return false;
    position.margin += added;
    if (this.isCrossDue(uid, asset)) {
      // One position is not saved by giving up the others.
      position.margin -= added;
      this.note("auto append: would make the cross account due");
      return false;
    }
    this.touch(position);
    this.emit({
      type: "position-margin-moved",
      ...{ symbol, uid, positionId: id, positionSide: side, asset, cause: "auto-append" },
      delta: text(added),
      margin: text(position.margin),
      wallet: text(this.wallet(uid, asset)),
    });
    return true;
  }

  #liquidateIsolated(position: NaivePosition): void {
    const { id, uid, symbol, side, marginType, margin } = position;
    const { mark, rules } = this.market(symbol);
    const { asset } = rules.quote;
    this.emit({
      type: "liquidation-started",
      ...{ symbol, uid, positionId: id, positionSide: side, marginType, asset },
      mark: text(mark),
      equity: text(margin + this.pnlOf(position)),
      wallet: text(this.wallet(uid, asset)),
    });
    for (const order of this.openContractOrders(uid, symbol)) {
      if (order.positionSide === side) this.endOrder(order, "liquidation");
    }
    this.#closeByForce(position, position.size);
    if (position.size > 0n) position.heldAt = this.liquidity;
    const wallet = text(this.wallet(uid, asset));
    const ids = { symbol, uid, positionId: id, marginType, asset };
    this.emit({ type: "liquidation-finished", ...ids, wallet });
  }

  #liquidateCross(uid: number, asset: string): void {
    const ids = { symbol: "", uid, positionId: 0, marginType: "CROSSED", asset };
    this.emit({
      type: "liquidation-started",
      ...{ ...ids, positionSide: "LONG", mark: "0" },
      equity: text(this.crossEquity(uid, asset)),
      wallet: text(this.wallet(uid, asset)),
    });
    for (const order of this.openContractOrders(uid, null)) {
      if (this.market(order.symbol).rules.quote.asset === asset) {
        this.endOrder(order, "liquidation");
      }
    }
    this.#net(uid, asset);
    while (this.isCrossDue(uid, asset)) {
      const position = this.#heaviest(uid, asset);
      const quantity = this.#reduction(position);
      const before = position.size;
      this.#closeByForce(position, quantity);
      if (before - position.size < quantity) {
        this.#heldAt.set(`${uid} ${asset}`, this.liquidity);
        break;
      }
    }
    const wallet = text(this.wallet(uid, asset));
    this.emit({ type: "liquidation-finished", ...ids, wallet });
  }

  /** LONG against SHORT of each symbol, at mark and without a fee. */
  #net(uid: number, asset: string): void {
    const hedges = [...this.contracts.keys()].map((symbol) => {
      const own = this.crossPositions(uid, asset).filter((p) => p.symbol === symbol);
      return sum(own.map((position) => direction(position.side) * position.size));
    });
    // A debt would be left with no position by which others could pay it.
    if (hedges.every((net) => net === 0n) && this.crossEquity(uid, asset) < 0n) return;
    for (const market of this.contracts.values()) {
      const { symbol, mark } = market;
      const own = this.crossPositions(uid, asset).filter((p) => p.symbol === symbol);
      const [long, short] = (["LONG", "SHORT"] as const).map((side) =>
        sum(own.filter((p) => p.side === side).map(({ size }) => size)),
      ) as [bigint, bigint];
      const quantity = least(long, short);
      if (quantity === 0n) continue;
      const [seller, buyer] = (["LONG", "SHORT"] as const).map((side) =>
        this.newOrder(this.systemTerms(uid, symbol, side, quantity, "netting", 0), null),
      ) as [NaiveContractOrder, NaiveContractOrder];
      this.settle(seller, buyer, mark, quantity, "netting");
      this.endOrder(seller, "filled");
      this.endOrder(buyer, "filled");
    }
  }

  /** The position with the largest maintenance margin, the older one of equals. */
  #heaviest(uid: number, asset: string): NaivePosition {
    const weigh = (position: NaivePosition) =>
      this.markValue(position) * this.maintenanceOf(position);
    return this.crossPositions(uid, asset).reduce((one, other) =>
      weigh(other) > weigh(one) ? other : one,
    );
  }

  /** Down two tiers at a time, all of it in the first. */
  #reduction(position: NaivePosition): bigint {
    const { uid, symbol, side, size } = position;
    const { rules, mark } = this.market(symbol);
    const tier = this.tierIndex(symbol, this.groupNotional(position));
    if (tier === 0) return size;
    const cap = rules.tiers[Math.max(0, tier - 2)]?.maxNotional ?? 0n;
    const kept = down(cap * ONE, mark, rules.step);
    const excess = this.sideSize(uid, symbol, side) - kept;
    // What was not netted may be below the cap by itself.
    return excess <= 0n ? size : least(size, excess);
  }

  /** The book down to bankruptcy, further as far as the fund pays, then the other side. */
  #closeByForce(position: NaivePosition, quantity: bigint): void {
    const { id, uid, symbol, side } = position;
    const market = this.market(symbol);
    const { tick } = market.rules;
    this.bankrupt = this.bankruptcy(position);
    const { n, d } = this.bankrupt;
    const price = greatest(tick, side === "LONG" ? up(n, d, tick) : down(n, d, tick));
    const terms = this.systemTerms(uid, symbol, side, quantity, "liquidation", id);
    const order = this.newOrder(terms, null);
    this.active = order;
    this.matchDown(order, price, quantity);
    this.#closeAtTheFundsCost(order, position);
    this.#deleverage(order, price);
    this.finish(order);
  }

  /** Maker by maker, because each fill changes what the fund may still pay for. */
  #closeAtTheFundsCost(order: NaiveContractOrder, position: NaivePosition): void {
    const market = this.market(order.symbol);
    const worst = this.#worstAtTheFundsCost(order);
    for (;;) {
      const maker = this.crossing(market, order.side, worst)[0];
      const rest = order.quantity - order.filled;
      if (maker === undefined || rest === 0n) {
        const further = this.crossing(market, order.side, this.worstPrice(order.side, market));
        if (rest > 0n && further.length > 0) this.note("fund: no further than its slippage");
        return;
      }
      const wanted = least(maker.quantity - maker.filled, rest);
      const paid = this.#payable(order, maker.price, this.drawable(market));
      const backed = this.#backed(order, position, maker.price);
      if (paid < wanted) {
        const isLimited = this.drawable(market) < this.house("insurance", market.rules.quote.asset);
        this.note(isLimited ? "fund: as far as the hour allows" : "fund: as far as it goes");
      }
      if (backed < least(paid, wanted)) this.note("fund: as far as the position's own fees go");
      const quantity = least(wanted, least(paid, backed));
      if (quantity === 0n) return;
      this.meet(maker, order, quantity);
    }
  }

  /** What the fund pays beyond bankruptcy price and mark, the position has paid in fees before. */
  #backed({ symbol }: NaiveContractOrder, position: NaivePosition, price: bigint): bigint {
    const { rules } = this.market(symbol);
    const worse = this.slippage(position, price);
    if (worse.n <= 0n) return rules.maxPosition;
    const { cumOpenFee, cumCloseFee, insured } = position;
    const left = greatest(0n, cumOpenFee + cumCloseFee - insured);
    return down(left * worse.d * ONE, worse.n, rules.step);
  }

  /** Within the band, and not far beyond the worse of bankruptcy price and mark. */
  #worstAtTheFundsCost({ side, symbol }: NaiveContractOrder): bigint {
    const market = this.market(symbol);
    const { insuranceSlippage, tick } = market.rules;
    const { n, d } = this.bankrupt;
    const band = this.worstPrice(side, market);
    if (side === "SELL") {
      const worse = least(n, market.mark * d);
      return greatest(band, up(worse * (ONE - insuranceSlippage), d * ONE, tick));
    }
    const worse = greatest(n, market.mark * d);
    return least(band, down(worse * (ONE + insuranceSlippage), d * ONE, tick));
  }

  /** How much the fund can pay for at a price, to the lot. */
  #payable({ symbol, positionSide, takerRate }: NaiveContractOrder, price: bigint, fund: bigint) {
    const { rules } = this.market(symbol);
    const { n, d } = this.bankrupt;
    const cost = direction(positionSide) * (n - price * d) * ONE + price * d * takerRate;
    if (cost <= 0n) return rules.maxPosition;
    return down(fund * d * ONE * ONE, cost, rules.step);
  }

  #deleverage(order: NaiveContractOrder, price: bigint): void {
    const candidates = this.#candidates(order);
    for (const { position, most } of candidates) {
      const quantity = least(order.quantity - order.filled, most);
      if (quantity === 0n) return;
      const { id, uid, symbol, side } = position;
      const terms = this.systemTerms(uid, symbol, side, quantity, "adl", id);
      const probe = { ...order, ...terms, isClosing: true };
      if (!this.canGiveUp(probe, price, quantity)) continue;
      const victim = this.newOrder(terms, null);
      this.settle(victim, order, price, quantity, "adl");
      this.endOrder(victim, "filled");
      this.trim(uid, symbol, side);
    }
  }

  /** The other side by rank; the liquidated user's own positions last. */
  #candidates({ uid, symbol, positionSide }: NaiveContractOrder): Candidate[] {
    const side = positionSide === "LONG" ? "SHORT" : "LONG";
    const given = new Map<number, bigint>();
    const candidates: Candidate[] = [];
    for (const position of this.positions) {
      if (position.symbol !== symbol || position.side !== side) continue;
      const most = this.#mostTaken(position, given, positionSide);
      if (most > 0n) candidates.push({ position, most, score: this.#score(position) });
    }
    const isOwn = ({ position }: Candidate) => Number(position.uid === uid);
    return candidates.sort((one, other) => {
      const own = isOwn(one) - isOwn(other);
      return own !== 0 ? own : compareScores(one.score, other.score);
    });
  }

  /** A hedged cross account gives its net size alone, from its oldest position on. */
  #mostTaken(position: NaivePosition, given: Map<number, bigint>, otherSide: PositionSide): bigint {
    const { uid, symbol, side, size, marginType } = position;
    if (marginType === "ISOLATED") return size;
    const net = this.sideSize(uid, symbol, side) - this.sideSize(uid, symbol, otherSide);
    const before = given.get(uid) ?? 0n;
    const most = greatest(0n, least(size, net - before));
    given.set(uid, before + most);
    return most;
  }

  #score(position: NaivePosition): Ratio | null {
    const { uid, symbol, marginType, margin, openValue } = position;
    const { asset } = this.market(symbol).rules.quote;
    const pnl = this.pnlOf(position);
    const value = this.markValue(position);
    const equity = marginType === "ISOLATED" ? margin + pnl : this.crossEquity(uid, asset);
    if (equity <= 0n) return null;
    if (pnl > 0n) return { n: pnl * value, d: openValue * equity };
    return { n: pnl * equity, d: openValue * value };
  }
}

/** Highest first; the sort keeps the order of equals, which is that of ids. */
function compareScores(one: Ratio | null, other: Ratio | null): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null);
  return -compareRatios(one, other);
}
