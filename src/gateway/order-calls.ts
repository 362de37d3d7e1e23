/** What the order calls of spot and contracts share: names, batches, amendments, countdowns. */
import { refuse } from "../api/errors.ts";
import type { JsonObject } from "../api/strict-json.ts";
import {
  accept,
  CLIENT_ORDER_ID_LENGTH_MAX,
  invariant,
  type Product,
  type RejectReason,
} from "../domain/index.ts";
import type {
  AmendedOrder,
  CommandAnswers,
  CommandOf,
  DeadManSwitchView,
  EngineClient,
  Reply,
} from "../protocol/index.ts";
import { requestIdOf } from "./authentication/request-id.ts";
import type { Caller, EndpointRequest, Exchange, Outcome } from "./endpoint.ts";
import type { Read } from "./parameters.ts";

/** What the engine calls a new order's fields where the wire has other names. */
export const NEW_ORDER_NAMES = { clientOrderId: "newClientOrderId" };
/** The same for a call that names an existing order. */
export const ORDER_KEY_NAMES = { clientOrderId: "origClientOrderId" };

/** How a caller names one order: at least one of the two. */
export interface OrderKey {
  readonly orderId: number | null;
  readonly clientOrderId: string | null;
}

export function readOrderKey(sent: {
  readonly orderId?: number | string;
  readonly origClientOrderId?: string;
}): Read<OrderKey> {
  const clientOrderId = sent.origClientOrderId ?? null;
  if (sent.orderId === undefined) {
    return clientOrderId === null
      ? refuse("missing-order-id", "orderId", "send orderId or origClientOrderId")
      : accept({ orderId: null, clientOrderId });
  }
  const orderId = Number(sent.orderId);
  // An id beyond 2^53 was never issued here.
  if (!Number.isSafeInteger(orderId)) return refuse("order-not-found", "orderId");
  return accept({ orderId, clientOrderId });
}

/** No order has this id. */
export const NO_ORDER_ID = 0;

/** An id beyond 2^53 was never issued here, so it names no order. */
export function toOrderId(sent: number | string): number {
  const orderId = Number(sent);
  return Number.isSafeInteger(orderId) ? orderId : NO_ORDER_ID;
}

export interface KeyListNames {
  readonly orderIds: string;
  readonly clientOrderIds: string;
  /** What to say when neither was sent. */
  readonly missing: string;
}

/** The orders of a batch, named by one of two lists. */
export function readOrderKeys(
  orderIds: readonly (number | string)[] = [],
  clientOrderIds: readonly string[] = [],
  names: KeyListNames,
): Read<readonly OrderKey[]> {
  if (orderIds.length > 0 && clientOrderIds.length > 0) {
    const detail = `send ${names.orderIds} or ${names.clientOrderIds}, not both`;
    return refuse("invalid-combination", names.clientOrderIds, detail);
  }
  if (orderIds.length > 0) {
    return accept(orderIds.map((sent) => ({ orderId: toOrderId(sent), clientOrderId: null })));
  }
  if (clientOrderIds.length > 0) {
    return accept(clientOrderIds.map((clientOrderId) => ({ orderId: null, clientOrderId })));
  }
  return refuse("missing-order-id", names.orderIds, names.missing);
}

/** Public clients know `FAILED_ORDER_NOT_FOUND`; other reasons have the same form. */
export function failureMark({ reason }: { readonly reason: string }): string {
  return `FAILED_${reason.toUpperCase().replaceAll("-", "_")}`;
}

type PlaceOrder = "place-spot-order" | "place-contract-order";

/**
 * Places the orders of a batch that could be read; the outcomes are in the order of `read`. When
 * the first refusal concerns the request and no order entered, the request is refused.
 */
export async function placeBatch<Type extends PlaceOrder>(
  engine: EngineClient,
  read: readonly Read<CommandOf<Type>>[],
  concernsRequest: (reason: RejectReason) => boolean,
): Promise<Outcome<readonly Read<CommandAnswers[Type]>[]>> {
  const commands = read.flatMap((order) => (order.ok ? [order.value] : []));
  const replies = await engine.executeAll<Type>(commands);
  const [first] = replies;
  const noneEntered = replies.every(
    (reply) => !reply.ok && ("unavailable" in reply || concernsRequest(reply.reason)),
  );
  if (first !== undefined && !first.ok && noneEntered) return first;
  const answers = replies.values();
  return accept(read.map((order) => (order.ok ? toOutcome(answers.next().value) : order)));
}

function toOutcome<Placed>(reply: Reply<Placed> | undefined): Read<Placed> {
  invariant(reply !== undefined, "every order of a batch is answered");
  return !reply.ok && "unavailable" in reply ? refuse(reply.unavailable) : reply;
}

/** The client's own id of an order that was refused, as far as it can be repeated. */
export function sentClientId(order: JsonObject | undefined, name: string): string {
  const sent = order?.[name];
  return typeof sent === "string" ? sent.slice(0, CLIENT_ORDER_ID_LENGTH_MAX) : "";
}

interface NewTerms {
  readonly price: string | null;
  readonly quantity: string | null;
}

export function readTerms(body: {
  readonly price?: string;
  readonly quantity?: string;
}): Read<NewTerms> {
  const { price = null, quantity = null } = body;
  return price === null && quantity === null
    ? refuse("missing-parameter", "quantity", "send quantity, price or both")
    : accept({ price, quantity });
}

/** Which order, and its new terms, in the names of version 3. */
export function readAmendment(body: {
  readonly orderId?: number | string;
  readonly origClientOrderId?: string;
  readonly price?: string;
  readonly quantity?: string;
}) {
  const key = readOrderKey(body);
  if (!key.ok) return key;
  const terms = readTerms(body);
  return terms.ok ? accept({ ...key.value, ...terms.value }) : terms;
}

export function amendedAnswer(order: AmendedOrder) {
  return {
    symbol: order.symbol,
    clientOrderId: order.clientOrderId,
    price: order.price,
    origQty: order.quantity,
    executedQty: order.filledQuantity,
    status: order.status,
    keptPriority: order.keptPriority,
    updateTime: order.updatedMs,
    lastUpdateId: order.bookVersion,
  };
}

interface Countdown {
  readonly countdownMs: number;
  readonly symbol?: string;
}

/** Sets the dead-man switch of one side of the exchange. */
export async function setCountdown(
  product: Product,
  request: EndpointRequest<unknown, Countdown>,
  { engine }: Exchange,
) {
  const { uid } = request.caller;
  const { countdownMs, symbol = null } = request.body;
  const type = "set-dead-man-switch";
  const command = { type, uid, product, symbol, countdownMs } as const;
  const set = await engine.executeOnce<typeof type>(requestIdOf(request), command);
  return set.ok ? accept(countdownAnswer(set.value)) : set;
}

export async function listCountdowns(product: Product, { uid }: Caller, { engine }: Exchange) {
  const listed = await engine.query({ type: "dead-man-switches", uid, product });
  return listed.ok ? accept(listed.value.map(countdownAnswer)) : listed;
}

function countdownAnswer({ symbol, countdownMs, firesAtMs, isHeld }: DeadManSwitchView) {
  return { symbol, countdownMs, firesAt: firesAtMs, isHeld };
}
