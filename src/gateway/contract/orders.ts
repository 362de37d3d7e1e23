/** Contracts: places, tests, amends and cancels orders. */
import { contractAmendOrderRoute } from "../../api/additions/amend-order.ts";
import {
  contractCancelAllAfterRoute,
  contractCountdownsRoute,
} from "../../api/additions/dead-man-switch.ts";
import { contractTestOrderRoute } from "../../api/additions/order-test.ts";
import {
  cancelAllOrdersRoute,
  cancelOrderRoute,
  cancelOrdersRoute,
  NEW_ORDER,
  placeOrderRoute,
  placeOrdersRoute,
} from "../../api/contract/trade.ts";
import { refuse } from "../../api/errors.ts";
import type { AnswerOf } from "../../api/route.ts";
import type { JsonObject } from "../../api/strict-json.ts";
import { accept } from "../../domain/index.ts";
import type {
  CancelledContractOrder,
  CommandOf,
  PlacedContractOrder,
  Reply,
} from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { type BodyInput, type Endpoint, endpoint, type Outcome } from "../endpoint.ts";
import { InputShape } from "../http/input-shape.ts";
import {
  amendedAnswer,
  failureMark,
  listCountdowns,
  NEW_ORDER_NAMES,
  NO_ORDER_ID,
  ORDER_KEY_NAMES,
  placeBatch,
  readAmendment,
  readOrderKey,
  readOrderKeys,
  sentClientId,
  setCountdown,
} from "../order-calls.ts";
import type { Read } from "../parameters.ts";
import { withWireNames } from "../wire-names.ts";
import {
  cancelledBookAnswer,
  cancelledRow,
  failed,
  placedBookJson,
  SUCCEEDED,
} from "./outcomes.ts";

type PlacedAnswer = AnswerOf<typeof placeOrderRoute>;
type PlacedRow = AnswerOf<typeof placeOrdersRoute>[number];
type CancelBody = BodyInput<typeof cancelOrdersRoute>;
type CancelRow = AnswerOf<typeof cancelOrdersRoute>["orderList"][number];

const NEW_ORDER_SHAPE = new InputShape(NEW_ORDER);

/** A market order's price and time in force have no effect. */
function orderCommand(
  uid: number,
  body: BodyInput<typeof placeOrderRoute>,
): Read<CommandOf<"place-contract-order">> {
  const isMarket = body.type === "MARKET";
  const price = isMarket ? "" : body.price;
  const timeInForce = isMarket ? "IOC" : body.timeInForce;
  if (timeInForce === undefined) {
    return refuse("missing-parameter", "timeInForce", "a LIMIT order needs it");
  }
  if (price === undefined) {
    return refuse("missing-parameter", "price", "a LIMIT order needs a price");
  }
  return accept({
    type: "place-contract-order",
    uid,
    symbol: body.symbol,
    side: body.side,
    positionSide: body.positionSide,
    orderType: body.type,
    timeInForce,
    price,
    quantity: body.quantity,
    clientOrderId: body.newClientOrderId,
    tpTriggerPrice: body.tpTriggerPrice ?? null,
    slTriggerPrice: body.slTriggerPrice ?? null,
    tpWorkingType: body.TpWorkingType,
    slWorkingType: body.SlWorkingType,
  });
}

export const placeOrder = endpoint(
  placeOrderRoute,
  ({ caller, body }, { engine }) => {
    const command = orderCommand(caller.uid, body);
    return command.ok ? engine.execute(command.value).then(placedOutcome) : command;
  },
  placedBookJson,
);

function placedOutcome(placed: Reply<PlacedContractOrder>): Outcome<PlacedAnswer> {
  if (!placed.ok) return withWireNames(placed, NEW_ORDER_NAMES);
  return accept(placedAnswer(placed.value));
}

function placedAnswer({ bookVersion, clientOrderId, orderId }: PlacedContractOrder) {
  return { orderId: String(orderId), clientOrderId, ...SUCCEEDED, lastUpdateId: bookVersion };
}

/** Up to five orders, each by itself. */
export const placeOrders = endpoint(placeOrdersRoute, async ({ caller, body }, { engine }) => {
  const orders = body.batchOrders as readonly JsonObject[];
  const read = orders.map((order): Read<CommandOf<"place-contract-order">> => {
    const fields = NEW_ORDER_SHAPE.readBody(order);
    return fields.ok ? orderCommand(caller.uid, fields.value as never) : fields;
  });
  const placed = await placeBatch(engine, read, () => false);
  if (!placed.ok) return placed;
  return accept(
    placed.value.map((outcome, index): PlacedRow => {
      if (outcome.ok) return placedAnswer(outcome.value);
      return {
        orderId: String(NO_ORDER_ID),
        clientOrderId: sentClientId(orders[index], "newClientOrderId"),
        ...failed(withWireNames(outcome, NEW_ORDER_NAMES)),
      };
    }),
  );
});

const testOrder = endpoint(contractTestOrderRoute, async ({ caller, body }, { engine }) => {
  const order = orderCommand(caller.uid, body);
  if (!order.ok) return order;
  const tested = await engine.query({ type: "contract-order-test", order: order.value });
  return tested.ok ? tested : withWireNames(tested, NEW_ORDER_NAMES);
});

const amendOrder = endpoint(contractAmendOrderRoute, async (request, { engine }) => {
  const { uid } = request.caller;
  const read = readAmendment(request.body);
  if (!read.ok) return read;
  const type = "amend-contract-order";
  const command = { type, uid, ...read.value } as const;
  const amended = await engine.executeOnce<typeof type>(requestIdOf(request), command);
  if (!amended.ok) return withWireNames(amended, ORDER_KEY_NAMES);
  const orderId = String(amended.value.orderId);
  return accept({ orderId, ...amendedAnswer(amended.value), ...SUCCEEDED });
});

export const cancelOrder = endpoint(cancelOrderRoute, ({ caller, query }, { engine }) => {
  const key = readOrderKey(query);
  if (!key.ok) return key;
  const type = "cancel-contract-order";
  return engine.execute({ type, uid: caller.uid, ...key.value }).then(cancelledOutcome);
});

function cancelledOutcome(
  cancelled: Reply<CancelledContractOrder>,
): Outcome<AnswerOf<typeof cancelOrderRoute>> {
  return cancelled.ok
    ? accept(cancelledBookAnswer(cancelled.value))
    : withWireNames(cancelled, ORDER_KEY_NAMES);
}

/** Up to ten orders, each by itself. */
export const cancelOrders = endpoint(cancelOrdersRoute, async ({ caller, body }, { engine }) => {
  const keys = readOrderKeys(body.orderIdList, body.origClientOrderIdList, {
    orderIds: "orderIdList",
    clientOrderIds: "origClientOrderIdList",
    missing: "send orderIdList or origClientOrderIdList",
  });
  if (!keys.ok) return keys;
  const { uid } = caller;
  const type = "cancel-contract-order";
  const replies = await engine.executeAll<typeof type>(
    keys.value.map((key) => ({ type, uid, ...key })),
  );
  const orderList: CancelRow[] = [];
  for (const [index, reply] of replies.entries()) {
    if (reply.ok) orderList.push(cancelledBookAnswer(reply.value));
    else if ("unavailable" in reply) return reply;
    else {
      const outcome = { ...failed(reply), errorMsg: failureMark(reply) };
      orderList.push({ ...sentKey(body, index), ...outcome });
    }
  }
  return accept({ orderList });
});

function sentKey(body: CancelBody, index: number) {
  return {
    orderId: String(body.orderIdList?.[index] ?? NO_ORDER_ID),
    origClientOrderId: body.origClientOrderIdList?.[index] ?? "",
  };
}

export const cancelAllOrders = endpoint(
  cancelAllOrdersRoute,
  async ({ caller: { uid }, query: { symbol = null } }, { engine }) => {
    const cancelled = await engine.execute({ type: "cancel-all-contract-orders", uid, symbol });
    if (!cancelled.ok) return cancelled;
    return accept(
      cancelled.value.map((order) => {
        return { ...cancelledRow(order), lastUpdateId: order.bookVersion };
      }),
    );
  },
);

const cancelAllAfter = endpoint(contractCancelAllAfterRoute, (request, exchange) =>
  setCountdown("contract", request, exchange),
);

const countdowns = endpoint(contractCountdownsRoute, ({ caller }, exchange) =>
  listCountdowns("contract", caller, exchange),
);

export const CONTRACT_ORDER_ENDPOINTS: readonly Endpoint[] = [
  placeOrder,
  placeOrders,
  testOrder,
  amendOrder,
  cancelOrder,
  cancelOrders,
  cancelAllOrders,
  cancelAllAfter,
  countdowns,
];
