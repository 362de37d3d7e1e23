/** The bearer token of the operator API: given, or generated once and kept in the data folder. */
import { join } from "node:path";
import { NODE_PLATFORM, type Randomness } from "../platform/index.ts";
import { readPrivateFile, UnusableSecrets, versionOf, writePrivateFile } from "./private-file.ts";

const TOKEN_FILE = "operator.token";
const TOKEN_BYTES = 32;
/** What may stand after `Bearer ` in a header (RFC 6750, section 2.1). */
const TOKEN = /^[A-Za-z0-9._~+/=-]+$/;
/** Shorter ones can be guessed. */
const LENGTH_MIN = 24;
const LENGTH_MAX = 256;

/** `given` is the value of RIALTO_OPERATOR_TOKEN. Throws `UnusableSecrets`. */
export function openOperatorToken(
  dataFolder: string,
  given: string | null,
  randomness: Randomness = NODE_PLATFORM.randomness,
): string {
  if (given !== null) return checkToken(given, "RIALTO_OPERATOR_TOKEN");
  const kept = readOperatorToken(dataFolder);
  if (kept !== null) return kept.token;
  const path = operatorTokenFile(dataFolder);
  const token = randomness.bytes(TOKEN_BYTES).toString("hex");
  writePrivateFile(path, `${token}\n`);
  return token;
}

/**
 * The token at the time of asking. Whoever replaces the file of a running exchange replaces its
 * token: the old one is rejected from the next request on. A file that is gone or cannot be used
 * changes nothing. `opened` is what the start found.
 */
export function currentOperatorToken(
  dataFolder: string,
  given: string | null,
  opened: string,
): () => string {
  if (given !== null) return () => opened;
  const path = operatorTokenFile(dataFolder);
  let token = opened;
  let seen = versionOf(path);
  return () => {
    const version = versionOf(path);
    if (version === null || version === seen) return token;
    seen = version;
    try {
      token = readOperatorToken(dataFolder)?.token ?? token;
    } catch (error) {
      if (!(error instanceof UnusableSecrets || isSystemError(error))) throw error;
    }
    return token;
  };
}

/**
 * Draws a new token in the place of the kept one: a crash leaves one of the two, whole. Throws
 * `UnusableSecrets` where none is kept.
 */
export function rotateOperatorToken(
  dataFolder: string,
  randomness: Randomness = NODE_PLATFORM.randomness,
): { readonly path: string } {
  const path = operatorTokenFile(dataFolder);
  if (readPrivateFile(path) === null) {
    throw new UnusableSecrets(
      `There is no ${path}. A token in RIALTO_OPERATOR_TOKEN is replaced there, with a restart`,
    );
  }
  writePrivateFile(path, `${randomness.bytes(TOKEN_BYTES).toString("hex")}\n`);
  return { path };
}

export function operatorTokenFile(dataFolder: string): string {
  return join(dataFolder, TOKEN_FILE);
}

/** What an exchange kept there; null where it kept none. Throws `UnusableSecrets`. */
export function readOperatorToken(
  dataFolder: string,
): { readonly token: string; readonly path: string } | null {
  const path = operatorTokenFile(dataFolder);
  const kept = readPrivateFile(path);
  return kept === null ? null : { token: checkToken(kept.trim(), path), path };
}

/** The file is a folder, or another user's. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function checkToken(token: string, source: string): string {
  const { length } = token;
  if (TOKEN.test(token) && length >= LENGTH_MIN && length <= LENGTH_MAX) return token;
  throw new UnusableSecrets(
    `${source} does not hold a token: ${LENGTH_MIN} to ${LENGTH_MAX} of ` +
      "A-Z a-z 0-9 . _ ~ + / = - are accepted. Make one with `openssl rand -hex 32`, or remove " +
      "it to have one drawn",
  );
}
