/** The commands of a cluster that change which PostgreSQL is written, and which count. */
import { type Command, InvalidArgumentError } from "commander";
import { addCommand, type OutputFlags, print } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { EXAMPLE_URLS, postgresOption, postgresUrls } from "./postgres-urls.ts";

interface MembershipFlags extends OutputFlags {
  readonly postgres: string;
}

interface JoinFlags extends MembershipFlags {
  readonly pgdata: string;
  readonly programs: string;
}

interface FailoverFlags extends MembershipFlags {
  readonly loseAcknowledged?: true;
  readonly dataDir?: string;
}

/** Nodes write their files without syncing each commit. */
const KEEP_MIN = 1000;
const FAILOVER = "rialto cluster failover";

export function addMembershipCommands(cluster: Command): void {
  addCommand(cluster, "failover", {
    description: "promote the standby of PostgreSQL that has most, when the primary is gone",
    examples: [
      `${FAILOVER} --postgres ${EXAMPLE_URLS}`,
      `${FAILOVER} --postgres ${EXAMPLE_URLS} --lose-acknowledged`,
    ],
  })
    .addOption(postgresOption().makeOptionMandatory())
    .option("--lose-acknowledged", "go on although a member that may have more does not answer")
    .option("--data-dir <folder>", "a node's, to say how much would be lost")
    .action(failover);
  addCommand(cluster, "join <name>", {
    description: "make this machine's PostgreSQL, which is stopped, a standby that counts",
    examples: [
      `rialto cluster join p1 --postgres ${EXAMPLE_URLS} --pgdata /var/lib/postgresql/18/main`,
    ],
  })
    .addOption(postgresOption().makeOptionMandatory())
    .requiredOption("--pgdata <folder>", "its data folder: rewound, or copied anew")
    .option("--programs <folder>", "of pg_rewind and pg_basebackup; the PATH's if absent", "")
    .action(joinMember);
  addCommand(cluster, "remove <name>", {
    description: "take a node of PostgreSQL out of the quorum for good",
    examples: [`rialto cluster remove p3 --postgres ${EXAMPLE_URLS}`],
  })
    .addOption(postgresOption().makeOptionMandatory())
    .action(remove);
}

interface TrimFlags extends MembershipFlags {
  readonly keep: number;
}

export function addTrimCommand(cluster: Command): void {
  addCommand(cluster, "trim", {
    description: "drop the oldest parts of the log in PostgreSQL, which all nodes have as files",
    examples: [`rialto cluster trim --postgres ${EXAMPLE_URLS} --keep 50000000`],
  })
    .addOption(postgresOption().makeOptionMandatory())
    .requiredOption("--keep <commands>", "at the end of the log, at least; 1000 or more", parseKeep)
    .action(trim);
}

function parseKeep(text: string): number {
  const keep = Number(text);
  if (/^\d{1,15}$/.test(text) && keep >= KEEP_MIN) return keep;
  throw new InvalidArgumentError(`Keep ${KEEP_MIN} commands or more.`);
}

async function trim({ keep, ...flags }: TrimFlags): Promise<void> {
  const { trimNow } = await import("../app/cluster/change-members.ts");
  const trimmed = await refusable(() => trimNow(postgresUrls(flags.postgres), keep));
  const { after, dropped, heldBy } = trimmed;
  const held = heldBy === null ? "" : ` Node ${heldBy} does not have more yet.`;
  print(flags, trimmed, `Dropped ${dropped} parts; the log begins after ${after}.${held}`);
}

async function joinMember(name: string, flags: JoinFlags): Promise<void> {
  const { joinStandby } = await import("../app/cluster/change-members.ts");
  const urls = postgresUrls(flags.postgres);
  const { pgdata, programs } = flags;
  const done = await refusable(() => joinStandby({ urls, name, pgdata, programs }));
  const how = done.how === "rewound" ? "was rewound" : "is a new copy";
  print(
    flags,
    { name, ...done },
    `${pgdata} ${how}. Start it: ${name} counts from then on, in generation ${done.generation}.`,
  );
}

async function remove(name: string, flags: MembershipFlags): Promise<void> {
  const { removeNow } = await import("../app/cluster/change-members.ts");
  const urls = postgresUrls(flags.postgres);
  const generation = await refusable(() => removeNow(urls, name));
  print(flags, { name, generation }, `${name} is no member any more, in generation ${generation}.`);
}

async function failover(flags: FailoverFlags): Promise<void> {
  const { dataDir, loseAcknowledged = false, postgres } = flags;
  const { endOfCopy, failOverNow } = await import("../app/cluster/change-members.ts");
  const done = await refusable(async () => {
    const copySequence = dataDir === undefined ? null : await endOfCopy(dataDir);
    return await failOverNow({ urls: postgresUrls(postgres), loseAcknowledged, copySequence });
  });
  const { away, generation, primary, sequence, standbys } = done;
  const following = standbys.length === 0 ? "nothing follows it yet" : `${standbys.join()} follows`;
  const joins = away.map(
    (name) => `\nJoin ${name} again before it runs: rialto cluster join ${name}`,
  );
  print(
    flags,
    { primary, generation, sequence, standbys, away },
    `${primary} is the primary, in generation ${generation}, with the log up to sequence ` +
      `${sequence}; ${following}.${joins.join("")}`,
  );
}

async function refusable<Value>(work: () => Promise<Value>): Promise<Value> {
  const { MembershipRefused } = await import("../journal/index.ts");
  try {
    return await work();
  } catch (error) {
    if (error instanceof MembershipRefused) throw new CommandFailed("refused", error.message);
    throw error;
  }
}
