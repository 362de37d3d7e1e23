/** All trades by the events alone, and the candles that they make. */
import type { Event } from "../../src/protocol/index.ts";
import type { NaiveContractExchange } from "../models/contract/naive-contract-exchange.ts";
import { minorUnit } from "../models/naive-rules.ts";
import { greatest, least, sum, text } from "../support/exact.ts";
import type { Product } from "./orders.ts";

export interface TapeTrade {
  readonly product: Product;
  readonly symbol: string;
  readonly id: string;
  readonly sequence: number;
  readonly timeMs: number;
  readonly price: bigint;
  readonly quantity: bigint;
  readonly value: bigint;
  readonly isTakerBuyer: boolean;
  /** Not one by which a position was taken over without the book. */
  readonly isPublic: boolean;
  /** Both accounts, with their orders: `<uid> <order>`. */
  readonly sides: readonly [maker: string, taker: string];
}

const PRIVATE_KINDS: ReadonlySet<string> = new Set(["adl", "netting"]);

export class TradeTape {
  readonly #naive: NaiveContractExchange;
  readonly #trades: TapeTrade[] = [];

  constructor(naive: NaiveContractExchange) {
    this.#naive = naive;
  }

  /** What the public is told, and what candles are made of. */
  of(product: Product, symbol: string): readonly TapeTrade[] {
    return this.#trades.filter((trade) => {
      return trade.isPublic && trade.product === product && trade.symbol === symbol;
    });
  }

  /** Its fills, by the names of `fillKey`. */
  ofAccount(product: Product, uid: number): readonly (readonly [key: string, TapeTrade])[] {
    const found: (readonly [string, TapeTrade])[] = [];
    for (const trade of this.#trades) {
      if (trade.product !== product) continue;
      for (const side of trade.sides) {
        const [owner, orderId] = side.split(" ");
        if (owner === String(uid)) found.push([`${trade.id}/${orderId}`, trade]);
      }
    }
    return found;
  }

  take(event: Event, sequence: number, timeMs: number): void {
    if (event.type !== "spot-trade" && event.type !== "contract-trade") return;
    const product = event.type === "spot-trade" ? "spot" : "contract";
    const markets = product === "spot" ? this.#naive.markets : this.#naive.contracts;
    const rules = markets.get(event.symbol)?.rules;
    if (rules === undefined) throw new Error(`there is no ${product} ${event.symbol}`);
    const minor = event.type === "spot-trade" ? event.quoteMinor : event.valueMinor;
    this.#trades.push({
      product,
      symbol: event.symbol,
      id: String(event.tradeId),
      sequence,
      timeMs,
      price: BigInt(event.priceTicks) * rules.tick,
      quantity: BigInt(event.quantityLots) * rules.step,
      value: minor * minorUnit(rules.quote.scale),
      isTakerBuyer: event.takerSide === "BUY",
      isPublic: event.type === "spot-trade" || !PRIVATE_KINDS.has(event.kind),
      sides:
        event.type === "spot-trade"
          ? [`${event.makerUid} ${event.makerOrderId}`, `${event.takerUid} ${event.takerOrderId}`]
          : [
              `${event.maker.uid} ${event.maker.orderId}`,
              `${event.taker.uid} ${event.taker.orderId}`,
            ],
    });
  }
}

/** The candle of these trades, as the API writes one. */
export function candleOf(
  openMs: number,
  lengthMs: number,
  trades: readonly TapeTrade[],
): readonly unknown[] {
  const prices = trades.map(({ price }) => price);
  const taken = trades.filter(({ isTakerBuyer }) => isTakerBuyer);
  const quantity = (of: readonly TapeTrade[]) => text(sum(of.map((trade) => trade.quantity)));
  const value = (of: readonly TapeTrade[]) => text(sum(of.map((trade) => trade.value)));
  return [
    openMs,
    text(prices[0] ?? 0n),
    text(prices.reduce(greatest)),
    text(prices.reduce(least)),
    text(prices.at(-1) ?? 0n),
    quantity(trades),
    openMs + lengthMs - 1,
    value(trades),
    trades.length,
    quantity(taken),
    value(taken),
  ];
}
