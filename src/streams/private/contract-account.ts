/** The private channels of one account on contracts. */
import { orderSource } from "../../api/order-words.ts";
import type { ContractOrderView, Event, EventOf, PositionView } from "../../protocol/index.ts";
import { type Instruments, priceText, quantityText } from "../channels/instruments.ts";
import type { FeedPorts } from "../channels/ports.ts";
import type { Throttle } from "../channels/throttle.ts";
import type { AccountCause } from "../channels/updates.ts";
import { AccountFeed, type ChangedBalances, EntriesBySymbol } from "./account-feed.ts";
import { ChangedRows } from "./changed-rows.ts";
import {
  algoOrderEntry,
  type ContractFillEntry,
  type ContractTerms,
  closedPositionEntry,
  contractBalanceEntry,
  contractFillEntry,
  contractOrderEntry,
  type Holding,
  heldAs,
  leverageOf,
  type PositionTerms,
  positionEntry,
} from "./contract-entries.ts";
import { EarlierFills } from "./earlier-fills.ts";
import { NO_FILLS, OrderTracker } from "./order-tracker.ts";
import { UserFeeRates } from "./user-fee-rates.ts";

interface PendingFill {
  entry: ContractFillEntry;
  readonly positionId: number;
}

const UNKNOWN_POSITION: PositionTerms = {
  marginMode: "CROSSED",
  separatedOpenOrderId: 0,
  leverage: "0",
  createdSequence: 0,
};

export class ContractAccount extends AccountFeed {
  readonly #instruments: Instruments;
  readonly #orders = new OrderTracker<ContractTerms>();
  readonly #balanceRows = new ChangedRows();
  readonly #positionRows = new ChangedRows();
  readonly #positions = new Map<number, PositionTerms>();
  readonly #holdings = new Map<string, Holding>();
  readonly #positionThrottle: Throttle;
  readonly #feeRates: UserFeeRates;
  #positionCause: AccountCause = "OrderUpdate";
  #fills: PendingFill[] = [];
  #algos: EventOf<"algo-order-changed">[] = [];
  #closed = new EntriesBySymbol();
  /** With the command that closed each, until an answer of the engine is as new. */
  readonly #closedAt = new Map<number, number>();

  constructor(uid: number, instruments: Instruments, ports: FeedPorts) {
    super(uid, ports);
    this.#instruments = instruments;
    this.#feeRates = new UserFeeRates("contract", instruments);
    this.#positionThrottle = this.pace(() => this.#showPositions());
  }

  override stop(): void {
    super.stop();
    this.#positionThrottle.stop();
  }

  protected async load(): Promise<number | null> {
    const { uid } = this;
    const { engine } = this.ports;
    const [orders, balances, positions, settings, user] = await Promise.all([
      engine.query({ type: "contract-open-orders", uid, symbol: null }),
      engine.query({ type: "contract-balances", uid }),
      engine.query({ type: "contract-positions", uid, symbol: null }),
      engine.query({ type: "contract-settings", uid, symbol: null }),
      engine.query({ type: "user", uid }),
    ]);
    if (!orders.ok || !balances.ok || !positions.ok || !settings.ok || !user.ok) return null;
    const earlier = new EarlierFills("contract", this.#instruments);
    if (!(await earlier.load(this.ports, uid, orders.value, orders.sequence))) return null;
    for (const rates of user.value.feeRates) this.#feeRates.set(rates);
    for (const holding of settings.value) this.#holdings.set(holding.symbol, holding);
    for (const order of orders.value) this.#loadOrder(order, earlier);
    for (const position of positions.value) this.#learn(position);
    this.#positionRows.remember(positionRows(positions.value));
    this.#balanceRows.remember(balanceRows(balances.value));
    return orders.sequence;
  }

  protected apply(event: Event, timestampMs: number, sequence: number): void {
    switch (event.type) {
      case "contract-order-opened":
        this.#opened(event, timestampMs);
        break;
      case "contract-order-amended":
        this.#amended(event, timestampMs);
        break;
      case "contract-order-ended":
        this.#ended(event, timestampMs);
        break;
      case "contract-trade":
        this.#traded(event, timestampMs);
        break;
      case "liquidation-settled":
        this.#settled(event);
        this.#positionRows.forget(String(event.positionId));
        break;
      case "algo-order-changed":
        this.#algos.push(event);
        return;
      case "contract-settings-changed":
        this.#holdings.set(event.symbol, event);
        // The leverage applies to every position in the market.
        this.#positionRows.forgetAll();
        break;
      case "position-margin-moved":
      case "auto-append-set":
        this.#positionRows.forget(String(event.positionId));
        break;
      case "position-opened":
        this.#positions.set(event.positionId, {
          marginMode: event.marginType,
          separatedOpenOrderId: event.separatedOpenOrderId,
          leverage: String(event.leverage),
          createdSequence: sequence,
        });
        break;
      case "position-closed":
        this.#positionClosed(event, timestampMs, sequence);
        break;
      case "fee-rates-set":
        this.#feeRates.set(event);
        return;
      case "funds-moved":
        this.#balanceRows.forget(event.asset);
        this.balanceChanged(event.to === "contract" ? "DepositUpdate" : "WithdrawUpdate");
        return;
      case "funding-moved":
        this.#positionRows.forget(String(event.positionId));
        this.#moneyChanged("PositionFundingSettle");
        return;
      default:
        break;
    }
    this.#moneyChanged("OrderUpdate");
  }

  protected flush(timestampMs: number): void {
    const orders = new EntriesBySymbol();
    for (const state of this.#orders.take()) {
      const { symbol } = state.terms;
      const listing = this.#instruments.market("contract", symbol);
      const holding = this.#holdingOf(symbol);
      const rates = this.#feeRates.of(symbol);
      orders.add(symbol, contractOrderEntry(state, listing, this.#instruments, holding, rates));
    }
    for (const algo of this.#algos) this.#addAlgo(orders, algo);
    this.#algos = [];
    const fills = new EntriesBySymbol();
    for (const { entry, positionId } of this.#fills) {
      const held = heldAs(this.#holdingOf(entry.symbol), this.#positions.get(positionId));
      fills.add(entry.symbol, { ...entry, ...held });
    }
    this.#fills = [];
    const closed = this.#closed;
    if (!fills.isEmpty) this.publisher("fill").push(fills.lists, timestampMs, "OrderUpdate");
    if (!orders.isEmpty) this.publisher("orders").push(orders.lists, timestampMs, "OrderUpdate");
    if (closed.isEmpty) return;
    this.#closed = new EntriesBySymbol();
    for (const positionId of this.#closedAt.keys()) {
      this.#positions.delete(positionId);
      this.#positionRows.forget(String(positionId));
    }
    this.publisher("positions").push(closed.lists, timestampMs, "OrderUpdate");
  }

  protected async changedBalances(): Promise<ChangedBalances | null> {
    const { uid } = this;
    const balances = await this.ports.engine.query({ type: "contract-balances", uid });
    if (!balances.ok) return null;
    const rows = this.#balanceRows.differing(balanceRows(balances.value));
    return { rows, timestampMs: balances.timestampMs };
  }

  #moneyChanged(cause: AccountCause): void {
    // A user has wallets of only a few margin assets, so all are queried each time.
    this.#balanceRows.forgetAll();
    this.balanceChanged(cause);
    this.#positionCause = cause;
    this.#positionThrottle.request();
  }

  async #showPositions(): Promise<boolean> {
    const { uid } = this;
    const cause = this.#positionCause;
    this.#positionCause = "OrderUpdate";
    const positions = await this.ports.engine.query({
      type: "contract-positions",
      uid,
      symbol: null,
    });
    if (!positions.ok) {
      this.#positionCause = cause;
      return false;
    }
    const open = this.#stillOpen(positions.value, positions.sequence);
    for (const position of open) this.#learn(position);
    const changed = this.#positionRows.differing(positionRows(open));
    if (changed.length > 0)
      this.publisher("positions").push([changed], positions.timestampMs, cause);
    return true;
  }

  /** Without those of which an event has come that is newer than the answer. */
  #stillOpen(answered: readonly PositionView[], sequence: number): PositionView[] {
    const open = answered.filter(({ id }) => !this.#closedAt.has(id));
    for (const [id, closedAt] of this.#closedAt) {
      if (closedAt <= sequence) this.#closedAt.delete(id);
    }
    return open;
  }

  #loadOrder(order: ContractOrderView, earlier: EarlierFills): void {
    const { orderId, symbol, clientOrderId, side, positionSide, orderType, timeInForce } = order;
    this.#orders.load(
      {
        orderId,
        symbol,
        clientOrderId,
        side,
        positionSide,
        orderType,
        timeInForce,
        source: "API",
        price: order.price,
        size: order.quantity,
        leverage: leverageOf(this.#holdingOf(symbol), positionSide),
        createdMs: order.createdMs,
      },
      earlier.of(order),
      order.updatedMs,
    );
  }

  #opened(event: EventOf<"contract-order-opened">, timestampMs: number): void {
    const filled = { lots: event.filledLots, valueMinor: event.filledValueMinor };
    this.#orders.opened(this.#termsOf(event, timestampMs), filled, timestampMs);
  }

  #amended(event: EventOf<"contract-order-amended">, timestampMs: number): void {
    const terms = this.#termsOf(event, event.createdMs);
    this.#orders.amended(terms, event.keptPriority, timestampMs);
  }

  #termsOf(
    event: EventOf<"contract-order-opened" | "contract-order-amended">,
    createdMs: number,
  ): ContractTerms {
    const { orderId, symbol, clientOrderId, side, positionSide, timeInForce, leverage } = event;
    const listing = this.#instruments.market("contract", symbol);
    return {
      orderId,
      symbol,
      clientOrderId,
      side,
      positionSide,
      orderType: "LIMIT",
      timeInForce,
      source: orderSource(event.origin),
      price: priceText(listing, event.priceTicks),
      size: quantityText(listing, event.quantityLots),
      leverage,
      createdMs,
    };
  }

  #ended(event: EventOf<"contract-order-ended">, timestampMs: number): void {
    const { orderId, symbol, clientOrderId, side, positionSide, orderType, timeInForce } = event;
    const listing = this.#instruments.market("contract", symbol);
    const known = this.#orders.termsOf(orderId);
    const terms: ContractTerms = {
      orderId,
      symbol,
      clientOrderId,
      side,
      positionSide,
      orderType,
      timeInForce,
      source: orderSource(event.origin),
      price: priceText(listing, event.priceTicks),
      size: quantityText(listing, event.quantityLots),
      leverage: known?.leverage ?? leverageOf(this.#holdingOf(symbol), positionSide),
      createdMs: event.createdMs,
    };
    const filled = { lots: event.filledLots, valueMinor: event.filledValueMinor };
    this.#orders.ended(terms, filled, event, timestampMs);
  }

  #traded(event: EventOf<"contract-trade">, timestampMs: number): void {
    const listing = this.#instruments.market("contract", event.symbol);
    for (const role of ["maker", "taker"] as const) {
      const { uid, orderId, positionId, feeMinor, realizedPnlMinor } = event[role];
      if (uid !== this.uid) continue;
      this.#positionRows.forget(String(positionId));
      const entry = contractFillEntry(event, role, listing, this.#instruments, timestampMs);
      this.#fills.push({ entry, positionId });
      const fill = {
        lots: event.quantityLots,
        valueMinor: event.valueMinor,
        feeMinor,
        realizedMinor: realizedPnlMinor,
        priceTicks: event.priceTicks,
      };
      this.#orders.filled(orderId, fill, timestampMs);
    }
  }

  /** The fee of a liquidation is emitted directly after its trade. */
  #settled(event: EventOf<"liquidation-settled">): void {
    const last = this.#fills.findLast(({ positionId }) => positionId === event.positionId);
    if (last === undefined) return;
    const liquidateFee = this.#instruments.amountText(event.asset, event.liquidationFeeMinor);
    last.entry = { ...last.entry, liquidateFee };
    this.#orders.liquidateFee(Number(last.entry.orderId), event.liquidationFeeMinor);
  }

  #positionClosed(event: EventOf<"position-closed">, timestampMs: number, sequence: number): void {
    const terms = this.#positions.get(event.positionId) ?? UNKNOWN_POSITION;
    const listing = this.#instruments.market("contract", event.symbol);
    const at = { sequence, timestampMs };
    const entry = closedPositionEntry(event, terms, listing, this.#instruments, at);
    this.#closed.add(event.symbol, entry);
    this.#closedAt.set(event.positionId, sequence);
  }

  #addAlgo(orders: EntriesBySymbol, algo: EventOf<"algo-order-changed">): void {
    const listing = this.#instruments.market("contract", algo.symbol);
    const holding = this.#holdingOf(algo.symbol);
    const { terms, wire } = algoOrderEntry(algo, listing, holding);
    const isFilled = algo.status === "FILLED";
    const state = {
      terms,
      totals: { ...NO_FILLS, lots: isFilled ? algo.quantityLots : 0 },
      status: "NEW" as const,
      reason: null,
      updatedMs: algo.updatedMs,
    };
    const rates = this.#feeRates.of(algo.symbol);
    const entry = contractOrderEntry(state, listing, this.#instruments, holding, rates);
    orders.add(algo.symbol, { ...entry, ...wire });
  }

  #learn(position: PositionView): void {
    const { marginType, separatedOpenOrderId, leverage } = position;
    const createdSequence = position.createdMatchSequenceId;
    const terms = { marginMode: marginType, separatedOpenOrderId, leverage, createdSequence };
    this.#positions.set(position.id, terms);
  }

  #holdingOf(symbol: string): Holding {
    const known = this.#holdings.get(symbol);
    if (known !== undefined) return known;
    const { defaultLeverage: leverage } = this.#instruments.market("contract", symbol);
    return {
      marginType: "CROSSED",
      separatedType: "COMBINED",
      crossLeverage: leverage,
      isolatedLongLeverage: leverage,
      isolatedShortLeverage: leverage,
    };
  }
}

function positionRows(positions: readonly PositionView[]): Map<string, object> {
  return new Map(positions.map((position) => [String(position.id), positionEntry(position)]));
}

function balanceRows(
  balances: readonly Parameters<typeof contractBalanceEntry>[0][],
): Map<string, object> {
  return new Map(balances.map((balance) => [balance.asset, contractBalanceEntry(balance)]));
}
