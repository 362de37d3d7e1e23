/** Replays of recorded markets: their accounts, and their messages as commands. */
import { refuse } from "../../api/errors.ts";
import * as routes from "../../api/operator/replays.ts";
import type { Rejection } from "../../domain/index.ts";
import type {
  Command,
  CommandAnswers,
  QueryAnswers,
  Reply,
  SpotMarketView,
  Submission,
} from "../../protocol/index.ts";
import { done } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";
import type { Refused } from "../refusal.ts";
import { RunningReplay } from "../replays.ts";

type Message = routes.RecordedMessage;
type Missing = Pick<CommandAnswers["execute-recorded-order"], "missing">;

/** Replays have accounts of their own from here on; others are registered with lower uids. */
const FIRST_UID = 9_000_000_000_000;
const PAGE = 1_000;
/** Why a message had no effect, although it was recorded. */
interface Impossible {
  readonly index: number;
  readonly reason: string;
  readonly missing: string | null;
}

async function freeUid({ engine }: OperatorContext): Promise<Outcome<number>> {
  let free = FIRST_UID;
  for (;;) {
    const reply = await engine.query({ type: "users", afterUid: free - 1, limit: PAGE });
    if (!reply.ok) return reply;
    const last = reply.value.at(-1);
    if (last === undefined) return done(free);
    free = last.uid + 1;
  }
}

/** Null when it was made. Both accounts trade for the exchange and pay no fees. */
async function makeAccount(
  { engine }: OperatorContext,
  actor: string,
  uid: number,
  symbol: string,
  funds: readonly (readonly [asset: string, amount: string])[],
): Promise<Refused | null> {
  // Not drawn: the same recording on the same state gives the same state.
  const inviteCode = `replay${uid}`;
  const rates = { makerFeeRate: "0", takerFeeRate: "0" };
  const commands: Command[] = [
    { type: "register-user", actor, uid, inviteCode, invitedWith: null, kyc: true },
    { type: "set-house-account", actor, uid, house: true },
    { type: "set-fee-rates", actor, uid, product: "spot", symbol, ...rates },
  ];
  for (const [asset, amount] of funds) {
    if (/^[0.]*$/.test(amount)) continue;
    const requestId = `replay-${uid}-${asset}`;
    commands.push({ type: "deposit-funds", actor, requestId, uid, wallet: "spot", asset, amount });
  }
  const replies = await engine.submitAll(commands.map((command) => ({ kind: "command", command })));
  return replies.find((reply) => !reply.ok) ?? null;
}

async function findMarket(
  { engine }: OperatorContext,
  symbol: string,
): Promise<Outcome<SpotMarketView>> {
  const reply = await engine.query({ type: "spot-markets", symbol });
  if (!reply.ok) return reply;
  const [market] = reply.value;
  return market === undefined ? refuse("unknown-symbol", "symbol") : done(market);
}

/** A replay is called by the uid of the account that owns its orders. */
interface BegunReplay {
  readonly uid: number;
  readonly takerUid: number;
  readonly symbol: string;
}

const beginReplay = handle(routes.beginReplay, ({ body, actor }, context) =>
  context.mutex.run(async (): Promise<Outcome<BegunReplay>> => {
    const { symbol, base, quote, name = "" } = body;
    const market = await findMarket(context, symbol);
    if (!market.ok) return market;
    const free = await freeUid(context);
    if (!free.ok) return free;
    const uid = free.value;
    const accounts = { makerUid: uid, takerUid: uid + 1 };
    const funds = [
      [market.value.baseAsset, base],
      [market.value.quoteAsset, quote],
    ] as const;
    for (const made of [accounts.makerUid, accounts.takerUid]) {
      const refused = await makeAccount(context, actor, made, symbol, funds);
      if (refused !== null) return refused;
    }
    const replay = new RunningReplay(market.value, accounts, name, context.events);
    context.replays.add(uid, replay);
    return done({ uid, takerUid: accounts.takerUid, symbol });
  }),
);

/** Takes an order that the recording does not name, and executes it. */
function tradeCommands(
  replay: RunningReplay,
  { kind, side, price, quantity }: Extract<Message, { readonly kind: "trade" | "hidden" }>,
): readonly Command[] {
  const { accounts, symbol } = replay;
  const { makerUid, takerUid } = accounts;
  // A hidden order was inside the spread, or it did not show: it must not take.
  const timeInForce = kind === "hidden" ? "POST_ONLY" : "GTC";
  const clientOrderId = replay.nextOrderId();
  const resting = side === "BUY" ? "SELL" : "BUY";
  const terms = { symbol, side: resting, price, quantity, clientOrderId } as const;
  return [
    { type: "place-recorded-order", uid: makerUid, timeInForce, ...terms },
    {
      type: "execute-recorded-order",
      uid: takerUid,
      makerUid,
      makerOrderId: clientOrderId,
      ...terms,
    },
  ];
}

/** A message as a call has it, whose time moves exchange time, or does not. */
interface Mode {
  readonly actor: string;
  readonly moveTime: boolean;
}

function commandsOf(replay: RunningReplay, message: Message, mode: Mode): readonly Command[] {
  const { accounts, symbol } = replay;
  const { actor } = mode;
  const { makerUid: uid } = accounts;
  switch (message.kind) {
    case "time":
      if (!mode.moveTime) return [];
      return [{ type: "set-clock", actor, toMs: message.timeMs, speedE3: null }];
    case "add": {
      const { id: clientOrderId, side, price, quantity } = message;
      const terms = { symbol, side, price, quantity, clientOrderId } as const;
      return [{ type: "place-recorded-order", uid, timeInForce: "GTC", ...terms }];
    }
    case "reduce": {
      const { id: clientOrderId, quantity } = message;
      return [{ type: "reduce-recorded-order", uid, symbol, clientOrderId, quantity }];
    }
    case "remove":
      return [{ type: "cancel-spot-order", uid, symbol, orderId: null, clientOrderId: message.id }];
    case "execute": {
      const { id: makerOrderId, side, price, quantity } = message;
      const terms = { symbol, side, price, quantity, makerOrderId } as const;
      const clientOrderId = replay.nextOrderId();
      const uids = { uid: accounts.takerUid, makerUid: uid };
      return [{ type: "execute-recorded-order", ...uids, ...terms, clientOrderId }];
    }
    default:
      return tradeCommands(replay, message);
  }
}

/** A message and the replies to its commands. */
interface Applied {
  readonly message: Message;
  readonly replies: readonly Reply<unknown>[];
}

function problemOf({ message, replies }: Applied, index: number): Impossible | Rejection | null {
  // Time that is past already stays as it is; of other trades nothing was recorded but the trade.
  if (message.kind === "time" || message.kind === "trade" || message.kind === "hidden") return null;
  const [reply] = replies;
  if (reply === undefined || "unavailable" in reply) return null;
  if (!reply.ok) {
    if (reply.reason === "unknown-user" || reply.reason === "unknown-symbol") return reply;
    const missing = "quantity" in message ? message.quantity : null;
    return { index, reason: reply.reason, missing };
  }
  if (message.kind !== "execute" && message.kind !== "reduce") return null;
  const { missing } = reply.value as Missing;
  return missing === "0" ? null : { index, reason: "order-not-found", missing };
}

interface Outcomes {
  readonly applied: readonly Applied[];
  readonly books: readonly QueryAnswers["spot-depth"][];
}

/** All messages in one request; after each, where asked for, the book of the recorded orders. */
async function submit(
  { engine }: OperatorContext,
  replay: RunningReplay,
  messages: readonly Message[],
  levels: number | undefined,
  mode: Mode,
): Promise<Outcome<Outcomes>> {
  const { symbol, accounts } = replay;
  const uid = accounts.makerUid;
  const submissions: Submission[] = [];
  const counts = messages.map((message) => {
    const commands = commandsOf(replay, message, mode);
    for (const command of commands) submissions.push({ kind: "command", command });
    if (levels !== undefined) {
      submissions.push({ kind: "query", query: { type: "spot-depth", symbol, levels, uid } });
    }
    return commands.length;
  });
  const replies = await engine.submitAll(submissions);
  const refused = replies.find((reply) => "unavailable" in reply);
  if (refused !== undefined && "unavailable" in refused) return refused;
  const books: QueryAnswers["spot-depth"][] = [];
  let next = 0;
  const applied = messages.map((message, i) => {
    const count = counts[i] ?? 0;
    const own = replies.slice(next, next + count);
    next += count;
    const book = levels === undefined ? undefined : replies[next++];
    if (book?.ok) books.push(book.value as QueryAnswers["spot-depth"]);
    return { message, replies: own };
  });
  return done({ applied, books });
}

const applyRecorded = handle(routes.applyRecorded, async ({ params, body, actor }, context) => {
  const replay = context.replays.find(params.uid);
  if (replay === null) return refuse("unknown-id", "uid");
  return await replay.mutex.run(async (): Promise<Outcome<AppliedAnswer>> => {
    if (context.events.isBehind) return { ok: false, unavailable: "overloaded" };
    const { messages, levels, progress = replay.progress } = body;
    const mode = { actor, moveTime: context.replays.moveTime };
    const outcome = await submit(context, replay, messages, levels, mode);
    if (!outcome.ok) return outcome;
    const isMoved = mode.moveTime && messages.some(({ kind }) => kind === "time");
    if (isMoved) await context.house?.timeMoved();
    replay.messages += messages.length;
    replay.progress = progress;
    const { applied, books } = outcome.value;
    const impossible: Impossible[] = [];
    for (const [index, one] of applied.entries()) {
      const problem = problemOf(one, index);
      if (problem !== null && "ok" in problem) return problem;
      if (problem !== null) impossible.push(problem);
    }
    const sides = books.map(({ bids, asks }) => ({ bids: plain(bids), asks: plain(asks) }));
    return done({ applied: messages.length, impossible, books: sides, ...replay.fills });
  });
});

type AppliedAnswer = {
  applied: number;
  impossible: Impossible[];
  books: { bids: [string, string][]; asks: [string, string][] }[];
} & RunningReplay["fills"];

function plain(levels: readonly (readonly [string, string])[]): [string, string][] {
  return levels.map(([price, quantity]) => [price, quantity]);
}

function toReplay(uid: number, { symbol, name, messages, progress, fills }: RunningReplay) {
  return { uid, symbol, name, messages, progress, ...fills };
}

const listReplays = handle(routes.listReplays, async (_, { replays }) => {
  return done({ items: replays.all().map(([uid, replay]) => toReplay(uid, replay)) });
});

const getReplay = handle(routes.getReplay, async ({ params: { uid } }, { replays }) => {
  const replay = replays.find(uid);
  return replay === null ? refuse("unknown-id", "uid") : done(toReplay(uid, replay));
});

const endReplay = handle(routes.endReplay, async ({ params: { uid } }, { replays }) => {
  const replay = replays.find(uid);
  if (replay === null) return refuse("unknown-id", "uid");
  replays.remove(uid);
  return done(toReplay(uid, replay));
});

export const REPLAY_CALLS = [beginReplay, applyRecorded, listReplays, getReplay, endReplay];
