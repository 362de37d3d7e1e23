/**
 * JSON as every port of the exchange accepts it: valid UTF-8 without a byte order mark, one object,
 * no repeated key, no key that could reach a prototype, and no deep nesting. Input that
 * `JSON.parse` would silently repair is rejected, because two readers of one request must never see
 * different requests.
 */
import { accept, type Result, reject } from "../domain/index.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export const JSON_DEPTH_MAX = 8;

/** Keys that could reach a prototype when a careless reader copies them. */
export const FORBIDDEN_KEYS: ReadonlySet<string> = new Set([
  "__proto__",
  "constructor",
  "prototype",
]);
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** A byte order mark is kept, so that `JSON.parse` fails on it. */
const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Reads a body; an empty one is an object without members. An error is always `malformed`. */
export function parseStrictJson(body: Uint8Array): Result<JsonObject> {
  if (body.length === 0) return accept({});
  let value: unknown;
  try {
    value = JSON.parse(DECODER.decode(body));
  } catch {
    return reject("malformed", null, "the body is not valid JSON in UTF-8");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return reject("malformed", null, "the body is not a JSON object");
  }
  const members = countMembers(value, 1);
  if (members === null) {
    return reject("malformed", null, "the body has a forbidden key or is nested too deeply");
  }
  const written = countWrittenMembers(body);
  if (written === null) {
    return reject("malformed", null, "the body has a key that is written with a backslash");
  }
  // Of repeated keys the value keeps one, so it has fewer members than were written.
  if (members !== written) return reject("malformed", null, "the body repeats a key");
  return accept(value as JsonObject);
}

/** Members at all depths; null when a key is forbidden or the nesting too deep. */
function countMembers(container: object, depth: number): number | null {
  if (depth > JSON_DEPTH_MAX) return null;
  const isArray = Array.isArray(container);
  let members = 0;
  // A parsed value has own members only, and `for in` does not allocate arrays of them.
  for (const key in container) {
    if (FORBIDDEN_KEYS.has(key)) return null;
    if (!isArray) members++;
    const member = (container as Record<string, unknown>)[key];
    if (typeof member !== "object" || member === null) continue;
    const inside = countMembers(member, depth + 1);
    if (inside === null) return null;
    members += inside;
  }
  return members;
}

/**
 * Colons of valid JSON outside its strings: one for each member that was written. Null when a key
 * has an escape: nobody needs one, and V8 14.6 misreads escaped keys of one or two characters.
 */
function countWrittenMembers(body: Uint8Array): number | null {
  let colons = 0;
  let insideString = false;
  let isEscaped = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (byte === QUOTE) {
      insideString = !insideString;
      if (insideString) isEscaped = false;
    } else if (insideString && byte === BACKSLASH) {
      isEscaped = true;
      i++;
    } else if (!insideString && byte === COLON) {
      if (isEscaped) return null;
      colons++;
    }
  }
  return colons;
}
