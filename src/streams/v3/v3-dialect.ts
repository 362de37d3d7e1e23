/** The v3 dialect: `SUBSCRIBE` with `params` and an `id`, `BTCUSDT@ticker`. */
import { parseAccountChannel, parsePublicChannel } from "../../api/channel-names.ts";
import type { Dialect, StreamRefusal } from "../channels/dialect.ts";
import { v3Wording } from "./v3-encoder.ts";
import { readV3Request } from "./v3-request.ts";

/** By the first word clients tell their own mistake from a fault of the exchange. */
const FIRST_WORDS: Readonly<Record<StreamRefusal["reason"], string>> = {
  "invalid-parameter": "INVALID_ARGUMENT",
  "unknown-symbol": "INVALID_ARGUMENT",
  "rate-limited": "RATE_LIMITED",
  overloaded: "UNAVAILABLE",
};

export const V3_DIALECT: Dialect = {
  publicChannel: (product, name) => {
    const channel = parsePublicChannel(product, name);
    return channel === null ? null : { channel, encoder: v3Wording(name) };
  },
  privateChannel: (product, name) => {
    const channel = parseAccountChannel(product, name);
    return channel === null ? null : { channel, encoder: v3Wording(name) };
  },
  readRequest: readV3Request,
  done: ({ echo }) => ({ result: true, id: echo }),
  refused: ({ echo }, { reason, message }) => ({
    result: false,
    id: echo,
    msg: `${FIRST_WORDS[reason]}: ${message}`,
  }),
  ping: (time, isPrivate) => (isPrivate ? { type: "ping", time } : { event: "ping", time }),
  // Clients wait for this response on public connections only.
  alive: ({ echo }, _time, isPrivate) => (isPrivate ? null : { result: true, id: echo }),
};
