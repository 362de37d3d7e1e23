/**
 * The naive model of history: every event kept as it was, every question answered by looking
 * through all of them. It shares no code with the projections or the queries.
 */
import type { Event } from "../../src/protocol/index.ts";
import type {
  Bill,
  Candle,
  EndedSpotOrder,
  HistoryAnswer,
  HistoryQueryName,
  HistoryQuestion,
  SpotFill,
} from "../../src/queries/index.ts";
import { exact, text } from "../support/exact.ts";
import { AffiliateHistoryModel } from "./affiliate-model.ts";
import { AuditModel } from "./audit-model.ts";
import { ContractHistoryModel } from "./contract-model.ts";
import type { AppliedCommand } from "./event-stream.ts";
import { LISTED, type Listing, product } from "./listed.ts";
import { isIn, naiveCandles, type PricePoint } from "./naive-candles.ts";
import { naiveFillTotals, wholeMatches } from "./naive-fill-totals.ts";
import { type MatchFills, WebhookHistoryModel } from "./webhook-events.ts";
import { WithdrawalHistoryModel } from "./withdrawal-model.ts";

type Trade = Extract<Event, { type: "spot-trade" }>;
type Moved = Extract<Event, { type: "funds-moved" }>;

/** With what its ticks and lots were at that time. */
interface Traded {
  readonly event: Trade;
  readonly timeMs: number;
  readonly price: string;
  readonly quantity: string;
}

interface MovedAt {
  readonly event: Moved;
  readonly timeMs: number;
  readonly movementId: number;
}

export class HistoryModel {
  readonly #tickSizes = new Map<string, string>();
  readonly #trades: Traded[] = [];
  readonly #bills: Bill[] = [];
  readonly #ended: EndedSpotOrder[] = [];
  readonly #moved: MovedAt[] = [];
  readonly #operator: (HistoryAnswer<"operator-movements">[number] & { command: string })[] = [];
  readonly #listing: Listing;
  readonly #audit: AuditModel;
  readonly #contracts: ContractHistoryModel;
  readonly #affiliates: AffiliateHistoryModel;
  readonly #withdrawals: WithdrawalHistoryModel;
  readonly #webhooks: WebhookHistoryModel;
  #lastMovementId = 0;
  lastTimeMs = 0;

  constructor(listing = LISTED) {
    this.#listing = listing;
    this.#affiliates = new AffiliateHistoryModel(listing);
    this.#contracts = new ContractHistoryModel(listing);
    this.#withdrawals = new WithdrawalHistoryModel(listing);
    this.#webhooks = new WebhookHistoryModel(listing);
    const price = (symbol: string, ticks: number) => this.#contracts.price(symbol, ticks);
    this.#audit = new AuditModel(listing, price);
  }

  apply({ sequence, timestampMs, events }: AppliedCommand): void {
    this.lastTimeMs = timestampMs;
    let timeMs = timestampMs;
    for (const event of events) {
      if (event.type === "timer-fired") timeMs = event.timestampMs;
      if (event.type === "spot-market-set") this.#tickSizes.set(event.symbol, event.tickSize);
      if (event.type === "spot-trade") this.#addTrade(event, timeMs);
      if (event.type === "spot-order-ended") this.#addEnded(event, timeMs);
      if (event.type === "funds-moved") this.#addMoved(event, timeMs);
      if (event.type === "insurance-moved") this.#addInsurance(event, timeMs);
      this.#contracts.apply(event, timeMs);
      this.#affiliates.apply(event, timeMs);
      this.#withdrawals.apply(event, timeMs);
      this.#webhooks.apply(event, { sequence, timeMs }, () => this.#lastMatch());
      this.#addAffiliateBills(event, timeMs);
      if ("actor" in event && event.actor !== "") this.#audit.add(event, sequence, timeMs);
      if (event.type === "reason-given") this.#audit.addReason(event.reason);
    }
  }

  #lastMatch(): MatchFills {
    const trade = this.#trades.at(-1);
    const spot = trade === undefined ? [] : this.#sidesOf(trade);
    return { spot: spot.sort((one) => (one.maker ? -1 : 1)), contract: this.#contracts.lastMatch };
  }

  #addTrade(event: Trade, timeMs: number): void {
    const market = this.#listing.spot(event.symbol);
    const price = product(event.priceTicks, this.#tickSizes.get(event.symbol) ?? "");
    const quantity = product(event.quantityLots, market.step);
    this.#trades.push({ event, timeMs, price, quantity });
    const buyerIsTaker = event.takerSide === "BUY";
    const quote = this.#listing.units(event.quoteMinor, market.quote);
    const buyerFee = buyerIsTaker ? event.takerFeeMinor : event.makerFeeMinor;
    const sellerFee = buyerIsTaker ? event.makerFeeMinor : event.takerFeeMinor;
    const buyer = buyerIsTaker ? event.takerUid : event.makerUid;
    const seller = buyerIsTaker ? event.makerUid : event.takerUid;
    const add = (
      uid: number,
      billType: "trade_in" | "trade_out",
      asset: string,
      gross: string,
      feeMinor: bigint,
      afterMinor: bigint,
    ) => {
      const fee = this.#listing.units(feeMinor, asset);
      this.#bills.push({
        billId: this.#bills.length + 1,
        uid,
        asset,
        billType,
        fillQuantity: quantity,
        fillValue: quote,
        delta: billType === "trade_in" ? text(exact(gross) - exact(fee)) : `-${gross}`,
        after: this.#listing.units(afterMinor, asset),
        fee,
        timeMs,
      });
    };
    add(buyer, "trade_in", market.base, quantity, buyerFee, event.buyerBaseEquityMinor);
    add(buyer, "trade_out", market.quote, quote, 0n, event.buyerQuoteEquityMinor);
    add(seller, "trade_in", market.quote, quote, sellerFee, event.sellerQuoteEquityMinor);
    add(seller, "trade_out", market.base, quantity, 0n, event.sellerBaseEquityMinor);
  }

  #addEnded(event: Extract<Event, { type: "spot-order-ended" }>, timeMs: number): void {
    const market = this.#listing.spot(event.symbol);
    const filled = product(event.filledLots, market.step);
    this.#ended.push({
      orderId: event.orderId,
      uid: event.uid,
      symbol: event.symbol,
      clientOrderId: event.clientOrderId,
      side: event.side,
      orderType: event.orderType,
      timeInForce: event.timeInForce,
      price: product(event.priceTicks, this.#tickSizes.get(event.symbol) ?? ""),
      quantity: event.quantityLots === 0 ? filled : product(event.quantityLots, market.step),
      quoteAmount: this.#listing.units(event.quoteAmountMinor, market.quote),
      filledQuantity: filled,
      filledQuote: this.#listing.units(event.filledQuoteMinor, market.quote),
      status: event.status,
      reason: event.reason,
      createdMs: event.createdMs,
      endedMs: timeMs,
    });
  }

  #addMoved(event: Moved, timeMs: number): void {
    const amount = this.#listing.units(event.amountMinor, event.asset);
    const movementId = ++this.#lastMovementId;
    this.#moved.push({ event, timeMs, movementId });
    const kind = event.from === null ? "deposit" : event.to === null ? "withdraw" : "transfer";
    const { requestId, uid, asset, from, to } = event;
    if (event.actor !== "") {
      const command = `${kind}-funds`;
      this.#operator.push({ command, movementId, requestId, uid, asset, amount, from, to, timeMs });
    }
    if (event.from !== "spot" && event.to !== "spot") return;
    const names = { deposit: "deposit", withdraw: "withdraw", transfer: "transfer_in" } as const;
    this.#bills.push({
      billId: this.#bills.length + 1,
      uid: event.uid,
      asset: event.asset,
      billType: kind === "transfer" && event.from === "spot" ? "transfer_out" : names[kind],
      fillQuantity: "0",
      fillValue: "0",
      delta: event.to === "spot" ? amount : `-${amount}`,
      after: this.#listing.units(event.spotEquityMinor, event.asset),
      fee: "0",
      timeMs,
    });
  }

  #addInsurance(event: Extract<Event, { type: "insurance-moved" }>, timeMs: number): void {
    const isDeposit = event.deltaMinor > 0n;
    this.#operator.push({
      command: isDeposit ? "deposit-insurance" : "withdraw-insurance",
      movementId: ++this.#lastMovementId,
      requestId: event.requestId,
      uid: 0,
      asset: event.asset,
      amount: this.#listing.units(isDeposit ? event.deltaMinor : -event.deltaMinor, event.asset),
      from: null,
      to: null,
      timeMs,
    });
  }

  #addAffiliateBills(event: Event, timeMs: number): void {
    const add = (
      uid: number,
      asset: string,
      billType: Bill["billType"],
      deltaMinor: bigint,
      afterMinor: bigint,
    ) => {
      if (deltaMinor === 0n) return;
      const filled = { fillQuantity: "0", fillValue: "0", fee: "0" };
      const [delta, after] = [
        this.#listing.units(deltaMinor, asset),
        this.#listing.units(afterMinor, asset),
      ];
      const billId = this.#bills.length + 1;
      this.#bills.push({ billId, uid, asset, billType, delta, after, ...filled, timeMs });
    };
    if (event.type === "commissions-settled" || event.type === "commission-reversed") {
      const { affiliateUid, asset, spotEquityMinor } = event;
      const delta = "paidMinor" in event ? event.paidMinor : -event.fromSpotMinor;
      add(affiliateUid, asset, "rr_agent_reward", delta, spotEquityMinor);
    }
    if (event.type === "internal-withdrawal-made") {
      const { uid, toUid, asset, amountMinor } = event;
      add(uid, asset, "transfer_out", -amountMinor, event.spotEquityMinor);
      add(toUid, asset, "transfer_in", amountMinor, event.toSpotEquityMinor);
    }
  }

  answer<Name extends HistoryQueryName>(
    name: Name,
    question: HistoryQuestion<Name>,
  ): HistoryAnswer<Name> {
    const answers: {
      [Each in HistoryQueryName]: (question: HistoryQuestion<Each>) => HistoryAnswer<Each>;
    } = {
      "ended-spot-order": (q) => this.#endedOrder(q),
      "ended-spot-orders": (q) => this.#endedOrders(q),
      "spot-fills": (q) => this.#fills(q),
      "spot-fills-from": (q) =>
        wholeMatches(
          this.#fills({ ...q, offset: 0, limit: Infinity })
            .toReversed()
            .filter(({ tradeId }) => tradeId >= q.fromId),
          q.limit,
        ),
      "spot-fill-prices": (q) => this.#fillPrices(q),
      "order-fill-totals": (q) => this.#fillTotals(q),
      "public-spot-trades": (q) => this.#publicTrades(q),
      "spot-candles": (q) => this.#candles(q),
      bills: (q) => this.#findBills(q),
      transfers: (q) => this.#transfers(q),
      "funding-movements": (q) => this.#funding(q),
      "operator-movements": (q) => this.#operatorMovements(q),
      ...this.#contracts.answers(),
      ...this.#affiliates.answers(),
      ...this.#withdrawals.answers(),
      "webhook-events": (q) => this.#webhooks.answer(q),
      audit: (q) => this.#audit.find(q),
      "audit-search": (q) => this.#audit.search(q),
      "orders-by-id": (q) => this.#ordersById(q),
    };
    return answers[name](question);
  }

  #ordersById(q: HistoryQuestion<"orders-by-id">): HistoryAnswer<"orders-by-id"> {
    const found = this.#ended
      .filter((order) =>
        q.orderId === null ? order.clientOrderId === q.clientOrderId : order.orderId === q.orderId,
      )
      .map(({ uid, orderId, clientOrderId, symbol, status }) => {
        return { product: "spot" as const, uid, orderId, clientOrderId, symbol, status };
      })
      .sort((one, other) => one.uid - other.uid || one.orderId - other.orderId);
    return [...found.slice(0, q.limit), ...this.#contracts.ordersById(q)];
  }

  #endedOrder(q: HistoryQuestion<"ended-spot-order">): EndedSpotOrder | null {
    const found = this.#ended.filter(
      (order) =>
        order.uid === q.uid &&
        (q.symbol === null || order.symbol === q.symbol) &&
        (q.orderId === null
          ? order.clientOrderId === q.clientOrderId
          : order.orderId === q.orderId),
    );
    return found.sort((a, b) => b.orderId - a.orderId)[0] ?? null;
  }

  #endedOrders(q: HistoryQuestion<"ended-spot-orders">): EndedSpotOrder[] {
    return this.#ended
      .filter(
        (order) =>
          order.uid === q.uid &&
          (q.symbol === null || order.symbol === q.symbol) &&
          isIn(q.created, order.createdMs),
      )
      .sort((a, b) => b.orderId - a.orderId)
      .slice(q.offset, q.offset + q.limit);
  }

  #fills(q: HistoryQuestion<"spot-fills">): HistoryAnswer<"spot-fills"> {
    const fills = this.#trades.flatMap((trade) => this.#sidesOf(trade));
    return fills
      .filter(
        (fill) =>
          fill.uid === q.uid &&
          (q.symbol === null || fill.symbol === q.symbol) &&
          (q.orderId === null || fill.orderId === q.orderId) &&
          isIn(q.time, fill.timeMs),
      )
      .reverse()
      .slice(q.offset, q.offset + q.limit);
  }

  #fillPrices(q: HistoryQuestion<"spot-fill-prices">): HistoryAnswer<"spot-fill-prices"> {
    return q.orderIds.flatMap((orderId) => {
      const time = { fromMs: null, toMs: null };
      const all = { uid: q.uid, symbol: null, orderId, time, offset: 0, limit: Infinity };
      const prices = this.#fills(all).map(({ price }) => price);
      const [last] = prices;
      const sorted = prices.toSorted((one, other) => (exact(one) < exact(other) ? -1 : 1));
      const [lowest, highest] = [sorted[0], sorted.at(-1)];
      if (last === undefined || lowest === undefined || highest === undefined) return [];
      return [{ orderId, last, lowest, highest }];
    });
  }

  #fillTotals({
    product,
    uid,
    orders,
  }: HistoryQuestion<"order-fill-totals">): HistoryAnswer<"order-fill-totals"> {
    const time = { fromMs: null, toMs: null };
    return orders.flatMap(({ orderId, filledQuantity }) => {
      const all = { uid, symbol: null, orderId, time, offset: 0, limit: Infinity };
      const fills =
        product === "spot"
          ? this.#fills(all).map((fill) => ({ ...fill, realizedPnl: "0" }))
          : this.#contracts.answers()["contract-fills"](all);
      return naiveFillTotals(orderId, fills.toReversed(), filledQuantity);
    });
  }

  #publicTrades(q: HistoryQuestion<"public-spot-trades">): HistoryAnswer<"public-spot-trades"> {
    return this.#trades
      .filter(({ event }) => event.symbol === q.symbol)
      .reverse()
      .slice(0, q.limit)
      .map(({ event, timeMs, price, quantity }) => ({
        tradeId: event.tradeId,
        symbol: event.symbol,
        price,
        quantity,
        quoteQuantity: this.#listing.units(
          event.quoteMinor,
          this.#listing.spot(event.symbol).quote,
        ),
        timeMs,
        buyerIsMaker: event.takerSide === "SELL",
      }));
  }

  #candles(q: HistoryQuestion<"spot-candles">): Candle[] {
    const trades = this.#trades.filter(({ event }) => event.symbol === q.symbol);
    const points = trades.map(({ event, timeMs, price }): PricePoint => {
      const market = this.#listing.spot(event.symbol);
      const base = exact(this.#listing.units(event.baseMinor, market.base));
      const quote = exact(this.#listing.units(event.quoteMinor, market.quote));
      const traded = { base, quote, takerBought: event.takerSide === "BUY" };
      return { timeMs, price: exact(price), traded };
    });
    return naiveCandles(points, q);
  }

  #findBills(q: HistoryQuestion<"bills">): Bill[] {
    return this.#bills
      .filter(
        (bill) =>
          bill.uid === q.uid &&
          (q.asset === null || bill.asset === q.asset) &&
          (q.billType === null || bill.billType === q.billType) &&
          isIn(q.time, bill.timeMs),
      )
      .reverse()
      .slice(0, q.limit);
  }

  #transfers(q: HistoryQuestion<"transfers">): HistoryAnswer<"transfers"> {
    return this.#moved
      .flatMap(({ event, timeMs }) => {
        const { from, to, uid, asset, requestId } = event;
        if (from === null || to === null) return [];
        const amount = this.#listing.units(event.amountMinor, asset);
        return [{ requestId, uid, asset, amount, from, to, timeMs }];
      })
      .filter(
        (transfer) =>
          transfer.uid === q.uid &&
          (q.asset === null || transfer.asset === q.asset) &&
          (q.from === null || transfer.from === q.from) &&
          isIn(q.time, transfer.timeMs),
      )
      .reverse()
      .slice(0, q.limit);
  }

  #funding(q: HistoryQuestion<"funding-movements">): HistoryAnswer<"funding-movements"> {
    const rows = this.#moved
      .filter(
        ({ event, timeMs }) =>
          (event.from === null || event.to === null) &&
          event.uid === q.uid &&
          (q.asset === null || event.asset === q.asset) &&
          isIn(q.time, timeMs),
      )
      .reverse()
      .map(({ event, timeMs, movementId }) => ({
        movementId,
        requestId: event.requestId,
        uid: event.uid,
        kind: event.to === null ? ("withdrawal" as const) : ("deposit" as const),
        wallet: event.to ?? event.from ?? "spot",
        asset: event.asset,
        amount: this.#listing.units(event.amountMinor, event.asset),
        after: this.#listing.units(
          (event.to ?? event.from) === "spot" ? event.spotEquityMinor : event.contractEquityMinor,
          event.asset,
        ),
        timeMs,
      }));
    const start = (q.page.page - 1) * q.page.pageSize;
    return { rows: rows.slice(start, start + q.page.pageSize), total: rows.length };
  }

  #operatorMovements(
    q: HistoryQuestion<"operator-movements">,
  ): HistoryAnswer<"operator-movements"> {
    return this.#operator
      .filter(
        (row) =>
          row.command === q.command &&
          row.uid === q.uid &&
          (q.asset === null || row.asset === q.asset) &&
          row.movementId > q.afterMovementId,
      )
      .slice(0, q.limit)
      .map(({ command: _, ...row }) => row);
  }

  #sidesOf({ event, timeMs, price, quantity }: Traded): SpotFill[] {
    return (["BUY", "SELL"] as const).map((side) => {
      const market = this.#listing.spot(event.symbol);
      const maker = event.takerSide !== side;
      const feeAsset = side === "BUY" ? market.base : market.quote;
      return {
        tradeId: event.tradeId,
        orderId: maker ? event.makerOrderId : event.takerOrderId,
        uid: maker ? event.makerUid : event.takerUid,
        symbol: event.symbol,
        side,
        maker,
        price,
        quantity,
        quoteQuantity: this.#listing.units(event.quoteMinor, market.quote),
        fee: this.#listing.units(maker ? event.makerFeeMinor : event.takerFeeMinor, feeAsset),
        feeAsset,
        timeMs,
      };
    });
  }
}
