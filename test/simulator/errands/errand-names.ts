/** Which errands a seed has. */
import { Random } from "../../support/random.ts";

/** Of what each draws for a seed. */
export const ERRAND_KEYS = {
  funding: 0x1d3c5a77,
  keys: 0x27b70a85,
  approvals: 0x5be0cd19,
  index: 0x38d01377,
  webhooks: 0x428a2f98,
  subscriptions: 0x9b05688c,
} as const;

export type ErrandName = keyof typeof ERRAND_KEYS;

/** Of all seeds. */
const SHARE = 0.3;

export function errandNamesOf(seed: number): readonly ErrandName[] {
  const names = Object.keys(ERRAND_KEYS) as ErrandName[];
  return names.filter((name) => new Random(seed ^ ERRAND_KEYS[name]).chance(SHARE));
}
