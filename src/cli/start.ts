/** `rialto start`: runs an exchange until it is asked to stop. */
import { type Command, InvalidArgumentError, Option } from "commander";
import { type Config, PROFILES, type Profile, StartRefused } from "../app/config.ts";
import { type RunningExchange, startExchange } from "../app/exchange.ts";
import { InvariantViolation } from "../domain/index.ts";
import { dataFolderOption } from "./data-folder.ts";
import { printWelcome } from "./welcome.ts";

/**
 * EX_SOFTWARE: the program found itself wrong, or its journal unusable; start it again to recover.
 */
const EXIT_FATAL = 70;

interface StartFlags {
  readonly host: string;
  readonly port: number;
  readonly operatorHost: string;
  readonly operatorPort: number;
  readonly dataDir: string;
  readonly profile: Profile;
  readonly sandbox?: string | true;
  readonly rateLimits: "standard" | "off";
  readonly marketMakers: "on" | "off";
  readonly trustedProxies?: string;
  readonly exposeDemo?: string | true;
  readonly acceptClockRegression?: string | true;
  readonly logLevel: string;
}

export function addStartCommand(program: Command): void {
  const command = program
    .command("start", { isDefault: true })
    .description("run an exchange until SIGTERM or SIGINT (what `rialto` alone does)");
  for (const option of startOptions()) command.addOption(option);
  command.action((flags: StartFlags) => start(toConfig(flags)));
}

/** Every flag is also an environment variable: `--data-dir` is RIALTO_DATA_DIR. */
function startOptions(): Option[] {
  const port = (text: string): number => parsePort(text);
  const options = [
    new Option("--host <address>", "address of the interface").default("127.0.0.1"),
    new Option("--port <port>", "port of the interface; 0 picks a free one")
      .argParser(port)
      .default(8080),
    new Option("--operator-host <address>", "address of the operator plane").default("127.0.0.1"),
    new Option("--operator-port <port>", "port of the operator plane; 0 picks a free one")
      .argParser(port)
      .default(8081),
    dataFolderOption(),
    new Option("--profile <name>", "what the venue begins with").choices(PROFILES).default("demo"),
    new Option("--sandbox [1|0]", "let the operator move the clock; a folder made so stays so"),
    new Option("--rate-limits <limits>", "limits of the interface")
      .choices(["standard", "off"])
      .default("standard"),
    new Option("--market-makers <on|off>", "traders of the demo profile")
      .choices(["on", "off"])
      .default("on"),
    new Option("--trusted-proxies <cidr,…>", "whose X-Forwarded-For is believed"),
    new Option("--expose-demo [1|0]", "let the demo, whose keys are printed, leave this machine"),
    new Option(
      "--accept-clock-regression [1|0]",
      "start with a clock behind the last journaled time",
    ),
    new Option("--log-level <level>", "least important lines that are logged")
      .choices(["debug", "info", "warn", "error", "silent"])
      .default("info"),
  ];
  for (const option of options) option.env(environmentName(option));
  return options;
}

/** A switch is on as a flag; in the environment it says so, because any text would count as on. */
function isOn(name: string, flag: string | true | undefined): boolean {
  if (flag === undefined || flag === true) return flag === true;
  const text = flag.toLowerCase();
  if (text === "1" || text === "true") return true;
  if (text === "0" || text === "false" || text === "") return false;
  throw new StartRefused(
    `${name} is ${flag}: use 1 to switch it on, 0 or nothing to leave it off.`,
  );
}

function environmentName(option: Option): string {
  return `RIALTO_${option.name().replaceAll("-", "_").toUpperCase()}`;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("A port is a number from 0 to 65535.");
  }
  return port;
}

function toConfig(flags: StartFlags): Config {
  const proxies = flags.trustedProxies?.split(",").map((range) => range.trim()) ?? [];
  return {
    host: flags.host,
    port: flags.port,
    operatorHost: flags.operatorHost,
    operatorPort: flags.operatorPort,
    dataFolder: flags.dataDir,
    profile: flags.profile,
    sandbox: isOn("--sandbox", flags.sandbox),
    rateLimits: flags.rateLimits,
    marketMakers: flags.marketMakers,
    trustedProxies: proxies.filter((range) => range !== ""),
    exposeDemo: isOn("--expose-demo", flags.exposeDemo),
    acceptClockRegression: isOn("--accept-clock-regression", flags.acceptClockRegression),
    masterKeyFile: process.env.RIALTO_MASTER_KEY_FILE ?? null,
    operatorToken: process.env.RIALTO_OPERATOR_TOKEN ?? null,
    logLevel: flags.logLevel,
  };
}

async function start(config: Config): Promise<void> {
  // Nobody catches a broken invariant: the process ends, and recovers when it is started again.
  process.on("uncaughtException", endAtOnce);
  process.on("unhandledRejection", endAtOnce);
  const stopRequested = whenAskedToStop();
  const exchange = await startExchange(config, endAtOnce);
  announce(config, exchange);
  await stopRequested;
  await exchange.stop();
  process.exit(0);
}

function endAtOnce(error: unknown): never {
  const kind = error instanceof InvariantViolation ? "a broken invariant" : "an unexpected error";
  console.error(`rialto ends because of ${kind}; starting it again recovers from the journal.`);
  console.error(error);
  process.exit(EXIT_FATAL);
}

/** A signal, or the loss of the starter that would pass one on. */
function whenAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      process.on(signal, () => resolve());
    }
    process.once("disconnect", () => resolve());
  });
}

/** One line of JSON on standard output for programs; for people, the same on standard error. */
function announce(config: Config, exchange: RunningExchange): void {
  const { port, operatorPort, operatorToken, demoAccounts } = exchange;
  const mayShowSecrets = config.profile === "demo" || config.sandbox;
  const secrets = mayShowSecrets ? { operatorToken, demo: demoAccounts } : {};
  process.stdout.write(`${JSON.stringify({ event: "ready", port, operatorPort, ...secrets })}\n`);
  if (config.logLevel !== "silent") printWelcome(config, exchange);
}
