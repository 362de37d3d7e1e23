/**
 * Random users and orders in one market, for tests of what must hold of any: grids on which
 * nothing divides, fees and settings of every kind, and prices on both sides of the mark.
 */
import type { TimeInForce } from "../../../src/domain/index.ts";
import {
  LONG,
  SHORT,
  type SymbolAccount,
} from "../../../src/engine/contract/state/contract-market.ts";
import { TradingFixture } from "./trading-fixture.ts";

/** Where chance comes from. */
interface Dice {
  integer(low: number, high: number): number;
  chance(probability: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

const GRIDS = [
  { tickSize: "0.1", stepSize: "0.001", mark: 60_000 },
  { tickSize: "0.05", stepSize: "0.003", mark: 300 },
  { tickSize: "25", stepSize: "1", mark: 50_000 },
  { tickSize: "0.0009", stepSize: "5", mark: 3 },
] as const;

export function randomTrading(random: Dice): { fixture: TradingFixture; owners: SymbolAccount[] } {
  const { tickSize, stepSize, mark } = random.pick(GRIDS);
  const [makerFeeRate, takerFeeRate] = random.pick([
    ["0.0002", "0.0008"],
    ["0.001", "0.0004"],
    ["0", "0"],
    ["0.00033333", "0.00077777"],
  ] as const);
  const lots = (count: number) => String(Number((Number(stepSize) * count).toFixed(4)));
  const fixture = new TradingFixture({
    tickSize,
    stepSize,
    pricePrecision: 4,
    quantityPrecision: 3,
    contractVal: stepSize,
    minOrderSize: lots(1),
    maxOrderSize: lots(100_000),
    maxPositionSize: lots(200_000),
    marketOpenLimitSize: lots(100_000),
    makerFeeRate,
    takerFeeRate,
    buyLimitPriceRatio: "0.3",
    sellLimitPriceRatio: "0.3",
    maxOpenOrders: 20,
  });
  const owners = [1, 2, 3, 4].map((uid) => {
    const worth = mark * Number(stepSize) * random.pick([1, 3, 20, 400]);
    const owner = fixture.addUser(uid, worth.toFixed(2), random.pick(["ISOLATED", "CROSSED"]));
    owner.separatedType = random.pick(["COMBINED", "SEPARATED"]);
    owner.crossLeverage = random.integer(10, 100);
    for (const side of [LONG, SHORT]) owner.isolatedLeverage[side] = random.integer(10, 100);
    return owner;
  });
  fixture.market.mark.ticks = Math.floor(mark / Number(tickSize) + 0.5);
  return { fixture, owners };
}

/** A random order near the mark, mostly within what the user has. */
export function placeAtRandom(
  random: Dice,
  fixture: TradingFixture,
  owner: SymbolAccount,
  timeInForce?: TimeInForce,
): ReturnType<TradingFixture["place"]> {
  const { market } = fixture;
  const { tick, step } = market.rules;
  const text = (units: number, grid: typeof tick) =>
    (units * grid.step * 10 ** -grid.scale).toFixed(grid.scale);
  const intent = random.pick(["BUY LONG", "SELL LONG", "SELL SHORT", "BUY SHORT"] as const);
  const spread = Math.max(3, Math.ceil(market.mark.ticks * random.pick([0.001, 0.02, 0.2])));
  const ticks = Math.max(1, market.mark.ticks + random.integer(-spread, spread));
  const side = intent.endsWith("LONG") ? LONG : SHORT;
  const isClosing = intent === "SELL LONG" || intent === "BUY SHORT";
  const most = isClosing && random.chance(0.8) ? owner.sideLots[side] : 40;
  const quantity = text(random.integer(1, Math.max(1, most)), step);
  const anyTime = random.pick(["GTC", "GTC", "GTC", "IOC", "FOK", "POST_ONLY"] as const);
  const price = random.chance(0.25) ? null : text(ticks, tick);
  const more = price === null ? {} : { timeInForce: timeInForce ?? anyTime };
  return fixture.place(owner, intent, quantity, price, more);
}
