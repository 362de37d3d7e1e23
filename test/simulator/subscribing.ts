/** Listeners that subscribe while others write. */
import { Random } from "../support/random.ts";
import type { World } from "./aims/world.ts";
import { FundingWatch } from "./funding-watch.ts";
import type { Listener } from "./listener.ts";
import { largeOrder } from "./markets.ts";
import { passTime } from "./pass-time.ts";
import { BookWatch, PrivateWatch } from "./watches.ts";

const TOGETHER_MAX = 3;
/** A call of the disk takes so long at most while somebody subscribes. */
const SYNC_MS = 4;
/** What nobody listens to is let go of at a heartbeat. */
const FORGOTTEN_MS = 31_000;

export function someListeners(all: readonly Listener[], random: Random): readonly Listener[] {
  return random.shuffle([...all]).slice(0, random.integer(1, TOGETHER_MAX));
}

/** Subscribes while an order that it will hear of is carried out, but not durable yet. */
export async function subscribeAmong(
  watch: Listener,
  { exchange, traders }: World,
  random: Random,
): Promise<void> {
  const isPrivate = watch instanceof PrivateWatch || watch instanceof FundingWatch;
  const trader = isPrivate ? watch.trader : random.pick(traders);
  const own = new Random(random.integer(0, 0x7fffffff));
  const aheadMs = random.integer(0, SYNC_MS);
  if (watch instanceof BookWatch && own.chance(0.5)) return await watch.connectBeside();
  watch.disconnect();
  // Perhaps until the exchange has forgotten that anybody listened.
  await passTime(exchange, random.chance(0.6) ? FORGOTTEN_MS : 1);
  const { files } = exchange.life;
  const isSlowed = files.slowestMs === 0;
  if (isSlowed) files.slowestMs = SYNC_MS;
  const writes: Promise<unknown>[] = [];
  await watch.connect(async () => {
    const placed = trader.place(watch.product, largeOrder(watch.product, own));
    placed.catch(() => undefined);
    writes.push(placed);
    await passTime(exchange, aheadMs);
  });
  await Promise.all(writes);
  if (isSlowed) files.slowestMs = 0;
}
