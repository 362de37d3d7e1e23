/**
 * What a sandbox's rules for requests do, by a naive list of them: which request a rule hits, and
 * what becomes of it then. The operator's list of them, and the log of requests.
 */
import { isDeepStrictEqual } from "node:util";
import type { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import type { Trader } from "../trader.ts";
import type { Stage } from "./stage.ts";

export const CHECK = "a sandbox's faults are those of its rules";
export const EXPIRES_MS = 3_000;
const PAGE = 1_000;

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

export interface Rule {
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

/** A call, and its name on the trading WebSocket. */
export interface Request {
  readonly method: string;
  readonly path: string;
  readonly name?: string;
}

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

interface Setting {
  readonly id: string;
  readonly of: Trader;
  /** Of which the rule is about one; undefined for all. */
  readonly routes: readonly (string | undefined)[];
  /** Of a rule, to end by itself. */
  readonly expires: number;
}

/** One of an id that is there keeps its place, and counts anew. */
export async function setRule(
  stage: Stage,
  rules: Rule[],
  { expires, id, of, routes }: Setting,
): Promise<void> {
  const { exchange, random } = stage;
  const route = random.pick([...routes]);
  const isOfKey = random.chance(0.3);
  const expiresMs = expires > 0 && random.chance(expires) ? EXPIRES_MS : undefined;
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
export async function passEnds(stage: Stage, rules: readonly Rule[]): Promise<void> {
  for (const { endsAtMs, endsFromMs } of rules) {
    const { nowMs } = stage.exchange.life.time;
    if (nowMs >= endsFromMs - 1 && nowMs <= endsAtMs) await stage.pass(endsAtMs - nowMs + 1);
  }
}

function isMatched({ match }: Rule, { uid, credentials }: Trader, request: Request): boolean {
  const { apiKey = credentials.apiKey, route, uid: of = uid } = match;
  if (of !== uid || apiKey !== credentials.apiKey) return false;
  if (route !== undefined && !route.includes(" ")) return route === request.name;
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
export interface Met {
  readonly rule: string | null;
  readonly fault: Exclude<Fault, { kind: "delay" }> | null;
  readonly least: number;
  readonly most: number;
}

export function meet(rules: readonly Rule[], trader: Trader, request: Request, nowMs: number): Met {
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

export interface LogRow {
  readonly route: string;
  /** Null without an answer. */
  readonly status: number | null;
  readonly fault: string | null;
}

interface LogPage {
  readonly items: readonly LogRow[];
  readonly next: number;
  readonly isLast: boolean;
}

/** Of the user's requests behind one. */
export async function readLog(stage: Stage, { uid }: Trader, after: number) {
  const rows: LogRow[] = [];
  for (let next = after; ; ) {
    const path = `sandbox/requests?uid=${uid}&after=${next}&limit=${PAGE}`;
    const page = await stage.do(stage.exchange.operator<LogPage>("GET", path));
    rows.push(...page.items.map(({ fault, route, status }) => ({ route, status, fault })));
    next = page.next;
    if (page.isLast) return { rows, next };
  }
}

export async function checkRules({ exchange }: Stage, rules: readonly Rule[]): Promise<void> {
  const nowMs = exchange.life.time.nowMs;
  const asked = exchange.operator<{ readonly items: readonly Rule[] }>("GET", "sandbox/faults");
  const { items } = await exchange.life.until(asked);
  const words = (all: readonly Rule[]) =>
    all.map(({ fault, hits, id, match, when }) => ({ id, hits, match, when, fault }));
  const due = words(rules.filter(({ endsAtMs }) => endsAtMs > nowMs));
  const both = () => `${JSON.stringify(items)} instead of ${JSON.stringify(due)}`;
  hold(isDeepStrictEqual(words(items), due), CHECK, both);
}
