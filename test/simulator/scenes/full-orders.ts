/**
 * An opening order as large as a market's limit of positions, its tiers or the money allow, which
 * is amended: to another price, to a lot more or less. What it was counts no more for what it is.
 */
import { text } from "../../support/exact.ts";
import { isAcceptable, mostLots } from "../directed.ts";
import { changeOf } from "./amendments.ts";
import type { Scene } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const CHANGES = 4;
/** Of what is acceptable, in percent. */
const SHARES = [55, 80, 100];
/** A limit as large as the order, or as so many lots more. */
const MORE_LOTS = [0, 1, 5];

export const fullOrders: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  const { holder, symbol } = sides;
  await sides.flatten();
  await sides.setLeverage(random.pick([50, 75, 100]));
  await sides.fund(random.pick(["150", "2000"]));
  const naive = await stage.look();
  const { mark, rules } = sides.market;
  const positionSide = random.pick(["LONG", "SHORT"] as const);
  const away = (mark * BigInt(positionSide === "LONG" ? 99 : 101)) / 100n;
  const side = positionSide === "LONG" ? "BUY" : "SELL";
  const terms = { symbol, side, positionSide, type: "LIMIT", timeInForce: "GTC" };
  const sized = (lots: number) => {
    const price = text((away / rules.tick) * rules.tick);
    return { ...terms, price, quantity: text(BigInt(lots) * rules.step) };
  };
  const most = mostLots((lots) => {
    const order = { product: "contract", uid: holder.uid, body: sized(lots) } as const;
    return lots === 0 || isAcceptable(naive, order);
  });
  const lots = Math.floor((most * random.pick(SHARES)) / 100);
  if (lots === 0) return await sides.end();
  const order = await stage.place(holder, "contract", sized(lots));
  const before = await stage.exchange.operator<Limits>("GET", `markets/contract/${symbol}`);
  const limit = text(BigInt(lots + random.pick(MORE_LOTS)) * rules.step);
  const { marketOpenLimitSize, maxOrderSize, maxPositionSize } = before;
  if (random.chance(0.5)) {
    const limits = { maxPositionSize: limit, marketOpenLimitSize: limit };
    await stage.changeMarket("contract", limits, symbol);
  }
  for (let count = CHANGES; count > 0; count--) {
    const change = await changeOf(stage, "contract", order, symbol);
    if (change !== null) await stage.do(holder.amend(order, change));
  }
  const limits = { maxOrderSize, maxPositionSize, marketOpenLimitSize };
  await stage.changeMarket("contract", limits, symbol);
  await sides.end();
};

interface Limits {
  readonly maxOrderSize: string;
  readonly maxPositionSize: string;
  readonly marketOpenLimitSize: string;
}
