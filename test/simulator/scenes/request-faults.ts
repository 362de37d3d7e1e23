/**
 * A sandbox's rules for requests, while one user asks one thing after the other: which of them a
 * rule hits, what the user sees then, whether it was done, how long it took, and what operators are
 * told of it, is what a naive list of the rules says.
 */
import { isDeepStrictEqual } from "node:util";
import { hold } from "../breach.ts";
import { SYMBOL } from "../markets.ts";
import { readClock } from "../sandbox-clock.ts";
import type { Trader } from "../trader.ts";
import {
  CHECK,
  checkRules,
  EXPIRES_MS,
  meet,
  passEnds,
  type Request,
  type Rule,
  readLog,
  setRule,
} from "./sandbox-rules.ts";
import type { Scene, Stage } from "./stage.ts";

const READ: Request = { method: "GET", path: "/api/v3/account/" };
const WRITE: Request = { method: "POST", path: "/capi/v3/order/cancelAllAfter" };
const ROUTES = [undefined, "GET *", "* /capi/*", "POST /capi/v3/order/cancelAllAfter", "POST *"];
/** Of a rule, to end by itself. */
const EXPIRES = 0.2;
const RULES = { least: 2, most: 5 };
const REQUESTS = 8;
/** What a request takes besides. */
const SLACK_MS = 1_000;
/** Waits are sums of fractions. */
const FRACTION_MS = 0.001;
const LEAST_COUNTDOWN_MS = 600_000;

export const requestFaults: Scene = async (stage) => {
  const { exchange, random, traders } = stage;
  if (exchange.limits !== null || (await readClock(exchange)).speed !== 1) return;
  const trader = random.pick([...traders]);
  const others = traders.filter(({ uid }) => uid !== trader.uid);
  const rules: Rule[] = [];
  for (let count = random.integer(RULES.least, RULES.most); count > 0; count--) {
    const of = random.chance(0.15) ? random.pick([...others, trader]) : trader;
    await setRule(stage, rules, { id: `r${rules.length}`, of, routes: ROUTES, expires: EXPIRES });
  }
  const before = (await readLog(stage, trader, 0)).next;
  const logged: unknown[] = [];
  for (let count = 0; count < REQUESTS; count++) {
    if (count === REQUESTS / 2 && random.chance(0.5)) await stage.pass(EXPIRES_MS);
    if (random.chance(0.1)) {
      const { id } = random.pick(rules);
      await setRule(stage, rules, { id, of: trader, routes: ROUTES, expires: EXPIRES });
    }
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
