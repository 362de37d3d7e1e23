/** The options for connecting to the operator API of a running exchange. */
import { userInfo } from "node:os";
import { type Command, InvalidArgumentError, Option } from "commander";
import { readOperatorToken } from "../keys/operator-token.ts";
import { dataFolderOption, type OutputFlags } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { findRunning } from "./running-exchange.ts";

export interface OperatorFlags extends OutputFlags {
  readonly operatorUrl?: string;
  readonly token?: string;
  readonly dataDir: string;
  readonly actor?: string;
}

/** Of commands whose reason the audit log keeps. */
export const REASON = ["--reason <text>", "why; kept in the audit log"] as const;

const ACTOR = /^[A-Za-z0-9._@:/+-]{1,64}$/;

export function addOperatorOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        "--operator-url <url>",
        "address of the operator API (default: the one in the data folder)",
      )
        .env("RIALTO_OPERATOR_URL")
        .argParser(parseUrl),
    )
    .addOption(
      new Option("--token <token>", "operator token (default: the one in the data folder)").env(
        "RIALTO_OPERATOR_TOKEN",
      ),
    )
    .addOption(dataFolderOption())
    .option("--actor <name>", "name in the audit log (default: cli:<user>)", parseActor);
}

/** An empty environment variable counts as unset. */
function parseUrl(text: string): string {
  if (text === "") return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "") {
    return url.origin;
  }
  throw new InvalidArgumentError("Use an address without a path, such as http://127.0.0.1:8081.");
}

function parseActor(text: string): string {
  if (ACTOR.test(text)) return text;
  throw new InvalidArgumentError("Use 1 to 64 of A-Z a-z 0-9 . _ @ : / + -");
}

/**
 * By default, where the exchange of the data folder says that it is. Without one, where `start`
 * would put the operator API in the same environment.
 */
export function operatorUrl({ operatorUrl: url = "", dataDir }: OperatorFlags): string {
  if (url !== "") return url;
  const running = findRunning(dataDir);
  if (running !== null && !running.isStale) return running.operatorUrl;
  return `http://127.0.0.1:${process.env.RIALTO_OPERATOR_PORT ?? "8081"}`;
}

/** A sentence about the data folder for when nothing answered. */
export function aboutDataFolder({ operatorUrl: url = "", dataDir }: OperatorFlags): string {
  const running = url === "" ? findRunning(dataDir) : null;
  if (running === null) return "";
  return running.isStale
    ? ` The exchange named in ${running.path} (process ${running.pid}) has crashed or was killed.`
    : ` The address is from ${running.path}.`;
}

/** Throws `CommandFailed` when there is none. */
export function findToken({ token, dataDir }: OperatorFlags) {
  if (token !== undefined && token !== "") {
    return { token, tokenSource: "--token or RIALTO_OPERATOR_TOKEN" };
  }
  const kept = readOperatorToken(dataDir);
  if (kept !== null) return { token: kept.token, tokenSource: kept.path };
  if (findRunning(dataDir)?.operatorTokenFile === null) {
    throw new CommandFailed(
      "no-token",
      `The exchange of ${dataDir} was given its operator token in RIALTO_OPERATOR_TOKEN: set it ` +
        "here too, or use --token.",
    );
  }
  throw new CommandFailed(
    "no-token",
    `There is no operator token in ${dataDir}. Name the exchange's data folder with --data-dir, ` +
      "or give the token with --token or RIALTO_OPERATOR_TOKEN.",
  );
}

export function actorOf({ actor }: OperatorFlags): string {
  if (actor !== undefined) return actor;
  const named = `cli:${userName()}`;
  return ACTOR.test(named) ? named : "cli";
}

/** A container may run as a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}
