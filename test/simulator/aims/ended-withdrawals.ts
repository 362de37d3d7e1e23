/**
 * A withdrawal from its request to its end: each change of what its user has is told by the streams
 * of that user, also when nothing else happens to the balance.
 */
import type { Random } from "../../support/random.ts";
import type { CheckedListener } from "../listener.ts";
import { operate } from "../operate.ts";
import { passTime } from "../pass-time.ts";
import type { World } from "./world.ts";

const ASSET = "USDT";
const LIVES = [
  ["rejected"],
  ["approved", "sent", "failed"],
  ["approved", "sent", "failed"],
  ["approved", "sent", "done"],
];

export async function endWithdrawal(
  { exchange, streamIntervalMs, traders, watches }: World,
  random: Random,
): Promise<readonly CheckedListener[]> {
  const trader = random.pick(traders);
  const holds = { addressHoldMs: 0, keyHoldMs: 0 };
  const rules = { enabled: true, minAmount: "1", fee: "0.25", dailyLimit: null, ...holds };
  await operate(exchange, "PUT", `withdrawal-rules/${ASSET}`, rules);
  const target = { asset: ASSET, network: "main", address: "a9", label: "ended" };
  const path = `users/${trader.uid}/withdrawal-addresses`;
  const added = await operate(exchange, "POST", path, target);
  if (added === null) return [];
  const { addressId } = added as { readonly addressId: number };
  const amount = `${random.integer(1, 20)}.5`;
  const request = { uid: trader.uid, addressId, amount, id: `ended-${random.integer(0, 1e9)}` };
  const requested = await operate(exchange, "POST", "withdrawal-requests", request);
  if (requested === null) return [];
  const { withdrawalId } = requested as { readonly withdrawalId: number };
  for (const state of random.pick(LIVES)) {
    await passTime(exchange, random.pick([0, 1, 2 * streamIntervalMs]));
    const body = { id: `ended-${state}`, state, note: "0xabc" };
    await operate(exchange, "PATCH", `withdrawal-requests/${withdrawalId}`, body);
  }
  return watches.filter((watch) => watch.trader === trader && watch.product === "spot");
}
