/**
 * Rules of a contract that change under what stands there, and what is done at the new edge: bands
 * of two widths, fees between two fills of an order, a maintenance with which somebody is due at
 * once, sizes, leverages above a new maximum, and the step that an index may take.
 */

import type { PositionSide } from "../../../src/domain/index.ts";
import { exact, ONE, text } from "../../support/exact.ts";
import { checkReadings } from "../readings.ts";
import type { Trader } from "../trader.ts";
import { ChangedRules } from "./changed-rules.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const RATIOS = ["0.02", "0.03", "0.05", "0.08", "0.33333333"];
const FEES = ["0", "0.0001", "0.0004", "0.00066667", "0.001", "0.002"];
const STALE_MS = 1_000;
const STEP_LIMITS = ["0.01", "0.02", "0.03"];
/** From where somebody is due, so that a rate that rises passes it or does not. */
const TICKS_LEFT = [1, 5, 20, 300, 2_000];
const PROBES = 5;

interface Place {
  readonly rules: ChangedRules;
  readonly sides: TwoSides;
  readonly stage: Stage;
}
type Kind = (place: Place) => Promise<void>;

export const changedContracts: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  if (sides === null) return;
  const rules = await ChangedRules.begin(stage, "contract", sides.symbol);
  // Who is due has the most cases.
  const kinds = random.shuffle([dues, dues, bands, fees, sizes, leverages, indexSteps]);
  for (const play of kinds.slice(0, random.integer(1, 3))) {
    await stage.clear("contract", sides.symbol);
    await sides.setIndex(sides.price);
    await play({ rules, sides, stage });
    await stage.look();
  }
  await stage.clear("contract", sides.symbol);
  await rules.putBack();
  await sides.flatten();
  await sides.end();
};

function some<Item>({ random }: Stage, items: readonly Item[], most: number): Item[] {
  return random.shuffle([...items]).slice(0, random.integer(1, most));
}

/** A limit order that opens, of so many lots. */
function opening({ sides }: Place, positionSide: PositionSide, price: bigint, lots: bigint) {
  const { market, symbol } = sides;
  const { step, tick } = market.rules;
  const side = positionSide === "LONG" ? "BUY" : "SELL";
  const terms = { symbol, side, positionSide, type: "LIMIT", timeInForce: "GTC" };
  return { ...terms, price: text((price / tick) * tick), quantity: text(lots * step) };
}

/** At a ratio of before or now and a tick beside, also of a mark that moved with nobody there. */
const bands: Kind = async (place) => {
  const { rules, sides, stage } = place;
  const { random } = stage;
  await sides.setLeverage(20);
  await sides.fund("2000");
  await stage.look();
  const { buyRatio, sellRatio } = sides.market.rules;
  const ratios = { buy: [text(buyRatio)], sell: [text(sellRatio)] };
  await probe(place, ratios);
  for (let round = random.integer(1, 2); round > 0; round--) {
    const [buy = "0.02", sell = "0.08"] = random.shuffle([...RATIOS]);
    const both = { buyLimitPriceRatio: buy, sellLimitPriceRatio: sell };
    await rules.set(random.chance(0.7) ? both : { buyLimitPriceRatio: buy });
    ratios.buy.push(buy);
    ratios.sell.push(sell);
    await probe(place, ratios);
    await sides.setIndex((sides.price * (1 + random.integer(-20, 20) / 10_000)).toFixed(1));
    await probe(place, ratios);
  }
};

interface Ratios {
  readonly buy: readonly string[];
  readonly sell: readonly string[];
}

async function probe(place: Place, ratios: Ratios): Promise<void> {
  const { sides, stage } = place;
  const { random } = stage;
  await stage.look();
  const { mark, rules } = sides.market;
  for (let count = random.integer(2, PROBES); count > 0; count--) {
    const isBuy = random.chance(0.5);
    const known = isBuy ? ratios.buy : ratios.sell;
    // The one in force, mostly.
    const ratio = exact(random.chance(0.6) ? (known.at(-1) ?? "0") : random.pick([...known]));
    const away = (mark * ratio) / ONE;
    const price = (isBuy ? mark + away : mark - away) + BigInt(random.integer(-1, 1)) * rules.tick;
    if (price < rules.tick) continue;
    await stage.place(
      sides.holder,
      "contract",
      opening(place, isBuy ? "LONG" : "SHORT", price, 1n),
    );
    await stage.do(sides.holder.cancelAll("contract", sides.symbol));
  }
}

/** Of an order that rests, is met in part or not, and then with other fees. */
const fees: Kind = async (place) => {
  const { rules, sides, stage } = place;
  const { random } = stage;
  await sides.setLeverage(20);
  await sides.fund("1000");
  for (let round = random.integer(1, 3); round > 0; round--) {
    await stage.look();
    const { mark } = sides.market;
    const [rests = sides.holder, takes = sides.other] = random.shuffle([sides.holder, sides.other]);
    const positionSide = random.pick(["LONG", "SHORT"] as const);
    const opposite = positionSide === "LONG" ? "SHORT" : "LONG";
    const place10 = opening(place, positionSide, mark, 10n);
    await stage.place(rests, "contract", place10);
    const meet = async (lots: bigint) => {
      const { price, timeInForce, ...terms } = opening(place, opposite, mark, lots);
      const limit = { ...terms, price, timeInForce: random.pick(["GTC", "IOC"]) };
      const market = { ...terms, type: "MARKET" };
      await stage.place(takes, "contract", random.chance(0.5) ? limit : market);
    };
    if (random.chance(0.5)) await meet(BigInt(random.integer(1, 9)));
    const [makerFeeRate, takerFeeRate, liquidateFeeRate] = random.shuffle([...FEES]);
    const all = { makerFeeRate, takerFeeRate, liquidateFeeRate };
    await rules.set(random.chance(0.6) ? all : random.pick([{ makerFeeRate }, { takerFeeRate }]));
    await meet(10n);
    for (const one of [rests, takes]) await ask(one, ["account/commissionRate"]);
  }
};

async function ask(trader: Trader, paths: readonly string[]): Promise<void> {
  const targets = paths.map((path) => `GET /capi/v3/${path}`);
  await checkReadings(trader, "contract", 1, targets);
}

/** One with a cross position, another with an isolated one, shortly before one of them is due. */
const dues: Kind = async (place) => {
  const { rules, sides, stage } = place;
  const { random, traders } = stage;
  const third = traders.find((one) => one !== sides.holder && one !== sides.other);
  const second = third === undefined ? [] : [new TwoSides(stage, sides.symbol, third, sides.other)];
  const positionSide = random.pick(["LONG", "SHORT"] as const);
  const modes = random.shuffle(["CROSSED", "ISOLATED"] as const);
  const all = [sides, ...second];
  for (const [index, one] of all.entries()) {
    await one.flatten();
    await one.setMode(modes[index] ?? "CROSSED", random.pick(["COMBINED", "SEPARATED"] as const));
    await one.setLeverage(random.pick([20, 50]));
    await one.fund(random.pick(["40", "150", "400"]));
    await one.open(positionSide, random.pick([0.9, 0.7, 0.5]));
  }
  const naive = await stage.look();
  const own = all.flatMap(({ positions }) => positions.filter(({ side }) => side === positionSide));
  const dueAts = own.map((position) => naive.liquidatePrice(position)).sort(ascending);
  // An isolated one is mostly the nearest; it may be gone before the other is near.
  const nearest = positionSide === "LONG" ? dueAts.at(-1) : dueAts[0];
  const dueAt = random.chance(0.4) || dueAts.length === 0 ? nearest : random.pick(dueAts);
  if (dueAt === undefined) return;
  const gains = positionSide === "LONG" ? 1n : -1n;
  const left = gains * BigInt(random.pick(TICKS_LEFT)) * sides.market.rules.tick;
  await sides.moveMark(dueAt + left);
  await stage.look();
  await rules.set(risen(stage, sides));
  const { tiers } = sides.market.rules;
  const most = Math.min(sides.market.rules.maxLeverage, tiers[0]?.maxLeverage ?? 1);
  for (const one of all) {
    for (const leverage of some(stage, [most - 1, most, most + 1], 2)) {
      await one.setLeverage(leverage);
    }
    if (random.chance(0.5)) await one.open(positionSide, 0.5);
  }
};

function ascending(one: bigint, other: bigint): number {
  return one < other ? -1 : Number(one > other);
}

/** Rules by which more is needed to hold a position than before. */
function risen({ random }: Stage, { market }: TwoSides): Record<string, unknown> {
  const tiers = market.rules.tiers.map(({ maxLeverage, maxNotional, rate }) => ({
    maxNotional: text(maxNotional),
    maintenanceMarginRate: text((rate * 3n) / 2n),
    maxLeverage: Math.ceil(maxLeverage / 2),
  }));
  const takerFeeRate = "0.002";
  return random.pick<Record<string, unknown>>([
    { takerFeeRate },
    { takerFeeRate },
    { tiers },
    { tiers, takerFeeRate },
    { liquidateFeeRate: "0.002", insuranceSlippage: "0.005", takerFeeRate },
  ]);
}

/** Orders as small and as large as may be, new and amended, beside what rested before. */
const sizes: Kind = async (place) => {
  const { rules, sides, stage } = place;
  const { random } = stage;
  const { holder } = sides;
  await sides.setLeverage(20);
  await sides.fund("4000");
  await sides.open("LONG", 0.05);
  await stage.look();
  const { mark, rules: before } = sides.market;
  const price = (mark * 99n) / 100n;
  const rests = [];
  for (const lots of [1n, 12n]) {
    rests.push(await stage.place(holder, "contract", opening(place, "LONG", price, lots)));
  }
  const least = BigInt(random.integer(2, 5));
  const most = least + BigInt(random.integer(0, 4));
  const size = (lots: bigint) => text(lots * before.step);
  const atMarket = random.chance(0.6) ? { marketOpenLimitSize: size(least) } : {};
  const change = { minOrderSize: size(least), maxOrderSize: size(most), ...atMarket };
  await rules.set(random.chance(0.1) ? { minOrderSize: size(most + 1n) } : change);
  const edges = [least - 1n, least, most, most + 1n];
  for (const lots of some(stage, edges, 4)) {
    const order = opening(place, random.pick(["LONG", "SHORT"] as const), price, lots);
    const { positionSide, quantity, side, symbol } = order;
    const market = { symbol, side, positionSide, quantity, type: "MARKET" };
    await stage.place(holder, "contract", random.chance(0.7) ? order : market);
    const closing = { ...order, side: "SELL", positionSide: "LONG", price: text(mark) };
    if (random.chance(0.5)) await stage.place(holder, "contract", closing);
    if (random.chance(0.5)) await waitAtMarket(place, order);
  }
  for (const order of rests) {
    const quantity = size(random.pick(edges));
    const lower = text(((price - before.tick) / before.tick) * before.tick);
    const amended = random.pick([{ quantity }, { price: lower }]);
    if (order.fate === "accepted") await stage.do(holder.amend(order, amended));
  }
};

/** What closes at market may be larger than what opens at it. */
async function waitAtMarket(
  { sides: { holder, symbol }, stage }: Place,
  { price, quantity }: { readonly price: string; readonly quantity: string },
): Promise<void> {
  const isClosing = stage.random.chance(0.6);
  await stage.send(holder, "POST", "/capi/v3/algoOrder", {
    ...{ symbol, positionSide: "LONG", quantity, side: isClosing ? "SELL" : "BUY" },
    ...{ type: isClosing ? "STOP_MARKET" : "TAKE_PROFIT_MARKET", triggerPrice: price },
    ...{ workingType: "MARK_PRICE", clientAlgoId: holder.nextOrderId },
  });
}

/** Of whoever has set one above the new most, below the new least, or never any. */
const leverages: Kind = async (place) => {
  const { rules, sides, stage } = place;
  const { random } = stage;
  await stage.look();
  const { defaultLeverage } = sides.market.rules;
  const [min, max] = [random.integer(3, 5), defaultLeverage + random.integer(0, 3)];
  await sides.fund("400");
  await sides.setLeverage(random.pick([min - 1, max, max + 1, 30]));
  if (random.chance(0.5)) await sides.open("LONG", 0.3);
  await rules.set({ minLeverage: min, maxLeverage: max });
  for (const trader of stage.traders) await ask(trader, ["account/symbolConfig"]);
  for (const leverage of some(stage, [min - 1, min, max, max + 1, 30], 4)) {
    if (random.chance(0.5)) await sides.setLeverage(leverage);
    else {
      const field = random.pick(["crossLeverage", "isolatedLongLeverage", "isolatedShortLeverage"]);
      const body = { symbol: sides.symbol, marginType: undefined, [field]: leverage };
      await stage.send(random.pick([...stage.traders]), "POST", "/capi/v3/account/leverage", body);
    }
  }
  const { mark } = sides.market;
  for (const trader of stage.traders) {
    await stage.place(trader, "contract", opening(place, "LONG", (mark * 99n) / 100n, 2n));
  }
  await stage.clear("contract", sides.symbol);
};

/** Unless they are forced: just so far, a tick less, a tick more, up and down. Of old ones any. */
const indexSteps: Kind = async ({ rules, sides, stage }) => {
  const { random } = stage;
  const limit = random.pick(STEP_LIMITS);
  const isOld = random.chance(0.5);
  await rules.set({ indexStepLimit: limit, ...(isOld ? { indexStaleMs: STALE_MS } : {}) });
  for (let count = random.integer(2, 4); count > 0; count--) {
    if (isOld) await stage.pass(STALE_MS + random.integer(-1, 1));
    await stage.look();
    const { indexPrice, rules: now } = sides.market;
    const steps = isOld ? random.pick([1n, 2n]) : 1n;
    const reach = (indexPrice * exact(limit) * steps) / ONE;
    const away = (reach * random.pick([1n, -1n])) / now.tick;
    const ticks = indexPrice / now.tick + away + BigInt(random.integer(-1, 1));
    const body = { price: text(ticks * now.tick), force: false };
    await stage.operate("PUT", `index-prices/${sides.symbol}`, body);
  }
};
