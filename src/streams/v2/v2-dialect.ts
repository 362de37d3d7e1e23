/** The dialect of older clients: one `event` and one `channel`, `depth.BTCUSDT_SPBL.15`. */
import { ERRORS } from "../../api/errors.ts";
import { parseV2PrivateChannel, parseV2PublicChannel } from "../../api/v2-channel-names.ts";
import type { Dialect } from "../channels/dialect.ts";
import { v2AccountWording, v2MarketWording } from "./v2-encoder.ts";
import { readV2Request } from "./v2-request.ts";

export const V2_DIALECT: Dialect = {
  publicChannel: (product, name) => {
    const spelt = parseV2PublicChannel(product, name);
    if (spelt === null) return null;
    const { channel, symbol } = spelt;
    return { channel, encoder: v2MarketWording(name, symbol) };
  },
  privateChannel: (product, name) => {
    const channel = parseV2PrivateChannel(product, name);
    return channel === null ? null : { channel, encoder: v2AccountWording(product, name) };
  },
  readRequest: readV2Request,
  done: ({ kind, echo }) => ({ event: `${kind}d`, channel: echo }),
  refused: ({ echo }, { reason, message }) => ({
    event: "error",
    channel: echo,
    code: ERRORS[reason].v2.code,
    msg: message,
  }),
  ping: (time) => ({ event: "ping", time }),
  alive: ({ kind, echo }, time) => (kind === "ping" ? { event: "pong", time: echo ?? time } : null),
};
