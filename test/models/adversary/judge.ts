/**
 * The conditions that every episode must meet, checked from the events and the final holdings. They
 * are the purpose of the rules and are not derived from the rules' own code.
 */
import type { Event, EventOf } from "../../../src/protocol/index.ts";
import { text } from "../../support/exact.ts";
import {
  DRAW_LIMIT_E8,
  HAND,
  HOLDER,
  HONEST,
  type Listing,
  MAKER,
  SLIPPAGE_E8,
} from "./adversary-fixture.ts";
import type { EpisodeRun } from "./episode-run.ts";
import { fundBalance, wealthOf } from "./joint-wealth.ts";

const ONE_E8 = 100_000_000n;
const HOUR_MS = 3_600_000;
/** Minor units of 10^-8, in parts of 10^18. */
const MINOR = 10n ** 10n;
/** Rounding of one liquidation fill, in minor units. */
const FILL_ROUNDING = 4n;
/** What an honest spot maker's spread lets the index wander. */
const SPOT_SPREAD = 0.0004;

export interface Breach {
  readonly finder: string;
  readonly detail: string;
}

export interface Verdict {
  readonly breach: Breach | null;
  /** What the hand has gained, without funding, in parts of 10^18. */
  readonly gain: bigint;
  /** The gain less what honest accounts lost by the walk: what plans are bred for. */
  readonly score: number;
}

/** A draw on the fund in one hour, of one contract. */
interface HourOfDraws {
  readonly baseMinor: bigint;
  drawnMinor: bigint;
}

/** A liquidation under way: what it may cost the fund, and what it has. */
interface Case {
  readonly uid: number;
  readonly holeMinor: bigint;
  allowedMinor: bigint;
  paidMinor: bigint;
}

const ROLES = new Map<number, string>([
  ...HAND.map((uid): [number, string] => [uid, "hand"]),
  [MAKER, "maker"],
  [HOLDER, "holder"],
]);

export class Judge {
  /** What the episode reached, for the histogram and for the choice of plans to go on with. */
  readonly reached = new Set<string>();
  #run: EpisodeRun | null = null;
  #handBefore = 0n;
  #honestBefore = 0n;
  #fundBefore = 0n;
  #breach: Breach | null = null;
  #timeMs = 0;
  /** Funding that the hand received, that honest accounts received, in minor units. */
  readonly #funding: [hand: bigint, honest: bigint] = [0n, 0n];
  /** Fees that the hand paid: what the fund may pay for slippage, and for the fee of closing. */
  #handFeesMinor = 0n;
  readonly #draws = new Map<string, HourOfDraws>();
  /** What is looked for; null for everything. */
  readonly #finders: ReadonlySet<string> | null;
  #case: Case | null = null;
  /** Who was filled in this command, at the mark that is still the same. */
  readonly #filled = new Set<number>();
  #lastTrade: EventOf<"contract-trade"> | null = null;

  constructor(finders: ReadonlySet<string> | null) {
    this.#finders = finders;
  }

  begin(run: EpisodeRun): void {
    this.#run = run;
    this.#handBefore = wealthOf(run, HAND);
    this.#honestBefore = wealthOf(run, HONEST);
    this.#fundBefore = fundBalance(run);
  }

  readonly observe = (event: Event): void => {
    switch (event.type) {
      case "command-applied":
      case "timer-fired":
        this.#timeMs = event.timestampMs;
        this.#filled.clear();
        return;
      case "contract-prices-changed":
        this.#priced(event);
        return;
      case "contract-trade":
        this.#lastTrade = event;
        this.#traded(event);
        return;
      case "liquidation-started":
        this.#started(event);
        return;
      case "liquidation-settled":
        this.#settled(event);
        return;
      case "liquidation-finished":
        this.#finished();
        return;
      case "funding-moved": {
        const side = ROLES.get(event.uid) === "hand" ? 0 : 1;
        this.#funding[side] += event.deltaMinor;
        this.reached.add(`funding: ${ROLES.get(event.uid)}`);
        return;
      }
      case "contract-order-ended":
        this.reached.add(`ended: ${event.reason} ${event.timeInForce} ${event.origin}`);
        return;
      default:
        this.reached.add(event.type);
    }
  };

  #listing(symbol: string): Listing {
    const listing = this.#run?.fixture.listings.find((one) => one.symbol === symbol);
    if (listing === undefined) throw new Error(`${symbol} is not listed`);
    return listing;
  }

  #found(finder: string, detail: string): void {
    if (this.#finders?.has(finder) === false) return;
    this.#breach ??= { finder, detail };
  }

  #priced({ symbol, indexTicks, markTicks }: EventOf<"contract-prices-changed">): void {
    const run = this.#run;
    this.#filled.clear();
    if (run === null) return;
    const listing = this.#listing(symbol);
    const far = Math.abs(markTicks - indexTicks) / indexTicks;
    this.reached.add(`mark ${Math.ceil(far * 2_000) / 20} % from the index`);
    if (far > markBound(listing)) {
      this.#found("mark", `${symbol}: mark ${markTicks} is too far from index ${indexTicks}`);
    }
    if (run.ground.walks) return;
    const moved = Math.abs(indexTicks - listing.indexTicks) / listing.indexTicks;
    if (moved > 0) this.reached.add(`index moved ${Math.ceil(moved * 10_000) / 100} %`);
    if (moved > SPOT_SPREAD) this.#found("index", `${symbol}: the index went to ${indexTicks}`);
  }

  #traded(trade: EventOf<"contract-trade">): void {
    const { kind, maker, taker } = trade;
    for (const { uid, feeMinor } of [maker, taker]) {
      if (ROLES.get(uid) === "hand") this.#handFeesMinor += feeMinor;
      if (kind === "book") this.#filled.add(uid);
    }
    const side = (fill: typeof maker) =>
      `${ROLES.get(fill.uid)} ${fill.isClosing ? "closes" : "opens"}`;
    this.reached.add(`${kind}: ${side(taker)} with ${side(maker)}`);
  }

  #started({ uid, equityMinor, marginType, symbol }: EventOf<"liquidation-started">): void {
    this.reached.add(`liquidation: ${ROLES.get(uid)} ${marginType} ${symbol}`);
    const holeMinor = equityMinor < 0n ? -equityMinor : 0n;
    this.#case = { uid, holeMinor, allowedMinor: holeMinor, paidMinor: 0n };
    if (holeMinor > 0n) this.reached.add("liquidation: below nothing at the mark");
    if (this.#filled.has(uid)) this.#found("due-by-fill", `uid ${uid} is due by its own fill`);
    if (ROLES.get(uid) === "hand" || this.#run?.ground.walks !== false) return;
    this.#found("honest-liquidation", `uid ${uid} of ${ROLES.get(uid)} while nothing moved`);
  }

  /** What the fund pays is at most the hole at the mark, the slippage and the closing fee. */
  #settled(event: EventOf<"liquidation-settled">): void {
    const { symbol, feeMinor, insurancePaidMinor: paidMinor } = event;
    const trade = this.#lastTrade;
    const open = this.#case;
    if (paidMinor > 0n) this.#drawn(event);
    if (trade === null || open === null) return;
    const { markTicks } = this.#run?.prices.get(symbol) ?? { markTicks: 0 };
    const valueMinor = (trade.valueMinor * BigInt(markTicks)) / BigInt(trade.priceTicks);
    const slippageMinor = (valueMinor * SLIPPAGE_E8) / ONE_E8;
    open.allowedMinor += slippageMinor + feeMinor + FILL_ROUNDING;
    open.paidMinor += paidMinor;
  }

  #finished(): void {
    const open = this.#case;
    this.#case = null;
    if (open === null || open.paidMinor <= open.allowedMinor) return;
    const { uid, paidMinor, allowedMinor } = open;
    this.#found(
      "liquidation-cost",
      `the fund paid ${paidMinor} for uid ${uid}, at most ${allowedMinor} was to be paid`,
    );
  }

  #drawn(event: EventOf<"liquidation-settled">): void {
    const { symbol, insurancePaidMinor, liquidationFeeMinor, insuranceMinor } = event;
    this.reached.add(`fund pays for ${symbol}`);
    if (this.#run?.fixture.form.hasBreaker !== true) return;
    const key = `${symbol} ${Math.floor(this.#timeMs / HOUR_MS)}`;
    let hour = this.#draws.get(key);
    if (hour === undefined) {
      const baseMinor = insuranceMinor + insurancePaidMinor - liquidationFeeMinor;
      hour = { baseMinor, drawnMinor: 0n };
      this.#draws.set(key, hour);
    }
    hour.drawnMinor += insurancePaidMinor;
    const limitMinor = (hour.baseMinor * DRAW_LIMIT_E8) / ONE_E8;
    if (hour.drawnMinor * 2n > limitMinor) this.reached.add("half of the hour's limit is drawn");
    if (hour.drawnMinor <= limitMinor) return;
    this.#found("draw-limit", `${symbol}: ${hour.drawnMinor} in an hour, limit ${limitMinor}`);
  }

  end(): Verdict {
    const run = this.#run;
    if (run === null) throw new Error("the episode has not begun");
    const { walks } = run.ground;
    const gain = wealthOf(run, HAND) - this.#handBefore - this.#funding[0] * MINOR;
    const honest = wealthOf(run, HONEST) - this.#honestBefore - this.#funding[1] * MINOR;
    const fund = fundBalance(run) - this.#fundBefore;
    const fees = this.#handFeesMinor * MINOR;
    if (!walks) {
      if (gain > 0n) this.#found("joint-gain", `the hand has ${text(gain)} more`);
      if (honest < 0n) this.#found("honest-wealth", `honest accounts have ${text(honest)} less`);
      if (fund + fees < 0n) this.#found("fund", `the fund has ${text(fund)} less`);
    }
    // What honest accounts lost in a walk, the market took; the rest can only be the fund's.
    const beyond = walks ? gain + honest : gain;
    if (run.fixture.form.hasBreaker && walks) {
      let limitMinor = 0n;
      for (const { baseMinor } of this.#draws.values()) {
        limitMinor += (baseMinor * DRAW_LIMIT_E8) / ONE_E8;
      }
      if (beyond > limitMinor * MINOR) {
        this.#found("walk-gain", `${text(beyond)} more than honest accounts lost`);
      }
    }
    return { breach: this.#breach, gain, score: Number(beyond / MINOR) / 1e8 };
  }
}

/** Half a percent, or half of what the highest leverage leaves above maintenance; a tick more. */
function markBound({ maxLeverage, maintenanceE8, indexTicks }: Listing): number {
  const half = (1e8 / maxLeverage - maintenanceE8) / 2;
  return Math.min(500_000, half) / 1e8 + 1 / indexTicks;
}
