/** PUT …/order and POST /api/v2/trade/amend-order: an open order takes up a new form. */
import {
  contractAmendOrderRoute,
  v2AmendOrderRoute,
  v3AmendOrderRoute,
} from "../../api/additions/amend-order.ts";
import { type Refusal, refuse } from "../../api/errors.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { AmendedOrder } from "../../protocol/index.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { SUCCEEDED } from "../contract/outcomes.ts";
import { endpoint } from "../endpoint.ts";
import { readOrderKey } from "../parameters.ts";
import { STATUSES } from "../spot/order-reads-v2.ts";
import { readSymbol, readOrderKey as readV2OrderKey } from "../spot/parameters-v2.ts";
import { withWireNames } from "../wire-names.ts";

/** What the engine calls an order's name where the wire has another. */
const ORDER_KEY_NAMES = { clientOrderId: "origClientOrderId" };

interface NewTerms {
  readonly price: string | null;
  readonly quantity: string | null;
}

function readTerms(body: {
  readonly price?: string;
  readonly quantity?: string;
}): Accepted<NewTerms> | Refusal {
  const { price = null, quantity = null } = body;
  return price === null && quantity === null
    ? refuse("missing-parameter", "quantity", "send quantity, price or both")
    : accept({ price, quantity });
}

/** Which order, and its new terms, of version 3. */
function readAmendment(body: {
  readonly orderId?: number | string;
  readonly origClientOrderId?: string;
  readonly price?: string;
  readonly quantity?: string;
}) {
  const { orderId, origClientOrderId } = body;
  const key = readOrderKey({
    ...(orderId === undefined ? {} : { orderId: String(orderId) }),
    ...(origClientOrderId === undefined ? {} : { origClientOrderId }),
  });
  if (!key.ok) return key;
  const terms = readTerms(body);
  return terms.ok ? accept({ ...key.value, ...terms.value }) : terms;
}

function amendedAnswer(order: AmendedOrder) {
  return {
    symbol: order.symbol,
    clientOrderId: order.clientOrderId,
    price: order.price,
    origQty: order.quantity,
    executedQty: order.filledQuantity,
    status: order.status,
    keptPriority: order.keptPriority,
    updateTime: order.updatedMs,
  };
}

export const v3AmendOrder = endpoint(v3AmendOrderRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const { uid } = caller;
  const read = readAmendment(body);
  if (!read.ok) return read;
  const type = "amend-spot-order";
  const command = { type, uid, symbol: null, ...read.value } as const;
  const amended = await engine.executeOnce<typeof type>(requestIdOf(request), command);
  if (!amended.ok) return withWireNames(amended, ORDER_KEY_NAMES);
  return accept({ orderId: amended.value.orderId, ...amendedAnswer(amended.value) });
});

export const contractAmendOrder = endpoint(contractAmendOrderRoute, async (request, { engine }) => {
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

export const v2AmendOrder = endpoint(v2AmendOrderRoute, async (request, { engine }) => {
  const { body, caller } = request;
  const { uid } = caller;
  const symbol = readSymbol(body.symbol);
  if (!symbol.ok) return symbol;
  const key = readV2OrderKey(body.orderId, body.clientOrderId);
  if (!key.ok) return key;
  const terms = readTerms(body);
  if (!terms.ok) return terms;
  const type = "amend-spot-order";
  const command = { type, uid, symbol: symbol.value, ...key.value, ...terms.value } as const;
  const amended = await engine.executeOnce<typeof type>(requestIdOf(request), command);
  if (!amended.ok) return amended;
  const order = amended.value;
  return accept({
    orderId: String(order.orderId),
    clientOrderId: order.clientOrderId,
    symbol: body.symbol,
    price: order.price,
    quantity: order.quantity,
    fillQuantity: order.filledQuantity,
    status: STATUSES[order.status],
    keptPriority: order.keptPriority,
    uTime: String(order.updatedMs),
  });
});
