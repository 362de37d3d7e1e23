/**
 * Withdrawals that wait since a key of their user has changed, and are tried again behind every
 * start: the naive exchange says until when they are refused.
 */
import { operate } from "../operate.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { AgainBehindStarts } from "./again-behind-starts.ts";
import type { Scene } from "./stage.ts";

const ASSET = "BTC";
const HOLD_MS = 3_600_000;

interface Waiting {
  readonly uid: number;
  readonly addressId: number;
  requests: number;
}

export const heldWithdrawal = new AgainBehindStarts(request);

export const heldWithdrawals: Scene = async (stage) => {
  const { exchange, random } = stage;
  const limits = { enabled: true, minAmount: "0.0001", fee: "0.00005", dailyLimit: null };
  const rules = { ...limits, addressHoldMs: 0, keyHoldMs: HOLD_MS };
  await stage.operate("PUT", `withdrawal-rules/${ASSET}`, rules);
  const waiting = heldWithdrawal.of(exchange) ?? (await newUser(exchange));
  if (waiting === null) return;
  const { uid } = waiting;
  const terms = { label: "changed", permissions: ["read"], passphrase: "passphrase" };
  if (random.chance(0.8)) await stage.operate("POST", `users/${uid}/api-keys`, terms);
  await heldWithdrawal.attempt(exchange);
  if (random.chance(0.8)) await stage.operate("POST", "snapshots", {});
};

async function newUser(exchange: SimulatedExchange): Promise<Waiting | null> {
  const { uid } = await exchange.operator<{ readonly uid: number }>("POST", "users", {});
  const money = { id: "held", account: "spot", asset: ASSET, amount: "1" };
  await exchange.operator("POST", `users/${uid}/deposits`, money);
  const target = { asset: ASSET, network: "main", address: "h1", label: "held" };
  const path = `users/${uid}/withdrawal-addresses`;
  const added = await exchange.life.until(operate(exchange, "POST", path, target));
  if (added === null) return null;
  const { addressId } = added as { readonly addressId: number };
  return heldWithdrawal.keep(exchange, { uid, addressId, requests: 0 });
}

async function request(exchange: SimulatedExchange, waiting: Waiting): Promise<void> {
  const { addressId, uid } = waiting;
  const body = { uid, addressId, amount: "0.001", id: `held-${waiting.requests++}` };
  await exchange.life.until(operate(exchange, "POST", "withdrawal-requests", body));
}
