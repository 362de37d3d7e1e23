/**
 * Fees of one user, with which more is needed to hold a position than before: they rise so far that
 * a cross account or an isolated position is due at that command, or just not yet, of one contract
 * or of all, while the mark stands still. Or its contract does not trade then, and does later.
 */

import type { NaivePosition } from "../../models/contract/naive-contract-state.ts";
import { RATE_UNIT } from "../../models/contract/naive-funding.ts";
import { exact, least, ONE, sum, text } from "../../support/exact.ts";
import { TWO_SYMBOLS } from "../markets.ts";
import { checkReadings } from "../readings.ts";
import type { Scene, Stage } from "./stage.ts";
import { TwoSides } from "./two-sides.ts";

const MOST = exact("0.1");
const ROUNDS_MAX = 3;
const FUNDS = ["60", "200", "800"];
const SHARES = [[0.9], [0.6], [0.3, 0.9], [0.2, 0.2, 0.4]];
const SIDES = ["LONG", "SHORT"] as const;
/** From where somebody is due, in ticks. */
const TICKS_LEFT = [5, 20, 100, 300];
/** Of what a rate has, beside the one by which somebody is just due. */
const BESIDE = [-1, 0, 0, 1, 1_000];
const READINGS = [
  "GET /capi/v3/account/position/allPosition",
  "GET /capi/v3/account/commissionRate",
];

export const raisedRates: Scene = async (stage) => {
  const { random } = stage;
  const first = await TwoSides.begin(stage);
  if (first === null) return;
  const { holder, other } = first;
  const rest = TWO_SYMBOLS.filter((symbol) => symbol !== first.symbol);
  const symbols = [first.symbol, ...(random.chance(0.5) ? rest : [])];
  const all = symbols.map((symbol) => new TwoSides(stage, symbol, holder, other));
  for (const one of all) {
    await stage.clear("contract", one.symbol);
    await one.setIndex(one.price);
    await one.flatten();
    const separated = random.pick(["COMBINED", "SEPARATED"] as const);
    await one.setMode(random.pick(["CROSSED", "CROSSED", "ISOLATED"] as const), separated);
    await one.setLeverage(random.pick([20, 50]));
  }
  await first.fund(random.pick(FUNDS));
  const rates = new OwnRates(stage, holder.uid);
  for (const one of all) {
    const isBoth = random.chance(0.2);
    const side = random.pick(SIDES);
    for (const share of random.pick(SHARES)) {
      await one.open(isBoth ? random.pick(SIDES) : side, share);
    }
    await stage.clear("contract", one.symbol);
  }
  await comeNear(stage, all);
  for (let round = random.integer(1, ROUNDS_MAX); round > 0; round--) {
    await raise(stage, all, rates);
    if (random.chance(0.3)) await rates.putBack();
  }
  await rates.putBack();
  for (const one of all) {
    await one.flatten();
    await one.end();
  }
};

/** What a user pays in a product or in one of its markets, which the nearer ones are. */
export class OwnRates {
  readonly #stage: Stage;
  readonly #uid: number;
  /** Of each scope that was changed, as it was; null where there were none. */
  readonly #before = new Map<string | null, { maker: bigint; taker: bigint } | null>();

  constructor(stage: Stage, uid: number) {
    this.#stage = stage;
    this.#uid = uid;
  }

  #of(symbol: string | null) {
    const own = this.#stage.exchange.story.naive.users.get(this.#uid)?.feeRates;
    return own?.get(symbol === null ? "contract" : `contract:${symbol}`) ?? null;
  }

  /** Whether those of all contracts are the ones that count in this one. */
  isOfAll(symbol: string): boolean {
    return this.#of(symbol) === null;
  }

  async set(symbol: string | null, maker: bigint, taker: bigint): Promise<void> {
    if (!this.#before.has(symbol)) this.#before.set(symbol, this.#of(symbol));
    await this.#put(symbol, maker, taker);
  }

  async #put(symbol: string | null, maker: bigint, taker: bigint): Promise<void> {
    await this.#stage.operate("PUT", `users/${this.#uid}/fee-rates`, {
      product: "contract",
      ...(symbol === null ? {} : { symbol }),
      ...{ makerFeeRate: text(maker), takerFeeRate: text(taker) },
    });
  }

  /** Own ones are never taken away: those of the market instead. */
  async putBack(): Promise<void> {
    const naive = await this.#stage.look();
    for (const [symbol, before] of this.#before) {
      const listed = naive.contracts.get(symbol ?? TWO_SYMBOLS[0])?.rules;
      const { maker, taker } = before ?? listed ?? { maker: 0n, taker: 0n };
      await this.#put(symbol, maker, taker);
    }
    this.#before.clear();
  }
}

function heldOf(all: readonly TwoSides[]): readonly NaivePosition[] {
  return all.flatMap(({ positions }) => positions);
}

function sidesOf(all: readonly TwoSides[], { symbol }: NaivePosition): TwoSides | undefined {
  return all.find((one) => one.symbol === symbol);
}

async function comeNear(stage: Stage, all: readonly TwoSides[]): Promise<void> {
  const naive = await stage.look();
  const held = heldOf(all);
  if (held.length === 0) return;
  const position = stage.random.pick([...held]);
  const sides = sidesOf(all, position);
  const gains = position.side === "LONG" ? 1n : -1n;
  const left = BigInt(stage.random.pick(TICKS_LEFT)) * (sides?.market.rules.tick ?? 0n);
  await sides?.moveMark(naive.liquidatePrice(position) + gains * left);
}

/** So far that somebody is just due, or hardly more or less; then a tick of the mark more. */
async function raise(stage: Stage, all: readonly TwoSides[], rates: OwnRates): Promise<void> {
  const { exchange, random } = stage;
  const naive = await stage.look();
  const held = heldOf(all);
  if (held.length === 0) return;
  const position = random.pick([...held]);
  const { symbol, uid } = position;
  const scope = rates.isOfAll(symbol) && random.chance(0.5) ? null : symbol;
  const { maker, taker } = naive.rates(uid, symbol);
  const more = await roomOf(stage, position, (other) => {
    return other === symbol || (scope === null && rates.isOfAll(other));
  });
  const due = taker + (more / RATE_UNIT + BigInt(random.pick(BESIDE))) * RATE_UNIT;
  if (due < 0n) return;
  const path = `markets/contract/${symbol}`;
  const isHalted = random.chance(0.2);
  if (isHalted) await stage.operate("PATCH", path, { state: "halted" });
  await rates.set(scope, maker, least(MOST, due));
  await stage.look();
  if (random.chance(0.3)) exchange.story.startAgain();
  await checkReadings(stage.random.pick([...stage.traders]), "contract", 1, READINGS);
  if (isHalted) await stage.operate("PATCH", path, { state: "trading" });
  await stage.look();
  const sides = sidesOf(all, position);
  const loses = position.side === "LONG" ? -1n : 1n;
  if (sides === undefined || random.chance(0.3)) return;
  await sides.moveMark(sides.market.mark + loses * sides.market.rules.tick);
  await stage.look();
}

/** By how much a rate of some contracts may rise until the position is due. */
async function roomOf(
  stage: Stage,
  position: NaivePosition,
  rises: (symbol: string) => boolean,
): Promise<bigint> {
  const naive = await stage.look();
  const { margin, marginType, uid } = position;
  if (marginType === "ISOLATED") {
    const value = naive.markValue(position);
    const equity = margin + naive.pnlOf(position);
    return (equity * ONE - value * naive.maintenanceOf(position)) / value;
  }
  const cross = naive.crossPositions(uid, "USDT");
  const value = sum(cross.filter((one) => rises(one.symbol)).map((one) => naive.markValue(one)));
  return (naive.crossEquity(uid, "USDT") * ONE - naive.crossMaintenance(uid, "USDT")) / value;
}
