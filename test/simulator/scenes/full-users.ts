/**
 * A user who has as many open withdrawals as anybody may have, or as many addresses: one more is
 * refused until one has ended, whichever way, or is removed. It stays so over every start.
 */
import { stateOf } from "../../models/naive-withdrawals.ts";
import type { Credentials } from "../../support/signed-client.ts";
import { hold } from "../breach.ts";
import { operate } from "../operate.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { AgainBehindStarts } from "./again-behind-starts.ts";
import type { Scene, Stage } from "./stage.ts";

const ASSET = "USDT";
const MOST = 100;
const TOGETHER = 20;
const CHANGES_MAX = 6;
const ENDED_MAX = 4;
/** From the request on. */
const ENDS = [
  ["rejected"],
  ["cancelled"],
  ["approved", "sent", "done"],
  ["approved", "sent", "failed"],
];
const RULES = { enabled: true, minAmount: "1", fee: "0.25", dailyLimit: null };

interface Holder {
  readonly uid: number;
  readonly key: Credentials;
  readonly addressId: number;
  requests: number;
  addresses: number;
}

export const oneMoreOfUser = new AgainBehindStarts(async (exchange, holder: Holder) => {
  await exchange.life.until(request(exchange, holder, false));
  await exchange.life.until(addAddress(exchange, holder));
});

export const fullUsers: Scene = async (stage) => {
  const { exchange, random } = stage;
  const holds = { addressHoldMs: 0, keyHoldMs: 0 };
  await stage.operate("PUT", `withdrawal-rules/${ASSET}`, { ...RULES, ...holds });
  const holder = oneMoreOfUser.of(exchange) ?? (await newHolder(exchange));
  if (holder === null) return;
  if (random.chance(0.8)) await fillWithdrawals(stage, holder);
  else await fillAddresses(stage, holder);
  if (random.chance(0.5)) await stage.operate("POST", "snapshots", {});
};

async function newHolder(exchange: SimulatedExchange): Promise<Holder | null> {
  const { uid } = await exchange.operator<{ readonly uid: number }>("POST", "users", {});
  const terms = { label: "full", permissions: ["read", "withdraw"], passphrase: "passphrase" };
  const key = await exchange.operator<Credentials>("POST", `users/${uid}/api-keys`, terms);
  const money = { id: "full", account: "spot", asset: ASSET, amount: "1000" };
  await exchange.life.until(operate(exchange, "POST", `users/${uid}/deposits`, money));
  const addressId = await exchange.life.until(add(exchange, uid, "full"));
  if (addressId === null) return null;
  return oneMoreOfUser.keep(exchange, { uid, key, addressId, requests: 0, addresses: 0 });
}

/** Up to the limit or one more; then some end and others come, of which one is too many. */
async function fillWithdrawals(stage: Stage, holder: Holder): Promise<void> {
  const { exchange, random } = stage;
  const lacking = MOST + random.pick([0, 0, 1]) - (await openOf(stage, holder)).length;
  for (let left = lacking; left > 0; left -= TOGETHER) {
    const count = Math.min(TOGETHER, left);
    const isOwn = exchange.limits === null && random.chance(0.5);
    const some = Array.from({ length: count }, () => request(exchange, holder, isOwn));
    await stage.do(Promise.all(some));
  }
  for (let count = random.integer(2, ENDED_MAX); count > 0; count--) {
    const open = await openOf(stage, holder);
    if (open.length > 0) await end(stage, holder, random.pick(open));
    for (let more = random.pick([1, 2, 2]); more > 0; more--) {
      await stage.do(request(exchange, holder, random.chance(0.5)));
    }
  }
  if (random.chance(0.3)) {
    for (const id of await openOf(stage, holder)) await end(stage, holder, id, ["rejected"]);
    for (let count = random.integer(1, 3); count > 0; count--) {
      await stage.do(request(exchange, holder, random.chance(0.5)));
    }
  }
  await stage.look();
}

async function openOf(stage: Stage, { uid }: Holder): Promise<number[]> {
  const { withdrawals } = (await stage.look()).withdrawals;
  return withdrawals
    .filter((one) => one.uid === uid && ["requested", "approved", "sent"].includes(stateOf(one)))
    .map(({ withdrawalId }) => withdrawalId);
}

async function request(exchange: SimulatedExchange, holder: Holder, isOwn: boolean): Promise<void> {
  const { addressId, key, uid } = holder;
  const id = `full-${holder.requests++}`;
  const terms = { addressId, amount: "1.5" };
  if (isOwn) return await asUser(exchange, key, "POST", PATH, { ...terms, clientWithdrawalId: id });
  await operate(exchange, "POST", "withdrawal-requests", { uid, ...terms, id });
}

const PATH = "/api/v3/withdrawal";
const REFUSED = [400, 404, 409, 429, 503];

async function asUser(
  exchange: SimulatedExchange,
  key: Credentials,
  method: string,
  path: string,
  body?: object,
): Promise<void> {
  const sent = body === undefined ? null : JSON.stringify(body);
  const outcome = await exchange.send("public", exchange.signedAs(key, method, path, sent));
  const isKnown = outcome === null || outcome.status === 200 || REFUSED.includes(outcome.status);
  hold(isKnown, "answers", () => `${method} ${path}: ${JSON.stringify(outcome)}`);
}

/** Where it is on its way already, some of the steps are refused. */
async function end(
  stage: Stage,
  { key }: Holder,
  withdrawalId: number,
  states: readonly string[] = stage.random.pick(ENDS),
): Promise<void> {
  const { exchange } = stage;
  for (const state of states) {
    if (state === "cancelled") {
      const path = `${PATH}?withdrawalId=${withdrawalId}`;
      await stage.do(asUser(exchange, key, "DELETE", path));
      continue;
    }
    const body = { id: `full-${state}`, state, note: "0xabc" };
    await stage.operate("PATCH", `withdrawal-requests/${withdrawalId}`, body);
  }
}

/** Up to one beside the limit; then some are removed, or come again, also under another label. */
async function fillAddresses(stage: Stage, holder: Holder): Promise<void> {
  const { exchange, random } = stage;
  const own = async () =>
    (await stage.look()).withdrawals.addresses.filter(({ uid }) => uid === holder.uid);
  const lacking = MOST + random.pick([-1, 0, 1]) - (await own()).length;
  for (let left = lacking; left > 0; left -= TOGETHER) {
    const count = Math.min(TOGETHER, left);
    const some = Array.from({ length: count }, () => addAddress(exchange, holder));
    await stage.do(Promise.all(some));
  }
  for (let count = random.integer(2, CHANGES_MAX); count > 0; count--) {
    const some = (await own()).filter(({ addressId }) => addressId !== holder.addressId);
    const one = some.length === 0 ? null : random.pick(some);
    const kind = random.pick(["remove", "remove", "more", "more", "again", "renamed"] as const);
    if (kind === "more" || one === null) await stage.do(addAddress(exchange, holder));
    else if (kind === "remove") {
      const path = `users/${holder.uid}/withdrawal-addresses/${one.addressId}`;
      await stage.operate("DELETE", path);
    } else {
      const label = kind === "again" ? one.label : "renamed";
      await stage.do(add(exchange, holder.uid, one.address, label));
    }
  }
  await stage.look();
}

function addAddress(exchange: SimulatedExchange, holder: Holder): Promise<number | null> {
  return add(exchange, holder.uid, `f${holder.addresses++}`);
}

async function add(
  exchange: SimulatedExchange,
  uid: number,
  address: string,
  label = "full",
): Promise<number | null> {
  const target = { asset: ASSET, network: "main", address, label };
  const added = await operate(exchange, "POST", `users/${uid}/withdrawal-addresses`, target);
  return added === null ? null : (added as { readonly addressId: number }).addressId;
}
