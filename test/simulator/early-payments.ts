/** Affiliates pay others before anybody has traded, and again behind a start from a snapshot. */
import { hold } from "./breach.ts";
import { operate } from "./operate.ts";
import { type Schedule, stepRandom } from "./schedule.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { checkStep } from "./state-check.ts";
import type { Trader } from "./trader.ts";

const PATH = "/api/v3/rebate/affiliate/internalWithdrawal";

/** Of seeds with affiliates. */
const EARLY = 0.2;

export function isPaidEarly({ hasAffiliates, seed }: Schedule): boolean {
  return hasAffiliates && stepRandom(seed ^ 0x13198a2e, 0).chance(EARLY);
}

export async function payEarly(
  exchange: SimulatedExchange,
  traders: readonly Trader[],
  restart: () => Promise<void>,
): Promise<void> {
  const [affiliate, other] = traders;
  if (affiliate === undefined || other === undefined) return;
  const { life } = exchange;
  await life.until(affiliate.move("deposits", { account: "spot", asset: "USDT", amount: "10" }));
  await pay(exchange, affiliate, other);
  await checkStep(exchange);
  await life.until(operate(exchange, "POST", "snapshots", {}));
  await restart();
  await pay(exchange, affiliate, other);
  await checkStep(exchange);
}

async function pay(exchange: SimulatedExchange, from: Trader, to: Trader): Promise<void> {
  const { programme } = exchange.story.affiliates;
  const body = {
    toUserId: to.uid,
    coin: "USDT",
    amount: "1",
    clientWithdrawalId: from.nextOrderId,
  };
  const outcome = await exchange.life.until(from.send("POST", PATH, body));
  const isPaid = outcome?.status === 200 || !programme.isAffiliate(from.uid);
  hold(isPaid, "an affiliate pays", () => JSON.stringify([body, outcome]));
}
