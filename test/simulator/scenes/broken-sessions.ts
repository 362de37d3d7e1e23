/**
 * A client on the trading WebSocket, whose connections are refused, break or are silent at any
 * moment, and whose clock or the exchange's jumps: how often it asks, what is carried out and what
 * its caller is told is what its reference says; several calls at once share what befalls them.
 */
import { CALLS } from "../../../src/api/calls.ts";
import type { CallOptions, RialtoClient } from "../../../src/client/index.ts";
import { NetworkError, RialtoError } from "../../../src/client/index.ts";
import type { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import { type Settled, settledOf } from "../client/call-check.ts";
import {
  ask,
  type ClientDesk,
  checkRead,
  close,
  FAR_TERMS,
  newClient,
  newDesk,
  renewKey,
  settle,
} from "../client/client-desk.ts";
import { type Asked, checkEnd, dueOnSession } from "../client/due-call.ts";
import { ScriptedNetwork } from "../client/scripted-network.ts";
import { SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import { readTime } from "../sandbox-clock.ts";
import type { Scene } from "./stage.ts";

const ROUNDS = { least: 3, most: 6 };
const TOGETHER = { least: 2, most: 5 };
/** Of connections, so that a call made by several attempts comes through. */
const TROUBLES_MAX = 3;
const HANDSHAKES = ["refused", "refused", "silent", "cut", "lost"] as const;
const MESSAGES = ["cut", "lost", "silent", "mute"] as const;
const JUMPS_MS = [-3_600_000, -131_000, -47_000, 47_000, 131_000];
const WINDOW_MS = 30_000;
/** Too near to its end. */
const NEAR_MS = 6_000;
const COUNTDOWN_MS = 1_500_000;
/** Its timestamp has passed, or was used. */
const OF_LOGON: ReadonlySet<number | string> = new Set([-1046, -1047]);
const REVOKED_MS = 1_000;

const PATHS = {
  spot: { order: "/api/v3/order", open: "/api/v3/openOrders", all: "/api/v3/openOrders" },
  contract: {
    order: "/capi/v3/order",
    open: "/capi/v3/openOrders",
    all: "/capi/v3/allOpenOrders",
  },
} as const;

interface Desk extends ClientDesk {
  client: RialtoClient;
  isOpen: boolean;
  ids: number;
}

/** What a call is, and what must be so behind it; `isDone`: the exchange got it. */
interface Kind {
  readonly name: string;
  readonly isRepeatable: boolean;
  readonly send: (client: RialtoClient, options: CallOptions) => Promise<unknown>;
  readonly check: (isDone: boolean, settled: Settled) => Promise<void>;
}

export function brokenSessions(product: Product): Scene {
  return async (stage) => {
    const begun = await newDesk(stage, product, "session");
    if (begun === null) return;
    const { account, machine, network } = begun;
    const client = newClient(account, network, machine, "websocket");
    const desk = { ...begun, client, isOpen: false, ids: 0 };
    for (let left = stage.random.integer(ROUNDS.least, ROUNDS.most); left > 0; left--) {
      if (stage.random.chance(0.3)) await together(desk);
      else await one(desk);
    }
    if (stage.random.chance(0.5)) await changeKey(desk);
    await close(stage, desk.client, desk);
    await ask(stage, account, "DELETE", `${PATHS[product].all}?symbol=${SYMBOL}`);
    await stage.look();
  };
}

/** One call, whose attempts come one after the other. */
async function one(desk: Desk): Promise<void> {
  const { machine, network, stage } = desk;
  const { random } = stage;
  const kind = await drawKind(desk);
  await disturb(desk);
  network.begin();
  network.handshakeFates = some(random, HANDSHAKES, [0, 0, 1, 2, 3, 4]);
  network.messageFates = some(random, MESSAGES, [0, 0, 0, 1, 2]);
  const options = {
    ...(random.chance(0.2) ? { attempts: random.integer(1, 6) } : {}),
    ...(random.chance(0.2) ? { timeoutMs: 3_000 } : {}),
  };
  const asked: Asked = { isRepeatable: kind.isRepeatable, ...options };
  const script = {
    ...{ isOpen: desk.isOpen, isClockWrong: await isClockWrong(desk) },
    ...{ handshakes: [...network.handshakeFates], messages: [...network.messageFates] },
  };
  const what = `${kind.name} ${JSON.stringify([script, options])}`;
  const due = dueOnSession(asked, script);
  const { settled, tookMs } = await settle(stage, machine, () => kind.send(desk.client, options));
  checkEnd(due, settled, tookMs, what);
  const sent = () => `${what}: ${network.handshakes} handshakes, ${network.messages}`;
  hold(network.messages.length === due.messages, "only what may be repeated is", sent);
  const handshakes = network.handshakes - network.repeatedLogons;
  hold(handshakes === due.handshakes, "a client connects as often as it says", sent);
  desk.isOpen = script.isOpen;
  network.begin();
  await kind.check(due.arrivals > 0, settled);
}

/** Several, of which each comes through whatever befalls the connections that they share. */
async function together(desk: Desk): Promise<void> {
  const { account, machine, network, stage } = desk;
  const { random } = stage;
  const kinds: Kind[] = [];
  for (let left = random.integer(TOGETHER.least, TOGETHER.most); left > 0; left--) {
    kinds.push(await drawKind(desk));
  }
  await disturb(desk);
  network.begin();
  const isWrong = await isClockWrong(desk);
  const count = random.integer(0, TROUBLES_MAX - (isWrong ? 1 : 0));
  network.handshakeFates = some(random, HANDSHAKES, [count]);
  const hasTwin = random.chance(0.3);
  const other = new ScriptedNetwork(stage.exchange, machine, "public");
  const twin = newClient(account, other, machine, "websocket");
  const all = kinds.map(async (kind, index) => {
    const client = hasTwin && index % 2 === 1 ? twin : desk.client;
    return await settledOf(kind.send(client, {}));
  });
  const ends = await stage.do(Promise.all(all));
  const what = () =>
    `${kinds.map(({ name }) => name)} ${JSON.stringify([isWrong, count, hasTwin])}`;
  for (const { error } of ends) {
    const detail = () => `${what()}: ${error?.name} ${error?.message}`;
    hold(!(error instanceof NetworkError), "what was not sent is tried again", detail);
    hold(error === null || !OF_LOGON.has(error.code), "a client puts its clock right", detail);
  }
  const messages = [...network.messages, ...other.messages];
  const sent = () => `${what()}: ${messages}`;
  hold(messages.length === kinds.length, "only what may be repeated is", sent);
  desk.isOpen = network.messages.length > 0;
  await close(stage, twin, { machine, network: other });
  network.begin();
}

function some<Fate>(random: Random, fates: readonly Fate[], counts: readonly number[]): Fate[] {
  return Array.from({ length: random.pick(counts) }, () => random.pick(fates));
}

/** Ahead of a call its connection may end, and a clock jump. */
async function disturb(desk: Desk): Promise<void> {
  const { client, machine, network, stage } = desk;
  const { exchange, random } = stage;
  if (random.chance(0.6)) {
    if (random.chance(0.7)) network.cut();
    else client.close();
    desk.isOpen = false;
    await stage.pass(random.integer(1, 50));
  }
  if (random.chance(0.6)) return;
  if (!exchange.sandbox || random.chance(0.5)) machine.skewMs += random.pick(JUMPS_MS);
  else await stage.operate("POST", "sandbox/clock/advance", { ms: random.pick([47_000, 131_000]) });
}

/** Whether the exchange would refuse a logon of now. */
async function isClockWrong({ client, machine, stage }: Desk): Promise<boolean> {
  const { exchange } = stage;
  const away = async () => {
    const takenMs = machine.nowMs() + client.timeOffsetMs;
    const exchangeMs = await readTime(exchange);
    return [exchangeMs, exchange.nowMs].map((ms) => Math.abs(takenMs - ms));
  };
  const isNear = (await away()).some((ms) => Math.abs(ms - WINDOW_MS) < NEAR_MS);
  if (isNear) await stage.do(client.syncTime());
  return (await away()).every((ms) => ms > WINDOW_MS);
}

async function drawKind(desk: Desk): Promise<Kind> {
  const { stage } = desk;
  const draws = [place, place, cancelAll, cancelAll, cancelAll, countdown, read, read];
  return await stage.random.pick(draws)(desk);
}

function termsOf(desk: Desk) {
  const terms = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "POST_ONLY" };
  return {
    ...terms,
    ...FAR_TERMS[desk.product],
    newClientOrderId: `s${desk.account.uid}-${desk.ids++}`,
  };
}

async function place(desk: Desk): Promise<Kind> {
  const { account, product, stage } = desk;
  const terms = termsOf(desk);
  return {
    ...{ name: "place", isRepeatable: true },
    send: (client, options) => client[product].placeOrder(terms as never, options),
    check: async (isDone, { answer, error }) => {
      const found = await find(desk, terms.newClientOrderId);
      const detail = () => JSON.stringify([terms, isDone, answer, error, found]);
      const isThere = found?.status === 200;
      // Of a refusal, which the naive exchange judges, the answer may be lost.
      const { refusedByEngine } = stage.exchange.story;
      const isRefused = refusedByEngine.has(`${account.uid} ${terms.newClientOrderId}`);
      const isRight = isDone ? isThere || (isRefused && answer === null) : !isThere && !isRefused;
      hold(isRight, "what arrives is done, and nothing else", detail);
      if (answer === null) return;
      const said = (answer as { readonly orderId: unknown }).orderId;
      const { orderId } = (found?.body ?? {}) as { readonly orderId?: unknown };
      const isIt = String(said) === String(orderId);
      hold(isIt, "a client says what it was answered", detail);
    },
  };
}

async function find({ account, product, stage }: Desk, id: string) {
  return await ask(stage, account, "GET", `${PATHS[product].order}?origClientOrderId=${id}`);
}

/** Of an order that waits, if it does. */
async function cancelAll(desk: Desk): Promise<Kind> {
  const { account, product, stage } = desk;
  const terms = termsOf(desk);
  const placed = await ask(stage, account, "POST", PATHS[product].order, terms);
  return {
    ...{ name: "cancel all", isRepeatable: false },
    send: (client, options) => {
      if (product === "spot") return client.spot.cancelOpenOrders({ symbol: SYMBOL }, options);
      return client.contract.cancelAllOrders({ symbol: SYMBOL }, options);
    },
    check: async (isDone, { error }) => {
      if (placed?.status !== 200 || error instanceof RialtoError) return;
      const found = await find(desk, terms.newClientOrderId);
      const { status } = (found?.body ?? {}) as { readonly status?: string };
      const detail = () => JSON.stringify([terms, isDone, found]);
      if ((status !== "NEW") === isDone) return;
      await stage.look();
      const { orderId } = placed.body as { readonly orderId: unknown };
      const timeline = stage.exchange.story.orders.get(product, String(orderId));
      // One that would have taken has ended at once.
      const hasWaited = timeline?.moments[0]?.isOpen !== false;
      hold(!isDone && !hasWaited, "what arrives is done, and nothing else", detail);
    },
  };
}

async function countdown(desk: Desk): Promise<Kind> {
  const { account, product, stage } = desk;
  const countdownMs = COUNTDOWN_MS + stage.random.integer(1, 99_999);
  const body = { symbol: SYMBOL, countdownMs };
  return {
    ...{ name: "countdown", isRepeatable: true },
    send: (client, options) => client[product].cancelAllAfter(body, options),
    check: async (isDone, { error }) => {
      const { switches } = await stage.look();
      const isThere = switches.some((one) => {
        return one.uid === account.uid && one.countdownMs === countdownMs;
      });
      const detail = () => JSON.stringify([body, isDone, error]);
      hold(isThere === isDone, "what arrives is done, and nothing else", detail);
      const path = `${PATHS[product].order}/cancelAllAfter`;
      await ask(stage, account, "POST", path, { ...body, countdownMs: 0 });
    },
  };
}

async function read(desk: Desk): Promise<Kind> {
  const { account, product, stage } = desk;
  const isSpot = product === "spot";
  const isOpen = stage.random.chance(0.5);
  const wallet = CALLS[isSpot ? "v3-account" : "contract-balance"].path;
  const path = isOpen ? `${PATHS[product].open}?symbol=${SYMBOL}` : wallet;
  return {
    ...{ name: "read", isRepeatable: true },
    send: async (client, options): Promise<unknown> => {
      if (isOpen) return await client[product].openOrders({ symbol: SYMBOL }, options);
      return isSpot ? await client.spot.account(options) : await client.contract.balance(options);
    },
    check: async (_, settled) => {
      await checkRead(stage, path, settled, () => ask(stage, account, "GET", path));
    },
  };
}

/** What its key may do ends with it, and another one begins anew. */
async function changeKey(desk: Desk): Promise<void> {
  const { account, machine, network, stage } = desk;
  const { exchange, random } = stage;
  const { credentials } = account;
  await stage.do(exchange.operator("DELETE", `api-keys/${credentials.apiKey}`));
  await stage.pass(REVOKED_MS);
  const raw = await ask(stage, account, "GET", CALLS["v3-account"].path);
  const { code } = (raw?.body ?? {}) as { readonly code?: number };
  network.begin();
  for (let left = random.integer(1, 2); left > 0; left--) {
    const kind = await read(desk);
    const due = (await isClockWrong(desk)) ? 2 : 1;
    const { settled } = await settle(stage, machine, () => kind.send(desk.client, {}));
    const { error } = settled;
    const isIt = error instanceof RialtoError && error.code === code && error.attempts === due;
    const detail = () => `${code}: ${error?.message} ${JSON.stringify(settled)}`;
    hold(isIt, "a client says that its key is none", detail);
  }
  await close(stage, desk.client, desk);
  await renewKey(exchange, account);
  desk.client = newClient(account, network, machine, "websocket");
  desk.isOpen = false;
  await one(desk);
}
