/**
 * Conditional orders with a price, of which a part is met at a better one when they are triggered
 * and the rest waits: it is met, amended, cancelled or filled. Each is sent again under its id, the
 * same and another one.
 */
import { text } from "../../support/exact.ts";
import { hold } from "../breach.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const PATH = "/capi/v3/algoOrder";
const LOTS = 9;
const ROUNDS_MAX = 3;

type Body = Readonly<Record<string, string>>;

export const children: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  await sides.fund("2000");
  await sides.setLeverage(random.integer(5, 40));
  for (let round = random.integer(1, ROUNDS_MAX); round > 0; round--) await one(stage, sides);
  await sides.end();
};

/** From its placement to the end of what it places. */
async function one(stage: Stage, sides: TwoSides): Promise<void> {
  const { random } = stage;
  const { market, other, symbol } = sides;
  const { mark, rules } = market;
  const positionSide = random.pick(["LONG", "SHORT"] as const);
  const side = positionSide === "LONG" ? "BUY" : "SELL";
  const worse = side === "BUY" ? 1n : -1n;
  const at = (ticks: number) => text((mark / rules.tick + worse * BigInt(ticks)) * rules.tick);
  const lots = (count: number) => text(BigInt(count) * rules.step);
  await stage.clear("contract", symbol);
  const isStop = random.chance(0.5);
  const body = {
    ...{ symbol, side, positionSide, type: isStop ? "STOP" : "TAKE_PROFIT" },
    ...{ quantity: lots(LOTS), price: at(4), triggerPrice: at(isStop ? 8 : -8) },
    ...{ workingType: random.pick(["MARK_PRICE", "CONTRACT_PRICE"]) },
    ...(random.chance(0.6) ? { presetTakeProfitPrice: at(random.integer(5, 30)) } : {}),
    ...(random.chance(0.6) ? { presetStopLossPrice: at(-random.integer(1, 30)) } : {}),
    clientAlgoId: sides.holder.nextOrderId,
  };
  const algoId = await place(stage, sides, body);
  if (algoId === null) return;
  for (let count = random.integer(0, 2); count > 0; count--) {
    await sides.offer(side, lots(random.integer(1, 4)), at(random.integer(0, 3)));
  }
  await comeTo(stage, sides, side, body);
  for (let count = random.integer(1, 4); count > 0; count--) {
    const naive = await stage.look();
    const open = naive.openContractOrders(sides.holder.uid, symbol);
    const child = open.find((order) => order.algoId === algoId);
    if (child === undefined) break;
    const quantity = lots(random.integer(1, LOTS));
    await endSome(stage, sides, child, { quantity, price: at(4), beyond: at(7) });
  }
  await stage.look();
  await stage.do(other.cancelAll("contract", symbol));
  await place(stage, sides, body, algoId);
}

/** Sent once or twice; what has been answered is answered again, whatever became of it. */
async function place(
  stage: Stage,
  { holder }: TwoSides,
  body: Body,
  known: number | null = null,
): Promise<number | null> {
  const { random } = stage;
  let first = known;
  for (let count = random.integer(1, 2); count > 0; count--) {
    const outcome = await stage.do(holder.send("POST", PATH, body));
    if (outcome === null) continue;
    if (outcome.status !== 200) {
      holder.expectRefusal(outcome, JSON.stringify(body));
      continue;
    }
    const algoId = Number((outcome.body as { readonly orderId: unknown }).orderId);
    const isSame = first === null || algoId === first;
    hold(
      isSame,
      "a retry has the first answer",
      () => `${JSON.stringify(body)}: ${first} ${algoId}`,
    );
    first = algoId;
  }
  const another = { ...body, quantity: String(Number(body.quantity) * 2) };
  if (first !== null && random.chance(0.3)) {
    const isTaken = await stage.send(holder, "POST", PATH, another);
    hold(!isTaken, "an id names one order", () => JSON.stringify(another));
  }
  return first;
}

/** Its price reaches where it is triggered: by the index, or by a trade of others. */
async function comeTo(stage: Stage, sides: TwoSides, side: string, body: Body): Promise<void> {
  const { triggerPrice = "", workingType } = body;
  if (workingType === "MARK_PRICE") {
    await sides.setIndex(triggerPrice);
    await stage.pass(1_100);
    return;
  }
  const [, third] = stage.traders.filter((trader) => trader !== sides.holder);
  const taker = third ?? sides.holder;
  const quantity = text(sides.market.rules.step);
  const opens = side === "BUY" ? "SELL" : "BUY";
  const positionSide = opens === "BUY" ? "LONG" : "SHORT";
  // From the other side of the book, which offers better prices to the order alone.
  await sides.offer(opens, quantity, triggerPrice);
  await stage.place(taker, "contract", {
    ...{ symbol: sides.symbol, side: opens, positionSide, type: "LIMIT", timeInForce: "IOC" },
    ...{ price: triggerPrice, quantity },
  });
}

/** What waits of it is met in part, amended, or cancelled. */
async function endSome(
  stage: Stage,
  sides: TwoSides,
  { orderId, side }: { readonly orderId: number; readonly side: "BUY" | "SELL" },
  { beyond, price, quantity }: Readonly<Record<"beyond" | "price" | "quantity", string>>,
): Promise<void> {
  const { random } = stage;
  const { holder, symbol } = sides;
  const path = "/capi/v3/order";
  switch (random.pick(["meet", "meet", "meet", "amend", "cancel"] as const)) {
    case "meet": {
      const naive = await stage.look();
      const child = naive
        .openContractOrders(holder.uid, symbol)
        .find((one) => one.orderId === orderId);
      if (child !== undefined) await sides.offer(child.side, quantity, price);
      return;
    }
    case "amend": {
      const isMet = random.chance(0.5);
      if (isMet) await sides.offer(side, quantity, beyond);
      const change = isMet ? { price: beyond } : { quantity };
      await stage.send(holder, "PUT", path, { orderId: String(orderId), ...change });
      return;
    }
    case "cancel":
      await stage.send(holder, "DELETE", `${path}?orderId=${orderId}`);
  }
}
