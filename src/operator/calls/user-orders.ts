/** A user's orders and positions, and the search for users, API keys and orders. */
import type { OperatorAnswer } from "../../api/operator/routes.ts";
import * as routes from "../../api/operator/user-orders.ts";
import type {
  AlgoOrderView,
  ContractOrderView,
  FoundOpenOrder,
  PositionView,
  SpotOrderView,
} from "../../protocol/index.ts";
import type { EndedContractOrder, EndedSpotOrder, FoundOrder } from "../../queries/history-port.ts";
import { done, pageLimit, queryHistory } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";

type Order = OperatorAnswer<"listOpenOrders">["items"][number];
type Found = OperatorAnswer<"search">["items"][number];

const OPEN = { triggerPrice: null, reason: null };

function toSpotOrder(view: SpotOrderView): Order {
  const { orderId, clientOrderId, symbol, side, orderType: type, price, quantity } = view;
  const { filledQuantity, status, createdMs: createdAt, updatedMs: updatedAt } = view;
  return {
    ...{ product: "spot", orderId, clientOrderId, symbol, side, positionSide: null, type, price },
    ...{ ...OPEN, quantity, filledQuantity, status, createdAt, updatedAt },
  };
}

function toContractOrder(view: ContractOrderView): Order {
  const { orderId, clientOrderId, symbol, side, positionSide, orderType: type, price } = view;
  const { quantity, filledQuantity, status, createdMs: createdAt, updatedMs: updatedAt } = view;
  return {
    ...{ product: "contract", orderId, clientOrderId, symbol, side, positionSide, type, price },
    ...{ ...OPEN, quantity, filledQuantity, status, createdAt, updatedAt },
  };
}

function toConditionalOrder(view: AlgoOrderView): Order {
  const { algoId: orderId, clientAlgoId: clientOrderId, symbol, side, positionSide } = view;
  const { orderType: type, price, triggerPrice, quantity, status } = view;
  const { createdMs: createdAt, updatedMs: updatedAt } = view;
  return {
    ...{ product: "contract", orderId, clientOrderId, symbol, side, positionSide, type, price },
    ...{ triggerPrice, quantity, filledQuantity: "0", status, reason: null, createdAt, updatedAt },
  };
}

const listOpenOrders = handle(routes.listOpenOrders, async ({ params }, { engine }) => {
  const { uid } = params;
  const of = { uid, symbol: null };
  const [spot, contract, conditional] = await Promise.all([
    engine.query({ type: "spot-open-orders", ...of }),
    engine.query({ type: "contract-open-orders", ...of }),
    // This one is refused when there is no such user.
    engine.query({ type: "algo-open-orders", ...of }),
  ]);
  if (!conditional.ok) return conditional;
  if (!spot.ok) return spot;
  if (!contract.ok) return contract;
  return done({
    items: [
      ...spot.value.map(toSpotOrder),
      ...contract.value.map(toContractOrder),
      ...conditional.value.map(toConditionalOrder),
    ],
  });
});

function toEndedOrder(product: "spot" | "contract", row: EndedSpotOrder | EndedContractOrder) {
  const { orderId, clientOrderId, symbol, side, orderType: type, price, quantity } = row;
  const { filledQuantity, status, reason, createdMs: createdAt, endedMs: updatedAt } = row;
  const positionSide = "positionSide" in row ? row.positionSide : null;
  return {
    ...{ product, orderId, clientOrderId, symbol, side, positionSide, type, price },
    ...{ triggerPrice: null, quantity, filledQuantity, status, reason, createdAt, updatedAt },
  };
}

const listEndedOrders = handle(routes.listEndedOrders, async ({ params, query }, context) => {
  const { uid } = params;
  const { product = "spot", symbol = null, page = 1 } = query;
  const limit = pageLimit(query);
  const user = await context.engine.query({ type: "user", uid });
  if (!user.ok) return user;
  const created = { fromMs: null, toMs: null };
  const question = { uid, symbol, created, offset: (page - 1) * limit, limit };
  const rows =
    product === "spot"
      ? await queryHistory(context, "ended-spot-orders", question, user.sequence)
      : await queryHistory(context, "ended-contract-orders", question, user.sequence);
  if (!rows.ok) return rows;
  const items = rows.value.map((row) => toEndedOrder(product, row));
  return done({ items, next: items.length < limit ? null : page + 1 });
});

function toPosition(view: PositionView) {
  const { id, symbol, side, marginType, leverage, size, asset, openValue } = view;
  const { unrealizePnl, fundingFee, liquidatePrice } = view;
  return {
    ...{ id, symbol, side, marginType, leverage, size, asset, openValue, unrealizePnl },
    ...{ fundingFee, liquidatePrice, margin: view.marginSize },
    isSeparated: view.separatedMode === "SEPARATED",
    createdAt: view.createdTime,
    updatedAt: view.updatedTime,
  };
}

const listPositionsOfUser = handle(routes.listPositionsOfUser, async ({ params }, { engine }) => {
  const reply = await engine.query({ type: "contract-positions", uid: params.uid, symbol: null });
  return reply.ok ? done({ items: reply.value.map(toPosition) }) : reply;
});

/** Of each kind. */
const FOUND_MAX = 20;
const KEY_BEGINNING = /^(rialto|weex)_[0-9a-f]{0,32}$/;
const WHOLE_NUMBER = /^[1-9]\d{0,15}$/;

const NO_ORDER = { product: null, symbol: null, clientOrderId: null };

const search = handle(routes.search, async ({ params }, context) => {
  const text = params.text.trim();
  const isNumber = WHOLE_NUMBER.test(text) && Number.isSafeInteger(Number(text));
  const ids = { orderId: null, clientOrderId: text };
  const searches = [
    findKeys(context, text),
    findOrders(context, ids),
    ...(isNumber ? [findUser(context, Number(text))] : []),
    ...(isNumber ? [findOrders(context, { orderId: Number(text), clientOrderId: null })] : []),
  ];
  const items: Found[] = [];
  for (const found of await Promise.all(searches)) {
    if (!found.ok) return found;
    items.push(...found.value);
  }
  return done({ items });
});

async function findUser({ engine }: OperatorContext, uid: number): Promise<Outcome<Found[]>> {
  const user = await engine.query({ type: "user", uid });
  if (!user.ok) return "reason" in user ? done([]) : user;
  const { state: status } = user.value;
  return done([{ kind: "user", uid, id: String(uid), ...NO_ORDER, status }]);
}

async function findKeys({ engine }: OperatorContext, text: string): Promise<Outcome<Found[]>> {
  if (!KEY_BEGINNING.test(text)) return done([]);
  const keys = await engine.query({ type: "api-keys", after: rightBefore(text), limit: FOUND_MAX });
  if (!keys.ok) return keys;
  const found = keys.value.filter(({ apiKey }) => apiKey.startsWith(text));
  return done(
    found.map(({ uid, apiKey }) => {
      return { kind: "api-key", uid, id: apiKey, ...NO_ORDER, status: null };
    }),
  );
}

/** Sorts behind all keys that come before those that begin like that. */
function rightBefore(beginning: string): string {
  const last = beginning.charCodeAt(beginning.length - 1);
  // No key has a "~", which sorts behind everything that one has.
  return `${beginning.slice(0, -1)}${String.fromCharCode(last - 1)}~`;
}

interface OrderIds {
  readonly orderId: number | null;
  readonly clientOrderId: string | null;
}

async function findOrders(context: OperatorContext, ids: OrderIds): Promise<Outcome<Found[]>> {
  const open: FoundOpenOrder[] = [];
  let sequence = 0;
  for (let fromUser: number | null = 0; fromUser !== null && open.length < FOUND_MAX; ) {
    const reply: Awaited<ReturnType<typeof findOpen>> = await findOpen(context, ids, fromUser);
    if (!reply.ok) return reply;
    open.push(...reply.value.orders);
    fromUser = reply.value.nextUser;
    sequence = reply.sequence;
  }
  const question = { ...ids, limit: FOUND_MAX };
  const ended = await queryHistory(context, "orders-by-id", question, sequence);
  if (!ended.ok) return ended;
  return done([...open.slice(0, FOUND_MAX).map(toOpen), ...ended.value.map(toEnded)]);
}

function findOpen({ engine }: OperatorContext, ids: OrderIds, fromUser: number) {
  return engine.query({ type: "find-open-orders", ...ids, fromUser });
}

function toOpen({ product, uid, orderId, clientOrderId, symbol }: FoundOpenOrder): Found {
  const order = { product, symbol, clientOrderId, status: null };
  return { kind: "open-order", uid, id: String(orderId), ...order };
}

function toEnded({ product, uid, orderId, clientOrderId, symbol, status }: FoundOrder): Found {
  const order = { product, symbol, clientOrderId, status };
  return { kind: "ended-order", uid, id: String(orderId), ...order };
}

export const USER_ORDER_CALLS = [listOpenOrders, listEndedOrders, listPositionsOfUser, search];
