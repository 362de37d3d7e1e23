/** Requests of v2 clients: one JSON object per message, with one channel. */
import { type JsonObject, parseStrictJson } from "../../api/strict-json.ts";
import { type Echo, NAME_LENGTH_MAX, type StreamRequest } from "../channels/dialect.ts";

const TIME_LENGTH_MAX = 32;

export function readV2Request(bytes: Uint8Array): StreamRequest {
  const json = parseStrictJson(bytes);
  if (!json.ok) return invalid("", json.detail ?? "the message is not a JSON object");
  const { event, channel } = json.value;
  const name = typeof channel === "string" && channel.length <= NAME_LENGTH_MAX ? channel : "";
  switch (event) {
    case "ping":
    case "pong":
      return { kind: event, echo: readTime(json.value) };
    case "subscribe":
    case "unsubscribe":
      return name === ""
        ? invalid("", `channel must be text of 1 to ${NAME_LENGTH_MAX} characters`)
        : { kind: event, echo: name, names: [name] };
    default:
      return invalid(name, "event must be subscribe, unsubscribe, ping or pong");
  }
}

function invalid(channel: string, problem: string): StreamRequest {
  return { echo: channel, kind: "invalid", problem };
}

/** Null when there is none that could be repeated. */
function readTime({ time }: JsonObject): Echo {
  if (Number.isSafeInteger(time)) return time as number;
  return typeof time === "string" && time.length <= TIME_LENGTH_MAX ? time : null;
}
