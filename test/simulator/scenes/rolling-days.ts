/**
 * What affiliates are judged by over 30 UTC days: the cap of a referral and the share of its trades
 * with related users. Trades of several days leave these one after the other, and around each of
 * these midnights somebody trades, under a cap and a share that tell whether they have left.
 */
import { least, text } from "../../support/exact.ts";
import { SPOT_PRICE, SYMBOL } from "../markets.ts";
import { readClock } from "../sandbox-clock.ts";
import type { Trader } from "../trader.ts";
import { DAY_MS, freeze, passTo } from "./clock.ts";
import { emptyBook, fund, leave, newAffiliate, newMember } from "./families.ts";
import type { Scene, Stage } from "./stage.ts";

const WINDOW_DAYS = 30;
const DAYS_MAX = 3;
/** Between two days of trades. */
const GAPS = [1, 1, 2, 5, 28];
/** Around a midnight. */
const AROUND_MS = [-1, 0, 1];
/** And at the same time of the day before and behind. */
const DAYS_AROUND_MS = [-DAY_MS, ...AROUND_MS, DAY_MS];
/** What the day leaves when it no longer counts, in percent of what it has used up. */
const ROOMS = [10n, 40n, 70n, 100n];
const QUANTITY = "0.05";
const MOST = "1000000";
const E8 = 10n ** 10n;
const ONE_E8 = 10n ** 8n;
const OPEN = { capPerReferral30d: null, holdSelfReferral: false, holdWashTrades: false };

/** One of a fixed value, as its referral made it. */
interface Traded {
  readonly day: number;
  readonly isRelated: boolean;
}

interface Referred {
  readonly affiliateUid: number;
  readonly trader: Trader;
  /** Invited by the same affiliate. */
  readonly relative: Trader;
  readonly stranger: Trader;
  readonly trades: Traded[];
}

export const rollingDays: Scene = async (stage) => {
  const { random } = stage;
  if (!(await emptyBook(stage, "spot"))) return;
  const referred = await newReferred(stage);
  // What counts begins with these rules.
  await stage.operate("PUT", "affiliate-policy", OPEN);
  const rules = { capPerReferral30d: MOST, holdWashTrades: true, washTradeShare: "1" };
  await stage.operate("PUT", "affiliate-policy", rules);
  const goOn = await freeze(stage);
  let day = await today(stage);
  const days = random.integer(1, DAYS_MAX);
  for (let count = 0; count < days; count++) {
    day += random.pick(GAPS);
    const ms = random.pick([0, 1, random.integer(0, DAY_MS - 1), DAY_MS - 1]);
    await passTo(stage, day * DAY_MS + ms);
    for (let each = random.integer(1, 2); each > 0; each--) await trade(stage, referred);
  }
  const ends = new Set(referred.trades.map((one) => one.day + WINDOW_DAYS));
  for (const end of ends) {
    for (const around of days > 1 ? AROUND_MS : DAYS_AROUND_MS) {
      if (around !== 0 && random.chance(0.3)) continue;
      if (!(await passTo(stage, end * DAY_MS + around))) continue;
      await setEdges(stage, referred, end - WINDOW_DAYS);
      await trade(stage, referred);
    }
  }
  await leave(stage, [referred.trader, referred.relative, referred.stranger], "spot");
  await stage.look();
  await goOn();
  await stage.operate("PUT", "affiliate-policy", OPEN);
};

async function today({ exchange }: Stage): Promise<number> {
  return Math.floor((await readClock(exchange)).time / DAY_MS);
}

async function newReferred(stage: Stage): Promise<Referred> {
  const above = await newAffiliate(stage, null);
  const affiliate = await newAffiliate(stage, above);
  const trader = await newMember(stage, affiliate);
  const relative = await newMember(stage, affiliate);
  const stranger = await newMember(stage);
  for (const one of [trader, relative, stranger]) await fund(stage, one, "spot");
  const { uid: affiliateUid } = stage.random.pick([above, affiliate, affiliate]).trader;
  return {
    ...{ affiliateUid, trader: trader.trader, relative: relative.trader },
    ...{ stranger: stranger.trader, trades: [] },
  };
}

async function trade(stage: Stage, { relative, stranger, trader, trades }: Referred) {
  const { random } = stage;
  const isRelated = random.chance(0.6);
  const sides = random.shuffle(["BUY", "SELL"]);
  const parties = random.shuffle([trader, isRelated ? relative : stranger]);
  for (const [index, one] of parties.entries()) {
    const terms = { symbol: SYMBOL, side: sides[index], type: "LIMIT", timeInForce: "GTC" };
    await stage.place(one, "spot", { ...terms, price: SPOT_PRICE.toFixed(2), quantity: QUANTITY });
  }
  trades.push({ day: await today(stage), isRelated });
}

/** A cap that is used up as long as that day counts, and a share that is reached without it. */
async function setEdges(stage: Stage, { affiliateUid, trader, trades }: Referred, day: number) {
  await stage.look();
  const { rows } = stage.exchange.story.affiliates.programme;
  const usedFrom = (from: number) =>
    [...rows.values()]
      .filter(({ event, ms }) => {
        const isOwn = event.affiliateUid === affiliateUid && event.traderUid === trader.uid;
        return isOwn && ms >= from * DAY_MS;
      })
      .reduce((used, { valueE8 }) => used + valueE8, 0n);
  const [withDay, without] = [usedFrom(day), usedFrom(day + 1)];
  const capE8 = without + ((withDay - without) * stage.random.pick(ROOMS)) / 100n;
  const shares = [day, day + 1].map((from) => {
    const counted = trades.filter((one) => one.day >= from);
    // With the trade that comes.
    const related = BigInt(counted.filter(({ isRelated }) => isRelated).length + 1);
    const all = BigInt(counted.length + 1);
    return (related * ONE_E8 + all - 1n) / all;
  });
  const [one = 0n, other = 0n] = shares;
  const shareE8 = least(ONE_E8, least(one, other));
  await stage.operate("PUT", "affiliate-policy", {
    capPerReferral30d: text(capE8 * E8),
    holdWashTrades: true,
    washTradeShare: text(shareE8 * E8),
  });
}
