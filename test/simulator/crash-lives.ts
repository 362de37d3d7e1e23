/**
 * Short lives of the journal alone, on copies of the disk: it starts, writes a little and ends at
 * any call, by a kill, a failed sync or a power cut, several times in a row. A life takes a few
 * milliseconds, so that there are far more of them than of whole exchanges. What was answered, and
 * what a start has found, must be there for good; damage of it is refused. In some, segments are so
 * small that they are closed and compressed, and the whole journal is read again by every start.
 */
import { join } from "node:path";
import {
  compressClosedSegments,
  DamagedJournal,
  type FileJournal,
  openFileJournal,
} from "../../src/journal/index.ts";
import { untilStopped } from "../support/journal-session.ts";
import { lastSequenceOf, randomBatch } from "../support/journal-workload.ts";
import { Random } from "../support/random.ts";
import {
  type Fault,
  FaultyFileSystem,
  type Operation,
  type SimulatedDisk,
} from "../support/simulated-disk.ts";
import { SimulatedTime } from "../support/simulated-machine.ts";
import { Breach, hold } from "./breach.ts";
import { flipBit } from "./faulty-disk.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

const LIVES = 5;
/** Of a start and what is written in a life, about. */
const CALLS_MAX = 90;
const SYNCS_MAX = 9;
/** Of a few commits behind the start; with small segments some are closed and compressed, too. */
const WRITING_SYNCS = { usual: 3, small: 25 };
const GROUPS_MAX = 3;
const RECORD_BYTES = [20, 300, 1_500] as const;
/** Of a segment or two. */
const COMPRESSION_CALLS_MAX = 30;
/** More than a batch has, and so little that a few commits fill it. */
const SMALL_SEGMENTS = [8_000, 12_000] as const;
/** Of times that lives are lived, those in which segments are small, too. */
const WITH_SMALL_SEGMENTS = 0.7;
const EPOCH_FILE = "epoch";
const SEGMENT = /\.segment(\.zst)?$/;
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
  await liveSome(exchange, random, undefined);
  // Of its own, which leaves the draws of everything else alone.
  const own = new Random(Number.parseInt(chainHash.slice(0, 8), 16));
  if (own.chance(WITH_SMALL_SEGMENTS)) await liveSome(exchange, own, own.pick(SMALL_SEGMENTS));
}

async function liveSome(
  { dataFolder, disk: seen, story }: SimulatedExchange,
  random: Random,
  segmentBytes: number | undefined,
): Promise<void> {
  const folder = join(dataFolder, "journal");
  const promised = { sequence: story.sequence, chainHash: story.chainHash, epoch: 0 };
  let disk = afterEnd(seen, random);
  for (let life = 0; life < LIVES; life++) {
    const place = { disk, folder, segmentBytes };
    if ((await live(place, promised, random)) === "refused") return;
    disk = afterEnd(disk, random);
  }
  await checkDamage(disk, folder, promised, random);
  await checkEpochs(disk, seen.file(join(folder, EPOCH_FILE)) ?? null, promised, folder);
  await checkMissingSegments(disk, folder);
}

interface Place {
  readonly disk: SimulatedDisk;
  readonly folder: string;
  /** Undefined for the usual ones, which no life fills. */
  readonly segmentBytes: number | undefined;
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

  constructor(random: Random, writingMost: number) {
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
    this.#left = random.integer(0, this.#isCounting ? most : writingMost);
  }

  started(): void {
    this.#isCounting = true;
  }

  next(operation: Operation): Fault | null {
    if (!this.#isCounting || (this.#of !== null && operation !== this.#of)) return null;
    return this.#left-- === 0 ? this.#fault : null;
  }
}

interface Sizes {
  readonly preallocatedBytes: number;
  readonly segmentBytes?: number | undefined;
}

function open(
  machine: FaultyFileSystem,
  folder: string,
  { preallocatedBytes, segmentBytes }: Sizes,
) {
  const options = { folder, fileSystem: machine, preallocatedBytes };
  const small = segmentBytes === undefined ? {} : { segmentBytes };
  return openFileJournal({ ...options, ...small, scheduler: new SimulatedTime() });
}

/** Says how it ended. */
async function live(
  { disk, folder, segmentBytes }: Place,
  promised: Promised,
  random: Random,
): Promise<"refused" | "ended"> {
  const writingMost = segmentBytes === undefined ? WRITING_SYNCS.usual : WRITING_SYNCS.small;
  const plan = new LifePlan(random, writingMost);
  const machine = new FaultyFileSystem(disk, (operation) => plan.next(operation), random);
  let end: "refused" | "ended" = "ended";
  const program = async (): Promise<void> => {
    const preallocatedBytes = random.pick([2_000, 40_000]);
    const opening = await open(machine, folder, { preallocatedBytes, segmentBytes });
    if (opening.ok) {
      const { journal } = opening;
      if (segmentBytes !== undefined) await checkWhole(journal);
      plan.started();
      if (segmentBytes === undefined) return await write(machine, journal, promised, random);
      const place = { disk, folder };
      if (random.chance(0.6) && !(await compress(place, random))) return;
      await write(machine, journal, promised, random);
      if (random.chance(0.5)) await compress(place, random);
      return;
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

/** Each batch that the journal has can be read, across closed and compressed segments. */
async function checkWhole(journal: FileJournal): Promise<void> {
  const { lastSequence } = journal;
  let read = 0;
  try {
    for await (const { firstSequence, records } of journal.read(1)) {
      read = firstSequence + records.length - 1;
    }
  } catch (error) {
    if (!(error instanceof DamagedJournal)) throw error;
    throw new Breach("a power cut leaves a journal that can be read", error.message);
  }
  hold(read === lastSequence, "nothing durable is lost", () => `${read} of ${lastSequence}`);
}

/**
 * As an exchange does beside its writer. At a call that fails it ends, and perhaps the life too. No
 * read fails, as a stream of Node that never began would count as work that is still under way.
 */
async function compress(
  { disk, folder }: Pick<Place, "disk" | "folder">,
  random: Random,
): Promise<boolean> {
  let left = random.chance(0.5) ? random.integer(0, COMPRESSION_CALLS_MAX) : -1;
  const files = new FaultyFileSystem(disk, (operation) => {
    return operation !== "read" && left-- === 0 ? { kind: "error", code: "EIO" } : null;
  });
  try {
    await compressClosedSegments(folder, files);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error) return false;
    throw new Breach("a power cut leaves a journal that can be read", String(error));
  }
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
  const opening = await open(new FaultyFileSystem(damaged), folder, { preallocatedBytes: 2_000 });
  if (!opening.ok) return;
  await checkPromise(opening.journal, promised);
  await opening.journal.close();
}

/**
 * The epoch's file is missing, damaged or an older one: the journal knows which epochs there were,
 * and whatever is written now can be read by the next start.
 */
async function checkEpochs(
  disk: SimulatedDisk,
  older: Uint8Array | null,
  promised: Promised,
  folder: string,
): Promise<void> {
  const random = new Random(promised.sequence ^ 0x650a7354);
  let left = disk.fork();
  left.place(join(folder, EPOCH_FILE), random.pick([null, older, new Uint8Array(3)]));
  const kept = { ...promised, epoch: 0 };
  for (let life = 0; life < 3; life++) {
    const machine = new FaultyFileSystem(left);
    const opening = await open(machine, folder, { preallocatedBytes: 2_000 });
    if (!opening.ok) {
      const { message } = opening.refusal;
      const isOfCrash = life === 0 && HALF_A_SLOT.test(message);
      hold(isOfCrash, "a journal without its epoch opens", () => message);
      return;
    }
    await writeReadably(machine, opening.journal, kept, random);
    left = left.afterKill();
  }
}

/** What it writes can be read by everybody. */
async function writeReadably(...parts: Parameters<typeof write>): Promise<void> {
  try {
    await write(...parts);
  } catch (error) {
    if (!(error instanceof DamagedJournal)) throw error;
    throw new Breach("a journal without its epoch can be written", error.message);
  }
}

/** All of them are gone, and the ring knows what was in them: no journal that begins. */
async function checkMissingSegments(disk: SimulatedDisk, folder: string): Promise<void> {
  const emptied = disk.fork();
  for (const name of [...emptied.names.keys()]) {
    if (name.startsWith(`${folder}/`) && SEGMENT.test(name)) emptied.place(name, null);
  }
  const opening = await open(new FaultyFileSystem(emptied), folder, { preallocatedBytes: 2_000 });
  const detail = () => (opening.ok ? `begins at ${opening.journal.lastSequence}` : "");
  hold(!opening.ok, "a journal without its segments is refused", detail);
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}
