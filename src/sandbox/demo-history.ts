/**
 * Trades the demo's first hours of history, so that its charts, trade lists and reports have
 * content. The simulators that also trade live send their commands here, against a clock that
 * starts hours ago and runs as fast as the exchange does.
 */
import type { Clock } from "../platform/index.ts";
import type { EngineClient } from "../protocol/index.ts";
import { seedSpotCommissions, settleEarly, tradeContracts } from "./affiliate-seed.ts";
import { clientOrderIds } from "./client-order-ids.ts";
import { seedContractOrders, seedContractPositions } from "./contract-seed.ts";
import { ContractSimulator } from "./contract-simulator.ts";
import { DEMO_CONTRACTS, DEMO_MARKETS, TAKER_UID } from "./demo-profile.ts";
import { COARSE_LADDER } from "./quotes.ts";
import { SeededRandom } from "./random.ts";
import { SpotSimulator } from "./spot-simulator.ts";
import { Takers } from "./takers.ts";

/** The clock that the exchange reads. */
export interface SimulatedClockPort {
  nowMs(): number;
  /** False when `timeMs` is not in the past: from then on the clock is the wall clock. */
  advanceTo(timeMs: number): boolean;
}

export interface HistoryTradingOptions {
  readonly engine: EngineClient;
  readonly clock: SimulatedClockPort;
  readonly realClock: Clock;
  /** From here on every minute has trades; before, hours have. */
  readonly detailedFromMs: number;
  /** Differs at every start; client order ids are derived from it. */
  readonly run: number;
  /** Resolves when the history store can take more. */
  readonly drained: () => Promise<void>;
  /** Called with the milliseconds traded so far. */
  readonly onStep: (filledMs: number) => void;
}

const STEP_MS = 30_000;
/** Used where the disk is slow; small enough for a trade in every minute. */
const LARGE_STEP_MS = 50_000;
/** Real time in which the history should be done; when behind, steps are large. */
const BUDGET_MS = 2_000;
/** Trades happen at irregular times; less than a step. */
const JITTER_MS = 9_999;
/**
 * Prices move in steps of this length whatever the trading steps are, so that they always end at
 * the same price.
 */
const PRICE_STEP_MS = 10_000;
/** Prices are the same in every demo: the two people's positions survive to its end. */
const PRICE_SEED = 3;
/** The first index takes fifteen samples of the spot market, one a second. */
const FIRST_INDEX_MS = 17_000;
/** How often invitees with a contract wallet open and close a position. */
const CONTRACT_INVITEES_MS = 50 * 60_000;
/** Ladder changes in a step; prices move further in it than in a live turn. */
const CHANGES_PER_STEP = 10;
/** Takers in each market and step, or one more; each stands for many takers. */
const TAKERS_MIN = 2;
const TAKE_SCALE = 16;

const HOUR_MS = 60 * 60_000;
/** What comes behind the sketch, as a rule. */
const LAST_HOURS_MS = 6 * HOUR_MS;
/** What a wide chart shows at once. */
const CANDLES_SHOWN = 500;
/**
 * Before the last hours, history is sketched, so that a chart of each interval has candles
 * without a hole: as far back as it reaches, each market trades in every candle.
 */
const SKETCH_STEPS_MS: readonly number[] = [1, 5, 15, 30, 60].map((minutes) => minutes * 60_000);
const SKETCH_LARGE_STEP_MS = 4 * HOUR_MS;
const SKETCH_PRICE_STEP_MS = 5 * 60_000;
const SKETCH_INVITEES_MS = 12 * HOUR_MS;
const SKETCH_RUN = 2 ** 40;

/** Trades from the clock's time until now. */
export async function tradeHistory(options: HistoryTradingOptions): Promise<void> {
  const beganMs = options.clock.nowMs();
  await sketchHistory(options);
  const sketchedMs = options.clock.nowMs() - beganMs;
  const onStep = (filledMs: number) => options.onStep(sketchedMs + filledMs);
  await tradeLastHours({ ...options, onStep });
}

/** Up to the last hours; does nothing when there are no others. */
async function sketchHistory(options: HistoryTradingOptions): Promise<void> {
  const { engine, clock, detailedFromMs: endMs, drained, onStep } = options;
  const beganMs = clock.nowMs();
  if (beganMs + HOUR_MS > endMs) return;
  // Client order ids of their own.
  const run = options.run + SKETCH_RUN;
  const nextContractId = clientOrderIds("contract", run);
  const simulation = await Simulation.open({ ...options, run }, nextContractId);
  clock.advanceTo(beganMs + FIRST_INDEX_MS);
  let inviteesMs = beganMs;
  let atMs = beganMs;
  for (;;) {
    const stepMs = sketchStep(endMs - atMs);
    atMs += stepMs;
    if (atMs >= endMs) return;
    await drained();
    clock.advanceTo(atMs + simulation.jitterMs());
    await simulation.sketch(stepMs);
    onStep(atMs - beganMs);
    if (atMs - inviteesMs < SKETCH_INVITEES_MS) continue;
    inviteesMs = atMs;
    await tradeContracts(engine, nextContractId);
  }
}

/** So long before the end of the sketch. */
function sketchStep(leftMs: number): number {
  const agoMs = leftMs + LAST_HOURS_MS;
  const fitting = SKETCH_STEPS_MS.find((stepMs) => agoMs <= stepMs * CANDLES_SHOWN);
  return fitting ?? SKETCH_LARGE_STEP_MS;
}

async function tradeLastHours(options: HistoryTradingOptions): Promise<void> {
  const { engine, clock, realClock, drained, onStep } = options;
  const beganMs = clock.nowMs();
  const startedMs = realClock.monotonicMs();
  const lengthMs = realClock.wallMs() - beganMs;
  const isLate = (filledMs: number) =>
    (realClock.monotonicMs() - startedMs) / BUDGET_MS > filledMs / lengthMs;
  const nextContractId = clientOrderIds("contract", options.run);
  const simulation = await Simulation.open(options, nextContractId);
  await seedSpotCommissions(engine);
  clock.advanceTo(beganMs + FIRST_INDEX_MS);
  await simulation.openContracts();
  await seedContractPositions(engine);
  let filledMs = 0;
  let contractInviteesMs = 0;
  for (;;) {
    const stepMs = isLate(filledMs) ? LARGE_STEP_MS : STEP_MS;
    filledMs += stepMs;
    await drained();
    const isBehind = clock.advanceTo(beganMs + filledMs + simulation.jitterMs());
    await simulation.trade(stepMs);
    if (!isBehind) break;
    onStep(filledMs);
    if (filledMs - contractInviteesMs < CONTRACT_INVITEES_MS) continue;
    contractInviteesMs = filledMs;
    await tradeContracts(engine, nextContractId);
  }
  await tradeContracts(engine, nextContractId);
  await seedContractOrders(engine);
  await settleEarly(engine);
}

/** All markets together; the commands of one step enter the same batch. */
class Simulation {
  readonly #random: SeededRandom;
  readonly #takers: Takers;
  readonly #spot: readonly SpotSimulator[];
  readonly #contracts: readonly ContractSimulator[];

  private constructor(
    random: SeededRandom,
    takers: Takers,
    spot: readonly SpotSimulator[],
    contracts: readonly ContractSimulator[],
  ) {
    this.#random = random;
    this.#takers = takers;
    this.#spot = spot;
    this.#contracts = contracts;
  }

  /** Fills the spot books, so that each market has a price. */
  static async open(
    { engine, run }: HistoryTradingOptions,
    nextContractId: () => string,
  ): Promise<Simulation> {
    const random = new SeededRandom(run);
    const nextSpotId = clientOrderIds("spot", run);
    const spot = await Promise.all(
      DEMO_MARKETS.map((market, index) => {
        const options = { engine, random, ladder: COARSE_LADDER, nextClientOrderId: nextSpotId };
        return SpotSimulator.open(options, market, new SeededRandom(PRICE_SEED + index));
      }),
    );
    await Promise.all(
      spot.map((simulator) => simulator.trade([TAKER_UID], COARSE_LADDER.levels * 4)),
    );
    const contracts = DEMO_CONTRACTS.map((contract) => {
      const options = { engine, random, ladder: COARSE_LADDER, nextClientOrderId: nextContractId };
      return new ContractSimulator(options, contract);
    });
    return new Simulation(random, await Takers.find(engine, random), spot, contracts);
  }

  jitterMs(): number {
    return Math.floor(this.#random.next() * JITTER_MS);
  }

  async openContracts(): Promise<void> {
    await Promise.all(
      this.#contracts.map((simulator) =>
        simulator.trade(this.#priceOf(simulator), 1, COARSE_LADDER.levels * 4),
      ),
    );
  }

  /** Every market trades once, in a book of few orders. */
  async sketch(elapsedMs: number): Promise<void> {
    for (const simulator of this.#spot) {
      const stepMs = Math.min(elapsedMs, SKETCH_PRICE_STEP_MS);
      for (let ms = 0; ms < elapsedMs; ms += stepMs) simulator.movePrice(stepMs);
    }
    await Promise.all([
      ...this.#spot.map((simulator) => simulator.sketch([this.#takers.draw()], TAKE_SCALE)),
      ...this.#contracts.map((simulator) =>
        simulator.sketch(this.#priceOf(simulator), 1, TAKE_SCALE),
      ),
    ]);
  }

  async trade(elapsedMs: number): Promise<void> {
    for (const simulator of this.#spot) {
      for (let ms = 0; ms < elapsedMs; ms += PRICE_STEP_MS) simulator.movePrice(PRICE_STEP_MS);
    }
    const takers = () => TAKERS_MIN + Math.round(this.#random.next());
    await Promise.all([
      ...this.#spot.map((simulator) => {
        const uids = Array.from({ length: takers() }, () => this.#takers.draw());
        return simulator.trade(uids, CHANGES_PER_STEP, TAKE_SCALE);
      }),
      ...this.#contracts.map((simulator) =>
        simulator.trade(this.#priceOf(simulator), takers(), CHANGES_PER_STEP, TAKE_SCALE),
      ),
    ]);
  }

  /** The spot market's price, which the index will have at the end of this step. */
  #priceOf({ symbol }: ContractSimulator): number {
    return this.#spot.find((simulator) => simulator.symbol === symbol)?.price ?? 0;
  }
}
