/**
 * Calls the operator API of a running exchange through the client, without retries. Errors become
 * messages that say what to do.
 */
import { NetworkError, OperatorClient, RialtoError } from "../client/index.ts";
import { CommandFailed } from "./failure.ts";
import {
  aboutDataFolder,
  actorOf,
  findToken,
  type OperatorFlags,
  operatorUrl,
} from "./operator-options.ts";

const TIMEOUT_MS = 30_000;

/** Throws `CommandFailed`, or `UnusableSecrets` when the file of the token cannot be used. */
export async function withOperator<Result>(
  flags: OperatorFlags,
  work: (operator: OperatorClient) => Promise<Result>,
  timeoutMs = TIMEOUT_MS,
): Promise<Result> {
  const baseUrl = operatorUrl(flags);
  const { token, tokenSource } = findToken(flags);
  const actor = actorOf(flags);
  try {
    // No retries: the user decides whether to try again.
    return await work(new OperatorClient({ baseUrl, token, actor, timeoutMs, attempts: 1 }));
  } catch (error) {
    if (error instanceof RialtoError) throw refused(error, baseUrl, tokenSource);
    if (error instanceof NetworkError) throw unanswered(error, baseUrl, aboutDataFolder(flags));
    throw error;
  }
}

function refused(error: RialtoError, url: string, tokenSource: string): CommandFailed {
  if (error.code === "unauthorized") {
    return new CommandFailed(
      "unauthorized",
      `The exchange at ${url} rejects the token from ${tokenSource}. Name its own data folder ` +
        "with --data-dir, or give its token with --token or RIALTO_OPERATOR_TOKEN.",
    );
  }
  return new CommandFailed(String(error.code), `${error.message}.`, error.field);
}

function unanswered(
  { status, message, cause }: NetworkError,
  url: string,
  aboutFolder: string,
): CommandFailed {
  if (status !== null) {
    return new CommandFailed(
      "no-operator-plane",
      `${url} answered (${status}), but it is not the operator API. Check the port: the default ` +
        "is 8081; an exchange prints its own when it is ready.",
    );
  }
  const root = rootCause(cause);
  if (root.code === "ECONNREFUSED") {
    return new CommandFailed(
      "unreachable",
      `Nothing listens on ${url}.${aboutFolder} Start an exchange with \`rialto start\`, name ` +
        "its data folder with --data-dir, or give its operator API's address with --operator-url.",
    );
  }
  const advice = message.startsWith("GET ")
    ? ""
    : " The change may have been made: check first. Repeat movements of funds with the same " +
      "--id: they then happen only once.";
  return new CommandFailed("no-answer", `No response from ${url} (${root.message}).${advice}`);
}

/** The error from `fetch` has the actual reason in its cause. */
function rootCause(error: unknown): { readonly code: string; readonly message: string } {
  const { cause, message } = error as Error;
  const inner = (cause ?? error) as { code?: unknown; message?: string; errors?: unknown[] };
  const [first] = (inner.errors ?? []) as { code?: unknown; message?: string }[];
  const code = String(inner.code ?? first?.code ?? "");
  return { code, message: inner.message || first?.message || message };
}
