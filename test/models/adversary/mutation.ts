/** New plans from existing ones: a number changes a little, a step moves, two plans are joined. */
import type { Random } from "../../support/random.ts";
import { type EpisodePlan, MAKER_MODES, type Step } from "./episode-plan.ts";
import { randomStep } from "./strategy.ts";

const STEPS_MAX = 22;

export function mutated(random: Random, plan: EpisodePlan, partner: EpisodePlan): EpisodePlan {
  let steps = [...plan.steps];
  let { ground } = plan;
  for (let changes = random.pick([1, 1, 2, 4]); changes > 0; changes--) {
    const at = random.integer(0, Math.max(0, steps.length - 1));
    const old = steps[at];
    const kind = random.integer(0, 11);
    if (kind <= 5 && old !== undefined) steps[at] = moved(random, old);
    else if (kind === 6) steps.splice(at, 0, randomStep(random));
    else if (kind === 7 && steps.length > 1) steps.splice(at, 1);
    else if (kind === 8 && old !== undefined) steps.splice(at, 0, moved(random, old));
    else if (kind === 9) steps = random.shuffle([...steps.slice(at)]).concat(steps.slice(0, at));
    else if (kind === 10) steps = [...steps.slice(0, at + 1), ...partner.steps.slice(at)];
    else ground = otherGround(random, ground);
  }
  // The two would be other games: what a walk costs honest accounts is nobody's theft.
  return { origin: plan.origin, ground, steps: steps.slice(0, STEPS_MAX) };
}

function moved(random: Random, step: Step): Step {
  const near = (number: number): number => {
    const next = random.chance(0.4) ? random.next() : number + (random.next() - 0.5) * 0.1;
    return Math.min(0.999_999, Math.max(0, next));
  };
  switch (random.integer(0, 6)) {
    case 0:
      return { ...step, who: random.pick([0, 1, 2] as const) };
    case 1:
      return { ...step, isLong: !step.isLong };
    case 2:
      return { ...step, market: step.market === 0 ? 1 : 0 };
    case 3:
      return { ...step, z: near(step.z) };
    case 4:
      return { ...step, y: near(step.y) };
    default:
      return { ...step, x: near(step.x) };
  }
}

function otherGround(random: Random, ground: EpisodePlan["ground"]): EpisodePlan["ground"] {
  const who = random.integer(0, 2);
  switch (random.integer(0, 4)) {
    case 0:
      return { ...ground, maker: random.pick(MAKER_MODES), spread: random.pick([0, 0.001, 0.01]) };
    case 1:
      return { ...ground, settles: !ground.settles };
    case 2:
      return { ...ground, isolated: flipped(ground.isolated, who) };
    case 3:
      return { ...ground, separated: flipped(ground.separated, who) };
    default:
      return { ...ground, holder: null };
  }
}

function flipped(flags: readonly [boolean, boolean, boolean], at: number) {
  return flags.map((flag, i) => (i === at ? !flag : flag)) as [boolean, boolean, boolean];
}
