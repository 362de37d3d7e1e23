/**
 * Everything that one user or an operator can do to the money, the orders or the positions of
 * another one, while both listen and nothing else happens: each hears of what it has to do with.
 */
import { settle } from "../affiliate-acts.ts";
import { CONTRACT_PRICE, SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { Trader } from "../trader.ts";
import { PrivateWatch } from "../watches.ts";
import { emptyBook, fund, type Member, newAffiliate, newMember } from "./families.ts";
import type { Scene, Stage } from "./stage.ts";

const ACTS = [4, 8] as const;
const PAY_PATH = "/api/v3/rebate/affiliate/internalWithdrawal";
const PAID = ["1", "0.5", "25"];

export function toldAccounts(product: Product): Scene {
  return async (stage) => {
    const { random } = stage;
    if (!(await emptyBook(stage, product))) return;
    const pair = await newPair(stage, product);
    const watches = pair.members.map(({ trader }) => {
      return new PrivateWatch(trader, product, random.pick(["v2", "v3"] as const));
    });
    for (const watch of watches) await stage.do(watch.connect());
    const acts = product === "spot" ? SPOT_ACTS : CONTRACT_ACTS;
    for (let left = random.integer(...ACTS); left > 0; left--) {
      await random.pick(acts)(pair);
      await stage.look();
      for (const watch of watches) await stage.do(watch.check());
    }
    for (const watch of watches) watch.disconnect();
    for (const { trader } of pair.members) await stage.do(trader.cancelAll(product, SYMBOL));
    await stage.look();
  };
}

/** An affiliate and whom it has invited. */
interface Pair {
  readonly stage: Stage;
  readonly product: Product;
  readonly members: readonly [Member, Member];
}

async function newPair(stage: Stage, product: Product): Promise<Pair> {
  const affiliate = await newAffiliate(stage, null);
  const members = [affiliate, await newMember(stage, affiliate)] as const;
  for (const member of members) await fund(stage, member, product);
  await stage.look();
  return { stage, product, members };
}

type Act = (pair: Pair) => Promise<unknown>;

function shuffled({ members, stage }: Pair): readonly [Trader, Trader] {
  const [one, other] = stage.random.shuffle([...members]);
  return [(one ?? members[0]).trader, (other ?? members[1]).trader];
}

const pay: Act = async ({ members, stage }) => {
  const [affiliate, invited] = members;
  const body = {
    ...{ toUserId: invited.trader.uid, coin: "USDT", amount: stage.random.pick(PAID) },
    clientWithdrawalId: affiliate.trader.nextOrderId,
  };
  await stage.send(affiliate.trader, "POST", PAY_PATH, body);
};

const move: Act = async (pair) => {
  const { product: account, stage } = pair;
  const [one] = shuffled(pair);
  const kind = stage.random.pick(["deposits", "withdrawals"] as const);
  await stage.move(one, kind, { account, asset: "USDT", amount: stage.random.pick(PAID) });
};

const transfer: Act = async (pair) => {
  const { product, stage } = pair;
  const [one] = shuffled(pair);
  const [from, to] = product === "spot" ? ["SPOT", "CONTRACT"] : ["CONTRACT", "SPOT"];
  const way = { fromType: from, toType: to } as Parameters<Trader["transfer"]>[0];
  await stage.do(one.transfer({ ...way, coinName: "USDT", amount: stage.random.pick(PAID) }));
};

function termsOf({ product, stage }: Pair, side: "BUY" | "SELL") {
  const terms = { symbol: SYMBOL, side, type: "LIMIT", timeInForce: "GTC" };
  const quantity = `0.00${stage.random.integer(1, 6)}`;
  if (product === "spot") return { ...terms, price: String(SPOT_PRICE), quantity };
  const positionSide = stage.random.pick(["LONG", "SHORT"] as const);
  return { ...terms, price: String(CONTRACT_PRICE), quantity, positionSide };
}

const meet: Act = async (pair) => {
  const { product, stage } = pair;
  for (const [index, one] of shuffled(pair).entries()) {
    await stage.place(one, product, termsOf(pair, index === 0 ? "BUY" : "SELL"));
  }
};

const cancel: Act = async (pair) => {
  const { product, stage } = pair;
  const [one] = shuffled(pair);
  await stage.place(one, product, termsOf(pair, stage.random.pick(["BUY", "SELL"] as const)));
  if (stage.random.chance(0.5)) await stage.do(one.cancelAll(product, SYMBOL));
};

const setFees: Act = async (pair) => {
  const { product, stage } = pair;
  const [one] = shuffled(pair);
  const [makerFeeRate, takerFeeRate] = stage.random.shuffle(["0", "0.0005", "0.001"]);
  await stage.operate("PUT", `users/${one.uid}/fee-rates`, { product, makerFeeRate, takerFeeRate });
};

const settleAll: Act = async (pair) => {
  await meet(pair);
  await pair.stage.do(settle(pair.stage.exchange, pair.stage.random));
};

const setLeverage: Act = async (pair) => {
  const leverage = pair.stage.random.integer(5, 20);
  const [one] = shuffled(pair);
  await pair.stage.send(one, "POST", "/capi/v3/account/leverage", {
    symbol: SYMBOL,
    ...{ crossLeverage: leverage, isolatedLongLeverage: leverage },
    isolatedShortLeverage: leverage,
  });
};

const closeAll: Act = async (pair) => {
  const [one] = shuffled(pair);
  await pair.stage.send(one, "POST", "/capi/v3/closePositions", { symbol: SYMBOL });
};

const SPOT_ACTS: readonly Act[] = [pay, pay, move, transfer, meet, cancel, setFees, settleAll];
const CONTRACT_ACTS: readonly Act[] = [
  move,
  transfer,
  meet,
  meet,
  cancel,
  setFees,
  closeAll,
].concat([setLeverage, settleAll]);
