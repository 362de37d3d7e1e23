/** Withdrawals as users and operators request them, also again, and as users take them back. */
import { isDeepStrictEqual } from "node:util";
import { exact, text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import type { Trader } from "../trader.ts";
import { accepted, type Said } from "./answers.ts";
import type { Errand } from "./errand.ts";

interface Request {
  readonly trader: Trader;
  readonly isOwn: boolean;
  readonly id: string;
  readonly addressId: number;
  readonly amount: string;
}

/** What was requested under an id, and what was answered first. */
interface Requested {
  readonly request: Request;
  first: Said | null;
}

const requested = new WeakMap<SimulatedExchange, Requested[]>();

function requestsOf(exchange: SimulatedExchange): Requested[] {
  const known = requested.get(exchange) ?? [];
  requested.set(exchange, known);
  return known;
}

/** Few, or at an edge: all that there is, what is left of the day, the least, and a unit beside. */
function amountOf(exchange: SimulatedExchange, uid: number, addressId: number, random: Random) {
  const { naive } = exchange.story;
  const { addresses, rules, withdrawals } = naive.withdrawals;
  const asset = addresses.find((one) => one.addressId === addressId)?.asset ?? "USDT";
  const rule = rules.get(asset);
  const usual = asset === "BTC" ? `0.00${random.integer(1, 99)}` : `${random.integer(1, 30)}.5`;
  const limit = rule?.dailyLimit ?? null;
  const day = Math.floor(exchange.story.timeMs / DAY_MS);
  const used = withdrawals
    .filter((one) => one.uid === uid && one.asset === asset)
    .filter(({ steps }) => Math.floor((steps[0]?.atMs ?? 0) / DAY_MS) === day)
    .filter(({ steps }) => !["rejected", "failed"].includes(steps.at(-1)?.state ?? ""))
    .reduce((sum, { amount }) => sum + amount, 0n);
  const edge = random.pick([
    naive.available(uid, asset),
    exact(rule?.minAmount ?? "1"),
    limit === null ? exact(usual) : exact(limit) - used,
    limit === null ? exact(usual) : exact(limit) - used,
  ]);
  const beside = edge + BigInt(random.pick([0, 0, 1, -1])) * naive.unit(asset);
  if (random.chance(0.02)) return "0.0000000000001";
  return random.chance(0.4) && beside >= 0n ? text(beside) : usual;
}

const UNIT = 10n ** 10n;
const DAY_MS = 86_400_000;

function newRequest({ exchange, random, traders }: Errand): Requested {
  const { addresses, rules } = exchange.story.naive.withdrawals;
  const able = traders.filter(({ uid }) => addresses.some((one) => one.uid === uid));
  const trader = random.pick(able.length > 0 ? able : traders);
  const mine = addresses.filter(({ uid, asset }) => uid === trader.uid && rules.has(asset));
  const some = mine.length > 0 && random.chance(0.95) ? mine : addresses;
  const addressId = some.length === 0 ? 1 : random.pick([...some]).addressId;
  const known = requestsOf(exchange);
  // Users and operators may well choose the same ids.
  const id = `w-${known.length >> 1}-${trader.uid}`;
  const amount = amountOf(exchange, trader.uid, addressId, random);
  const isOwn = random.chance(0.75);
  const one = { request: { trader, isOwn, id, addressId, amount }, first: null };
  const isThere = known.some(({ request }) => request.id === id && request.isOwn === isOwn);
  if (!isThere) known.push(one);
  return one;
}

async function send({ exchange, wire }: Errand, one: Requested, amount: string): Promise<void> {
  const { addressId, id, isOwn, trader } = one.request;
  const asked = exchange.linearity.turn();
  const terms = { addressId, amount };
  const operators = { ...terms, id, uid: trader.uid };
  const outcome = isOwn
    ? await trader.send("POST", PATH, { ...terms, clientWithdrawalId: id }, wire)
    : await exchange.send(
        "operator",
        exchange.operatorRequest("POST", "withdrawal-requests", operators),
      );
  const what = `withdrawal ${isOwn} ${id} ${amount}`;
  const said = accepted<Said>(exchange, what, outcome, asked);
  if (said === null || amount !== one.request.amount) return;
  const isSame = one.first === null || isDeepStrictEqual(one.first, said);
  hold(isSame, "a retry has the first answer", () => JSON.stringify([what, one.first, said]));
  one.first = said;
}

const PATH = "/api/v3/withdrawal";

/** A new one, one of before again, or another one under the id of one. */
export async function requestWithdrawal(errand: Errand): Promise<void> {
  const { exchange, random } = errand;
  const known = requestsOf(exchange);
  if (known.length > 0 && random.chance(0.2)) {
    const one = random.pick(known);
    const { amount } = one.request;
    return await send(errand, one, random.chance(0.8) ? amount : text(exact(amount) + UNIT));
  }
  if (random.chance(0.2)) return await sendWithoutId(errand);
  const one = newRequest(errand);
  await send(errand, one, one.request.amount);
  if (random.chance(0.2)) await send(errand, one, one.request.amount);
}

/** The signed request itself is the id: the very same is carried out once. */
async function sendWithoutId(errand: Errand): Promise<void> {
  const { exchange, random, wire } = errand;
  const { addressId, amount, trader } = newRequest(errand).request;
  const body = JSON.stringify({ addressId, amount });
  const request = exchange.signedAs(trader.credentials, "POST", PATH, body);
  let first: Said | null = null;
  for (let count = random.integer(1, 2); count > 0; count--) {
    const asked = exchange.linearity.turn();
    const outcome = await exchange.send("public", request, wire);
    const said: Said | null = accepted(exchange, `withdrawal ${body}`, outcome, asked);
    const isSame = first === null || said === null || isDeepStrictEqual(first, said);
    hold(isSame, "a signed request has one effect", () => JSON.stringify([body, first, said]));
    first ??= said;
  }
}

export async function cancelWithdrawal({ exchange, random, traders, wire }: Errand): Promise<void> {
  const { withdrawals } = exchange.story.naive.withdrawals;
  if (withdrawals.length === 0) return;
  const open = withdrawals.filter(({ steps }) => steps.length === 1);
  const some = open.length > 0 && random.chance(0.8) ? open : withdrawals;
  const { uid, withdrawalId } = random.pick([...some]);
  const own = traders.find((one) => one.uid === uid);
  const trader = own !== undefined && random.chance(0.9) ? own : random.pick(traders);
  const path = `${PATH}?withdrawalId=${withdrawalId}`;
  const asked = exchange.linearity.turn();
  const outcome = await trader.send("DELETE", path, undefined, wire);
  const said = accepted<Said>(exchange, `${trader.name} cancel ${path}`, outcome, asked);
  const isOwn = said === null || trader.uid === uid;
  hold(isOwn, "nobody takes back what is another's", () => `${trader.name}: ${path}`);
}
