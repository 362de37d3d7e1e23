/**
 * A sandbox goes back to a checkpoint: every account has again what it had then, or, when the
 * machine stopped on the way and nobody was answered, all of what it had before.
 */
import { join } from "node:path";
import { openSnapshotFiles } from "../../src/journal/index.ts";
import { Random } from "../support/random.ts";
import type { Credentials } from "../support/signed-client.ts";
import { FaultyFileSystem } from "../support/simulated-disk.ts";
import { type Accounts, accountsOf, type Checkpointed, isSame } from "./accounts.ts";
import { hold, MachineEnded } from "./breach.ts";
import { judgeNoMore } from "./errands/webhooks.ts";
import { NOTICED_MS } from "./full-disk.ts";
import { standOverRestore } from "./given-prices.ts";
import { askAroundLoss } from "./long-questions.ts";
import { largeOrder } from "./markets.ts";
import { operate } from "./operate.ts";
import { createKey, isLive } from "./probes.ts";
import { checkReadings } from "./readings.ts";
import { type Clock, readClock } from "./sandbox-clock.ts";
import { goToAndFro, startAgain } from "./sandbox-states.ts";
import type { Schedule } from "./schedule.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { checkDigest, checkState, checkStep } from "./state-check.ts";

const NAME = "kept";
/** Behind the restore. */
const AGAIN = "again";
const CALLS_MAX = 60;
const PASSED_MS = 1_000;
const ROUNDS = 2;
/** Of restores, those before which a reset is told to come back to where it was. */
const MARKED = 0.8;
/** And those behind which it goes to and fro between several states. */
const GONE_ON = 0.6;
/** Of stories of a sandbox, those that end between several states of it. */
const ENDED = 0.4;
const READINGS = 4;
/** Of restores, those behind which prices are given, to which it goes back once more. */
const RESTORED_AGAIN = 0.4;
const CLOCK_SLACK_MS = 50;
/** A conditional order. */
const WAITING = '"UNTRIGGERED"';

export interface Kept {
  readonly stateHash: string;
  readonly sequence: number;
  /** A key that is there, which is revoked or changed before the way back. */
  readonly key: Credentials;
  /** Null where time has changed something while they were asked. */
  readonly accounts: Accounts | null;
  readonly clock: Clock;
}

/** Otherwise one may end while the machine is off, and nobody knows which orders are left. */
async function takeBackCountdowns({ exchange, traders }: Checkpointed): Promise<boolean> {
  await checkStep(exchange);
  for (const { product, symbol, uid } of [...exchange.story.naive.switches]) {
    const trader = traders.find((one) => one.uid === uid);
    const family = product === "spot" ? "/api" : "/capi";
    const scope = symbol === null ? {} : { symbol };
    const body = { ...scope, countdownMs: 0 };
    const path = `${family}/v3/order/cancelAllAfter`;
    if (trader !== undefined) await exchange.life.until(trader.send("POST", path, body));
  }
  await checkStep(exchange);
  return exchange.story.naive.switches.length === 0;
}

interface Checkpoint {
  readonly stateHash: string;
  readonly sequence: number;
}

function checkpoint(exchange: SimulatedExchange, name: string): Promise<Checkpoint> {
  return exchange.operator<Checkpoint>("POST", "sandbox/checkpoints", { name });
}

export async function makeCheckpoint(world: Checkpointed): Promise<Kept | null> {
  const { exchange } = world;
  // A disk that was full a moment ago counts as full, and takes no checkpoint.
  await exchange.pass(NOTICED_MS);
  if (!(await takeBackCountdowns(world))) return null;
  const key = await createKey(exchange, world.traders[0]?.uid ?? 0);
  const clock = await exchange.life.until(readClock(exchange));
  const { sequence, stateHash } = await checkpoint(exchange, NAME);
  return { stateHash, sequence, key, clock, accounts: await accountsAt(world, [sequence]) };
}

async function moveClock(exchange: SimulatedExchange, random: Random): Promise<void> {
  const [path, body] = random.pick([
    ["sandbox/clock/advance", { ms: 60_000 }],
    ["sandbox/clock", { speed: 60 }],
  ] as const);
  await exchange.life.until(operate(exchange, "POST", path, body));
}

/** Nothing that was told before counts any more. */
export async function restoreCheckpoint(
  world: Checkpointed,
  kept: Kept,
  random: Random,
): Promise<void> {
  const { exchange } = world;
  if (!(await takeBackCountdowns(world))) return;
  judgeNoMore(exchange);
  // What differs only by time shows when some has passed.
  await exchange.pass(PASSED_MS);
  if (random.chance(0.7)) await moveClock(exchange, random);
  const late = await createKey(exchange, world.traders[0]?.uid ?? 0);
  const own = new Random(exchange.story.sequence ^ 0x2b7e1516);
  if (own.chance(0.5)) await exchange.operator("DELETE", `api-keys/${kept.key.apiKey}`);
  const left = await sequenceOf(exchange);
  const before = await accountsAt(world, [left]);
  const { restarts } = exchange;
  const isMarked = new Random(exchange.story.sequence).chance(MARKED);
  if (isMarked) await exchange.operator("PUT", "sandbox/reset");
  if (random.chance(0.4)) {
    const inCalls = random.integer(0, CALLS_MAX);
    exchange.life.files.arm({ inCalls, fault: { kind: "stop" }, of: null });
  }
  const request = exchange.operatorRequest("POST", "sandbox/restore", { name: NAME });
  const askedMs = exchange.nowMs;
  let status: number | null = null;
  let answer: unknown = null;
  try {
    const outcome = await exchange.life.until(exchange.send("operator", request));
    status = outcome?.status ?? null;
    answer = outcome?.body;
    exchange.life.files.arm(null);
    exchange.checkRunning();
  } catch (error) {
    if (!(error instanceof MachineEnded)) throw error;
    await startAgain(exchange, random);
  }
  hold(status === null || status === 200, "a restore is done", () => JSON.stringify(answer));
  if (status === 200) await checkClock(exchange, kept.clock, askedMs);
  const isRestarted = status === 200 && random.chance(0.5);
  if (isRestarted) {
    await startAgain(exchange, random);
    await checkClock(exchange, kept.clock, askedMs);
  }
  const isOfNobody = status !== 200 || !(await isLive(exchange, late));
  hold(isOfNobody, "a restore takes back later keys", () => late.apiKey);
  const isBack = status !== 200 || (await isLive(exchange, kept.key));
  hold(isBack, "a restore brings back the keys of then", () => kept.key.apiKey);
  const { accounts, sequence } = kept;
  const mayBe = status === null ? [sequence, left] : [sequence];
  // A start says that it goes on, with a mark of its own, which may trigger what waits.
  const isSteady = accounts?.text.includes(WAITING) === false;
  const starts = exchange.restarts !== restarts && isSteady ? mayBe.map((one) => one + 1) : [];
  const now = await accountsAt(world, [...mayBe, ...starts]);
  if (now !== null && accounts !== null && (status === 200 || before !== null)) {
    const isThere = isSame(now, accounts);
    const mayBeBefore = status === null && before !== null && isSame(now, before);
    const detail = () => `answered ${status}: ${now.text} instead of ${accounts.text}`;
    hold(isThere || mayBeBefore, "a restore brings back everything", detail);
  }
  // A start goes back to itself.
  const isReset = isMarked && status === 200 && !isRestarted;
  if (isReset && before !== null) await reset(world, before, left);
  if (own.chance(GONE_ON)) await goToAndFro(world, own);
  await goOn(world, random);
}

/** How a story ends behind its last step: between states of its own. */
export function endingOf(
  { sandbox }: Schedule,
  random: Random,
): ((world: Checkpointed) => Promise<void>) | null {
  return sandbox && random.chance(ENDED) ? (world) => endToAndFro(world, random) : null;
}

async function endToAndFro(world: Checkpointed, random: Random): Promise<void> {
  const { exchange } = world;
  await exchange.pass(NOTICED_MS);
  if (!(await takeBackCountdowns(world))) return;
  judgeNoMore(exchange);
  await goToAndFro(world, random);
  await goOn(world, random);
}

/** To what was marked before it went back to the checkpoint. */
async function reset(world: Checkpointed, marked: Accounts, sequence: number): Promise<void> {
  await world.exchange.operator("POST", "sandbox/reset", {});
  const now = await accountsAt(world, [sequence]);
  if (now === null) return;
  const detail = () => `${now.text} instead of ${marked.text}`;
  hold(isSame(now, marked), "a reset goes back to what was marked", detail);
}

/** Null behind another command: marks move by time alone, and orders with them. */
async function accountsAt(
  world: Checkpointed,
  sequences: readonly number[],
): Promise<Accounts | null> {
  const accounts = await accountsOf(world);
  const isIts = sequences.includes(await sequenceOf(world.exchange));
  return isIts ? accounts : null;
}

/** Of the last command. The count of requests stays as it was, as questions are drawn by it. */
async function sequenceOf(exchange: SimulatedExchange): Promise<number> {
  const { requests } = exchange;
  const { sequence } = await exchange.operator<Checkpoint>("GET", "invariants");
  exchange.requests = requests;
  return sequence;
}

/** Time goes on where it was at the checkpoint. */
async function checkClock(
  exchange: SimulatedExchange,
  { speed, time }: Clock,
  askedMs: number,
): Promise<void> {
  const now = await exchange.life.until(readClock(exchange));
  const passedMs = (exchange.nowMs - askedMs) * speed;
  // Between the look at the clock and the checkpoint some time may have passed, too.
  const isThere = now.time <= time + passedMs + CLOCK_SLACK_MS * (1 + speed);
  const detail = () => `${now.time}, and ${time} at the checkpoint, ${passedMs} ms before`;
  hold(isThere && now.speed === speed, "a restore brings back the clock", detail);
}

/** The exchange is a whole one: its journal from the first command, what it says, what it keeps. */
async function goOn(world: Checkpointed, random: Random): Promise<void> {
  const { exchange, products, traders } = world;
  exchange.forget();
  await checkStep(exchange);
  const { users } = exchange.story.naive;
  const there = traders.filter(({ uid }) => users.has(uid));
  for (let round = 0; round < ROUNDS; round++) {
    for (const trader of there) {
      const product = random.pick([...products]);
      await exchange.life.until(trader.place(product, largeOrder(product, random)));
    }
    await checkStep(exchange);
  }
  for (const trader of there) {
    for (const product of products) await checkReadings(trader, product, READINGS);
  }
  await askAroundLoss(exchange, new Random(exchange.story.sequence ^ 0x5e2d58d8));
  const made = await checkpoint(exchange, AGAIN);
  await checkState(exchange);
  await checkKept(exchange, made);
  const own = new Random(exchange.story.sequence ^ 0x19a4c116);
  if (products.includes("contract") && own.chance(RESTORED_AGAIN)) {
    await standOverRestore({ exchange, traders: there }, own);
  }
}

/** The snapshot of a checkpoint, if nothing has happened since. */
async function checkKept(exchange: SimulatedExchange, made: Checkpoint): Promise<void> {
  const { dataFolder, disk, story } = exchange;
  const folder = join(dataFolder, "checkpoints", AGAIN, "snapshots");
  const fileSystem = new FaultyFileSystem(disk.afterKill());
  const snapshots = openSnapshotFiles({ folder, fileSystem, now: () => 0 });
  const snapshot = await snapshots.load(made.sequence);
  if (snapshot === null) return;
  checkDigest(story, snapshot);
  const isSame = snapshot.stateHash === made.stateHash;
  hold(isSame, "a checkpoint has the state of its answer", () => made.stateHash);
}
