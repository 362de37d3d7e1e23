/**
 * The same bytes again: a signed request, or a logon, that comes a second time after some seconds
 * or minutes. Within its time a request has its first answer, and never a second effect.
 */

import { isDeepStrictEqual } from "node:util";
import { ERRORS } from "../../src/api/errors.ts";
import { requestIdOf } from "../../src/gateway/authentication/request-id.ts";
import type { InlineRequest } from "../support/inline-http.ts";
import type { Random } from "../support/random.ts";
import { logonParams } from "../support/trading-socket.ts";
import type { Acts, TraderAct } from "./act.ts";
import { hold } from "./breach.ts";
import { SOCKET_PATH } from "./entry.ts";
import { contractPrice, SYMBOL, spotPrice, spotQuantity } from "./markets.ts";
import { operate } from "./operate.ts";
import type { Product } from "./orders.ts";
import { passTime } from "./pass-time.ts";
import { readTime } from "./sandbox-clock.ts";
import type { Outcome, SimulatedExchange } from "./simulated-exchange.ts";
import { SimulatedSocket } from "./socket.ts";
import { checkStep } from "./state-check.ts";
import { DONE_KEPT_MS } from "./story.ts";
import { SLACK_MS, WINDOW_MS } from "./timestamps.ts";
import type { Trader } from "./trader.ts";

/** Between both, around the bounds of what must be remembered. */
const DELAYS_MS = [0, 1_000, 19_999, 20_001, 29_900, 30_100, 31_000, 45_000, 59_000, 180_000];
/** How far ahead of the clock it is signed: one that is early is good for longer. */
const AHEAD_MS = [0, 0, 15_000, 29_900];
/** By which a sandbox is beyond what it remembers requests for. */
const ADVANCES_MS = [600_001, 3_600_000];
const EXPIRED = ERRORS["timestamp-expired"].v3;

interface Repetition {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

function repeated(product: Product, random: Random): Repetition {
  const family = product === "spot" ? "/api/v3" : "/capi/v3";
  const countdown = { countdownMs: random.pick([60_000, 300_000]), symbol: SYMBOL };
  if (product === "spot" || random.chance(0.4)) {
    return { path: `${family}/order/cancelAllAfter`, body: countdown };
  }
  return random.pick([
    { path: "/capi/v3/closePositions", body: { symbol: SYMBOL } },
    {
      path: "/capi/v3/account/leverage",
      body: { symbol: SYMBOL, crossLeverage: random.integer(1, 100) },
    },
  ]);
}

function signed(
  trader: Trader,
  method: string,
  { body, path }: Repetition,
  aheadMs: number,
): { readonly request: InlineRequest; readonly timestampMs: number } {
  const { credentials, exchange } = trader;
  const text = JSON.stringify(body);
  const request = exchange.signedAs(credentials, method, path, text, aheadMs);
  return { request, timestampMs: Number(request.headers["ACCESS-TIMESTAMP"]) };
}

/** Both answers; null if one was lost, or is no longer what must be remembered. */
async function sendTwice(
  { exchange }: Trader,
  { request, timestampMs }: { readonly request: InlineRequest; readonly timestampMs: number },
  delayMs: number,
  advanceMs = 0,
): Promise<readonly [first: Outcome, second: Outcome]> {
  const beforeMs = await readTime(exchange);
  const first = await exchange.send("public", request);
  await passTime(exchange, delayMs);
  if (advanceMs > 0) await advance(exchange, advanceMs);
  const away = [Math.abs(exchange.nowMs - timestampMs)];
  const second = await exchange.send("public", request);
  away.push(Math.abs(exchange.nowMs - timestampMs));
  const afterMs = await readTime(exchange);
  const awayOfExchange = [beforeMs, afterMs].map((ms) => Math.abs(ms - timestampMs));
  if (second !== null) checkTime(away, awayOfExchange, second);
  // What an operator advanced is no time for which a request is remembered.
  return [first, afterMs - beforeMs - advanceMs >= DONE_KEPT_MS ? null : second];
}

async function advance(exchange: SimulatedExchange, ms: number): Promise<void> {
  while (exchange.retries.size > 0) await passTime(exchange, 1);
  exchange.daysPassed++;
  await operate(exchange, "POST", "sandbox/clock/advance", { ms });
}

/** By the wall clock or by exchange time, which may be elsewhere. */
function checkTime(
  awayMs: readonly number[],
  ofExchangeMs: readonly number[],
  { body, status }: NonNullable<Outcome>,
): void {
  const isExpired = isSaid(EXPIRED, status, body);
  const detail = () => `${awayMs}, ${ofExchangeMs} ms away: ${status} ${JSON.stringify(body)}`;
  const isIn = awayMs.every((ms) => ms <= WINDOW_MS);
  hold(!isIn || !isExpired, "a request is good for its time", detail);
  const isOut = [...awayMs, ...ofExchangeMs].every((ms) => ms > WINDOW_MS + SLACK_MS);
  hold(!isOut || isExpired, "a request is good for its time", detail);
}

function isSaid(reason: typeof EXPIRED, status: number, body: unknown): boolean {
  return status === reason.status && (body as { readonly code?: unknown }).code === reason.code;
}

/** What a second answer says of now. */
function withoutVersion(body: unknown): unknown {
  const { lastUpdateId: _, ...said } = body as Record<string, unknown>;
  return Array.isArray(body) ? body : said;
}

/** Nothing to do, or a market that took nothing. */
function isWithoutEffect(body: unknown): boolean {
  const isRefused = ({ success }: { readonly success?: boolean }) => success === false;
  return Array.isArray(body) && body.every(isRefused);
}

/** A change without an id of its own. */
const repeatChange =
  (product: Product): TraderAct =>
  async (trader, random) => {
    const change = repeated(product, random);
    const request = signed(trader, "POST", change, random.pick(AHEAD_MS));
    const advances = trader.exchange.sandbox && random.chance(0.3);
    const advanceMs = advances ? random.pick(ADVANCES_MS) : 0;
    const delayMs = random.pick(DELAYS_MS);
    await repeat(trader, change, request, { delayMs, advanceMs });
  };

/** While it is good, and when a sandbox is beyond what it remembers requests for. */
export async function repeatBehindAdvance(
  trader: Trader,
  product: Product,
  random: Random,
): Promise<void> {
  const change = repeated(product, random);
  const request = signed(trader, "POST", change, 0);
  const delayMs = random.pick([0, 1_000, 19_999]);
  await repeat(trader, change, request, { delayMs, advanceMs: random.pick(ADVANCES_MS) });
}

async function repeat(
  trader: Trader,
  change: Repetition,
  request: ReturnType<typeof signed>,
  { advanceMs, delayMs }: { readonly delayMs: number; readonly advanceMs: number },
): Promise<void> {
  const [first, second] = await sendTwice(trader, request, delayMs, advanceMs);
  if (first?.status !== 200) return;
  if (second?.status !== 200) return;
  // What changed nothing is not remembered, and may be done by now.
  if (isWithoutEffect(first.body)) return;
  if (isDeepStrictEqual(withoutVersion(second.body), withoutVersion(first.body))) return;
  // A countdown that already ended at that millisecond.
  await checkStep(trader.exchange);
  const { story } = trader.exchange;
  const isFirst = story.isFirstDoneBehind(
    first.sequence ?? Infinity,
    idOf(trader, request.request),
  );
  const detail = () => `${change.path}: ${JSON.stringify([first.body, second.body])}`;
  hold(isFirst, "a signed request has one effect", detail);
}

/** By which the exchange remembers it. */
function idOf({ credentials: { apiKey }, uid }: Trader, { headers }: InlineRequest): string {
  const caller = { uid, apiKey, permissions: [] };
  return requestIdOf({ caller, signature: headers["ACCESS-SIGN"] ?? "" });
}

/** An order whose id comes from its signature. */
const repeatOrder: TraderAct = async (trader, random) => {
  const body = {
    symbol: SYMBOL,
    side: random.pick(["BUY", "SELL"]),
    type: "LIMIT",
    timeInForce: "GTC",
    price: spotPrice(random),
    quantity: spotQuantity(random),
  };
  const what = { path: "/api/v3/order", body };
  const request = signed(trader, "POST", what, random.pick(AHEAD_MS));
  const clientOrderId = idOf(trader, request.request);
  const order = trader.expect("spot", body, clientOrderId);
  const { exchange } = trader;
  // A day later the same id may be that of another order.
  const retry = {};
  exchange.retries.add(retry);
  try {
    const [first, second] = await sendTwice(trader, request, random.pick(DELAYS_MS));
    trader.learn(order, first);
    // Behind a refusal it may be carried out, and its answer lost.
    if (second === null && order.fate === "refused") order.fate = "unknown";
    if (second?.status !== 401) trader.learn(order, second, true);
  } finally {
    exchange.retries.delete(retry);
  }
};

/** With a price or size, which it must not get again once somebody has amended it back. */
const repeatAmendment =
  (product: Product): TraderAct =>
  async (trader, random) => {
    const isSpot = product === "spot";
    const order = trader.orders.ofFate(product, "accepted").findLast(({ seen }) => seen === null);
    if (order === undefined) return;
    const path = isSpot ? "/api/v3/order" : "/capi/v3/order";
    const price = isSpot ? spotPrice(random) : contractPrice(random);
    const body = { origClientOrderId: order.clientOrderId, price };
    const request = signed(trader, "PUT", { path, body }, random.pick(AHEAD_MS));
    trader.mayBe(order, { price });
    const delayMs = random.pick(DELAYS_MS);
    const [first, second] = await sendTwice(trader, request, delayMs);
    if (first?.status !== 200 || second?.status !== 200) return;
    const isSame = isDeepStrictEqual(withoutVersion(second.body), withoutVersion(first.body));
    const detail = () => `${path}: ${JSON.stringify([first.body, second.body])}`;
    hold(isSame, "a signed request has one effect", detail);
  };

/** A logon is good once, as long as its timestamp is. */
const repeatLogon: TraderAct = async ({ credentials, exchange }, random) => {
  const params = logonParams(credentials, exchange.signingTime(random.pick(AHEAD_MS)));
  const logOn = async (): Promise<unknown> => {
    const socket = await SimulatedSocket.open(exchange, SOCKET_PATH, {}, () => undefined);
    const answer = await socket?.ask({ method: "session.logon", params });
    socket?.close();
    exchange.checkRunning();
    exchange.trace("logon", answer ?? null);
    return answer?.status ?? null;
  };
  if ((await logOn()) !== 200) return;
  await passTime(exchange, random.pick(DELAYS_MS));
  const second = await logOn();
  hold(second !== 200, "a logon is good once", () => `${params.timestamp} at ${exchange.nowMs}`);
};

export const REPEATS: Acts<TraderAct> = {
  "spot-repeat": [2, repeatChange("spot")],
  "contract-repeat": [3, repeatChange("contract")],
  "spot-repeat-order": [3, repeatOrder],
  "spot-repeat-amendment": [2, repeatAmendment("spot")],
  "contract-repeat-amendment": [2, repeatAmendment("contract")],
  "spot-repeat-logon": [2, repeatLogon],
  "contract-repeat-logon": [1, repeatLogon],
};
