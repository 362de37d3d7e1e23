/**
 * What operators give a contract, which stands until they take it back, whatever changes beneath
 * it: a mark that is pinned, an index, the rate of the next funding. Nobody else acts meanwhile.
 */
import { naiveContractPrices } from "../models/contract/naive-contract-views.ts";
import { text } from "../support/exact.ts";
import type { Random } from "../support/random.ts";
import type { World } from "./aims/world.ts";
import { hold } from "./breach.ts";
import { TWO_SYMBOLS } from "./markets.ts";
import { operate } from "./operate.ts";
import { checkReadings, differenceOf, timeOf } from "./readings.ts";
import { readClock } from "./sandbox-clock.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { checkStep } from "./state-check.ts";
import type { Trader } from "./trader.ts";
import { unlessTimePasses } from "./undisturbed.ts";

const MINUTE_MS = 60_000;
/** None at all is a rate like any other. */
const RATES = ["0", "0", "0", "0.0001", "-0.0001", "-0.00375", "0.02", "0.00000001", "-0.00000001"];
/** In thousandths of the mark. */
const AWAY = [0, 1, 2, 5];
/** Of a pinned mark; one tick more is too high. */
const TICKS_MAX = 2n ** 42n;
/** Which come between a slot and the moment to which time goes. */
const BESIDE_MS = [-1, 0, 1];

const READINGS = [
  "GET /capi/v3/market/premiumIndex",
  "GET /capi/v3/market/symbolPrice",
  "GET /capi/v3/market/ticker/24hr",
  "GET /capi/v3/market/ticker/bookTicker",
  "GET /capi/v3/market/depth",
  "GET /capi/v3/account/position/allPosition",
  "GET /capi/v3/market/fundingRate",
  "GET /capi/v3/market/historyKlines",
];

interface Prices {
  readonly markPrice: string;
  readonly indexPrice: string;
  readonly indexMs: number;
  readonly isStale: boolean;
  readonly isPinned: boolean;
  readonly forecastFundingRate: string;
  readonly lastFundingRate: string;
  readonly nextFundingMs: number;
}

export class GivenPrices {
  readonly #exchange: SimulatedExchange;
  readonly #symbol: string;
  readonly #random: Random;

  constructor(exchange: SimulatedExchange, symbol: string, random: Random) {
    this.#exchange = exchange;
    this.#symbol = symbol;
    this.#random = random;
  }

  get #market() {
    return this.#exchange.story.naive.contracts.get(this.#symbol);
  }

  async #operate(method: string, path: string, body: object): Promise<void> {
    await this.#exchange.life.until(operate(this.#exchange, method, path, body));
  }

  /** One of them, or what none may be. */
  async giveOne(): Promise<void> {
    const acts = [
      () => this.setIndex(),
      () => this.pin(),
      () => this.giveRate(),
      () => this.#mis(),
    ];
    await this.#random.pick(this.#exchange.sandbox ? acts : acts.slice(0, 1))();
  }

  /** So many thousandths from the mark, on a tick. */
  #somePrice(): bigint | null {
    const market = this.#market;
    if (market === undefined || market.mark === 0n) return null;
    const { mark, rules } = market;
    const away = (mark * BigInt(this.#random.pick(AWAY))) / 1_000n;
    const ticks = (this.#random.chance(0.5) ? mark + away : mark - away) / rules.tick;
    return (ticks + BigInt(this.#random.integer(-3, 3))) * rules.tick;
  }

  async setIndex(): Promise<void> {
    const price = this.#somePrice();
    if (price === null) return;
    const body = { price: text(price), force: true };
    await this.#operate("PUT", `index-prices/${this.#symbol}`, body);
  }

  async pin(): Promise<void> {
    const price = this.#somePrice();
    if (price !== null) await this.#pinAt(text(price));
  }

  #pinAt(price: string | null): Promise<void> {
    return this.#operate("PUT", `sandbox/mark-prices/${this.#symbol}`, { price });
  }

  giveRate(rate: string | null = this.#random.pick(RATES)): Promise<void> {
    return this.#operate("POST", `sandbox/markets/${this.#symbol}/funding`, { rate });
  }

  /** Between two ticks, above all of them, or more than everything. */
  async #mis(): Promise<void> {
    const tick = this.#market?.rules.tick ?? 2n;
    const price = this.#random.pick([tick / 2n, (TICKS_MAX + 1n) * tick, 0n]);
    if (this.#random.chance(0.6)) await this.#pinAt(text(price));
    else await this.giveRate(this.#random.pick(["1.00000001", "-1.1", "0.000000001"]));
  }

  /** Nothing is given any more. */
  async takeBack(): Promise<void> {
    if (!this.#exchange.sandbox) return;
    await this.#pinAt(null);
    await this.giveRate(null);
  }

  /** To the next slot of funding, a millisecond more or less, and just behind it. */
  async passSlot(): Promise<void> {
    const { time } = await readClock(this.#exchange);
    const slotMs = this.#market?.nextSlotMs ?? 0;
    const beside = this.#random.pick(BESIDE_MS);
    for (const ms of [slotMs - time + beside, beside < 0 ? 2 : 0]) {
      if (ms > 0) await this.#operate("POST", "sandbox/clock/advance", { ms });
    }
  }

  /** What everybody is told of them. */
  async check(trader: Trader): Promise<void> {
    await checkStep(this.#exchange);
    await unlessTimePasses(this.#exchange, () => this.#checkTold());
    await checkReadings(trader, "contract", 3, READINGS);
  }

  async #checkTold(): Promise<void> {
    const exchange = this.#exchange;
    const symbol = this.#symbol;
    const { naive, timeMs } = exchange.story;
    const rows = naiveContractPrices(naive, await timeOf(exchange)) as (Prices & {
      readonly symbol: string;
    })[];
    const now = rows.find((row) => row.symbol === symbol);
    if (now === undefined) return;
    const index = { symbol, price: now.indexPrice, time: now.indexMs, isStale: now.isStale };
    await this.#checkOne(`index-prices/${symbol}`, index);
    if (!exchange.sandbox) return;
    const { isPinned, markPrice } = now;
    const mark = { symbol, price: isPinned ? markPrice : null, markPrice };
    await this.#checkOne(`sandbox/mark-prices/${symbol}`, mark);
    const funding = {
      ...{ symbol, rate: now.forecastFundingRate },
      ...{ fundingTime: now.nextFundingMs, lastRate: now.lastFundingRate },
    };
    const isMinute = Math.floor((await timeOf(exchange)) / MINUTE_MS) === minuteOf(timeMs);
    if (isMinute) await this.#checkOne(`sandbox/markets/${symbol}/funding`, funding);
  }

  async #checkOne(path: string, due: Readonly<Record<string, unknown>>): Promise<void> {
    const said = await this.#exchange.readOperator<Record<string, unknown>>(path);
    const isSame = Object.entries(due).every(([name, value]) => said[name] === value);
    const detail = () => `${path}: ${differenceOf(said, due)}`;
    hold(isSame, "an operator is told what the naive exchange has", detail);
  }
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

type Place = Pick<World, "exchange" | "traders">;

/** Some of them, as they stand when the exchange is told of them by a snapshot. */
async function giveSome(given: GivenPrices, random: Random): Promise<void> {
  await given.giveRate();
  if (random.chance(0.6)) await given.pin();
  if (random.chance(0.6)) await given.setIndex();
}

/** They are as before, and so is the slot that they are for. */
async function goOn({ traders }: Place, given: GivenPrices, random: Random): Promise<void> {
  const trader = random.pick([...traders]);
  await given.check(trader);
  await given.passSlot();
  await given.check(trader);
}

/** The machine is off, and begins again from a snapshot or from the journal. */
export async function standOverStart(world: Place, random: Random): Promise<void> {
  const { exchange } = world;
  const given = new GivenPrices(exchange, random.pick(TWO_SYMBOLS), random);
  await giveSome(given, random);
  const isKept = random.chance(0.7);
  if (isKept) await exchange.life.until(operate(exchange, "POST", "snapshots", {}));
  if (random.chance(0.3)) await given.setIndex();
  await exchange.end({ disk: random.pick(["kill", "drops-all"] as const), history: "kept" });
  await exchange.start();
  await goOn(world, given, random);
  if (random.chance(0.7)) await given.takeBack();
}

/** A sandbox goes back to them, once others were given. */
export async function standOverRestore(world: Place, random: Random): Promise<void> {
  const { exchange } = world;
  const given = new GivenPrices(exchange, random.pick(TWO_SYMBOLS), random);
  await giveSome(given, random);
  await exchange.operator("POST", "sandbox/checkpoints", { name: "given" });
  if (random.chance(0.5)) await given.takeBack();
  await given.giveOne();
  await exchange.operator("POST", "sandbox/restore", { name: "given" });
  exchange.forget();
  await goOn(world, given, random);
}
