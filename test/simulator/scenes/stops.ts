/**
 * Take-profits and stop-losses of a position, whole and in part, while orders rest that close parts
 * of it: up to all that is left, and a lot more. Then the price comes to what triggers them.
 */
import { text } from "../../support/exact.ts";
import type { Scene, Stage } from "./stage.ts";
import { closes, TwoSides } from "./two-sides.ts";

export const stops: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  await sides.fund("2000");
  await sides.setLeverage(random.integer(5, 40));
  const positionSide = random.pick(["LONG", "SHORT"] as const);
  await sides.open(positionSide, random.pick([0.1, 0.3]));
  const naive = await stage.look();
  const size = naive.sideSize(sides.holder.uid, sides.symbol, positionSide);
  const { mark, rules } = sides.market;
  const lots = Number(size / rules.step);
  if (lots === 0) return await sides.end();
  const gains = positionSide === "LONG" ? 1n : -1n;
  /** So many thousandths of the price, towards a profit. */
  const away = (share: number) => {
    const price = mark + (gains * mark * BigInt(share)) / 1_000n;
    return text((price / rules.tick) * rules.tick);
  };
  const quantityOf = (count: number) => text(BigInt(count) * rules.step);
  await sides.offer(closes(positionSide), quantityOf(2 * lots), text(mark));
  await protectSome(
    stage,
    sides,
    (share) => away(share),
    () => {
      return { positionSide, quantity: quantityOf(random.integer(1, lots + 1)) };
    },
  );
  if (random.chance(0.5)) await moveTriggers(stage, sides, away);
  let left = lots;
  for (let count = random.integer(0, 2); count > 0; count--) {
    const part = Math.min(left + 1, random.pick([1, random.integer(1, lots), left, left + 1]));
    if (part === 0) break;
    const order = await stage.place(sides.holder, "contract", {
      ...{ symbol: sides.symbol, side: closes(positionSide), positionSide, type: "LIMIT" },
      ...{ timeInForce: "GTC", price: away(20 + count), quantity: quantityOf(part) },
    });
    if (order.fate === "accepted") left -= part;
  }
  for (const share of random.shuffle([9, -9])) {
    await sides.setIndex(away(share));
    await stage.pass(random.pick([1, 1_100]));
  }
  await sides.end();
};

/** Each once; what a modification leaves out stays as it is. */
async function moveTriggers(
  stage: Stage,
  { holder, symbol }: TwoSides,
  away: (share: number) => string,
): Promise<void> {
  const { random } = stage;
  const naive = await stage.look();
  for (const { algoId } of naive.openConditionalOrders(holder.uid, symbol)) {
    const share = random.pick([-1, 1]) * random.integer(1, 8);
    const triggerPriceType = random.pick(["MARK_PRICE", "CONTRACT_PRICE", undefined, undefined]);
    await stage.send(holder, "POST", "/capi/v3/modifyTpSlOrder", {
      ...{ orderId: String(algoId), triggerPrice: away(share), triggerPriceType },
    });
  }
}

/** Both kinds, of all that there is or of a part. */
async function protectSome(
  stage: Stage,
  { holder, symbol }: TwoSides,
  away: (share: number) => string,
  part: () => Record<string, string>,
): Promise<void> {
  const { random } = stage;
  for (let count = random.integer(1, 3); count > 0; count--) {
    const isProfit = random.chance(0.5);
    const { quantity, ...rest } = part();
    const isWhole = random.chance(0.6);
    await stage.send(holder, "POST", "/capi/v3/placeTpSlOrder", {
      ...{ symbol, ...rest, clientAlgoId: holder.nextOrderId },
      planType: isProfit ? "TAKE_PROFIT" : "STOP_LOSS",
      triggerPrice: away((isProfit ? 1 : -1) * random.integer(1, 8)),
      ...(isWhole ? {} : { quantity }),
      triggerPriceType: random.pick(["MARK_PRICE", "MARK_PRICE", "CONTRACT_PRICE"]),
    });
  }
}
