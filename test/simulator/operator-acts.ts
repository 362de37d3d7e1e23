/** What operators do in one step. */
import { SELF_TRADE_PREVENTIONS } from "../../src/domain/index.ts";
import type { Acts, OperatorAct } from "./act.ts";
import { AFFILIATE_OPERATOR_ACTS } from "./affiliate-acts.ts";
import { passFunding } from "./contract-acts.ts";
import { liquidatingPrice } from "./directed.ts";
import { indexPrice, SYMBOL } from "./markets.ts";
import { operate } from "./operate.ts";
import { passTime } from "./pass-time.ts";

const DAY_MS = 86_400_000;
const FEE_RATES = ["0", "0.0002", "0.00033333", "0.001", "0.05"];

/** Of one user: what becomes of trades with oneself, or own fees. */
const userSettings: OperatorAct = (exchange, random) => {
  const uid = random.pick([...exchange.story.naive.users.keys()]);
  if (random.chance(0.6)) {
    const body = { selfTradePrevention: random.pick(SELF_TRADE_PREVENTIONS) };
    return operate(exchange, "PATCH", `users/${uid}`, body);
  }
  return operate(exchange, "PUT", `users/${uid}/fee-rates`, {
    product: random.pick(["spot", "contract"]),
    ...(random.chance(0.5) ? { symbol: SYMBOL } : {}),
    makerFeeRate: random.pick(FEE_RATES),
    takerFeeRate: random.pick(FEE_RATES),
  });
};

export const OPERATOR_ACTS: Acts<OperatorAct> = {
  index: [
    6,
    (exchange, random) => {
      const edge = random.chance(0.4) ? liquidatingPrice(exchange, random) : null;
      const body = { price: edge ?? indexPrice(random), force: true };
      return operate(exchange, "PUT", `index-prices/${SYMBOL}`, body);
    },
  ],
  "pin-mark": [
    4,
    (exchange, random) => {
      const edge = random.chance(0.4) ? liquidatingPrice(exchange, random) : null;
      const price = random.chance(0.3) ? null : (edge ?? indexPrice(random));
      return operate(exchange, "PUT", `sandbox/mark-prices/${SYMBOL}`, { price });
    },
  ],
  snapshot: [4, (exchange) => operate(exchange, "POST", "snapshots", {})],
  "user-settings": [4, userSettings],
  "market-state": [
    1,
    (exchange, random) => {
      const state = random.pick(["trading", "trading", "cancel-only", "halted"]);
      const product = random.pick(["spot", "contract"]);
      return operate(exchange, "PATCH", `markets/${product}/${SYMBOL}`, { state });
    },
  ],
  clock: [
    3,
    (exchange, random) => {
      const ms = random.pick([1, 999, 1_000, 60_000, 3_600_000, 28_800_000]);
      return operate(exchange, "POST", "sandbox/clock/advance", { ms });
    },
  ],
  days: [
    1,
    async (exchange, random) => {
      while (exchange.retries.size > 0) await passTime(exchange, 1);
      exchange.daysPassed++;
      // To the same time of another day, at which what counts days is at its edge.
      const ms = random.pick([1, 7, 29, 30, 30, 31]) * DAY_MS;
      return operate(exchange, "POST", "sandbox/clock/advance", { ms });
    },
  ],
  funding: [2, passFunding],
  ...AFFILIATE_OPERATOR_ACTS,
};

/** What only a sandbox can do. */
export const SANDBOX_ACTS: ReadonlySet<string> = new Set(["clock", "days", "pin-mark", "funding"]);
