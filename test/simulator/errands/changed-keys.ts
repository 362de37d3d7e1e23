/**
 * Keys that operators change while they are in use, and keys that these make: each may do what was
 * set last, over HTTP and in a session that was open before, and no more; so it stays over every
 * start.
 */

import { isDeepStrictEqual } from "node:util";
import { ERRORS } from "../../../src/api/errors.ts";
import { PERMISSIONS } from "../../../src/domain/index.ts";
import type { Random } from "../../support/random.ts";
import type { Credentials } from "../../support/signed-client.ts";
import type { World } from "../aims/world.ts";
import { hold } from "../breach.ts";
import { CALLS, isWithinList } from "../key-acts.ts";
import { operate } from "../operate.ts";
import { readTime } from "../sandbox-clock.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { Session } from "./key-session.ts";

interface Terms {
  readonly permissions: readonly string[];
  readonly ipAllowList: readonly string[];
  readonly expiresAt: number | null;
}

/** Null for one that is revoked. */
type Fate = Terms | null;

interface Held {
  readonly uid: number;
  readonly credentials: Credentials;
  /** What it may be now: one, unless nobody knows what became of a change. */
  fates: readonly Fate[];
}

const HELD = new WeakMap<SimulatedExchange, Held[]>();
const HELD_MAX = 4;
const HERE = "127.0.0.1";
const LISTS = [[], [HERE], ["127.0.0.0/8"], ["10.0.0.0/8"], ["192.168.0.1"]];
const LIVES_MS = [1, 2_000, 600_000, 3_600_000];
const OWN_PATH = "/api/v3/apiKey";
const DENIED = ERRORS["permission-denied"].v3.code;
const ELSEWHERE = ERRORS["address-not-allowed"].v3.code;
const UNKNOWN = ERRORS["unknown-key"].v3.code;

function heldOf(exchange: SimulatedExchange): Held[] {
  const held = HELD.get(exchange) ?? [];
  HELD.set(exchange, held);
  return held;
}

export async function changeKeys({ exchange, traders }: World, random: Random): Promise<void> {
  const held = heldOf(exchange);
  const { uid } = random.pick([...traders]);
  if (held.length === 0 || (held.length < HELD_MAX && random.chance(0.3))) {
    const permissions = PERMISSIONS.filter((name) => name === "keys" || random.chance(0.6));
    const terms = { label: "changed", permissions, passphrase: "passphrase" };
    const key = await operate(exchange, "POST", `users/${uid}/api-keys`, terms);
    const fate = { permissions, ipAllowList: [], expiresAt: null };
    if (key !== null) held.push({ uid, credentials: key as Credentials, fates: [fate] });
  }
  for (let count = random.integer(1, 3); count > 0; count--) {
    const live = held.filter(({ fates }) => fates[0] !== null || fates.length > 1);
    if (live.length === 0) return;
    const key = random.pick(live);
    if (random.chance(0.3)) await makeKey(exchange, key, random);
    else await change(exchange, key, random);
  }
}

function changeOf(exchange: SimulatedExchange, random: Random): Partial<Terms> {
  const nowMs = Math.max(exchange.nowMs, exchange.story.timeMs);
  const permissions = PERMISSIONS.filter((name) => random.chance(name === "keys" ? 0.8 : 0.5));
  const expiresAt = random.chance(0.4) ? null : nowMs + random.pick(LIVES_MS);
  return {
    ...(random.chance(0.4) ? { permissions } : {}),
    ...(random.chance(0.4) ? { ipAllowList: random.pick(LISTS) } : {}),
    ...(random.chance(0.5) ? { expiresAt } : {}),
  };
}

async function change(exchange: SimulatedExchange, key: Held, random: Random): Promise<void> {
  const { credentials } = key;
  const path = `api-keys/${credentials.apiKey}`;
  const body = random.chance(0.1) ? null : changeOf(exchange, random);
  const before = key.fates;
  const after = before.map((fate) =>
    body === null || fate === null ? null : { ...fate, ...body },
  );
  const [only = null] = before;
  const isLive = before.length === 1 && only !== null && mayCall(only);
  // A session has the address of its connection, which under limits is another one each time.
  const isTried = isLive && exchange.limits === null && random.chance(0.9);
  const session = isTried ? await Session.open(exchange, credentials) : null;
  key.fates = [...before, ...after];
  const request =
    body === null
      ? exchange.operatorRequest("DELETE", path)
      : exchange.operatorRequest("PATCH", path, body);
  const outcome = await exchange.send("operator", request);
  if (outcome !== null && [400, 404].includes(outcome.status)) key.fates = before;
  if (outcome?.status !== 200) return session?.close();
  key.fates = after;
  await tryCalls(exchange, key, random, 1);
  const [now = null] = after;
  if (after.length === 1) await session?.check(now !== null && mayBeCalled(now), now?.permissions);
  session?.close();
}

/** Whether a request from here is let in; whether it has expired depends on the moment. */
function mayBeCalled({ ipAllowList }: Terms): boolean {
  return ipAllowList.length === 0 || ipAllowList.some((range) => range.startsWith("127."));
}

function mayCall(terms: Terms): boolean {
  return mayBeCalled(terms) && terms.expiresAt === null;
}

async function ask(exchange: SimulatedExchange, who: Credentials, call: (typeof CALLS)[number]) {
  const text = call.body === null ? null : JSON.stringify(call.body);
  const request = exchange.signedAs(who, call.method, call.path, text);
  const headers = exchange.limits === null ? {} : { "X-Forwarded-For": HERE };
  const sent = { ...request, headers: { ...request.headers, ...headers } };
  const outcome = await exchange.send("public", sent);
  return outcome === null || [429, 503].includes(outcome.status) ? null : outcome;
}

/** The codes of what may be answered; null for anything but a refusal of the key. */
function duesOf(fate: Fate, anyOf: readonly string[], from: number, until: number) {
  if (fate === null) return [UNKNOWN];
  const { expiresAt, permissions } = fate;
  const isOver = expiresAt !== null && expiresAt <= from;
  const mayBeOver = expiresAt !== null && expiresAt <= until;
  const isAllowed = permissions.some((permission) => anyOf.includes(permission));
  const live = mayBeCalled(fate) ? (isAllowed ? null : DENIED) : ELSEWHERE;
  return [...(mayBeOver ? [UNKNOWN] : []), ...(isOver ? [] : [live])];
}

async function tryCalls(
  exchange: SimulatedExchange,
  { credentials, fates }: Held,
  random: Random,
  count: number,
): Promise<void> {
  for (const call of random.shuffle([...CALLS]).slice(0, count)) {
    const from = await readTime(exchange);
    const answer = await ask(exchange, credentials, call);
    if (answer === null) continue;
    const until = await readTime(exchange);
    const { code } = (answer.body ?? {}) as { readonly code?: number };
    const said = [DENIED, ELSEWHERE, UNKNOWN].find((one) => one === code) ?? null;
    const dues = fates.flatMap((fate) => duesOf(fate, call.anyOf, from, until));
    const words = JSON.stringify([fates, call.path, answer, from, until]);
    hold(dues.includes(said), "a key may do what was set last", () => words);
  }
}

/** Within its own bounds or beside them, as long as it lives, shorter, longer or for ever. */
async function makeKey(exchange: SimulatedExchange, key: Held, random: Random): Promise<void> {
  const [signer] = key.fates;
  if (key.fates.length > 1 || !signer || !mayBeCalled(signer)) return;
  const granted = signer.permissions.filter((name) => name !== "keys");
  if (granted.length === 0 || !signer.permissions.includes("keys")) return;
  const nowMs = await readTime(exchange);
  const endMs = signer.expiresAt ?? nowMs + 3_600_000;
  const expiresAt = random.pick([undefined, 0, endMs, endMs - 1, endMs + 1]);
  const ipAllowList = random.chance(0.5) ? undefined : random.pick([...LISTS, signer.ipAllowList]);
  const list = ipAllowList ?? signer.ipAllowList;
  const asked = { permissions: granted, passphrase: "passphrase", expiresAt, ipAllowList };
  const answer = await ask(exchange, key.credentials, {
    ...{ method: "POST", path: OWN_PATH, anyOf: ["keys"], body: asked as never },
  });
  if (answer === null || answer.status === 401) return;
  const isLonger = signer.expiresAt !== null && (expiresAt === 0 || (expiresAt ?? 0) > endMs);
  const isMore = isLonger || !isWithinList(list, signer.ipAllowList);
  const isMade = answer.status === 200;
  const mayBeOver = endMs - 1 <= (await readTime(exchange));
  const detail = () => JSON.stringify([signer, asked, answer]);
  hold(isMade ? !isMore : isMore || mayBeOver, "a key makes no more than itself", detail);
  const held = heldOf(exchange);
  if (!isMade || held.length >= 2 * HELD_MAX) return;
  const own = expiresAt === undefined ? signer.expiresAt : expiresAt || null;
  const fate = { permissions: granted, ipAllowList: list, expiresAt: own };
  const credentials = { ...(answer.body as Credentials), passphrase: asked.passphrase };
  held.push({ uid: key.uid, credentials, fates: [fate] });
}

const CALLS_TRIED = 2;
/** Of those that are revoked, so many are asked for again. */
const ENDED_MAX = 2;

/** While nobody sends anything: what an operator is told of each, and what one of them may do. */
export async function checkKeys({ exchange }: World, random: Random): Promise<void> {
  const held = heldOf(exchange);
  for (const key of held) {
    const path = `api-keys/${key.credentials.apiKey}`;
    const request = exchange.operatorRequest("GET", path);
    const outcome = await exchange.life.until(exchange.send("operator", request));
    if (outcome === null || ![200, 404].includes(outcome.status)) continue;
    const said = outcome.status === 404 ? null : termsOf(outcome.body as Terms);
    const fate = key.fates.find((one) => isDeepStrictEqual(one && termsOf(one), said));
    const detail = () => JSON.stringify([key.fates, outcome]);
    hold(fate !== undefined, "a key may do what was set last", detail);
    key.fates = [fate];
  }
  const ended = held.filter(({ fates }) => fates[0] === null);
  for (const key of ended.slice(0, -ENDED_MAX)) held.splice(held.indexOf(key), 1);
  if (held.length === 0) return;
  const tried = tryCalls(exchange, random.pick(held), random, CALLS_TRIED);
  await exchange.life.until(tried);
}

function termsOf({ expiresAt, ipAllowList, permissions }: Terms) {
  return { expiresAt, ipAllowList: [...ipAllowList], permissions: [...permissions] };
}
