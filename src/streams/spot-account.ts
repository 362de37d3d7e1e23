/** The private channels of one account on spot. */
import { invariant, parseDecimal, parseSteps } from "../domain/index.ts";
import type {
  Event,
  EventOf,
  FeeRatesView,
  SpotBalanceView,
  SpotOrderView,
} from "../protocol/index.ts";
import { AccountFeed, type ChangedBalances, EntriesBySymbol } from "./account-feed.ts";
import { ChangedRows } from "./changed-rows.ts";
import { type Listings, priceText, quantityText } from "./listings.ts";
import { type Filled, OrderTracker } from "./order-tracker.ts";
import type { FeedPorts } from "./ports.ts";
import { type FeeRates, type SpotTerms, spotFillEntry, spotOrderEntry } from "./spot-entries.ts";

export class SpotAccount extends AccountFeed {
  readonly #listings: Listings;
  readonly #orders = new OrderTracker<SpotTerms>();
  readonly #balances = new ChangedRows();
  /** By symbol, "" for those of all markets. */
  readonly #feeRates = new Map<string, FeeRates>();
  #fills = new EntriesBySymbol();

  constructor(uid: number, listings: Listings, ports: FeedPorts) {
    super(uid, ports);
    this.#listings = listings;
  }

  protected async load(): Promise<number | null> {
    const { uid } = this;
    const { engine } = this.ports;
    const [orders, balances, user] = await Promise.all([
      engine.ask({ type: "spot-open-orders", uid, symbol: null }),
      engine.ask({ type: "spot-balances", uid }),
      engine.ask({ type: "user", uid }),
    ]);
    if (!orders.ok || !balances.ok || !user.ok) return null;
    for (const order of orders.value) this.#loadOrder(order);
    this.#balances.remember(balanceRows(balances.value));
    for (const rates of user.value.feeRates) this.#setFeeRates(rates);
    return orders.sequence;
  }

  protected apply(event: Event, timestampMs: number): void {
    switch (event.type) {
      case "spot-order-opened":
        this.#opened(event, timestampMs);
        this.balanceChanged("OrderUpdate");
        break;
      case "spot-order-amended":
        this.#amended(event, timestampMs);
        this.balanceChanged("OrderUpdate");
        break;
      case "spot-order-ended":
        this.#ended(event, timestampMs);
        this.balanceChanged("OrderUpdate");
        break;
      case "spot-trade":
        this.#traded(event, timestampMs);
        this.balanceChanged("OrderUpdate");
        break;
      case "funds-moved":
        this.balanceChanged(event.to === "spot" ? "DepositUpdate" : "WithdrawUpdate");
        break;
      case "fee-rates-set":
        this.#setFeeRates(event);
        break;
      default:
        break;
    }
  }

  protected flush(timestampMs: number): void {
    const entries = new EntriesBySymbol();
    for (const state of this.#orders.take()) {
      const listing = this.#listings.market("spot", state.terms.symbol);
      const entry = spotOrderEntry(state, listing, this.#listings, this.#ratesOf(listing.symbol));
      entries.add(listing.symbol, entry);
    }
    const fills = this.#fills;
    if (!fills.isEmpty) {
      this.#fills = new EntriesBySymbol();
      this.publisher("fill").push(fills.lists, timestampMs, "OrderUpdate");
    }
    if (!entries.isEmpty) this.publisher("orders").push(entries.lists, timestampMs, "OrderUpdate");
  }

  protected async changedBalances(): Promise<ChangedBalances | null> {
    const { uid } = this;
    const balances = await this.ports.engine.ask({ type: "spot-balances", uid });
    if (!balances.ok) return null;
    const rows = this.#balances.differing(balanceRows(balances.value));
    return { rows, timestampMs: balances.timestampMs };
  }

  #loadOrder(order: SpotOrderView): void {
    const { orderId, symbol, clientOrderId, side, orderType, timeInForce } = order;
    const { price, quantity: size, createdMs } = order;
    const listing = this.#listings.market("spot", symbol);
    const lots = parseSteps(order.filledQuantity, listing.step);
    const scale = this.#listings.scaleOf(listing.quoteAsset);
    const valueMinor = parseDecimal(order.filledQuote, scale);
    invariant(typeof lots === "number" && typeof valueMinor === "bigint", "views are on the grid");
    this.#orders.load(
      {
        orderId,
        symbol,
        clientOrderId,
        side,
        orderType,
        timeInForce,
        price,
        size,
        value: "0",
        createdMs,
      },
      { lots, valueMinor },
      order.updatedMs,
    );
  }

  #opened(event: EventOf<"spot-order-opened">, timestampMs: number): void {
    this.#orders.opened(this.#termsOf(event, timestampMs), filledOf(event), timestampMs);
  }

  #amended(event: EventOf<"spot-order-amended">, timestampMs: number): void {
    const terms = this.#termsOf(event, event.createdMs);
    this.#orders.amended(terms, event.keptPriority, timestampMs);
  }

  #termsOf(
    event: EventOf<"spot-order-opened" | "spot-order-amended">,
    createdMs: number,
  ): SpotTerms {
    const { orderId, symbol, clientOrderId, side, timeInForce } = event;
    const listing = this.#listings.market("spot", symbol);
    return {
      orderId,
      symbol,
      clientOrderId,
      side,
      orderType: "LIMIT",
      timeInForce,
      price: priceText(listing, event.priceTicks),
      size: quantityText(listing, event.quantityLots),
      value: "0",
      createdMs,
    };
  }

  #ended(event: EventOf<"spot-order-ended">, timestampMs: number): void {
    const { orderId, symbol, clientOrderId, side, orderType, timeInForce, createdMs } = event;
    const listing = this.#listings.market("spot", symbol);
    const isByQuote = event.quoteAmountMinor > 0n;
    const terms: SpotTerms = {
      orderId,
      symbol,
      clientOrderId,
      side,
      orderType,
      timeInForce,
      price: priceText(listing, event.priceTicks),
      // Of an order by quote amount what it filled, as in the histories.
      size: quantityText(listing, isByQuote ? event.filledLots : event.quantityLots),
      value: this.#listings.amountText(listing.quoteAsset, event.quoteAmountMinor),
      createdMs,
    };
    this.#orders.ended(terms, filledOf(event), event, timestampMs);
  }

  #traded(event: EventOf<"spot-trade">, timestampMs: number): void {
    const listing = this.#listings.market("spot", event.symbol);
    for (const role of ["maker", "taker"] as const) {
      if ((role === "maker" ? event.makerUid : event.takerUid) !== this.uid) continue;
      const entry = spotFillEntry(event, role, listing, this.#listings, timestampMs);
      this.#fills.add(event.symbol, entry);
      const fill = {
        lots: event.quantityLots,
        valueMinor: event.quoteMinor,
        feeMinor: role === "maker" ? event.makerFeeMinor : event.takerFeeMinor,
        realizedMinor: 0n,
        priceTicks: event.priceTicks,
      };
      const orderId = role === "maker" ? event.makerOrderId : event.takerOrderId;
      this.#orders.filled(orderId, fill, timestampMs);
    }
  }

  #setFeeRates(rates: FeeRatesView): void {
    if (rates.product === "spot") this.#feeRates.set(rates.symbol ?? "", rates);
  }

  #ratesOf(symbol: string): FeeRates {
    return (
      this.#feeRates.get(symbol) ?? this.#feeRates.get("") ?? this.#listings.market("spot", symbol)
    );
  }
}

function filledOf(event: {
  readonly filledLots: number;
  readonly filledQuoteMinor: bigint;
}): Filled {
  return { lots: event.filledLots, valueMinor: event.filledQuoteMinor };
}

function balanceRows(balances: readonly SpotBalanceView[]): Map<string, object> {
  return new Map(
    balances.map(({ asset, equity, available, frozen }) => [
      asset,
      { coin: asset, equity, available, frozen },
    ]),
  );
}
