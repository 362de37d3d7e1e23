/** POST /capi/v3/algoOrder: places a conditional order that looks at the last trade price. */
import { placeAlgoOrderRoute } from "../../api/contract/algo.ts";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { BodyOf } from "../../api/route.ts";
import { type Accepted, type AlgoOrderType, accept } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";
import { placedJson, SUCCEEDED } from "./outcomes.ts";

type Body = BodyOf<typeof placeAlgoOrderRoute>;

/** The kinds that place a limit order. */
const LIMIT_TYPES: ReadonlySet<AlgoOrderType> = new Set(["STOP", "TAKE_PROFIT"]);

export const placeAlgoOrderEndpoint = endpoint(
  placeAlgoOrderRoute,
  async ({ caller, body }, { engine }) => {
    const command = algoCommand(caller.uid, body);
    if (!command.ok) return command;
    const placed = await engine.execute(command.value);
    if (!placed.ok) return placed;
    const { algoId, clientAlgoId } = placed.value;
    return accept({ orderId: String(algoId), clientOrderId: clientAlgoId, ...SUCCEEDED });
  },
  placedJson,
);

/** What a kind of conditional order does not have is left out, even if it was sent. */
function algoCommand(uid: number, body: Body): Accepted<CommandOf<"place-algo-order">> | Refusal {
  const isTrailing = body.type === "TRAILING_STOP_MARKET";
  const triggerPrice = isTrailing ? "" : body.triggerPrice;
  const price = LIMIT_TYPES.has(body.type) ? body.price : "";
  const callbackRate = isTrailing ? body.callbackRate : "";
  const needs = `a ${body.type} order needs it`;
  if (triggerPrice === undefined) return refuse("missing-parameter", "triggerPrice", needs);
  if (price === undefined) return refuse("missing-parameter", "price", needs);
  if (callbackRate === undefined) return refuse("missing-parameter", "callbackRate", needs);
  return accept({
    type: "place-algo-order",
    uid,
    symbol: body.symbol,
    side: body.side,
    positionSide: body.positionSide,
    orderType: body.type,
    quantity: body.quantity,
    closePosition: false,
    isTpSl: false,
    triggerPrice,
    price,
    workingType: "CONTRACT_PRICE",
    clientAlgoId: body.clientAlgoId,
    presetTakeProfitPrice: body.presetTakeProfitPrice ?? null,
    presetStopLossPrice: body.presetStopLossPrice ?? null,
    tpWorkingType: body.TpWorkingType ?? "CONTRACT_PRICE",
    slWorkingType: body.SlWorkingType ?? "CONTRACT_PRICE",
    callbackRate,
    activationPrice: isTrailing ? (body.activationPrice ?? null) : null,
  });
}
