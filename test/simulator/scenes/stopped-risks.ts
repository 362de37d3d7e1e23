/**
 * What is due while its contract does not trade, or while its user may not: positions beyond where
 * they are liquidated, triggers that are reached, countdowns that end, orders that would be met. It
 * all is as it was until trading goes on, by its state alone or by all of the market's rules.
 */
import { text } from "../../support/exact.ts";
import type { Scene, Stage } from "./stage.ts";
import { restFar } from "./two-contracts.ts";
import { closes, TwoSides } from "./two-sides.ts";

const COUNTDOWN_MS = 1_000;
const COUNTDOWN_PATH = "/capi/v3/order/cancelAllAfter";
/** In ticks behind where it is due; the first ones before. */
const DISTANCES = [-20, -1, 0, 1, 40];
const STATES = [["trading"], ["cancel-only", "trading"], ["halted", "cancel-only", "trading"]];

export const haltedContracts: Scene = async (stage) => {
  const { random } = stage;
  const sides = await armedHolder(stage);
  if (sides === null) return;
  await setState(sides, random.pick(["halted", "halted", "cancel-only"]));
  if (random.chance(0.6)) await lose(sides);
  await stage.pass(COUNTDOWN_MS + random.integer(-1, 1));
  await stage.look();
  for (let count = random.integer(1, 3); count > 0; count--) await attempt(sides);
  if (random.chance(0.6)) await lose(sides);
  for (const state of random.pick(STATES)) {
    await setState(sides, state);
    await stage.pass(random.integer(1, 5));
    await stage.look();
  }
  await attempt(sides);
  await sides.end();
};

export const frozenHolders: Scene = async (stage) => {
  const { random } = stage;
  const sides = await armedHolder(stage);
  if (sides === null) return;
  const path = `users/${sides.holder.uid}`;
  await stage.operate("PATCH", path, { state: "frozen" });
  // What it leaves out stays as it is.
  const others = [{ kyc: true }, { selfTradePrevention: "NONE" }];
  if (random.chance(0.5)) await stage.operate("PATCH", path, random.pick(others));
  for (let count = random.integer(2, 5); count > 0; count--) await attempt(sides);
  await stage.pass(COUNTDOWN_MS + random.integer(-1, 1));
  await stage.look();
  for (let count = random.integer(1, 2); count > 0; count--) await lose(sides);
  await attempt(sides);
  await stage.operate("PATCH", path, { state: "active" });
  await attempt(sides);
  await sides.end();
};

/** A position with stops, orders and a countdown, near to where it is due. */
export async function armedHolder(stage: Stage): Promise<TwoSides | null> {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return null;
  const { holder, symbol } = sides;
  await sides.flatten();
  await sides.setMode(random.pick(["CROSSED", "ISOLATED"] as const), "COMBINED");
  await sides.setLeverage(random.pick([20, 50]));
  await sides.fund("200");
  await sides.open(random.pick(["LONG", "SHORT"] as const), random.pick([0.3, 0.8]));
  await stage.clear("contract", symbol);
  if (random.chance(0.6)) await restFar(sides, ["BUY", "LONG"], -5);
  if (random.chance(0.6)) await restFar(sides, ["SELL", "SHORT"], 5);
  await stage.look();
  const { mark, rules } = sides.market;
  for (const { side } of sides.positions) {
    for (const away of [-random.integer(4, 12), random.integer(4, 12)]) {
      if (random.chance(0.4)) continue;
      const price = mark + (mark * BigInt(away)) / 1_000n;
      await stage.send(holder, "POST", "/capi/v3/placeTpSlOrder", {
        ...{ symbol, positionSide: side, clientAlgoId: holder.nextOrderId },
        planType: (side === "LONG") === away > 0 ? "TAKE_PROFIT" : "STOP_LOSS",
        triggerPrice: text((price / rules.tick) * rules.tick),
        triggerPriceType: random.pick(["MARK_PRICE", "MARK_PRICE", "CONTRACT_PRICE"]),
        ...(random.chance(0.5) ? { quantity: text(rules.step) } : {}),
      });
    }
  }
  if (random.chance(0.6)) {
    const body = { countdownMs: COUNTDOWN_MS, ...(random.chance(0.5) ? { symbol } : {}) };
    await stage.send(holder, "POST", COUNTDOWN_PATH, body);
  }
  return sides;
}

async function setState({ stage, symbol }: TwoSides, state: string): Promise<void> {
  if (stage.random.chance(0.5)) {
    await stage.operate("PATCH", `markets/contract/${symbol}`, { state });
  } else {
    await stage.changeMarket("contract", { state }, symbol);
  }
}

/** The mark goes to where a position is due, or passes some of the stops. */
async function lose(sides: TwoSides): Promise<void> {
  const { stage } = sides;
  const { random } = stage;
  const naive = await stage.look();
  const [position] = sides.positions;
  const { mark, rules } = sides.market;
  if (position === undefined || random.chance(0.4)) {
    await sides.moveMark(mark + (mark * BigInt(random.integer(-14, 14))) / 1_000n);
  } else {
    const loses = position.side === "LONG" ? -1n : 1n;
    const away = loses * BigInt(random.pick(DISTANCES)) * rules.tick;
    await sides.moveMark(naive.liquidatePrice(position) + away);
  }
  await stage.look();
}

/** One of all that may be asked: whether it is taken, the naive exchange says. */
async function attempt(sides: TwoSides): Promise<void> {
  const { holder, other, stage, symbol } = sides;
  const { random } = stage;
  const naive = await stage.look();
  const [waiting] = naive.openConditionalOrders(holder.uid, symbol);
  const [order] = naive.openContractOrders(holder.uid, symbol);
  const [position] = sides.positions;
  const { mark, rules } = sides.market;
  const terms = { symbol, type: "LIMIT", timeInForce: "GTC", price: text(mark) };
  const least = { ...terms, quantity: text(rules.step) };
  switch (random.integer(0, 8)) {
    case 0:
      await restFar(sides, ["BUY", "LONG"], -6);
      break;
    case 1:
      await stage.send(holder, "POST", "/capi/v3/closePositions", { symbol });
      break;
    case 2:
      if (position === undefined) break;
      await stage.place(holder, "contract", {
        ...{ ...least, side: closes(position.side), positionSide: position.side },
      });
      break;
    case 3: {
      if (waiting === undefined) break;
      const triggerPrice = text(mark + rules.tick * BigInt(random.integer(-30, 30)));
      const body = { orderId: String(waiting.algoId), triggerPrice };
      await stage.send(holder, "POST", "/capi/v3/modifyTpSlOrder", body);
      break;
    }
    case 4:
      await stage.send(holder, "DELETE", `/capi/v3/algoOpenOrders?symbol=${symbol}`);
      break;
    case 5:
      await stage.send(holder, "DELETE", "/capi/v3/allOpenOrders");
      break;
    case 6:
      await stage.send(holder, "POST", COUNTDOWN_PATH, { countdownMs: random.pick([0, 1_000]) });
      break;
    case 7:
      await sides.setLeverage(random.pick([10, 30, 75]));
      break;
    default:
      if (order === undefined) break;
      await stage.place(other, "contract", {
        ...{ ...least, price: text(order.price), side: order.side === "BUY" ? "SELL" : "BUY" },
        positionSide: order.side === "BUY" ? "SHORT" : "LONG",
      });
  }
  await stage.look();
}
