/**
 * A client over HTTP whose answers come in any order: it names the last command that any of them
 * has shown, and never an earlier one. Another client that asks for as much sees all that the first
 * one did, in the state and in the history; what nobody has done yet is waited for.
 */
import { RialtoError } from "../../../src/client/index.ts";
import { hold } from "../breach.ts";
import { settledOf } from "../client/call-check.ts";
import {
  ask,
  type ClientDesk,
  close,
  FAR_TERMS,
  newClient,
  newDesk,
  settle,
} from "../client/client-desk.ts";
import { inTurns } from "../client/client-machine.ts";
import { SYMBOL } from "../markets.ts";
import { momentAt } from "../order-timelines.ts";
import type { Product } from "../orders.ts";
import type { Scene } from "./stage.ts";

const ROUNDS = { least: 2, most: 4 };
const CALLS = { least: 3, most: 8 };
const HELD_MS = 20;
/** In which every answer has come. */
const HELD_MAX_MS = 5_000;
/** Until it is read by the client. */
const TURNS = 4;
/** A node that is behind is waited for so long. */
const BEHIND_MS = 2_000;

const PATHS = { spot: "/api/v3/order", contract: "/capi/v3/order" } as const;

interface Desk extends ClientDesk {
  readonly first: ReturnType<typeof newClient>;
  readonly other: ReturnType<typeof newClient>;
  /** Of orders that were accepted, and that nobody has cancelled. */
  readonly ids: Set<string>;
  made: number;
  /** The last command that an answer to the first client has named. */
  seen: number;
}

export function lateAnswers(product: Product): Scene {
  return async (stage) => {
    const begun = await newDesk(stage, product, "late");
    if (begun === null) return;
    const { account, machine, network } = begun;
    const [first, other] = [0, 1].map(() => newClient(account, network, machine, "http")) as [
      Desk["first"],
      Desk["other"],
    ];
    // A sandbox's clock may be far from theirs.
    for (const client of [first, other]) await stage.do(client.syncTime());
    const desk: Desk = {
      ...{ ...begun, first, other },
      ...{ ids: new Set(), made: 0, seen: first.sequence },
    };
    for (let left = stage.random.integer(ROUNDS.least, ROUNDS.most); left > 0; left--) {
      await together(desk);
      await seenByAnother(desk);
      await ahead(desk);
    }
    for (const client of [first, other]) await close(stage, client, desk);
    for (const id of desk.ids) await ask(stage, account, "DELETE", orderPath(product, id));
    await stage.look();
  };
}

function orderPath(product: Product, id: string): string {
  return `${PATHS[product]}?origClientOrderId=${id}`;
}

function termsOf({ account, product }: Desk, number: number) {
  const terms = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "POST_ONLY" };
  return { ...terms, ...FAR_TERMS[product], newClientOrderId: `l${account.uid}-${number}` };
}

function send(desk: Desk): Promise<unknown> {
  const { first, ids, product, stage } = desk;
  const { random } = stage;
  const drawn = random.pick(["place", "place", "open", "time", "unknown", "ended"] as const);
  const symbol = SYMBOL;
  const isSpot = product === "spot";
  if (drawn === "time") return first.spot.serverTime();
  if (drawn === "open") return first[product].openOrders({ symbol });
  if (drawn === "unknown") return first[product].order({ origClientOrderId: "nobody's" });
  if (drawn === "ended") {
    return isSpot ? first.spot.allOrders({ symbol }) : first.contract.orderHistory({ symbol });
  }
  const terms = termsOf(desk, desk.made++);
  return first[product].placeOrder(terms as never).then(() => ids.add(terms.newClientOrderId));
}

/** Answered all at once, and then heard one by one. */
async function together(desk: Desk): Promise<void> {
  const { first, network, stage } = desk;
  const { random } = stage;
  network.begin();
  network.held = [];
  const count = random.integer(CALLS.least, CALLS.most);
  const calls = Array.from({ length: count }, () => settledOf(send(desk)));
  for (let ms = 0; ms < HELD_MAX_MS && network.held.length < count; ms += HELD_MS) {
    await stage.pass(HELD_MS);
  }
  const held = random.shuffle(network.held);
  network.held = null;
  for (const { go, request } of held) {
    go();
    await inTurns(TURNS);
    desk.seen = Math.max(desk.seen, request.sequence ?? 0);
    const { sequence } = first;
    const all = () => `${sequence} instead of ${desk.seen}: ${JSON.stringify(held)}`;
    hold(sequence === desk.seen, "a client names the last command that it has seen", all);
  }
  await stage.do(Promise.all(calls));
  for (const { sequence } of network.requests) desk.seen = Math.max(desk.seen, sequence ?? 0);
}

/** What was acknowledged to the first, the other one sees: open, and ended. */
async function seenByAnother(desk: Desk): Promise<void> {
  const { first, ids, machine, network, other, product, stage } = desk;
  const { random } = stage;
  const [some = null] = ids;
  const gone = some !== null && random.chance(0.6) ? some : null;
  if (gone !== null) {
    const cancelled = first[product].cancelOrder({ origClientOrderId: gone });
    await stage.do(settledOf(cancelled));
    ids.delete(gone);
  }
  network.begin();
  const { sequence: minSequence } = first;
  const symbol = SYMBOL;
  const isEnded = gone !== null && random.chance(0.5);
  const { settled } = await settle(stage, machine, async (): Promise<unknown> => {
    if (!isEnded) return await other[product].openOrders({ symbol }, { minSequence });
    if (product === "spot") return await other.spot.allOrders({ symbol }, { minSequence });
    return await other.contract.orderHistory({ symbol }, { minSequence });
  });
  desk.seen = Math.max(desk.seen, first.sequence);
  const { answer, error } = settled;
  const told = { minSequence, isEnded, gone, ids: [...ids], requests: network.requests };
  const detail = () => JSON.stringify([told, answer, error?.message]);
  const isAsked = network.requests.every(({ least }) => least === minSequence);
  hold(isAsked, "a client asks for what it knows", detail);
  if (answer === null) return;
  const rows = answer as readonly { readonly clientOrderId: string; readonly status: string }[];
  const open = rows.filter(({ status }) => status === "NEW").map((row) => row.clientOrderId);
  const shown = network.requests.at(-1)?.sequence ?? 0;
  const isThere = isEnded
    ? rows.some((row) => row.clientOrderId === gone && row.status !== "NEW")
    : open.length === rows.length && (await areThoseOpen(desk, open, shown));
  hold(isThere && (gone === null || !open.includes(gone)), "reads see writes", detail);
  hold(shown >= minSequence, "an answer shows the command that was asked for", detail);
  hold(other.sequence >= shown, "a client names the last command that it has seen", detail);
}

/**
 * Whether a list has the orders that were open behind a command. Of those that were accepted, one
 * that would have taken has ended at once.
 */
async function areThoseOpen(
  { account, ids, product, stage }: Desk,
  listed: readonly string[],
  shown: number,
): Promise<boolean> {
  if (listed.some((id) => !ids.has(id))) return false;
  const missing = [...ids].filter((id) => !listed.includes(id));
  if (missing.length === 0) return true;
  await stage.look();
  const all = stage.exchange.story.orders.ofAccount(product, account.uid);
  return missing.every((id) => {
    const timeline = all.find(({ clientOrderId }) => clientOrderId === id);
    return timeline !== undefined && momentAt(timeline, shown)?.isOpen === false;
  });
}

/** Of a command that comes in time, or does not. */
async function ahead(desk: Desk): Promise<void> {
  const { account, machine, network, other, product, stage } = desk;
  const { exchange, random } = stage;
  network.begin();
  await stage.look();
  const missing = random.integer(1, 2);
  const minSequence = exchange.story.sequence + missing;
  const comes = random.chance(0.6);
  const sentMs = machine.monotonicMs();
  const symbol = SYMBOL;
  const reading = settledOf(other[product].openOrders({ symbol }, { minSequence, attempts: 1 }));
  const write = async (): Promise<void> => {
    for (let left = comes ? missing : 0; left > 0; left--) {
      const id = `late-${desk.made++}`;
      const body = { id, account: "spot", asset: "USDT", amount: "1" };
      const path = `users/${account.uid}/deposits`;
      await exchange.send("operator", exchange.operatorRequest("POST", path, body));
    }
  };
  const [{ error }] = await stage.do(Promise.all([reading, write()]));
  const tookMs = machine.monotonicMs() - sentMs;
  const shown = network.requests.at(-1)?.sequence ?? 0;
  await stage.look();
  const { sequence } = exchange.story;
  const detail = () => `${minSequence}: ${shown} after ${tookMs} ms, then ${sequence}, ${error}`;
  if (error === null) {
    return hold(shown >= minSequence, "an answer shows the command that was asked for", detail);
  }
  const isIt = error instanceof RialtoError && error.status === 503 && tookMs >= BEHIND_MS;
  hold(isIt && !comes, "an answer is waited for", detail);
}
