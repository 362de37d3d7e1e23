/**
 * Deposits as whoever watches a network reports them: again and again, with more confirmations or
 * fewer, late, and now and then with other terms than before.
 */
import { operate } from "../operate.ts";
import { accepted } from "./answers.ts";
import type { Errand } from "./errand.ts";

const NETWORKS = ["main", "main", "side"] as const;
const CONFIRMATIONS_MAX = 3;
/** So many transactions behind the last one may still be reported. */
const LATE = 4;

export async function setDepositRules({ exchange, random }: Errand): Promise<void> {
  const path = `deposit-rules/${random.pick(["USDT", "BTC"])}/${random.pick(NETWORKS)}`;
  const confirmations = random.pick([0, 2, CONFIRMATIONS_MAX]);
  await operate(exchange, "PUT", path, { confirmations });
}

/** Whose it is and how much follow from the transaction, but for the few that are wrong. */
export async function reportDeposit({ exchange, random, traders }: Errand): Promise<void> {
  const latest = exchange.story.naive.deposits.deposits.length;
  const number = Math.max(0, latest + random.integer(-LATE, 1));
  const uids = [...exchange.story.naive.users.keys()];
  const wrong = random.chance(0.05) ? 1 : 0;
  const uid = uids[(number + wrong) % uids.length] ?? random.pick(traders).uid;
  const open = [...exchange.story.naive.deposits.required.keys()];
  const place = random.chance(0.9) ? open[number % open.length] : undefined;
  const [asset = "USDT", network = random.pick(NETWORKS)] = place?.split(" ") ?? [];
  const body = {
    network,
    transactionId: `0x${number}`,
    ...(random.chance(0.2) ? { outputIndex: 1 } : {}),
    uid,
    asset,
    amount: random.chance(0.03) ? "0.000000001" : `${(number % 7) + wrong}.0${(number % 9) + 1}`,
    confirmations: random.integer(0, CONFIRMATIONS_MAX + 1),
  };
  for (let again = random.pick([1, 1, 1, 2]); again > 0; again--) {
    const asked = exchange.linearity.turn();
    const request = exchange.operatorRequest("POST", "deposit-reports", body);
    const outcome = await exchange.send("operator", request);
    accepted(exchange, `deposit ${JSON.stringify(body)}`, outcome, asked);
  }
}

export async function dropDeposit({ exchange, random }: Errand): Promise<void> {
  const { deposits } = exchange.story.naive.deposits;
  if (deposits.length === 0) return;
  const pending = deposits.filter(({ state }) => state === "pending");
  const some = pending.length > 0 && random.chance(0.9) ? pending : deposits;
  const { depositId } = random.pick([...some]);
  const asked = exchange.linearity.turn();
  const request = exchange.operatorRequest("DELETE", `deposit-reports/${depositId}`);
  const outcome = await exchange.send("operator", request);
  accepted(exchange, `drop deposit ${depositId}`, outcome, asked);
}
