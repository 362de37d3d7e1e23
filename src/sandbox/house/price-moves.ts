/**
 * Moves prices: at once, or in steps over a time of the exchange. While that time stands still a
 * move sets it forward itself, step by step, so that the same request does the same each time.
 */
import {
  accept,
  formatSteps,
  type Product,
  parseSteps,
  type Rejection,
  type Result,
  reject,
} from "../../domain/index.ts";
import type { Platform } from "../../platform/index.ts";
import type { HouseTrading } from "./house-trading.ts";
import { type MarketRules, readMoment } from "./market-moment.ts";
import type { Outcome } from "./outcome.ts";
import { type PricePath, pathTicks, stepsIn } from "./price-path.ts";
import { movingMarket, stepTo } from "./price-steps.ts";

/** The answer comes when the price is there, so a move is not longer than a request may be. */
const WALL_MS_MAX = 240_000;
const SPEED_ONE_E3 = 1_000;
const VOLATILITY_DEFAULT = 0.01;
const SEED_BYTES = 4;

export interface PriceRequest {
  readonly symbol: string;
  readonly product: Product | null;
  /** Null for a move of the mark alone. */
  readonly to: string | null;
  /** Undefined for a move of the price; null unpins the mark. */
  readonly mark: string | null | undefined;
  /** Of exchange time. */
  readonly inMs: number;
  readonly path: PricePath | null;
  readonly volatility: number | null;
  readonly seed: number | null;
  readonly actor: string;
}

export interface PriceMoved {
  readonly symbol: string;
  readonly product: Product;
  /** The last trade; "0" before the first. */
  readonly price: string;
  /** Of the contract of that symbol; null without one. */
  readonly markPrice: string | null;
  readonly steps: number;
  /** What a random walk was drawn from. */
  readonly seed: number | null;
  readonly sequence: number;
  readonly time: number;
}

/** A move that another request, or a stop of the exchange, ends. */
export interface MoveControl {
  readonly isEnded: boolean;
  /** Resolves after so much of the wall clock, or when the move is ended. */
  sleep(ms: number): Promise<void>;
}

interface Way {
  readonly ticks: readonly number[];
  /** Of exchange time, for each step. */
  readonly stepMs: number;
  readonly speedE3: number;
  readonly seed: number | null;
}

type Step = (ticks: number) => Promise<Outcome<null>>;

export class PriceMoves {
  readonly #trading: HouseTrading;
  readonly #platform: Pick<Platform, "clock" | "randomness">;

  constructor(trading: HouseTrading, platform: Pick<Platform, "clock" | "randomness">) {
    this.#trading = trading;
    this.#platform = platform;
  }

  async move(request: PriceRequest, control: MoveControl): Promise<Outcome<PriceMoved>> {
    const refused = checkPath(request);
    if (refused !== null) return refused;
    return request.mark === undefined
      ? await this.#movePrice(request, control)
      : await this.#moveMark(request, control);
  }

  async #movePrice(request: PriceRequest, control: MoveControl): Promise<Outcome<PriceMoved>> {
    const { symbol, product, actor } = request;
    const seen = await readMoment(this.#trading.engine, 0, symbol, product);
    if (!seen.ok) return seen;
    const toTicks = readPrice(seen.value.rules, "to", request.to ?? "");
    if (!toTicks.ok) return toTicks;
    const found = await movingMarket(this.#trading, symbol, product, actor);
    if (!found.ok) return found;
    const { fromTicks, market } = found.value;
    const { rules } = market;
    const way = await this.#wayOf(request, fromTicks || toTicks.value, toTicks.value);
    if (!way.ok) return way;
    const step: Step = (ticks) => stepTo(this.#trading, market, ticks, actor);
    const walked = await this.#walk(way.value, step, control, actor);
    return walked.ok ? await this.#view(rules, way.value) : walked;
  }

  async #moveMark(request: PriceRequest, control: MoveControl): Promise<Outcome<PriceMoved>> {
    const { actor, symbol, mark } = request;
    const { engine } = this.#trading;
    const seen = await readMoment(engine, 0, symbol, "contract");
    if (!seen.ok) return seen;
    const { rules, bandTicks } = seen.value;
    const pin = async (price: string | null): Promise<Outcome<null>> =>
      await engine.execute({ type: "pin-mark-price", actor, symbol, price });
    if (mark === null || mark === undefined) {
      const unpinned = await pin(null);
      if (!unpinned.ok) return unpinned;
      return await this.#view(rules, { ticks: [0], stepMs: 0, speedE3: 0, seed: null });
    }
    const toTicks = readPrice(rules, "mark", mark);
    if (!toTicks.ok) return toTicks;
    const way = await this.#wayOf(request, bandTicks || toTicks.value, toTicks.value);
    if (!way.ok) return way;
    const step: Step = async (ticks) => {
      const prepared = await this.#trading.bearAt(symbol, ticks, actor);
      return prepared.ok ? await pin(formatSteps(ticks, rules.tick)) : prepared;
    };
    const walked = await this.#walk(way.value, step, control, actor);
    return walked.ok ? await this.#view(rules, way.value) : walked;
  }

  async #wayOf(
    { inMs, path, volatility, seed: given }: PriceRequest,
    fromTicks: number,
    toTicks: number,
  ): Promise<Outcome<Way>> {
    const status = await this.#trading.engine.query({ type: "status" });
    if (!status.ok) return status;
    const speedE3 = status.value.clockSpeedE3 ?? SPEED_ONE_E3;
    const wallMs = speedE3 === 0 ? 0 : (inMs * SPEED_ONE_E3) / speedE3;
    if (wallMs > WALL_MS_MAX) {
      const detail = `at most ${WALL_MS_MAX} ms of real time; with a frozen clock it takes none`;
      return reject("out-of-range", "inMs", detail);
    }
    const isWalk = path === "random-walk";
    const drawn = given ?? this.#platform.randomness.bytes(SEED_BYTES).readUInt32LE();
    const seed = isWalk ? drawn : null;
    const steps = inMs === 0 ? 1 : stepsIn(inMs);
    const terms = { path: path ?? (inMs === 0 ? "jump" : "linear"), steps, fromTicks, toTicks };
    const walk = { volatility: volatility ?? VOLATILITY_DEFAULT, seed: drawn };
    return accept({ ticks: pathTicks({ ...terms, ...walk }), stepMs: inMs / steps, speedE3, seed });
  }

  async #walk(
    { ticks, stepMs, speedE3 }: Way,
    step: (ticks: number) => Promise<Outcome<null>>,
    control: MoveControl,
    actor: string,
  ): Promise<Outcome<null>> {
    const { clock } = this.#platform;
    const startedMs = clock.monotonicMs();
    let passedMs = 0;
    for (const [place, price] of ticks.entries()) {
      const dueMs = Math.round((place + 1) * stepMs);
      if (speedE3 === 0) {
        const set = await this.#setForward(dueMs - passedMs, actor);
        if (!set.ok) return set;
      } else {
        const dueWallMs = (dueMs * SPEED_ONE_E3) / speedE3;
        await control.sleep(startedMs + dueWallMs - clock.monotonicMs());
      }
      passedMs = dueMs;
      if (control.isEnded) return ENDED;
      const stepped = await step(price);
      if (!stepped.ok) return stepped;
    }
    return accept(null);
  }

  async #setForward(ms: number, actor: string): Promise<Outcome<null>> {
    if (ms <= 0) return accept(null);
    const { engine } = this.#trading;
    const status = await engine.query({ type: "status" });
    if (!status.ok) return status;
    const toMs = status.timestampMs + ms;
    return await engine.execute({ type: "set-clock", actor, toMs, speedE3: null });
  }

  async #view({ product, symbol, tick }: MarketRules, way: Way): Promise<Outcome<PriceMoved>> {
    const { engine } = this.#trading;
    const [moment, prices] = await Promise.all([
      readMoment(engine, 0, symbol, product),
      engine.query({ type: "contract-prices", symbol }),
    ]);
    if (!moment.ok) return moment;
    const status = await engine.query({ type: "status" });
    if (!status.ok) return status;
    return accept({
      symbol,
      product,
      price: formatSteps(moment.value.lastTicks, tick),
      markPrice: prices.ok ? (prices.value[0]?.markPrice ?? null) : null,
      steps: way.ticks.length,
      seed: way.seed,
      sequence: status.sequence,
      time: status.timestampMs,
    });
  }
}

const ENDED = reject("conflict", null, "another request for this market ended the move");

function checkPath({ inMs, mark, path, to, volatility }: PriceRequest): Rejection | null {
  if ((to === null) === (mark === undefined)) {
    return reject("malformed", to === null ? "to" : "mark", "given (either to or mark)");
  }
  if (mark === null && inMs > 0) return reject("malformed", "inMs", "omitted with mark null");
  if (path === "jump" && inMs > 0) return reject("malformed", "inMs", "omitted with the path jump");
  if (path !== null && path !== "jump" && inMs === 0) {
    return reject("malformed", "inMs", `given with the path ${path}`);
  }
  if (volatility !== null && path !== "random-walk") {
    return reject("malformed", "volatility", "omitted, except with the path random-walk");
  }
  return null;
}

function readPrice({ tick }: MarketRules, field: string, price: string): Result<number> {
  const ticks = parseSteps(price, tick);
  if (ticks === "off-grid") {
    return reject("off-tick", field, `a multiple of ${formatSteps(1, tick)}`);
  }
  if (ticks === "malformed") return reject("malformed", field, "a decimal");
  if (typeof ticks !== "number" || ticks < 1) return reject("out-of-range", field, "more than 0");
  return accept(ticks);
}
