/**
 * What some bring about together because a state is seldom come to by chance. It happens beside the
 * acts of a step, under the same faults, in a part of the seeds; then whoever may see something of
 * it asks. Its randomness is its own.
 */
import { Random } from "../../support/random.ts";
import { askAsAffiliate, checkAffiliate } from "../affiliate-check.ts";
import type { CheckedListener } from "../listener.ts";
import type { Product } from "../orders.ts";
import { checkPublicReadings, checkReadings } from "../readings.ts";
import { type Schedule, stepRandom } from "../schedule.ts";
import { unlessTimePasses } from "../undisturbed.ts";
import { goToTheBrink } from "./brink.ts";
import { endWithdrawal } from "./ended-withdrawals.ts";
import { decideLate } from "./late-decisions.ts";
import { tradeAroundMinute } from "./minute-trades.ts";
import { moveInARow } from "./moves.ts";
import { readBetween } from "./reads-between.ts";
import { rush } from "./rush.ts";
import type { World } from "./world.ts";

interface Aim {
  readonly weight?: number;
  /** Whether a seed has what it needs. */
  readonly isPossible: (schedule: Schedule, products: readonly Product[]) => boolean;
  /** A list is of those who listened to what it was about. */
  readonly act: (world: World, random: Random) => Promise<unknown>;
  /** What is asked behind it. */
  readonly targets?: readonly string[];
  readonly isOfAffiliates?: boolean;
}

const always = () => true;

const AIMS: Readonly<Record<string, Aim>> = {
  brink: {
    weight: 3,
    isPossible: (_, products) => products.includes("contract"),
    act: goToTheBrink,
    targets: ["POST /capi/v3/account/income", "GET /capi/v3/userTrades"],
  },
  "late-decisions": {
    isPossible: ({ hasAffiliates }) => hasAffiliates,
    act: decideLate,
    isOfAffiliates: true,
  },
  "minute-trades": { isPossible: always, act: tradeAroundMinute },
  moves: {
    isPossible: always,
    act: moveInARow,
    targets: ["GET /api/v3/account/transferRecords"],
  },
  "reads-between": { isPossible: always, act: readBetween },
  rush: { weight: 4, isPossible: always, act: rush },
  "ended-withdrawals": {
    isPossible: (_, products) => products.includes("spot"),
    act: endWithdrawal,
  },
};

/** Of a step, by seeds: some go deep, as one aim goes on where another one ended. */
const RATES = [0, 0.1, 0.7];
/** Of the kinds, by seeds. */
const SHARES = [0.3, 0.6, 1];

export interface DrawnAim extends Aim {
  readonly name: string;
  readonly random: Random;
  listeners: readonly CheckedListener[];
}

/** Null in most steps. */
export function aimOf(
  schedule: Schedule,
  products: readonly Product[],
  step: number,
): DrawnAim | null {
  const own = new Random(schedule.seed ^ 0x428a2f98);
  const rate = own.pick(RATES);
  const share = own.pick(SHARES);
  const names = Object.keys(AIMS).filter(() => own.chance(share));
  const random = stepRandom(schedule.seed ^ 0x59f111f1, step);
  const possible = names.flatMap((name) => {
    const { isPossible, weight = 1 } = AIMS[name] ?? {};
    return isPossible?.(schedule, products) === true
      ? Array.from({ length: weight }, () => name)
      : [];
  });
  if (!random.chance(rate) || possible.length === 0) return null;
  const name = random.pick(possible);
  const aim = AIMS[name];
  return aim === undefined ? null : { ...aim, name, random, listeners: [] };
}

export async function pursue(aim: DrawnAim, world: World): Promise<void> {
  const listeners = await aim.act(world, aim.random);
  aim.listeners = Array.isArray(listeners) ? (listeners as CheckedListener[]) : [];
}

/** Questions of each behind an aim, and of one behind any step. */
const TARGETED = 2;
const UNTARGETED = 1;
/** Of market data, which needs no step of its own, behind one in so many. */
const PUBLIC_EVERY = 4;

/** Asks for what an aim was about and for anything else. Of an exchange that nobody writes to. */
export async function askAround(
  { exchange, products, traders }: World,
  aim: DrawnAim | null,
  random: Random,
): Promise<void> {
  if (aim?.isOfAffiliates === true) {
    for (const trader of traders) await unlessTimePasses(exchange, () => checkAffiliate(trader));
    for (const trader of traders) await askAsAffiliate(trader);
  }
  const { listeners = [], targets } = aim ?? {};
  for (const listener of listeners) await unlessTimePasses(exchange, () => listener.check());
  if (targets !== undefined) {
    const product = targets[0]?.includes("/capi/") === true ? "contract" : random.pick(products);
    for (const trader of traders) await checkReadings(trader, product, TARGETED, targets);
  }
  await checkReadings(random.pick(traders), random.pick(products), UNTARGETED);
  await askAsAffiliate(random.pick(traders), UNTARGETED);
  const isTurn = exchange.story.sequence % PUBLIC_EVERY === 0;
  if (isTurn) await checkPublicReadings(traders, products, UNTARGETED);
}
