/**
 * What some seeds have beside the acts of a step, under the same faults: money that comes from
 * networks and leaves for them, keys that operators change, what one operator proposes and another
 * decides, a contract whose index comes from spot, webhooks that are told of it, and channels that
 * are left and subscribed to again. Seeds and steps draw from a randomness of their own, which
 * leaves the draws of everything else alone.
 */
import { Random } from "../../support/random.ts";
import type { World } from "../aims/world.ts";
import { stepRandom } from "../schedule.ts";
import type { Wire } from "../simulated-exchange.ts";
import { checkApprovals, seekApproval } from "./approvals.ts";
import { changeKeys, checkKeys } from "./changed-keys.ts";
import { type ErrandName, errandNamesOf } from "./errand-names.ts";
import { moveFunding } from "./funding.ts";
import { checkFunding } from "./funding-check.ts";
import { moveSpotIndex } from "./spot-index.ts";
import { checkSpotIndex } from "./spot-index-check.ts";
import { changeSubscriptions, checkSubscriptions } from "./subscriptions.ts";
import { checkWebhooks } from "./webhook-check.ts";
import { operateWebhooks } from "./webhooks.ts";

interface Errand {
  /** Of what it draws for a step. */
  readonly key: number;
  readonly act: (world: World, random: Random, wire: Wire | undefined) => Promise<unknown>;
  /** Behind a step with it, when nobody sends anything. */
  readonly check: (world: World, random: Random) => Promise<void>;
}

const ERRANDS: Readonly<Record<ErrandName, Errand>> = {
  funding: { key: 0x6c44198c, act: moveFunding, check: checkFunding },
  keys: { key: 0x2e1b2138, act: changeKeys, check: checkKeys },
  approvals: { key: 0x3c6ef372, act: seekApproval, check: checkApprovals },
  index: { key: 0x4a7484aa, act: moveSpotIndex, check: checkSpotIndex },
  webhooks: { key: 0x3956c25b, act: operateWebhooks, check: checkWebhooks },
  subscriptions: { key: 0xa54ff53a, act: changeSubscriptions, check: checkSubscriptions },
};

/** Of a seed's steps. */
const RATES = [0.3, 0.6, 1];

export interface DrawnErrand {
  readonly name: ErrandName;
  readonly act: (world: World, wire: Wire | undefined) => Promise<unknown>;
  readonly check: (world: World) => Promise<void>;
}

export function errandsOf(seed: number, step: number): readonly DrawnErrand[] {
  return errandNamesOf(seed).flatMap((name) => {
    const { act, check, key } = ERRANDS[name];
    const random = stepRandom(seed ^ key, step);
    const rate = new Random(seed ^ key).pick(RATES);
    if (!random.chance(rate)) return [];
    const checkRandom = stepRandom(~(seed ^ key), step);
    return [
      {
        name,
        act: (world: World, wire: Wire | undefined) => act(world, random, wire),
        check: (world: World) => check(world, checkRandom),
      },
    ];
  });
}
