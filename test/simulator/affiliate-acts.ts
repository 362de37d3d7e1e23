/** What operators and affiliates do in the affiliate programme. */
import { naiveBalances } from "../models/naive-views.ts";
import type { Random } from "../support/random.ts";
import type { Acts, OperatorAct, TraderAct } from "./act.ts";
import { operate } from "./operate.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";

const SPOT_RATES = ["0", "0.1", "0.33333333", "0.5"];
const FUTURES_RATES = ["0", "0.2", "0.12345678", "0.45"];
const CAPS = [null, null, "0.00000001", "0.001", "1"];
const WASH_SHARES = ["0", "0.3", "1"];
const AMOUNTS = ["0.000001", "0.01", "1", "900", "0.0000001"];

export function affiliateRates(random: Random): {
  readonly spotRate: string;
  readonly futuresRate: string;
} {
  return { spotRate: random.pick(SPOT_RATES), futuresRate: random.pick(FUTURES_RATES) };
}

function someUser({ story }: SimulatedExchange, random: Random): number {
  return random.pick([...story.naive.users.keys()]);
}

/** Somebody becomes an affiliate, gets other rates, or a place below another one. */
const setAffiliate: OperatorAct = (exchange, random) => {
  const parentUid = random.chance(0.4) ? { parentUid: someUser(exchange, random) } : {};
  const body = { ...affiliateRates(random), ...parentUid };
  return operate(exchange, "PUT", `affiliates/${someUser(exchange, random)}`, body);
};

const setPolicy: OperatorAct = (exchange, random) =>
  operate(exchange, "PUT", "affiliate-policy", {
    capPerReferral30d: random.pick(CAPS),
    holdSelfReferral: random.chance(0.5),
    holdWashTrades: random.chance(0.5),
    washTradeShare: random.pick(WASH_SHARES),
  });

/** The answer counts the settlements of one command. */
export const settle: OperatorAct = async (exchange) => {
  const { linearity, story } = exchange;
  const asked = linearity.turn();
  const answer = await operate(exchange, "POST", "commission-settlements", { reason: "early" });
  if (answer === null) return;
  const { settlements } = answer as { readonly settlements: number };
  if (settlements === 0) return;
  linearity.observe({
    kind: "write",
    what: `${settlements} commissions are settled`,
    asked,
    answered: linearity.turn(),
    changes: () => [...story.affiliates.settlements.keys()],
    fits: (sequence) => story.affiliates.settlements.get(sequence) === settlements,
  });
};

/** Of a commission that waits for an operator if there is one, else of any. */
const decide: OperatorAct = async (exchange, random) => {
  const { rows } = exchange.story.affiliates.programme;
  const held = [...rows.values()].filter(({ isHeld }) => isHeld);
  const some = held.length > 0 && random.chance(0.7) ? held : [...rows.values()];
  if (some.length === 0) return;
  const { commissionId } = random.pick(some).event;
  const what = random.pick(["releases", "reversals"]);
  const body = { reason: "checked" };
  await operate(exchange, "POST", `commissions/${commissionId}/${what}`, body);
};

/** What was paid is spent before it is taken back: a debt, which the next settlements take. */
const makeDebt: TraderAct = async (trader, random) => {
  const { exchange, uid } = trader;
  await settle(exchange, random);
  const { naive, affiliates } = exchange.story;
  const paid = [...affiliates.programme.rows.values()].filter(({ event, isHeld, isReversed }) => {
    return event.affiliateUid === uid && !isHeld && !isReversed;
  });
  if (paid.length === 0) return;
  const { asset, commissionId } = random.pick(paid).event;
  const own = (naiveBalances(naive, uid) as Balance[]).find((row) => row.asset === asset);
  const { available: amount } = own ?? { available: "0" };
  if (amount !== "0") await trader.move("withdrawals", { account: "spot", asset, amount });
  const body = { reason: "checked" };
  await operate(exchange, "POST", `commissions/${commissionId}/reversals`, body);
  if (random.chance(0.5)) await settle(exchange, random);
};

interface Balance {
  readonly asset: string;
  readonly available: string;
}

export const AFFILIATE_OPERATOR_ACTS: Acts<OperatorAct> = {
  "affiliate-rates": [3, setAffiliate],
  "affiliate-policy": [3, setPolicy],
  "affiliate-settlement": [3, settle],
  "affiliate-decision": [4, decide],
};

/** Whether somebody was invited by an affiliate, or by one below it. */
function isInvitedBelow({ story }: SimulatedExchange, uid: number, other: number): boolean {
  const inviterUid = story.naive.users.get(other)?.inviterUid ?? null;
  const { programme } = story.affiliates;
  if (inviterUid === null || !programme.isAffiliate(inviterUid)) return inviterUid === uid;
  return programme.ancestry(inviterUid).some((above) => above.uid === uid);
}

/** Pays somebody below; under its own id, or under that of the signed request. */
const pay: TraderAct = async (trader, random, wire) => {
  const { exchange, uid } = trader;
  const others = [...exchange.story.naive.users.keys()].filter((other) => other !== uid);
  if (others.length === 0) return;
  const invited = others.filter((other) => isInvitedBelow(exchange, uid, other));
  const id = random.chance(0.5) ? { clientWithdrawalId: trader.nextOrderId } : {};
  const body = {
    toUserId: random.pick(invited.length > 0 && random.chance(0.8) ? invited : others),
    coin: random.pick(["USDT", "USDT", "BTC"]),
    amount: random.pick(AMOUNTS),
    ...id,
  };
  const path = "/api/v3/rebate/affiliate/internalWithdrawal";
  const outcome = await trader.send("POST", path, body, wire);
  if (outcome !== null && outcome.status !== 200 && outcome.status !== 403) {
    trader.expectRefusal(outcome, JSON.stringify(body));
  }
};

export const AFFILIATE_TRADER_ACTS: Acts<TraderAct> = {
  "spot-pay-below": [4, pay],
  "contract-pay-below": [2, pay],
  "spot-affiliate-debt": [8, makeDebt],
  "contract-affiliate-debt": [6, makeDebt],
};
