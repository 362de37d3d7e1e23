/**
 * What each webhook is to be told: a row per webhook and event, numbered in order. It depends on
 * the events alone, so a rebuilt history numbers them the same.
 */
import type { WebhookKind } from "../domain/index.ts";
import type { Event, EventOf } from "../protocol/index.ts";
import type { HistoryDatabase, Row, RowSink } from "../store/index.ts";
import { contractFillRow } from "./contract-rows.ts";
import type { Instruments } from "./instruments.ts";
import { RowReaders } from "./row-readers.ts";
import { spotTradeRow } from "./spot-rows.ts";

interface Webhook {
  readonly kinds: readonly WebhookKind[];
  readonly accounts: readonly number[];
  lastNumber: number;
}

/** `uid` is 0 for what concerns a market. */
interface Told {
  readonly kind: WebhookKind;
  readonly type: string;
  readonly uid: number;
  readonly data: object;
}

interface Moment {
  readonly sequence: number;
  readonly timestampMs: number;
}

export class WebhookProjector {
  readonly #rows: RowSink;
  readonly #instruments: Instruments;
  readonly #lastNumberOf: (webhookId: string) => number;
  readonly #webhooks = new Map<string, Webhook>();

  constructor(history: HistoryDatabase, rows: RowSink, instruments: Instruments) {
    this.#rows = rows;
    this.#instruments = instruments;
    const read = new RowReaders(history);
    this.#lastNumberOf = read.last("webhook_events", ["webhook_id"], "number");
    for (const row of read.all("webhooks")) this.#take(row);
  }

  project(event: Event, moment: Moment): void {
    if (event.type === "webhook-set") this.#set(event);
    if (event.type === "webhook-removed") this.#set({ ...event, kinds: [], accounts: [] });
    // Most venues have none, and fills are many.
    if (this.#webhooks.size === 0) return;
    for (const told of this.#told(event)) this.#add(told, moment);
  }

  #set(settings: Pick<EventOf<"webhook-set">, "webhookId" | "kinds" | "accounts">): void {
    const row = {
      webhook_id: settings.webhookId,
      kinds: JSON.stringify(settings.kinds),
      accounts: JSON.stringify(settings.accounts),
    };
    this.#rows.upsert("webhooks", row);
    this.#take(row);
  }

  #take({ webhook_id: id, kinds, accounts }: Row<"webhooks">): void {
    const lastNumber = this.#webhooks.get(id)?.lastNumber ?? this.#lastNumberOf(id);
    const webhook = { kinds: JSON.parse(kinds), accounts: JSON.parse(accounts), lastNumber };
    if (webhook.kinds.length === 0) this.#webhooks.delete(id);
    else this.#webhooks.set(id, webhook);
  }

  #add({ kind, type, uid, data }: Told, { sequence, timestampMs }: Moment): void {
    for (const [webhookId, webhook] of this.#webhooks) {
      if (!webhook.kinds.includes(kind)) continue;
      if (kind === "fills" && !webhook.accounts.includes(uid)) continue;
      this.#rows.insert("webhook_events", {
        webhook_id: webhookId,
        number: ++webhook.lastNumber,
        sequence,
        time_ms: timestampMs,
        event_type: type,
        uid,
        data: JSON.stringify(data),
      });
    }
  }

  #told(event: Event): readonly Told[] {
    switch (event.type) {
      case "spot-trade":
        return this.#spotFills(event);
      case "contract-trade":
        return this.#contractFills(event);
      case "funds-moved":
        return this.#moved(event);
      case "deposit-changed":
        return this.#deposit(event);
      case "withdrawal-changed":
        return [this.#withdrawal(event)];
      case "liquidation-started":
      case "liquidation-finished": {
        const { type, uid, symbol, positionId, marginType } = event;
        return [{ kind: "liquidations", type, uid, data: { symbol, positionId, marginType } }];
      }
      case "spot-market-state-set":
      case "contract-market-state-set": {
        const { symbol, state } = event;
        const product = event.type === "spot-market-state-set" ? "spot" : "contract";
        const data = { product, symbol, state };
        return [{ kind: "halts", type: "market-state-set", uid: 0, data }];
      }
      default:
        return [];
    }
  }

  #isWatched(uid: number): boolean {
    return this.#webhooks.values().some(({ accounts }) => accounts.includes(uid));
  }

  #spotFills(event: EventOf<"spot-trade">): readonly Told[] {
    if (!this.#isWatched(event.makerUid) && !this.#isWatched(event.takerUid)) return [];
    const market = this.#instruments.spotMarket(event.symbol);
    const row = spotTradeRow(event, market, 0, 0);
    const { symbol, tradeId } = event;
    const { price, quantity, quote_quantity: quoteQuantity } = row;
    const terms = { symbol, tradeId, price, quantity, quoteQuantity };
    const fill = (side: "BUY" | "SELL", maker: boolean): Told => {
      const [uid, orderId, fee, feeAsset] =
        side === "BUY"
          ? [row.buyer_uid, row.buyer_order_id, row.buyer_fee, market.baseAsset]
          : [row.seller_uid, row.seller_order_id, row.seller_fee, market.quoteAsset];
      const data = { ...terms, orderId, side, maker, fee, feeAsset };
      return { kind: "fills", type: "spot-fill", uid, data };
    };
    const makerSide = event.takerSide === "BUY" ? "SELL" : "BUY";
    return [fill(makerSide, true), fill(event.takerSide, false)];
  }

  #contractFills(event: EventOf<"contract-trade">): readonly Told[] {
    if (!this.#isWatched(event.maker.uid) && !this.#isWatched(event.taker.uid)) return [];
    const market = this.#instruments.contractMarket(event.symbol);
    return (["maker", "taker"] as const).map((role): Told => {
      const row = contractFillRow(event, role, market, 0, 0);
      const { symbol, tradeId, kind } = event;
      const { side, price, quantity, value, fee } = row;
      const terms = { symbol, tradeId, price, quantity, value, orderId: row.order_id, side };
      const isClosing = row.closing === 1;
      const position = { positionSide: row.position_side, kind, maker: row.maker === 1, isClosing };
      const money = { fee, feeAsset: row.fee_asset, realizedPnl: row.realized_pnl };
      const data = { ...terms, ...position, ...money };
      return { kind: "fills", type: "contract-fill", uid: row.uid, data };
    });
  }

  /** A withdrawal that was decided step by step tells of its steps instead. */
  #moved(event: EventOf<"funds-moved">): readonly Told[] {
    const { uid, asset, from, to, requestId: id } = event;
    const data = { id, asset, amount: this.#instruments.amountText(asset, event.amountMinor) };
    if (from === null) {
      return [{ kind: "deposits", type: "deposit-credited", uid, data: { ...data, account: to } }];
    }
    if (to !== null || event.actor === "") return [];
    const booked = { ...data, account: from };
    return [{ kind: "withdrawals", type: "withdrawal-booked", uid, data: booked }];
  }

  /** Credited ones are told of as money; of the pending ones only that they were first seen. */
  #deposit(event: EventOf<"deposit-changed">): readonly Told[] {
    const { actor, state, uid, asset, depositId, network, transactionId, outputIndex } = event;
    if (state === "credited" || (state === "pending" && actor === "")) return [];
    const amount = this.#instruments.amountText(asset, event.amountMinor);
    const where = { network, transactionId, outputIndex };
    const data = { depositId, asset, amount, ...where, confirmations: event.confirmations };
    return [{ kind: "deposits", type: `deposit-${state}`, uid, data }];
  }

  #withdrawal(event: EventOf<"withdrawal-changed">): Told {
    const { state, uid, asset, withdrawalId, requestId: id, network, address, memo } = event;
    const amount = this.#instruments.amountText(asset, event.amountMinor);
    const fee = this.#instruments.amountText(asset, event.feeMinor);
    const { note, reference } = event;
    const data = { withdrawalId, id, asset, amount, fee, network, address, memo, note, reference };
    return { kind: "withdrawals", type: `withdrawal-${state}`, uid, data };
  }
}
