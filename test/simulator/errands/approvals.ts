/**
 * What one operator may not do alone: rules are set and ended, one proposes, another one decides,
 * both also again, late, or about what is their own; and a sandbox passes a proposal's life to the
 * millisecond. The money is that of an account which nobody else uses.
 */
import { isDeepStrictEqual } from "node:util";
import { PROPOSAL_LIFE_MS } from "../../../src/domain/index.ts";
import { actionOf, type NaiveProposal } from "../../models/naive-approvals.ts";
import { stateOf } from "../../models/naive-withdrawals.ts";
import { exact, text } from "../../support/exact.ts";
import { Random } from "../../support/random.ts";
import type { World } from "../aims/world.ts";
import { hold } from "../breach.ts";
import { operate } from "../operate.ts";
import { type Clock, readTime } from "../sandbox-clock.ts";
import type { Outcome, SimulatedExchange } from "../simulated-exchange.ts";
import { unlessTimePasses } from "../undisturbed.ts";

const ASSET = "ETH";
const FEE = "0.5";
const ACTIONS = ["deposits", "withdrawals"] as const;
const OPERATORS = 2;
const SAID_NAMES = ["alice", "bob"];
/** Names of operators whose token was lost are not used again. */
const NAMES_MAX = 8;
const TOGETHER_MAX = 2;
const ACTS_MAX = 4;
const KNOWN = new Set([200, 202, 400, 404, 409, 503]);
const PAGE = 50;

interface Operator {
  readonly name: string;
  /** Null is the operator of the machine. */
  readonly token: string | null;
  /** Somebody removes it, or has done so. */
  isLeaving?: boolean;
}

interface Move {
  readonly action: (typeof ACTIONS)[number];
  readonly body: Readonly<Record<"id" | "account" | "asset" | "amount", string>>;
  readonly by: Operator;
}

interface Desk {
  uid: number | null;
  /** To which the account may withdraw. */
  addressId: number | null;
  requests: number;
  names: number;
  readonly operators: Operator[];
  readonly moves: Move[];
  /** What must be so once the story has followed what was answered. */
  claims: (() => void)[];
}

interface Errand {
  readonly exchange: SimulatedExchange;
  readonly random: Random;
  readonly desk: Desk;
  readonly uid: number;
  /** Exchange time is not before that. */
  sinceMs: number;
}

const DESKS = new WeakMap<SimulatedExchange, Desk>();

function deskOf(exchange: SimulatedExchange): Desk {
  const root = { name: "operator", token: null };
  const nobody = { uid: null, addressId: null, requests: 0, names: 0 };
  const fresh = { ...nobody, operators: [root], moves: [], claims: [] };
  const desk = DESKS.get(exchange) ?? fresh;
  DESKS.set(exchange, desk);
  return desk;
}

async function ask(
  { desk, exchange, random, sinceMs }: Errand,
  operator: Operator,
  method: string,
  path: string,
  body?: object,
): Promise<Outcome> {
  const request = exchange.operatorRequest(method, path, body);
  const { token } = operator;
  // Whoever has the folder's token may say for whom it acts, and stays one operator.
  const said = random.chance(0.3) ? { "X-Operator": random.pick([...SAID_NAMES]) } : {};
  const own = token === null ? said : { Authorization: `Bearer ${token}` };
  const sent = { ...request, headers: { ...request.headers, ...own } };
  const outcome = await exchange.send("operator", sent);
  const detail = () => `${method} ${path} ${JSON.stringify([body, outcome])}`;
  const isDue = outcome?.status === 401 && operator.isLeaving === true;
  hold(outcome === null || isDue || KNOWN.has(outcome.status), "answers", detail);
  if (outcome?.status === 202) {
    const { message } = (outcome.body as { readonly error: { readonly message: string } }).error;
    const [, id, until] = /proposal (\d+), until (\S+)/.exec(message) ?? [];
    // A proposal that is answered again is in no journal.
    hold(Date.parse(until ?? "") > sinceMs, "what was proposed waits", detail);
    desk.claims.push(() => {
      const { proposals } = exchange.story.naive.approvals;
      const isThere = proposals.some(({ proposalId, proposer }) => {
        return proposalId === Number(id) && proposer === operator.name;
      });
      hold(isThere, "what was proposed waits", detail);
    });
  }
  return outcome;
}

async function setRule(errand: Errand): Promise<void> {
  const { desk, random } = errand;
  const above = random.pick([null, "0", "2", "5", "5", "20", "0.00000001", "0.000000001"]);
  const body = { action: random.pick(ACTIONS), asset: ASSET, above };
  await ask(errand, random.pick(desk.operators), "POST", "approval-rules", body);
}

function newMove({ desk, random }: Errand): Move {
  const amount = random.pick(["5", "5.00000001", "1", "20", String(random.integer(1, 40))]);
  const move = {
    action: random.pick(["deposits", "deposits", "withdrawals"] as const),
    body: { id: `e-${desk.moves.length}`, account: "spot", asset: ASSET, amount },
    by: random.pick(desk.operators),
  };
  desk.moves.push(move);
  return move;
}

/** A new one, or one of before: by the same operator as then, or by another one. */
async function move(errand: Errand, again?: Move): Promise<void> {
  const { desk, random } = errand;
  const isAgain = desk.moves.length > 0 && random.chance(0.4);
  const known = again ?? (isAgain ? random.pick(desk.moves.slice(-PAGE)) : newMove(errand));
  const by = again !== undefined || random.chance(0.7) ? known.by : random.pick(desk.operators);
  await send(errand, { ...known, by });
}

/** Done at once though a rule forbids it: nobody has changed rules, nor approved it meanwhile. */
async function send(errand: Errand, { action, body, by }: Move): Promise<void> {
  const { desk, exchange, uid } = errand;
  const { naive } = exchange.story;
  const { proposals, ruleChanges, rules } = naive.approvals;
  const above = rules.get(`${action} ${ASSET}`);
  const isAbove = above !== undefined && exact(body.amount) > above;
  const wasMoved = naive.wasMoved(action, uid, body.id);
  const outcome = await ask(errand, by, "POST", `users/${uid}/${action}`, body);
  if (outcome?.status !== 200) return;
  desk.claims.push(() => {
    const detail = () => `${by.name} ${action} ${JSON.stringify(body)}`;
    hold(naive.wasMoved(action, uid, body.id), "nothing acknowledged is lost", detail);
    const what = { action, id: body.id };
    const isApproved = proposals.some((one) => one.state === "approved" && isAbout(one, what));
    const isFree = naive.approvals.ruleChanges !== ruleChanges || !isAbove || wasMoved;
    hold(isFree || isApproved, "what needs a second operator waits for one", detail);
  });
}

/** Of as much as one operator may approve, with the fee and without it, and a unit more. */
async function requestWithdrawal(errand: Errand): Promise<void> {
  const { desk, exchange, random, uid } = errand;
  const { addressId } = desk;
  if (addressId === null) return;
  const { naive } = exchange.story;
  const above = naive.approvals.rules.get(`withdrawals ${ASSET}`) ?? exact("2");
  const edge = above + random.pick([0n, 0n, exact(FEE)]) + random.pick([0n, naive.unit(ASSET)]);
  const amount = random.chance(0.7) ? text(edge) : random.pick(["1", "3", "6.5"]);
  const body = { addressId, amount, id: `r-${desk.requests++}`, uid };
  const by = random.pick(desk.operators);
  const outcome = await ask(errand, by, "POST", "withdrawal-requests", body);
  if (outcome?.status !== 200 || random.chance(0.3)) return;
  const { withdrawalId } = outcome.body as { readonly withdrawalId: number };
  await decideWithdrawal(errand, withdrawalId);
}

/** Any of the account. */
async function decideSome(errand: Errand): Promise<void> {
  const { exchange, random, uid } = errand;
  const { withdrawals } = exchange.story.naive.withdrawals;
  const mine = withdrawals.filter((one) => one.uid === uid);
  const open = mine.filter((one) => stateOf(one) === "requested");
  const some = open.length > 0 && random.chance(0.9) ? open : mine;
  if (some.length === 0) await requestWithdrawal(errand);
  else await decideWithdrawal(errand, random.pick(some).withdrawalId);
}

/** By one operator where the rules let one, otherwise by two. */
async function decideWithdrawal(errand: Errand, withdrawalId: number): Promise<void> {
  const { desk, exchange, random } = errand;
  const { approvals, withdrawals } = exchange.story.naive;
  const found = () => withdrawals.withdrawals[withdrawalId - 1];
  const above = approvals.rules.get(`withdrawals ${ASSET}`);
  const { ruleChanges } = approvals;
  const wasApproved = found()?.steps.some((step) => step.state === "approved") === true;
  const state = random.chance(0.85) ? "approved" : "rejected";
  const body = { id: `${state}-${random.integer(1, 2)}`, state, note: "" };
  const by = random.pick(desk.operators);
  const outcome = await ask(errand, by, "PATCH", `withdrawal-requests/${withdrawalId}`, body);
  if (outcome?.status !== 200) return;
  desk.claims.push(() => {
    const detail = () => `${by.name} ${withdrawalId} ${JSON.stringify(body)}`;
    const one = found();
    const isKept = one?.steps.some((step) => step.state === state) === true;
    hold(isKept, "nothing acknowledged is lost", detail);
    const isAlone = above === undefined || (one?.amount ?? 0n) <= above || state === "rejected";
    const isApproved = approvals.proposals.some(({ command, state: decided }) => {
      const isIt = command.type === "set-withdrawal-state" && command.withdrawalId === withdrawalId;
      return isIt && decided === "approved";
    });
    const isFree = approvals.ruleChanges !== ruleChanges || isAlone || wasApproved;
    hold(isFree || isApproved, "what needs a second operator waits for one", detail);
  });
}

function isAbout({ command }: NaiveProposal, { action, id }: { action: string; id: string }) {
  return actionOf(command) === action && "requestId" in command && command.requestId === id;
}

async function decide(errand: Errand): Promise<void> {
  const { desk, exchange, random } = errand;
  const { proposals } = exchange.story.naive.approvals;
  if (proposals.length === 0) return;
  const waiting = proposals.filter(({ state }) => state === "waiting");
  const one = random.pick(waiting.length > 0 && random.chance(0.85) ? waiting : [...proposals]);
  const others = desk.operators.filter(({ name }) => name !== one.proposer);
  const isOther = random.chance(0.9) && others.length > 0;
  const by = random.pick(isOther ? others : desk.operators);
  const decision = random.pick(["approved", "approved", "rejected"] as const);
  const proposalId = random.chance(0.03) ? proposals.length + 1 : one.proposalId;
  const body = { decision, ...(random.chance(0.5) ? { note: "seen" } : {}) };
  for (let again = random.pick([1, 1, 2]); again > 0; again--) {
    const outcome = await ask(errand, by, "PATCH", `proposals/${proposalId}`, body);
    if (outcome?.status !== 200) continue;
    desk.claims.push(() => {
      const found = proposals.find((each) => each.proposalId === proposalId);
      const isSo = found?.state === decision && found.decider === by.name;
      hold(isSo, "a decision is kept", () => `${by.name} ${proposalId} ${JSON.stringify(body)}`);
    });
  }
}

/** To the end of a proposal's life, a millisecond before or behind it: it is tried again then. */
async function passLife(errand: Errand): Promise<void> {
  const { desk, exchange, random } = errand;
  const { proposals } = exchange.story.naive.approvals;
  const waiting = proposals.filter(({ state }) => state === "waiting");
  if (!exchange.sandbox || exchange.retries.size > 0 || waiting.length === 0) return;
  const one = random.pick(waiting);
  const nowMs = Math.max(exchange.nowMs, exchange.story.timeMs);
  const ms = one.proposedMs + PROPOSAL_LIFE_MS - nowMs + random.pick([-5, -1, 0, 1]);
  exchange.daysPassed++;
  const advanced = ms > 0 ? await operate(exchange, "POST", "sandbox/clock/advance", { ms }) : null;
  if (advanced !== null) errand.sinceMs = (advanced as Clock).time;
  const same = desk.moves.find(({ action, body: { id } }) => isAbout(one, { action, id }));
  const by = desk.operators.find(({ name }) => name === one.proposer);
  if (random.chance(0.3)) await decide(errand);
  if (same !== undefined && by !== undefined) await move(errand, { ...same, by });
  if (random.chance(0.5)) await decide(errand);
}

/** One that may have a decision under way; from then on its token is nobody's. */
async function remove(errand: Errand): Promise<void> {
  const { desk, exchange, random } = errand;
  if (desk.operators.length <= OPERATORS || desk.names >= NAMES_MAX) return;
  const one = random.pick(desk.operators.filter(({ token }) => token !== null));
  desk.operators.splice(desk.operators.indexOf(one), 1);
  one.isLeaving = true;
  const path = `operators/${one.name}?reason=left`;
  const removed = await operate(exchange, "DELETE", path);
  if (removed === null) return;
  const asked = random.pick(["approval-rules", "proposals?limit=1"]);
  const outcome = await ask(errand, one, "GET", asked);
  const isRefused = outcome === null || outcome.status === 401 || outcome.status === 503;
  const detail = () => `${one.name}: ${JSON.stringify(outcome)}`;
  hold(isRefused, "an operator who was removed is refused", detail);
}

const ACTS: readonly (readonly [weight: number, act: (errand: Errand) => Promise<void>])[] = [
  [3, setRule],
  [10, move],
  [8, decide],
  [2, passLife],
  [6, requestWithdrawal],
  [3, decideSome],
  [2, remove],
];

/** The account, and whoever decides beside the operator of the machine. */
async function open(exchange: SimulatedExchange, desk: Desk): Promise<void> {
  if (desk.uid === null) {
    const user = (await operate(exchange, "POST", "users", {})) as { readonly uid: number } | null;
    desk.uid = user?.uid ?? null;
  }
  if (desk.uid !== null && desk.addressId === null) await openWithdrawals(exchange, desk);
  while (desk.operators.length <= OPERATORS && desk.names < NAMES_MAX) {
    const name = `second-${++desk.names}`;
    const body = { name, role: "administrator" };
    const answer = await operate(exchange, "POST", "operators", body);
    if (answer === null) return;
    desk.operators.push({ name, token: (answer as { readonly token: string }).token });
  }
}

async function openWithdrawals(exchange: SimulatedExchange, desk: Desk): Promise<void> {
  const holds = { addressHoldMs: 0, keyHoldMs: 0 };
  const rules = { enabled: true, minAmount: "1", fee: FEE, dailyLimit: null, ...holds };
  await operate(exchange, "PUT", `withdrawal-rules/${ASSET}`, rules);
  const target = { asset: ASSET, network: "main", address: "e1", label: "own" };
  const path = `users/${desk.uid}/withdrawal-addresses`;
  const added = await operate(exchange, "POST", path, target);
  desk.addressId = (added as { readonly addressId: number } | null)?.addressId ?? null;
}

export async function seekApproval({ exchange }: World, random: Random): Promise<void> {
  const desk = deskOf(exchange);
  await open(exchange, desk);
  const { uid } = desk;
  if (uid === null) return;
  const acts = ACTS.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));
  const doSome = async (own: Random) => {
    const errand = { exchange, random: own, desk, uid, sinceMs: exchange.story.timeMs };
    if (exchange.story.naive.approvals.rules.size === 0 && own.chance(0.5)) await setRule(errand);
    for (let count = own.integer(1, ACTS_MAX); count > 0; count--) await own.pick(acts)(errand);
  };
  const together = Array.from({ length: random.integer(1, TOGETHER_MAX) }, () => {
    return doSome(new Random(random.integer(0, 0x7fffffff)));
  });
  await Promise.all(together);
}

interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

/** While nobody sends anything: what was answered is so, and every operator is told the same. */
export async function checkApprovals({ exchange }: World): Promise<void> {
  const desk = deskOf(exchange);
  for (const claim of desk.claims.splice(0)) claim();
  await unlessTimePasses(exchange, async () => {
    const { proposals, rules } = exchange.story.naive.approvals;
    const told = await exchange.readOperator<Page>("approval-rules");
    const due = [...rules].sort().map(([key, above]) => {
      const [action, asset] = key.split(" ");
      return { action, asset, above: text(above) };
    });
    same("approval-rules", told.items, due);
    const from = await readTime(exchange);
    const { items } = await exchange.readOperator<Page>(`proposals?limit=${PAGE}`);
    const until = await readTime(exchange);
    const kept = proposals.filter(({ isForgotten }) => !isForgotten).slice(-PAGE);
    const rows = (nowMs: number) => kept.map((one) => rowOf(one, nowMs)).reverse();
    const isOld = isDeepStrictEqual(items, rows(from));
    if (!isOld) same("proposals", items, rows(until));
  });
}

function rowOf(one: NaiveProposal, nowMs: number) {
  const { command, decidedMs, decider, note, proposalId, proposedMs, proposer, state, what } = one;
  const expires = proposedMs + PROPOSAL_LIFE_MS;
  return {
    ...{ proposalId, action: actionOf(command), what, proposer, decider, note },
    ...{ proposed: proposedMs, expires, decided: decidedMs },
    state: state === "waiting" && nowMs >= expires ? "expired" : state,
  };
}

function same(path: string, said: Page["items"], due: Page["items"]): void {
  const detail = () => `${path}: ${JSON.stringify(said)} instead of ${JSON.stringify(due)}`;
  hold(isDeepStrictEqual(said, due), "an operator is told what the naive exchange has", detail);
}
