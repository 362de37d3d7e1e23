/**
 * Trades around the end of a minute, nearer to each other than candles are told: the last of a
 * minute may be told only together with the next minute.
 */

import type { Random } from "../../support/random.ts";
import { passTime } from "../pass-time.ts";
import { readTime } from "../sandbox-clock.ts";
import { someTwo, tradeSurely } from "./sure-trade.ts";
import type { World } from "./world.ts";

const MINUTE_MS = 60_000;
/** Of the interval of streams; candles come so much less often. */
const INTERVALS = 3;
const TRADES_MAX = 5;

export async function tradeAroundMinute(world: World, random: Random): Promise<void> {
  const { exchange, products, streamIntervalMs, traders } = world;
  const product = random.pick(products);
  const toldMs = INTERVALS * streamIntervalMs;
  const serverTime = await readTime(exchange);
  const firstMs = -random.integer(1, toldMs);
  const later = Array.from({ length: random.integer(2, TRADES_MAX) }, () => {
    return firstMs + random.integer(1, Math.ceil(toldMs * 1.2));
  });
  const startMs = exchange.nowMs;
  const leftMs = MINUTE_MS - (serverTime % MINUTE_MS);
  for (const atMs of [firstMs, ...later.sort((one, other) => one - other)]) {
    const waitMs = startMs + leftMs + atMs - exchange.nowMs;
    if (waitMs > 0) await passTime(exchange, waitMs);
    const both = someTwo(traders, random);
    if (both !== null) await tradeSurely(product, both, random);
  }
}
