/** `rialto journal`: looking at the journal, checking it, and the way out of damage. */
import { join } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { createLog } from "../app/log.ts";
import { Progress } from "../app/progress.ts";
import { NO_SNAPSHOTS, recover } from "../app/recovery.ts";
import {
  describeDrop,
  describeInspection,
  describeVerdict,
  dropAfter,
  inspectJournal,
  type JournalInspection,
  openJournalReader,
  openSnapshotFiles,
  planDrop,
  verifyJournal,
} from "../journal/index.ts";
import { dataFolderOption, existingJournalFolder, withLockedFolder } from "./data-folder.ts";

interface JournalFlags {
  readonly dataDir: string;
  readonly json?: true;
}

/** EX_DATAERR: the journal is damaged. */
const EXIT_DAMAGED = 65;

export function addJournalCommands(program: Command): void {
  const journal = program.command("journal").description("look at the journal and check it");
  const json = (): Option => new Option("--json", "print JSON instead of text");
  journal
    .command("inspect")
    .description("tell what is in the journal; may run beside the exchange")
    .addOption(dataFolderOption())
    .addOption(json())
    .action(inspect);
  journal
    .command("verify")
    .description("check every checksum, hash and link; may run beside the exchange")
    .addOption(dataFolderOption())
    .addOption(json())
    .option("--replay", "also apply every command again and compare the digests of events")
    .action(verify);
  journal
    .command("repair")
    .description("show, and with --yes drop, everything after a sequence")
    .addOption(dataFolderOption())
    .requiredOption("--drop-after <sequence>", "the last sequence that stays", parseSequence)
    .option("--yes", "really drop it")
    .action(repair);
}

function parseSequence(text: string): number {
  const sequence = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(sequence)) {
    throw new InvalidArgumentError("A sequence is a whole number from 0.");
  }
  return sequence;
}

async function inspect(flags: JournalFlags): Promise<void> {
  const inspection = await examine(flags, inspectJournal);
  console.log(flags.json ? toJson(inspection) : describeInspection(inspection));
}

async function verify(flags: JournalFlags & { readonly replay?: true }): Promise<void> {
  const inspection = await examine(flags, verifyJournal);
  const replayed = flags.replay && inspection.ok ? await replay(inspection) : null;
  if (flags.json) {
    console.log(toJson(replayed === null ? inspection : { ...inspection, replay: replayed }));
    return;
  }
  console.log(describeVerdict(inspection));
  if (replayed === null) return;
  const { commands, digestsCompared, stateHash } = replayed;
  console.log(
    `replayed ${commands} commands; ${digestsCompared} digests of events compared, all equal`,
  );
  if (digestsCompared === 0) console.log("(the journal carries a digest every 10,000 commands)");
  console.log(`state hash ${stateHash}`);
}

function toJson(value: object): string {
  return JSON.stringify(value, null, 2);
}

/** Reads the whole journal, with progress; damage is the exit code. */
async function examine(
  { dataDir }: JournalFlags,
  how: typeof inspectJournal,
): Promise<JournalInspection> {
  const progress = new Progress("Reading the journal", 100);
  const inspection = await how({
    folder: existingJournalFolder(dataDir),
    onProgress: ({ percent }) => progress.report(percent),
  });
  progress.end();
  if (!inspection.ok) process.exitCode = EXIT_DAMAGED;
  return inspection;
}

interface Replayed {
  readonly commands: number;
  readonly digestsCompared: number;
  readonly stateHash: string;
}

/** Every command again, from the first: no snapshot is trusted. */
async function replay({ folder, lastSequence }: JournalInspection): Promise<Replayed> {
  const reader = openJournalReader(folder);
  const replayed = await recover({
    journal: { lastSequence, read: (from) => reader.read(from, lastSequence) },
    snapshots: NO_SNAPSHOTS,
    log: createLog("warn"),
    showProgress: true,
    onEvents: () => Promise.resolve(),
  });
  return {
    commands: replayed.sequence,
    digestsCompared: replayed.digestsCompared,
    stateHash: replayed.engine.stateHash(),
  };
}

async function repair(
  flags: JournalFlags & { readonly dropAfter: number; readonly yes?: true },
): Promise<void> {
  await withLockedFolder(flags.dataDir, async (folder) => {
    const options = { folder, afterSequence: flags.dropAfter };
    const { ring } = await inspectJournal({ folder });
    const result = flags.yes ? await dropAfter(options) : await planDrop(options);
    if (!result.ok) {
      console.error(result.refusal.message);
      process.exitCode = 1;
      return;
    }
    console.log(describeDrop(result.plan));
    const known = ring.newestSequence ?? 0;
    if (known > result.plan.lastReadableSequence) {
      console.log(
        `The header ring knows commands up to sequence ${known}. Those that cannot be read ` +
          "may have been acknowledged.",
      );
    }
    if (flags.yes) {
      const snapshots = openSnapshotFiles({ folder: join(flags.dataDir, "snapshots") });
      for (const sequence of await snapshots.dropAfter(flags.dropAfter)) {
        console.log(`the snapshot of sequence ${sequence}`);
      }
    }
    console.log(
      flags.yes
        ? "Dropped."
        : "Nothing was changed. Keep a copy of the folder, then give --yes to drop it.",
    );
  });
}
