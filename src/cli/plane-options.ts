/** The options by which a command finds the operator plane of a running exchange. */
import { userInfo } from "node:os";
import { type Command, InvalidArgumentError, Option } from "commander";
import { readOperatorToken } from "../keys/operator-token.ts";
import { dataFolderOption, type OutputFlags } from "./command.ts";
import { CommandFailed } from "./failure.ts";
import { OperatorPlane } from "./operator-plane.ts";

export interface PlaneFlags extends OutputFlags {
  readonly operatorUrl?: string;
  readonly token?: string;
  readonly dataDir: string;
  readonly actor?: string;
}

const ACTOR = /^[A-Za-z0-9._@:/+-]{1,64}$/;

export function addPlaneOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--operator-url <url>", "operator plane (default: http://127.0.0.1:8081)")
        .env("RIALTO_OPERATOR_URL")
        .argParser(parseUrl),
    )
    .addOption(
      new Option("--token <token>", "its token, unless the data folder has it").env(
        "RIALTO_OPERATOR_TOKEN",
      ),
    )
    .addOption(dataFolderOption())
    .option("--actor <name>", "who asks, for the audit (default: cli:<user>)", parseActor);
}

/** An empty variable of the environment is none. */
function parseUrl(text: string): string {
  if (text === "") return text;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol) && url.pathname === "/" && url.search === "") {
    return url.origin;
  }
  throw new InvalidArgumentError("Give the address without a path, as http://127.0.0.1:8081.");
}

function parseActor(text: string): string {
  if (ACTOR.test(text)) return text;
  throw new InvalidArgumentError("A name has 1 to 64 of A-Z a-z 0-9 . _ @ : / + -");
}

/** Throws `CommandFailed` when there is no token, `UnusableSecrets` when its file is no good. */
export function openPlane(flags: PlaneFlags): OperatorPlane {
  const { token, tokenSource } = findToken(flags);
  return new OperatorPlane({ url: operatorUrl(flags), token, tokenSource, actor: actorOf(flags) });
}

/** Where `start` would put it in the same environment. */
function operatorUrl({ operatorUrl = "" }: PlaneFlags): string {
  return operatorUrl !== ""
    ? operatorUrl
    : `http://127.0.0.1:${process.env.RIALTO_OPERATOR_PORT ?? "8081"}`;
}

function findToken({ token, dataDir }: PlaneFlags) {
  if (token !== undefined && token !== "") {
    return { token, tokenSource: "--token or RIALTO_OPERATOR_TOKEN" };
  }
  const kept = readOperatorToken(dataDir);
  if (kept !== null) return { token: kept.token, tokenSource: kept.path };
  throw new CommandFailed(
    "no-token",
    `There is no operator token: ${dataDir} has none. Name the exchange's folder with ` +
      "--data-dir, or give --token or RIALTO_OPERATOR_TOKEN.",
  );
}

function actorOf({ actor }: PlaneFlags): string {
  if (actor !== undefined) return actor;
  const named = `cli:${userName()}`;
  return ACTOR.test(named) ? named : "cli";
}

/** A container may run as a user that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "";
  }
}
