/**
 * Fills of an account's open orders from before anyone subscribed. The engine knows the filled
 * quantity; fees, realised profit and prices come from the history.
 */
import {
  invariant,
  type Product,
  parseDecimal,
  parseSignedDecimal,
  parseSteps,
} from "../../domain/index.ts";
import type { OrderFillTotals } from "../../queries/history-port.ts";
import type { Instruments, Listing } from "../channels/instruments.ts";
import type { FeedPorts } from "../channels/ports.ts";
import { type FillTotals, NO_FILLS } from "./order-tracker.ts";

/** The fields of an open order that its fills determine. */
export interface OpenOrder {
  readonly orderId: number;
  readonly symbol: string;
  readonly side: "BUY" | "SELL";
  readonly filledQuantity: string;
  /** In the quote asset. */
  readonly filledValue: string;
}

const ORDERS_PER_QUESTION = 100;

export class EarlierFills {
  readonly #product: Product;
  readonly #instruments: Instruments;
  readonly #known = new Map<number, OrderFillTotals>();

  constructor(product: Product, instruments: Instruments) {
    this.#product = product;
    this.#instruments = instruments;
  }

  /** Queries the fills of orders as of the sequence; false when the store is behind. */
  async load(
    { history }: Pick<FeedPorts, "history">,
    uid: number,
    orders: readonly OpenOrder[],
    sequence: number,
  ): Promise<boolean> {
    const filled = orders.filter(({ filledQuantity }) => filledQuantity !== "0");
    for (let from = 0; from < filled.length; from += ORDERS_PER_QUESTION) {
      const asked = filled.slice(from, from + ORDERS_PER_QUESTION);
      const question = { product: this.#product, uid, orders: asked.map(toAsked) };
      const reply = await history.query("order-fill-totals", question, sequence);
      if ("unavailable" in reply) return false;
      for (const totals of reply.answer) this.#known.set(totals.orderId, totals);
    }
    return true;
  }

  of({ orderId, symbol, side, filledQuantity, filledValue }: OpenOrder): FillTotals {
    const listing = this.#instruments.market(this.#product, symbol);
    const lots = parseSteps(filledQuantity, listing.step);
    const valueMinor = parseDecimal(filledValue, this.#instruments.scaleOf(listing.quoteAsset));
    invariant(typeof lots === "number" && typeof valueMinor === "bigint", "views are on the grid");
    const known = this.#known.get(orderId);
    if (known === undefined) return { ...NO_FILLS, lots, valueMinor };
    const isFeeInBase = this.#product === "spot" && side === "BUY";
    const feeAsset = isFeeInBase ? listing.baseAsset : listing.quoteAsset;
    return {
      ...NO_FILLS,
      lots,
      valueMinor,
      feeMinor: this.#minor(known.fee, feeAsset),
      realizedMinor: this.#minor(known.realizedPnl, listing.quoteAsset),
      latestTicks: ticksOf(known.last, listing),
      maxTicks: ticksOf(known.highest, listing),
      minTicks: ticksOf(known.lowest, listing),
    };
  }

  #minor(text: string, asset: string): bigint {
    const minor = parseSignedDecimal(text, this.#instruments.scaleOf(asset));
    invariant(typeof minor === "bigint", "history has no finer amounts than the asset");
    return minor;
  }
}

function toAsked({ orderId, filledQuantity }: OpenOrder) {
  return { orderId, filledQuantity };
}

function ticksOf(price: string, { tick }: Listing): number {
  const ticks = parseSteps(price, tick);
  invariant(typeof ticks === "number", "a market with open orders keeps its tick");
  return ticks;
}
