/** A trader on whose trades an affiliate earns, in a scene, and who takes the other side. */
import { SYMBOL } from "../markets.ts";
import type { Trader } from "../trader.ts";
import type { Stage } from "./stage.ts";

const PRICE = "1000.00";
const QUANTITY = "0.05";
const FUNDS = [
  ["BTC", "1"],
  ["USDT", "1000"],
] as const;

export interface Referral {
  readonly trader: Trader;
  readonly other: Trader;
}

/** Null when nobody in the scene was invited by an affiliate. */
export async function someReferral(stage: Stage): Promise<Referral | null> {
  const { exchange, random, traders } = stage;
  const naive = await stage.look();
  const { programme } = exchange.story.affiliates;
  const invited = traders.filter(({ uid }) => {
    return programme.isAffiliate(naive.users.get(uid)?.inviterUid ?? null);
  });
  const trader = invited.length === 0 ? null : random.pick([...invited]);
  const other = traders.find((one) => one !== trader);
  return trader === null || other === undefined ? null : { trader, other };
}

/** Money for some trades of both, in an empty book. */
export async function fundReferral(stage: Stage, { other, trader }: Referral): Promise<void> {
  for (const one of [trader, other]) await fundSpot(stage, one);
  await stage.clear("spot", SYMBOL);
}

/** Two traders with money; null when there is only one. */
export async function fundedTwo(stage: Stage): Promise<readonly [Trader, Trader] | null> {
  const [one, other] = stage.random.shuffle([...stage.traders]);
  if (one === undefined || other === undefined) return null;
  for (const each of [one, other]) await fundSpot(stage, each);
  return [one, other];
}

export async function fundSpot(stage: Stage, trader: Trader): Promise<void> {
  for (const [asset, amount] of FUNDS) {
    await stage.move(trader, "deposits", { account: "spot", asset, amount });
  }
}

/** The other one waits, the referral takes; its side is the second one. */
export async function tradeOfReferral(
  stage: Stage,
  { other, trader }: Referral,
  sides: readonly string[] = stage.random.shuffle(["BUY", "SELL"]),
): Promise<void> {
  for (const [index, one] of [other, trader].entries()) {
    const terms = { symbol: SYMBOL, side: sides[index], type: "LIMIT", timeInForce: "GTC" };
    await stage.place(one, "spot", { ...terms, price: PRICE, quantity: QUANTITY });
  }
}

/** An affiliate with one rate for both products, perhaps below another one. */
export async function setRates(
  stage: Stage,
  uid: number,
  rate: string,
  parentUid?: number,
): Promise<void> {
  const above = parentUid === undefined ? {} : { parentUid };
  await stage.operate("PUT", `affiliates/${uid}`, { spotRate: rate, futuresRate: rate, ...above });
}
