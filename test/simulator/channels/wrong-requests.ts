/** Requests that the streams refuse, and what they answer; the connection goes on. */
import type { Random } from "../../support/random.ts";
import type { StreamMessage } from "../../support/stream-client.ts";
import { someChannel, wrongName } from "./channel-names.ts";
import type { ChannelReader } from "./channel-reader.ts";

const NAME_LENGTH_MAX = 64;
const ID_LENGTH_MAX = 64;
const NAMES_MAX = 100;
/** Until there is one to which nobody has subscribed yet. */
const NAMES_TRIED = 4;

/** What no version takes for a request. */
const NO_JSON = ["", "hello", "[]", "null", "7", '"SUBSCRIBE"', "{", '{"id":1,"id":1}'];
const NO_OBJECT = ['{"__proto__":1}', '{"a":[[[[[[[[[]]]]]]]]]}', '{"\\u0069d":1}'];

/** One that is refused. */
export function askWrongly(reader: ChannelReader, random: Random): void {
  if (random.chance(0.3)) {
    const text = random.pick([...NO_JSON, ...NO_OBJECT]);
    reader.ask(text, refusal(reader, reader.version === "v3" ? null : "", "", "40020"));
  } else if (reader.version === "v3") askWronglyInV3(reader, random);
  else askWronglyInV2(reader, random);
}

function refusal({ version }: ChannelReader, echo: unknown, why: string, code: string) {
  if (version === "v2") {
    return ({ channel, code: said, event, msg, ...more }: StreamMessage): boolean =>
      event === "error" &&
      channel === echo &&
      said === code &&
      String(msg).includes(why) &&
      Object.keys(more).length === 0;
  }
  return ({ id, msg, result, ...more }: StreamMessage): boolean =>
    result === false &&
    id === echo &&
    String(msg).startsWith("INVALID_ARGUMENT: ") &&
    String(msg).includes(why) &&
    Object.keys(more).length === 0;
}

function askWronglyInV3(reader: ChannelReader, random: Random): void {
  const method = random.pick(["SUBSCRIBE", "UNSUBSCRIBE"]);
  const known = new Set(reader.names);
  const some = Array.from({ length: NAMES_TRIED }, () => someChannel(reader, random).name);
  const good = some.find((name) => !known.has(name)) ?? String(some[0]);
  const id = random.pick([0, -1, 4711, "", "x", "x".repeat(ID_LENGTH_MAX), null]);
  const long = "x".repeat(NAME_LENGTH_MAX + 1);
  const many = Array.from({ length: NAMES_MAX + 1 }, (_, index) => `${good}${index}`);
  const wrong = wrongName(reader, random);
  const [message, why] = random.pick<readonly [message: object, why: string]>([
    [{ method: random.pick([undefined, "subscribe", "PING", 1, null]), params: [good] }, "method"],
    [{ method, params: random.pick([undefined, [], good, [good, 1], [long], many, {}]) }, "params"],
    // Whatever is beside it is not opened either.
    [{ method: "SUBSCRIBE", params: random.shuffle([wrong.name, good]) }, wrong.why],
    [{ method: "SUBSCRIBE", params: [good, wrong.name] }, wrong.why],
    [{ method: "SUBSCRIBE", params: [wrong.name] }, wrong.why],
  ]);
  if (random.chance(0.2)) {
    const wrongId = random.pick([1.5, true, "x".repeat(ID_LENGTH_MAX + 1), [], {}, 2 ** 60]);
    reader.ask({ ...message, id: wrongId }, refusal(reader, null, "id must be", ""));
  } else reader.ask({ ...message, id }, refusal(reader, id, why, ""));
}

/** One more than a connection may have, where there are limits; and no channel of this name. */
export function askForMany(reader: ChannelReader): void {
  const { length } = reader.names;
  if (reader.version === "v2" || !reader.isSettled) return;
  for (const [count, isTooMany] of [
    [NAMES_MAX - length, false],
    [Math.min(NAMES_MAX, NAMES_MAX - length + 1), length > 0],
  ] as const) {
    const params = Array.from({ length: count }, (_, index) => `nothing${index}`);
    const why =
      isTooMany && reader.exchange.limits !== null
        ? `more than ${NAMES_MAX} channels`
        : "invalid channel : nothing0";
    const id = `many ${count}`;
    reader.ask({ method: "SUBSCRIBE", params, id }, refusal(reader, id, why, ""));
  }
}

function askWronglyInV2(reader: ChannelReader, random: Random): void {
  const event = random.pick(["subscribe", "unsubscribe"]);
  const { name } = someChannel(reader, random);
  const wrong = wrongName(reader, random);
  const long = "x".repeat(NAME_LENGTH_MAX + 1);
  const other = random.pick([undefined, "SUBSCRIBE", "login", 1, null]);
  const channel = random.pick([undefined, "", 1, [name], long]);
  const [message, echo, why, code] = random.pick<readonly [object, string, string, string]>([
    [{ event, channel }, "", "channel must be", "40020"],
    [{ event: other, channel: name }, name, "event must be", "40020"],
    [{ event: "subscribe", channel: wrong.name }, wrong.name, wrong.why, wrong.code],
    [{ event: "subscribe", channel: wrong.name }, wrong.name, wrong.why, wrong.code],
  ]);
  reader.ask(message, refusal(reader, echo, why, code));
}
