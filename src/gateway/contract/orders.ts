/** POST /capi/v3/batchOrders: places up to five orders, each by itself. */
import { NEW_ORDER, type placeOrderRoute, placeOrdersRoute } from "../../api/contract/trade.ts";
import { type Refusal, refuse } from "../../api/errors.ts";
import type { AnswerOf, BodyOf } from "../../api/route.ts";
import type { JsonObject } from "../../api/strict-json.ts";
import { type Accepted, accept, CLIENT_ORDER_ID_LENGTH_MAX } from "../../domain/index.ts";
import type { CommandOf } from "../../protocol/index.ts";
import { endpoint } from "../endpoint.ts";
import { InputShape } from "../http/input-shape.ts";
import { withWireNames } from "../wire-names.ts";
import { ORDER_FIELD_NAMES, orderCommand } from "./order-command.ts";
import { failed, SUCCEEDED } from "./outcomes.ts";

type Row = AnswerOf<typeof placeOrdersRoute>[number];
type OrderCommand = CommandOf<"place-contract-order">;

const NEW_ORDER_SHAPE = new InputShape(NEW_ORDER);
/** What a refused order is answered with in place of its id. */
const NO_ORDER_ID = "0";

export const placeOrdersEndpoint = endpoint(
  placeOrdersRoute,
  async ({ caller, body }, { engine }) => {
    const orders = body.batchOrders as readonly JsonObject[];
    const read = orders.map((order) => readOrder(caller.uid, order));
    const commands = read.flatMap((order) => (order.ok ? [order.value] : []));
    const replies = await engine.executeAll<"place-contract-order">(commands);
    const [first] = replies;
    const noneEntered = replies.every((reply) => !reply.ok && "unavailable" in reply);
    if (first !== undefined && !first.ok && noneEntered) return first;
    const rows: Row[] = [];
    let answered = 0;
    for (const [index, order] of read.entries()) {
      if (!order.ok) {
        rows.push(failedRow(orders[index], order));
        continue;
      }
      const reply = replies[answered++];
      if (reply?.ok === true) {
        const { orderId, clientOrderId } = reply.value;
        rows.push({ orderId: String(orderId), clientOrderId, ...SUCCEEDED });
      } else if (reply !== undefined) {
        const refused = withWireNames(reply, ORDER_FIELD_NAMES);
        const refusal = "unavailable" in refused ? refuse(refused.unavailable) : refused;
        rows.push(failedRow(orders[index], refusal));
      }
    }
    return accept(rows);
  },
);

function readOrder(uid: number, order: JsonObject): Accepted<OrderCommand> | Refusal {
  const read = NEW_ORDER_SHAPE.readBody(order);
  return read.ok ? orderCommand(uid, read.value as BodyOf<typeof placeOrderRoute>) : read;
}

function failedRow(order: JsonObject | undefined, refusal: Refusal): Row {
  const sent = order?.newClientOrderId;
  const clientOrderId = typeof sent === "string" ? sent.slice(0, CLIENT_ORDER_ID_LENGTH_MAX) : "";
  return { orderId: NO_ORDER_ID, clientOrderId, ...failed(refusal) };
}
