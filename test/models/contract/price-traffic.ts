/**
 * Random prices for an exchange of contracts: an index that creeps, jumps and is forced, pinned
 * marks, and quotes of the spot market from which an index is derived, sometimes deep enough to
 * count.
 */
import type { Command } from "../../../src/protocol/index.ts";
import { greatest, text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { BAD_AMOUNTS } from "./additions-traffic.ts";
import { type Listing, UIDS } from "./contract-setup.ts";
import type { NaiveContractExchange } from "./naive-contract-exchange.ts";
import { down, nearest } from "./rounding.ts";

const ACTOR = "operator";

/** Mostly creeps, sometimes jumps; seldom far from where it began. */
export function priceCommand(
  random: Random,
  exchange: NaiveContractExchange,
  listing: Listing,
): Command | "spot" {
  const market = exchange.market(listing.command.symbol);
  const { symbol, rules } = market;
  const { centre } = listing;
  const present = market.mark || centre;
  const far = random.pick([3, 10, 30, 120]);
  const perMille = BigInt(random.integer(-far, far));
  let price = nearest(present * (1_000n + perMille), 1_000n, random.chance(0.9) ? rules.tick : 1n);
  if (price > 2n * centre || 2n * price < centre) price = centre;
  const hasSpot = exchange.markets.has(symbol) && market.indexSource !== "operator";
  if (hasSpot && random.chance(0.995)) return "spot";
  if (random.chance(0.2)) {
    const unpins = market.pinned > 0n ? random.chance(0.6) : random.chance(0.05);
    const onGrid = nearest(price, 1n, rules.tick);
    return { type: "pin-mark-price", actor: ACTOR, symbol, price: unpins ? null : text(onGrid) };
  }
  const readable = price % rules.tick === 0n ? price : down(price, 1n, 10n ** 6n);
  const given = random.chance(0.005) ? random.pick(BAD_AMOUNTS) : text(readable);
  const force = random.chance(0.5);
  return { type: "set-index-price", actor: ACTOR, symbol, price: given, force };
}

/** Something for the spot market of the same name as the first contract. */
export function spotCommand(
  random: Random,
  exchange: NaiveContractExchange,
  listing: Listing | undefined,
  clientOrderId: string,
): Command | null {
  const spot = exchange.markets.get(listing?.command.symbol ?? "");
  if (listing === undefined || spot === undefined) return null;
  const { tick, step } = spot.rules;
  const uid = random.pick(UIDS);
  if (random.chance(0.06)) return { type: "cancel-all-spot-orders", uid, symbol: spot.symbol };
  // Buys below and sells above, so that both sides are deep; some cross, some are far.
  const side = random.pick(["BUY", "SELL"] as const);
  const away = random.integer(-1, 4) * (side === "BUY" ? -1 : 1) * random.pick([1, 1, 8]);
  const price = greatest(tick, listing.centre - (listing.centre % tick) + BigInt(away) * tick);
  return {
    ...{ type: "place-spot-order", uid, symbol: spot.symbol, side },
    ...{ orderType: "LIMIT", timeInForce: "GTC", quantityUnit: "base" },
    price: text(price),
    quantity: text(step * BigInt(random.integer(1, 12))),
    clientOrderId,
  };
}
