/**
 * Stops of the machine between two steps, while nobody sends anything: with an older history or
 * other older files put back, another master key, across a slot of funding, and over prices and
 * rules that an operator has given. They draw from a randomness of their own.
 */
import { Random } from "../support/random.ts";
import { someTwo, tradeSurely } from "./aims/sure-trade.ts";
import type { World } from "./aims/world.ts";
import { standOverStart } from "./given-prices.ts";
import { ruleOverStart } from "./lone-rules.ts";
import { indexPrice, SYMBOL } from "./markets.ts";
import { fallBehind } from "./older-history.ts";
import { operate } from "./operate.ts";
import type { Product } from "./orders.ts";
import { startWithOtherFiles } from "./private-files.ts";
import { putFilesBack } from "./put-back-files.ts";
import { startWithNewMasterKey } from "./rotated-keys.ts";
import { readClock } from "./sandbox-clock.ts";
import { type Schedule, stepRandom } from "./schedule.ts";

/** Of a step behind which an older history is put back. */
const BEHIND = 0.01;
/** Of a step behind which files of the data folder are missing, or older ones. */
const PUT_BACK = 0.02;
/** Of a step behind which those of secrets are missing, others, or open to others. */
const PRIVATE = 0.008;
/** Of a step behind which the master key is another one; a sandbox keeps its own. */
const ROTATED = 0.02;
/** Of a step behind which a slot is missed, by seeds. */
const MISSED = [0, 0.02, 0.06];
/** Over which prices stand, by seeds. */
const STANDING = [0, 0.01, 0.03];
/** Of a step behind which one rule of a market is another one over a start. */
const LONE = 0.005;

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const SLOT_MS = 8 * 60 * MINUTE_MS;
const MINUTES_MAX = 4;
/** Before the slot; the machine is off for up to 40 s in any case. */
const BEFORE_MAX_MS = 15 * SECOND_MS;
/** More of it: most come back while the slot still counts, some just behind that. */
const AWAY_MS = [0, 0, MINUTE_MS, 9 * MINUTE_MS, 10 * MINUTE_MS, 12 * MINUTE_MS];

export function outageOf(
  { sandbox, seed }: Schedule,
  products: readonly Product[],
  step: number,
): { readonly name: string; readonly happen: (world: World) => Promise<void> } | null {
  const behind = stepRandom(seed ^ 0x391c0cb3, step);
  if (behind.chance(BEHIND)) {
    return { name: "the history falls behind", happen: (world) => fallBehind(world, behind) };
  }
  const rate = new Random(seed ^ 0x3956c25b).pick(MISSED);
  const missed = stepRandom(seed ^ 0x243185be, step);
  const isPossible = sandbox && products.includes("contract");
  if (isPossible && missed.chance(rate)) {
    return { name: "a slot is missed", happen: (world) => missSlot(world, missed) };
  }
  const standing = stepRandom(seed ^ 0x0fc19dc6, step);
  if (isPossible && standing.chance(new Random(seed ^ 0xefbe4786).pick(STANDING))) {
    return { name: "given prices stand", happen: (world) => standOverStart(world, standing) };
  }
  const files = stepRandom(seed ^ 0x53380d13, step);
  if (files.chance(PUT_BACK)) {
    return { name: "files are put back", happen: (world) => putFilesBack(world, files) };
  }
  const secrets = stepRandom(seed ^ 0x8f1bbcdc, step);
  if (secrets.chance(PRIVATE)) {
    return { name: "private files", happen: (world) => startWithOtherFiles(world, secrets) };
  }
  const rotated = stepRandom(seed ^ 0x72be5d74, step);
  if (!sandbox && rotated.chance(ROTATED)) {
    const happen = (world: World) => startWithNewMasterKey(world, rotated);
    return { name: "a new master key", happen };
  }
  const lone = stepRandom(seed ^ 0x3d8e51f7, step);
  if (!lone.chance(LONE)) return null;
  return { name: "a rule stands alone", happen: (world) => ruleOverStart(world, lone) };
}

/** Premiums are sampled in the minutes before the slot; then the machine is off while it passes. */
async function missSlot({ exchange, traders }: World, random: Random): Promise<void> {
  const advance = async (ms: number): Promise<void> => {
    if (ms <= 0) return;
    await exchange.life.until(operate(exchange, "POST", "sandbox/clock/advance", { ms }));
  };
  const minutes = random.integer(1, MINUTES_MAX);
  const { time } = await readClock(exchange);
  const firstMs = time + minutes * MINUTE_MS;
  const slotMs = Math.ceil(firstMs / SLOT_MS) * SLOT_MS;
  await advance(slotMs - firstMs);
  for (let minute = 0; minute < minutes; minute++) {
    const body = { price: indexPrice(random), force: true };
    await exchange.life.until(operate(exchange, "PUT", `index-prices/${SYMBOL}`, body));
    const both = someTwo(traders, random);
    if (both !== null) await exchange.life.until(tradeSurely("contract", both, random));
    const { time: nowMs } = await readClock(exchange);
    const nextMs = slotMs - (minutes - 1 - minute) * MINUTE_MS - random.integer(1, BEFORE_MAX_MS);
    await advance(nextMs - nowMs);
  }
  await exchange.end({ disk: "kill", history: "kept" });
  exchange.clock.step(random.pick(AWAY_MS));
  await exchange.start();
}
