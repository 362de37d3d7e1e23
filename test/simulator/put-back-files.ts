/**
 * Small files of the data folder are missing or damaged when the exchange starts, or an older copy
 * of some was put back. The start has everything nevertheless, and so has the next one, behind what
 * it has written; or it refuses a journal that lacks what a snapshot proves, until it is put right.
 */
import { join } from "node:path";
import type { Random } from "../support/random.ts";
import type { World } from "./aims/world.ts";
import { Breach, hold } from "./breach.ts";
import { command } from "./older-history.ts";
import { operate } from "./operate.ts";
import { isReady } from "./probes.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { checkStep } from "./state-check.ts";

/** Behind the copy, before and behind a snapshot. */
const LACKED = [0, 1, 1, 2, 3] as const;
const STARTS_MAX = 2;
const REFUSED = /^start: refused: /;

/** A whole journal is an older one, and more often, since it takes a snapshot to tell. */
const FILES = [
  "journal/epoch",
  "journal/header.ring",
  "snapshots/",
  "journal/",
  "journal/",
  "journal/",
] as const;
const FATES = ["missing", "older", "damaged"] as const;

type Files = ReadonlyMap<string, Uint8Array>;

function copyOf(exchange: SimulatedExchange): Files {
  const names = ["journal/", "snapshots/"].flatMap((folder) => exchange.files(folder));
  return new Map(names.map((name) => [name, exchange.file(name)?.slice() ?? new Uint8Array(0)]));
}

export async function putFilesBack(world: World, random: Random): Promise<void> {
  const { exchange } = world;
  if (exchange.hasRot || !(await isReady(exchange))) return;
  await write(world, 1, random);
  if (random.chance(0.8)) await exchange.life.until(operate(exchange, "POST", "snapshots", {}));
  const { sequence: copied } = await checkStep(exchange);
  const older = copyOf(exchange);
  for (let starts = random.integer(0, STARTS_MAX); starts > 0; starts--) await startAgain(exchange);
  await write(world, random.pick(LACKED), random);
  if (random.chance(0.85)) await exchange.life.until(operate(exchange, "POST", "snapshots", {}));
  await write(world, random.pick(LACKED), random);
  const { sequence } = await checkStep(exchange);
  await exchange.end({ disk: "kill", history: "kept" });
  const present = copyOf(exchange);
  const [file, fate] = [random.pick(FILES), random.pick(FATES)];
  // Of a journal that lacks its end only a snapshot behind that end tells.
  const isProven = newestSnapshot(present) > copied;
  if (file === "journal/" && !isProven && sequence > copied) return await exchange.start();
  const changed =
    file === "journal/" ? olderIn(older, present) : change(present, older, file, fate);
  place(exchange, changed);
  if (file === "snapshots/" && fate === "damaged") exchange.hasRot = true;
  const refusal = await startOrRefusal(exchange);
  const isDue = file === "journal/" && isProven;
  const what = () => `${fate} ${file}, copied at ${copied} of ${sequence}: ${refusal}`;
  hold((refusal !== null) === isDue, "a start has everything or is refused", what);
  if (refusal !== null) {
    await exchange.end({ disk: "kill", history: "kept" });
    place(exchange, present);
    await exchange.start();
  }
  // What is wrong with the numbers of this start is seen by the next one.
  await checkStep(exchange);
  await write(world, 1, random);
  await startAgain(exchange);
}

async function write(world: World, count: number, random: Random): Promise<void> {
  await world.exchange.life.until(command(world, count, random));
}

async function startAgain(exchange: SimulatedExchange): Promise<void> {
  await exchange.end({ disk: "kill", history: "kept" });
  await exchange.start();
}

function newestSnapshot(files: Files): number {
  const numbers = [...files.keys()].map((name) => Number(/^snapshots\/(\d+)/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

/** The journal of then, with the snapshots of now. */
function olderIn(older: Files, present: Files): Files {
  const isOf = ([name]: readonly [string, Uint8Array], folder: string) => name.startsWith(folder);
  const journal = [...older].filter((file) => isOf(file, "journal/"));
  return new Map([...journal, ...[...present].filter((file) => isOf(file, "snapshots/"))]);
}

/** What it does to one file, or to all of a folder. */
function change(
  present: Files,
  older: Files,
  changed: string,
  fate: (typeof FATES)[number],
): Files {
  const others = [...present].filter(([name]) => !name.startsWith(changed));
  const files = fate === "older" ? older : present;
  const its = [...files].filter(([name]) => name.startsWith(changed));
  if (fate === "missing") return new Map(others);
  if (fate === "older") return new Map([...others, ...its]);
  const cut = its.map(([name, bytes]) => [name, bytes.subarray(0, bytes.length >> 1)] as const);
  return new Map([...others, ...cut]);
}

/** These files, and no others. */
function place(exchange: SimulatedExchange, files: Files): void {
  const { dataFolder, disk } = exchange;
  for (const name of copyOf(exchange).keys()) disk.place(join(dataFolder, name), null);
  for (const [name, bytes] of files) disk.place(join(dataFolder, name), bytes.slice());
}

/** Why it was refused; null when it has started. */
export async function startOrRefusal(exchange: SimulatedExchange): Promise<string | null> {
  try {
    await exchange.start();
    return null;
  } catch (error) {
    if (!(error instanceof Breach) || !REFUSED.test(error.message)) throw error;
    return error.message;
  }
}
