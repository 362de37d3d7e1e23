/**
 * What affiliates are told of those whom they invited and of affiliates below them, against the
 * naive history: of ranges that end at one of their commissions, or a millisecond beside. And what
 * operators are told of the next settlement.
 */
import { isDeepStrictEqual } from "node:util";
import { naiveAffiliates } from "../support/affiliate/naive-affiliate-views.ts";
import { Random } from "../support/random.ts";
import { hold } from "./breach.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import type { Trader } from "./trader.ts";

const FAMILY = "/api/v3/rebate/affiliate";
const RANGE_MAX_MS = 89 * 86_400_000;
const PRODUCTS = [
  ["SPOT", "spot"],
  ["FUTURES", "contract"],
] as const;

type Row = Readonly<Record<string, unknown>>;

interface Records {
  readonly total: number;
  readonly records: readonly Row[];
}

export async function checkReports(trader: Trader): Promise<void> {
  const { exchange, uid } = trader;
  const { story } = exchange;
  const random = new Random(story.sequence ^ (uid << 3));
  const { fromMs, toMs } = rangeOf(trader, random);
  const time = { startTime: fromMs, endTime: toMs };
  await checkActivity(trader, time, random);
  for (const [productType, product] of PRODUCTS) {
    const page = { page: random.integer(1, 2), pageSize: random.integer(1, 5) };
    const asked = { productType, pageNum: page.page, pageSize: page.pageSize, ...time };
    const path = `${FAMILY}/querySubChannelTransactions`;
    const said = await exchange.read<Records>(trader.credentials, path, asked);
    const question = { parentUid: uid, subUid: null, product, time: { fromMs, toMs }, page };
    const due = story.history.answer("sub-affiliate-days", question);
    const rows = due.rows.map(({ day, netFee, paidCommission, subUid, volume }) => ({
      ...{ subAffiliateUid: String(subUid), productType, date: day, tradingVolume: volume },
      ...{ netTradingFee: netFee, paidCommission },
    }));
    same(trader, path, asked, said, { total: due.total, records: rows });
  }
}

/** From some moment of the last months to a commission of the affiliate. */
function rangeOf({ exchange, uid }: Trader, random: Random) {
  const { affiliates, timeMs } = exchange.story;
  const own = [...affiliates.programme.rows.values()].filter(({ event }) => {
    return event.affiliateUid === uid;
  });
  const product = random.pick(["SPOT", "FUTURES"]);
  const rows = affiliates.rows.of(uid, product);
  const isAny = own.length === 0 || rows.length === 0 || random.chance(0.2);
  const toMs = isAny ? timeMs : Number(random.pick([...rows]).dealTime) + random.pick([-1, 0, 0]);
  return { fromMs: Math.max(0, toMs - random.integer(0, RANGE_MAX_MS)), toMs };
}

async function checkActivity(
  trader: Trader,
  time: { readonly startTime: number; readonly endTime: number },
  random: Random,
): Promise<void> {
  const { exchange, uid } = trader;
  const page = { page: 1, pageSize: random.integer(1, 20) };
  const asked = { ...page, ...time };
  const path = `${FAMILY}/getChannelUserTradeAndAsset`;
  const said = await exchange.read<Records>(trader.credentials, path, asked);
  const range = { fromMs: time.startTime, toMs: time.endTime };
  const question = { inviterUid: uid, uid: null, time: range, page };
  const due = exchange.story.history.answer("referral-activity", question);
  const rows = due.rows.map((row) => ({
    ...{ uid: String(row.uid), depositAmount: row.deposits, withdrawalAmount: row.withdrawals },
    ...{ spotTradingAmount: row.spotVolume, futuresTradingAmount: row.contractVolume },
    commission: row.commission,
  }));
  same(trader, path, asked, said, { total: due.total, records: rows });
}

/** What the next settlement pays, page by page, of all affiliates. */
export async function checkWaiting(exchange: SimulatedExchange): Promise<void> {
  const { programme } = exchange.story.affiliates;
  const limit = new Random(exchange.story.sequence).integer(1, 3);
  const told: Row[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const path = `commission-settlements?limit=${limit}&after=${after}`;
    const page: WaitingPage = await exchange.readOperator<WaitingPage>(path);
    told.push(...page.items);
    after = page.next;
  }
  const due = naiveAffiliates(programme, 0, AFFILIATES_MAX).flatMap(({ balances, uid }) => {
    const waiting = balances.filter(({ owed, payable }) => payable !== "0" || owed !== "0");
    return waiting.map(({ asset, owed, payable }) => ({ affiliateUid: uid, asset, payable, owed }));
  });
  const both = () => `${JSON.stringify(told)} instead of ${JSON.stringify(due)}`;
  hold(isDeepStrictEqual(told, due), "what waits for settlement is listed", both);
}

interface WaitingPage {
  readonly items: readonly Row[];
  readonly next: number | null;
}

const AFFILIATES_MAX = 1_000;

function same(
  { name }: Trader,
  path: string,
  asked: object,
  { records, total }: Records,
  due: Records,
): void {
  const isSame = total === due.total && isDeepStrictEqual(records, due.records);
  const both = () => `${JSON.stringify([total, records])} instead of ${JSON.stringify(due)}`;
  hold(isSame, "affiliates' reports", () => `${name} ${path} ${JSON.stringify(asked)}: ${both()}`);
}
