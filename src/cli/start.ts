/** `rialto start`: runs an exchange until it is asked to stop. */
import { Command, InvalidArgumentError, Option } from "commander";
import {
  type ClusterConfig,
  CONNECTIONS_PER_ADDRESS_DEFAULT,
  CONNECTIONS_PER_ADDRESS_MAX,
  type Config,
  DEMO_HISTORY_MAX_MS,
  DEMO_HISTORY_MIN_MS,
  GATEWAYS_MAX,
  PROFILES,
  type Profile,
} from "../app/config.ts";
import { addCommand, dataFolderOption, type OutputFlags } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { postgresUrls } from "./postgres-urls.ts";

const HOUR_MS = 3_600_000;
const STREAM_INTERVAL_MIN_MS = 10;
const STREAM_INTERVAL_MAX_MS = 10_000;

interface StartFlags extends OutputFlags, AddressFlags {
  readonly dataDir: string;
  readonly gateways: number | "auto";
  readonly threads: "many" | "one";
  readonly from?: string;
  readonly profile: Profile;
  readonly sandbox?: string | true;
  readonly rateLimits: "standard" | "off";
  readonly marketMakers: "on" | "off";
  readonly demoHistory?: number;
  readonly streamInterval: number;
  readonly trustedProxies?: string;
  readonly connectionsPerAddress: number;
  readonly publicMetrics?: string | true;
  readonly exposeDemo?: string | true;
  readonly demoKeys: "on" | "off";
  readonly acceptClockRegression?: string | true;
  readonly webhookTargets: "public" | "any";
  readonly logLevel: string;
  readonly postgres?: string;
  readonly node?: string;
  readonly advertise?: string;
  readonly clusterListen: ClusterConfig["listen"];
  readonly confirm: ClusterConfig["confirm"];
}

export function addStartCommand(program: Command): void {
  const command = addCommand(program, "start", {
    description: "run an exchange until SIGTERM or SIGINT; the default command",
    examples: ["rialto start", "rialto start --profile empty --sandbox --port 0 --operator-port 0"],
  });
  for (const option of startOptions()) command.addOption(option);
  command.action(start);
}

/** What these flags mean. Throws `CommanderError` or `CommandFailed`. */
export function configOf(flags: readonly string[]): Config {
  const command = new Command("start").exitOverride();
  for (const option of startOptions()) command.addOption(option);
  return toConfig(command.parse([...flags], { from: "user" }).opts<StartFlags>());
}

/** Every flag is also an environment variable: `--data-dir` is RIALTO_DATA_DIR. */
function startOptions(): Option[] {
  const options = [
    ...addressOptions(),
    dataFolderOption(),
    new Option("--gateways <n|auto>", "threads that serve the API; 0 uses the engine's")
      .argParser(parseGateways)
      .default("auto"),
    new Option(
      "--threads <many|one>",
      "one: journal and history share the engine's thread, for tests and small exchanges",
    )
      .choices(["many", "one"])
      .default("many"),
    new Option("--profile <name>", "what a new exchange starts with")
      .choices(PROFILES)
      .default("demo"),
    new Option(
      "--sandbox [1|0]",
      "let the operator move the clock; the data folder then always needs this flag",
    ),
    new Option(
      "--from <path>",
      "start with the state of this state file, checkpoint or other sandbox's folder; needs " +
        "--sandbox and an empty data folder",
    ),
    new Option("--rate-limits <limits>", "rate limits of the API")
      .choices(["standard", "off"])
      .default("standard"),
    new Option("--market-makers <on|off>", "simulated traders of the demo profile")
      .choices(["on", "off"])
      .default("on"),
    new Option(
      "--demo-history <duration>",
      "history of a new demo, from 6h to 90d; by default 90d, and 6h with --sandbox",
    ).argParser(parseHistory),
    new Option("--stream-interval <ms>", "minimum time between two updates of a channel")
      .argParser(parseInterval)
      .default(100),
    new Option("--trusted-proxies <cidr,…>", "proxies whose X-Forwarded-For is trusted"),
    new Option("--connections-per-address <n>", "maximum connections per address")
      .argParser(parseConnections)
      .default(CONNECTIONS_PER_ADDRESS_DEFAULT),
    new Option("--public-metrics [1|0]", "serve /metrics on the API port too"),
    new Option("--expose-demo [1|0]", "allow the demo, whose keys are public, beyond this machine"),
    new Option("--demo-keys <on|off>", "offer the demo keys on pages opened on this machine")
      .choices(["on", "off"])
      .default("on"),
    new Option(
      "--accept-clock-regression [1|0]",
      "start although the clock is behind the last journaled time",
    ),
    ...clusterOptions(),
    new Option(
      "--webhook-targets <public|any>",
      "where webhooks may go: public addresses over TLS and this machine, or anywhere",
    )
      .choices(["public", "any"])
      .default("public"),
    new Option("--log-level <level>", "minimum level of logged lines")
      .choices(["debug", "info", "warn", "error", "silent"])
      .default("info"),
  ];
  for (const option of options) option.env(environmentName(option));
  return options;
}

/** Of a node of a cluster. */
function clusterOptions(): Option[] {
  return [
    new Option(
      "--postgres <url,…>",
      "run a node of a cluster whose log is in this PostgreSQL; name all of its nodes",
    ),
    new Option("--node <name>", "name of this node in its cluster").argParser(parseNode),
    new Option(
      "--advertise <url>",
      "where clients reach this node; its address and port if absent",
    ),
    new Option(
      "--cluster-listen <host:port>",
      "where the other nodes reach this one; port 0 picks a free one",
    )
      .argParser(parseClusterListen)
      .default({ host: "127.0.0.1", port: 0 }, "127.0.0.1:0"),
    new Option(
      "--confirm <how>",
      "strict: answer when a standby has shown the commit; async: stop when none does for a second",
    )
      .choices(["async", "strict", "off"])
      .default("async"),
  ];
}

/** The addresses of an exchange; `rialto doctor` uses them too. */
export function addressOptions(): Option[] {
  const port = (text: string): number => parsePort(text);
  const options = [
    new Option("--host <address>", "address of the API").default("127.0.0.1"),
    new Option("--port <port>", "port of the API; 0 picks a free one")
      .argParser(port)
      .default(8080),
    new Option("--operator-host <address>", "address of the operator API").default("127.0.0.1"),
    new Option("--operator-port <port>", "port of the operator API; 0 picks a free one")
      .argParser(port)
      .default(8081),
  ];
  for (const option of options) option.env(environmentName(option));
  return options;
}

export interface AddressFlags {
  readonly host: string;
  readonly port: number;
  readonly operatorHost: string;
  readonly operatorPort: number;
}

/** A flag alone means on. In the environment, the value decides: not every text means on. */
function isOn(name: string, flag: string | true | undefined): boolean {
  if (flag === undefined || flag === true) return flag === true;
  const text = flag.toLowerCase();
  if (text === "1" || text === "true") return true;
  if (text === "0" || text === "false" || text === "") return false;
  throw new CommandFailed(
    "usage",
    `${name} is ${flag}: use 1 to turn it on, or 0 or nothing to leave it off.`,
  );
}

function environmentName(option: Option): string {
  return `RIALTO_${option.name().replaceAll("-", "_").toUpperCase()}`;
}

function parseNode(text: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,31}$/.test(text)) return text;
  throw new InvalidArgumentError("A name has up to 32 small letters, digits and hyphens.");
}

function clusterOf(flags: StartFlags): ClusterConfig | null {
  const { advertise = null, node, postgres } = flags;
  if (postgres === undefined && node === undefined && advertise === null) return null;
  if (postgres === undefined || node === undefined) {
    throw new CommandFailed("usage", "A node of a cluster needs --postgres and --node.");
  }
  const { clusterListen: listen, confirm } = flags;
  return { postgresUrls: postgresUrls(postgres), node, advertise, listen, confirm };
}

/** The others are told this address, so it is one that they can reach. */
function parseClusterListen(text: string): ClusterConfig["listen"] {
  const [, bracketed, plain, port = ""] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) {
    throw new InvalidArgumentError("Use host:port, such as 10.0.0.1:7070.");
  }
  if (host === "0.0.0.0" || host === "::") {
    throw new InvalidArgumentError("Name the address at which the other nodes reach this one.");
  }
  return { host, port: Number(port) };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  }
  return port;
}

function parseGateways(text: string): number | "auto" {
  if (text === "auto") return text;
  const count = Number(text);
  if (!/^\d{1,2}$/.test(text) || count > GATEWAYS_MAX) {
    throw new InvalidArgumentError(`Gateways are a number from 0 to ${GATEWAYS_MAX}, or auto.`);
  }
  return count;
}

function parseHistory(text: string): number {
  const [, count = "", unit = ""] = /^(\d{1,4})([hd])$/.exec(text) ?? [];
  const ms = Number(count) * (unit === "d" ? 24 : 1) * HOUR_MS;
  if (unit === "" || ms < DEMO_HISTORY_MIN_MS || ms > DEMO_HISTORY_MAX_MS) {
    throw new InvalidArgumentError("Use a whole number of h or d, from 6h to 90d.");
  }
  return ms;
}

function parseInterval(text: string): number {
  const ms = Number(text);
  if (!/^\d{1,5}$/.test(text) || ms < STREAM_INTERVAL_MIN_MS || ms > STREAM_INTERVAL_MAX_MS) {
    throw new InvalidArgumentError(
      `An interval is from ${STREAM_INTERVAL_MIN_MS} to ${STREAM_INTERVAL_MAX_MS} milliseconds.`,
    );
  }
  return ms;
}

function parseConnections(text: string): number {
  const count = Number(text);
  if (!/^\d{1,5}$/.test(text) || count < 1 || count > CONNECTIONS_PER_ADDRESS_MAX) {
    throw new InvalidArgumentError(
      `An address may hold from 1 to ${CONNECTIONS_PER_ADDRESS_MAX} connections.`,
    );
  }
  return count;
}

function toConfig(flags: StartFlags): Config {
  const proxies = flags.trustedProxies?.split(",").map((range) => range.trim()) ?? [];
  // A sandbox is started often, by tests too.
  const isSandbox = isOn("--sandbox", flags.sandbox);
  return {
    host: flags.host,
    port: flags.port,
    operatorHost: flags.operatorHost,
    operatorPort: flags.operatorPort,
    gateways: flags.gateways,
    threads: flags.threads,
    dataFolder: flags.dataDir,
    from: flags.from ?? null,
    profile: flags.profile,
    sandbox: isSandbox,
    rateLimits: flags.rateLimits,
    marketMakers: flags.marketMakers,
    demoHistoryMs: flags.demoHistory ?? (isSandbox ? DEMO_HISTORY_MIN_MS : DEMO_HISTORY_MAX_MS),
    streamIntervalMs: flags.streamInterval,
    trustedProxies: proxies.filter((range) => range !== ""),
    connectionsPerAddress: flags.connectionsPerAddress,
    publicMetrics: isOn("--public-metrics", flags.publicMetrics),
    exposeDemo: isOn("--expose-demo", flags.exposeDemo),
    demoKeys: flags.demoKeys,
    acceptClockRegression: isOn("--accept-clock-regression", flags.acceptClockRegression),
    masterKeyFile: process.env.RIALTO_MASTER_KEY_FILE ?? null,
    operatorToken: process.env.RIALTO_OPERATOR_TOKEN ?? null,
    webhookTargets: flags.webhookTargets,
    logLevel: flags.logLevel,
    cluster: clusterOf(flags),
  };
}

async function start(flags: StartFlags): Promise<void> {
  const config = toConfig(flags);
  const { runExchange } = await import("./run-exchange.ts");
  await runExchange(config, flags.json !== true && config.logLevel !== "silent");
}
