/**
 * Trees of affiliates that are joined to others above them, in any order: they end on the lowest
 * level that there may be, or one beside it. What is no tree, or not the first parent, is refused,
 * also behind every start.
 */
import { affiliateRates } from "../affiliate-acts.ts";
import { askAsAffiliate } from "../affiliate-check.ts";
import { COMMISSION_READINGS } from "../commission-readings.ts";
import { operate } from "../operate.ts";
import { askOperator } from "../operator-check.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { AgainBehindStarts } from "./again-behind-starts.ts";
import { fundReferral, type Referral, someReferral, tradeOfReferral } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const DEPTH_MAX = 10;
const LEVELS_MAX = 5;
const BRANCHES_MAX = 3;

/** What was last asked for of places in the trees, the refused with the others. */
interface Asked {
  readonly moves: readonly (readonly [uid: number, parentUid: number])[];
}

export const askedMoves = new AgainBehindStarts(async (exchange, { moves }: Asked) => {
  for (const [uid, parentUid] of moves) await exchange.life.until(put(exchange, uid, parentUid));
});

function put(exchange: SimulatedExchange, uid: number, parentUid: number): Promise<unknown> {
  const rates = { spotRate: "0.1", futuresRate: "0.2" };
  return operate(exchange, "PUT", `affiliates/${uid}`, { ...rates, parentUid });
}

/** From the highest one down to the lowest; others may be beside these. */
interface Tree {
  readonly levels: readonly number[];
  readonly height: number;
}

export const deepTrees: Scene = async (stage) => {
  const { exchange, random } = stage;
  const referral = random.chance(0.4) ? await someReferral(stage) : null;
  const lower = referral === null ? null : treeAbove(stage, referral);
  const joined = lower ?? (await newTree(stage, random.integer(2, LEVELS_MAX)));
  const beyond = random.pick([-1, 0, 0, 1, 1, 2]);
  const upper = await newTree(stage, Math.max(1, DEPTH_MAX + beyond - joined.height));
  const [top = 0] = joined.levels;
  const moves: (readonly [number, number])[] = [];
  const move = async (uid: number, parentUid: number): Promise<void> => {
    moves.push([uid, parentUid]);
    await stage.do(put(exchange, uid, parentUid));
  };
  await move(top, upper.levels.at(-1) ?? 0);
  const room = upper.levels.length - Math.max(0, beyond) - random.pick([0, 0, 1]);
  if (beyond > 0 && room > 0) await move(top, upper.levels[room - 1] ?? 0);
  const lowest = joined.levels.at(-1) ?? 0;
  const [first, second] = [await newUser(stage), await newUser(stage)];
  const others = [
    [first, lowest],
    [second, first],
    [upper.levels[0] ?? 0, lowest],
    [upper.levels[0] ?? 0, upper.levels[0] ?? 0],
    [lowest, upper.levels[0] ?? 0],
    [top, upper.levels.at(-1) ?? 0],
  ] as const;
  for (const [uid, parentUid] of random.shuffle([...others]).slice(0, 4)) {
    await move(uid, parentUid);
  }
  // A circle that is not too deep as well.
  const { levels } = await newTree(stage, random.integer(2, 4));
  await move(levels[0] ?? 0, levels.at(-1) ?? 0);
  askedMoves.keep(exchange, { moves });
  await stage.look();
  const { affiliates } = COMMISSION_READINGS;
  if (affiliates !== undefined) await askOperator(exchange, (known) => affiliates(known, random));
  if (referral !== null) await tradeBelow(stage, referral);
  if (random.chance(0.5)) await stage.operate("POST", "snapshots", {});
};

/** All above the affiliate of the referral; its height counts others below the highest one. */
function treeAbove({ exchange }: Stage, { trader }: Referral): Tree | null {
  const { programme } = exchange.story.affiliates;
  const direct = programme.directAffiliate(trader.uid);
  if (direct === null) return null;
  const levels = programme.ancestry(direct).map(({ uid }) => uid);
  const top = levels.at(-1) ?? direct;
  return { levels: levels.reverse(), height: programme.height(top) };
}

/** Whoever is below somebody comes there before or after those below and above have met. */
async function newTree(stage: Stage, height: number): Promise<Tree> {
  const { random } = stage;
  const levels: number[] = [];
  while (levels.length < height) levels.push(await newAffiliate(stage));
  const links = levels.slice(1).map((uid, index) => [uid, levels[index] ?? 0] as const);
  for (let count = random.integer(0, BRANCHES_MAX); count > 0 && height > 2; count--) {
    // No level deeper than the lowest.
    const at = random.integer(0, height - 2);
    links.push([await newAffiliate(stage), levels[at] ?? 0]);
  }
  for (const [uid, parentUid] of random.shuffle(links)) {
    const body = { ...affiliateRates(random), parentUid };
    await stage.operate("PUT", `affiliates/${uid}`, body);
  }
  return { levels, height };
}

async function newUser({ exchange }: Stage): Promise<number> {
  return (await exchange.operator<{ readonly uid: number }>("POST", "users", {})).uid;
}

async function newAffiliate(stage: Stage): Promise<number> {
  const uid = await newUser(stage);
  await stage.operate("PUT", `affiliates/${uid}`, affiliateRates(stage.random));
  return uid;
}

/** All the levels above may earn. */
async function tradeBelow(stage: Stage, referral: Referral): Promise<void> {
  await fundReferral(stage, referral);
  await tradeOfReferral(stage, referral);
  await stage.look();
  for (const trader of stage.traders) await askAsAffiliate(trader, 1);
}
