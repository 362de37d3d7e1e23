/**
 * Positions and their value in the reference exchange of contracts: every sum is computed over all
 * rows each time, and every comparison uses whole numbers.
 */
import type { PositionSide, RejectReason } from "../../../src/domain/index.ts";
import { greatest, least, sum, times } from "../../support/exact.ts";
import type { NaiveEvent } from "../naive-accounts.ts";
import { NaiveExchange } from "../naive-exchange.ts";
import { minorUnit } from "../naive-rules.ts";
import type {
  NaiveConditionalOrder,
  NaiveContractMarket,
  NaiveContractOrder,
  NaivePosition,
  NaiveSettings,
} from "./naive-contract-state.ts";
import { direction, down, nearest, ONE, type Ratio, up } from "./rounding.ts";

/** Of somebody in a market, whose settings there are then kept, however the defaults change. */
const DOES_SOMETHING: ReadonlySet<string> = new Set([
  ...["contract-order-opened", "contract-order-ended", "algo-order-changed"],
]);

/** The parts of a command's outcome that are made on the way. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reasons: ReadonlySet<RejectReason>;

  constructor(...reasons: RejectReason[]) {
    super(reasons.join(" or "));
    this.reasons = new Set(reasons);
  }
}

export abstract class NaivePositions extends NaiveExchange {
  readonly contracts = new Map<string, NaiveContractMarket>();
  positions: NaivePosition[] = [];
  readonly conditionalOrders: NaiveConditionalOrder[] = [];
  /** Time and number of the command that is being carried out, and what it led to so far. */
  nowMs = 0;
  sequence = 0;
  protected log: NaiveEvent[] = [];
  /** The order that is just being matched. */
  protected active: NaiveContractOrder | null = null;
  /** How often the reference came to rare branches of the rules, for tests that must reach them. */
  readonly noted = new Map<string, number>();
  readonly #settings = new Map<string, NaiveSettings>();

  market(symbol: string): NaiveContractMarket {
    const market = this.contracts.get(symbol);
    if (market === undefined) throw new Refusal("unknown-symbol");
    return market;
  }

  /** The decimals of a market's margin asset. */
  unitOf(symbol: string): bigint {
    return minorUnit(this.market(symbol).rules.quote.scale);
  }

  /** The defaults of now, until somebody has done something in the market. */
  settings(uid: number, symbol: string): NaiveSettings {
    const leverage = this.market(symbol).rules.defaultLeverage;
    const leverages = { cross: leverage, LONG: leverage, SHORT: leverage };
    const byDefault = { marginType: "CROSSED", separatedType: "COMBINED", ...leverages } as const;
    return this.#settings.get(`${uid} ${symbol}`) ?? byDefault;
  }

  protected keepSettings(uid: number, symbol: string, settings: NaiveSettings): void {
    this.#settings.set(`${uid} ${symbol}`, settings);
  }

  leverage(uid: number, symbol: string, side: PositionSide): number {
    const settings = this.settings(uid, symbol);
    return settings.marginType === "CROSSED" ? settings.cross : settings[side];
  }

  rates(uid: number, symbol: string): { readonly maker: bigint; readonly taker: bigint } {
    const own = this.users.get(uid)?.feeRates;
    return own?.get(`contract:${symbol}`) ?? own?.get("contract") ?? this.market(symbol).rules;
  }

  /** By ascending id. */
  positionsOf(uid: number, symbol: string | null = null, side?: PositionSide): NaivePosition[] {
    return this.positions.filter(
      (position) =>
        position.uid === uid &&
        (symbol === null || position.symbol === symbol) &&
        (side === undefined || position.side === side),
    );
  }

  sideSize(uid: number, symbol: string, side: PositionSide): bigint {
    return sum(this.positionsOf(uid, symbol, side).map(({ size }) => size));
  }

  markValue(position: NaivePosition): bigint {
    return times(this.market(position.symbol).mark, position.size);
  }

  pnlOf(position: NaivePosition): bigint {
    return direction(position.side) * (this.markValue(position) - position.openValue);
  }

  tierIndex(symbol: string, notional: bigint): number {
    const { tiers } = this.market(symbol).rules;
    const found = tiers.findIndex(({ maxNotional }) => notional <= maxNotional);
    return found < 0 ? tiers.length - 1 : found;
  }

  /** What decides the tier: the side's isolated positions, or both sides' cross positions. */
  groupNotional(position: NaivePosition): bigint {
    const { uid, symbol, side, marginType } = position;
    const group =
      marginType === "CROSSED"
        ? this.positionsOf(uid, symbol)
        : this.positionsOf(uid, symbol, side);
    return sum(group.map((member) => this.markValue(member)));
  }

  /** Maintenance rate with the closing fee, for a group of so much value. */
  maintenance(uid: number, symbol: string, notional: bigint): bigint {
    const { tiers } = this.market(symbol).rules;
    const tier = tiers[this.tierIndex(symbol, notional)];
    return (tier?.rate ?? 0n) + this.rates(uid, symbol).taker;
  }

  maintenanceOf(position: NaivePosition): bigint {
    return this.maintenance(position.uid, position.symbol, this.groupNotional(position));
  }

  /**
   * The same for isolated positions until something trades: an account may hold a thousand of one
   * group, whose value is that of all of them.
   */
  groupRates(): (position: NaivePosition) => bigint {
    const rates = new Map<string, bigint>();
    return (position) => {
      const group = `${position.uid} ${position.symbol} ${position.side}`;
      const rate = rates.get(group) ?? this.maintenanceOf(position);
      rates.set(group, rate);
      return rate;
    };
  }

  crossPositions(uid: number, asset: string): NaivePosition[] {
    return this.positionsOf(uid).filter(
      ({ symbol, marginType }) =>
        marginType === "CROSSED" && this.market(symbol).rules.quote.asset === asset,
    );
  }

  isolatedMargins(uid: number, asset: string): bigint {
    const own = this.positionsOf(uid).filter(
      ({ symbol }) => this.market(symbol).rules.quote.asset === asset,
    );
    return sum(own.map(({ margin }) => margin));
  }

  freezeOf(order: NaiveContractOrder): bigint {
    return order.isClosing
      ? 0n
      : this.freeze(order, order.frozenPrice, order.quantity - order.filled);
  }

  /** Margin and fee at the dearer of the two rates, as one amount rounded up. */
  freeze(
    order: Pick<NaiveContractOrder, "symbol" | "leverage" | "makerRate" | "takerRate">,
    price: bigint,
    quantity: bigint,
  ): bigint {
    const leverage = BigInt(order.leverage);
    const rate = greatest(order.makerRate, order.takerRate);
    const value = times(price, quantity);
    return up(value * (ONE + leverage * rate), leverage * ONE, this.unitOf(order.symbol));
  }

  openContractOrders(uid: number, symbol: string | null): NaiveContractOrder[] {
    const orders = [...this.contracts.values()].flatMap((market) => market.resting);
    return orders
      .filter((order) => order.uid === uid && (symbol === null || order.symbol === symbol))
      .sort((one, other) => one.orderId - other.orderId);
  }

  orderMargin(uid: number, asset: string): bigint {
    const orders = this.openContractOrders(uid, null);
    if (this.active?.uid === uid) orders.push(this.active);
    const own = orders.filter(({ symbol }) => this.market(symbol).rules.quote.asset === asset);
    return sum(own.map((order) => this.freezeOf(order)));
  }

  wallet(uid: number, asset: string): bigint {
    return this.equity(uid, "contract", asset);
  }

  /** Wallet without margins; below zero only where cross profit covers it. */
  cash(uid: number, asset: string): bigint {
    const margins = this.orderMargin(uid, asset) + this.isolatedMargins(uid, asset);
    return this.wallet(uid, asset) - margins;
  }

  crossPnl(uid: number, asset: string): bigint {
    return sum(this.crossPositions(uid, asset).map((position) => this.pnlOf(position)));
  }

  crossEquity(uid: number, asset: string): bigint {
    const free = this.wallet(uid, asset) - this.isolatedMargins(uid, asset);
    return free + this.crossPnl(uid, asset);
  }

  /** Sum of value × (m + extra) over the cross positions, in 10^-36. */
  crossMaintenance(uid: number, asset: string, extraOf = (_symbol: string) => 0n): bigint {
    const bySymbol = Map.groupBy(this.crossPositions(uid, asset), ({ symbol }) => symbol);
    const parts = [...bySymbol].map(([symbol, positions]) => {
      const value = sum(positions.map((position) => this.markValue(position)));
      return value * (this.maintenance(uid, symbol, value) + extraOf(symbol));
    });
    return sum(parts);
  }

  /** Margin of a cross position at mark, or the margin locked in an isolated one. */
  marginSize(position: NaivePosition): bigint {
    if (position.marginType === "ISOLATED") return position.margin;
    const { uid, symbol } = position;
    const leverage = BigInt(this.settings(uid, symbol).cross);
    return up(this.markValue(position), leverage, this.unitOf(symbol));
  }

  availableBeforeFloor(uid: number, asset: string): bigint {
    const loss = least(0n, this.crossPnl(uid, asset));
    const margins = sum(this.crossPositions(uid, asset).map((p) => this.marginSize(p)));
    return this.cash(uid, asset) + loss - margins;
  }

  availableBalance(uid: number, asset: string): bigint {
    return greatest(0n, this.availableBeforeFloor(uid, asset));
  }

  isIsolatedDue(position: NaivePosition, rate = this.maintenanceOf(position)): boolean {
    const value = this.markValue(position);
    return (position.margin + this.pnlOf(position)) * ONE <= value * rate;
  }

  isCrossDue(uid: number, asset: string): boolean {
    if (this.crossPositions(uid, asset).length === 0) return false;
    return this.crossEquity(uid, asset) * ONE <= this.crossMaintenance(uid, asset);
  }

  liquidatePrice(position: NaivePosition): bigint {
    const { n, d } = this.#liquidatePrice(position);
    if (d === 0n) return 0n;
    const { tick } = this.market(position.symbol).rules;
    const price = d > 0n ? nearest(n, d, tick) : nearest(-n, -d, tick);
    return greatest(0n, price);
  }

  /** The exact root of the rule by which the position is due. */
  #liquidatePrice(position: NaivePosition): Ratio {
    const { uid, symbol, side, openValue, margin, size } = position;
    const { mark, rules } = this.market(symbol);
    const m = this.maintenanceOf(position);
    const d = direction(side);
    if (position.marginType === "ISOLATED") {
      return { n: (openValue - d * margin) * ONE * ONE, d: size * (ONE - d * m) };
    }
    const own = this.positionsOf(uid, symbol);
    const net = sum(own.map((p) => direction(p.side) * p.size));
    if (net === 0n) return { n: 0n, d: 0n };
    const gross = sum(own.map((p) => p.size));
    const { asset } = rules.quote;
    const surplus = this.crossEquity(uid, asset) * ONE - this.crossMaintenance(uid, asset);
    const slope = net * ONE - gross * m;
    return { n: mark * slope - surplus * ONE, d: slope };
  }

  /** Where nothing is left of its margin, without closing fee. */
  bankruptcy(position: NaivePosition): Ratio {
    const { uid, symbol, side, openValue, margin, size } = position;
    const d = direction(side);
    if (position.marginType === "ISOLATED") return { n: (openValue - d * margin) * ONE, d: size };
    const { mark, rules } = this.market(symbol);
    const n = mark * size - d * this.crossEquity(uid, rules.quote.asset) * ONE;
    // Nothing is bought back for less than a tick.
    return { n: side === "SHORT" ? greatest(n, rules.tick * size) : n, d: size };
  }

  protected note(what: string): void {
    this.noted.set(what, (this.noted.get(what) ?? 0) + 1);
  }

  protected emit(event: NaiveEvent): void {
    const { symbol, type, uid } = event;
    if (DOES_SOMETHING.has(type) && typeof uid === "number" && typeof symbol === "string") {
      this.keepSettings(uid, symbol, this.settings(uid, symbol));
    }
    this.log.push(event);
  }

  /** A part of an amount, towards zero; all of it with the last of the position. */
  protected partOf(amount: bigint, part: bigint, position: NaivePosition): bigint {
    if (part === position.size) return amount;
    const unit = this.unitOf(position.symbol);
    const magnitude = down((amount < 0n ? -amount : amount) * part, position.size, unit);
    return amount < 0n ? -magnitude : magnitude;
  }

  /** The removed opening value, rounded so that the profit is never in the holder's favour. */
  protected openValuePart(part: bigint, position: NaivePosition): bigint {
    const { openValue, size, side, symbol } = position;
    if (part === size) return openValue;
    const round = side === "LONG" ? up : down;
    return round(openValue * part, size, this.unitOf(symbol));
  }

  /** Taking money away makes nothing due. */
  protected override canSpare(uid: number, asset: string, amount: bigint): boolean {
    this.addEquity(uid, "contract", asset, -amount);
    const isDue = this.isCrossDue(uid, asset);
    this.addEquity(uid, "contract", asset, amount);
    if (isDue) this.note("refused: money that leaves would make something due");
    return !isDue;
  }

  protected override contractMovable(uid: number, asset: string): bigint {
    return this.availableBalance(uid, asset);
  }

  protected override contractCash(uid: number, asset: string): bigint {
    return this.availableBalance(uid, asset);
  }
}
