/**
 * Random amendments and countdowns for an exchange of contracts: a little more or less, nearer or
 * farther, the filled quantity, across the book, or unchanged.
 */
import type { Command } from "../../../src/protocol/index.ts";
import { text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import type { NaiveContractExchange } from "./naive-contract-exchange.ts";

export const BAD_AMOUNTS = ["", "0", "-1", "1e3", "1.", ".5", "00.1", "1".repeat(19), " 1", "0x1"];
const COUNTDOWNS_MS = [0, 999, 1_000, 1_500, 2_345, 30_000, 86_400_000, 86_400_001];

export function additionalCommand(
  random: Random,
  exchange: NaiveContractExchange,
  uid: number,
): Command {
  return random.chance(0.85) ? amendment(random, exchange, uid) : countdown(random, exchange, uid);
}

function amendment(random: Random, exchange: NaiveContractExchange, uid: number): Command {
  const users = [...exchange.users.keys()];
  const owner = random.chance(0.95) ? uid : random.pick(users);
  const open = exchange.openContractOrders(owner, null);
  const partly = open.filter(({ filled }) => filled > 0n);
  const wanted = partly.length > 0 && random.chance(0.4) ? partly : open;
  const order = wanted.length === 0 ? null : random.pick(wanted);
  const { rules } = order
    ? exchange.market(order.symbol)
    : random.pick([...exchange.contracts.values()]);
  const lots = BigInt(random.integer(-6, 4));
  const across = random.chance(0.3) ? (order?.side === "SELL" ? -5 : 5) : 0;
  const ticks = BigInt(across + random.integer(-3, 3) * random.pick([1, 1, 1, 20]));
  const quantity = (order?.quantity ?? rules.step) + lots * rules.step;
  const price = (order?.price ?? rules.tick) + ticks * rules.tick;
  const isById = random.chance(0.6) || order?.origin !== "user";
  const spelled = (amount: bigint, grid: bigint): string =>
    random.chance(0.01) ? random.pick(BAD_AMOUNTS) : text(amount > 0n ? amount : grid);
  return {
    type: "amend-contract-order",
    uid,
    orderId: isById ? (order?.orderId ?? random.integer(1, 50)) : null,
    clientOrderId: isById ? null : (order?.clientOrderId ?? "none"),
    price: random.chance(0.5) ? null : spelled(price, rules.tick),
    quantity: random.chance(0.3) ? null : spelled(quantity, rules.step),
  };
}

function countdown(random: Random, exchange: NaiveContractExchange, uid: number): Command {
  const product = random.chance(0.8) ? "contract" : "spot";
  const listed = product === "spot" ? exchange.markets : exchange.contracts;
  const symbol = random.chance(0.6) ? null : random.pick([...listed.keys(), "NOSUCH"]);
  const countdownMs = random.pick(COUNTDOWNS_MS);
  return { type: "set-dead-man-switch", uid, product, symbol, countdownMs };
}
