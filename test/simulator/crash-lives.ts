/**
 * Short lives of the journal alone, on copies of the disk: it starts, writes a little and ends at
 * any call, by a kill, a failed sync or a power cut, several times in a row. A life takes a few
 * milliseconds, so that there are far more of them than of whole exchanges. What was answered, and
 * what a start has found, must be there for good; damage of it is refused.
 */
import { join } from "node:path";
import { type FileJournal, openFileJournal } from "../../src/journal/index.ts";
import { untilStopped } from "../support/journal-session.ts";
import { lastSequenceOf, randomBatch } from "../support/journal-workload.ts";
import type { Random } from "../support/random.ts";
import {
  type Fault,
  FaultyFileSystem,
  type Operation,
  type SimulatedDisk,
} from "../support/simulated-disk.ts";
import { SimulatedTime } from "../support/simulated-machine.ts";
import { hold } from "./breach.ts";
import { flipBit } from "./faulty-disk.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

const LIVES = 5;
/** Of a start and what is written in a life, about. */
const CALLS_MAX = 90;
const SYNCS_MAX = 9;
/** Of a few commits behind the start. */
const WRITING_SYNCS = 3;
const GROUPS_MAX = 3;
const RECORD_BYTES = [20, 300, 1_500] as const;
/** The machine stopped while it wrote a slot of the ring: a person has to decide. */
const HALF_A_SLOT = /header\.ring, .*, is damaged/;

/** What must be in the journal from now on. */
interface Promised {
  sequence: number;
  /** Its hash of everything up to there. */
  chainHash: string;
  epoch: number;
}

export async function checkCrashes(exchange: SimulatedExchange, random: Random): Promise<void> {
  const { chainHash, sequence } = exchange.story;
  if (sequence === 0 || exchange.hasLied) return;
  const folder = join(exchange.dataFolder, "journal");
  const promised = { sequence, chainHash, epoch: 0 };
  let disk = afterEnd(exchange.disk, random);
  for (let life = 0; life < LIVES; life++) {
    if ((await live(disk, folder, promised, random)) === "refused") return;
    disk = afterEnd(disk, random);
  }
  await checkDamage(disk, folder, promised, random);
}

function afterEnd(disk: SimulatedDisk, random: Random): SimulatedDisk {
  const how = random.pick(["kill", "drops-all", "tears", "tears", "tears"] as const);
  return how === "kill" ? disk.afterKill() : disk.afterPowerCut(how, random);
}

/** A fault at a call of a life, counted from its beginning or from the end of its start. */
class LifePlan {
  readonly #fault: Fault | null;
  readonly #of: Operation | null;
  #left: number;
  #isCounting: boolean;

  constructor(random: Random) {
    this.#fault = random.pick([
      null,
      { kind: "stop" },
      { kind: "stop" },
      { kind: "stop" },
      { kind: "error", code: "EIO" },
    ] as const);
    this.#of = this.#fault?.kind === "error" || random.chance(0.7) ? "sync" : null;
    this.#isCounting = random.chance(0.4);
    const most = this.#of === null ? CALLS_MAX : SYNCS_MAX;
    this.#left = random.integer(0, this.#isCounting ? most : WRITING_SYNCS);
  }

  started(): void {
    this.#isCounting = true;
  }

  next(operation: Operation): Fault | null {
    if (!this.#isCounting || (this.#of !== null && operation !== this.#of)) return null;
    return this.#left-- === 0 ? this.#fault : null;
  }
}

function open(machine: FaultyFileSystem, folder: string, preallocatedBytes: number) {
  const scheduler = new SimulatedTime();
  return openFileJournal({ folder, fileSystem: machine, scheduler, preallocatedBytes });
}

/** Says how it ended. */
async function live(
  disk: SimulatedDisk,
  folder: string,
  promised: Promised,
  random: Random,
): Promise<"refused" | "ended"> {
  const plan = new LifePlan(random);
  const machine = new FaultyFileSystem(disk, (operation) => plan.next(operation), random);
  let end: "refused" | "ended" = "ended";
  const program = async (): Promise<void> => {
    const opening = await open(machine, folder, random.pick([2_000, 40_000]));
    if (opening.ok) {
      plan.started();
      return await write(machine, opening.journal, promised, random);
    }
    const { kind, message } = opening.refusal;
    // The fault of this life may be what it says.
    const mayBe = kind === "unusable" || HALF_A_SLOT.test(message);
    hold(mayBe, "a power cut leaves a journal that opens", () => message);
    end = "refused";
  };
  let failure: unknown = null;
  const noted = program().catch((error: unknown) => {
    failure = error;
  });
  await untilStopped(machine, noted);
  if (failure !== null) throw failure;
  return end;
}

async function write(
  machine: FaultyFileSystem,
  journal: FileJournal,
  promised: Promised,
  random: Random,
): Promise<void> {
  const epoch = () => `${journal.epoch} after ${promised.epoch}`;
  hold(journal.epoch > promised.epoch, "every start has an epoch of its own", epoch);
  promised.epoch = journal.epoch;
  await checkPromise(journal, promised);
  await promise(journal, promised);
  const recordBytes = random.pick(RECORD_BYTES);
  for (let groups = random.integer(0, GROUPS_MAX); groups > 0; groups--) {
    let last = journal.lastSequence;
    const answers = Array.from({ length: random.integer(1, 3) }, () => {
      const batch = randomBatch(random, last, recordBytes);
      const answer = journal.append(last, journal.epoch, batch);
      last = lastSequenceOf(batch);
      return answer;
    });
    const results = await Promise.all(answers);
    if (results.some((result) => result !== "durable")) return;
    await promise(journal, promised);
  }
  if (random.chance(0.2) && !machine.stopped) await journal.close().catch(() => undefined);
}

async function checkPromise(journal: FileJournal, promised: Promised): Promise<void> {
  const { sequence } = promised;
  const { lastSequence } = journal;
  const detail = () => `${lastSequence} of ${sequence}`;
  hold(lastSequence >= sequence, "nothing durable is lost", detail);
  const hash = await journal.chainHashAt(sequence);
  const isSame = hash !== null && hexOf(hash) === promised.chainHash;
  hold(isSame, "nothing durable is changed", () => `up to ${sequence}`);
}

/** Whoever reads now, or was answered, relies on it. */
async function promise(journal: FileJournal, promised: Promised): Promise<void> {
  const { lastSequence } = journal;
  const hash = await journal.chainHashAt(lastSequence);
  if (hash === null) return;
  promised.sequence = lastSequence;
  promised.chainHash = hexOf(hash);
}

/** A flipped bit in the last commit, of which everybody knows, is no torn commit. */
async function checkDamage(
  disk: SimulatedDisk,
  folder: string,
  promised: Promised,
  random: Random,
): Promise<void> {
  const path = [...disk.names.keys()]
    .filter((name) => name.startsWith(`${folder}/`) && name.endsWith(".segment"))
    .sort()
    .at(-1);
  const bytes = path === undefined ? undefined : disk.file(path);
  let end = bytes?.length ?? 0;
  while (end > 0 && bytes?.[end - 1] === 0) end--;
  if (path === undefined || bytes === undefined || end === 0) return;
  const damaged = disk.fork();
  const kept = bytes.slice();
  const at = end - random.integer(1, Math.min(end, 40));
  const byte = kept.slice(at, at + 1);
  flipBit(byte, random);
  // A byte that becomes zero may empty its sector, as if that had never been written.
  if (byte[0] === 0) return;
  kept.set(byte, at);
  damaged.place(path, kept);
  const opening = await open(new FaultyFileSystem(damaged), folder, 2_000);
  if (!opening.ok) return;
  await checkPromise(opening.journal, promised);
  await opening.journal.close();
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
