/**
 * Rebuilds every spot balance from events alone, as the bills of the accounts do, and checks after
 * each event what must always hold: money is conserved in every asset, nobody is below zero, no
 * book is crossed, a fill stays within its order. The equities that events state are taken at their
 * word, so that a wrong one breaks the sum.
 */
import type { Event } from "../../src/protocol/index.ts";
import { exact } from "../support/exact.ts";
import { minorUnit, ONE } from "./naive-rules.ts";

interface OpenOrder {
  readonly uid: number;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly priceTicks: number;
  openLots: number;
}

interface Market {
  readonly base: string;
  readonly quote: string;
  readonly tick: bigint;
  readonly step: bigint;
}

export class EventLedger {
  /** By `<uid> <wallet> <asset>`, in minor units. */
  readonly #equity = new Map<string, bigint>();
  /** Sum of all equities, fees and insurance less what came from outside, by asset: always 0. */
  readonly #sums = new Map<string, bigint>();
  readonly #scales = new Map<string, number>();
  readonly #markets = new Map<string, Market>();
  readonly #orders = new Map<number, OpenOrder>();

  get assets(): Iterable<string> {
    return this.#scales.keys();
  }

  equityMinor(uid: number, wallet: string, asset: string): bigint {
    return this.#equity.get(`${uid} ${wallet} ${asset}`) ?? 0n;
  }

  /** What the open orders of a user reserve. */
  frozenMinor(uid: number, asset: string): bigint {
    let total = 0n;
    for (const order of this.#orders.values()) {
      const market = this.#market(order.symbol);
      if (order.uid !== uid) continue;
      const lots = BigInt(order.openLots) * market.step;
      if (order.side === "SELL" && market.base === asset) total += lots;
      if (order.side === "BUY" && market.quote === asset) {
        total += (BigInt(order.priceTicks) * market.tick * lots) / ONE;
      }
    }
    return total / minorUnit(this.#scales.get(asset) ?? 0);
  }

  /** Takes an event; the answer names what does not hold after it. */
  take(event: Event): string | null {
    switch (event.type) {
      case "asset-set":
        this.#scales.set(event.asset, event.scale);
        return null;
      case "spot-market-set":
        this.#markets.set(event.symbol, {
          base: event.baseAsset,
          quote: event.quoteAsset,
          tick: exact(event.tickSize),
          step: exact(event.stepSize),
        });
        return null;
      case "funds-moved":
        return this.#takeMovement(event);
      case "insurance-moved":
        return null;
      case "spot-trade":
        return this.#takeTrade(event);
      case "spot-order-opened":
        this.#orders.set(event.orderId, {
          uid: event.uid,
          symbol: event.symbol,
          side: event.side,
          priceTicks: event.priceTicks,
          openLots: event.quantityLots - event.filledLots,
        });
        return this.#crossing(event.symbol);
      case "spot-order-amended":
        return this.#takeAmendment(event);
      case "spot-order-ended":
        return this.#takeEnd(event);
      default:
        return null;
    }
  }

  #takeMovement(event: Event & { type: "funds-moved" }): string | null {
    const { uid, asset, amountMinor, from, to } = event;
    const outside = (to === null ? amountMinor : 0n) - (from === null ? amountMinor : 0n);
    this.#add(asset, outside);
    return (
      this.#setEquity(uid, "spot", asset, event.spotEquityMinor) ??
      this.#setEquity(uid, "contract", asset, event.contractEquityMinor) ??
      this.#imbalance(asset)
    );
  }

  #takeTrade(event: Event & { type: "spot-trade" }): string | null {
    const { base, quote } = this.#market(event.symbol);
    const takerBuys = event.takerSide === "BUY";
    const [buyer, seller] = takerBuys
      ? [event.takerUid, event.makerUid]
      : [event.makerUid, event.takerUid];
    this.#add(base, takerBuys ? event.takerFeeMinor : event.makerFeeMinor);
    this.#add(quote, takerBuys ? event.makerFeeMinor : event.takerFeeMinor);
    const maker = this.#orders.get(event.makerOrderId);
    if (maker === undefined) return `order ${event.makerOrderId} traded and is not open`;
    maker.openLots -= event.quantityLots;
    if (maker.openLots < 0) return `order ${event.makerOrderId} was filled beyond its quantity`;
    if (maker.priceTicks !== event.priceTicks) return "a trade is not at its maker's price";
    if (maker.openLots === 0) this.#orders.delete(event.makerOrderId);
    return (
      this.#setEquity(buyer, "spot", base, event.buyerBaseEquityMinor) ??
      this.#setEquity(buyer, "spot", quote, event.buyerQuoteEquityMinor) ??
      this.#setEquity(seller, "spot", base, event.sellerBaseEquityMinor) ??
      this.#setEquity(seller, "spot", quote, event.sellerQuoteEquityMinor) ??
      this.#imbalance(base) ??
      this.#imbalance(quote)
    );
  }

  /** Without its place an order is in no book until it is opened or ends. */
  #takeAmendment(event: Event & { type: "spot-order-amended" }): string | null {
    const { orderId, quantityLots, filledLots } = event;
    const open = this.#orders.get(orderId);
    if (open === undefined) return `order ${orderId} is amended and not open`;
    const openLots = quantityLots - filledLots;
    if (openLots <= 0) return `order ${orderId} is amended to nothing`;
    if (!event.keptPriority) this.#orders.delete(orderId);
    else if (openLots >= open.openLots) return `order ${orderId} keeps its place with more`;
    else if (event.priceTicks !== open.priceTicks) return `order ${orderId} keeps another's place`;
    open.openLots = openLots;
    return null;
  }

  #takeEnd(event: Event & { type: "spot-order-ended" }): string | null {
    const open = this.#orders.get(event.orderId);
    this.#orders.delete(event.orderId);
    if (open === undefined) return null;
    const restLots = event.quantityLots - event.filledLots;
    return restLots === open.openLots ? null : `order ${event.orderId} ends with other fills`;
  }

  #market(symbol: string): Market {
    const market = this.#markets.get(symbol);
    if (market === undefined) throw new Error(`no event listed ${symbol}`);
    return market;
  }

  #add(asset: string, delta: bigint): void {
    this.#sums.set(asset, (this.#sums.get(asset) ?? 0n) + delta);
  }

  #setEquity(uid: number, wallet: string, asset: string, minor: bigint): string | null {
    const key = `${uid} ${wallet} ${asset}`;
    this.#add(asset, minor - (this.#equity.get(key) ?? 0n));
    this.#equity.set(key, minor);
    return minor < 0n ? `user ${uid} has ${minor} of ${asset}` : null;
  }

  #imbalance(asset: string): string | null {
    const sum = this.#sums.get(asset) ?? 0n;
    return sum === 0n ? null : `${sum} minor units of ${asset} came from nowhere`;
  }

  #crossing(symbol: string): string | null {
    let bid = 0;
    let ask = Number.POSITIVE_INFINITY;
    for (const order of this.#orders.values()) {
      if (order.symbol !== symbol) continue;
      if (order.side === "BUY") bid = Math.max(bid, order.priceTicks);
      else ask = Math.min(ask, order.priceTicks);
    }
    return bid < ask ? null : `the book of ${symbol} is crossed: ${bid} bid, ${ask} asked`;
  }
}
