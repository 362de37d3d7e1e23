/** `rialto users orders` and `rialto users positions`: what a user has in the markets. */
import { type Command, Option } from "commander";
import { addCommand, given, parseCount, parseUid, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { textTable, textTime } from "./text-table.ts";

interface OrderFlags extends OperatorFlags {
  readonly ended?: "spot" | "contract";
  readonly page?: number;
  readonly limit: number;
}

export function addOrderCommands(users: Command): void {
  const orders = addCommand(users, "orders", {
    description: "list a user's open orders, or the ended ones of a product",
    examples: ["rialto users orders 1001", "rialto users orders 1001 --ended spot --limit 20"],
  });
  addOperatorOptions(orders.argument("<uid>", "the user", parseUid))
    .addOption(new Option("--ended <product>", "ended orders").choices(["spot", "contract"]))
    .option("--page <page>", "page of the ended orders, from 1", parseCount)
    .option("--limit <count>", "page size of the ended orders, at most 1000", parseCount, 100)
    .action(listOrders);
  const positions = addCommand(users, "positions", {
    description: "list a user's open positions",
    examples: ["rialto users positions 1001"],
  });
  addOperatorOptions(positions.argument("<uid>", "the user", parseUid)).action(listPositions);
}

async function listOrders(uid: number, flags: OrderFlags): Promise<void> {
  const { ended: product, page, limit } = flags;
  const listed = await withOperator(flags, (operator) =>
    product === undefined
      ? operator.listOpenOrders({ uid })
      : operator.listEndedOrders({ uid, product, limit, ...given({ page }) }),
  );
  const rows = listed.items.map((order) => [
    order.orderId,
    order.product,
    order.symbol,
    order.positionSide === null ? order.side : `${order.side} ${order.positionSide}`,
    order.type,
    order.triggerPrice ?? order.price,
    order.filledQuantity,
    order.quantity,
    order.status,
    textTime(order.createdAt),
  ]);
  const headings = ["id", "product", "symbol", "side", "type", "price", "filled", "of"];
  const table = textTable([...headings, "status", "created"], rows);
  const more =
    "next" in listed && listed.next !== null ? `\nThere are more: --page ${listed.next}` : "";
  print(flags, listed, rows.length === 0 ? "no orders" : table + more);
}

async function listPositions(uid: number, flags: OperatorFlags): Promise<void> {
  const listed = await withOperator(flags, (operator) => operator.listPositionsOfUser({ uid }));
  const rows = listed.items.map((position) => [
    position.symbol,
    position.side,
    position.size,
    `${position.leverage}x`,
    position.marginType.toLowerCase(),
    position.margin,
    position.unrealizePnl,
    position.liquidatePrice,
  ]);
  const headings = ["symbol", "side", "size", "leverage", "margin type", "margin", "pnl"];
  const table = textTable([...headings, "liquidation price"], rows);
  print(flags, listed, rows.length === 0 ? "no positions" : table);
}
