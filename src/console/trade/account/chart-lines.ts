/** Chart lines: orders, triggers, entry and liquidation prices, and alerts in this market. */
import { useEffect } from "react";
import type {
  AlgoOrder,
  ContractOrder,
  Position,
  RialtoClient,
  SpotOrder,
} from "../../../client/index.ts";
import { PRICE_ALERTS } from "../../alerts/alerts-watch.ts";
import type { PriceAlert } from "../../alerts/price-alerts.ts";
import { useLive } from "../../data/live-value.ts";
import { compare, cutToStep, minus } from "../../decimals/arithmetic.ts";
import { groupDecimal, MONEY_DECIMALS, signed } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import type { ChartLine } from "../chart-line.ts";
import { useMarket } from "../market.tsx";
import type { MarketRules } from "../market-rules.ts";
import { useAccountQuery } from "./account-query.ts";
import { entryPriceOf } from "./entry-price.ts";
import { fetchOpenOrders } from "./open-orders.tsx";

/** Liquidation prices of cross positions move with the mark price. */
const CONTRACT_INTERVAL_MS = 2_000;

/** Use once per page. */
export function useChartLines(): void {
  const { client } = useSession();
  const { rules, lines } = useMarket();
  const { answer } = useAccountQuery(
    `lines ${rules.symbol}`,
    (signal) => fetchLines(client, rules, signal),
    rules.product === "contract" ? CONTRACT_INTERVAL_MS : null,
  );
  const alerts = useLive(PRICE_ALERTS.live);
  useEffect(() => {
    const here = alerts.filter(
      (alert) => alert.product === rules.product && alert.symbol === rules.symbol,
    );
    lines.set([...(answer ?? []), ...here.map(lineOfAlert)]);
  }, [lines, answer, alerts, rules.product, rules.symbol]);
}

function lineOfAlert({ id, price }: PriceAlert): ChartLine {
  return { kind: "alert", id: `alert-${id}`, alertId: id, price, label: "Alert", tone: "alert" };
}

async function fetchLines(
  client: RialtoClient,
  rules: MarketRules,
  signal: AbortSignal,
): Promise<readonly ChartLine[]> {
  const { product, symbol } = rules;
  if (product === "spot") {
    return (await fetchOpenOrders(client, product, symbol, signal)).map(lineOfOrder);
  }
  const [orders, triggers, positions] = await Promise.all([
    fetchOpenOrders(client, product, symbol, signal),
    client.contract.openAlgoOrders({ symbol }, { signal }),
    client.contract.positionsOf({ symbol }, { signal }),
  ]);
  return [
    ...orders.map(lineOfOrder),
    // A trailing stop has no price before its activation.
    ...triggers.filter(({ triggerPrice }) => compare(triggerPrice, "0") > 0).map(lineOfTrigger),
    ...positions.flatMap((position) => linesOfPosition(position, rules)),
  ];
}

function lineOfOrder(order: SpotOrder | ContractOrder): ChartLine {
  const { orderId, price, side, origQty, executedQty } = order;
  const isPartial = compare(executedQty, "0") > 0;
  const rest = groupDecimal(isPartial ? minus(origQty, executedQty) : origQty);
  const quantity = isPartial ? `${rest} of ${groupDecimal(origQty)}` : rest;
  return {
    kind: "order",
    id: `order-${orderId}`,
    price,
    label: `${wordOf(order)} ${quantity}`,
    tone: side === "BUY" ? "buy" : "sell",
    orderId,
    side,
    quantity: origQty,
    filled: executedQty,
  };
}

/** "Buy", or on contracts what it closes. */
function wordOf(order: SpotOrder | ContractOrder): string {
  const { side } = order;
  if ("positionSide" in order && (order.positionSide === "LONG") !== (side === "BUY")) {
    return `Close ${order.positionSide.toLowerCase()}`;
  }
  return side === "BUY" ? "Buy" : "Sell";
}

function lineOfTrigger(order: AlgoOrder): ChartLine {
  const { algoId, orderType, side, positionSide, quantity, triggerPrice, price } = order;
  const isExit = (side === "SELL") === (positionSide === "LONG");
  const isProfit = orderType.startsWith("TAKE_PROFIT");
  const isTrailing = orderType === "TRAILING_STOP_MARKET";
  const word = isTrailing
    ? "Trailing stop"
    : isProfit
      ? "Take-profit"
      : isExit
        ? "Stop-loss"
        : "Stop";
  const amount = order.closePosition ? "all" : groupDecimal(quantity);
  return {
    kind: "trigger",
    id: `trigger-${algoId}`,
    price: triggerPrice,
    label: `${word} ${isExit ? positionSide.toLowerCase() : side.toLowerCase()} ${amount}`,
    tone: isExit ? (isProfit ? "buy" : "sell") : "info",
    order,
    name: `${word.toLowerCase()} ${isExit ? `of your ${positionSide.toLowerCase()}` : "order"}`,
    limitPrice: compare(price, "0") > 0 ? price : null,
    watches: order.workingType === "MARK_PRICE" ? "mark" : "last",
    isExit,
    isMovable: !isTrailing,
  };
}

function linesOfPosition(position: Position, { tickSize }: MarketRules): ChartLine[] {
  const { id, side, size, liquidatePrice, unrealizePnl, asset } = position;
  const name = side === "LONG" ? "Long" : "Short";
  const pnl = groupDecimal(unrealizePnl, MONEY_DECIMALS);
  const entry: ChartLine = {
    kind: "entry",
    id: `entry-${id}`,
    price: cutToStep(entryPriceOf(position), tickSize),
    label: `${name} ${groupDecimal(size)} · ${signed(pnl)} ${asset}`,
    tone: "info",
    positionSide: side,
    size,
  };
  if (compare(liquidatePrice, "0") === 0) return [entry];
  return [
    entry,
    {
      kind: "liquidation",
      id: `liquidation-${id}`,
      price: liquidatePrice,
      label: `${name} liquidation`,
      tone: "warn",
    },
  ];
}
