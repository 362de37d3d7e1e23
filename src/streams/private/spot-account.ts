/** The private channels of one account on spot. */
import type { WithdrawalState } from "../../domain/index.ts";
import type { Event, EventOf, SpotBalanceView, SpotOrderView } from "../../protocol/index.ts";
import { type Instruments, priceText, quantityText } from "../channels/instruments.ts";
import type { FeedPorts } from "../channels/ports.ts";
import { AccountFeed, type ChangedBalances, EntriesBySymbol } from "./account-feed.ts";
import { ChangedRows } from "./changed-rows.ts";
import { EarlierFills, type OpenOrder } from "./earlier-fills.ts";
import { depositEntry, withdrawalEntry } from "./funding-entries.ts";
import { type Filled, OrderTracker } from "./order-tracker.ts";
import { type SpotTerms, spotFillEntry, spotOrderEntry } from "./spot-entries.ts";
import { UserFeeRates } from "./user-fee-rates.ts";

export class SpotAccount extends AccountFeed {
  readonly #instruments: Instruments;
  readonly #orders = new OrderTracker<SpotTerms>();
  readonly #balances = new ChangedRows();
  readonly #feeRates: UserFeeRates;
  #fills = new EntriesBySymbol();
  readonly #withdrawals: object[] = [];
  readonly #deposits: object[] = [];

  constructor(uid: number, instruments: Instruments, ports: FeedPorts) {
    super(uid, ports);
    this.#instruments = instruments;
    this.#feeRates = new UserFeeRates("spot", instruments);
  }

  protected async load(): Promise<number | null> {
    const { uid } = this;
    const { engine } = this.ports;
    const [orders, balances, user] = await Promise.all([
      engine.query({ type: "spot-open-orders", uid, symbol: null }),
      engine.query({ type: "spot-balances", uid }),
      engine.query({ type: "user", uid }),
    ]);
    if (!orders.ok || !balances.ok || !user.ok) return null;
    const earlier = new EarlierFills("spot", this.#instruments);
    const open = orders.value.map(openOrder);
    if (!(await earlier.load(this.ports, uid, open, orders.sequence))) return null;
    for (const order of orders.value) this.#loadOrder(order, earlier);
    this.#balances.remember(balanceRows(balances.value));
    for (const rates of user.value.feeRates) this.#feeRates.set(rates);
    return orders.sequence;
  }

  protected apply(event: Event, timestampMs: number): void {
    switch (event.type) {
      case "spot-order-opened":
        this.#opened(event, timestampMs);
        this.#marketMoved(event.symbol);
        break;
      case "spot-order-amended":
        this.#amended(event, timestampMs);
        this.#marketMoved(event.symbol);
        break;
      case "spot-order-ended":
        this.#ended(event, timestampMs);
        this.#marketMoved(event.symbol);
        break;
      case "spot-trade":
        this.#traded(event, timestampMs);
        this.#marketMoved(event.symbol);
        break;
      case "funds-moved":
        this.#fundsMoved(event.asset, event.to === "spot");
        break;
      case "withdrawal-changed":
        this.#withdrawals.push(withdrawalEntry(event, this.#instruments, timestampMs));
        if (isBalanceChange(event.state)) this.#fundsMoved(event.asset, false);
        break;
      case "deposit-changed":
        this.#deposits.push(depositEntry(event, this.#instruments, timestampMs));
        break;
      case "commissions-settled":
        this.#fundsMoved(event.asset, true);
        break;
      case "commission-reversed":
        this.#fundsMoved(event.asset, false);
        break;
      case "internal-withdrawal-made":
        this.#fundsMoved(event.asset, event.toUid === this.uid);
        break;
      case "fee-rates-set":
        this.#feeRates.set(event);
        break;
      default:
        break;
    }
  }

  protected flush(timestampMs: number): void {
    const entries = new EntriesBySymbol();
    for (const state of this.#orders.take()) {
      const listing = this.#instruments.market("spot", state.terms.symbol);
      const rates = this.#feeRates.of(listing.symbol);
      const entry = spotOrderEntry(state, listing, this.#instruments, rates);
      entries.add(listing.symbol, entry);
    }
    const fills = this.#fills;
    if (!fills.isEmpty) {
      this.#fills = new EntriesBySymbol();
      this.publisher("fill").push(fills.lists, timestampMs, "OrderUpdate");
    }
    if (!entries.isEmpty) this.publisher("orders").push(entries.lists, timestampMs, "OrderUpdate");
    const withdrawals = this.#withdrawals.splice(0);
    if (withdrawals.length > 0) {
      this.publisher("withdrawals").push([withdrawals], timestampMs, "WithdrawUpdate");
    }
    const deposits = this.#deposits.splice(0);
    if (deposits.length > 0) {
      this.publisher("deposits").push([deposits], timestampMs, "DepositUpdate");
    }
  }

  protected async changedBalances(): Promise<ChangedBalances | null> {
    const { uid } = this;
    const balances = await this.ports.engine.query({ type: "spot-balances", uid });
    if (!balances.ok) return null;
    const rows = this.#balances.differing(balanceRows(balances.value));
    return { rows, timestampMs: balances.timestampMs };
  }

  /** Balances of both assets of a market changed. */
  #marketMoved(symbol: string): void {
    const { baseAsset, quoteAsset } = this.#instruments.market("spot", symbol);
    this.#balances.forget(baseAsset);
    this.#balances.forget(quoteAsset);
    this.balanceChanged("OrderUpdate");
  }

  #fundsMoved(asset: string, isReceived: boolean): void {
    this.#balances.forget(asset);
    this.balanceChanged(isReceived ? "DepositUpdate" : "WithdrawUpdate");
  }

  #loadOrder(order: SpotOrderView, earlier: EarlierFills): void {
    const { orderId, symbol, clientOrderId, side, orderType, timeInForce } = order;
    const { price, quantity: size, createdMs } = order;
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
      earlier.of(openOrder(order)),
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
    const listing = this.#instruments.market("spot", symbol);
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
    const listing = this.#instruments.market("spot", symbol);
    const isByQuote = event.quoteAmountMinor > 0n;
    const terms: SpotTerms = {
      orderId,
      symbol,
      clientOrderId,
      side,
      orderType,
      timeInForce,
      price: priceText(listing, event.priceTicks),
      // For an order by quote amount the filled quantity, as in the histories.
      size: quantityText(listing, isByQuote ? event.filledLots : event.quantityLots),
      value: this.#instruments.amountText(listing.quoteAsset, event.quoteAmountMinor),
      createdMs,
    };
    this.#orders.ended(terms, filledOf(event), event, timestampMs);
  }

  #traded(event: EventOf<"spot-trade">, timestampMs: number): void {
    const listing = this.#instruments.market("spot", event.symbol);
    for (const role of ["maker", "taker"] as const) {
      if ((role === "maker" ? event.makerUid : event.takerUid) !== this.uid) continue;
      const entry = spotFillEntry(event, role, listing, this.#instruments, timestampMs);
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
}

/** Money is frozen or free again; with `done` it moves out, which is an event of its own. */
function isBalanceChange(state: WithdrawalState): boolean {
  return state === "requested" || state === "rejected" || state === "failed";
}

function openOrder(order: SpotOrderView): OpenOrder {
  return { ...order, filledValue: order.filledQuote };
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
