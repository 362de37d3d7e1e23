/**
 * Converts the engine's events to the reference exchange's form: amounts as text instead of ticks
 * and lots.
 */
import { type Event, readEvents } from "../../src/protocol/index.ts";
import { text } from "../support/exact.ts";
import type { NaiveEvent } from "./naive-accounts.ts";
import type { NaiveExchange } from "./naive-exchange.ts";
import { minorUnit, type NaiveRules } from "./naive-rules.ts";

/**
 * The events of one command without their `command-applied`; grids and scales are those of the
 * reference.
 */
export function eventsAsText(chunk: Uint8Array, exchange: NaiveExchange): NaiveEvent[] {
  const events: NaiveEvent[] = [];
  for (const event of readEvents(chunk)) {
    if (event.type !== "command-applied") events.push(eventAsText(event, exchange));
  }
  return events;
}

export function eventAsText(event: Event, exchange: NaiveExchange): NaiveEvent {
  switch (event.type) {
    case "spot-trade":
      return tradeAsText(event, rulesOf(exchange, event.symbol));
    case "spot-order-opened":
    case "spot-order-amended":
    case "spot-order-ended":
      return orderAsText(event, rulesOf(exchange, event.symbol));
    case "funds-moved": {
      const { requestId, uid, asset, from, to } = event;
      const money = moneyOf(exchange, asset);
      const amount = money(event.amountMinor);
      const spotEquity = money(event.spotEquityMinor);
      const contractEquity = money(event.contractEquityMinor);
      const ids = { type: event.type, requestId, uid, asset, from, to };
      return { ...ids, amount, spotEquity, contractEquity };
    }
    case "insurance-moved": {
      const { type, requestId, asset } = event;
      const money = moneyOf(exchange, asset);
      const balance = money(event.balanceMinor);
      return { type, requestId, asset, delta: money(event.deltaMinor), balance };
    }
    case "dead-man-switch-set":
    case "dead-man-switch-fired":
    case "timer-fired":
      return event;
    default:
      return { type: event.type };
  }
}

type Money = (minor: bigint) => string;

function moneyOf(exchange: NaiveExchange, asset: string): Money {
  const unit = minorUnit(exchange.assets.get(asset)?.scale ?? 0);
  return (minor) => text(minor * unit);
}

function rulesOf(exchange: NaiveExchange, symbol: string): NaiveRules {
  const market = exchange.markets.get(symbol);
  if (market === undefined) throw new Error(`the reference exchange lists no ${symbol}`);
  return market.rules;
}

function tradeAsText(event: Event & { type: "spot-trade" }, rules: NaiveRules): NaiveEvent {
  const { type, tradeId, symbol, takerSide, makerOrderId, takerOrderId, makerUid, takerUid } =
    event;
  const base = minorUnit(rules.base.scale);
  const quote = minorUnit(rules.quote.scale);
  const [makerUnit, takerUnit] = takerSide === "BUY" ? [quote, base] : [base, quote];
  return {
    ...{ type, tradeId, symbol, takerSide, makerOrderId, takerOrderId, makerUid, takerUid },
    price: text(BigInt(event.priceTicks) * rules.tick),
    quantity: text(BigInt(event.quantityLots) * rules.step),
    base: text(event.baseMinor * base),
    quote: text(event.quoteMinor * quote),
    makerFee: text(event.makerFeeMinor * makerUnit),
    takerFee: text(event.takerFeeMinor * takerUnit),
    buyerBaseEquity: text(event.buyerBaseEquityMinor * base),
    buyerQuoteEquity: text(event.buyerQuoteEquityMinor * quote),
    sellerBaseEquity: text(event.sellerBaseEquityMinor * base),
    sellerQuoteEquity: text(event.sellerQuoteEquityMinor * quote),
  };
}

function orderAsText(
  event: Event & { type: "spot-order-opened" | "spot-order-amended" | "spot-order-ended" },
  rules: NaiveRules,
): NaiveEvent {
  const { type, orderId, uid, symbol, clientOrderId, side, timeInForce } = event;
  const quote = minorUnit(rules.quote.scale);
  const order = {
    ...{ type, orderId, uid, symbol, clientOrderId, side, timeInForce },
    price: text(BigInt(event.priceTicks) * rules.tick),
    quantity: text(BigInt(event.quantityLots) * rules.step),
    filled: text(BigInt(event.filledLots) * rules.step),
    filledQuote: text(event.filledQuoteMinor * quote),
  };
  if (event.type === "spot-order-opened") return order;
  if (event.type === "spot-order-amended") {
    return { ...order, keptPriority: event.keptPriority, createdMs: event.createdMs };
  }
  const { orderType, status, reason, createdMs } = event;
  const quoteAmount = text(event.quoteAmountMinor * quote);
  return { ...order, orderType, quoteAmount, status, reason, createdMs };
}
