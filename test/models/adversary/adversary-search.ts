/**
 * The search: new plans from strategies, and mutations of those that gained most or reached
 * something new. The first breach ends the search and is shortened.
 */
import { text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { type AdversaryFixture, adversaryFixtures } from "./adversary-fixture.ts";
import { type Played, playEpisode } from "./episode.ts";
import type { EpisodePlan } from "./episode-plan.ts";
import type { Breach } from "./judge.ts";
import { mutated } from "./mutation.ts";
import { newPlan, STRATEGY_NAMES, type StrategyName } from "./strategy.ts";

const NEW_PLAN_CHANCE = 0.5;
const BEST_KEPT = 24;
const CURIOUS_KEPT = 300;

export interface Found extends Breach {
  readonly episode: number;
  readonly origin: string;
  /** The shortened plan and what it came to, line by line. */
  readonly lines: readonly string[];
}

export interface SearchReport {
  readonly found: Found | null;
  readonly episodes: number;
  readonly bestGain: string;
  /** How many episodes reached it. */
  readonly reached: ReadonlyMap<string, number>;
  readonly byOrigin: ReadonlyMap<string, number>;
}

interface Bred {
  readonly plan: EpisodePlan;
  readonly score: number;
}

export class AdversarySearch {
  readonly #random: Random;
  readonly #names: readonly StrategyName[];
  readonly #finders: ReadonlySet<string> | null;
  readonly #fixtures: readonly AdversaryFixture[] = adversaryFixtures();
  readonly #reached = new Map<string, number>();
  readonly #byOrigin = new Map<string, number>();
  /** While nothing moves, and in walks, where the numbers are of another size. */
  readonly #best: readonly [still: Bred[], walking: Bred[]] = [[], []];
  readonly #curious: EpisodePlan[] = [];
  #bestGain: bigint | null = null;

  constructor(
    random: Random,
    names: readonly StrategyName[] = STRATEGY_NAMES,
    finders: ReadonlySet<string> | null = null,
  ) {
    this.#random = random;
    this.#finders = finders;
    this.#names = names;
  }

  run(episodes: number): SearchReport {
    let found: Found | null = null;
    let episode = 0;
    while (episode < episodes && found === null) {
      episode++;
      const plan = this.#nextPlan();
      const played = playEpisode(this.#fixtures, plan, this.#finders);
      this.#learn(plan, played);
      if (played.breach !== null) found = this.#foundBy(plan, played.breach, episode);
    }
    return {
      found,
      episodes: episode,
      bestGain: text(this.#bestGain ?? 0n),
      reached: this.#reached,
      byOrigin: this.#byOrigin,
    };
  }

  #nextPlan(): EpisodePlan {
    const random = this.#random;
    if (this.#curious.length === 0 || random.chance(NEW_PLAN_CHANCE)) {
      return newPlan(random, random.pick(this.#names));
    }
    const best = random.pick(this.#best).map(({ plan }) => plan);
    const parents = best.length > 0 && random.chance(0.5) ? best : this.#curious;
    return mutated(random, random.pick(parents), random.pick(this.#curious));
  }

  #learn(plan: EpisodePlan, { gain, score, reached }: Played): void {
    this.#byOrigin.set(plan.origin, (this.#byOrigin.get(plan.origin) ?? 0) + 1);
    let isNew = false;
    for (const what of reached) {
      const times = this.#reached.get(what) ?? 0;
      if (times === 0) isNew = true;
      this.#reached.set(what, times + 1);
    }
    if (isNew) this.#curious.push(plan);
    if (this.#curious.length > CURIOUS_KEPT) this.#curious.shift();
    if (!plan.ground.walks && (this.#bestGain === null || gain > this.#bestGain)) {
      this.#bestGain = gain;
    }
    // Nothing ventured is nothing gained: such plans would be the best of all for ever.
    if (score === 0) return;
    const best = this.#best[plan.ground.walks ? 1 : 0];
    best.push({ plan, score });
    if (best.length <= BEST_KEPT * 2) return;
    best.sort((one, other) => other.score - one.score);
    best.length = BEST_KEPT;
  }

  #foundBy(plan: EpisodePlan, breach: Breach, episode: number): Found {
    const short = this.#shortened(plan, breach.finder);
    const { breach: last, log } = playEpisode(this.#fixtures, short, this.#finders, true);
    const lines = [
      `ground ${JSON.stringify(short.ground)}`,
      ...short.steps.map((step) => `step ${JSON.stringify(step)}`),
      ...log.map(({ command, atMs, result }) => `${atMs} ${JSON.stringify(command)} ${result}`),
    ];
    return {
      ...breach,
      detail: last?.detail ?? breach.detail,
      episode,
      origin: plan.origin,
      lines,
    };
  }

  /** Without the steps that the breach does not need. */
  #shortened(plan: EpisodePlan, finder: string): EpisodePlan {
    let short = plan;
    const tryOut = (candidate: EpisodePlan): void => {
      const { breach } = playEpisode(this.#fixtures, candidate, this.#finders);
      if (breach?.finder === finder) short = candidate;
    };
    for (const _ of [1, 2]) {
      for (let at = short.steps.length - 1; at >= 0; at--) {
        tryOut({ ...short, steps: short.steps.toSpliced(at, 1) });
      }
    }
    tryOut({ ...short, ground: { ...short.ground, holder: null } });
    tryOut({ ...short, ground: { ...short.ground, maker: "none" } });
    tryOut({ ...short, ground: { ...short.ground, settles: false } });
    return short;
  }
}
