/** The commands of a cluster that change which PostgreSQL is written, and which count. */
import type { Command } from "commander";
import { addCommand, type OutputFlags, print } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { postgresOption, postgresUrls } from "./postgres-urls.ts";

interface MembershipFlags extends OutputFlags {
  readonly postgres: string;
}

interface FailoverFlags extends MembershipFlags {
  readonly loseAcknowledged?: true;
  readonly dataDir?: string;
}

export function addMembershipCommands(cluster: Command): void {
  addCommand(cluster, "failover", {
    description: "promote the standby of PostgreSQL that has most, when the primary is gone",
    examples: ["rialto cluster failover", "rialto cluster failover --lose-acknowledged"],
  })
    .addOption(postgresOption().makeOptionMandatory())
    .option("--lose-acknowledged", "go on although a member that may have more does not answer")
    .option("--data-dir <folder>", "a node's, to say how much would be lost")
    .action(failover);
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
