/**
 * Operators of all roles, and calls of all kinds: each may be made by whom it is published for.
 * Nothing happens, because whoever calls gives a name that nobody can have, which is found only
 * when the role is known. And who may give a name is the audit log's actor.
 */
import { OPERATOR_ROLES } from "../../../src/domain/index.ts";
import {
  PUBLISHED_OPERATOR_CALLS,
  type PublishedOperatorCall,
} from "../../support/published-operator-calls.ts";
import { hold } from "../breach.ts";
import type { Outcome } from "../simulated-exchange.ts";
import type { Scene, Stage } from "./stage.ts";

const WRITES_MAX = 45;
const READS_MAX = 10;
const OPERATORS_MAX = 3;
/** Names are not used again. */
const NAMES_MAX = 16;
const NOBODY = "?";

interface Operator {
  readonly name: string;
  readonly role: string;
  /** The root's, if it is null. */
  readonly token: string | null;
}

const ROOT: Operator = { name: "operator", role: "administrator", token: null };

export const publishedRoles: Scene = async (stage) => {
  const { random } = stage;
  const naive = await stage.look();
  const known = [...naive.operators.all.values()];
  if (known.length > NAMES_MAX) return;
  const operators: Operator[] = [ROOT];
  for (const role of random.shuffle([...OPERATOR_ROLES]).slice(0, OPERATORS_MAX)) {
    const name = `reader-${known.length + operators.length}`;
    const said = await stage.operate("POST", "operators", { name, role });
    if (said === null) continue;
    operators.push({ name, role, token: (said as { readonly token: string }).token });
  }
  const calls = random.shuffle([...PUBLISHED_OPERATOR_CALLS]);
  for (const call of calls.filter(({ roles }) => roles !== null).slice(0, WRITES_MAX)) {
    for (const operator of operators.slice(1)) await checkRole(stage, operator, call);
  }
  for (const call of calls.filter(({ roles }) => roles === null).slice(0, READS_MAX)) {
    await checkRole(stage, random.pick(operators), call);
  }
  const someone = operators[1]?.name ?? null;
  for (const given of random.shuffle([null, "someone", someone])) {
    const others = operators.filter(({ role }) => role === "administrator");
    await checkActor(stage, random.chance(0.6) ? ROOT : random.pick(others), given, someone);
  }
  for (const { name } of operators.slice(1)) {
    if (random.chance(0.7)) await stage.operate("DELETE", `operators/${name}`);
  }
};

async function checkRole(
  stage: Stage,
  operator: Operator,
  { method, path, roles }: PublishedOperatorCall,
): Promise<void> {
  const { role } = operator;
  const isThere = stage.exchange.sandbox || !path.startsWith("sandbox/");
  const isAllowed = role === "administrator" || roles === null || roles.includes(role);
  const due = isThere ? (isAllowed ? 400 : 403) : 409;
  const filled = path.replaceAll(/\{\w+\}/g, "1");
  const answer = await ask(stage, operator, method, filled, NOBODY);
  const detail = () => `${method} ${path} by ${role}: ${JSON.stringify(answer)}, not ${due}`;
  const isDue = answer === null || answer.status === 503 || answer.status === due;
  hold(isDue, "operators make the calls that are published for their roles", detail);
}

/** By one more user. */
async function checkActor(
  stage: Stage,
  operator: Operator,
  given: string | null,
  someone: string | null,
): Promise<void> {
  const { exchange } = stage;
  const before = await lastEntry(stage);
  const answer = await ask(stage, operator, "POST", "users", given, {});
  if (answer === null || answer.status === 503) return;
  const isTaken = operator === ROOT && given !== null && given === someone;
  const detail = () => `${operator.name} as ${given}: ${JSON.stringify(answer)}`;
  hold((answer.status === 409) === isTaken, "nobody calls in the name of an operator", detail);
  if (answer.status !== 200) return;
  const entry = await lastEntry(stage);
  const actor = operator === ROOT ? (given ?? ROOT.name) : operator.name;
  const isSaid = entry?.id !== before?.id && entry?.actor === actor;
  const said = () => `${detail()}, then ${JSON.stringify([before, entry])}`;
  hold(isSaid, "the audit log says who it was", said);
  exchange.trace("actor", entry?.actor);
}

interface Entry {
  readonly id: number;
  readonly actor: string;
}

async function lastEntry({ exchange }: Stage): Promise<Entry | undefined> {
  const path = `audit?before=${Number.MAX_SAFE_INTEGER}&limit=1`;
  const read = exchange.readOperator<{ readonly items: readonly Entry[] }>(path);
  return (await exchange.life.until(read)).items[0];
}

function ask(
  { exchange }: Stage,
  { token }: Operator,
  method: string,
  path: string,
  actor: string | null,
  body?: object,
): Promise<Outcome> {
  const request = exchange.operatorRequest(method, path, body);
  const { Authorization } = request.headers;
  const headers = {
    ...request.headers,
    Authorization: token === null ? (Authorization ?? "") : `Bearer ${token}`,
    ...(actor === null ? {} : { "X-Operator": actor }),
  };
  return exchange.life.until(exchange.send("operator", { ...request, headers }));
}
