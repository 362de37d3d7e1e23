/**
 * A commission is held, its affiliate is paid others meanwhile, and only then an operator decides:
 * what is released then waits for the next settlement, and what is reversed was never paid.
 */
import type { Random } from "../../support/random.ts";
import { settle } from "../affiliate-acts.ts";
import { operate } from "../operate.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { someTwo, tradeSurely } from "./sure-trade.ts";
import type { World } from "./world.ts";

const TRADES_MAX = 3;

export async function decideLate(world: World, random: Random): Promise<void> {
  const { exchange, traders } = world;
  const held = [...exchange.story.affiliates.programme.rows.values()].filter(
    ({ isHeld }) => isHeld,
  );
  if (held.length === 0) {
    await holdWhatTheyEarn(exchange, true);
    return await earn(world, random);
  }
  const { commissionId, traderUid } = random.pick(held).event;
  if (random.chance(0.7)) {
    await holdWhatTheyEarn(exchange, false);
    await earn(world, random, traderUid);
  }
  if (random.chance(0.8)) await settle(exchange, random);
  const what = random.pick(["releases", "releases", "reversals"]);
  await operate(exchange, "POST", `commissions/${commissionId}/${what}`, { reason: "late" });
  if (random.chance(0.3)) await settle(exchange, random);
  const isLeft = traders.length > 2 && random.chance(0.5);
  if (isLeft) await holdWhatTheyEarn(exchange, true);
}

/** All trades between those who know each other are suspicious, or none is. */
async function holdWhatTheyEarn(exchange: SimulatedExchange, isHeld: boolean): Promise<void> {
  await operate(exchange, "PUT", "affiliate-policy", {
    capPerReferral30d: null,
    holdSelfReferral: false,
    holdWashTrades: isHeld,
    washTradeShare: "0",
  });
}

async function earn({ products, traders }: World, random: Random, uid?: number): Promise<void> {
  const first = traders.find((trader) => trader.uid === uid);
  const product = random.pick(products);
  for (let count = random.integer(1, TRADES_MAX); count > 0; count--) {
    const both = someTwo(traders, random, first);
    if (both !== null) await tradeSurely(product, both, random);
  }
}
