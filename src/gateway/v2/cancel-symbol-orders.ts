/** POST /api/v2/trade/cancel-symbol-order: cancels every open order of the caller in a market. */
import { cancelSymbolOrdersRoute } from "../../api/v2/trade.ts";
import { accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { readSymbol } from "../spot/parameters-v2.ts";

export const cancelSymbolOrders = endpoint(
  cancelSymbolOrdersRoute,
  async ({ caller, body }, { engine }) => {
    const symbol = readSymbol(body.symbol);
    if (!symbol.ok) return symbol;
    const cancelled = await engine.execute({
      type: "cancel-all-spot-orders",
      uid: caller.uid,
      symbol: symbol.value,
    });
    if (!cancelled.ok) return cancelled;
    const successList = cancelled.value.map(({ orderId }) => String(orderId));
    return accept({ successList, failureList: [] });
  },
);
