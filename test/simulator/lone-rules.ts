/**
 * Rules of a market that may be others than they are, each alone: nothing else says then that the
 * market is a special one, and who keeps only what differs must see that this does.
 */
import { isDeepStrictEqual } from "node:util";
import { exact, text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import type { World } from "./aims/world.ts";
import { hold } from "./breach.ts";
import { TWO_SYMBOLS } from "./markets.ts";
import { operate } from "./operate.ts";
import type { Product } from "./orders.ts";
import { isReady } from "./probes.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { checkStep } from "./state-check.ts";

export type Rules = Readonly<Record<string, unknown>>;
type Change = readonly [name: string, other: (present: never, rules: Rules) => unknown];

const more = (present: number) => present + 1;
const less = (present: number) => present - 1;
const twice = (present: string) => text(2n * exact(present));
const half = (present: string) => text(exact(present) / 2n);
/** The least of what a rate has. */
const above = (present: string) => text(exact(present) + exact("0.00000001"));

const ORDERS: readonly Change[] = [
  ["buyLimitPriceRatio", above],
  ["sellLimitPriceRatio", half],
  ["makerFeeRate", above],
  ["takerFeeRate", above],
  ["maxOpenOrders", more],
  ["state", () => "halted"],
];

const CHANGES: Readonly<Record<Product, readonly Change[]>> = {
  spot: [
    ...ORDERS,
    ["minTradeAmount", twice],
    ["maxTradeAmount", twice],
    ["minNotional", (present: string) => text(exact(present) + exact("0.01"))],
  ],
  contract: [
    ...ORDERS,
    ["pricePrecision", more],
    ["quantityPrecision", more],
    ["contractVal", twice],
    ["minOrderSize", twice],
    ["maxOrderSize", twice],
    ["maxPositionSize", twice],
    ["marketOpenLimitSize", twice],
    ["minLeverage", more],
    ["maxLeverage", less],
    ["defaultLeverage", less],
    ["liquidateFeeRate", above],
    ["interestRate", (present: string) => `-${present}`],
    ["fundingInnerClamp", above],
    ["fundingRateCap", above],
    ["fundingBufferRate", above],
    ["impactNotional", twice],
    ["fundingIntervalMinutes", (present: number) => present / 2],
    ["indexStaleMs", less],
    ["insuranceSlippage", above],
    ["insuranceDrawLimit", () => "0.5"],
    ["indexStepLimit", twice],
    ["indexStepLimit", half],
    ["indexStepLimit", () => "0.01"],
    ["tiers", (_: unknown, { tiers }: Rules) => withOneOther(tiers as readonly Tier[])],
  ],
};

interface Tier {
  readonly maxNotional: string;
  readonly maintenanceMarginRate: string;
  readonly maxLeverage: number;
}

/** The last of them, in one thing. */
function withOneOther(tiers: readonly Tier[]): Tier[] {
  return tiers.map((tier, index) => {
    const { maintenanceMarginRate } = tier;
    const isLast = index === tiers.length - 1;
    return isLast ? { ...tier, maintenanceMarginRate: above(maintenanceMarginRate) } : tier;
  });
}

/** Of a contract that nobody has changed; what a snapshot keeps apart from all other rules. */
const PROTECTION = { insuranceSlippage: "0.002", insuranceDrawLimit: null, indexStepLimit: "0.1" };

/** Each of them changes one rule of the market as it is listed. */
export function loneChanges(product: Product, rules: Rules): readonly Rules[] {
  const base = product === "contract" ? PROTECTION : {};
  return CHANGES[product].map(([name, other]) => {
    return { ...base, [name]: other({ ...rules, ...base }[name] as never, rules) };
  });
}

/** The machine is off while one rule is another one; it is there behind the start, and no other. */
export async function ruleOverStart({ exchange, products }: World, random: Random): Promise<void> {
  if (!(await isReady(exchange))) return;
  const product = random.pick([...products]);
  const path = `markets/${product}/${random.pick(TWO_SYMBOLS)}`;
  const before = await readRules(exchange, path);
  const change = random.pick([...loneChanges(product, before)]);
  const set = async (rules: Rules): Promise<boolean> => {
    return (await exchange.life.until(operate(exchange, "PUT", path, rules))) !== null;
  };
  const wasTaken = await set({ ...before, ...change });
  if (random.chance(0.8)) await exchange.life.until(operate(exchange, "POST", "snapshots", {}));
  await exchange.end({ disk: random.pick(["kill", "drops-all"] as const), history: "kept" });
  await exchange.start();
  const said = await readRules(exchange, path);
  const isRight = isDeepStrictEqual(said, wasTaken ? { ...before, ...change } : before);
  const detail = () => JSON.stringify({ path, change, wasTaken, said });
  hold(isRight, "a market has the rules that were set", detail);
  await checkStep(exchange);
  if (wasTaken) await set(before);
}

/** As they may be set again. */
export async function readRules(exchange: SimulatedExchange, path: string): Promise<Rules> {
  const said = await exchange.operator<Record<string, unknown>>("GET", path);
  const { indexAgeMs: _, indexSource: __, symbol: ___, ...rules } = said;
  return rules;
}
