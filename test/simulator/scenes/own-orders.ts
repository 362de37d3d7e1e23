/**
 * Market orders for an amount of money that is spent just before an order of the same account, or
 * behind which a rest is left that buys no lot of it.
 */
import { text, times } from "../../support/exact.ts";
import { SPOT_PRICE, SYMBOL } from "../markets.ts";
import { fundedTwo } from "./referrals.ts";
import type { Scene } from "./stage.ts";

const MODES = ["EXPIRE_TAKER", "EXPIRE_MAKER", "EXPIRE_BOTH"] as const;
const BUYS_MAX = 3;
/** Of a lot at the own price, in hundredths. */
const RESTS = [0n, 1n, 50n, 99n, 100n];

export const ownOrders: Scene = async (stage) => {
  const { random } = stage;
  const two = await fundedTwo(stage);
  if (two === null) return;
  const [buyer, seller] = two;
  const before = (await stage.look()).users.get(buyer.uid)?.selfTradePrevention ?? "NONE";
  const path = `users/${buyer.uid}`;
  await stage.clear("spot", SYMBOL);
  for (let count = random.integer(1, BUYS_MAX); count > 0; count--) {
    await stage.operate("PATCH", path, { selfTradePrevention: random.pick(MODES) });
    const terms = { symbol: SYMBOL, side: "SELL", type: "LIMIT", timeInForce: "GTC" };
    const quantity = (random.integer(100, 300) / 1e5).toFixed(5);
    await stage.place(seller, "spot", { ...terms, price: String(SPOT_PRICE), quantity });
    const price = String(SPOT_PRICE + random.integer(0, 3));
    await stage.place(buyer, "spot", { ...terms, price, quantity: "0.002" });
    const naive = await stage.look();
    const market = naive.markets.get(SYMBOL);
    if (market === undefined) return;
    const { quote, step } = market.rules;
    const asks = naive.sideOf(market, "SELL");
    const own = asks.findIndex(({ uid }) => uid === buyer.uid);
    const ahead = asks.slice(0, Math.max(0, own));
    const cost = ahead.reduce((sum, one) => sum + times(one.price, one.quantity - one.filled), 0n);
    const lot = own < 0 ? 0n : times(asks[own]?.price ?? 0n, step);
    const unit = 10n ** BigInt(18 - quote.scale);
    const exactly = cost + (lot * random.pick(RESTS)) / 100n;
    const amount = exactly - (exactly % unit);
    const order = { symbol: SYMBOL, side: "BUY", type: "MARKET", quoteAmount: text(amount) };
    if (amount > 0n) await stage.place(buyer, "spot", order);
  }
  await stage.look();
  await stage.clear("spot", SYMBOL);
  await stage.operate("PATCH", path, { selfTradePrevention: before });
};
