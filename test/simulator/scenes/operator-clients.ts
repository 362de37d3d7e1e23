/**
 * Operators who use the product's own client, on a network that loses, delays and makes up answers:
 * how often each call is sent, what is carried out and what the caller is told is what its
 * reference says. What waits for a second operator is not done, and says so.
 */
import { type CallOptions, type OperatorClient, RialtoError } from "../../../src/client/index.ts";
import { exact, text } from "../../support/exact.ts";
import { hold } from "../breach.ts";
import type { Settled } from "../client/call-check.ts";
import { checkRead, isSteady, newAccount, newOperator, settle } from "../client/client-desk.ts";
import { ClientMachine } from "../client/client-machine.ts";
import { checkEnd, dueOverHttp } from "../client/due-call.ts";
import { type RequestFate, ScriptedNetwork } from "../client/scripted-network.ts";
import { SYMBOL } from "../markets.ts";
import type { Outcome } from "../simulated-exchange.ts";
import type { Scene, Stage } from "./stage.ts";

const ROUNDS = { least: 4, most: 8 };
const FATES: readonly RequestFate[] = [
  ...(["refused", "lost", "lost", "silent", "mute", "limited", "failed", "page"] as const),
];
/** More than that a client does not wait. */
const RETRY_AFTERS_S = [0, 1, 3, 30, 31];
const ASSET = "ETH";
const WAITS = "waits-for-second-operator";
const CHECK = "a client says what it was answered";
/** Ids and texts that a path may not hold as they are. */
const TEXTS = ["BTC", "a b", "a/b?c=d&e", "50%", "..", "é", "1", "#"];

interface Desk {
  readonly stage: Stage;
  readonly machine: ClientMachine;
  readonly network: ScriptedNetwork;
  readonly client: OperatorClient;
  readonly uid: number;
  made: number;
}

interface Kind {
  readonly name: string;
  readonly isRepeatable: boolean;
  readonly send: (client: OperatorClient, options: CallOptions) => Promise<unknown>;
  readonly check: (isDone: boolean, settled: Settled, arrivals: number) => Promise<void>;
}

export const operatorClients: Scene = async (stage) => {
  if (!(await isSteady(stage))) return;
  const { exchange, random } = stage;
  const { uid } = await newAccount(stage, "operator");
  const machine = new ClientMachine(exchange, random);
  const network = new ScriptedNetwork(exchange, machine, "operator");
  const client = newOperator(exchange.life.running.operatorToken, network, machine);
  const desk: Desk = { stage, machine, network, client, uid, made: 0 };
  const kinds = [read, read, refused, refused, register, deposit, deposit, makeKey, feeRates];
  for (let left = random.integer(ROUNDS.least, ROUNDS.most); left > 0; left--) {
    await one(desk, await random.pick(kinds)(desk));
  }
  await propose(desk);
  const { timers } = machine;
  hold(timers === 0, "a closed client leaves nothing behind", () => `${timers} timers`);
};

/** A call of the first operator, or of another one. */
async function one(desk: Desk, kind: Kind, client = desk.client): Promise<Settled> {
  const { machine, network, stage } = desk;
  const { random } = stage;
  network.begin();
  const count = random.pick([0, 0, 1, 1, 2, 4]);
  network.requestFates = Array.from({ length: count }, () => random.pick(FATES));
  network.retryAfterS = random.pick(RETRY_AFTERS_S);
  const options = {
    ...(random.chance(0.2) ? { attempts: random.integer(1, 6) } : {}),
    ...(random.chance(0.2) ? { timeoutMs: 3_000 } : {}),
  };
  const fates = [...network.requestFates];
  const what = `${kind.name} ${JSON.stringify([fates, network.retryAfterS, options])}`;
  const { isRepeatable } = kind;
  const due = dueOverHttp({ isRepeatable, ...options }, fates, network.retryAfterS * 1_000);
  const { settled, tookMs } = await settle(stage, machine, () => kind.send(client, options));
  checkEnd(due, settled, tookMs, what);
  const sent = () => `${what}: ${JSON.stringify([network.requests, due])}`;
  hold(network.requests.length === due.attempts, "only what may be repeated is", sent);
  await kind.check(due.arrivals > 0, settled, due.arrivals);
  return settled;
}

function ask({ stage }: Desk, method: string, path: string, body?: object): Promise<Outcome> {
  const { exchange } = stage;
  return stage.do(exchange.send("operator", exchange.operatorRequest(method, path, body)));
}

interface List {
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

async function list(desk: Desk, path: string): Promise<List["items"]> {
  return (await desk.stage.do(desk.stage.exchange.readOperator<List>(path))).items;
}

async function read(desk: Desk): Promise<Kind> {
  const { stage, uid } = desk;
  const { random } = stage;
  const some = random.pick(TEXTS);
  const reads: readonly (readonly [string, Kind["send"]])[] = [
    [`users/${uid}`, (client, options) => client.getUser({ uid }, options)],
    [`users?limit=2&after=${uid - 2}`, listUsers],
    [`users/${uid}/balances`, (client, options) => client.getBalances({ uid }, options)],
    [`users/${uid}/deposits`, (client, options) => client.listDeposits({ uid }, options)],
    ["assets", (client, options) => client.listAssets({}, options)],
    ["caller", (client, options) => client.getCaller(options)],
    ["approval-rules", (client, options) => client.listApprovalRules(options)],
    ["audit?limit=3", (client, options) => client.listAudit({ limit: 3 }, options)],
    [
      `markets/spot/${SYMBOL}`,
      (client, options) => client.getSpotMarket({ symbol: SYMBOL }, options),
    ],
    [
      `search/${encodeURIComponent(some)}`,
      (client, options) => client.search({ text: some }, options),
    ],
  ];
  const [path, send] = random.pick(reads);
  return {
    ...{ name: `GET ${path}`, isRepeatable: true, send },
    check: async (_, settled) => {
      if (settled.error instanceof RialtoError) await checkRefusal(desk, settled, "GET", path);
      else await checkRead(stage, path, settled, () => ask(desk, "GET", path));
    },
  };

  function listUsers(client: OperatorClient, options: CallOptions): Promise<unknown> {
    return client.listUsers({ limit: 2, after: uid - 2 }, options);
  }
}

/** The same, asked without a client, is refused in the same words. */
async function checkRefusal(
  desk: Desk,
  { error }: Settled,
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  // Somebody in between has answered.
  if (!(error instanceof RialtoError) || error.status === 429) return;
  const outcome = await ask(desk, method, path, body);
  const said = (outcome?.body as { readonly error?: Refusal } | undefined)?.error;
  const detail = () => `${method} ${path}: ${JSON.stringify([error, error.message, outcome])}`;
  hold(error.status === outcome?.status && error.code === said?.code, CHECK, detail);
  const isWhole = error.message === said.message && error.field === (said.field ?? null);
  hold(isWhole && error.family === "operator", CHECK, detail);
}

interface Refusal {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

async function refused(desk: Desk): Promise<Kind> {
  const { stage, uid } = desk;
  const nobody = 99_999_999;
  const money = { id: "much", account: "spot", asset: "USDT", amount: "0.123456789012345678901" };
  const key = { label: "k", permissions: ["read"], passphrase: "phrase" };
  const some = stage.random.pick(TEXTS);
  const calls: readonly (readonly [string, string, object | undefined, boolean, Kind["send"]])[] = [
    [...(["GET", `users/${nobody}`, undefined, true] as const), getUser],
    [...(["POST", `users/${uid}/deposits`, money, true] as const), makeDeposit],
    [...(["POST", `users/${nobody}/api-keys`, key, false] as const), createApiKey],
    [
      ...(["GET", `users/${uid}/deposits/${encodeURIComponent(some)}`, undefined, true] as const),
      getDeposit,
    ],
    [...(["DELETE", "operators/nobody", undefined, true] as const), removeOperator],
  ];
  const [method, path, body, isRepeatable, send] = stage.random.pick(calls);
  return {
    ...{ name: `${method} ${path}`, isRepeatable, send },
    check: async (_, settled) => {
      const detail = () => `${method} ${path}: ${JSON.stringify(settled.answer)}`;
      hold(settled.error !== null, CHECK, detail);
      await checkRefusal(desk, settled, method, path, body);
    },
  };

  function getUser(client: OperatorClient, options: CallOptions): Promise<unknown> {
    return client.getUser({ uid: nobody }, options);
  }
  function makeDeposit(client: OperatorClient, options: CallOptions): Promise<unknown> {
    return client.makeDeposit({ uid, ...money } as never, options);
  }
  function createApiKey(client: OperatorClient, options: CallOptions): Promise<unknown> {
    return client.createApiKey({ uid: nobody, ...key } as never, options);
  }
  function getDeposit(client: OperatorClient, options: CallOptions): Promise<unknown> {
    return client.getDeposit({ uid, id: some }, options);
  }
  function removeOperator(client: OperatorClient, options: CallOptions): Promise<unknown> {
    return client.removeOperator({ name: "nobody" }, options);
  }
}

function checkCount(what: string, count: number, due: number): void {
  const both = () => `${what}: ${count} instead of ${due}`;
  hold(count === due, "what arrives is done, and nothing else", both);
}

async function register(desk: Desk): Promise<Kind> {
  const before = (await desk.stage.look()).users.size;
  return {
    ...{ name: "register", isRepeatable: false },
    send: (client, options) => client.registerUser({}, options),
    check: async (_isDone, { answer }, arrivals) => {
      const { users } = await desk.stage.look();
      checkCount("users", users.size - before, arrivals);
      if (answer === null) return;
      const { uid } = answer as { readonly uid: number };
      hold(users.has(uid), CHECK, () => JSON.stringify(answer));
    },
  };
}

async function deposit(desk: Desk): Promise<Kind> {
  const { made, uid } = desk;
  // Now and then the same once more.
  const number = made > 0 && desk.stage.random.chance(0.3) ? made - 1 : desk.made++;
  const id = `client-${number}`;
  const path = `users/${uid}/deposits`;
  const wasThere = (await list(desk, path)).some((one) => one.id === id);
  return {
    ...{ name: `deposit ${id}`, isRepeatable: true },
    send: (client, options) => {
      return client.makeDeposit({ uid, id, account: "spot", asset: "USDT", amount: "1" }, options);
    },
    check: async (isDone, { error }) => {
      const count = (await list(desk, path)).filter((one) => one.id === id).length;
      checkCount(`${id} ${error}`, count, wasThere || isDone ? 1 : 0);
    },
  };
}

async function makeKey(desk: Desk): Promise<Kind> {
  const { uid } = desk;
  const path = `users/${uid}/api-keys`;
  const before = (await list(desk, path)).length;
  const terms = { label: "made", permissions: ["read"] as const, passphrase: "phrase" };
  return {
    ...{ name: "make a key", isRepeatable: false },
    send: (client, options) => client.createApiKey({ uid, ...terms }, options),
    check: async (_isDone, { answer }, arrivals) => {
      const keys = await list(desk, path);
      checkCount("keys", keys.length - before, arrivals);
      if (answer === null) return;
      const { apiKey } = answer as { readonly apiKey: string };
      hold(
        keys.some((key) => key.apiKey === apiKey),
        CHECK,
        () => apiKey,
      );
    },
  };
}

async function feeRates(desk: Desk): Promise<Kind> {
  const { uid } = desk;
  const makerFeeRate = `0.000${desk.stage.random.integer(1, 9)}`;
  const rates = { product: "spot", makerFeeRate, takerFeeRate: "0.001" } as const;
  const path = `users/${uid}/fee-rates`;
  const before = await list(desk, path);
  return {
    ...{ name: "fee rates", isRepeatable: true },
    send: (client, options) => client.setFeeRates({ uid, ...rates }, options),
    check: async (isDone) => {
      const [now] = await list(desk, path);
      const due = isDone ? makerFeeRate : before[0]?.makerFeeRate;
      const detail = () => JSON.stringify([now, due]);
      hold(now?.makerFeeRate === due, "what arrives is done, and nothing else", detail);
    },
  };
}

/** Several deposits around what one operator may make alone, each decided by a second one. */
async function propose(desk: Desk): Promise<void> {
  const { client, machine, network, stage } = desk;
  const { random } = stage;
  network.begin();
  const name = `client-${desk.uid}`;
  const { token } = await stage.do(client.addOperator({ name, role: "administrator" }));
  const second = newOperator(token, network, machine);
  const key = `deposits ${ASSET}`;
  const had = (await stage.look()).approvals.rules.has(key);
  if (!had) await proposeRule(desk, second, random.pick(["0", "5", "5", "2.5"]));
  for (let left = random.integer(1, 3); left > 0; left--) await proposeDeposit(desk, second);
  if (!had && (await stage.look()).approvals.rules.has(key)) await proposeRule(desk, second, null);
  network.begin();
  await stage.do(client.removeOperator({ name, reason: "done" }));
  const { settled } = await settle(stage, machine, () => second.listApprovalRules());
  const { error } = settled;
  const isOut = error instanceof RialtoError && error.status === 401 && error.attempts === 1;
  hold(isOut, "an operator who was removed is refused", () => `${name}: ${error}`);
}

/** The first rule needs nobody, nor does its repetition; any other behind it does. */
async function proposeRule(desk: Desk, second: OperatorClient, above: string | null) {
  const { network, stage } = desk;
  const { proposals, rules } = (await stage.look()).approvals;
  // The same may wait already, as somebody else's.
  if (proposals.some((one) => isWaiting(one) && one.command.type === "set-approval-rule")) return;
  const send: Kind["send"] = (client, options) => {
    return client.setApprovalRule({ action: "deposits", asset: ASSET, above }, options);
  };
  const aboveOf = async () => {
    const found = (await stage.look()).approvals.rules.get(`deposits ${ASSET}`);
    return found === undefined ? null : text(found);
  };
  const before = await aboveOf();
  const check = async (isDone: boolean): Promise<void> => {
    const now = await aboveOf();
    const due = isDone && above !== null ? text(exact(above)) : isDone ? null : before;
    const detail = () => `${now} instead of ${due}: ${isDone}`;
    hold(now === due, "what needs a second operator waits for one", detail);
  };
  const name = `rule ${above}`;
  if (rules.size === 0) {
    network.begin();
    for (let count = 2; count > 0; count--) await stage.do(send(desk.client, {}));
    return await check(true);
  }
  const ask = (isSure: boolean) => {
    return proposeOne(desk, second, { name, isRepeatable: true, needs: true, isSure, send, check });
  };
  if (!(await ask(false)) && above === null) await ask(true);
}

async function proposeDeposit(desk: Desk, second: OperatorClient): Promise<void> {
  const { stage, uid } = desk;
  const { random } = stage;
  const naive = await stage.look();
  const above = naive.approvals.rules.get(`deposits ${ASSET}`);
  const unit = naive.unit(ASSET);
  const edge = (above ?? exact("5")) + random.pick([0n, unit, unit, exact("1")]);
  const amount = text(edge === 0n ? unit : edge);
  const id = `proposed-${desk.made++}`;
  const needs = above !== undefined && exact(amount) > above;
  const send: Kind["send"] = (client, options) => {
    return client.makeDeposit({ uid, id, account: "spot", asset: ASSET, amount }, options);
  };
  await proposeOne(desk, second, {
    ...{ name: `deposit ${amount}`, isRepeatable: true, needs, isSure: false, send },
    check: async (isDone) => {
      const rows = await list(desk, `users/${uid}/deposits`);
      const count = rows.filter((row) => row.id === id).length;
      checkCount(`${id} of ${amount} above ${above}`, count, isDone ? 1 : 0);
    },
  });
}

interface Proposed extends Omit<Kind, "check"> {
  readonly needs: boolean;
  /** It is asked for until it is approved. */
  readonly isSure: boolean;
  readonly check: (isDone: boolean) => Promise<void>;
}

/** Whether it was carried out in the end. */
async function proposeOne(desk: Desk, second: OperatorClient, what: Proposed): Promise<boolean> {
  const { network, stage } = desk;
  const { isSure, needs } = what;
  let wasDone = false;
  const waiting = async () => (await stage.look()).approvals.proposals.filter(isWaiting).length;
  const before = await waiting();
  const kind: Kind = {
    ...what,
    check: async (isDone, { answer, error }) => {
      wasDone = isDone;
      const detail = () => `${what.name} ${JSON.stringify([needs, isDone, answer, error])}`;
      const said = error instanceof RialtoError && error.code === WAITS;
      hold(!said || (needs && error.status === 202), CHECK, detail);
      hold(answer === null || !needs, "what needs a second operator waits for one", detail);
      const count = (await waiting()) - before;
      checkCount(`proposals of ${what.name}`, count, needs && isDone ? 1 : 0);
      await what.check(isDone && !needs);
    },
  };
  if (isSure) {
    network.begin();
    await stage.do(what.send(desk.client, {}).catch(() => null));
    wasDone = true;
  } else await one(desk, kind);
  if (!needs || !wasDone) return wasDone;
  const last = (await stage.look()).approvals.proposals.at(-1);
  if (last === undefined) return false;
  return await decide(desk, second, last.proposalId, what);
}

function isWaiting({ state }: { readonly state: string }): boolean {
  return state === "waiting";
}

async function decide(
  desk: Desk,
  second: OperatorClient,
  proposalId: number,
  { check, isSure, name }: Proposed,
): Promise<boolean> {
  const { random } = desk.stage;
  const decision = isSure || random.chance(0.7) ? "approved" : "rejected";
  let isDecided = false;
  const kind: Kind = {
    ...{ name: `${decision} ${name}`, isRepeatable: true },
    send: (client, options) => client.decideProposal({ proposalId, decision, note: "" }, options),
    check: async (isDone, { error }) => {
      isDecided = isDone;
      hold(!(error instanceof RialtoError) || error.status === 429, CHECK, () => `${error}`);
      await check(isDone && decision === "approved");
    },
  };
  await one(desk, kind, second);
  if (isDecided) return decision === "approved";
  desk.network.begin();
  await desk.stage.do(second.decideProposal({ proposalId, decision }));
  await check(decision === "approved");
  return decision === "approved";
}
