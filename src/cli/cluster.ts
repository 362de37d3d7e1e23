/** `rialto cluster`: an exchange of several nodes over one PostgreSQL. */
import type { Command } from "commander";
import type { GetClusterAnswer } from "../client/index.ts";
import { addDemoCommand } from "./cluster-demo.ts";
import { addMembershipCommands, addTrimCommand } from "./cluster-members.ts";
import { addCommand, addGroup, dataFolderOption, type OutputFlags, print } from "./command.ts";
import { withOperator } from "./operator.ts";
import { addOperatorOptions, type OperatorFlags } from "./operator-options.ts";
import { EXAMPLE_URLS, postgresOption, postgresUrls } from "./postgres-urls.ts";
import { textFields, textTable } from "./text-table.ts";

interface ExportFlags extends OutputFlags {
  readonly to: string;
  readonly dataDir: string;
  readonly postgres?: string;
}

interface InitFlags extends OutputFlags {
  readonly postgres: string;
  readonly from?: string;
  readonly sandbox?: true;
}

export function addClusterCommands(program: Command): void {
  const cluster = addGroup(program, "cluster", {
    description: "run one exchange on several machines",
    examples: [`rialto cluster init --postgres ${EXAMPLE_URLS}`],
  });
  addCommand(cluster, "init", {
    description: "make the log of a cluster in PostgreSQL, once; then start its nodes",
    examples: [
      `rialto cluster init --postgres ${EXAMPLE_URLS}`,
      `rialto cluster init --postgres ${EXAMPLE_URLS} --from /var/lib/rialto`,
    ],
  })
    .addOption(postgresOption().makeOptionMandatory())
    .option("--from <folder>", "begin with the exchange in this data folder, which is stopped")
    .option("--sandbox", "let the operator move the clock; all nodes then need this flag")
    .action(init);
  addCommand(cluster, "export", {
    description: "make a data folder for one machine from that of a node, which may run",
    examples: ["rialto cluster export --data-dir /var/lib/rialto --to /var/lib/rialto-alone"],
  })
    .requiredOption("--to <folder>", "the data folder to make: new, or empty")
    .addOption(dataFolderOption())
    .addOption(postgresOption())
    .action(exportFolder);
  addDemoCommand(cluster);
  addMembershipCommands(cluster);
  addTrimCommand(cluster);
  const status = addCommand(cluster, "status", {
    description: "show the nodes of a cluster and of its PostgreSQL, as one node sees them",
    examples: ["rialto cluster status --operator-url http://10.0.0.5:8081"],
  });
  addOperatorOptions(status).action(showStatus);
  const promote = addCommand(cluster, "promote <node>", {
    description: "give the lead to another node, as before its machine is maintained",
    examples: ["rialto cluster promote n2"],
  });
  addOperatorOptions(promote).action(promoteNode);
}

async function showStatus(flags: OperatorFlags): Promise<void> {
  const cluster = await withOperator(flags, (operator) => operator.getCluster());
  print(flags, cluster, statusText(cluster));
}

async function promoteNode(node: string, flags: OperatorFlags): Promise<void> {
  const promoted = await withOperator(flags, (operator) => operator.promoteNode({ node }));
  print(flags, promoted, `${promoted.leader} leads, in epoch ${promoted.epoch}.`);
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

async function init(flags: InitFlags): Promise<void> {
  const { initCluster } = await import("../app/cluster/init.ts");
  const started = await initCluster({
    postgresUrls: postgresUrls(flags.postgres),
    from: flags.from ?? null,
    sandbox: flags.sandbox ?? false,
    masterKeyFile: process.env.RIALTO_MASTER_KEY_FILE ?? null,
  });
  const { keys, role, sequence, venue } = started;
  const content =
    flags.from === undefined ? "It is empty." : `It has ${sequence} commands, ${keys} API keys.`;
  const user =
    role === null
      ? "Nodes log in as the owner of these tables: this user may not make roles."
      : `Nodes log in as a member of ${role}: CREATE ROLE … LOGIN PASSWORD '…' IN ROLE ${role};`;
  print(flags, started, `Made the log of venue ${venue}. ${content}\n${user}`);
}

async function exportFolder(flags: ExportFlags): Promise<void> {
  const { exportCluster } = await import("../app/cluster/export.ts");
  const { dataDir: dataFolder, postgres, to: target } = flags;
  const urls = postgres === undefined ? null : postgresUrls(postgres);
  const made = await exportCluster({ dataFolder, target, postgresUrls: urls });
  const { hasMasterKey, newVenueBecause, sequence, venueId } = made;
  const venue =
    newVenueBecause === null
      ? `It is venue ${venueId}, as before: start no node of the cluster again.`
      : `It is a new venue, ${venueId}, because ${newVenueBecause}.`;
  const masterKey = hasMasterKey
    ? "Its API keys work."
    : "Its API keys work with the RIALTO_MASTER_KEY_FILE of the nodes.";
  print(flags, made, `Made ${target}, up to sequence ${sequence}. ${venue} ${masterKey}`);
}
