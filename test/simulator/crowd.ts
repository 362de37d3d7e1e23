/**
 * Many at once while a commit is being synced: only then does the exchange carry out a second batch
 * before the first one is durable, and only then may a read be answered too early.
 */
import type { Random } from "../support/random.ts";
import { SYMBOL, spotPrice } from "./markets.ts";
import type { Trader } from "./trader.ts";

const BATCH_ORDERS = 50;
/** Together more than the exchange lets wait while it syncs. */
const BATCHES = 2;
/** More than a market takes: refused, so that nothing of it has to be synced. */
const TOO_MANY = "100000000";

/**
 * An order, and while nobody knows of it yet, refusals by the hundred, sometimes other orders among
 * them, and somebody who asks.
 */
export async function askWhileSyncing(traders: readonly Trader[], random: Random): Promise<void> {
  const trader = random.pick([...traders]);
  const { exchange } = trader;
  const terms = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC" };
  const order = { ...terms, price: spotPrice(random), quantity: "0.001" };
  const placed = trader.place("spot", order);
  placed.catch(() => undefined);
  await new Promise<void>((resolve) => {
    exchange.life.time.after(1, resolve);
  });
  const crowd = Array.from({ length: BATCHES }, (_, batch) => {
    const refused = Array.from({ length: BATCH_ORDERS }, (_, index) => {
      return { ...order, quantity: TOO_MANY, newClientOrderId: `nobody-${batch}-${index}` };
    });
    return trader.refuseTogether(refused);
  });
  const asked = trader.orders.all.at(-1);
  const taken = Array.from({ length: random.pick([0, 1, 5]) }, () => {
    return { ...order, price: spotPrice(random) };
  });
  if (taken.length > 0) crowd.splice(1, 0, trader.placeTogether("spot", taken));
  const reads = asked === undefined ? [] : [trader.lookUp(asked)];
  await Promise.all([...crowd, ...reads, trader.openOrders("spot", SYMBOL), placed]);
}
