/**
 * Strategies: the plans that a thief would start with, each with random numbers, and none of the
 * numbers fixed that the search should find itself. The first six robbed an exchange with the older
 * rules; the others are ideas for robbing this one.
 */
import type { Random } from "../../support/random.ts";
import { BLOCK_NAMES } from "./building-block.ts";
import {
  type BlockName,
  type EpisodePlan,
  type Ground,
  MAKER_MODES,
  type Step,
} from "./episode-plan.ts";
import { numberOf, numberOfWait } from "./offset.ts";

type Fixed = Partial<Omit<Step, "block">>;

interface Sketch {
  readonly ground?: Partial<Ground>;
  readonly steps: readonly Step[];
}

type Strategy = (random: Random) => Sketch;

const RANDOM_STEPS_MAX = 14;
const EXTRA_STEP_CHANCE = 0.25;
/** Of the exchanges: without fees, with a breaker, with fees, with an index from a spot market. */
const PLAIN_FIXTURES = [0, 0, 0, 1, 2] as const;
const SPOT_FIXTURE = 3;
const WALKS_CHANCE = 0.35;

function step(random: Random, block: BlockName, fixed: Fixed = {}): Step {
  return {
    block,
    who: random.pick([0, 1, 2] as const),
    market: random.pick([0, 0, 0, 1] as const),
    isLong: random.chance(0.5),
    ...{ x: random.next(), y: random.next(), z: random.next() },
    ...fixed,
  };
}

/** A distance about as far: a place between the two, in the direction of the sign. */
function between(random: Random, low: number, high: number): number {
  return numberOf(low + (high - low) * random.next());
}

const ALL = 0.1;
const ISOLATED = { isolated: [true, true, true], separated: [false, false, false] } as const;
const AT_MOST = { leverage: [1, 1, 1] } as const;
const CROSS = { isolated: [false, false, false], separated: [false, false, false] } as const;

export const STRATEGIES = {
  "sell down a thin book": (random) => {
    const isLong = random.chance(0.5);
    const market = random.pick([0, 0, 1] as const);
    const far = isLong ? -1 : 1;
    const at = { market, isLong };
    return {
      ground: { walks: false, maker: "none", ...ISOLATED, ...AT_MOST },
      steps: [
        // A little at a good price, which is what the check looks at; the bulk far down.
        step(random, "rest", {
          ...at,
          who: 1,
          x: between(random, 0, far * 0.003),
          y: 0.99,
          z: 0.5,
        }),
        step(random, "rest", { ...at, who: 1, x: between(random, 0, far * 0.05), y: ALL, z: 0.5 }),
        step(random, "take", { ...at, isLong: !isLong, who: 0, y: ALL, z: random.next() * 0.6 }),
        step(random, "ladder", { market, isLong: !isLong, who: 1 }),
        step(random, "wait", { x: numberOfWait(1_000) }),
      ],
    };
  },

  "an order rests while the mark moves": (random) => {
    const isLong = random.chance(0.5);
    const market = random.pick([0, 0, 1] as const);
    const sign = isLong ? 1 : -1;
    return {
      ground: { walks: random.chance(0.5), maker: "none", ...ISOLATED, ...AT_MOST },
      steps: [
        step(random, "quote", { market, x: between(random, 0, sign * 0.01), z: 0.4 }),
        step(random, "wait"),
        step(random, "pull", { y: 0.1, x: 0.1 }),
        step(random, "rest", {
          market,
          isLong,
          who: 0,
          x: between(random, 0, sign * 0.03),
          y: ALL,
          z: 0.5,
        }),
        random.chance(0.5)
          ? step(random, "index", {
              market,
              x: isLong ? random.next() * 0.5 : 0.5 + random.next() * 0.5,
            })
          : step(random, "quote", { market, who: 1, x: between(random, 0, -sign * 0.01), z: 0.4 }),
        step(random, "wait"),
        step(random, "take", { market, isLong: !isLong, who: 1, y: ALL, z: 0.1 }),
        step(random, "ladder", { market, isLong, who: 1 }),
        step(random, "wait", { x: numberOfWait(31_000) }),
      ],
    };
  },

  "a second of quotes": (random) => {
    const isLong = random.chance(0.5);
    const market = random.pick([0, 0, 1] as const);
    return {
      ground: {
        walks: false,
        maker: random.pick(["none", "none", "thin"] as const),
        holder: {
          ...{ market, isLong, isIsolated: random.chance(0.7) },
          leverage: random.pick([1, 1, 0.5]),
        },
      },
      steps: [
        step(random, "quote", { market, x: between(random, 0, isLong ? -0.02 : 0.02) }),
        step(random, random.pick(["wait", "far-quote"] as const), { market }),
        step(random, "wait", { x: numberOfWait(1_000) }),
        step(random, "ladder", { market, isLong }),
        step(random, "wait"),
      ],
    };
  },

  "dust in the spot book": (random) => {
    const isLong = random.chance(0.5);
    return {
      ground: {
        ...{ fixture: SPOT_FIXTURE, walks: false, maker: "none", spotMaker: random.chance(0.3) },
        holder: {
          market: 0,
          isLong,
          isIsolated: random.chance(0.5),
          leverage: random.pick([0.1, 1, 0.2]),
        },
      },
      steps: [
        step(random, "spot-quote", { market: 0, x: between(random, 0, isLong ? -0.05 : 0.05) }),
        step(random, "wait"),
        step(random, "spot-take", { market: 0 }),
        step(random, "wait"),
        step(random, "ladder", { market: 0, isLong }),
      ],
    };
  },

  "bids deep below a fall": (random) => {
    const isLong = random.chance(0.5);
    const market = random.pick([0, 0, 1] as const);
    const falls = isLong ? random.next() * 0.4 : 0.6 + random.next() * 0.4;
    return {
      ground: { walks: true, maker: "none", leverage: [1, 1, random.next()], ...ISOLATED },
      steps: [
        step(random, "pair", {
          market,
          isLong,
          who: 0,
          x: between(random, -0.003, 0.003),
          y: ALL,
          z: 0.1,
        }),
        step(random, "ladder", { market, isLong, who: 1, y: between(random, 0.005, 0.05) }),
        step(random, "index", { market, x: falls }),
        step(random, "wait"),
      ],
    };
  },

  "a cross account closes to a friend": (random) => {
    const isLong = random.chance(0.5);
    const market = random.pick([0, 0, 1] as const);
    const sign = isLong ? -1 : 1;
    return {
      ground: { walks: false, maker: "none", ...CROSS, leverage: [1, 1, 1] },
      steps: [
        step(random, "pair", {
          market,
          isLong,
          who: 0,
          x: between(random, -0.001, 0.001),
          y: ALL,
          z: 0.1,
        }),
        // With no more in the wallet than the position needs.
        step(random, "transfer", { who: 0, isLong: true, x: random.next() / 2 }),
        step(random, "ladder", {
          market,
          isLong,
          who: 1,
          x: between(random, 0.03, 0.05),
          y: between(random, 0.04, 0.05),
          z: random.next(),
        }),
        step(random, "take-close", {
          market,
          isLong,
          who: 0,
          x: between(random, sign * 0.04, sign * 0.05),
          y: random.next(),
        }),
        step(random, "wait", { x: numberOfWait(1_000) }),
      ],
    };
  },

  "opened where it is nearly due": (random) => {
    const isLong = random.chance(0.5);
    const market = random.pick([0, 1] as const);
    const sign = isLong ? 1 : -1;
    return {
      ground: { walks: false, maker: "none", ...AT_MOST },
      steps: [
        step(random, random.pick(["quote", "far-quote"] as const), {
          market,
          x: between(random, 0, sign * 0.01),
          z: 0.4,
        }),
        step(random, "wait"),
        step(random, "pull", { y: 0.1, x: 0.1 }),
        step(random, "pair", {
          market,
          isLong,
          who: 0,
          x: between(random, 0, sign * 0.05),
          y: ALL,
          z: 0.1,
        }),
        step(random, random.pick(["quote", "far-quote", "wait"] as const), {
          market,
          who: 1,
          x: between(random, 0, -sign * 0.01),
          z: 0.4,
        }),
        step(random, "ladder", { market, isLong, who: 1 }),
        step(random, "wait"),
        step(random, "wait"),
      ],
    };
  },

  "two contracts, one equity": (random) => {
    const isLong = random.chance(0.5);
    const sign = isLong ? 1 : -1;
    return {
      ground: { walks: random.chance(0.3), maker: "none", ...CROSS, ...AT_MOST },
      steps: [
        step(random, "pair", {
          market: 0,
          isLong,
          who: 0,
          y: random.next(),
          x: between(random, 0, sign * 0.006),
          z: 0.1,
        }),
        step(random, "pair", {
          market: 1,
          who: 0,
          y: random.next(),
          x: between(random, -0.02, 0.02),
          z: 0.1,
        }),
        step(random, "quote", { x: between(random, -0.01, 0.01), z: 0.4 }),
        step(random, "ladder", { market: 0, isLong, who: 1 }),
        step(random, "ladder", { market: 1, who: 1 }),
        step(random, "index"),
        step(random, "take-close", { who: 0 }),
        step(random, "wait"),
      ],
    };
  },

  "who is deleveraged": (random) => {
    const isLong = random.chance(0.5);
    const market = random.pick([0, 1] as const);
    return {
      ground: {
        walks: random.chance(0.7),
        leverage: [1, random.next(), random.next()],
        holder: { market, isLong: !isLong, isIsolated: true, leverage: random.pick([0.2, 0.5, 1]) },
      },
      steps: [
        step(random, "pair", {
          market,
          isLong,
          who: 0,
          x: between(random, -0.006, 0.006),
          y: random.next(),
          z: 0.1,
        }),
        step(random, "pair", {
          market,
          isLong,
          who: 2,
          x: between(random, -0.006, 0.006),
          y: random.next(),
          z: 0.1,
        }),
        step(random, "take-close", { market, isLong: !isLong, who: 1 }),
        step(random, "index", { market }),
        step(random, "quote", { market, z: 0.4 }),
        step(random, "wait"),
        step(random, "wait"),
      ],
    };
  },

  "over the hour": (random) => {
    const isLong = random.chance(0.5);
    const market = random.pick([0, 1] as const);
    const fall = () =>
      step(random, "index", { market, x: isLong ? 0.1 * random.next() : 1 - 0.1 * random.next() });
    return {
      ground: { fixture: 1, walks: true, maker: "none", ...AT_MOST, ...ISOLATED },
      steps: [
        step(random, "pair", { market, isLong, who: 0, x: numberOf(0), y: ALL, z: 0.1 }),
        step(random, "pair", { market, isLong, who: 2, x: numberOf(0), y: ALL, z: 0.1 }),
        step(random, "ladder", { market, isLong, who: 1 }),
        fall(),
        step(random, "wait", { x: numberOfWait(39_600) }),
        step(random, "pair", { market, isLong, who: 0, x: numberOf(0), y: ALL, z: 0.1 }),
        step(random, "ladder", { market, isLong, who: 1 }),
        fall(),
        step(random, "wait"),
      ],
    };
  },

  "anything at all": (random) => ({
    steps: Array.from({ length: random.integer(4, RANDOM_STEPS_MAX) }, () =>
      step(random, random.pick(BLOCK_NAMES)),
    ),
  }),
} satisfies Record<string, Strategy>;

export type StrategyName = keyof typeof STRATEGIES;
export const STRATEGY_NAMES = Object.keys(STRATEGIES) as readonly StrategyName[];

export function newPlan(random: Random, origin: StrategyName): EpisodePlan {
  const sketch: Sketch = STRATEGIES[origin](random);
  const steps: Step[] = [];
  for (const planned of sketch.steps) {
    if (random.chance(EXTRA_STEP_CHANCE)) steps.push(randomStep(random));
    steps.push(planned);
  }
  return { origin, ground: { ...randomGround(random), ...sketch.ground }, steps };
}

export function randomStep(random: Random): Step {
  return step(random, random.pick(BLOCK_NAMES));
}

function randomGround(random: Random): Ground {
  const walks = random.chance(WALKS_CHANCE);
  const holder = {
    market: random.pick([0, 1] as const),
    isLong: random.chance(0.5),
    isIsolated: random.chance(0.5),
    leverage: random.pick([1, 0.5, 0.1]),
  };
  return {
    fixture: random.pick(PLAIN_FIXTURES),
    walks,
    holder: random.chance(0.6) ? holder : null,
    maker: random.pick(MAKER_MODES),
    spread: random.pick([0, 0.0002, 0.002, 0.01]),
    spotMaker: random.chance(0.3),
    isolated: [random.chance(0.5), random.chance(0.5), random.chance(0.5)],
    separated: [random.chance(0.2), random.chance(0.2), random.chance(0.2)],
    leverage: [random.pick([1, 1, 0.5]), random.pick([1, 0.2]), random.pick([1, 0.5, 0.1])],
    settles: random.chance(0.6),
  };
}
