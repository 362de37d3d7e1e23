/**
 * Operators of whom one setting is changed, or several, at once or one beside the other: the others
 * keep their values. Each may do what its role lets it until it expires, to the millisecond, and
 * whoever was changed is asked again behind every start.
 */
import { isDeepStrictEqual } from "node:util";
import { OPERATOR_ROLES } from "../../../src/domain/index.ts";
import { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import { operate } from "../operate.ts";
import { readTime } from "../sandbox-clock.ts";
import type { Outcome, SimulatedExchange } from "../simulated-exchange.ts";
import { checkStep } from "../state-check.ts";
import { AgainBehindStarts } from "./again-behind-starts.ts";
import { DAY_MS, freeze, passTo } from "./clock.ts";
import type { Scene, Stage } from "./stage.ts";

const OPERATORS_MAX = 3;
/** Names are not used again. */
const NAMES_MAX = 6;
const CHANGES = ["role", "role", "expiry", "both", "beside", "late", "token", "leave"] as const;
const CHANGES_MAX = 5;
const LIVES_MS = [60_000, 3_600_000, 40 * DAY_MS];

type Role = (typeof OPERATOR_ROLES)[number];

interface Settings {
  readonly role: Role;
  readonly expiresAt: number | null;
}

interface Operator extends Settings {
  readonly name: string;
  readonly token: string;
}

interface Team {
  operators: Operator[];
  names: number;
  /** When tokens were sent that had ended. */
  wrongMs: number[];
}

/** After ten in a row no operator is heard for a while, and others send some, too. */
const WRONG_MAX = 4;
const WRONG_SINCE_MS = 60_000;

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  /** Who may make it besides administrators. */
  readonly roles: readonly Role[];
}

/** They find nothing, so that they change nothing. */
const CALLS: readonly Call[] = [
  { method: "GET", path: "users?limit=1", roles: OPERATOR_ROLES },
  { method: "PATCH", path: "users/1", body: { state: "active" }, roles: ["support", "risk"] },
  {
    ...{ method: "PATCH", path: "markets/spot/NONE", body: { state: "halted" } },
    roles: ["markets", "risk"],
  },
  { method: "DELETE", path: "deposit-reports/999999", roles: ["treasury"] },
  { method: "DELETE", path: "operators/nobody", roles: [] },
];

export const changedOperators = new AgainBehindStarts(checkTeam);

export const operatorChanges: Scene = async (stage) => {
  const { exchange, random } = stage;
  const nobody = { operators: [], names: 0, wrongMs: [] };
  const team: Team = changedOperators.of(exchange) ?? changedOperators.keep(exchange, nobody);
  await checkTeam(exchange, team);
  while (team.operators.length < OPERATORS_MAX && team.names < NAMES_MAX) await add(stage, team);
  for (const kind of random.shuffle([...CHANGES]).slice(0, random.integer(2, CHANGES_MAX))) {
    if (team.operators.length === 0) return;
    const operator = random.pick(team.operators);
    const changed = await change(stage, team, operator, kind);
    replace(team, operator, changed);
    await checkTeam(exchange, team, changed === null ? [] : [changed]);
  }
  const ending = team.operators.find(({ expiresAt }) => expiresAt !== null);
  if (ending !== undefined && exchange.sandbox && random.chance(0.8)) {
    await end(stage, team, ending);
  }
  if (random.chance(0.5)) await stage.operate("POST", "snapshots", {});
};

function replace(team: Team, { name }: Operator, changed: Operator | null): void {
  const others = team.operators.filter((one) => one.name !== name);
  team.operators = changed === null ? others : [...others, changed];
}

async function someSettings({ exchange, random }: Stage): Promise<Settings> {
  const nowMs = await readTime(exchange);
  const expiresAt = random.chance(0.3) ? null : nowMs + random.pick(LIVES_MS);
  return { role: random.pick(OPERATOR_ROLES), expiresAt };
}

async function add(stage: Stage, team: Team): Promise<void> {
  const name = `clerk-${++team.names}`;
  const settings = await someSettings(stage);
  const said = await stage.operate("POST", "operators", { name, ...settings });
  if (said === null) return;
  team.operators.push({ name, ...settings, token: (said as { readonly token: string }).token });
}

/** As it is then; null when it was removed. */
async function change(
  stage: Stage,
  team: Team,
  operator: Operator,
  kind: (typeof CHANGES)[number],
): Promise<Operator | null> {
  const { exchange, random } = stage;
  const path = `operators/${operator.name}`;
  const { expiresAt, role } = await someSettings(stage);
  switch (kind) {
    case "role":
      return await patch(stage, operator, { role });
    case "expiry":
      return await patch(stage, operator, { expiresAt });
    case "both":
      return await patch(stage, operator, { role, expiresAt });
    case "beside": {
      const one = patch(stage, operator, { role });
      const other = operate(exchange, "PATCH", path, { expiresAt });
      await stage.do(Promise.all([one, other]));
      return { ...operator, role, expiresAt };
    }
    case "late": {
      const lateMs = (await readTime(exchange)) - random.integer(0, 1);
      const beside = random.chance(0.5) ? { role } : {};
      await stage.operate("PATCH", path, { expiresAt: lateMs, ...beside });
      return operator;
    }
    case "token": {
      const said = await stage.operate("POST", `${path}/token`, {});
      await checkEnded(exchange, team, operator);
      return { ...operator, ...(said as Pick<Operator, "token">) };
    }
    default:
      await stage.operate("DELETE", path);
      await checkEnded(exchange, team, operator);
      return null;
  }
}

async function patch(stage: Stage, operator: Operator, body: Partial<Settings>): Promise<Operator> {
  const path = `operators/${operator.name}`;
  const changed = { ...operator, ...body };
  const said = await stage.operate("PATCH", path, body);
  // What has expired since is not changed any more, but for its expiry.
  const isOver = (changed.expiresAt ?? Infinity) <= (await readTime(stage.exchange));
  if (said === null && isOver) return operator;
  // Whatever is changed beside it is not known here.
  const isSo = Object.entries(body).every(
    ([name, value]) => (said as Row | null)?.[name] === value,
  );
  const detail = () => `PATCH ${path} ${JSON.stringify(body)}: ${JSON.stringify(said)}`;
  hold(isSo, "an operator is changed as it was asked for", detail);
  return changed;
}

type Row = Readonly<Record<string, unknown>>;

/** Just before and at its end: nothing but its role was changed meanwhile, or nothing at all. */
async function end(stage: Stage, team: Team, operator: Operator): Promise<void> {
  const { exchange, random } = stage;
  const { expiresAt } = operator;
  if (expiresAt === null) return;
  const goOn = await freeze(stage);
  let last = operator;
  if (await passTo(stage, expiresAt - 1)) {
    const { role } = await someSettings(stage);
    if (random.chance(0.6)) last = await patch(stage, operator, { role });
    replace(team, operator, last);
    await checkTeam(exchange, team);
  }
  await passTo(stage, expiresAt + random.pick([0, 0, 1]));
  if (random.chance(0.5)) {
    await checkEnded(exchange, team, last);
    const revived = random.pick([null, expiresAt + DAY_MS]);
    replace(team, last, await patch(stage, last, { expiresAt: revived }));
  }
  await checkTeam(exchange, team);
  await goOn();
}

function ask(
  exchange: SimulatedExchange,
  { token }: Operator,
  { body, method, path }: Call,
): Promise<Outcome> {
  const request = exchange.operatorRequest(method, path, body);
  const headers = { ...request.headers, Authorization: `Bearer ${token}` };
  return exchange.life.until(exchange.send("operator", { ...request, headers }));
}

const CALLER: Call = { method: "GET", path: "caller", roles: OPERATOR_ROLES };

/** Whether a token that has ended may be sent. */
function mayBeWrong({ life }: SimulatedExchange, team: Team): boolean {
  const { nowMs } = life.time;
  team.wrongMs = team.wrongMs.filter((ms) => ms > nowMs - WRONG_SINCE_MS);
  if (team.wrongMs.length >= WRONG_MAX) return false;
  team.wrongMs.push(nowMs);
  return true;
}

async function checkEnded(
  exchange: SimulatedExchange,
  team: Team,
  operator: Operator,
): Promise<void> {
  if (!mayBeWrong(exchange, team)) return;
  const answer = await ask(exchange, operator, CALLER);
  const isRefused = answer?.status === 401;
  const detail = () => `${operator.name}: ${JSON.stringify(answer)}`;
  hold(isRefused, "a token that has ended is refused", detail);
}

/** Some of them may call, or have expired and leave the team. */
async function checkTeam(
  exchange: SimulatedExchange,
  team: Team,
  some: readonly Operator[] = [...team.operators],
): Promise<void> {
  await checkStep(exchange);
  const { all } = exchange.story.naive.operators;
  const { items } = await exchange.operator<Page>("GET", "operators");
  const due = [...all.values()]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ addedMs: addedAt, expiresAtMs: expiresAt, name, removedMs: removedAt, role }) => {
      return { name, role, expiresAt, addedAt, removedAt };
    });
  const both = () => `${JSON.stringify(items)} instead of ${JSON.stringify(due)}`;
  hold(isDeepStrictEqual(items, due), "operators are listed as they were set", both);
  for (const operator of some) {
    if (await isLive(exchange, team, operator)) await checkRole(exchange, operator);
    else replace(team, operator, null);
  }
}

interface Page {
  readonly items: readonly Row[];
}

async function isLive(
  exchange: SimulatedExchange,
  team: Team,
  operator: Operator,
): Promise<boolean> {
  const { name, role } = operator;
  const expiresAt = operator.expiresAt ?? Number.POSITIVE_INFINITY;
  const askedMs = await readTime(exchange);
  if (askedMs >= expiresAt && !mayBeWrong(exchange, team)) return false;
  const answer = await ask(exchange, operator, CALLER);
  const answeredMs = await readTime(exchange);
  const wasLive = answer?.status === 200;
  const detail = () => `${JSON.stringify([operator, answer])} from ${askedMs} to ${answeredMs}`;
  const isDue = wasLive ? askedMs < expiresAt : answeredMs >= expiresAt && answer?.status === 401;
  hold(isDue, "an operator may call until it expires", detail);
  const told = { name, role, expiresAt: operator.expiresAt };
  const isSame = !wasLive || isDeepStrictEqual(answer.body, told);
  hold(isSame, "what is not given stays as it was", detail);
  return wasLive;
}

async function checkRole(exchange: SimulatedExchange, operator: Operator): Promise<void> {
  const { role } = operator;
  const own = new Random(exchange.requests);
  const call = own.pick([...CALLS]);
  const { method, path, roles } = call;
  const answer = await ask(exchange, operator, call);
  const isAllowed = role === "administrator" || roles.includes(role);
  const isTold = answer !== null && (answer.status === 403) === !isAllowed;
  const detail = () => `${operator.name}, ${role}, ${method} ${path}: ${JSON.stringify(answer)}`;
  hold(isTold, "an operator may do what its role lets it", detail);
}
