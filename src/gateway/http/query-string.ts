/** Strict query strings: each parameter once, valid percent-encoding, no forbidden name. */
import { type Refusal, refuse } from "../../api/errors.ts";
import { FORBIDDEN_KEYS } from "../../api/strict-json.ts";
import { type Accepted, accept } from "../../domain/index.ts";

export type QueryParameters = ReadonlyMap<string, string>;

const NONE: Accepted<QueryParameters> = accept(new Map());

/** Percent-decoding of UTF-8; null when it is malformed. `+` is a plus, not a space. */
function decode(text: string): string | null {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Reads what follows the first `?` of a request target as it was sent. */
export function parseQueryString(target: string): Accepted<QueryParameters> | Refusal {
  const start = target.indexOf("?");
  if (start === -1 || start === target.length - 1) return NONE;
  const parameters = new Map<string, string>();
  for (const pair of target.slice(start + 1).split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? "" : pair.slice(equals + 1));
    if (name === null || value === null) {
      return refuse("malformed-query", name, "bad percent-encoding");
    }
    if (FORBIDDEN_KEYS.has(name)) return refuse("malformed-query", null, "a forbidden name");
    if (parameters.has(name)) return refuse("malformed-query", name, "sent twice");
    parameters.set(name, value);
  }
  return accept(parameters);
}
