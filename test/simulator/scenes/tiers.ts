/**
 * A leverage that a tier still allows, and opening orders that fill the tier together with what is
 * open: to its last lot, a lot less or more, at a mark at which that is the tier's edge to the
 * unit, or a tick beside. They are amended, met, cancelled, and the leverage is set again.
 */

import type { PositionSide } from "../../../src/domain/index.ts";
import { exact, ONE, text } from "../../support/exact.ts";
import { operate } from "../operate.ts";
import type { SentOrder } from "../orders.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const ORDERS_MAX = 4;
const CHANGES_MAX = 6;
/** Of the mark at which its value is a tier's edge, in parts of the usual one. */
const FARTHEST = 20n;
/** Of the margin that a whole tier needs. */
const MARGIN = 3n;
const opposite = { LONG: "SHORT", SHORT: "LONG" } as const;

/** Where more than so much must have a lower leverage. */
interface Edge {
  readonly value: bigint;
  readonly below: number;
  readonly above: number;
}

export const tiers: Scene = async (stage) => {
  const { random } = stage;
  const sides = await TwoSides.begin(stage);
  const edges = sides === null ? [] : edgesOf(sides);
  if (sides === null || edges.length === 0) return;
  const edge = random.pick(edges);
  const leverage = random.pick([edge.above + 1, edge.below, edge.below, edge.above]);
  await sides.flatten();
  const separated = random.pick(["COMBINED", "COMBINED", "SEPARATED"] as const);
  await sides.setMode(random.pick(["CROSSED", "ISOLATED"] as const), separated);
  await sides.setLeverage(leverage);
  await sides.fund(text((MARGIN * edge.value) / BigInt(leverage)));
  const mark = markAt(sides, edge);
  if (mark !== null) await goTo(stage, sides, mark);
  await new Tier(stage, sides, edge).play();
  if (stage.exchange.sandbox) await pin(stage, sides, null);
  await sides.flatten();
  await sides.fund("2000");
  await sides.end();
};

function edgesOf({ market }: TwoSides): Edge[] {
  const { maxLeverage, tiers: all } = market.rules;
  return all.slice(0, -1).flatMap(({ maxLeverage: most, maxNotional }, index) => {
    const below = Math.min(maxLeverage, most);
    const above = Math.min(maxLeverage, all[index + 1]?.maxLeverage ?? 0);
    return above < below && above > 0 ? [{ value: maxNotional, below, above }] : [];
  });
}

/** The nearest one at which a whole number of lots is worth just as much; null without. */
function markAt({ market, price }: TwoSides, { value }: Edge): bigint | null {
  const { step, tick } = market.rules;
  const usual = exact(String(price));
  const lots = (value * ONE) / (usual * step);
  const most = lots / FARTHEST;
  for (let away = 0n; away <= most; away++) {
    for (const count of [lots + away, lots - away]) {
      if (count <= 0n || (value * ONE) % (count * step) !== 0n) continue;
      const found = (value * ONE) / (count * step);
      if (found % tick === 0n) return found;
    }
  }
  return null;
}

async function pin(stage: Stage, { symbol }: TwoSides, price: string | null): Promise<void> {
  await stage.do(operate(stage.exchange, "PUT", `sandbox/mark-prices/${symbol}`, { price }));
}

/** To the tick, where a sandbox can do that. */
async function goTo(stage: Stage, sides: TwoSides, mark: bigint): Promise<void> {
  if (stage.exchange.sandbox) await pin(stage, sides, text(mark));
  await stage.look();
  await sides.moveMark(mark);
  await stage.look();
}

class Tier {
  readonly #stage: Stage;
  readonly #sides: TwoSides;
  readonly #edge: Edge;
  readonly #side: PositionSide;
  readonly #orders: SentOrder[] = [];

  constructor(stage: Stage, sides: TwoSides, edge: Edge) {
    this.#stage = stage;
    this.#sides = sides;
    this.#edge = edge;
    this.#side = stage.random.pick(["LONG", "SHORT"] as const);
  }

  async play(): Promise<void> {
    const { random } = this.#stage;
    if (random.chance(0.5)) await this.#hold(this.#side, random.pick([2n, 4n]));
    if (random.chance(0.4)) await this.#hold(opposite[this.#side], random.pick([4n, 8n]));
    for (let count = random.integer(2, ORDERS_MAX); count > 0; count--) {
      const left = await this.#left();
      const beside = BigInt(random.integer(-1, 1));
      await this.#place(count === 1 ? left + beside : left / BigInt(count));
    }
    for (let count = random.integer(2, CHANGES_MAX); count > 0; count--) await this.#change();
    await this.#stage.clear("contract", this.#sides.symbol);
    await this.#setLeverages();
  }

  /** Lots that still fit below the edge, beside all that is open and may be opened. */
  async #left(): Promise<bigint> {
    const naive = await this.#stage.look();
    const { holder, market, symbol } = this.#sides;
    const { mark, rules } = market;
    const isCross = naive.settings(holder.uid, symbol).marginType === "CROSSED";
    const other = isCross ? naive.sideSize(holder.uid, symbol, opposite[this.#side]) : 0n;
    const own = naive.sideSize(holder.uid, symbol, this.#side);
    const rests = naive.restingSize(holder.uid, symbol, this.#side, false);
    const most = (this.#edge.value * ONE) / (mark * rules.step);
    return most - (own + rests + other) / rules.step;
  }

  /** A part of the tier, opened at the mark. */
  async #hold(positionSide: PositionSide, part: bigint): Promise<void> {
    const lots = (await this.#left()) / part;
    const { holder, market, symbol } = this.#sides;
    if (lots <= 0n) return;
    const quantity = text(lots * market.rules.step);
    const side = positionSide === "LONG" ? "BUY" : "SELL";
    const price = text(market.mark);
    await this.#sides.offer(side, quantity, price);
    const terms = { symbol, side, positionSide, type: "LIMIT", timeInForce: "IOC" };
    await this.#stage.place(holder, "contract", { ...terms, price, quantity });
    await this.#stage.do(this.#sides.other.cancelAll("contract", symbol));
  }

  /** Rests, a little better than the mark. */
  async #place(lots: bigint, positionSide = this.#side): Promise<void> {
    const { holder, market, symbol } = this.#sides;
    if (lots <= 0n) return;
    const [side, price] = [positionSide === "LONG" ? "BUY" : "SELL", this.#price(positionSide)];
    const quantity = text(lots * market.rules.step);
    const terms = { symbol, side, positionSide, type: "LIMIT", timeInForce: "GTC" };
    const order = await this.#stage.place(holder, "contract", { ...terms, price, quantity });
    if (order.fate === "accepted") this.#orders.push(order);
  }

  #price(positionSide: PositionSide): string {
    const { mark, rules } = this.#sides.market;
    const away = BigInt(this.#stage.random.integer(1, 30));
    const ticks = mark / rules.tick + (positionSide === "LONG" ? -away : away);
    return text(ticks * rules.tick);
  }

  async #change(): Promise<void> {
    const { random } = this.#stage;
    const { holder, market, symbol } = this.#sides;
    const kinds = ["amend", "amend", "amend", "more", "tick", "leverage", "again", "meet", "other"];
    switch (random.pick(kinds)) {
      case "amend":
        return await this.#amend();
      case "more":
        return await this.#place((await this.#left()) + BigInt(random.integer(-1, 1)));
      case "tick":
        await goTo(
          this.#stage,
          this.#sides,
          market.mark + random.pick([-1n, 1n]) * market.rules.tick,
        );
        return await this.#amend();
      case "leverage":
        return await this.#setLeverages();
      case "again": {
        const order = this.#orders.pop();
        if (order !== undefined) await this.#stage.cancel(holder, order);
        return await this.#place((await this.#left()) + BigInt(random.integer(-1, 1)));
      }
      case "meet": {
        const side = this.#side === "LONG" ? "BUY" : "SELL";
        const beyond = this.#side === "LONG" ? -31n : 31n;
        const price = text(market.mark + beyond * market.rules.tick);
        await this.#sides.offer(side, text(3n * market.rules.step), price);
        await this.#stage.do(this.#sides.other.cancelAll("contract", symbol));
        return;
      }
      case "other":
        await this.#place(BigInt(random.integer(1, 3)), opposite[this.#side]);
    }
  }

  /** To what still fits with all others, a lot less or more, or to another price. */
  async #amend(): Promise<void> {
    const { random } = this.#stage;
    const { holder, market, symbol } = this.#sides;
    const left = await this.#left();
    const naive = this.#stage.exchange.story.naive;
    const open = naive.openContractOrders(holder.uid, symbol);
    const known = this.#orders.flatMap((order) => {
      const now = open.find(({ orderId }) => String(orderId) === order.orderId);
      return now === undefined || now.positionSide !== this.#side ? [] : [{ now, order }];
    });
    if (known.length === 0) return;
    const { now, order } = random.pick(known);
    const { step } = market.rules;
    const most = now.quantity + (left + BigInt(random.integer(-1, 1))) * step;
    const quantity = most > 0n ? text(most) : text(step);
    const price = this.#price(this.#side);
    const changes = [{ quantity }, { quantity }, { price }, { price, quantity }];
    await this.#stage.do(holder.amend(order, random.pick(changes)));
  }

  /** To what the tier above allows and one more, and what this one allows and one more. */
  async #setLeverages(): Promise<void> {
    const { above, below } = this.#edge;
    const some = this.#stage.random.shuffle([above, above + 1, below, below + 1]);
    for (const leverage of some.slice(0, 3)) await this.#sides.setLeverage(leverage);
  }
}
