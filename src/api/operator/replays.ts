/** Replays of recorded markets: the calls with which `rialto replay` brings its messages. */
import { type Static, Type } from "typebox";
import { CLIENT_ORDER_ID_PATTERN, SIDES } from "../../domain/index.ts";
import {
  Amount,
  Count,
  Fields,
  MarketSymbol,
  Nullable,
  OneOf,
  SignedAmount,
  TimestampMs,
  Uid,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Sandbox";

/** In one call, which is applied with nothing in between. */
const RECORDED_MESSAGES_MAX = 1_000;
const DEPTH_MAX = 200;
const NAME_MAX = 200;

const RecordedOrderId = Type.String({
  pattern: CLIENT_ORDER_ID_PATTERN,
  description: "the order's id in the recording, 1 to 40 of A-Z a-z 0-9 . _ : / # -",
});

const Side = OneOf(SIDES);

const Terms = { side: Side, price: Amount, quantity: Amount };

const Message = Type.Union(
  [
    Fields({ kind: Type.Literal("time"), timeMs: TimestampMs }),
    Fields({ kind: Type.Literal("add"), id: RecordedOrderId, ...Terms }),
    Fields({ kind: Type.Literal("reduce"), id: RecordedOrderId, quantity: Amount }),
    Fields({ kind: Type.Literal("remove"), id: RecordedOrderId }),
    Fields({ kind: Type.Literal("execute"), id: RecordedOrderId, ...Terms }),
    Fields({ kind: Type.Literal("trade"), ...Terms }),
    Fields({ kind: Type.Literal("hidden"), ...Terms }),
  ],
  { description: "an object with a kind" },
);

export type RecordedMessage = Static<typeof Message>;

/** What users other than the replay's accounts traded. */
const Fills = {
  testerFills: Count,
  testerQuantity: SignedAmount,
  slippage: SignedAmount,
};

const Level = Type.Array(Type.String(), { minItems: 2, maxItems: 2 });

const Impossible = Fields({
  index: Count,
  reason: Type.String({ description: "the error code that other calls return" }),
  missing: Nullable(
    Type.String({ description: "the part of the quantity that was not in the book" }),
  ),
});

const Replay = Fields({
  uid: Uid,
  symbol: MarketSymbol,
  name: Type.String(),
  messages: Count,
  progress: Type.Number({ description: "what was read of the recording, in percent" }),
  ...Fills,
});

const OneReplay = Fields({ uid: Uid });

export const beginReplay = operatorRoute("beginReplay", {
  tag: TAG,
  summary:
    "Begin a replay of a recorded market: registers and funds its two accounts, one that owns " +
    "the recorded orders and one that executes them",
  sandboxOnly: true,
  body: Fields({
    symbol: MarketSymbol,
    base: Amount,
    quote: Amount,
    name: Type.Optional(
      Type.String({
        pattern: `^[^\\u0000-\\u001f\\u007f]{1,${NAME_MAX}}$`,
        description: `1 to ${NAME_MAX} characters`,
      }),
    ),
  }),
  answer: Fields({ uid: Uid, takerUid: Uid, symbol: MarketSymbol }),
});

export const applyRecorded = operatorRoute("applyRecorded", {
  tag: TAG,
  summary: "Apply up to 1,000 recorded messages, in order and with nothing in between",
  sandboxOnly: true,
  params: OneReplay,
  body: Fields({
    messages: Type.Array(Message, {
      minItems: 1,
      maxItems: RECORDED_MESSAGES_MAX,
      description: `a list of 1 to ${RECORDED_MESSAGES_MAX} messages, each with its kind`,
    }),
    progress: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: "percent, from 0 to 100" }),
    ),
    levels: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: DEPTH_MAX,
        description: `levels of the recorded orders after each message, from 1 to ${DEPTH_MAX}`,
      }),
    ),
  }),
  answer: Fields({
    applied: Count,
    impossible: Type.Array(Impossible),
    books: Type.Array(Fields({ bids: Type.Array(Level), asks: Type.Array(Level) })),
    ...Fills,
  }),
});

export const listReplays = operatorRoute("listReplays", {
  tag: TAG,
  summary: "List replays that run: how far they are, and what other users filled",
  sandboxOnly: true,
  answer: Fields({ items: Type.Array(Replay) }),
});

export const getReplay = operatorRoute("getReplay", {
  tag: TAG,
  summary: "Get what other users filled since a replay began",
  sandboxOnly: true,
  params: OneReplay,
  answer: Replay,
});

export const endReplay = operatorRoute("endReplay", {
  tag: TAG,
  summary: "End a replay; its orders stay in the book",
  sandboxOnly: true,
  params: OneReplay,
  answer: Replay,
});
