/**
 * A sandbox's rules for requests, while one user sends messages on the trading WebSocket without
 * waiting for their answers: each is delayed, refused or lost as a naive list of the rules says,
 * and what they do and are answered keeps their order, also behind one that is held.
 */
import { exact, text } from "../../support/exact.ts";
import { logonParams } from "../../support/trading-socket.ts";
import { isAcceptable } from "../directed.ts";
import { SOCKET_PATH } from "../entry.ts";
import { SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Product, SentOrder } from "../orders.ts";
import { readClock } from "../sandbox-clock.ts";
import { SimulatedSocket } from "../socket.ts";
import type { Trader } from "../trader.ts";
import { fundSpot } from "./referrals.ts";
import { checkRules, meet, type Rule, readLog, setRule } from "./sandbox-rules.ts";
import { callOf, type Kind, type SentMessage, someMessage } from "./socket-messages.ts";
import { checkLog, checkMessages } from "./socket-order.ts";
import type { Scene, Stage } from "./stage.ts";

const ROUNDS = [1, 3] as const;
const RULES = [1, 3] as const;
const MESSAGES = [4, 10] as const;
const ORDERS = 2;
const PAUSES_MS = [1, 50, 200, 700];
/** Longer than a rule holds a message; of an ended connection it is in the log only then. */
const HELD_MAX_MS = 5_000;
const FUNDS = { account: "contract", asset: "USDT", amount: "5000" } as const;
/** Of the mark, so far below that nobody meets it. */
const SHARE = { of: 98n, in: 100n };

export function socketFaults(product: Product): Scene {
  return async (stage) => {
    const { exchange, random, traders } = stage;
    if (exchange.limits !== null || (await readClock(exchange)).speed !== 1) return;
    const trader = random.pick([...traders]);
    if (product === "spot") await fundSpot(stage, trader);
    else await stage.move(trader, "deposits", FUNDS);
    await stage.clear(product, SYMBOL);
    await stopCountdown(stage, product, trader);
    for (let count = random.integer(...ROUNDS); count > 0; count--) {
      const terms = await restingTerms(stage, product, trader);
      if (terms === null) break;
      await playRound(stage, product, trader, terms);
      await stage.do(trader.cancelAll(product, SYMBOL));
    }
    await stage.look();
  };
}

async function stopCountdown(stage: Stage, product: Product, trader: Trader): Promise<void> {
  const path = `${product === "spot" ? "/api" : "/capi"}/v3/order/cancelAllAfter`;
  await stage.send(trader, "POST", path, { symbol: SYMBOL, countdownMs: 0 });
}

/** Of orders that wait until they are cancelled; null where none does. */
async function restingTerms(stage: Stage, product: Product, { uid }: Trader) {
  const naive = await stage.look();
  const [spot, contract] = [naive.markets.get(SYMBOL), naive.contracts.get(SYMBOL)];
  if (spot === undefined || contract === undefined) return null;
  const isSpot = product === "spot";
  const { tick } = isSpot ? spot.rules : contract.rules;
  const asks = isSpot ? naive.sideOf(spot, "SELL") : naive.contractSide(contract, "SELL");
  const around = isSpot ? exact(String(SPOT_PRICE)) : contract.mark;
  const below = (around * SHARE.of) / SHARE.in;
  const price = below - (below % tick);
  const isMet = asks.some((ask) => ask.price <= price);
  const resting = isSpot ? spot.resting : contract.resting;
  // One that is liquidated takes orders along.
  const mayEnd = !isSpot && naive.positionsOf(uid).some((one) => one.marginType === "ISOLATED");
  if (isMet || mayEnd || resting.some((one) => one.uid === uid)) return null;
  const body = {
    ...{ symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC", price: text(price) },
    ...(isSpot ? {} : { positionSide: "LONG" }),
    quantity: "0.006",
  };
  return isAcceptable(naive, { product, uid, body }) ? body : null;
}

async function playRound(
  stage: Stage,
  product: Product,
  trader: Trader,
  terms: Readonly<Record<string, string>>,
): Promise<void> {
  const { exchange, random } = stage;
  const socket = await logOn(stage, trader);
  if (socket === null) return;
  const rules: Rule[] = [];
  for (let count = random.integer(...RULES); count > 0; count--) {
    const setting = { id: `s${rules.length}`, of: trader, routes: routesOf(product), expires: 0 };
    await setRule(stage, rules, setting);
  }
  const { next } = await readLog(stage, trader, 0);
  const orders = Array.from({ length: ORDERS }, () =>
    trader.newOrder(product, { ...terms, quantity: `0.00${random.integer(2, 6)}` }),
  );
  const sent = await sendAll({ stage, socket, trader, rules }, product, orders);
  socket.close();
  learnAll(trader, sent);
  const market = await stage.marketOf(product);
  const open = (market?.resting ?? []).filter(({ uid }) => uid === trader.uid);
  const rows = open.map(({ clientOrderId, quantity }) => {
    return { clientOrderId, origQty: text(quantity) };
  });
  const isWhole = checkMessages(sent, rows);
  checkLog(sent, (await readLog(stage, trader, next)).rows);
  if (isWhole) await checkRules(stage, rules);
  else await stage.pass(HELD_MAX_MS);
  await stage.do(exchange.operator("DELETE", "sandbox/faults"));
}

function routesOf(product: Product): readonly (string | undefined)[] {
  const names = (["place", "amend", "list", "look", "session"] as Kind[]).map((kind) => {
    return callOf(product, kind).name;
  });
  const paths = ["POST *", "PUT *", "GET *", `* ${product === "spot" ? "/api/*" : "/capi/*"}`];
  return [undefined, undefined, ...names, ...paths];
}

async function logOn({ exchange }: Stage, trader: Trader): Promise<SimulatedSocket | null> {
  const { life } = exchange;
  const connect = () => {
    const connection = exchange.connect();
    // A machine breaks off as well when the other one is gone.
    connection.once("end", () => connection.destroy());
    return connection;
  };
  const opened = SimulatedSocket.open(exchange, SOCKET_PATH, {}, () => undefined, connect);
  const socket = await life.until(opened);
  exchange.checkRunning();
  if (socket === null) return null;
  const params = logonParams(trader.credentials, exchange.signingTime());
  const answer = await life.until(socket.ask({ method: "session.logon", params }));
  return answer?.status === 200 ? socket : null;
}

interface Connection {
  readonly stage: Stage;
  readonly socket: SimulatedSocket;
  readonly trader: Trader;
  readonly rules: readonly Rule[];
}

/** Some together, and then a pause, whatever has been answered. */
async function sendAll(
  { rules, socket, stage, trader }: Connection,
  product: Product,
  orders: readonly SentOrder[],
): Promise<readonly SentMessage[]> {
  const { exchange, random } = stage;
  const { time } = exchange.life;
  const sent: SentMessage[] = [];
  const answers: Promise<unknown>[] = [];
  for (let count = random.integer(...MESSAGES); count > 0 && socket.isOpen; count--) {
    const message = someMessage(product, orders, random);
    const before = [...message.order.terms];
    if (message.kind === "amend") trader.mayBe(message.order, message.change);
    const one: SentMessage = {
      ...message,
      ...{ before, met: meet(rules, trader, message.call, time.nowMs), sentMs: time.nowMs },
      ...{ asked: exchange.linearity.turn(), outcome: null, atMs: Number.POSITIVE_INFINITY },
    };
    sent.push(one);
    const asked = { method: message.call.name, params: message.params };
    const answered = socket.ask(asked, (answer) => {
      one.atMs = time.nowMs;
      if (answer === null) return;
      one.outcome = { status: Number(answer.status), body: answer.result ?? answer.error };
    });
    exchange.requests++;
    answers.push(answered);
    if (random.chance(0.3)) await stage.pass(random.pick(PAUSES_MS));
  }
  await stage.do(Promise.all(answers));
  exchange.checkRunning();
  exchange.trace(
    "socket under rules",
    sent.map(({ outcome }) => outcome),
  );
  return sent;
}

/** What was not made up by a rule is what its user knows of the orders from now on. */
function learnAll(trader: Trader, sent: readonly SentMessage[]): void {
  const placed = new Set<SentOrder>();
  for (const [index, { asked, before, change, kind, met, order, outcome }] of sent.entries()) {
    if (outcome === null || met.fault !== null) continue;
    if (kind === "place" && placed.has(order)) trader.learn(order, outcome, true);
    else if (kind === "place") trader.placed(order, outcome, asked);
    else if (kind === "amend" && outcome.status === 200) {
      trader.amended(order, change, before, outcome, asked);
      // Those behind it may have given the order again what it had before.
      for (const later of sent.slice(index + 1)) {
        if (later.kind === "amend" && later.order === order) trader.mayBe(order, later.change);
      }
    } else if (kind === "cancel") trader.cancelled(order, outcome, asked);
    else if (kind === "look") trader.lookedUp(order, outcome, asked);
    else if (kind === "cancel all" && outcome.status === 200)
      for (const one of placed) one.isCancelled = true;
    if (kind === "place" && outcome.status === 200) placed.add(order);
  }
}
