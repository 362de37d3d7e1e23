/** What is accepted on a disk that is nearly full: whatever frees space and lowers risk. */
import type { Random } from "../support/random.ts";
import { SYMBOL } from "./markets.ts";
import { hasEnded } from "./orders.ts";
import { passTime } from "./pass-time.ts";
import type { Trader } from "./trader.ts";

/** The exchange looks at its disk once a second. */
export const NOTICED_MS = 1_001;
const CANCELS_OF_ALL = [
  `/api/v3/openOrders?symbol=${SYMBOL}`,
  `/capi/v3/allOpenOrders?symbol=${SYMBOL}`,
  "/capi/v3/allOpenOrders",
  "/capi/v3/algoOpenOrders",
];

/** Each kind of cancel, once the exchange has noticed. */
export async function cancelOnFullDisk(traders: readonly Trader[], random: Random): Promise<void> {
  const [first] = traders;
  if (first === undefined) return;
  await passTime(first.exchange, NOTICED_MS);
  for (const trader of traders) {
    const open = trader.orders.all.filter(({ seen }) => seen === null || !hasEnded(seen));
    if (open.length > 0) await trader.cancel(random.pick(open));
    for (const path of random.shuffle([...CANCELS_OF_ALL])) await trader.send("DELETE", path);
  }
}
