/** What dragging, cancelling and adding on the chart does to orders. */
import { useMemo } from "react";
import type { RialtoClient } from "../../../client/index.ts";
import { PRICE_ALERTS } from "../../alerts/alerts-watch.ts";
import { groupDecimal } from "../../decimals/format.ts";
import { useSession } from "../../session/session.tsx";
import type { EntryLine, MovableLine, PlacedLine, TriggerLine } from "../chart-line.ts";
import { useMarket } from "../market.tsx";
import type { Product } from "../market-rules.ts";

/** Each resolves to what to say of it; a price alert is in this browser alone. */
export interface LineChanges {
  readonly move: (line: MovableLine, price: string) => Promise<string>;
  readonly cancel: (line: MovableLine) => Promise<string>;
  readonly addAlert: (price: string) => Promise<string>;
  readonly setExit: (
    line: EntryLine,
    exit: "TAKE_PROFIT" | "STOP_LOSS",
    price: string,
  ) => Promise<string>;
}

export function useLineChanges(): LineChanges {
  const { client } = useSession();
  const { rules, ticker } = useMarket();
  const { product, symbol } = rules;
  return useMemo(
    () => changesOf(client, product, symbol, () => ticker.get()?.lastPrice ?? null),
    [client, product, symbol, ticker],
  );
}

function changesOf(
  client: RialtoClient,
  product: Product,
  symbol: string,
  lastPrice: () => string | null,
): LineChanges {
  const cancelOrder = async (line: PlacedLine): Promise<void> => {
    if (line.kind === "trigger") {
      await client.contract.cancelAlgoOrder({ orderId: line.order.algoId });
    } else if (product === "spot") await client.spot.cancelOrder({ orderId: line.orderId });
    else await client.contract.cancelOrder({ orderId: line.orderId });
  };
  return {
    addAlert: async (price) => {
      PRICE_ALERTS.add({ product, symbol }, price, lastPrice());
      return `Alert set at ${groupDecimal(price)}`;
    },
    move: async (line, price) => {
      if (line.kind === "alert") PRICE_ALERTS.move(line.alertId, price, lastPrice());
      else if (line.kind === "trigger") await moveTrigger(client, line, price);
      else if (product === "spot") {
        await client.spot.amendOrder({ orderId: line.orderId, price });
      } else await client.contract.amendOrder({ orderId: line.orderId, price });
      return `${line.label}: moved to ${groupDecimal(price)}`;
    },
    cancel: async (line) => {
      if (line.kind === "alert") PRICE_ALERTS.remove(line.alertId);
      else await cancelOrder(line);
      return `${line.label} at ${groupDecimal(line.price)} cancelled`;
    },
    setExit: async ({ positionSide }, planType, triggerPrice) => {
      const order = { symbol, positionSide, planType, triggerPrice };
      const [result] = await client.contract.placeTpSlOrder(order);
      if (result?.success !== true) throw new Error(result?.errorMessage ?? "Order rejected");
      const word = planType === "TAKE_PROFIT" ? "Take-profit" : "Stop-loss";
      return `${word} set at ${groupDecimal(triggerPrice)}`;
    },
  };
}

/** The exchange moves what closes a position; a stop that opens one is placed again. */
async function moveTrigger(
  client: RialtoClient,
  { order, limitPrice, isExit }: TriggerLine,
  triggerPrice: string,
): Promise<void> {
  const { algoId } = order;
  if (isExit) {
    const limit = limitPrice === null ? {} : { executePrice: limitPrice };
    await client.contract.modifyTpSlOrder({ orderId: algoId, triggerPrice, ...limit });
    return;
  }
  const { symbol, side, positionSide, orderType, quantity, workingType } = order;
  const { tpTriggerPrice, slTriggerPrice } = order;
  await client.contract.cancelAlgoOrder({ orderId: algoId });
  await client.contract.placeAlgoOrder({
    symbol,
    side,
    positionSide,
    type: orderType,
    quantity,
    triggerPrice,
    workingType,
    ...(limitPrice === null ? {} : { price: limitPrice }),
    ...(tpTriggerPrice === "" ? {} : { presetTakeProfitPrice: tpTriggerPrice }),
    ...(slTriggerPrice === "" ? {} : { presetStopLossPrice: slTriggerPrice }),
    ...(order.tpOrderType === "" ? {} : { TpWorkingType: order.tpOrderType }),
  });
}
