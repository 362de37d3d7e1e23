/**
 * Money that comes from networks and leaves for them: users keep address books, request and take
 * back, operators set rules and decide, and whoever watches a network reports what comes. Several
 * do so at once; much of it comes again, under the same id or another one.
 */
import { stateOf } from "../../models/naive-withdrawals.ts";
import { Random } from "../../support/random.ts";
import type { World } from "../aims/world.ts";
import { operate } from "../operate.ts";
import { passTime } from "../pass-time.ts";
import type { SimulatedExchange, Wire } from "../simulated-exchange.ts";
import { accepted, listed, operatorListed, ROWS_MAX } from "./answers.ts";
import type { Errand } from "./errand.ts";
import { dropDeposit, reportDeposit, setDepositRules } from "./reports.ts";
import { cancelWithdrawal, requestWithdrawal } from "./requests.ts";

const ASSETS = ["USDT", "USDT", "BTC"] as const;
const HOLDS_MS = [0, 0, 0, 1, 2_000, 3_600_000];
const DAY_MS = 86_400_000;
const TOGETHER_MAX = 3;
const ACTS_MAX = 4;

async function setRules({ exchange, random }: Errand): Promise<void> {
  const asset = random.pick(ASSETS);
  const isCoin = asset === "BTC";
  const body = {
    enabled: random.chance(0.9),
    minAmount: isCoin ? random.pick(["0.0001", "0.001"]) : random.pick(["0.5", "1", "2"]),
    fee: random.chance(0.03) ? "2" : random.pick(["0", "0.00000001", isCoin ? "0.00005" : "0.25"]),
    dailyLimit: random.pick([null, isCoin ? "0.01" : "40", isCoin ? "0.5" : "90"]),
    addressHoldMs: random.pick(HOLDS_MS),
    keyHoldMs: random.pick([0, 0, 0, ...HOLDS_MS]),
  };
  await operate(exchange, "PUT", `withdrawal-rules/${asset}`, body);
}

function entryOf(exchange: SimulatedExchange, random: Random) {
  const ruled = [...exchange.story.naive.withdrawals.rules.keys()];
  const target = { network: random.pick(["main", "side"]), address: random.pick(["a1", "a2"]) };
  const memo = random.chance(0.3) ? { memo: "7" } : {};
  const label = random.chance(0.9) ? { label: "mine" } : {};
  const asset = ruled.length > 0 ? random.pick(ruled) : random.pick(ASSETS);
  return { asset, ...target, ...memo, ...label };
}

async function addAddress({ exchange, random, traders, wire }: Errand): Promise<void> {
  const { addresses } = exchange.story.naive.withdrawals;
  const lacking = traders.filter(({ uid }) => !addresses.some((one) => one.uid === uid));
  const trader = random.pick(lacking.length > 0 ? lacking : traders);
  const body = entryOf(exchange, random);
  if (random.chance(0.3)) {
    await operate(exchange, "POST", `users/${trader.uid}/withdrawal-addresses`, body);
    return;
  }
  const asked = exchange.linearity.turn();
  const outcome = await trader.send("POST", "/api/v3/withdrawal/address", body, wire);
  accepted(exchange, `address ${JSON.stringify(body)}`, outcome, asked);
}

async function removeAddress({ exchange, random, traders, wire }: Errand): Promise<void> {
  const { addresses } = exchange.story.naive.withdrawals;
  if (addresses.length === 0) return;
  const { addressId, uid } = random.pick([...addresses]);
  // Now and then it is another user's.
  const trader = traders.find((one) => one.uid === uid) ?? random.pick(traders);
  if (random.chance(0.3)) {
    const path = `users/${trader.uid}/withdrawal-addresses/${addressId}`;
    await operate(exchange, "DELETE", path);
    return;
  }
  const path = `/api/v3/withdrawal/address?addressId=${addressId}`;
  const asked = exchange.linearity.turn();
  const outcome = await trader.send("DELETE", path, undefined, wire);
  accepted(exchange, path, outcome, asked);
}

const LIKELY: Readonly<Record<string, readonly string[]>> = {
  requested: ["approved", "approved", "rejected"],
  approved: ["sent"],
  sent: ["done", "done", "failed"],
};
/** How it ends without success. */
const ENDS: Readonly<Record<string, string>> = { requested: "rejected", sent: "failed" };
const STEPS = ["approved", "rejected", "sent", "done", "failed"];

/** One step or several, of which each may come again, and some are out of order. */
async function decide({ exchange, random }: Errand): Promise<void> {
  const { withdrawals } = exchange.story.naive.withdrawals;
  if (withdrawals.length === 0 && random.chance(0.9)) return;
  const open = withdrawals.filter((one) => LIKELY[stateOf(one)] !== undefined);
  const some = open.length > 0 && random.chance(0.9) ? open : withdrawals;
  const one = some.length === 0 ? undefined : random.pick([...some]);
  const withdrawalId = one?.withdrawalId ?? withdrawals.length + 1;
  let state = one === undefined ? "requested" : stateOf(one);
  for (let count = random.integer(1, 3); count > 0; count--) {
    const likely = LIKELY[state];
    const next = likely !== undefined && random.chance(0.95) ? likely : STEPS;
    state = random.pick([...next]);
    const others = one?.steps.map(({ id }) => id) ?? [];
    const isOther = others.length > 0 && random.chance(0.05);
    const id = isOther ? random.pick(others) : `${state}-${random.integer(1, 3)}`;
    const body = { id, state, note: random.pick(["", "0xabc", "0xabc", "0xabc"]) };
    for (let again = random.pick([1, 1, 1, 2]); again > 0; again--) {
      const asked = exchange.linearity.turn();
      const path = `withdrawal-requests/${withdrawalId}`;
      const request = exchange.operatorRequest("PATCH", path, body);
      const outcome = await exchange.send("operator", request);
      accepted(exchange, `${path} ${JSON.stringify(body)}`, outcome, asked);
    }
    if (random.chance(0.3)) await lookUp(exchange, withdrawalId);
  }
}

/** As an operator's list has it, who may have changed it a moment ago. */
async function lookUp(exchange: SimulatedExchange, withdrawalId: number): Promise<void> {
  const asked = exchange.linearity.turn();
  const path = `withdrawal-requests?limit=1&after=${withdrawalId - 1}`;
  const outcome = await exchange.send("operator", exchange.operatorRequest("GET", path));
  operatorListed(exchange, withdrawalId, outcome, asked);
}

/** Nothing of a frozen user is approved, and nothing new is taken. */
async function freezeUser(errand: Errand): Promise<void> {
  const { exchange, random, traders } = errand;
  const trader = random.pick(traders);
  const said = random.chance(0.5) ? { reason: "asked" } : {};
  await operate(exchange, "PATCH", `users/${trader.uid}`, { state: "frozen", ...said });
  if (random.chance(0.5)) await requestWithdrawal(errand);
  await decide(errand);
  await operate(exchange, "PATCH", `users/${trader.uid}`, { state: "active" });
}

/** What was requested on an earlier day ends: it counts neither then nor now. */
async function endEarlier({ exchange, random }: Errand): Promise<void> {
  const dayOf = (ms: number) => Math.floor(ms / DAY_MS);
  const today = dayOf(Math.max(exchange.nowMs, exchange.story.timeMs));
  const earlier = exchange.story.naive.withdrawals.withdrawals.filter((one) => {
    return dayOf(one.steps[0]?.atMs ?? 0) < today && ENDS[stateOf(one)] !== undefined;
  });
  for (const one of random.shuffle([...earlier]).slice(0, 2)) {
    const body = { id: "earlier", state: ENDS[stateOf(one)], note: "" };
    await operate(exchange, "PATCH", `withdrawal-requests/${one.withdrawalId}`, body);
  }
}

/** From just before a day to just behind it, at which what was requested no longer counts. */
async function changeDay(errand: Errand): Promise<void> {
  const { exchange, random } = errand;
  const nowMs = Math.max(exchange.nowMs, exchange.story.timeMs);
  if (!exchange.sandbox || exchange.retries.size > 0) return await requestWithdrawal(errand);
  exchange.daysPassed++;
  const ms = DAY_MS - (nowMs % DAY_MS) - random.integer(1, 20);
  if (ms > 0) await operate(exchange, "POST", "sandbox/clock/advance", { ms });
  for (let count = random.integer(1, 3); count > 0; count--) {
    await requestWithdrawal(errand);
    await passTime(exchange, random.integer(1, 15));
  }
  if (random.chance(0.6)) {
    await endEarlier(errand);
    await requestWithdrawal(errand);
  }
}

async function list({ exchange, random, traders }: Errand): Promise<void> {
  const trader = random.pick(traders);
  const channel = random.pick(["withdrawals", "deposits"] as const);
  const asked = exchange.linearity.turn();
  const path = `/api/v3/${channel}?limit=${ROWS_MAX}`;
  listed(exchange, channel, trader.uid, await trader.send("GET", path), asked);
}

const ACTS: readonly (readonly [weight: number, act: (errand: Errand) => Promise<void>])[] = [
  [2, setRules],
  [5, addAddress],
  [1, removeAddress],
  [12, requestWithdrawal],
  [12, decide],
  [3, cancelWithdrawal],
  [1, freezeUser],
  [4, changeDay],
  [4, list],
  [2, setDepositRules],
  [9, reportDeposit],
  [2, dropDeposit],
];

async function doSome(errand: Errand): Promise<void> {
  const { exchange, random, traders } = errand;
  const { naive } = exchange.story;
  if (naive.withdrawals.rules.size === 0) await setRules(errand);
  const { addresses } = naive.withdrawals;
  const isLacking = traders.some(({ uid }) => !addresses.some((one) => one.uid === uid));
  if (isLacking) await addAddress(errand);
  if (naive.deposits.required.size === 0) await setDepositRules(errand);
  const acts = ACTS.flatMap(([weight, act]) => Array.from({ length: weight }, () => act));
  for (let count = random.integer(1, ACTS_MAX); count > 0; count--) await random.pick(acts)(errand);
}

export async function moveFunding(
  { exchange, traders }: World,
  random: Random,
  wire: Wire | undefined,
): Promise<void> {
  const errands = Array.from({ length: random.integer(1, TOGETHER_MAX) }, () => {
    return { exchange, traders, random: new Random(random.integer(0, 0x7fffffff)), wire };
  });
  await Promise.all(errands.map(doSome));
}
