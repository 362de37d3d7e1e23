/**
 * The open orders of one account, tracked from events: what each has filled, and which changed
 * since the last call. A fill of an order that is not yet open belongs to the incoming or amended
 * order, which opens or ends later in the same command.
 */
import type { EndReason, OrderStatus } from "../../domain/index.ts";

/** The totals of an order's fills so far. */
export interface FillTotals {
  readonly lots: number;
  readonly valueMinor: bigint;
  readonly feeMinor: bigint;
  readonly realizedMinor: bigint;
  readonly liquidateFeeMinor: bigint;
  readonly latestTicks: number;
  readonly maxTicks: number;
  readonly minTicks: number;
}

export interface OneFill {
  readonly lots: number;
  readonly valueMinor: bigint;
  readonly feeMinor: bigint;
  readonly realizedMinor: bigint;
  readonly priceTicks: number;
}

export const NO_FILLS: FillTotals = {
  lots: 0,
  valueMinor: 0n,
  feeMinor: 0n,
  realizedMinor: 0n,
  liquidateFeeMinor: 0n,
  latestTicks: 0,
  maxTicks: 0,
  minTicks: 0,
};

/** An order as it is after its last change. */
export interface OrderState<Terms> {
  readonly terms: Terms;
  readonly totals: FillTotals;
  readonly status: OrderStatus;
  /** Null while it is open. */
  readonly reason: EndReason | null;
  readonly updatedMs: number;
}

/** Filled so far, according to an event or a view. */
export type Filled = Pick<FillTotals, "lots" | "valueMinor">;

export class OrderTracker<Terms extends { readonly orderId: number; readonly createdMs: number }> {
  readonly #open = new Map<number, OrderState<Terms>>();
  /** Fills of orders that arrived or lost their place, and are neither open nor ended yet. */
  readonly #incoming = new Map<number, FillTotals>();
  /** Placement times of the orders that lost their place. */
  readonly #placedMs = new Map<number, number>();
  #changed = new Map<number, OrderState<Terms>>();

  /** An order that was open before the first event. */
  load(terms: Terms, totals: FillTotals, updatedMs: number): void {
    this.#open.set(terms.orderId, { terms, totals, status: "NEW", reason: null, updatedMs });
  }

  termsOf(orderId: number): Terms | null {
    return this.#open.get(orderId)?.terms ?? null;
  }

  opened(opened: Terms, filled: Filled, updatedMs: number): void {
    const createdMs = this.#placedMs.get(opened.orderId) ?? opened.createdMs;
    const terms = { ...opened, createdMs };
    const totals = { ...this.#takeIncoming(terms.orderId), ...filled };
    const state = { terms, totals, status: "NEW", reason: null, updatedMs } as const;
    this.#open.set(terms.orderId, state);
    this.#changed.set(terms.orderId, state);
  }

  /**
   * An order has new terms. If it lost its priority it left the book, and is reported as a new one
   * that keeps its earlier fills.
   */
  amended(terms: Terms, keptPriority: boolean, updatedMs: number): void {
    const { orderId } = terms;
    const { totals } = this.#open.get(orderId) ?? { totals: NO_FILLS };
    const state = { terms, totals, status: "NEW", reason: null, updatedMs } as const;
    if (keptPriority) {
      this.#open.set(orderId, state);
      this.#changed.set(orderId, state);
    } else {
      this.#open.delete(orderId);
      this.#incoming.set(orderId, totals);
      this.#placedMs.set(orderId, terms.createdMs);
    }
  }

  filled(orderId: number, fill: OneFill, updatedMs: number): void {
    const open = this.#open.get(orderId);
    if (open === undefined) {
      this.#incoming.set(orderId, add(this.#incoming.get(orderId) ?? NO_FILLS, fill));
      return;
    }
    const state = { ...open, totals: add(open.totals, fill), updatedMs };
    this.#open.set(orderId, state);
    this.#changed.set(orderId, state);
  }

  /** A liquidation's fee, emitted directly after a fill of its order. */
  liquidateFee(orderId: number, minor: bigint): void {
    const open = this.#open.get(orderId);
    const totals = open?.totals ?? this.#incoming.get(orderId) ?? NO_FILLS;
    const raised = { ...totals, liquidateFeeMinor: totals.liquidateFeeMinor + minor };
    if (open === undefined) {
      this.#incoming.set(orderId, raised);
      return;
    }
    const state = { ...open, totals: raised };
    this.#open.set(orderId, state);
    this.#changed.set(orderId, state);
  }

  ended(
    terms: Terms,
    filled: Filled,
    end: { readonly status: OrderStatus; readonly reason: EndReason },
    updatedMs: number,
  ): void {
    const { orderId } = terms;
    const before = this.#open.get(orderId)?.totals ?? this.#takeIncoming(orderId);
    this.#open.delete(orderId);
    this.#changed.set(orderId, { terms, totals: { ...before, ...filled }, ...end, updatedMs });
  }

  /** The orders that changed since the last call, each once. */
  take(): OrderState<Terms>[] {
    if (this.#changed.size === 0) return [];
    const changed = [...this.#changed.values()];
    this.#changed = new Map();
    return changed;
  }

  #takeIncoming(orderId: number): FillTotals {
    const totals = this.#incoming.get(orderId) ?? NO_FILLS;
    this.#incoming.delete(orderId);
    this.#placedMs.delete(orderId);
    return totals;
  }
}

function add(totals: FillTotals, fill: OneFill): FillTotals {
  const { priceTicks } = fill;
  return {
    lots: totals.lots + fill.lots,
    valueMinor: totals.valueMinor + fill.valueMinor,
    feeMinor: totals.feeMinor + fill.feeMinor,
    realizedMinor: totals.realizedMinor + fill.realizedMinor,
    liquidateFeeMinor: totals.liquidateFeeMinor,
    latestTicks: priceTicks,
    maxTicks: Math.max(totals.maxTicks, priceTicks),
    minTicks: totals.minTicks === 0 ? priceTicks : Math.min(totals.minTicks, priceTicks),
  };
}
