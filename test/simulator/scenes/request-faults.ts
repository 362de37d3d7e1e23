/**
 * A sandbox's rules for requests, while one user asks one thing after the other: which of them a
 * rule hits, what the user sees then, whether it was done, how long it took, and what operators are
 * told of it, is what a naive list of the rules says.
 */
import { isDeepStrictEqual } from "node:util";
import type { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import { SYMBOL } from "../markets.ts";
import { readClock } from "../sandbox-clock.ts";
import type { Trader } from "../trader.ts";
import type { Scene, Stage } from "./stage.ts";

type Fault =
  | { readonly kind: "delay"; readonly ms: number | readonly [number, number] }
  | { readonly kind: "answer"; readonly status: number; readonly code?: number }
  | { readonly kind: "drop-request" | "drop-answer" | "truncate-answer" }
  | { readonly kind: "stall"; readonly ms: number };

interface When {
  readonly probability?: number;
  readonly every?: number;
  readonly next?: number;
  readonly after?: number;
}

interface Rule {
  readonly id: string;
  readonly match: { readonly uid?: number; readonly apiKey?: string; readonly route?: string };
  readonly when: When;
  readonly fault: Fault;
  readonly expiresMs?: number;
  /** In the life of the machine. */
  /** Not before the first, and not behind the second. */
  readonly endsFromMs: number;
  readonly endsAtMs: number;
  met: number;
  hits: number;
}

interface Request {
  readonly method: "GET" | "POST";
  readonly path: string;
}

const READ: Request = { method: "GET", path: "/api/v3/account/" };
const WRITE: Request = { method: "POST", path: "/capi/v3/order/cancelAllAfter" };
const ROUTES = [undefined, "GET *", "* /capi/*", "POST /capi/v3/order/cancelAllAfter", "POST *"];
const RULES = { least: 2, most: 5 };
const REQUESTS = 8;
const EXPIRES_MS = 3_000;
/** What a request takes besides. */
const SLACK_MS = 1_000;
/** Waits are sums of fractions. */
const FRACTION_MS = 0.001;
const LEAST_COUNTDOWN_MS = 600_000;
const PAGE = 1_000;
const CHECK = "a sandbox's faults are those of its rules";

export const requestFaults: Scene = async (stage) => {
  const { exchange, random, traders } = stage;
  if (exchange.limits !== null || (await readClock(exchange)).speed !== 1) return;
  const trader = random.pick([...traders]);
  const others = traders.filter(({ uid }) => uid !== trader.uid);
  const rules: Rule[] = [];
  for (let count = random.integer(RULES.least, RULES.most); count > 0; count--) {
    const of = random.chance(0.15) ? random.pick([...others, trader]) : trader;
    await setRule(stage, rules, `r${rules.length}`, of);
  }
  const before = (await readLog(stage, trader, 0)).next;
  const logged: unknown[] = [];
  for (let count = 0; count < REQUESTS; count++) {
    if (count === REQUESTS / 2 && random.chance(0.5)) await stage.pass(EXPIRES_MS);
    if (random.chance(0.1)) await setRule(stage, rules, random.pick(rules).id, trader);
    await passEnds(stage, rules);
    logged.push(await ask(stage, rules, trader));
  }
  const { rows } = await readLog(stage, trader, before);
  const both = () => `${JSON.stringify(rows)} instead of ${JSON.stringify(logged)}`;
  hold(isDeepStrictEqual(rows, logged), "the log of requests has each of them", both);
  await passEnds(stage, rules);
  await checkRules(stage, rules);
  await stage.do(exchange.operator("DELETE", "sandbox/faults"));
  await stage.send(trader, WRITE.method, WRITE.path, { symbol: SYMBOL, countdownMs: 0 });
  await stage.look();
};

function drawFault(random: Random): Fault {
  const kind = random.pick(["drop-request", "drop-answer", "truncate-answer"] as const);
  const low = random.integer(0, 400);
  const ms = random.chance(0.5) ? low : ([low, low + random.integer(0, 800)] as const);
  const status = random.pick([400, 418, 429, 500, 503]);
  return random.pick([
    { kind },
    { kind },
    { kind: "delay", ms },
    { kind: "delay", ms },
    { kind: "delay", ms },
    { kind: "answer", status, ...(random.chance(0.5) ? { code: -random.integer(1, 9_999) } : {}) },
    { kind: "stall", ms: random.integer(0, 2_000) },
  ]);
}

function drawWhen(random: Random): When {
  return random.pick<When>([
    {},
    { every: random.integer(1, 4) },
    { next: random.integer(1, 4) },
    { after: random.integer(0, 4) },
    { probability: random.integer(0, 1) },
  ]);
}

/** One of an id that is there keeps its place, and counts anew. */
async function setRule(stage: Stage, rules: Rule[], id: string, of: Trader): Promise<void> {
  const { exchange, random } = stage;
  const route = random.pick(ROUTES);
  const isOfKey = random.chance(0.3);
  const expiresMs = random.chance(0.2) ? EXPIRES_MS : undefined;
  const settings = {
    match: {
      ...(isOfKey ? { apiKey: of.credentials.apiKey } : { uid: of.uid }),
      ...(route === undefined ? {} : { route }),
    },
    ...{ when: drawWhen(random), fault: drawFault(random) },
    ...(expiresMs === undefined ? {} : { expiresMs }),
  };
  const lifeMs = expiresMs ?? Number.POSITIVE_INFINITY;
  const endsFromMs = exchange.life.time.nowMs + lifeMs;
  await stage.do(exchange.operator("PUT", `sandbox/faults/${id}`, settings));
  const nowMs = exchange.life.time.nowMs;
  const endsAtMs = nowMs + lifeMs;
  const rule = { id, ...settings, endsFromMs, endsAtMs, met: 0, hits: 0 };
  const at = rules.findIndex((one) => one.id === id);
  const isThere = at >= 0 && (rules[at]?.endsAtMs ?? 0) > nowMs;
  if (at >= 0) rules.splice(at, 1);
  rules.splice(isThere ? at : rules.length, 0, rule);
}

/** Between being asked for and being answered a rule was set: within as long it ends. */
async function passEnds(stage: Stage, rules: readonly Rule[]): Promise<void> {
  for (const { endsAtMs, endsFromMs } of rules) {
    const { nowMs } = stage.exchange.life.time;
    if (nowMs >= endsFromMs - 1 && nowMs <= endsAtMs) await stage.pass(endsAtMs - nowMs + 1);
  }
}

function isMatched({ match }: Rule, { uid, credentials }: Trader, request: Request): boolean {
  const { apiKey = credentials.apiKey, route, uid: of = uid } = match;
  if (of !== uid || apiKey !== credentials.apiKey) return false;
  const [method = "*", path = "*"] = route?.split(" ") ?? [];
  const isMethod = method === "*" || method === request.method;
  return (
    isMethod &&
    (path.endsWith("*") ? request.path.startsWith(path.slice(0, -1)) : path === request.path)
  );
}

function isHit({ after, every, next, probability }: When, met: number): boolean {
  if (probability !== undefined) return probability === 1;
  if (every !== undefined) return met % every === 0;
  if (next !== undefined) return met <= next;
  return after === undefined || met > after;
}

/** What becomes of a request. */
interface Met {
  readonly rule: string | null;
  readonly fault: Exclude<Fault, { kind: "delay" }> | null;
  readonly least: number;
  readonly most: number;
}

function meet(rules: readonly Rule[], trader: Trader, request: Request, nowMs: number): Met {
  let met: Met = { rule: null, fault: null, least: 0, most: 0 };
  for (const rule of rules) {
    const { fault } = rule;
    const isPassedOver = met.fault !== null && fault.kind !== "delay";
    if (isPassedOver || rule.endsAtMs <= nowMs || !isMatched(rule, trader, request)) continue;
    if (!isHit(rule.when, ++rule.met)) continue;
    rule.hits++;
    if (fault.kind === "delay") {
      const [low, high] = typeof fault.ms === "number" ? [fault.ms, fault.ms] : fault.ms;
      met = { ...met, rule: met.rule ?? rule.id, least: met.least + low, most: met.most + high };
    } else met = { ...met, rule: rule.id, fault };
  }
  return met;
}

/** Returns what the log must say of it. */
async function ask(stage: Stage, rules: readonly Rule[], trader: Trader): Promise<object> {
  const { exchange, random } = stage;
  const { life } = exchange;
  const request = random.pick([READ, WRITE]);
  const { method, path } = request;
  const countdownMs = LEAST_COUNTDOWN_MS + random.integer(0, 1_000_000);
  const body = method === "GET" ? null : JSON.stringify({ symbol: SYMBOL, countdownMs });
  const askedMs = life.time.nowMs;
  const { fault, least, most, rule } = meet(rules, trader, request, askedMs);
  const sent = exchange.signedAs(trader.credentials, method, path, body);
  const outcome = await stage.do(exchange.send("public", sent));
  const tookMs = life.time.nowMs - askedMs;
  const heldMs = fault?.kind === "stall" ? fault.ms : 0;
  const detail = () => JSON.stringify([rules, request, fault, [least, most, tookMs], outcome]);
  const isHeld = tookMs >= least + heldMs - FRACTION_MS;
  const isInTime = isHeld && tookMs <= most + heldMs + SLACK_MS;
  hold(isInTime, CHECK, detail);
  const isAnswered = fault === null || fault.kind === "answer";
  const status = fault?.kind === "answer" ? fault.status : 200;
  hold(isAnswered ? outcome?.status === status : outcome === null, CHECK, detail);
  const { code } = (outcome?.body ?? {}) as { readonly code?: number };
  if (fault?.kind === "answer" && fault.code !== undefined)
    hold(code === fault.code, CHECK, detail);
  const naive = await stage.look();
  const isThere = naive.switches.some((one) => {
    return one.uid === trader.uid && one.product === "contract" && one.countdownMs === countdownMs;
  });
  const isDone = !["answer", "drop-request", "stall"].includes(fault?.kind ?? "");
  hold(isThere === (isDone && request === WRITE), CHECK, detail);
  const isSilent = ["drop-request", "drop-answer", "stall"].includes(fault?.kind ?? "");
  return { route: `${method} ${path}`, status: isSilent ? null : status, fault: rule };
}

interface LogPage {
  readonly items: readonly Readonly<Record<"route" | "status" | "fault", unknown>>[];
  readonly next: number;
  readonly isLast: boolean;
}

/** Of the user's requests behind one. */
async function readLog(stage: Stage, { uid }: Trader, after: number) {
  const rows: object[] = [];
  for (let next = after; ; ) {
    const path = `sandbox/requests?uid=${uid}&after=${next}&limit=${PAGE}`;
    const page = await stage.do(stage.exchange.operator<LogPage>("GET", path));
    rows.push(...page.items.map(({ fault, route, status }) => ({ route, status, fault })));
    next = page.next;
    if (page.isLast) return { rows, next };
  }
}

async function checkRules({ exchange }: Stage, rules: readonly Rule[]): Promise<void> {
  const nowMs = exchange.life.time.nowMs;
  const asked = exchange.operator<{ readonly items: readonly Rule[] }>("GET", "sandbox/faults");
  const { items } = await exchange.life.until(asked);
  const words = (all: readonly Rule[]) =>
    all.map(({ fault, hits, id, match, when }) => ({ id, hits, match, when, fault }));
  const due = words(rules.filter(({ endsAtMs }) => endsAtMs > nowMs));
  const both = () => `${JSON.stringify(items)} instead of ${JSON.stringify(due)}`;
  hold(isDeepStrictEqual(words(items), due), CHECK, both);
}
