/** Requests of v3 clients: one JSON object per message. */
import { type JsonObject, parseStrictJson } from "../../api/strict-json.ts";
import { type Echo, NAME_LENGTH_MAX, type StreamRequest } from "../channels/dialect.ts";

const ID_LENGTH_MAX = 64;
const NAMES_MAX = 100;

const KINDS: ReadonlyMap<unknown, "pong" | "subscribe" | "unsubscribe"> = new Map([
  ["PONG", "pong"],
  ["SUBSCRIBE", "subscribe"],
  ["UNSUBSCRIBE", "unsubscribe"],
]);

export function readV3Request(bytes: Uint8Array): StreamRequest {
  const json = parseStrictJson(bytes);
  if (!json.ok) return invalid(null, json.detail ?? "the message is not a JSON object");
  const id = readId(json.value);
  if (id === undefined) {
    return invalid(
      null,
      `id must be a whole number or text of at most ${ID_LENGTH_MAX} characters`,
    );
  }
  const kind = KINDS.get(json.value.method);
  if (kind === undefined) return invalid(id, "method must be SUBSCRIBE, UNSUBSCRIBE or PONG");
  if (kind === "pong") return { echo: id, kind };
  const names = readNames(json.value);
  if (names === null) {
    return invalid(id, `params must be a list of 1 to ${NAMES_MAX} channel names`);
  }
  return { echo: id, kind, names };
}

function invalid(id: Echo, problem: string): StreamRequest {
  return { echo: id, kind: "invalid", problem };
}

/** As received: some clients send numbers, some text. Undefined if it cannot be repeated. */
function readId({ id = null }: JsonObject): Echo | undefined {
  if (id === null || Number.isSafeInteger(id)) return id as number | null;
  return typeof id === "string" && id.length <= ID_LENGTH_MAX ? id : undefined;
}

function readNames({ params }: JsonObject): string[] | null {
  if (!Array.isArray(params) || params.length === 0 || params.length > NAMES_MAX) return null;
  const names = new Set<string>();
  for (const name of params) {
    if (typeof name !== "string" || name.length > NAME_LENGTH_MAX) return null;
    names.add(name);
  }
  return [...names];
}
