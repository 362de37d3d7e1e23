/**
 * Requests that follow each other on one connection before the first is answered, their bytes in
 * pieces with pauses: each sees what those before it did.
 */
import type { Duplex } from "node:stream";
import { HEAD_END, type InlineRequest, requestText } from "../support/inline-http.ts";
import type { Random } from "../support/random.ts";
import type { Acts, TraderAct } from "./act.ts";
import { hold } from "./breach.ts";
import type { EntryRequest } from "./entry.ts";
import { contractPrice, contractQuantity, SYMBOL, spotPrice, spotQuantity } from "./markets.ts";
import type { Product } from "./orders.ts";
import { passTime } from "./pass-time.ts";
import type { Outcome, SimulatedExchange } from "./simulated-exchange.ts";

const PIECES_MAX = 4;
const PAUSES_MS = [0, 0, 1, 500, 2_000];

/** Cut anywhere; more often within the bodies, which arrive behind their heads. */
function inPieces(bytes: string, random: Random): string[] {
  const cuts = Array.from({ length: random.integer(0, PIECES_MAX - 1) }, () => {
    const at = random.integer(1, bytes.length - 1);
    const bodyAt = bytes.indexOf(`${HEAD_END}{`, at);
    return random.chance(0.5) && bodyAt > 0 ? bodyAt + HEAD_END.length + random.integer(0, 9) : at;
  });
  const ends = [...cuts.sort((one, other) => one - other), bytes.length];
  return ends.map((end, index) => bytes.slice(ends[index - 1] ?? 0, end)).filter(Boolean);
}

/** The answers that have come, in the order of the requests. */
function answersIn(text: string): Outcome[] {
  const found: Outcome[] = [];
  for (let rest = text; ; ) {
    const headEnd = rest.indexOf(HEAD_END);
    if (headEnd < 0) return found;
    const head = rest.slice(0, headEnd);
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    const body = rest.slice(headEnd + HEAD_END.length, headEnd + HEAD_END.length + length);
    if (body.length < length) return found;
    found.push({ status: Number(head.slice(9, 12)), body: JSON.parse(body) });
    rest = rest.slice(headEnd + HEAD_END.length + length);
  }
}

/** One answer for each request; null for those that the connection did not live to see. */
async function sendPipelined(
  exchange: SimulatedExchange,
  requests: readonly InlineRequest[],
  random: Random,
): Promise<Outcome[]> {
  const connection = exchange.connect();
  const done = answered(connection, requests.length);
  for (const piece of inPieces(requests.map(requestText).join(""), random)) {
    connection.write(piece, "latin1");
    await passTime(exchange, random.pick(PAUSES_MS));
  }
  const answers = answersIn(await done);
  connection.destroy();
  exchange.requests += requests.length;
  exchange.checkRunning();
  exchange.trace("pipelined", answers);
  return requests.map((_, index) => answers[index] ?? null);
}

function answered(connection: Duplex, count: number): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    connection.setEncoding("latin1");
    connection.on("data", (chunk: string) => {
      text += chunk;
      if (answersIn(text).length === count) resolve(text);
    });
    connection.once("close", () => resolve(text));
  });
}

function orderOf(product: Product, random: Random): Record<string, string> {
  const isSpot = product === "spot";
  return {
    symbol: SYMBOL,
    side: random.pick(["BUY", "SELL"]),
    type: "LIMIT",
    timeInForce: random.pick(["GTC", "GTC", "POST_ONLY"]),
    price: isSpot ? spotPrice(random) : contractPrice(random),
    // Mostly one that the account can pay for: what is refused has no order to keep.
    quantity: random.chance(0.7)
      ? "0.001"
      : isSpot
        ? spotQuantity(random)
        : contractQuantity(random),
    ...(isSpot ? {} : { positionSide: random.pick(["LONG", "SHORT"]) }),
  };
}

/** Perhaps a read first, for which the others wait; an order; its cancellation; a look at it. */
const pipeline =
  (product: Product): TraderAct =>
  async (trader, random) => {
    const { credentials, exchange } = trader;
    const path = product === "spot" ? "/api/v3/order" : "/capi/v3/order";
    const signed = (method: string, target: string, body: string | null = null) =>
      exchange.signedAs(credentials, method, target, body);
    const order = trader.newOrder(product, orderOf(product, random));
    const named = `${path}?origClientOrderId=${order.clientOrderId}`;
    const history = product === "spot" ? "/api/v3/myTrades" : "/capi/v3/userTrades";
    const isSocket = random.chance(0.5);
    const isRead = random.chance(0.8);
    const looks = random.chance(0.7);
    const cancels = !looks || random.chance(0.5);
    const looksFirst = looks && cancels && random.chance(0.5);
    const cancel = cancels ? [{ method: "DELETE", path: named, body: undefined }] : [];
    const look = looks ? [{ method: "GET", path: named, body: undefined }] : [];
    const earlier = trader.orders.ofFate(product, "accepted");
    // The trading WebSocket has no call for fills; an order that has ended is in the history, too.
    const first =
      isSocket && earlier.length > 0
        ? `${path}?origClientOrderId=${random.pick([...earlier]).clientOrderId}`
        : `${history}?symbol=${SYMBOL}`;
    const requests: EntryRequest[] = [
      ...(isRead ? [{ method: "GET", path: first, body: undefined }] : []),
      { method: "POST", path, body: order.body },
      ...(looksFirst ? [...look, ...cancel] : [...cancel, ...look]),
    ];
    const asked = exchange.linearity.turn();
    const answers = isSocket
      ? [...(await trader.sendInARow(requests))]
      : await sendPipelined(
          exchange,
          requests.map(({ body, method, path: target }) => {
            return signed(method, target, body === undefined ? null : JSON.stringify(body));
          }),
          random,
        );
    const rest = isRead ? answers.slice(1) : answers;
    trader.placed(order, rest.shift() ?? null, asked);
    if (looksFirst) {
      const [looked = null, cancelled = null] = rest;
      checkOrder(looked, cancelled);
      trader.lookedUp(order, looked, asked);
      trader.cancelled(order, cancelled, exchange.linearity.turn());
      return;
    }
    // On one connection the cancellation is behind the order, as if it had been answered.
    if (cancels) trader.cancelled(order, rest.shift() ?? null, exchange.linearity.turn());
    // All were answered some time ago, and others may have seen more since.
    if (looks) trader.lookedUp(order, rest.shift() ?? null, asked);
  };

/** A look ahead of the cancellation has not seen it, where that one had something to cancel. */
function checkOrder(looked: Outcome, cancelled: Outcome): void {
  const { status } = (looked?.body ?? {}) as { readonly status?: unknown };
  const isAhead = cancelled?.status !== 200 || status !== "CANCELED";
  hold(isAhead, "requests of a connection keep their order", () => {
    return JSON.stringify([looked, cancelled]);
  });
}

export const PIPELINES: Acts<TraderAct> = {
  "spot-pipeline": [8, pipeline("spot")],
  "contract-pipeline": [6, pipeline("contract")],
};
