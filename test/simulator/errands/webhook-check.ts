/**
 * While nobody sends anything, and the receiver takes what comes: each webhook is told everything
 * that the naive history has for it, and operators see so.
 */
import { isDeepStrictEqual } from "node:util";
import type { Random } from "../../support/random.ts";
import type { World } from "../aims/world.ts";
import { hold } from "../breach.ts";
import { passTime } from "../pass-time.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { checkStep } from "../state-check.ts";
import { unlessTimePasses } from "../undisturbed.ts";
import type { Hook, Receiver } from "./webhook-receiver.ts";
import { ask, isGood, newHook, pathOf, receiverOf, renewAfter } from "./webhooks.ts";

/** The longest backs-off of a receiver that fails twice, and an answer that never comes. */
const TOLD_WITHIN_MS = 40_000;
const LOOK_MS = 250;
const ROWS = 20;
/** Of checks in which the last events of a webhook are asked for once more. */
const TOLD_AGAIN = 0.3;
const CHECK = "webhooks are told what the naive history has";

export async function checkWebhooks({ exchange }: World, random: Random): Promise<void> {
  const receiver = receiverOf(exchange, random);
  receiver.recover();
  await checkStep(exchange);
  await exchange.life.until(settle(exchange, receiver));
  await exchange.life.until(waitUntilTold(exchange, receiver));
  if (random.chance(TOLD_AGAIN)) await sendLastAgain(exchange, receiver, random);
  const { sequence } = await checkStep(exchange);
  const work = async () => {
    for (const hook of receiver.hooks.values()) checkTaken(exchange, hook);
    await checkList(exchange, receiver);
    for (const hook of live(receiver)) await checkDeliveries(exchange, receiver, hook);
  };
  await unlessTimePasses(exchange, work, { sequence });
  for (const hook of receiver.hooks.values()) if (hook.isRemoved) hook.fresh = [];
}

function live(receiver: Receiver): readonly Hook[] {
  return [...receiver.hooks.values()].filter(({ isRemoved }) => !isRemoved);
}

/** Nobody is in doubt any more of what became of a change. */
async function settle(exchange: SimulatedExchange, receiver: Receiver): Promise<void> {
  const { all } = exchange.story.naive.webhooks;
  for (const { settings } of all) {
    const { isPaused, url, webhookId } = settings;
    const hook = receiver.hooks.get(webhookId) ?? newHook(webhookId);
    receiver.hooks.set(webhookId, hook);
    Object.assign(hook, { isPaused, path: pathOf(url) });
    if (hook.secret === null) await renewAfter({ exchange, receiver }, hook, hook.last);
  }
  const there = new Set(all.map(({ settings }) => settings.webhookId));
  for (const hook of receiver.hooks.values()) hook.isRemoved = !there.has(hook.webhookId);
}

export function dueOf(exchange: SimulatedExchange, { webhookId }: Hook) {
  const question = { webhookId, afterNumber: 0, limit: Number.MAX_SAFE_INTEGER };
  return exchange.story.history.answer("webhook-events", question);
}

async function waitUntilTold(exchange: SimulatedExchange, receiver: Receiver): Promise<void> {
  const waits = (hook: Hook) =>
    hook.isPaused === false && (hook.isOwed || hook.last < dueOf(exchange, hook).lastNumber);
  for (let waited = 0; live(receiver).some(waits); waited += LOOK_MS) {
    if (waited >= TOLD_WITHIN_MS) return;
    await passTime(exchange, LOOK_MS);
  }
  // What it answered last is noted.
  await passTime(exchange, LOOK_MS);
}

/** Nothing happens that would remind the exchange of them. */
async function sendLastAgain(
  exchange: SimulatedExchange,
  receiver: Receiver,
  random: Random,
): Promise<void> {
  const told = live(receiver).filter(({ isPaused, last }) => isPaused === false && last > 0);
  if (told.length === 0) return;
  const hook = random.pick([...told]);
  await exchange.life.until(renewAfter({ exchange, receiver }, hook, hook.last - 1));
  await exchange.life.until(waitUntilTold(exchange, receiver));
}

/** What it took is what happened. */
export function checkTaken(exchange: SimulatedExchange, hook: Hook): void {
  const { events, lastNumber } = dueOf(exchange, hook);
  const { fresh, isPaused, isRemoved, last, taken, webhookId } = hook;
  for (const number of fresh) {
    const entry = events[number - 1];
    const due = entry && {
      ...{ number, type: entry.type, uid: entry.uid === 0 ? null : entry.uid },
      ...{ time: entry.timeMs, sequence: entry.sequence, data: JSON.parse(entry.data) },
    };
    const said = taken.get(number);
    const both = () => `${webhookId}: ${JSON.stringify(said)} instead of ${JSON.stringify(due)}`;
    hold(isDeepStrictEqual(said, due), CHECK, both);
  }
  hook.fresh = [];
  const isTold = isRemoved || isPaused === true || last === lastNumber;
  hold(isTold, CHECK, () => `${webhookId}: ${last} of ${lastNumber}`);
}

interface Shown {
  readonly webhookId: string;
  readonly deliveredNumber: number;
  readonly failures: number;
}

/** Operators see each of them as it was set, and how far it was told. */
async function checkList(exchange: SimulatedExchange, receiver: Receiver): Promise<void> {
  const { items } = await exchange.readOperator<{ readonly items: readonly Shown[] }>("webhooks");
  const due = exchange.story.naive.webhooks.all.map(({ addedMs: added, settings }, index) => {
    const { isPaused: paused, webhookId, ...rest } = settings;
    const hook = receiver.hooks.get(webhookId) ?? newHook(webhookId);
    const shown = items[index];
    const { lastNumber } = dueOf(exchange, hook);
    // A paused one may have failed before, or taken what it did not answer for.
    const isMoved = paused && shown !== undefined && shown.deliveredNumber <= hook.last;
    const deliveredNumber = isMoved ? shown.deliveredNumber : lastNumber;
    const failing = { failures: 0, failingSince: null, lastError: null };
    return {
      ...{ webhookId, ...rest, paused, added, hasSecret: true, deliveredNumber, lastNumber },
      ...(paused && shown !== undefined && shown.failures > 0 ? {} : failing),
    };
  });
  const both = () => `${JSON.stringify(items)} instead of ${JSON.stringify(due)}`;
  const isSame =
    items.length === due.length && due.every((row, index) => isPart(row, items[index]));
  hold(isSame, "operators see how far a webhook was told", both);
}

function isPart(part: Readonly<Record<string, unknown>>, whole: object | undefined): boolean {
  const fields = (whole ?? {}) as Readonly<Record<string, unknown>>;
  return Object.keys(part).every((name) => isDeepStrictEqual(part[name], fields[name]));
}

interface Row {
  readonly deliveryId: number;
  readonly time: number;
  readonly kind: string;
  readonly firstNumber: number;
  readonly lastNumber: number;
  readonly attempt: number;
  readonly delivered: boolean;
  readonly status: number | null;
  readonly error: string | null;
}

/** The last tries, newest first, are those that the receiver knows, as far as they reached it. */
async function checkDeliveries(
  exchange: SimulatedExchange,
  receiver: Receiver,
  { webhookId }: Hook,
): Promise<void> {
  const path = `webhooks/${webhookId}/deliveries?limit=${ROWS}`;
  const outcome = await ask(exchange, "GET", path);
  if (outcome?.status !== 200) return;
  const rows = (outcome.body as { readonly items: readonly Row[] }).items;
  const mine = receiver.received.filter((one) => one.webhookId === webhookId);
  const detail = () => `${webhookId}: ${JSON.stringify(rows)}`;
  const check = "the list of deliveries is what the receiver saw";
  for (const [index, row] of rows.entries()) {
    const { attempt, deliveryId, error, kind, status } = row;
    const before = rows.slice(index + 1).find((one) => one.kind === "events");
    const isNext = deliveryId === (rows[0]?.deliveryId ?? 0) - index;
    const isSaid = (status === null) === (error !== null) && row.delivered === isGood(status);
    hold(isNext && isSaid, check, detail);
    const again = before === undefined || before.delivered ? [1] : [before.attempt + 1, 1];
    const isCounted = before === undefined || again.includes(attempt);
    hold(kind === "events" ? isCounted : attempt === 1, check, detail);
    hold(status === null || mine.some((one) => isIt(one, row)), check, detail);
  }
  const here = mine.filter(({ changes, life, status }) => {
    return life === exchange.life && changes === receiver.changes && status !== null;
  });
  for (const one of here.slice(-ROWS / 2)) {
    const what = () => `${detail()} without ${one.time} ${one.kind} ${one.status}`;
    hold(
      rows.some((row) => isIt(one, row)),
      check,
      what,
    );
  }
}

function isIt(one: Receiver["received"][number], row: Row): boolean {
  const names = ["time", "kind", "firstNumber", "lastNumber", "status"] as const;
  return names.every((name) => one[name] === row[name]);
}
