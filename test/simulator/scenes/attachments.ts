/**
 * A take-profit and a stop-loss that come with an order, while that waits: the order is amended, to
 * more, to less and to a price at one of them, met in part, cancelled or filled, and then the price
 * comes to where they trigger.
 */
import { text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import type { SentOrder } from "../orders.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const LOTS = 12;
const CHANGES_MAX = 5;
/** In ticks. */
const NEAR = 6;

/** An order that waits, and where it and what is attached to it are, in ticks. */
interface Parent {
  readonly order: SentOrder;
  readonly side: "BUY" | "SELL";
  readonly ticks: bigint;
}

export const attachments: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  await sides.fund("2000");
  await sides.setLeverage(random.integer(5, 40));
  for (let round = random.integer(1, 2); round > 0; round--) {
    const parent = await placeParent(stage, sides);
    for (let count = random.integer(2, CHANGES_MAX); count > 0; count--) {
      await change(stage, sides, parent);
      if (random.chance(0.3)) await stage.do(sides.holder.lookUp(parent.order));
    }
    await stage.look();
    await comeTo(stage, sides, parent.ticks);
  }
  await sides.end();
};

async function placeParent(stage: Stage, { holder, market, symbol }: TwoSides): Promise<Parent> {
  const { random } = stage;
  const { mark, rules } = market;
  const isLong = random.chance(0.5);
  const gains = isLong ? 1n : -1n;
  const ticks = mark / rules.tick - gains * BigInt(random.integer(1, 20));
  const priceOf = (away: number) => text((ticks + gains * BigInt(away)) * rules.tick);
  const side = isLong ? "BUY" : "SELL";
  const kinds = random.pick([[1, -1], [1, -1], [1], [-1]]);
  const order = await stage.place(holder, "contract", {
    ...{ symbol, side, positionSide: isLong ? "LONG" : "SHORT" },
    ...{ type: "LIMIT", timeInForce: random.pick(["GTC", "GTC", "POST_ONLY"]) },
    ...{ price: priceOf(0), quantity: text(BigInt(LOTS) * rules.step) },
    ...(kinds.includes(1) ? { tpTriggerPrice: priceOf(random.integer(1, NEAR)) } : {}),
    ...(kinds.includes(-1) ? { slTriggerPrice: priceOf(-random.integer(1, NEAR)) } : {}),
    ...(kinds.includes(1) ? { TpWorkingType: workingType(random) } : {}),
    ...(kinds.includes(-1) ? { SlWorkingType: workingType(random) } : {}),
  });
  return { order, side, ticks };
}

function workingType(random: Random): string {
  return random.pick(["CONTRACT_PRICE", "MARK_PRICE"]);
}

async function change(stage: Stage, sides: TwoSides, { order, side }: Parent): Promise<void> {
  const { random } = stage;
  const { holder, other, symbol } = sides;
  const naive = await stage.look();
  const own = ({ orderId }: { readonly orderId: number }) => String(orderId) === order.orderId;
  const now = naive.openContractOrders(holder.uid, symbol).find(own);
  if (now === undefined) return;
  const { rules } = sides.market;
  const triggers = naive
    .openConditionalOrders(holder.uid, symbol)
    .filter(({ parentOrderId }) => parentOrderId === now.orderId)
    .map(({ triggerPrice }) => triggerPrice);
  const lots = BigInt(random.integer(1, 2 * LOTS));
  const quantity = text(lots * rules.step);
  const edge = random.pick([...triggers, ...triggers, now.price]);
  const price = text(edge + BigInt(random.integer(-1, 1)) * rules.tick);
  switch (random.pick(["amend", "amend", "amend", "fill", "fill", "close", "cancel"] as const)) {
    case "amend": {
      const changes = [{ quantity }, { quantity }, { price }, { price, quantity }];
      await stage.do(holder.amend(order, random.pick(changes)));
      return;
    }
    case "fill":
      await sides.offer(side, text((lots / 2n + 1n) * rules.step), text(now.price));
      await stage.do(other.cancelAll("contract", symbol));
      return;
    case "close":
      await closeAll(stage, sides, side);
      return;
    case "cancel":
      if (random.chance(0.4)) await stage.cancel(holder, order);
  }
}

/** Of the side that the order opens more of, at the mark, where the order is not met. */
async function closeAll(stage: Stage, sides: TwoSides, opens: "BUY" | "SELL"): Promise<void> {
  const { holder, symbol } = sides;
  const naive = await stage.look();
  const positionSide = opens === "BUY" ? "LONG" : "SHORT";
  const size = naive.sideSize(holder.uid, symbol, positionSide);
  const mark = naive.contracts.get(symbol)?.mark ?? 0n;
  if (size === 0n || mark === 0n) return;
  const side = opens === "BUY" ? "SELL" : "BUY";
  const [quantity, price] = [text(size), text(mark)];
  await sides.offer(side, quantity, price);
  const terms = { symbol, side, positionSide, type: "LIMIT", timeInForce: "IOC" };
  await stage.place(holder, "contract", { ...terms, price, quantity });
}

/** The index goes there, and somebody trades there. */
async function comeTo(stage: Stage, sides: TwoSides, from: bigint): Promise<void> {
  const { random } = stage;
  const { rules } = sides.market;
  for (let count = 2; count > 0; count--) {
    const at = from + BigInt(random.integer(-NEAR, NEAR));
    await stage.clear("contract", sides.symbol);
    const price = text(at * rules.tick);
    if (random.chance(0.5)) await sides.setIndex(price);
    const quantity = text(rules.step);
    await sides.offer("BUY", quantity, price);
    const terms = { symbol: sides.symbol, side: "BUY", positionSide: "LONG", type: "LIMIT" };
    await stage.place(sides.holder, "contract", { ...terms, timeInForce: "IOC", price, quantity });
    await stage.look();
  }
}
