/** The bearer token of the operator API: given, or generated once and kept in the data folder. */
import { join } from "node:path";
import { NODE_PLATFORM, type Randomness } from "../platform/index.ts";
import { readPrivateFile, UnusableSecrets, writePrivateFile } from "./private-file.ts";

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

function checkToken(token: string, source: string): string {
  const { length } = token;
  if (TOKEN.test(token) && length >= LENGTH_MIN && length <= LENGTH_MAX) return token;
  throw new UnusableSecrets(
    `${source} does not hold a token: ${LENGTH_MIN} to ${LENGTH_MAX} of ` +
      "A-Z a-z 0-9 . _ ~ + / = - are accepted. Make one with `openssl rand -hex 32`, or remove " +
      "it to have one drawn",
  );
}
