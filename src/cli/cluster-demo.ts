/** `rialto cluster demo`: a whole cluster on this machine, to try what it survives. */
import { type Command, Option } from "commander";
import { PROFILES, type Profile } from "../app/config.ts";
import { addCommand, type OutputFlags } from "./command.ts";
import type { ClusterReady } from "./demo/cluster-demo.ts";
import { addressOptions } from "./start.ts";

interface DemoFlags extends OutputFlags {
  readonly port: number;
  readonly dataDir: string;
  readonly profile: Profile;
  readonly sandbox?: true;
  readonly rateLimits: "standard" | "off";
  readonly marketMakers: "on" | "off";
  readonly postgresPrograms?: string;
}

export function addDemoCommand(cluster: Command): void {
  const port = addressOptions().find((option) => option.long === "--port") as Option;
  addCommand(cluster, "demo", {
    description:
      "run three nodes over three of PostgreSQL on this machine, until SIGTERM or SIGINT",
    examples: ["rialto cluster demo", "rialto cluster demo --port 0 --data-dir /tmp/demo"],
  })
    .addOption(port)
    .option("--data-dir <folder>", "folder of everything it keeps", "cluster-data")
    .addOption(
      new Option("--profile <name>", "what it starts with").choices(PROFILES).default("demo"),
    )
    .option("--sandbox", "let the operator move the clock; the folder then always needs this flag")
    .addOption(
      new Option("--rate-limits <limits>", "rate limits of the API")
        .choices(["standard", "off"])
        .default("standard"),
    )
    .addOption(
      new Option("--market-makers <on|off>", "simulated traders of the demo profile")
        .choices(["on", "off"])
        .default("on"),
    )
    .addOption(
      new Option(
        "--postgres-programs <folder>",
        "initdb and postgres, 15 or later; npm's package if absent",
      ).env("RIALTO_POSTGRES_PROGRAMS"),
    )
    .action(runDemo);
}

/** Never resolves: the process exits with the demo. */
async function runDemo(flags: DemoFlags): Promise<void> {
  const { ClusterDemo } = await import("./demo/cluster-demo.ts");
  const { whenAskedToStop } = await import("./run-exchange.ts");
  const stopRequested = whenAskedToStop();
  const say = (line: string): void => {
    process.stderr.write(`rialto: ${line}\n`);
  };
  const starting = ClusterDemo.start({
    port: flags.port,
    dataFolder: flags.dataDir,
    profile: flags.profile,
    sandbox: flags.sandbox ?? false,
    rateLimits: flags.rateLimits,
    marketMakers: flags.marketMakers,
    postgresPrograms: flags.postgresPrograms ?? null,
    say,
  });
  const started = await Promise.race([starting, stopRequested]);
  // Whatever it has started ends with this process.
  if (typeof started !== "object") process.exit(0);
  const { demo, ready } = started;
  process.stdout.write(`${JSON.stringify(ready)}\n`);
  if (flags.json !== true) process.stderr.write(welcome(flags, ready));
  await stopRequested;
  await demo.stop();
  process.exit(0);
}

function welcome(flags: DemoFlags, { demo, nodes, operatorToken, postgres }: ClusterReady): string {
  const [first] = nodes as [ClusterReady["nodes"][number]];
  const leader = nodes.find(({ role }) => role === "leader") ?? first;
  const follower = nodes.find(({ role }) => role === "follower") ?? first;
  const primary = postgres.find(({ role }) => role === "primary") ?? postgres[0];
  const operator = `http://127.0.0.1:${follower.operatorPort}/operator/v1/cluster`;
  const token = `Authorization: Bearer ${operatorToken}`;
  const lines = ["", `  A cluster is running (${flags.profile} profile), in ${flags.dataDir}`, ""];
  for (const { node, operatorPort, pid, port, role } of nodes) {
    const console = `console http://127.0.0.1:${operatorPort}`;
    lines.push(`  ${node}  ${role.padEnd(8)} http://127.0.0.1:${port}  ${console}  pid ${pid}`);
  }
  for (const { name, pid, port, role } of postgres) {
    lines.push(`  ${name}  ${role.padEnd(8)} PostgreSQL at 127.0.0.1:${port}  pid ${pid}`);
  }
  const [account] = demo;
  if (account !== undefined) {
    lines.push("", `  Demo account ${account.uid}: apiKey ${account.apiKey}`);
    lines.push(`    secret ${account.secret}  passphrase ${account.passphrase}`);
  }
  const post = (path: string, body: object): readonly string[] => [
    `    curl -X POST -H '${token}' -H 'Content-Type: application/json' \\`,
    `      -d '${JSON.stringify(body)}' ${operator}/${path}`,
  ];
  lines.push(
    "",
    "  Things to try:",
    `    kill -9 ${leader.pid}`,
    `        the leader dies, and another node leads within 4 s`,
    `    kill -9 ${primary?.pid}`,
    "        the primary of PostgreSQL dies, and a standby is promoted",
    `    kill -STOP ${primary?.pid}`,
    "        cut off, it confirms nothing: orders wait, until kill -CONT",
    ...post("promote", { node: follower.node }),
    `        ${follower.node} gets the lead`,
    ...post("demo/start", { name: leader.node }),
    "        what was killed starts again; so does PostgreSQL, as a new copy",
    `    curl -H '${token}' ${operator}`,
    "        who is there",
    "",
    "  Ctrl-C stops all of it; nothing that was acknowledged is lost.",
    "",
  );
  return `${lines.join("\n")}\n`;
}
