/**
 * The house of a sandbox: makes the market that a tester asks for. It has no rights of its own:
 * what it does are the commands of users and operators, so that a replay does it again.
 */
import {
  accept,
  formatSteps,
  PRODUCTS,
  type Product,
  type Result,
  reject,
} from "../../domain/index.ts";
import type { Platform } from "../../platform/index.ts";
import type { EngineClient, PositionView } from "../../protocol/index.ts";
import { readBook } from "./book-request.ts";
import { EndableMove } from "./endable-move.ts";
import { HouseTrading } from "./house-trading.ts";
import { liquidityUid } from "./liquidity-account.ts";
import { LiquidityKeeper } from "./liquidity-keeper.ts";
import {
  type BookSide,
  type LiquidityModel,
  type LiquidityTerms,
  termsOf,
} from "./liquidity-models.ts";
import { type MarketMoment, type MarketRules, readMoment } from "./market-moment.ts";
import type { Outcome } from "./outcome.ts";
import { type PriceMoved, PriceMoves, type PriceRequest } from "./price-moves.ts";
import { SCENARIOS, type ScenarioName } from "./scenarios/scenarios.ts";
import { Scene } from "./scenarios/scene.ts";

/** Requests for a market that wait for the one that is being done. */
const WAITING_MAX = 20;

/** Traders that leave a market to the house while it works there. */
export interface OtherMakers {
  /** Resolves when they send nothing more to the market. */
  hold(product: Product, symbol: string): Promise<void>;
  release(product: Product, symbol: string): void;
}

export interface HouseOptions {
  readonly engine: EngineClient;
  readonly platform: Pick<Platform, "clock" | "randomness" | "scheduler">;
  readonly makers: OtherMakers;
}

type Row = readonly [price: string, quantity: string];

export interface BookRequest {
  readonly symbol: string;
  /** Null: spot where there is such a market, otherwise the contract. */
  readonly product: Product | null;
  readonly bids: readonly (readonly string[])[];
  readonly asks: readonly (readonly string[])[];
  readonly actor: string;
}

/** The house's own orders, best price first. */
export interface HouseBook {
  readonly symbol: string;
  readonly product: Product;
  readonly bids: readonly Row[];
  readonly asks: readonly Row[];
  /** "0" before the first trade. */
  readonly lastPrice: string;
  readonly sequence: number;
}

export interface LiquidityRequest {
  readonly symbol: string;
  readonly product: Product | null;
  readonly model: LiquidityModel;
  /** Decimals; null for the model's. */
  readonly depth: string | null;
  readonly spread: string | null;
  readonly side: BookSide | null;
  readonly actor: string;
}

/** All null without a model. */
export interface HouseLiquidity {
  readonly symbol: string;
  readonly product: Product;
  readonly model: LiquidityModel | null;
  /** Of each level, in the quote asset. */
  readonly depth: number | null;
  /** A fraction of the price. */
  readonly spread: number | null;
  readonly side: BookSide | null;
}

export interface TriggerRequest {
  readonly scenario: ScenarioName;
  readonly uid: number | null;
  readonly symbol: string | null;
  readonly product: Product | null;
  readonly actor: string;
}

export interface Triggered {
  readonly scenario: ScenarioName;
  readonly sequence: number;
  /** Sentences without a full stop, in the order in which it was done. */
  readonly did: readonly string[];
}

/** What is going on in the markets of a symbol. */
class Works {
  turn: Promise<unknown> = Promise.resolve();
  waiting = 0;
  /** Those that wait or are on their way. */
  readonly moves = new Set<EndableMove>();
}

export class House {
  readonly #options: HouseOptions;
  readonly #trading: HouseTrading;
  readonly #moves: PriceMoves;
  readonly #keeper: LiquidityKeeper;
  readonly #works = new Map<string, Works>();
  /** Markets whose book was asked for, by product and symbol. */
  readonly #booked = new Set<string>();

  constructor(options: HouseOptions) {
    this.#options = options;
    this.#trading = new HouseTrading(options.engine);
    this.#moves = new PriceMoves(this.#trading, options.platform);
    this.#keeper = new LiquidityKeeper({
      trading: this.#trading,
      platform: options.platform,
      whenIdle: async (symbol, look) => {
        if (!this.#works.has(symbol)) await this.#inTurn(symbol, async () => accept(await look()));
      },
    });
  }

  /** The house's orders become exactly this book, until it is cleared; other makers stay away. */
  makeBook(request: BookRequest): Promise<Outcome<HouseBook>> {
    return this.#replaceBook(request, (key) => {
      this.#keeper.drop(key);
      this.#booked.add(key);
    });
  }

  async book(symbol: string, product: Product | null): Promise<Outcome<HouseBook>> {
    const { engine } = this.#options;
    const moment = await readMoment(engine, await liquidityUid(engine), symbol, product);
    return moment.ok ? accept(bookView(moment.value)) : moment;
  }

  /** Takes the house's orders out of a market; other makers come back. */
  clearBook(symbol: string, product: Product | null, actor: string): Promise<Outcome<HouseBook>> {
    const request = { symbol, product, actor, bids: [], asks: [] };
    return this.#replaceBook(request, (key) => {
      this.#keeper.drop(key);
      this.#booked.delete(key);
    });
  }

  /** The house quotes the market by a model, until its book is asked for or cleared. */
  async setLiquidity(request: LiquidityRequest): Promise<Outcome<HouseLiquidity>> {
    const { actor, depth, model, product, side, spread, symbol } = request;
    const terms = readTerms(model, depth, spread, side);
    if (!terms.ok) return terms;
    return await this.#inTurn(symbol, async () => {
      const opened = await this.#trading.open(symbol, product, actor);
      if (!opened.ok) return opened;
      const { moment, uid } = opened.value;
      const { rules } = moment;
      if ((rules.product === "contract" ? moment.bandTicks : moment.lastTicks) === 0) {
        return reject("conflict", "symbol", `${symbol} has no price yet: set one first`);
      }
      const key = keyOf(rules);
      this.#booked.add(key);
      const kept = { uid, rules, terms: terms.value, actor };
      await this.#keeper.keep(key, kept);
      return accept(liquidityView(rules, terms.value));
    });
  }

  /** By which model the house quotes a market; null for none. */
  async liquidity(symbol: string, product: Product | null): Promise<Outcome<HouseLiquidity>> {
    const seen = await readMoment(this.#options.engine, 0, symbol, product);
    if (!seen.ok) return seen;
    const { rules } = seen.value;
    return accept(liquidityView(rules, this.#keeper.get(keyOf(rules))?.terms ?? null));
  }

  async #replaceBook(
    request: BookRequest,
    done: (key: string) => void,
  ): Promise<Outcome<HouseBook>> {
    const { actor, symbol, product } = request;
    const seen = await readMoment(this.#options.engine, 0, symbol, product);
    if (!seen.ok) return seen;
    // A wrong book changes nothing, and registers nobody.
    const read = readBook(request, seen.value);
    if (!read.ok) return read;
    return await this.#inTurn(symbol, async () => {
      const opened = await this.#trading.open(symbol, seen.value.rules.product, actor);
      if (!opened.ok) return opened;
      const { moment, uid } = opened.value;
      const book = readBook(request, moment);
      if (!book.ok) return book;
      const plan = { tradeTicks: 0, book: book.value };
      const made = await this.#trading.bringAbout(uid, moment, plan, actor);
      if (!made.ok) return made;
      done(keyOf(moment.rules));
      return accept(bookView(made.value));
    });
  }

  /** Resolves when the price is there; another request for the symbol ends it before. */
  async movePrice(request: PriceRequest): Promise<Outcome<PriceMoved>> {
    const move = new EndableMove(this.#options.platform.scheduler);
    const work = async (): Promise<Outcome<PriceMoved>> => {
      const moved = await this.#moves.move(request, move);
      this.#keeper.moved(request.symbol);
      return moved;
    };
    const moved = await this.#inTurn(request.symbol, work, move);
    await this.timeMoved();
    return moved;
  }

  /** To be told after each change of exchange time, before it is answered. */
  async timeMoved(): Promise<void> {
    await this.#keeper.timeMoved();
  }

  /**
   * Brings about what a scenario says by prices and orders, and tells what it did. Without a symbol
   * in the contract where the user has a position; of several, the nearest to its liquidation.
   */
  async trigger(request: TriggerRequest): Promise<Outcome<Triggered>> {
    const { scenario, uid } = request;
    const { needsUser, play } = SCENARIOS[scenario];
    if (needsUser && uid === null) {
      return reject("malformed", "uid", "given: the user whose position it affects");
    }
    const found = await this.#symbolOf(request);
    if (!found.ok) return found;
    const symbol = found.value;
    const triggered = await this.#inTurn(symbol, async () => {
      const { actor, product } = request;
      const scene = new Scene(this.#trading, { actor, product, symbol, uid });
      const played = await play(scene);
      this.#keeper.moved(symbol);
      if (!played.ok) return played;
      const status = await this.#options.engine.query({ type: "status" });
      if (!status.ok) return status;
      return accept({ scenario, sequence: status.sequence, did: scene.did });
    });
    await this.timeMoved();
    return triggered;
  }

  async #symbolOf({ symbol, uid }: TriggerRequest): Promise<Outcome<string>> {
    const { engine } = this.#options;
    if (uid !== null) {
      const user = await engine.query({ type: "user", uid });
      if (!user.ok) return "unavailable" in user ? user : reject(user.reason, "uid");
    }
    if (symbol !== null) return accept(symbol);
    if (uid === null) return reject("malformed", "symbol", "given, or a uid with a position");
    const held = await engine.query({ type: "contract-positions", uid, symbol: null });
    if (!held.ok) return held;
    const prices = await engine.query({ type: "contract-prices", symbol: null });
    if (!prices.ok) return prices;
    const nearness = (position: PositionView): number => {
      const price = prices.value.find((row) => row.symbol === position.symbol);
      const mark = Number(price?.markPrice ?? 0);
      const due = Number(position.liquidatePrice);
      return due === 0 ? Number.POSITIVE_INFINITY : Math.abs(mark - due) / due;
    };
    const [first] = [...held.value].sort((one, other) => nearness(one) - nearness(other));
    if (first !== undefined) return accept(first.symbol);
    return reject("conflict", "uid", `uid ${uid} has no position`);
  }

  /** Ends all moves and models: the exchange stops, or goes back to another state. */
  async stop(): Promise<void> {
    this.#keeper.stop();
    this.#booked.clear();
    const works = [...this.#works.values()];
    for (const { moves } of works) for (const move of moves) move.end();
    await Promise.all(works.map(({ turn }) => turn));
  }

  /** One after the other in the markets of a symbol; a move ends for what comes behind it. */
  async #inTurn<Value>(
    symbol: string,
    work: () => Promise<Outcome<Value>>,
    move: EndableMove | null = null,
  ): Promise<Outcome<Value>> {
    const works = this.#works.get(symbol) ?? new Works();
    if (works.waiting >= WAITING_MAX) return { ok: false, unavailable: "overloaded" };
    this.#works.set(symbol, works);
    works.waiting++;
    for (const earlier of works.moves) earlier.end();
    if (move !== null) works.moves.add(move);
    const done = works.turn.then(() => this.#withoutMakers(symbol, work));
    // A failed work rejects for its own caller; the next one still runs.
    works.turn = done.catch(() => undefined);
    try {
      return await done;
    } finally {
      if (move !== null) works.moves.delete(move);
      works.waiting--;
      if (works.waiting === 0) this.#works.delete(symbol);
    }
  }

  async #withoutMakers<Value>(symbol: string, work: () => Promise<Value>): Promise<Value> {
    const { makers } = this.#options;
    await Promise.all(PRODUCTS.map((product) => makers.hold(product, symbol)));
    try {
      return await work();
    } finally {
      for (const product of PRODUCTS) {
        if (!this.#booked.has(keyOf({ product, symbol }))) makers.release(product, symbol);
      }
    }
  }
}

function keyOf({
  product,
  symbol,
}: {
  readonly product: Product;
  readonly symbol: string;
}): string {
  return `${product}:${symbol}`;
}

const DEPTH_MAX = 1_000_000_000;
const SPREAD_MIN = 0.00001;
const SPREAD_MAX = 0.5;

function readTerms(
  model: LiquidityModel,
  depthText: string | null,
  spreadText: string | null,
  side: BookSide | null,
): Result<LiquidityTerms> {
  const depth = depthText === null ? null : Number(depthText);
  const spread = spreadText === null ? null : Number(spreadText);
  if (depth !== null && (depth <= 0 || depth > DEPTH_MAX)) {
    return reject("out-of-range", "depth", `more than 0, at most ${DEPTH_MAX}`);
  }
  if (spread !== null && (spread < SPREAD_MIN || spread > SPREAD_MAX)) {
    return reject("out-of-range", "spread", `from ${SPREAD_MIN.toFixed(5)} to ${SPREAD_MAX}`);
  }
  if (side !== null && model !== "one-sided") {
    return reject("malformed", "side", "omitted, except for the model one-sided");
  }
  return accept(termsOf(model, depth, spread, side));
}

function liquidityView(rules: MarketRules, terms: LiquidityTerms | null): HouseLiquidity {
  const { product, symbol } = rules;
  const none = { model: null, depth: null, spread: null, side: null };
  return { symbol, product, ...(terms ?? none) };
}

function bookView({ own, lastTicks, rules, sequence }: MarketMoment): HouseBook {
  const rows = (side: "BUY" | "SELL", sign: number): Row[] =>
    own
      .filter((order) => order.side === side)
      .sort((one, other) => sign * (one.ticks - other.ticks))
      .map(({ ticks, lots }) => [formatSteps(ticks, rules.tick), formatSteps(lots, rules.step)]);
  const { product, symbol } = rules;
  const lastPrice = formatSteps(lastTicks, rules.tick);
  return { symbol, product, bids: rows("BUY", -1), asks: rows("SELL", 1), lastPrice, sequence };
}
