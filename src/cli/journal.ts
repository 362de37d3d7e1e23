/** `rialto journal`: inspects, verifies, replays and repairs the journal. */
import { dirname, join } from "node:path";
import type { Command } from "commander";
import type { ReplayedState } from "../app/journal-replay.ts";
import { Progress } from "../app/progress.ts";
import type { JournalInspection } from "../journal/index.ts";
import {
  addCommand,
  addGroup,
  dataFolderOption,
  type OutputFlags,
  parseSequence,
  print,
} from "./command.ts";
import { existingJournalFolder, withLockedFolder } from "./data-folder.ts";
import { EventLines } from "./event-lines.ts";
import { CommandFailed, EXIT_DAMAGED } from "./failure.ts";
import { textTime, totalsText } from "./text-table.ts";

interface JournalFlags extends OutputFlags {
  readonly dataDir: string;
}

const EXIT_VIOLATED = 1;

export function addJournalCommands(program: Command): void {
  const journal = addGroup(program, "journal", {
    description: "inspect, verify, replay and repair the journal",
    examples: ["rialto journal inspect"],
  });
  addReads(journal);
  addReplay(journal);
  addCommand(journal, "repair", {
    description: "show everything after a sequence, and drop it with --yes",
    examples: [
      "rialto journal repair --drop-after 120000",
      "rialto journal repair --drop-after 120000 --yes",
    ],
  })
    .addOption(dataFolderOption())
    .requiredOption("--drop-after <sequence>", "last sequence to keep", parseSequence)
    .option("--yes", "drop it")
    .action(repair);
}

function addReads(journal: Command): void {
  addCommand(journal, "inspect", {
    description: "summarise the journal; safe while the exchange runs",
    examples: ["rialto journal inspect --data-dir /var/lib/rialto"],
  })
    .addOption(dataFolderOption())
    .action(inspect);
  addCommand(journal, "verify", {
    description: "check every checksum, hash and link; safe while the exchange runs",
    examples: ["rialto journal verify", "rialto journal verify --replay --data-dir /backup/rialto"],
  })
    .addOption(dataFolderOption())
    .option("--replay", "also replay every command and compare the event digests")
    .action(verify);
}

function addReplay(journal: Command): void {
  addCommand(journal, "replay", {
    description:
      "replay every command and show the resulting state; read-only, safe while the exchange runs",
    examples: [
      "rialto journal replay",
      "rialto journal replay --to 120000 --json",
      "rialto journal replay --events --from 119990 --to 120000",
    ],
  })
    .addOption(dataFolderOption())
    .option("--to <sequence>", "stop here instead of at the end", parseSequence)
    .option("--events", "print events as lines of JSON, and the state on standard error")
    .option("--from <sequence>", "with --events: start at this command", parseSequence)
    .action(replay);
}

async function inspect(flags: JournalFlags): Promise<void> {
  const { describeInspection, inspectJournal } = await import("../journal/index.ts");
  const inspection = await examine(flags, inspectJournal);
  if (!inspection.ok) process.exitCode = EXIT_DAMAGED;
  print(flags, inspection, describeInspection(inspection));
}

async function verify(flags: JournalFlags & { readonly replay?: true }): Promise<void> {
  const { describeVerdict, verifyJournal } = await import("../journal/index.ts");
  const inspection = await examine(flags, verifyJournal);
  if (!inspection.ok) process.exitCode = EXIT_DAMAGED;
  const verdict = describeVerdict(inspection);
  if (!flags.replay || !inspection.ok) return print(flags, inspection, verdict);
  const { replayJournal } = await import("../app/journal-replay.ts");
  const { folder: journalFolder, lastSequence: throughSequence } = inspection;
  const { digestsCompared, stateHash } = await replayJournal({ journalFolder, throughSequence });
  const lines = [
    verdict,
    `replayed ${throughSequence} commands; ` +
      `${digestsCompared} digests of events compared, all equal`,
    ...(digestsCompared === 0 ? ["(the journal carries a digest every 10,000 commands)"] : []),
    `state hash ${stateHash}`,
  ];
  const replayed = { commands: throughSequence, digestsCompared, stateHash };
  print(flags, { ...inspection, replay: replayed }, lines.join("\n"));
}

type Examination = (options: {
  readonly folder: string;
  readonly onProgress: (progress: { readonly percent: number }) => void;
}) => Promise<JournalInspection>;

/** Reads the whole journal and shows progress. */
async function examine({ dataDir }: JournalFlags, how: Examination): Promise<JournalInspection> {
  const progress = new Progress("Reading the journal", 100);
  const inspection = await how({
    folder: await existingJournalFolder(dataDir),
    onProgress: ({ percent }) => progress.report(percent),
  });
  progress.end();
  return inspection;
}

interface ReplayFlags extends JournalFlags {
  readonly to?: number;
  readonly from?: number;
  readonly events?: true;
}

async function replay(flags: ReplayFlags): Promise<void> {
  const { verifyJournal } = await import("../journal/index.ts");
  const { replayJournal } = await import("../app/journal-replay.ts");
  const inspection = await examine(flags, verifyJournal);
  const throughSequence = replayableThrough(inspection, flags.to);
  const lines = new EventLines(flags.from ?? 1);
  const state = await replayJournal({
    journalFolder: inspection.folder,
    throughSequence,
    ...(flags.events && { onEvents: ({ chunk }) => lines.write(chunk) }),
  });
  if (state.violations.length > 0) process.exitCode = EXIT_VIOLATED;
  if (!flags.events) print(flags, state, stateText(state));
  else console.error(flags.json ? JSON.stringify(state) : stateText(state));
}

/** What precedes damage can still be replayed if `--to` says where to stop. */
function replayableThrough(inspection: JournalInspection, to: number | undefined): number {
  const { damage, lastSequence } = inspection;
  const readable = damage.reduce((least, { sequence }) => {
    return Math.min(least, (sequence ?? 1) - 1);
  }, lastSequence);
  if (to === undefined && damage.length > 0) {
    throw new CommandFailed(
      "damaged-journal",
      `${damage[0]?.message}. To replay what comes before it, add --to ${readable}`,
    );
  }
  if (to !== undefined && to > readable) {
    throw new CommandFailed("out-of-range", `The journal can be read up to sequence ${readable}.`);
  }
  return to ?? lastSequence;
}

function stateText(state: ReplayedState): string {
  const { sequence, timestampMs, rulesVersion, digestsCompared, stateHash, violations } = state;
  return [
    totalsText(state.totals),
    "",
    ...violations.map((violation) => `VIOLATED: ${violation}`),
    `sequence ${sequence}, ${textTime(timestampMs)}, rules version ${rulesVersion}`,
    `${digestsCompared} digests of events compared, all equal`,
    `state hash ${stateHash}`,
  ].join("\n");
}

interface RepairFlags extends JournalFlags {
  readonly dropAfter: number;
  readonly yes?: true;
}

async function repair(flags: RepairFlags): Promise<void> {
  const files = await import("../journal/index.ts");
  await withLockedFolder(flags.dataDir, async (folder) => {
    const options = { folder, afterSequence: flags.dropAfter };
    const { ring } = await files.inspectJournal({ folder });
    const result = flags.yes ? await files.dropAfter(options) : await files.planDrop(options);
    if (!result.ok) throw new CommandFailed("refused", result.refusal.message);
    const { plan } = result;
    const lines = [files.describeDrop(plan)];
    const known = ring.newestSequence ?? 0;
    if (known > plan.lastReadableSequence) {
      lines.push(
        `The header ring lists commands up to sequence ${known}. Those that cannot be read ` +
          "may have been acknowledged.",
      );
    }
    const snapshotFolder = join(dirname(folder), "snapshots");
    const snapshots = files.openSnapshotFiles({ folder: snapshotFolder });
    const droppedSnapshots = flags.yes ? await snapshots.dropAfter(flags.dropAfter) : [];
    lines.push(...droppedSnapshots.map((sequence) => `the snapshot of sequence ${sequence}`));
    lines.push(flags.yes ? "Dropped." : NOTHING_DROPPED);
    const batches = plan.batches.map(({ records, ...batch }) => {
      return { ...batch, commands: records.length };
    });
    const dropped = { ...plan, batches, knownSequence: known, droppedSnapshots };
    print(flags, { dropped: flags.yes === true, ...dropped }, lines.join("\n"));
  });
}

const NOTHING_DROPPED = "Nothing was changed. Copy the folder, then add --yes to drop it.";
