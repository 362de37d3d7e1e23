/**
 * The states of a sandbox in any order: it is marked, checkpoints are made and removed, it goes
 * back to them and to what was marked, also behind a start and in the middle of a branch. Each time
 * it must have the very state and histories of then. It ends the story that the journal tells.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../support/random.ts";
import { type Accounts, accountsOf, type Checkpointed, isSame } from "./accounts.ts";
import { hold } from "./breach.ts";
import { largeOrder } from "./markets.ts";
import { startOrRefusal } from "./put-back-files.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

const BRANCH_FILE = "branch.json";
const MOVES = { least: 2, most: 7 };
const NAMES = ["one", "two"] as const;
const ADVANCES_MS = [1, 60_000, 3_600_000];

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
    if (kind === "change") await change(world, random);
    else if (kind === "mark") await mark(world, states);
    else if (kind === "checkpoint") await checkpoint(world, states, random);
    else if (kind === "restore") await restore(world, states, random);
    else if (kind === "reset") await reset(world, states);
    else if (kind === "remove") await remove(world, states, random);
    else {
      await startAgain(world.exchange, random);
      // The state behind a start is marked.
      const { sequence } = await world.exchange.operator<State>("GET", "invariants");
      states.start = { state: null, accounts: await accountsAt(world, sequence) };
    }
  }
  await checkList(world, states);
}

async function change({ exchange, products, traders }: Checkpointed, random: Random) {
  for (const trader of random.shuffle([...traders]).slice(0, 2)) {
    const product = random.pick([...products]);
    await exchange.life.until(trader.place(product, largeOrder(product, random)));
  }
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
  const { sequence } = await exchange.operator<State>("PUT", "sandbox/reset");
  const state = await stateAt(exchange, sequence);
  states.start = { state, accounts: await accountsAt(world, sequence) };
}

async function checkpoint(world: Checkpointed, { checkpoints }: States, random: Random) {
  const { exchange } = world;
  const name = random.pick(NAMES);
  const path = "sandbox/checkpoints";
  if (checkpoints.has(name)) return await refuse(exchange, path, name, 409);
  const { sequence, stateHash } = await exchange.operator<State>("POST", path, { name });
  const now = await stateAt(exchange, sequence);
  const isIts = now === null || now.stateHash === stateHash;
  hold(isIts, "a checkpoint has the present state", () => `${sequence} ${stateHash}`);
  const accounts = await accountsAt(world, sequence);
  checkpoints.set(name, { state: { sequence, stateHash }, accounts });
}

async function restore(world: Checkpointed, { checkpoints }: States, random: Random) {
  const { exchange } = world;
  const there = [...checkpoints.keys()];
  const name = random.pick(there.length === 0 || random.chance(0.1) ? NAMES : there);
  const held = checkpoints.get(name);
  const path = "sandbox/restore";
  if (held === undefined) return await refuse(exchange, path, name, 404);
  const said = await exchange.operator<State>("POST", path, { name });
  await checkBack(world, held, said, "a restore brings back everything");
}

async function reset(world: Checkpointed, { start }: States): Promise<void> {
  const said = await world.exchange.operator<State>("POST", "sandbox/reset", {});
  if (start !== null) await checkBack(world, start, said, "a reset goes back to what was marked");
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
  const { checkpoints } = states;
  const name = random.pick([...checkpoints.keys(), null]);
  if (name === null) return await checkList(world, states);
  await world.exchange.operator("DELETE", `sandbox/checkpoints/${name}`);
  forgetRemoved(world.exchange);
  checkpoints.delete(name);
  await checkList(world, states);
}

/** Those of somebody else are there, too. */
async function checkList({ exchange }: Checkpointed, { checkpoints }: States): Promise<void> {
  const path = "sandbox/checkpoints";
  const { items } = await exchange.operator<{ items: (State & { name: string })[] }>("GET", path);
  const ours = items.filter(({ name }) => NAMES.some((one) => one === name));
  const isEach = ours.every((item) => {
    const state = checkpoints.get(item.name)?.state;
    return state !== null && state !== undefined && isEqual(item, state);
  });
  const detail = () => `${JSON.stringify(ours)}, and ${[...checkpoints.keys()].join(" ")}`;
  hold(isEach && ours.length === checkpoints.size, "checkpoints are listed", detail);
}

async function refuse(exchange: SimulatedExchange, path: string, name: string, status: number) {
  const request = exchange.operatorRequest("POST", path, { name });
  const answer = await exchange.life.until(exchange.send("operator", request));
  const detail = () => `${path} ${name}: ${JSON.stringify(answer)}`;
  hold(answer?.status === status, "a checkpoint is there as long as it was kept", detail);
}
