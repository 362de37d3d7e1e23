/**
 * Rules of a spot market that change under what stands there: fees between two fills of an order,
 * sizes that what rests has not, and a step that is coarser or finer in an empty book.
 */
import { exact, text } from "../../support/exact.ts";
import { SPOT_PRICE, SYMBOL } from "../markets.ts";
import type { Trader } from "../trader.ts";
import { ChangedRules } from "./changed-rules.ts";
import { fundedTwo } from "./referrals.ts";
import type { Scene, Stage } from "./stage.ts";

const FEES = ["0", "0.0001", "0.00033333", "0.0008", "0.001", "0.002"];
const STEPS = ["0.000001", "0.00002", "0.0001", "0.001"];
const SIDES = ["BUY", "SELL"] as const;

type Side = (typeof SIDES)[number];
type Kind = (place: Place) => Promise<void>;

interface Place {
  readonly rules: ChangedRules;
  readonly stage: Stage;
  readonly two: readonly [Trader, Trader];
}

export const changedSpotRules: Scene = async (stage) => {
  const { random } = stage;
  const two = await fundedTwo(stage);
  if (two === null) return;
  const rules = await ChangedRules.begin(stage, "spot", SYMBOL);
  const kinds = random.shuffle([fees, sizes, steps]);
  for (const play of kinds.slice(0, random.integer(1, 3))) {
    await stage.clear("spot", SYMBOL);
    await play({ rules, stage, two });
    await stage.look();
  }
  await stage.clear("spot", SYMBOL);
  await rules.putBack();
};

function limit(side: Side, quantity: string, price = SPOT_PRICE) {
  const terms = { symbol: SYMBOL, side, type: "LIMIT", timeInForce: "GTC" };
  return { ...terms, price: String(price), quantity };
}

const fees: Kind = async ({ rules, stage, two }) => {
  const { random } = stage;
  for (let round = random.integer(1, 3); round > 0; round--) {
    const [maker = two[0], taker = two[1]] = random.shuffle([...two]);
    const [side = "BUY", other = "SELL"] = random.shuffle([...SIDES]);
    await stage.place(maker, "spot", limit(side, "0.0123"));
    const meet = async (quantity: string) => {
      const market = { symbol: SYMBOL, side: other, type: "MARKET", quantity };
      await stage.place(taker, "spot", random.chance(0.5) ? limit(other, quantity) : market);
    };
    if (random.chance(0.5)) await meet("0.00457");
    const [makerFeeRate, takerFeeRate] = random.shuffle([...FEES]);
    const both = { makerFeeRate, takerFeeRate };
    await rules.set(random.chance(0.6) ? both : random.pick([{ makerFeeRate }, { takerFeeRate }]));
    await meet("0.0123");
    await stage.clear("spot", SYMBOL);
  }
};

/** Orders a lot around the new edges, new and amended, beside what rested before. */
const sizes: Kind = async ({ rules, stage, two: [trader] }) => {
  const { random } = stage;
  const step = (await stage.marketOf("spot"))?.rules.step;
  if (step === undefined) return;
  const least = exact("0.002") + BigInt(random.integer(0, 3)) * step;
  const most = least + BigInt(random.integer(0, 3)) * step;
  const edges = [least - step, least, most, most + step].map(text);
  const rests = [];
  for (const quantity of ["0.0015", "0.0031"]) {
    rests.push(await stage.place(trader, "spot", limit("BUY", quantity, SPOT_PRICE - 10)));
  }
  await rules.set({ minTradeAmount: text(least), maxTradeAmount: text(most) });
  for (const quantity of random.shuffle(edges)) {
    await stage.place(trader, "spot", limit("BUY", quantity, SPOT_PRICE - 20));
    const market = { symbol: SYMBOL, side: random.pick(SIDES), type: "MARKET", quantity };
    if (random.chance(0.4)) await stage.place(trader, "spot", market);
  }
  for (const order of rests) {
    const changes = [{ quantity: random.pick(edges) }, { price: String(SPOT_PRICE - 11) }];
    if (order.fate === "accepted") await stage.do(trader.amend(order, random.pick(changes)));
  }
};

/** On the grid of before, on the new one and beside both. */
const steps: Kind = async ({ rules, stage, two: [maker, taker] }) => {
  const { random } = stage;
  const stepSize = random.pick(STEPS);
  if (random.chance(0.2)) await stage.place(maker, "spot", limit("BUY", "0.003", SPOT_PRICE - 10));
  await rules.set({ stepSize, minTradeAmount: text(exact(stepSize) * 2n) });
  const quantities = ["0.003", "0.0031", "0.00302", "0.003001", "0.0030005"];
  for (const quantity of random.shuffle(quantities).slice(0, 3)) {
    await stage.place(maker, "spot", limit("SELL", quantity));
    await stage.place(taker, "spot", limit("BUY", random.pick([quantity, "0.002"])));
  }
  const byAmount = { symbol: SYMBOL, side: "BUY", type: "MARKET", quoteOrderQty: "2.5" };
  await stage.place(maker, "spot", limit("SELL", "0.004"));
  await stage.place(taker, "spot", byAmount);
};
