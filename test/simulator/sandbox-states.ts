/**
 * The states of a sandbox in any order: it is marked, checkpoints are made and removed, it goes
 * back to them and to what was marked, also behind a start and in the middle of a branch. Each time
 * it must have the very state and histories of then. It ends the story that the journal tells.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Random } from "../support/random.ts";
import { type Accounts, accountsOf, type Checkpointed, isSame } from "./accounts.ts";
import { hold } from "./breach.ts";
import { largeOrder } from "./markets.ts";
import { startOrRefusal } from "./put-back-files.ts";
import { type Clock, readClock } from "./sandbox-clock.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

const BRANCH_FILE = "branch.json";
const MOVES = { least: 2, most: 7 };
/** In no order of their own, in which a folder may list them. */
const NAMES = ["one", "two", "Three", "4"] as const;
const ADVANCES_MS = [1, 60_000, 3_600_000];
/** By the wall, while the exchange runs. */
const PASSED_MS = [1_000, 5_000, 20_000, 90_000] as const;
/** Between two looks at the clock, of exchange time for each millisecond of the wall. */
const CLOCK_SLACK_MS = 50;
/** Of what is done, that for which somebody waits first. */
const WAITS = 0.25;
/** Of them all, those that end with two ways back, one behind the other. */
const TWICE = 0.8;
const CHECKPOINTS = "sandbox/checkpoints";
const RESTORE = "sandbox/restore";
const CLOCK = "exchange time goes on where it was in the state";

interface State {
  readonly sequence: number;
  readonly stateHash: string;
}

/** A state to go back to. */
interface Held {
  /** Null where no answer says which it is. */
  readonly state: State | null;
  /** Null where time has changed something while they were asked. */
  readonly accounts: Accounts | null;
  readonly clock: HeldClock;
}

/** A clock that showed something from the first to the last of two looks. */
interface HeldClock {
  readonly speed: number;
  readonly leastMs: number;
  /** Null while no command has followed: what is marked is taken with the next one. */
  mostMs: number | null;
}

interface States {
  /** What a reset goes back to; null while nobody knows. */
  start: Held | null;
  readonly checkpoints: Map<string, Held>;
}

export async function startAgain(exchange: SimulatedExchange, random: Random): Promise<void> {
  const disk = random.pick(["kill", "drops-all", "tears"] as const);
  await exchange.end({ disk, history: "kept" });
  if (random.chance(0.4)) await startEarlier(exchange, random.chance(0.5));
  else await exchange.start();
  forgetRemoved(exchange);
}

/** Its number is missing or an older one, and the branch that it was on refuses the start. */
async function startEarlier(exchange: SimulatedExchange, isMissing: boolean): Promise<void> {
  const place = (file: Uint8Array | null) => {
    exchange.disk.place(join(exchange.dataFolder, BRANCH_FILE), file);
  };
  const bytes = exchange.file(BRANCH_FILE);
  if (bytes === undefined) return await exchange.start();
  const branch = JSON.parse(Buffer.from(bytes).toString()) as { readonly number: number };
  const { number } = branch;
  // Where the machine stopped on its way to the branch, nothing tells that it was used.
  const wasUsed = exchange.file(`branches/${number}/origin.json`) !== undefined;
  if (!wasUsed) return await exchange.start();
  const older = JSON.stringify({ ...branch, number: number - 1 });
  place(isMissing ? null : Buffer.from(older));
  const refusal = await startOrRefusal(exchange);
  const isRefused = refusal?.includes(BRANCH_FILE) === true;
  hold(isRefused, "no start is on an earlier branch", () => `${number}: ${refusal}`);
  await exchange.end({ disk: "kill", history: "kept" });
  place(bytes);
  await exchange.start();
}

/**
 * The exchange removes whole folders from the real disk, which is all that the simulated one does
 * not hear of: those of checkpoints, of its own run, and of a branch that it never went over to.
 */
function forgetRemoved(exchange: SimulatedExchange): void {
  const { dataFolder, disk, stateFolder } = exchange;
  const present = Number(/branches\/(\d+)$/.exec(stateFolder)?.[1] ?? 0);
  for (const file of exchange.files("")) {
    const [folder, name] = file.split("/", 2);
    const isGone =
      (folder === "checkpoints" && !existsSync(join(dataFolder, folder, name ?? ""))) ||
      (folder === "branches" && Number(name) > present);
    if (isGone) disk.place(join(dataFolder, file), null);
  }
}

/** The kinds of moves, those that go back more often. */
const KINDS = [
  "change",
  "change",
  "mark",
  "checkpoint",
  "checkpoint",
  "restore",
  "restore",
  "restore",
  "reset",
  "reset",
  "remove",
  "start",
] as const;

export async function goToAndFro(world: Checkpointed, random: Random): Promise<void> {
  forgetRemoved(world.exchange);
  const own = new Random(world.exchange.story.sequence ^ 0x8f1bbcdc);
  const states: States = { start: null, checkpoints: new Map() };
  // The first moves lead into states that differ, whatever follows.
  const first = random.shuffle(["mark", "checkpoint"] as const);
  const kinds = first.flatMap((kind): (typeof KINDS)[number][] => [kind, "change"]);
  for (let left = random.integer(MOVES.least, MOVES.most); left > 0; left--) {
    kinds.push(random.pick(KINDS));
  }
  if (random.chance(0.5)) kinds.push("mark", "change");
  // To a checkpoint, and from there to what was marked, wherever that was.
  kinds.push("restore", "reset", "restore");
  for (const kind of kinds) {
    // Each reads everything that there is, behind a start of the exchange.
    world.exchange.beginStep();
    if (own.chance(WAITS)) await world.exchange.pass(own.pick(PASSED_MS));
    if (kind === "change") await change(world, states, random);
    else if (kind === "mark") await mark(world, states);
    else if (kind === "checkpoint") await checkpoint(world, states, random);
    else if (kind === "restore") await restore(world, states, random);
    else if (kind === "reset") await reset(world, states);
    else if (kind === "remove") await remove(world, states, random);
    else await start(world, states, random);
  }
  await checkList(world, states);
  if (own.chance(TWICE)) await goBackTwice(world, states, own);
}

/** To a state of a clock that is behind the machine's already. */
async function goBackTwice(world: Checkpointed, states: States, random: Random): Promise<void> {
  const { exchange } = world;
  const back = random.pick([checkpointAndRestore, markAndReset]);
  const first = await back(world, states, random);
  await exchange.pass(random.pick(PASSED_MS));
  await first();
  if (random.chance(0.3)) await start(world, states, random);
  const second = await random.pick([checkpointAndRestore, markAndReset])(world, states, random);
  await exchange.pass(random.pick(PASSED_MS));
  await second();
  if (random.chance(0.3)) await start(world, states, random);
  await checkList(world, states);
}

/** What it returns goes back. */
async function checkpointAndRestore(world: Checkpointed, states: States, random: Random) {
  const free = NAMES.filter((name) => !states.checkpoints.has(name));
  const name = random.pick(free.length === 0 ? [...NAMES] : free);
  if (states.checkpoints.has(name)) await removeNamed(world, states, name);
  await makeNamed(world, states, name);
  await change(world, states, random);
  return () => restoreNamed(world, states, name);
}

async function markAndReset(world: Checkpointed, states: States, random: Random) {
  await mark(world, states);
  await change(world, states, random);
  return () => reset(world, states);
}

/** Behind it, the state is marked, and time and checkpoints are what they were. */
async function start(world: Checkpointed, states: States, random: Random): Promise<void> {
  const { exchange } = world;
  const before = await moveOn(exchange);
  await startAgain(exchange, random);
  const held = { ...before, leastMs: before.time, mostMs: before.time };
  await checkClock(exchange, held, before.wallMs);
  const { sequence } = await exchange.operator<State>("GET", "invariants");
  const clock = { ...before, leastMs: before.time, mostMs: null };
  states.start = { state: null, accounts: await accountsAt(world, sequence), clock };
  await checkList(world, states);
}

/** A clock with a speed of its own goes on from where the last command has put it. */
async function moveOn(exchange: SimulatedExchange): Promise<ShownClock> {
  const path = "sandbox/clock/advance";
  const { speed, time } = await exchange.operator<Clock>("POST", path, { ms: 60_000 });
  return { speed, time, wallMs: exchange.nowMs };
}

interface ShownClock extends Clock {
  readonly wallMs: number;
}

async function look(exchange: SimulatedExchange): Promise<ShownClock> {
  const { speed, time } = await readClock(exchange);
  return { speed, time, wallMs: exchange.nowMs };
}

/** Where it is, so long after the state was there again. */
async function checkClock(
  exchange: SimulatedExchange,
  { leastMs, mostMs, speed }: HeldClock,
  backMs: number,
): Promise<void> {
  const now = await readClock(exchange);
  const passedMs = (exchange.nowMs - backMs) * speed;
  const latestMs = (mostMs ?? Number.POSITIVE_INFINITY) + passedMs + CLOCK_SLACK_MS * (1 + speed);
  const isThere = now.time >= leastMs - 1 && now.time <= latestMs && now.speed === speed;
  const detail = () => `${JSON.stringify(now)}, from ${leastMs} to ${latestMs} at ${speed}`;
  hold(isThere, CLOCK, detail);
}

async function change(
  { exchange, products, traders }: Checkpointed,
  { start }: States,
  random: Random,
) {
  const { sequence: before } = await exchange.operator<State>("GET", "invariants");
  for (const trader of random.shuffle([...traders]).slice(0, 2)) {
    const product = random.pick([...products]);
    await exchange.life.until(trader.place(product, largeOrder(product, random)));
  }
  const { sequence } = await exchange.operator<State>("GET", "invariants");
  if (start !== null && sequence > before) start.clock.mostMs ??= (await look(exchange)).time;
  if (!random.chance(0.3)) return;
  const ms = random.pick(ADVANCES_MS);
  await exchange.operator("POST", "sandbox/clock/advance", { ms });
}

/** As it is, if it is still that of the command. */
async function stateAt(exchange: SimulatedExchange, sequence: number): Promise<State | null> {
  const now = await exchange.operator<State>("GET", "invariants");
  return now.sequence === sequence ? { sequence, stateHash: now.stateHash } : null;
}

/** Null behind a later command: marks move by time alone, and orders with them. */
async function accountsAt(world: Checkpointed, sequence: number): Promise<Accounts | null> {
  const accounts = await accountsOf(world);
  return (await stateAt(world.exchange, sequence)) === null ? null : accounts;
}

async function mark(world: Checkpointed, states: States): Promise<void> {
  const { exchange } = world;
  const { speed, time: leastMs } = await moveOn(exchange);
  const { sequence } = await exchange.operator<State>("PUT", "sandbox/reset");
  const state = await stateAt(exchange, sequence);
  const accounts = await accountsAt(world, sequence);
  states.start = { state, accounts, clock: { speed, leastMs, mostMs: null } };
}

async function checkpoint(world: Checkpointed, states: States, random: Random) {
  const name = random.pick(NAMES);
  if (!states.checkpoints.has(name)) return await makeNamed(world, states, name);
  await refuse(world.exchange, CHECKPOINTS, name, 409);
}

async function makeNamed(world: Checkpointed, { checkpoints }: States, name: string) {
  const { exchange } = world;
  const path = CHECKPOINTS;
  // No two are as old.
  await exchange.pass(1);
  const { speed, time: leastMs } = await moveOn(exchange);
  const { sequence, stateHash } = await exchange.operator<State>("POST", path, { name });
  const now = await stateAt(exchange, sequence);
  const isIts = now === null || now.stateHash === stateHash;
  hold(isIts, "a checkpoint has the present state", () => `${sequence} ${stateHash}`);
  const clock = { speed, leastMs, mostMs: (await look(exchange)).time };
  const accounts = await accountsAt(world, sequence);
  checkpoints.set(name, { state: { sequence, stateHash }, accounts, clock });
}

async function restore(world: Checkpointed, states: States, random: Random) {
  const { checkpoints } = states;
  const there = [...checkpoints.keys()];
  const name = random.pick(there.length === 0 || random.chance(0.1) ? NAMES : there);
  if (checkpoints.has(name)) return await restoreNamed(world, states, name);
  await refuse(world.exchange, RESTORE, name, 404);
}

async function restoreNamed(world: Checkpointed, states: States, name: string): Promise<void> {
  const { exchange } = world;
  const held = states.checkpoints.get(name);
  const before = await leave(exchange, states);
  const said = await exchange.operator<State>("POST", RESTORE, { name });
  if (held === undefined) return;
  await checkBack(world, held, said, "a restore brings back everything");
  await checkClock(exchange, held.clock, before.wallMs);
}

async function reset(world: Checkpointed, states: States): Promise<void> {
  const { exchange } = world;
  const before = await leave(exchange, states);
  const said = await exchange.operator<State>("POST", "sandbox/reset", {});
  const { start } = states;
  if (start === null) return;
  await checkBack(world, start, said, "a reset goes back to what was marked");
  await checkClock(exchange, start.clock, before.wallMs);
}

/** What is marked is taken now, if no command has come since. */
async function leave(exchange: SimulatedExchange, { start }: States): Promise<ShownClock> {
  const now = await look(exchange);
  if (start !== null) start.clock.mostMs ??= now.time;
  return now;
}

async function checkBack(
  world: Checkpointed,
  { accounts, state }: Held,
  said: State,
  check: string,
): Promise<void> {
  const both = () => `${JSON.stringify(said)} instead of ${JSON.stringify(state)}`;
  const isSaid = state === null || isEqual(said, state);
  hold(isSaid, check, both);
  const live = await stateAt(world.exchange, said.sequence);
  hold(live === null || isEqual(live, said), check, () => `${live?.stateHash}: ${both()}`);
  const now = await accountsAt(world, said.sequence);
  if (accounts === null || now === null) return;
  hold(isSame(now, accounts), check, () => `${now.text} instead of ${accounts.text}`);
}

function isEqual(one: State, other: State): boolean {
  return one.sequence === other.sequence && one.stateHash === other.stateHash;
}

async function remove(world: Checkpointed, states: States, random: Random): Promise<void> {
  const name = random.pick([...states.checkpoints.keys(), null]);
  if (name !== null) await removeNamed(world, states, name);
  await checkList(world, states);
}

async function removeNamed(world: Checkpointed, { checkpoints }: States, name: string) {
  await world.exchange.operator("DELETE", `sandbox/checkpoints/${name}`);
  forgetRemoved(world.exchange);
  checkpoints.delete(name);
}

/** Oldest first; those of somebody else are there, too. */
async function checkList({ exchange }: Checkpointed, { checkpoints }: States): Promise<void> {
  type List = { readonly items: (State & { readonly name: string })[] };
  const { items } = await exchange.operator<List>("GET", CHECKPOINTS);
  const ours = items.filter(({ name }) => NAMES.some((one) => one === name));
  const names = [...checkpoints.keys()];
  const isEach = ours.every((item, index) => {
    const state = checkpoints.get(item.name)?.state;
    return item.name === names[index] && state != null && isEqual(item, state);
  });
  const detail = () => `${JSON.stringify(ours)}, and ${names.join(" ")}`;
  hold(isEach && ours.length === checkpoints.size, "checkpoints are listed", detail);
}

async function refuse(exchange: SimulatedExchange, path: string, name: string, status: number) {
  const request = exchange.operatorRequest("POST", path, { name });
  const answer = await exchange.life.until(exchange.send("operator", request));
  const detail = () => `${path} ${name}: ${JSON.stringify(answer)}`;
  hold(answer?.status === status, "a checkpoint is there as long as it was kept", detail);
}
