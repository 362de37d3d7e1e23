/**
 * Trailing stops whose distance ends between two ticks: the price goes on, and comes back to the
 * tick before the one that triggers them, to that one, and farther.
 */
import { naiveOpenConditionalOrders } from "../../models/contract/naive-contract-views.ts";
import { exact, greatest, least, text } from "../../support/exact.ts";
import { placeConditional } from "../contract-acts.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const STOPS_MAX = 3;
/** In ticks from where it triggers, in the direction from which the price comes. */
const STEPS = [2n, 1n, 0n, -1n];
/** How far the price goes on, in parts of 10,000. */
const GOES_ON_MAX = 40;

interface Row {
  readonly symbol: string;
  readonly orderType: string;
  readonly side: "BUY" | "SELL";
  readonly triggerPrice: string;
}

export const trailingStops: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  await sides.fund("2000");
  await sides.setLeverage(random.integer(5, 40));
  for (const positionSide of ["LONG", "SHORT"] as const) await sides.open(positionSide, 0.1);
  const side = random.pick(["BUY", "SELL"] as const);
  for (let count = random.integer(1, STOPS_MAX); count > 0; count--)
    await place(stage, sides, side);
  const { mark, rules } = sides.market;
  const goesOn = side === "SELL" ? 1n : -1n;
  const away = (mark * BigInt(random.integer(1, GOES_ON_MAX))) / 10_000n;
  const from = ((mark + goesOn * away) / rules.tick) * rules.tick;
  await trade(stage, sides, from + BigInt(random.integer(0, 9)) * rules.tick);
  for (let count = STOPS_MAX; count > 0; count--) {
    const rows = naiveOpenConditionalOrders(await stage.look(), sides.holder.uid) as Row[];
    const own = rows.filter((row) => {
      const isTrailing = row.orderType === "TRAILING_STOP_MARKET" && row.triggerPrice !== "0";
      return isTrailing && row.symbol === sides.symbol && row.side === side;
    });
    const levels = own.map(({ triggerPrice }) => exact(triggerPrice));
    const [first] = levels;
    if (first === undefined) break;
    const nearest = levels.reduce(side === "SELL" ? greatest : least, first);
    for (const step of STEPS) {
      await trade(stage, sides, nearest + goesOn * step * rules.tick);
      if (random.chance(0.3)) await stage.look();
    }
  }
  await sides.end();
};

/** That closes something, or opens. */
async function place(stage: Stage, { holder, market, symbol }: TwoSides, side: "BUY" | "SELL") {
  const { random } = stage;
  const { mark, rules } = market;
  const ahead = BigInt((side === "SELL" ? 1 : -1) * random.integer(1, 20)) * rules.tick;
  const activation = text((mark / rules.tick) * rules.tick + ahead);
  await stage.do(
    placeConditional(holder, {
      ...{ symbol, side, positionSide: random.pick(["LONG", "SHORT"]) },
      ...{ type: "TRAILING_STOP_MARKET", quantity: text(rules.step) },
      callbackRate: (random.integer(10, 90) / 100).toFixed(2),
      ...(random.chance(0.4) ? { activationPrice: activation } : {}),
      clientAlgoId: holder.nextOrderId,
    }),
  );
}

/** The least that there is, at a price. */
async function trade(stage: Stage, sides: TwoSides, at: bigint): Promise<void> {
  const { holder, market, symbol } = sides;
  const side = stage.random.pick(["BUY", "SELL"] as const);
  const terms = { quantity: text(market.rules.step), price: text(at) };
  await sides.offer(side, terms.quantity, terms.price);
  const positionSide = side === "BUY" ? "LONG" : "SHORT";
  const taken = { symbol, side, positionSide, type: "LIMIT", timeInForce: "IOC" };
  await stage.place(holder, "contract", { ...taken, ...terms });
  await stage.clear("contract", symbol);
}
