/**
 * What a contract order has beyond an order of the pool, by the pool's slot; valid while the slot
 * is in use.
 */
import { ORDER_ORIGINS, type OrderOrigin } from "../../../domain/index.ts";
import { GrowingRows } from "../../matching/growing-rows.ts";
import type { PositionSideIndex } from "./contract-market.ts";

const NUMBERS = 6;
const CREATED_MS = 0;
const ALGO_ID = 1;
const TARGET_POSITION_ID = 2;
const LEVERAGE = 3;
const TAKER_FEE_RATE_E8 = 4;
const FLAGS = 5;

const CLOSING = 2;
const ATTACHED = 4;
const ORIGIN_SHIFT = 3;

/** The terms of an order that its fills need later. */
export interface OrderExtra {
  readonly createdMs: number;
  /** The conditional order that placed it; 0 for none. */
  readonly algoId: number;
  /** The one position that it closes; 0 for first in, first out. */
  readonly targetPositionId: number;
  /** At placement. */
  readonly leverage: number;
  readonly takerFeeRateE8: number;
  readonly positionSide: PositionSideIndex;
  readonly isClosing: boolean;
  readonly origin: OrderOrigin;
  /** Whether a take profit or a stop loss was attached to it. */
  readonly hasAttached: boolean;
}

export class OrderExtras {
  readonly #rows = new GrowingRows(NUMBERS);

  set(slot: number, extra: OrderExtra): void {
    const rows = this.#rows;
    while (rows.used <= slot) rows.add();
    rows.setNumber(slot, CREATED_MS, extra.createdMs);
    rows.setNumber(slot, ALGO_ID, extra.algoId);
    rows.setNumber(slot, TARGET_POSITION_ID, extra.targetPositionId);
    rows.setNumber(slot, LEVERAGE, extra.leverage);
    rows.setNumber(slot, TAKER_FEE_RATE_E8, extra.takerFeeRateE8);
    const flags =
      extra.positionSide |
      (extra.isClosing ? CLOSING : 0) |
      (extra.hasAttached ? ATTACHED : 0) |
      (ORDER_ORIGINS.indexOf(extra.origin) << ORIGIN_SHIFT);
    rows.setNumber(slot, FLAGS, flags);
  }

  get(slot: number): OrderExtra {
    return {
      createdMs: this.createdMs(slot),
      algoId: this.algoId(slot),
      targetPositionId: this.targetPositionId(slot),
      leverage: this.leverage(slot),
      takerFeeRateE8: this.takerFeeRateE8(slot),
      positionSide: this.positionSide(slot),
      isClosing: this.isClosing(slot),
      origin: this.origin(slot),
      hasAttached: this.hasAttached(slot),
    };
  }

  createdMs(slot: number): number {
    return this.#number(slot, CREATED_MS);
  }

  algoId(slot: number): number {
    return this.#number(slot, ALGO_ID);
  }

  targetPositionId(slot: number): number {
    return this.#number(slot, TARGET_POSITION_ID);
  }

  leverage(slot: number): number {
    return this.#number(slot, LEVERAGE);
  }

  takerFeeRateE8(slot: number): number {
    return this.#number(slot, TAKER_FEE_RATE_E8);
  }

  positionSide(slot: number): PositionSideIndex {
    return (this.#number(slot, FLAGS) & 1) as PositionSideIndex;
  }

  isClosing(slot: number): boolean {
    return (this.#number(slot, FLAGS) & CLOSING) !== 0;
  }

  hasAttached(slot: number): boolean {
    return (this.#number(slot, FLAGS) & ATTACHED) !== 0;
  }

  origin(slot: number): OrderOrigin {
    return ORDER_ORIGINS[this.#number(slot, FLAGS) >> ORIGIN_SHIFT] as OrderOrigin;
  }

  #number(slot: number, field: number): number {
    return this.#rows.numbers[slot * NUMBERS + field] as number;
  }
}
