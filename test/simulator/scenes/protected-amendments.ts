/**
 * An order that was met in part, so that the take-profit and the stop-loss that came with it are
 * active, or not yet: it is amended to a price at each of them or beyond, to more and to less, also
 * behind a start from a snapshot, while its triggers move or end.
 */
import { text } from "../../support/exact.ts";
import type { SentOrder } from "../orders.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const LOTS = 12;
const CHANGES_MAX = 6;
/** In ticks. */
const NEAR = 8;

/** An order that rests, on a side. */
interface Parent {
  readonly order: SentOrder;
  readonly isLong: boolean;
}

export const protectedAmendments: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  await sides.setLeverage(random.integer(5, 20));
  await sides.fund("2000");
  for (let round = random.integer(1, 2); round > 0; round--) {
    const parent = await place(stage, sides);
    if (random.chance(0.8)) await meet(stage, sides, parent);
    for (let count = random.integer(2, CHANGES_MAX); count > 0; count--) {
      await change(stage, sides, parent);
    }
    await comeTo(stage, sides, parent);
    await stage.clear("contract", sides.symbol);
  }
  await sides.end();
};

/** What triggers is beyond both the order's price and the mark, so that being met does not. */
async function place(stage: Stage, { holder, market, symbol }: TwoSides): Promise<Parent> {
  const { random } = stage;
  const { mark, rules } = market;
  const isLong = random.chance(0.5);
  const gains = isLong ? 1n : -1n;
  const at = (from: bigint, away: number) => from + gains * BigInt(away);
  const ticks = at(mark / rules.tick, -random.integer(1, NEAR));
  const profit = text(at(mark / rules.tick, random.integer(1, NEAR)) * rules.tick);
  const loss = text(at(ticks, -random.integer(1, NEAR)) * rules.tick);
  const working = () => random.pick(["CONTRACT_PRICE", "MARK_PRICE"]);
  const kinds = random.pick(["both", "both", "profit", "loss"]);
  const order = await stage.place(holder, "contract", {
    ...{ symbol, side: isLong ? "BUY" : "SELL", positionSide: isLong ? "LONG" : "SHORT" },
    ...{ type: "LIMIT", timeInForce: random.pick(["GTC", "GTC", "POST_ONLY"]) },
    ...{ price: text(ticks * rules.tick), quantity: text(BigInt(LOTS) * rules.step) },
    ...(kinds === "loss" ? {} : { tpTriggerPrice: profit, TpWorkingType: working() }),
    ...(kinds === "profit" ? {} : { slTriggerPrice: loss, SlWorkingType: working() }),
  });
  return { order, isLong };
}

async function stateOf(stage: Stage, { holder, symbol }: TwoSides, { order }: Parent) {
  const naive = await stage.look();
  const ofParent = (id: number) => String(id) === order.orderId;
  const now = naive.openContractOrders(holder.uid, symbol).find((one) => ofParent(one.orderId));
  const rows = naive
    .openConditionalOrders(holder.uid, symbol)
    .filter(({ parentOrderId }) => ofParent(parentOrderId));
  return { now, rows };
}

/** A part of what is left of it, at its price. */
async function meet(stage: Stage, sides: TwoSides, parent: Parent): Promise<void> {
  const { now } = await stateOf(stage, sides, parent);
  const { step } = sides.market.rules;
  const left = now === undefined ? 0n : (now.quantity - now.filled) / step;
  if (now === undefined || left < 2n) return;
  const lots = BigInt(stage.random.integer(1, Number(left / 2n)));
  await sides.offer(now.side, text(lots * step), text(now.price));
  await stage.do(sides.other.cancelAll("contract", sides.symbol));
}

async function change(stage: Stage, sides: TwoSides, parent: Parent): Promise<void> {
  const { exchange, random } = stage;
  const { now, rows } = await stateOf(stage, sides, parent);
  if (now === undefined) return;
  const { rules } = sides.market;
  const triggers = rows.map(({ triggerPrice }) => triggerPrice);
  const edge = random.pick([...triggers, ...triggers, ...triggers, now.price]);
  const ticks = edge / rules.tick + BigInt(random.pick([-3, -1, 0, 1, 3]));
  const price = text(ticks * rules.tick);
  const lots = now.filled / rules.step + BigInt(random.integer(0, LOTS));
  const quantity = text(lots * rules.step);
  switch (random.pick(["amend", "amend", "amend", "meet", "again", "move", "end"] as const)) {
    case "amend": {
      const changes = [{ price }, { price }, { price }, { price, quantity }, { quantity }];
      await stage.do(sides.holder.amend(parent.order, random.pick(changes)));
      return;
    }
    case "meet":
      return await meet(stage, sides, parent);
    case "again":
      exchange.story.startAgain();
      if (random.chance(0.5)) await stage.operate("POST", "snapshots", {});
      return;
    case "move":
    case "end":
      if (rows.length > 0 && random.chance(0.5))
        await changeRow(stage, sides, random.pick(rows).algoId);
  }
}

/** One of the triggers moves a little, or ends by itself. */
async function changeRow(stage: Stage, sides: TwoSides, algoId: number): Promise<void> {
  const { random } = stage;
  const { holder, market } = sides;
  if (random.chance(0.4)) {
    await stage.send(holder, "DELETE", `/capi/v3/algoOrder?orderId=${algoId}`);
    return;
  }
  const { mark, rules } = market;
  const ticks = mark / rules.tick + BigInt(random.integer(-2 * NEAR, 2 * NEAR));
  const body = { orderId: String(algoId), triggerPrice: text(ticks * rules.tick) };
  await stage.send(holder, "POST", "/capi/v3/modifyTpSlOrder", body);
}

/** The mark and the last price go to one of its triggers, or a tick short of it. */
async function comeTo(stage: Stage, sides: TwoSides, parent: Parent): Promise<void> {
  const { random } = stage;
  const { rows } = await stateOf(stage, sides, parent);
  if (rows.length === 0) return;
  const { tick, step } = sides.market.rules;
  const price = text(random.pick(rows).triggerPrice + BigInt(random.integer(-1, 1)) * tick);
  if (random.chance(0.6)) await sides.setIndex(price);
  await stage.clear("contract", sides.symbol);
  const [side, positionSide] = parent.isLong ? ["BUY", "LONG"] : ["SELL", "SHORT"];
  await sides.offer(side === "BUY" ? "BUY" : "SELL", text(2n * step), price);
  const terms = { symbol: sides.symbol, side, positionSide, type: "LIMIT", timeInForce: "IOC" };
  await stage.place(sides.holder, "contract", { ...terms, price, quantity: text(step) });
  await stage.look();
}
