/** What every order was after each command, by the events alone. */
import type { Event } from "../../src/protocol/index.ts";
import type { NaiveContractExchange } from "../models/contract/naive-contract-exchange.ts";
import type { Product } from "./orders.ts";

export interface OrderMoment {
  readonly sequence: number;
  /** Of the command or the timer that made it so. */
  readonly timeMs: number;
  readonly isOpen: boolean;
  /** In 10^-18, as in `exact`. */
  readonly price: bigint;
  readonly quantity: bigint;
  readonly filled: bigint;
}

export interface OrderTimeline {
  readonly product: Product;
  readonly uid: number;
  readonly orderId: string;
  readonly symbol: string;
  readonly clientOrderId: string;
  /** At most one for each command. */
  readonly moments: OrderMoment[];
}

type Moment = Pick<OrderMoment, "sequence" | "timeMs">;

type OrderEvent = Extract<
  Event,
  { readonly type: `${Product}-order-${"opened" | "amended" | "ended"}` }
>;

export class OrderTimelines {
  readonly #naive: NaiveContractExchange;
  readonly #timelines = new Map<string, OrderTimeline>();
  readonly #ofAccounts = new Map<string, OrderTimeline[]>();
  readonly #changes = new Map<string, number[]>();

  constructor(naive: NaiveContractExchange) {
    this.#naive = naive;
  }

  get(product: Product, orderId: string): OrderTimeline | undefined {
    return this.#timelines.get(`${product} ${orderId}`);
  }

  ofAccount(product: Product, uid: number): readonly OrderTimeline[] {
    return this.#ofAccounts.get(`${product} ${uid}`) ?? [];
  }

  /** Commands that changed an order of the account. */
  changes(product: Product, uid: number): readonly number[] {
    return this.#changes.get(`${product} ${uid}`) ?? [];
  }

  take(event: Event, sequence: number, timeMs: number): void {
    switch (event.type) {
      case "spot-order-opened":
      case "spot-order-amended":
      case "spot-order-ended":
        this.#takeOrder("spot", event, { sequence, timeMs });
        break;
      case "contract-order-opened":
      case "contract-order-amended":
      case "contract-order-ended":
        this.#takeOrder("contract", event, { sequence, timeMs });
        break;
      case "spot-trade":
        this.#fill("spot", event.makerOrderId, event, { sequence, timeMs });
        break;
      case "contract-trade":
        this.#fill("contract", event.maker.orderId, event, { sequence, timeMs });
        break;
      default:
    }
  }

  #takeOrder(product: Product, event: OrderEvent, at: Moment): void {
    const { clientOrderId, symbol, uid } = event;
    const { step, tick } = this.#grid(product, symbol);
    const orderId = String(event.orderId);
    const timeline = this.get(product, orderId) ?? {
      ...{ product, uid, orderId, symbol, clientOrderId },
      moments: [],
    };
    if (timeline.moments.length === 0) this.#add(timeline);
    const isByAmount = "quoteAmountMinor" in event && event.quoteAmountMinor > 0n;
    this.#push(timeline, {
      ...at,
      isOpen: !event.type.endsWith("-ended"),
      price: BigInt(event.priceTicks) * tick,
      quantity: BigInt(isByAmount ? event.filledLots : event.quantityLots) * step,
      filled: BigInt(event.filledLots) * step,
    });
  }

  #add(timeline: OrderTimeline): void {
    const { orderId, product, uid } = timeline;
    this.#timelines.set(`${product} ${orderId}`, timeline);
    const account = `${product} ${uid}`;
    const own = this.#ofAccounts.get(account) ?? [];
    own.push(timeline);
    this.#ofAccounts.set(account, own);
  }

  #fill(
    product: Product,
    orderId: number,
    trade: { readonly symbol: string; readonly quantityLots: number },
    at: Moment,
  ): void {
    const timeline = this.get(product, String(orderId));
    const last = timeline?.moments.at(-1);
    // What meets an account that is liquidated has an order that never rested.
    if (timeline === undefined || last === undefined) return;
    const lots = BigInt(trade.quantityLots) * this.#grid(product, trade.symbol).step;
    this.#push(timeline, { ...last, ...at, filled: last.filled + lots });
  }

  #push({ moments, product, uid }: OrderTimeline, moment: OrderMoment): void {
    if (moments.at(-1)?.sequence === moment.sequence) moments.pop();
    moments.push(moment);
    const account = `${product} ${uid}`;
    const changes = this.#changes.get(account) ?? [];
    if (changes.at(-1) !== moment.sequence) changes.push(moment.sequence);
    this.#changes.set(account, changes);
  }

  #grid(product: Product, symbol: string): { readonly tick: bigint; readonly step: bigint } {
    const markets = product === "spot" ? this.#naive.markets : this.#naive.contracts;
    const market = markets.get(symbol);
    if (market === undefined) throw new Error(`there is no ${product} ${symbol}`);
    return market.rules;
  }
}

/** What the order was after a command; undefined before it was placed. */
export function momentAt({ moments }: OrderTimeline, sequence: number): OrderMoment | undefined {
  return moments.findLast((moment) => moment.sequence <= sequence);
}
