/**
 * Operators who add webhooks, change what they are told and where, pause, test and remove them,
 * give them new secrets, and send events again; and a receiver that fails meanwhile.
 */
import { WEBHOOK_KINDS } from "../../../src/domain/index.ts";
import type { Random } from "../../support/random.ts";
import type { World } from "../aims/world.ts";
import { hold } from "../breach.ts";
import type { Outcome, SimulatedExchange } from "../simulated-exchange.ts";
import { type Hook, RECEIVER_PORT, Receiver } from "./webhook-receiver.ts";

const RECEIVERS = new WeakMap<SimulatedExchange, Receiver>();
const HOOKS_MAX = 4;
const ACTS_MAX = 3;
const FAILING = [0, 0.3, 0.7];
const PATHS = ["/money", "/fills?of=some", "/all"];
const KNOWN = new Set([200, 400, 404, 409, 503]);

export function receiverOf(exchange: SimulatedExchange, random: Random): Receiver {
  const receiver = RECEIVERS.get(exchange) ?? new Receiver(exchange, random);
  RECEIVERS.set(exchange, receiver);
  return receiver;
}

/** The exchange goes back: numbers go on from an earlier one. */
export function judgeNoMore(exchange: SimulatedExchange): void {
  const receiver = RECEIVERS.get(exchange);
  if (receiver !== undefined) receiver.isJudging = false;
}

interface Desk {
  readonly exchange: SimulatedExchange;
  readonly receiver: Receiver;
  readonly random: Random;
  readonly uids: readonly number[];
}

export async function operateWebhooks(world: World, random: Random): Promise<void> {
  const { exchange, traders } = world;
  const receiver = receiverOf(exchange, random);
  Object.assign(receiver, { random, fails: random.pick(FAILING) });
  const uids = traders.map(({ uid }) => uid);
  const desk = { exchange, receiver, random, uids };
  for (let count = random.integer(1, ACTS_MAX); count > 0; count--) {
    const hooks = [...receiver.hooks.values()].filter(({ isRemoved }) => !isRemoved);
    const isNew = hooks.length === 0 || (hooks.length < HOOKS_MAX && random.chance(0.25));
    if (isNew) await create(desk);
    else await random.pick([change, change, change, renew, sendByHand, remove])(desk, pick(hooks));
  }

  function pick(hooks: readonly Hook[]): Hook {
    return random.pick([...hooks]);
  }
}

export async function ask(
  exchange: SimulatedExchange,
  method: string,
  path: string,
  body?: object,
): Promise<Outcome> {
  const outcome = await exchange.send("operator", exchange.operatorRequest(method, path, body));
  const isKnown = outcome === null || KNOWN.has(outcome.status);
  hold(isKnown, "answers", () => `${method} ${path}: ${JSON.stringify([body, outcome])}`);
  return outcome;
}

/** What the receiver is sent while its settings change is not judged. */
async function changing(
  { receiver }: Pick<Desk, "receiver">,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  receiver.changes++;
  receiver.underWay++;
  try {
    return await work();
  } finally {
    receiver.changes++;
    receiver.underWay--;
  }
}

function isRefused(outcome: Outcome): boolean {
  return outcome !== null && [400, 404, 409].includes(outcome.status);
}

/** Some of the accounts, and now and then one that nobody has, or none where some are due. */
function settingsOf({ random, uids }: Desk) {
  const kinds = WEBHOOK_KINDS.filter(() => random.chance(0.6));
  const some = uids.filter(() => random.chance(0.5));
  const strange = random.chance(0.05) ? [9_999_999] : [];
  const isMeant = kinds.includes("fills") !== random.chance(0.03);
  const path = random.pick(PATHS);
  return {
    url: { url: `http://127.0.0.1:${RECEIVER_PORT}${path}` },
    lists: {
      kinds: random.shuffle(kinds.length > 0 ? [...kinds] : ["deposits", "halts"]),
      accounts: random.shuffle(isMeant ? [...some, ...strange] : []),
    },
  };
}

async function create(desk: Desk): Promise<void> {
  const { lists, url } = settingsOf(desk);
  await add(desk, { ...url, ...lists });
}

/** Null when it was not answered that there is one. */
export async function add(
  desk: Pick<Desk, "exchange" | "receiver">,
  body: { readonly url: string },
): Promise<Hook | null> {
  const { exchange, receiver } = desk;
  const outcome = await changing(desk, () => ask(exchange, "POST", "webhooks", body));
  if (outcome?.status !== 200) return null;
  const { secret, webhookId } = outcome.body as { webhookId: string; secret: string };
  const hook = { ...newHook(webhookId), secret, path: pathOf(body.url) };
  receiver.hooks.set(webhookId, hook);
  return hook;
}

export function newHook(webhookId: string): Hook {
  return {
    ...{ webhookId, secret: null, path: null, isPaused: false, isRemoved: false, last: 0 },
    ...{ taken: new Map(), fresh: [], byHand: null, failuresInRow: 0, isOwed: false, told: null },
  };
}

export function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return `${pathname}${search}`;
}

async function change(desk: Desk, hook: Hook): Promise<void> {
  const { random } = desk;
  const { lists, url } = settingsOf(desk);
  const body: { url?: string; paused?: boolean } = {
    ...(random.chance(0.4) ? url : {}),
    ...(random.chance(0.5) ? lists : {}),
    ...(random.chance(0.3) ? { paused: random.chance(0.4) } : {}),
  };
  await patch(desk, hook, body);
}

export async function patch(
  desk: Pick<Desk, "exchange" | "receiver">,
  hook: Hook,
  body: { readonly url?: string; readonly paused?: boolean; readonly kinds?: readonly string[] },
): Promise<void> {
  const before = { path: hook.path, isPaused: hook.isPaused };
  if (body.url !== undefined) hook.path = null;
  if (body.paused !== undefined) hook.isPaused = null;
  const path = `webhooks/${hook.webhookId}`;
  const outcome = await changing(desk, () => ask(desk.exchange, "PATCH", path, body));
  if (isRefused(outcome)) Object.assign(hook, before);
  if (outcome?.status !== 200) return;
  hook.path = body.url === undefined ? hook.path : pathOf(body.url);
  hook.isPaused = body.paused ?? hook.isPaused;
}

/** From where it is, what it took last, before that, or behind some that it never took. */
async function renew(desk: Desk, hook: Hook): Promise<void> {
  const { exchange, random } = desk;
  const due = exchange.story.history.answer("webhook-events", {
    ...{ webhookId: hook.webhookId, afterNumber: 0, limit: 0 },
  }).lastNumber;
  const back = Math.max(0, hook.last - random.integer(1, 3));
  const after = random.pick([undefined, hook.last, back, Math.max(hook.last, due)]);
  await renewAfter(desk, hook, after);
}

export async function renewAfter(
  { exchange, receiver }: Pick<Desk, "exchange" | "receiver">,
  hook: Hook,
  after: number | undefined,
): Promise<void> {
  const path = `webhooks/${hook.webhookId}/secret`;
  hook.secret = null;
  const body = after === undefined ? {} : { after };
  const outcome = await changing({ receiver }, () => ask(exchange, "POST", path, body));
  if (outcome?.status !== 200) return;
  hook.secret = (outcome.body as { secret: string }).secret;
  if (after === undefined) return;
  hook.last = after;
  hook.isOwed = false;
}

async function remove(desk: Desk, hook: Hook): Promise<void> {
  if (!desk.random.chance(0.6)) await removeNow(desk, hook);
}

export async function removeNow(
  desk: Pick<Desk, "exchange" | "receiver">,
  hook: Hook,
): Promise<void> {
  const path = `webhooks/${hook.webhookId}`;
  const outcome = await changing(desk, () => ask(desk.exchange, "DELETE", path));
  if (outcome?.status === 200) hook.isRemoved = true;
}

/** The answer says how it went with the receiver. */
async function sendByHand({ exchange, random, receiver }: Desk, hook: Hook): Promise<void> {
  const number = random.chance(0.4) ? 0 : random.integer(1, hook.last + 1);
  const kind = number === 0 ? "test" : "redelivery";
  const path = `webhooks/${hook.webhookId}/${number === 0 ? "tests" : "redeliveries"}`;
  const [from, { changes }] = [receiver.received.length, receiver];
  hook.byHand = { kind, number };
  const outcome = await ask(exchange, "POST", path, number === 0 ? undefined : { number });
  if (outcome === null || outcome.status === 503) return;
  const detail = () => JSON.stringify([hook.webhookId, number, outcome, hook.last]);
  if (outcome.status !== 200) {
    // Of one that was passed over the history need not know yet.
    const isThere = kind === "test" || hook.taken.has(number);
    const mayBeRefused = hook.secret === null || !isThere || hook.byHand?.kind !== kind;
    return hold(mayBeRefused, "a webhook is sent by hand what was asked for", detail);
  }
  const said = outcome.body as { readonly status: number | null; readonly delivered: boolean };
  const one = receiver.received.slice(from).find((each) => {
    return each.webhookId === hook.webhookId && each.kind === kind;
  });
  if (receiver.changes !== changes || one === undefined) return;
  const isSo = said.status === one.status && said.delivered === isGood(one.status);
  hold(isSo, "an operator is told how it went", () => `${detail()} ${JSON.stringify(one.status)}`);
}

export function isGood(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300;
}
