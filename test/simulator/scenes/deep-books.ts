/**
 * A spot book that is far deeper than any page of it, at prices a tick or some apart: in whole, in
 * groups of every width and on streams, also while its best prices are taken and given up.
 */
import { channelOf } from "../channels/channel-names.ts";
import { ChannelReader } from "../channels/channel-reader.ts";
import { SPOT_PRICE, SYMBOL } from "../markets.ts";
import { checkReadings } from "../readings.ts";
import { emptyBook, fund, leave, type Member, newMember } from "./families.ts";
import type { Scene, Stage } from "./stage.ts";

const DEPTHS = ["GET /api/v2/market/depth", "GET /api/v3/market/depth"];
const QUESTIONS = 10;
const CHANNELS = ["depth15", "depth200"];
const BATCH_MAX = 50;
/** Around the pages of 15 and of 200 levels, and where a page of groups has far more of them. */
const SHALLOW = [0, 14, 15, 16, 40];
const DEEP = [199, 200, 201, 260, 320];
const GAPS = [1, 1, 1, 2, 7];
const TICK = 0.01;
const ORDERS_MAX = 1_000;
const CHANGES = [1, 3] as const;

type Side = "BUY" | "SELL";

export const deepBooks: Scene = async (stage) => {
  const { random } = stage;
  if (!(await emptyBook(stage, "spot"))) return;
  const before = (await stage.marketOf("spot"))?.rules.maxOpenOrders;
  if (before === undefined) return;
  const [owner, taker] = [await newMember(stage), await newMember(stage)];
  for (const member of [owner, taker]) await fund(stage, member, "spot");
  await stage.changeMarket("spot", { maxOpenOrders: ORDERS_MAX });
  const counts = random.shuffle([random.pick(DEEP), random.pick(SHALLOW)]);
  for (const [index, side] of (["BUY", "SELL"] as const).entries()) {
    await rest(stage, owner, side, counts[index] ?? 0);
  }
  const readers = await follow(stage);
  await look(stage, readers);
  for (let left = random.integer(...CHANGES); left > 0; left--) {
    await change(stage, owner, taker);
    await look(stage, readers);
  }
  for (const reader of readers) reader.close();
  await leave(stage, [owner.trader, taker.trader], "spot");
  await stage.changeMarket("spot", { maxOpenOrders: before });
  await stage.look();
};

function limit(side: Side, ticks: number, quantity: string) {
  const price = (SPOT_PRICE + (side === "BUY" ? -ticks : ticks) * TICK).toFixed(2);
  return { symbol: SYMBOL, side, type: "LIMIT", timeInForce: "GTC", price, quantity };
}

/** At so many prices, some of which have two orders. */
async function rest(stage: Stage, { trader }: Member, side: Side, count: number): Promise<void> {
  const { random } = stage;
  const gap = random.pick(GAPS);
  let ticks = random.integer(1, 120);
  const orders = Array.from({ length: count }, () => {
    ticks += random.integer(1, gap);
    const order = limit(side, ticks, `0.00${random.integer(1, 3)}`);
    return random.chance(0.1) ? [order, order] : [order];
  });
  const all = random.shuffle(orders.flat());
  for (let from = 0; from < all.length; from += BATCH_MAX) {
    await stage.do(trader.placeTogether("spot", all.slice(from, from + BATCH_MAX)));
  }
}

async function follow({ exchange, random }: Stage): Promise<readonly ChannelReader[]> {
  const versions = random.shuffle(["v2", "v3"] as const).slice(0, random.integer(1, 2));
  const readers = versions.map((version) => {
    return new ChannelReader({ exchange, product: "spot", version }, null);
  });
  for (const reader of readers) {
    await exchange.life.until(reader.connect(true));
    reader.subscribe(CHANNELS.map((kind) => channelOf(reader, kind, SYMBOL, random)));
  }
  return readers;
}

async function look(stage: Stage, readers: readonly ChannelReader[]): Promise<void> {
  await stage.look();
  const { random, traders } = stage;
  await checkReadings(random.pick([...traders]), "spot", QUESTIONS, DEPTHS);
  for (const reader of readers) await stage.do(reader.check());
}

/** Prices are taken or given up, so that others come into view, or there are better ones. */
async function change(stage: Stage, owner: Member, taker: Member): Promise<void> {
  const { random } = stage;
  const side = random.pick(["BUY", "SELL"] as const);
  const quantity = `0.${String(random.integer(1, 60)).padStart(3, "0")}`;
  const way = random.pick(["take", "take", "better", "fewer"] as const);
  if (way === "take") {
    const far = limit(side === "BUY" ? "SELL" : "BUY", 0, quantity);
    const price = (SPOT_PRICE * (side === "BUY" ? 0.98 : 1.02)).toFixed(2);
    await stage.place(taker.trader, "spot", { ...far, price, timeInForce: "IOC" });
  } else if (way === "better") {
    await stage.place(taker.trader, "spot", limit(side, random.integer(1, 3), "0.001"));
  } else {
    const { resting } = (await stage.marketOf("spot")) ?? { resting: [] };
    const mine = resting.filter(({ uid }) => uid === owner.trader.uid);
    for (const order of random.shuffle([...mine]).slice(0, random.integer(1, 5))) {
      const path = `/api/v3/order?orderId=${order.orderId}`;
      await stage.send(owner.trader, "DELETE", path);
    }
  }
}
