/**
 * A user with own fees for a whole product, for one of its markets, or both, in either order: the
 * nearer ones count, of a maker as well as of a taker, there and in no other market.
 */
import { tradeSurely } from "../aims/sure-trade.ts";
import { SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import { checkReadings } from "../readings.ts";
import { fundSpot } from "./referrals.ts";
import type { Scene } from "./stage.ts";

const RATES = ["0", "0.0001", "0.0002", "0.00033333", "0.0008", "0.002"];
const TRADES_MAX = 3;

export const ownFees =
  (product: Product): Scene =>
  async (stage) => {
    const { random, traders } = stage;
    const [user, other] = random.shuffle([...traders]);
    if (user === undefined || other === undefined) return;
    await stage.clear(product, SYMBOL);
    if (product === "spot") for (const one of [user, other]) await fundSpot(stage, one);
    const rates = random.shuffle([...RATES]);
    const scopes = random.shuffle([{}, { symbol: SYMBOL }]);
    for (const scope of scopes.slice(0, random.integer(1, 2))) {
      const [makerFeeRate, takerFeeRate] = rates.splice(0, 2);
      const body = { product, ...scope, makerFeeRate, takerFeeRate };
      await stage.operate("PUT", `users/${user.uid}/fee-rates`, body);
    }
    for (let count = random.integer(1, TRADES_MAX); count > 0; count--) {
      const both = random.chance(0.5) ? ([user, other] as const) : ([other, user] as const);
      await stage.do(tradeSurely(product, both, random));
    }
    await stage.look();
    if (product === "spot") await checkReadings(user, product, 1, ["GET /api/v3/account/"]);
  };
