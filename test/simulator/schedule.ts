/**
 * What a seed stands for: which kinds of acts and faults there are, and the randomness of each
 * step. A step draws from a source of its own, so that the others stay what they are when it is
 * left out.
 */
import type { Sizes } from "../../src/app/config.ts";
import { SELF_TRADE_PREVENTIONS, type SelfTradePrevention } from "../../src/domain/index.ts";
import { Random } from "../support/random.ts";
import { TRADER_ACTS } from "./acts.ts";
import { AFFILIATE_TRADER_ACTS } from "./affiliate-acts.ts";
import { WAYS, type Way } from "./entry.ts";
import { type ErrandName, errandNamesOf } from "./errands/errand-names.ts";
import { type Scales, scalesOf } from "./markets.ts";
import { OPERATOR_ACTS, SANDBOX_ACTS } from "./operator-acts.ts";
import type { StreamVersion } from "./stream-versions.ts";

const SWARM_FAULTS = [
  "power-cut",
  "power-cut-at-a-call",
  "kill",
  "restart",
  "connection-cut",
  "request-delayed",
  "request-doubled",
  "half-open",
  "slow-disk",
  "failed-sync",
  "failed-call",
  "full-disk",
  "stuck-sync",
  "lying-sync",
  "misdirected-write",
  "rotten-journal",
  "rotten-read",
  "clock-step",
  "clock-stall",
  "lost-thread",
  "lost-history",
  "rotten-snapshot",
  "streams-cut",
] as const;

/** Aimed at one decision each; drawn apart from the others, whose draws they leave alone. */
const AIMED_FAULTS = [
  "cut-after-start",
  "power-cut-at-start",
  "rotten-last-commit",
  "rotten-behind-old-ring",
  "read-while-syncing",
] as const;

export const FAULTS = [...SWARM_FAULTS, ...AIMED_FAULTS] as const;

export type FaultKind = (typeof FAULTS)[number];

export interface Schedule {
  readonly seed: number;
  readonly traders: number;
  readonly sandbox: boolean;
  readonly streamIntervalMs: number;
  readonly traderActs: readonly string[];
  readonly operatorActs: readonly string[];
  /** On which orders are sent. */
  readonly ways: readonly Way[];
  readonly faults: readonly FaultKind[];
  /** Of a step to have a fault. */
  readonly faultRate: number;
  /** Traders that do something at the same time. */
  readonly together: number;
  /** When a checkpoint is made, and when it is restored, which ends the run; null for never. */
  readonly restore: { readonly madeAt: number; readonly usedAt: number } | null;
  /** What becomes of trades with oneself, for one trader after the other. */
  readonly selfTrades: readonly SelfTradePrevention[];
  /** Of an account and a contract, plain and conditional ones each; undefined for the default. */
  readonly maxOpenOrders: number | undefined;
  /** Whether positions come through all tiers of maintenance margin. */
  readonly hasNarrowTiers: boolean;
  /** Whether the spot market takes a single lot, and any amount of money. */
  readonly takesAnyAmount: boolean;
  /** What a book of contracts must be deep for to move its mark. */
  readonly impactNotional: string | undefined;
  readonly scales: Scales;
  /** Of the event loop, by which answers of the engine come later than its events. */
  readonly answerTurns: number;
  /** Of a step in which the engine and the history are too busy for some of what they are asked. */
  readonly busyRate: number;
  /** Of segments that are full soon, and snapshots that are due soon; undefined for the usual. */
  readonly sizes: Sizes | undefined;
  /** What each account of contracts begins with: of little, most orders are refused. */
  readonly contractFunds: string;
  /** Whether the published rate limits hold. */
  readonly hasLimits: boolean;
  /** Of a step in which listeners subscribe anew while others write. */
  readonly reconnectRate: number;
  /** Whether somebody follows every change of the books. */
  readonly followsEveryChange: boolean;
  /** Steps between two checks of everything. */
  readonly auditEvery: number;
  /** Whether traders listen to their accounts: otherwise only the public streams are open. */
  readonly hasPrivateStreams: boolean;
  /** Versions of the streams that listeners use, one after the other. */
  readonly streams: readonly StreamVersion[];
  /** Whether traders invite each other, and some are affiliates from the beginning. */
  readonly hasAffiliates: boolean;
  /** What there is beside the acts of some steps. */
  readonly errands: readonly ErrandName[];
}

/** After so many traders their choices begin again. */
const SELF_TRADES = 3;

/** Those that find most happen more often. */
const FREQUENT: readonly FaultKind[] = ["power-cut", "power-cut-at-a-call", "lost-history"];

/** Each kind is there in most seeds; a seed with few kinds goes deeper into those. */
function swarm<Kind>(random: Random, kinds: readonly Kind[]): Kind[] {
  const share = random.pick([0.25, 0.5, 0.75, 1]);
  return kinds.filter(() => random.chance(share));
}

export function scheduleOf(seed: number): Schedule {
  const random = new Random(seed ^ 0x51ed270b);
  const product = random.pick(["both", "spot", "contract"]);
  const hasAffiliates = new Random(seed ^ 0x6a09e667).chance(0.5);
  const acts = Object.keys(TRADER_ACTS).filter((name) => {
    if (!hasAffiliates && Object.hasOwn(AFFILIATE_TRADER_ACTS, name)) return false;
    return product === "both" || name === "money" || name.startsWith(product);
  });
  const places = acts.filter((name) => name.endsWith("-place"));
  const sandbox = random.chance(0.5);
  const operatorActs = Object.keys(OPERATOR_ACTS).filter((name) => {
    if (!hasAffiliates && name.startsWith("affiliate-")) return false;
    return sandbox || !SANDBOX_ACTS.has(name);
  });
  const late = { madeAt: random.integer(3, 15), away: random.integer(1, 12) };
  const isRestored = sandbox && random.chance(0.3);
  const ofRestore = new Random(seed ^ 0x4cc5d4be);
  // Half of them within the steps of a short seed.
  const early = { madeAt: ofRestore.integer(2, 4), away: ofRestore.integer(1, 4) };
  const { away, madeAt } = ofRestore.chance(0.5) ? early : late;
  return {
    seed,
    restore: isRestored ? { madeAt, usedAt: madeAt + away } : null,
    traders: random.integer(2, 4),
    sandbox,
    streamIntervalMs: random.pick([1, 100, 1_000]),
    traderActs: [...new Set([...places, ...swarm(random, acts)])],
    operatorActs: swarm(random, operatorActs),
    ways: random.pick([["http"], ["http"], ["socket"], ["http", "v2"], WAYS] as const),
    faults: random.chance(0.1) ? [] : swarm(random, [...SWARM_FAULTS, ...FREQUENT, ...FREQUENT]),
    faultRate: random.pick([0.02, 0.05, 0.15]),
    together: random.integer(1, 4),
    auditEvery: random.pick([10, 25, 60]),
    hasLimits: random.chance(0.25),
    reconnectRate: random.pick([0, 0.2, 0.6]),
    followsEveryChange: random.chance(0.5),
    selfTrades: Array.from({ length: SELF_TRADES }, () => random.pick(SELF_TRADE_PREVENTIONS)),
    maxOpenOrders: random.pick([undefined, undefined, 3, 6]),
    hasNarrowTiers: new Random(seed ^ 0x5be0cd19).chance(0.5),
    takesAnyAmount: new Random(seed ^ 0x510e527f).chance(0.4),
    impactNotional: new Random(seed ^ 0x452821e6).pick([undefined, undefined, "60", "1000"]),
    scales: scalesOf(new Random(seed ^ 0x7137449a)),
    answerTurns: new Random(seed ^ 0x2e1b2138).pick([0, 0, 1, 2, 4]),
    busyRate: new Random(seed ^ 0x243f6a88).pick([0, 0, 0, 0, 0.4]),
    sizes: sizesOf(new Random(seed ^ 0x299f31d0)),
    contractFunds: new Random(seed ^ 0x1f83d9ab).pick(["500", "5000", "50000"]),
    hasAffiliates,
    hasPrivateStreams: new Random(seed ^ 0x7f2b5c91).chance(0.9),
    errands: errandNamesOf(seed),
    streams: new Random(seed ^ 0x3f84d5b5).pick([["v3"], ["v3", "v2"], ["v2", "v3"]] as const),
  };
}

/** Of a seed to have small segments and early snapshots. */
const SMALL = 0.33;

function sizesOf(random: Random): Sizes | undefined {
  if (!random.chance(SMALL)) return undefined;
  return {
    segmentBytes: random.pick([4_096, 8_192, 32_768]),
    snapshotCommands: random.pick([20, 60, 200, 1_000_000]),
    snapshotMs: random.pick([30_000, 120_000, 3_600_000]),
  };
}

/**
 * How many steps a seed has when nobody says: most are short, as another seed finds more than
 * further steps of the same one, and a few are long, for what builds up.
 */
export function stepsOf(seed: number): number {
  return new Random(seed ^ 0x9b05688c).pick([6, 6, 6, 6, 12, 12, 12, 36]);
}

export function stepRandom(seed: number, step: number): Random {
  const random = new Random(Math.imul(seed ^ 0x2545f491, 0x9e3779b1) ^ Math.imul(step, 0x85ebca6b));
  random.next();
  return random;
}

/** The aimed fault of a step, if there is one, and the randomness that it draws from. */
export function aimedFaultOf(
  seed: number,
  step: number,
): { readonly kind: FaultKind; readonly random: Random } | null {
  const rate = new Random(seed ^ 0x1b873593).pick([0, 0.03, 0.1]);
  const random = stepRandom(seed ^ 0x5bd1e995, step);
  return random.chance(rate) ? { kind: random.pick(AIMED_FAULTS), random } : null;
}

export function weighted<Value>(
  random: Random,
  table: Readonly<Record<string, readonly [weight: number, value: Value]>>,
  names: readonly string[],
): { readonly name: string; readonly value: Value } | null {
  const entries = names.flatMap((name) => {
    const entry = table[name];
    return entry === undefined ? [] : [{ name, weight: entry[0], value: entry[1] }];
  });
  let at = random.next() * entries.reduce((sum, { weight }) => sum + weight, 0);
  for (const entry of entries) {
    at -= entry.weight;
    if (at < 0) return entry;
  }
  return null;
}
