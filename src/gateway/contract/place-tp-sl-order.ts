/** POST /capi/v3/placeTpSlOrder: a take-profit or a stop-loss of a position that is open. */
import { placeTpSlOrderRoute } from "../../api/contract/algo.ts";
import type { BodyOf } from "../../api/route.ts";
import { type AlgoOrderType, accept } from "../../domain/index.ts";
import { endpoint } from "../endpoint.ts";
import { withWireNames } from "../wire-names.ts";
import { SUCCEEDED } from "./outcomes.ts";

type PlanType = BodyOf<typeof placeTpSlOrderRoute>["planType"];

const LIMIT_KINDS: Readonly<Record<PlanType, AlgoOrderType>> = {
  TAKE_PROFIT: "TAKE_PROFIT",
  STOP_LOSS: "STOP",
};
const MARKET_KINDS: Readonly<Record<PlanType, AlgoOrderType>> = {
  TAKE_PROFIT: "TAKE_PROFIT_MARKET",
  STOP_LOSS: "STOP_MARKET",
};

export const placeTpSlOrderEndpoint = endpoint(
  placeTpSlOrderRoute,
  async ({ caller, body }, { engine }) => {
    const price = textUnlessZero(body.executePrice);
    const quantity = textUnlessZero(body.quantity);
    const placed = await engine.execute({
      type: "place-algo-order",
      uid: caller.uid,
      symbol: body.symbol,
      side: body.positionSide === "LONG" ? "SELL" : "BUY",
      positionSide: body.positionSide,
      orderType: (price === "" ? MARKET_KINDS : LIMIT_KINDS)[body.planType],
      quantity,
      closePosition: quantity === "",
      isTpSl: true,
      triggerPrice: body.triggerPrice,
      price,
      workingType: body.triggerPriceType ?? "CONTRACT_PRICE",
      clientAlgoId: body.clientAlgoId,
      presetTakeProfitPrice: null,
      presetStopLossPrice: null,
      tpWorkingType: "CONTRACT_PRICE",
      slWorkingType: "CONTRACT_PRICE",
      callbackRate: "",
      activationPrice: null,
    });
    return placed.ok
      ? accept([{ orderId: placed.value.algoId, ...SUCCEEDED }])
      : withWireNames(placed, { price: "executePrice" });
  },
);

/** Zero, in whatever way it is written, stands for what is absent. */
function textUnlessZero(decimal: string | undefined): string {
  return decimal === undefined || /^0(\.0+)?$/.test(decimal) ? "" : decimal;
}
