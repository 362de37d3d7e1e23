/**
 * Take-profits and stop-losses of orders that wait and stay: they count among the conditional
 * orders of their user over every start, however the exchange has come to know of them.
 */
import { SYMBOL } from "../markets.ts";
import { placeAttached } from "./counts.ts";
import type { Scene } from "./stage.ts";

const ORDERS_MAX = 2;

export const leftAttachments: Scene = async (stage) => {
  const { random, traders } = stage;
  await stage.operate("PUT", `index-prices/${SYMBOL}`, { price: "60000", force: true });
  const trader = random.pick([...traders]);
  for (let count = random.integer(1, ORDERS_MAX); count > 0; count--) {
    await placeAttached(stage, trader);
  }
  await stage.look();
  await stage.operate("POST", "snapshots", {});
};
