/** `rialto cluster`: an exchange of several nodes over one PostgreSQL. */
import { type Command, Option } from "commander";
import { addCommand, addGroup, type OutputFlags, print } from "./command.ts";
import { postgresUrls } from "./postgres-urls.ts";

interface InitFlags extends OutputFlags {
  readonly postgres: string;
  readonly from?: string;
}

const URLS = "postgresql://rialto@10.0.0.1/rialto,postgresql://rialto@10.0.0.2/rialto";

export function addClusterCommands(program: Command): void {
  const cluster = addGroup(program, "cluster", {
    description: "run one exchange on several machines",
    examples: [`rialto cluster init --postgres ${URLS}`],
  });
  addCommand(cluster, "init", {
    description: "make the log of a cluster in PostgreSQL, once; then start its nodes",
    examples: [
      `rialto cluster init --postgres ${URLS}`,
      `rialto cluster init --postgres ${URLS} --from /var/lib/rialto`,
    ],
  })
    .addOption(postgresOption().makeOptionMandatory())
    .option("--from <folder>", "begin with the exchange in this data folder, which is stopped")
    .action(init);
}

/** Several addresses, of one database. */
function postgresOption(): Option {
  const text = "all nodes of PostgreSQL, each the address of the same database";
  return new Option("--postgres <url,…>", text).env("RIALTO_POSTGRES");
}

async function init(flags: InitFlags): Promise<void> {
  const { initCluster } = await import("../app/cluster/init.ts");
  const started = await initCluster({
    postgresUrls: postgresUrls(flags.postgres),
    from: flags.from ?? null,
    masterKeyFile: process.env.RIALTO_MASTER_KEY_FILE ?? null,
  });
  const { keys, sequence, venue } = started;
  const content =
    flags.from === undefined ? "It is empty." : `It has ${sequence} commands, ${keys} API keys.`;
  print(flags, started, `Made the log of venue ${venue}. ${content}`);
}
