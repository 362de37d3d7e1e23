/** `rialto cluster`: an exchange of several nodes over one PostgreSQL. */
import { type Command, Option } from "commander";
import type { GetClusterAnswer } from "../client/index.ts";
import { addCommand, addGroup, type OutputFlags, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { postgresUrls } from "./postgres-urls.ts";
import { textFields, textTable } from "./text-table.ts";

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
  const status = addCommand(cluster, "status", {
    description: "show the nodes of a cluster and of its PostgreSQL, as one node sees them",
    examples: ["rialto cluster status --operator-url http://10.0.0.5:8081"],
  });
  addOperatorOptions(status).action(showStatus);
}

async function showStatus(flags: OperatorFlags): Promise<void> {
  const cluster = await withOperator(flags, (operator) => operator.getCluster());
  print(flags, cluster, statusText(cluster));
}

function statusText(cluster: GetClusterAnswer): string {
  const { epoch, generation, leader, nodes, postgres, quorum } = cluster;
  const yes = (is: boolean) => (is ? "yes" : "no");
  return [
    textFields({ leader: leader ?? "none", quorum: yes(quorum), epoch, generation }),
    "",
    textTable(
      ["node", "role", "sequence", "lag ms", "confirmed", "rules", "version", "url"],
      nodes.map((row) => [
        row.node,
        row.role,
        String(row.appliedSequence),
        String(row.lagMs),
        yes(row.confirmed),
        String(row.rules),
        row.version,
        row.url,
      ]),
    ),
    "",
    textTable(
      ["PostgreSQL", "role", "timeline", "counts"],
      postgres.map(({ name, role, sync, timeline }) => {
        return [name, role, timeline === null ? "-" : String(timeline), yes(sync)];
      }),
    ),
  ].join("\n");
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
